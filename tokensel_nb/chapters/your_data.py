"""Chapter 10's experiments on texts of one's own: a rival tuned alike, calibration, a leak put in on purpose."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .plots import POSITIVE, THEORY

STRENGTHS = np.logspace(-1, 3, 5)
"""C of logistic regression: five powers of ten."""


class Rival(NamedTuple):
    """What logistic regression reaches on the same texts.

    Parameters
    ----------
    accuracy : float
        On the new texts.
    seconds : float
        Of processor time of all fits.
    strength : float
        C.
    """

    accuracy: float
    seconds: float
    strength: float


def logistic_regression(texts, labels, new, new_labels, seed=0) -> Rival:
    """Fit logistic regression on tf-idf of words and pairs, with C chosen on a tenth of the texts, and try it on new texts.

    The tenth is chosen as `TextClassifier` chooses its own, at random, and all texts are used once C is known, so that both
    sides are tuned alike.

    Parameters
    ----------
    texts : sequence of str
    labels : sequence
    new : sequence of str
    new_labels : sequence
    seed : int
        Of the tenth.

    Returns
    -------
    Rival

    Examples
    --------
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
    >>> logistic_regression(texts, [1, 1, 0, 0] * 10, ["good", "so bad"], [1, 0]).accuracy
    1.0
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    def tried(weighed, labels, others, other_labels, strengths):
        def score(strength):
            return LogisticRegression(C=strength, max_iter=300).fit(weighed, labels).score(others, other_labels)

        with ThreadPoolExecutor(os.cpu_count()) as pool:  # its products let go of Python's lock
            return list(pool.map(score, strengths))

    began = time.process_time()
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, dtype=np.float32)  # takes half of float64's time
    weighed = words.fit_transform(texts)  # once; that it knows the tenth's words tells nothing of labels
    kept, held_out, of_kept, of_held_out = train_test_split(weighed, labels, test_size=0.1, stratify=labels, random_state=seed)
    best = float(STRENGTHS[int(np.argmax(tried(kept, of_kept, held_out, of_held_out, STRENGTHS)))])
    (accuracy,) = tried(weighed, labels, words.transform(new), new_labels, [best])
    return Rival(accuracy, time.process_time() - began, best)


def calibration(probabilities, right, bins=10):
    """Compare how sure a classifier is with how often it is right.

    Parameters
    ----------
    probabilities : ndarray of float, shape (n,)
        Of the class that it chose.
    right : ndarray of bool, shape (n,)
    bins : int
        Of equally many texts each.

    Returns
    -------
    (ndarray, ndarray, float)
        Mean probability and share of right answers of each bin, and the mean distance of the two (expected calibration
        error).

    Examples
    --------
    >>> sure, share, error = calibration(np.repeat([0.6, 0.9], 50), np.arange(100) % 10 < 8, bins=2)
    >>> sure.round(1).tolist(), share.round(1).tolist(), round(float(error), 2)
    ([0.6, 0.9], [0.8, 0.8], 0.15)
    """
    parts = np.array_split(np.argsort(probabilities, kind="stable"), bins)
    parts = [part for part in parts if len(part)]
    sure = np.array([probabilities[part].mean() for part in parts])
    share = np.array([right[part].mean() for part in parts])
    sizes = np.array([len(part) for part in parts])
    return sure, share, float((sizes * abs(sure - share)).sum() / sizes.sum())


def plot_calibration(ax: Axes, sure, share):
    """Draw the share of right answers against how sure the classifier was, and the line on which the two agree.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    sure, share : ndarray
        Of `calibration`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> plot_calibration(plt.figure().subplots(), np.array([0.6, 0.9]), np.array([0.7, 0.85]))
    >>> plt.close()
    """
    low = min(sure.min(), share.min()) - 0.02
    ax.plot([low, 1], [low, 1], color=THEORY, linestyle="--", linewidth=1)
    ax.plot(sure, share, "o-", color=POSITIVE)
    ax.set(xlabel="probability of the class it chose", ylabel="right answers (share)", xlim=(low, 1.01), ylim=(low, 1.01))


def planted(texts, labels, word, of_class, share=0.01, least=20, others=0, seed=0) -> list[str]:
    """Return the texts with a mark put before some of one class: a leak that we know of.

    Parameters
    ----------
    texts : sequence of str
    labels : sequence
    word : str
        The mark.
    of_class : label
    share : float
        Of the texts of that class.
    least : int
        The least number of texts that are marked.
    others : int
        How many texts of other classes are marked as well.
    seed : int

    Returns
    -------
    list of str

    Examples
    --------
    >>> planted(["one", "two", "three"], [1, 1, 0], "zq", 1, share=0.5, least=1)
    ['one', 'zq two', 'three']
    """
    labels, random = np.asarray(labels), np.random.default_rng(seed)
    own, foreign = np.flatnonzero(labels == of_class), np.flatnonzero(labels != of_class)
    marked = [*random.choice(own, min(max(round(share * len(own)), least), len(own)), replace=False)]
    marked += [*random.choice(foreign, others, replace=False)]
    found = list(texts)
    for row in marked:
        found[row] = f"{word} {found[row]}"
    return found
