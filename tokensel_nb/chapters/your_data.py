"""Chapter 10's experiments on texts of one's own: a rival tuned alike, calibration, a leak put in on purpose."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ..corpus import Corpus
from ..reporting import Report
from ..runtime import side_by_side
from ..text_classifier import every_tenth
from .plots import POSITIVE, THEORY

STRENGTHS = np.logspace(-1, 3, 5)
"""C of logistic regression: five powers of ten."""


class Rival(NamedTuple):
    """What logistic regression reaches on the same texts.

    Parameters
    ----------
    accuracy : float
        On the texts held out.
    strength : float
        C.
    """

    accuracy: float
    strength: float


def logistic_regression(corpus: Corpus, held_out, seed=0) -> Rival:
    """Fit logistic regression on tf-idf of the very words and pairs that the classifier counts, and try it on other texts.

    Its strength C is chosen on the tenth of the texts on which `TextClassifier` chooses its own, and all are used once C is
    known, so that both sides are tuned alike. Each C begins where the one before it ended. Where the texts are too few for a
    tenth, C is 1.

    Parameters
    ----------
    corpus : Corpus
        Texts as `TextClassifier.read` gives them: 1 + log of each count, and <cls> last.
    held_out : ndarray of bool, shape (n,)
        Which texts to try it on.
    seed : int
        Of the tenth.

    Returns
    -------
    Rival

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts, labels = ["a good film", "good and moving", "a bad film", "bad and long"] * 20, [1, 1, 0, 0] * 20
    >>> corpus = ts.TextClassifier().fit(texts, labels).read(texts, labels)
    >>> logistic_regression(corpus, np.arange(80) >= 60).accuracy
    1.0
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.utils import check_random_state

    counts, labels = corpus.counts[:, :-1].astype(np.float32), corpus.labels
    enough = np.bincount(counts[~held_out].indices, minlength=counts.shape[1]) >= 2
    learnt, new = counts[~held_out][:, enough], counts[held_out][:, enough]
    weigher = TfidfTransformer()  # once; that it knows the tenth's words tells nothing of labels
    learnt, new, of_learnt = weigher.fit_transform(learnt), weigher.transform(new), labels[~held_out]
    tenth = every_tenth(corpus[~held_out], check_random_state(seed))
    tenth &= len(set(of_learnt[~tenth])) == len(set(of_learnt))  # none, if it had all texts of a class
    rival, best, most = LogisticRegression(max_iter=300, warm_start=True), {"C": 1.0}, -1.0
    for strength in STRENGTHS if tenth.any() else ():
        rival.set_params(C=strength).fit(learnt[~tenth], of_learnt[~tenth])
        if (share := rival.score(learnt[tenth], of_learnt[tenth])) > most:
            most, best = share, dict(C=strength, coef_=rival.coef_, intercept_=rival.intercept_)
    vars(rival).update(best)
    return Rival(rival.fit(learnt, of_learnt).score(new, labels[held_out]), float(rival.C))


def compared(found: Report, held_out, seed=0) -> dict:
    """Fit a report's classifier, the same without attention, and logistic regression on some texts, and try all on the others.

    They are fitted side by side, and each as it would be alone.

    Parameters
    ----------
    found : Report
    held_out : ndarray of bool, shape (n,)
        Which texts to try them on.
    seed : int
        Of the tenth on which the regression's strength is chosen.

    Returns
    -------
    dict of str to Trial or Rival

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ["a good film", "good and moving", "a bad film", "bad and long"] * 20
    >>> found = ts.report(ts.TextClassifier(), texts, ["up", "up", "down", "down"] * 20)
    >>> {name: each.accuracy for name, each in compared(found, np.arange(80) >= 60).items()}
    {'attention': 1.0, 'mean of values, p = 0': 1.0, 'logistic regression': 1.0}
    """
    fits = {
        "attention": partial(found.trial, held_out),
        "mean of values, p = 0": partial(found.trial, held_out, attend=False),
        "logistic regression": partial(logistic_regression, found.corpus, held_out, seed),
    }
    return dict(zip(fits, side_by_side(lambda fit: fit(), fits.values())))


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


def plot_calibration(ax, sure, share):
    """Draw the share of right answers against how sure the classifier was, and the line on which the two agree.

    Parameters
    ----------
    ax : matplotlib Axes
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
