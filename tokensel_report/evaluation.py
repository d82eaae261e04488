"""How good a report's classifier is on new texts: compared with rivals, its calibration, and its worst mistakes."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.utils import check_random_state

from tokensel_nb.arrays import threads_for
from tokensel_nb.corpus import Corpus

from .fit import keep_together
from .objective import every_tenth
from .table import Report, Trial

STRENGTHS = np.logspace(-1, 3, 5)
"""C of logistic regression: five powers of ten."""


class TextSizes(NamedTuple):
    """The number of texts of a class, their share of all texts, and the median number of their words."""

    name: str
    texts: int
    share: float
    words: float


def text_sizes(texts, labels, names) -> list[TextSizes]:
    """Return the sizes of all texts together, and of every class if there are labels."""
    words = np.array([len(text.split()) for text in texts])
    parts = {"all": np.ones(len(words), bool)} | ({} if labels is None else {name: labels == name for name in names})
    median = lambda own: float(np.median(words[own])) if own.any() else np.nan
    return [TextSizes(name, int(own.sum()), float(own.mean()), median(own)) for name, own in parts.items()]


class Rival(NamedTuple):
    """The accuracy of logistic regression on the texts held out, and its strength C."""

    accuracy: float
    strength: float


def logistic_regression(corpus: Corpus, held_out, seed=0) -> Rival:
    """Fit logistic regression on tf-idf of the classifier's own words and pairs, and test it on the texts held out.

    Its strength C is chosen on the tenth of the texts on which `TextClassifier` chooses its own, and then all texts are used,
    so that both are tuned alike. Every fit begins where the one before it ended. With too few texts for a tenth, C is 1.
    """
    counts, labels = corpus.counts[:, :-1].astype(np.float32), corpus.labels
    enough = np.bincount(counts[~held_out].indices, minlength=counts.shape[1]) >= 2
    learnt, new = counts[~held_out][:, enough], counts[held_out][:, enough]
    weigher = TfidfTransformer()  # fitted once: knowing the tenth's words reveals no labels
    learnt, new, of_learnt = weigher.fit_transform(learnt), weigher.transform(new), labels[~held_out]
    tenth = every_tenth(corpus[~held_out], check_random_state(seed))
    tenth &= len(set(of_learnt[~tenth])) == len(set(of_learnt))  # no tenth if it had all texts of a class
    # With more than two classes, Newton's method takes a quarter of L-BFGS's time.
    best, most = LogisticRegression(max_iter=300, warm_start=True, solver="newton-cg"), -1.0
    candidate = best
    with threads_for(learnt.shape[1] * corpus.num_classes):
        for strength in STRENGTHS if tenth.any() else ():
            candidate = copy(candidate).set_params(C=strength).fit(learnt[~tenth], of_learnt[~tenth])
            share = candidate.score(learnt[tenth], of_learnt[tenth])
            if share > most:
                best, most = candidate, share
        best.fit(learnt, of_learnt)
    return Rival(best.score(new, labels[held_out]), float(best.C))


def calibration_error(probabilities, right, bins=10) -> float:
    """Return how far certainty and the share of right answers are apart, on average over bins of equally many texts."""
    parts = np.array_split(np.argsort(probabilities, kind="stable"), min(bins, len(right)))
    return sum(abs(np.sum(probabilities[part] - right[part])) for part in parts) / len(right)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A report's classifier, fitted on four fifths of the texts and tested on the rest; or given probabilities of all texts.

    The rest is ``split``, and what is scored is ``held_out``: the same, or all texts.
    """

    report: Report
    held_out: np.ndarray
    trial: Trial
    accuracies: dict[str, float]
    split: np.ndarray

    @cached_property
    def predicted(self):
        """The class that it chose for every text held out."""
        return self.trial.model.classes_[self.trial.chances.argmax(axis=1)]

    @cached_property
    def right(self):
        """Whether the chosen class is the label."""
        return self.predicted == self.report.labels[self.held_out]

    @property
    def largest(self):
        """The class of most texts held out."""
        return self.report.model.classes_[self.confusion.sum(axis=1).argmax()]

    @property
    def learnt(self):
        """Whether it is right more often than always naming that class, by two standard errors of the difference."""
        of_largest = self.report.labels[self.held_out] == self.largest
        won, lost = np.sum(self.right & ~of_largest), np.sum(~self.right & of_largest)
        return bool(won - lost > 2 * np.sqrt(won + lost))

    @cached_property
    def confusion(self):
        """The number of texts held out by label (rows) and verdict (columns); shape (K, K)."""
        return confusion_matrix(self.report.labels[self.held_out], self.predicted, labels=self.report.model.classes_)

    @cached_property
    def by_class(self) -> pd.DataFrame:
        """Scores of every class, NaN if undefined, and the other class for which its texts are mistaken most often."""
        names, confusion = self.report.model.classes_, self.confusion
        hits, texts, named = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
        with np.errstate(invalid="ignore"):
            scores = {"F1": 2 * hits / (texts + named), "precision": hits / named, "recall": hits / texts}
        mistaken = [f"{row.max()} as {names[row.argmax()]}" if row.any() else "–" for row in confusion - np.diag(hits)]
        return pd.DataFrame({"class": names, **scores, "texts": texts, "most often mistaken": mistaken})

    @cached_property
    def confused(self) -> pd.DataFrame:
        """Pairs of a label and another verdict, the most frequent first, with the share of the label's texts."""
        names, wrong = self.report.model.classes_, self.confusion - np.diag(self.confusion.diagonal())
        rows, columns = np.unravel_index(np.argsort(-wrong, axis=None, kind="stable"), wrong.shape)
        texts, of_label = wrong[rows, columns], self.confusion.sum(axis=1)[rows]
        shares = [f"{number} of {all_of} texts" for number, all_of in zip(texts, of_label)]
        return pd.DataFrame({"label": names[rows], "judged as": names[columns], "how many": shares})[texts > 0]

    @property
    def calibration_error(self) -> float:
        """How far certainty and the share of right answers are apart."""
        return calibration_error(self.trial.chances.max(axis=1), self.right)


def evaluate(report: Report, seed=0) -> Evaluation:
    """Fit a report's classifier and logistic regression on four fifths of its texts.

    All are tested on the rest, and so are the largest class and given probabilities. If probabilities were given, all results
    except this comparison are about them, on all texts.
    """
    number = len(report.texts)
    held_out = np.random.default_rng(seed).permutation(number) < max(number // 5, 1)
    held_out = keep_together(held_out, report.labels, report.copies)
    tried = {
        "attention": report.trial(held_out),
        "logistic regression": logistic_regression(report.corpus, held_out, seed),
    }
    trial, new, split = tried["attention"], report.labels[held_out], held_out
    accuracies = {name: rival.accuracy for name, rival in tried.items()}
    accuracies["largest class"] = max(float(np.mean(new == name)) for name in trial.model.classes_)
    if report.given:
        accuracies["given model"] = float(np.mean(report.model.classes_[report.chances[held_out].argmax(axis=1)] == new))
        trial, held_out = Trial(report.model, report.chances, report.accuracy), np.ones(number, bool)
    return Evaluation(report, held_out, trial, accuracies, split)
