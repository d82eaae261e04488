"""Chapter 10's experiments on texts of one's own: a rival tuned alike, calibration, a leak put in on purpose.

``python -m tokensel_nb.chapters.your_data`` puts in those marks that the chapter shows recorded (a quarter of a minute).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from IPython.display import HTML

from ..corpus.corpus import Corpus
from ..datasets.imdb import read_imdb
from ..support.runtime import side_by_side
from ..yourdata.classifier import TextClassifier
from ..yourdata.explanation import Explanation
from ..yourdata.fit import every_tenth
from ..yourdata.report import NOTES, SHOWN, Report, report
from .plots import POSITIVE, THEORY
from .recorded import record

STRENGTHS = np.logspace(-1, 3, 5)
"""C of logistic regression: five powers of ten."""

TEXTS = 6000
"""As many of IMDB's training reviews the chapter looks at."""

DIGITS = {"skew": 2, "importance": 3, "leads": 2, "attention": 3, "own effect": 2, "suspicion": 2}
"""Those that are the same on every processor; values, in the hundreds on long reviews, have three of them."""


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


def judged(texts, labels, seed) -> Report:
    """Return the report on texts, in two parts, without quotes.

    Parameters
    ----------
    texts : sequence of str
    labels : sequence
    seed : int

    Returns
    -------
    Report
    """
    return report(TextClassifier(), texts, labels, folds=2, quotes=0, seed=seed)


def place_of_mark(texts, labels, of_class, others) -> dict:
    """Put a made-up word before a hundredth of the texts of a class, and look for it among the suspicious words.

    Parameters
    ----------
    texts : sequence of str
    labels : sequence
    of_class : label
    others : int
        How many texts of other classes are marked as well.

    Returns
    -------
    dict
        "class", "others", "place" from 1, and the "first" three words.
    """
    marked = planted(texts, labels, "zqx", of_class, others=others, seed=1)
    words = judged(marked, labels, seed=1).ranked.word.tolist()
    return {"class": of_class, "others": others, "place": words.index("zqx") + 1, "first": words[:3]}


def suspicion_of_line(texts, labels, *classes) -> dict:
    """Put a line at the end of 60 texts, shared by some classes, and return its suspicion.

    Parameters
    ----------
    texts, labels : ndarray
    *classes : labels

    Returns
    -------
    dict
        "classes"; the suspicion of the line, "together", and the largest of one of its words and pairs "alone".
    """
    random, marked = np.random.default_rng(3), texts.copy()
    for name in classes:
        own = np.flatnonzero(labels == name)
        marked[random.choice(own, 60 // len(classes), replace=False)] += " sent from my galaxy phone"
    found = judged(marked, labels, seed=1)
    row = next(name for name in found.together if "galaxy phone" in name)
    suspicions = found.table.set_index("word").suspicion
    alone = suspicions[found.together[row]].max()
    return {"classes": classes, "together": round(suspicions[row], 4), "alone": round(alone, 4)}


def shaded(reading: Explanation) -> HTML:
    """Show a text with its words shaded, without the table of all terms.

    Parameters
    ----------
    reading : Explanation

    Returns
    -------
    IPython.display.HTML
    """
    return HTML(reading._repr_html_().split("<details>")[0] + "</div>")


def corners(found: Report) -> HTML:
    """Show the corners of a report's table, folded, with the digits that are the same on every processor.

    Parameters
    ----------
    found : Report

    Returns
    -------
    IPython.display.HTML
    """
    columns, told = ["word", "texts", "class", *DIGITS], {name: partial(_told, digits) for name, digits in DIGITS.items()}
    parts = [
        f"<details{' open' * (name in ('groups of people', 'suspicious'))}><summary><b>{name}</b></summary><p>{NOTES[name]}</p>"
        f"{corner[columns].head(SHOWN).to_html(index=False, formatters=told)}</details>"
        for name, corner in found.corners.items()
    ]
    return HTML("".join([f"<p>{found!r}</p>", *parts]))


def _told(digits, number):
    return "–" if np.isnan(number) else f"{number:.{digits}f}"


def main():
    """Record the marks, and the line, that the chapter does not put in itself."""
    reviews = read_imdb()
    some = np.sort(np.random.default_rng(0).permutation(len(reviews.texts))[:TEXTS])
    texts = np.array(reviews.texts, dtype=object)[some]
    labels = np.array(reviews.class_names)[reviews.labels][some]
    marks = [place_of_mark(texts, labels, *each) for each in (("positive", 0), ("negative", 3), ("positive", 3))]
    line = suspicion_of_line(texts, labels, "positive", "negative")
    print(record("planted", {"marks": marks, "control line": line}))


if __name__ == "__main__":
    main()
