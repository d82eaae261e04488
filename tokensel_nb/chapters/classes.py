"""07_classes's measures: how E_s·v_k rises with the lean of words to the classes, in training texts and in others."""

from __future__ import annotations

import numpy as np

from ..bins import binned, word_correlation
from ..corpus import Corpus
from ..datasets.movie_reviews import load_movie_reviews
from ..one_step import class_profile
from .reviews import HELD_OUT

DIM = 1024  # of the run on film reviews
# The groups of the four classes of film reviews within which labels are shuffled.
KEPT = {"among all": (0, 0, 0, 0), "within sites": (0, 0, 1, 1), "within verdicts": (0, 1, 0, 1)}
# Four classes are two pairs. Orthogonal ways to lean: to a pair, to the first of either pair, to the first of one only.
CONTRASTS = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])


def lean(corpus: Corpus) -> np.ndarray:
    """Return the class profile of a corpus's words, one column per class, and NaN for words that don't occur."""
    profile = class_profile(corpus)
    return np.where(profile.any(axis=1, keepdims=True), profile, np.nan)


def rise(leaning, values) -> float:
    """Return how steadily values rise from bin to bin: the rank correlation of 20 bin means, averaged over the classes."""
    columns = zip(np.asarray(leaning).T, np.asarray(values).T)
    return float(np.mean([binned(*column).rank_correlation() for column in columns]))


def word_rise(leaning, values) -> float:
    """Return the same word by word: the rank correlation of values with the words' lean, averaged over the classes."""
    columns = zip(np.asarray(leaning).T, np.asarray(values).T)
    return float(np.mean([word_correlation(*column) for column in columns]))


def contrasts(leaning, values) -> np.ndarray:
    """Return, for the three `CONTRASTS` of four classes, the rank correlation of values with the words' lean."""
    columns = zip(CONTRASTS @ np.asarray(leaning).T, CONTRASTS @ np.asarray(values).T)
    return np.array([word_correlation(*column) for column in columns])


def film_reviews(seed=10) -> tuple[Corpus, Corpus]:
    """Return the film reviews of four classes that the chapter trains on, and a fifth held out."""
    return load_movie_reviews().balanced(seed=seed).split(HELD_OUT, seed=seed)
