"""Fitting classifiers on all texts, or on some to judge the others; phrases are counted only once."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets

from tokensel_nb.corpus import Corpus

from .given import labels_of, listed_texts
from .objective import prior, search
from .phrases import Phrases

CLS = "<cls>"


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of labelled texts as a classifier reads them: 1 + log c for a count c; the last column is <cls>, once."""

    phrases: Phrases
    counts: sparse.csr_array
    labels: np.ndarray

    @classmethod
    def of(cls, model, texts, labels):
        """Count the phrases of texts according to a classifier's settings."""
        _check_settings(model)
        texts = listed_texts(texts)
        labels = labels_of(texts, labels)
        check_classification_targets(labels)
        if len(names := classes_of(labels)) < 2:
            raise ValueError(f"the labels have the classes {names.tolist()}; give texts of at least two classes")
        if model.tokenizer is None:
            _warn_without_spaces(texts)
        phrases, counts = Phrases.learn(
            texts, longest=model.ngrams, min_texts=model.min_texts, without=model.without, tokenizer=model.tokenizer
        )
        return cls(phrases, damped(counts), labels)

    def some(self, rows, min_texts):
        """Return some of the texts, with the phrases that occur in enough of them, and the columns of these and of <cls>."""
        counts = self.counts[rows]
        texts_with = np.bincount(counts.indices, minlength=counts.shape[1])[:-1]
        phrases, columns = self.phrases.only(texts_with >= min_texts)
        columns = np.append(columns, counts.shape[1] - 1)
        return Counted(phrases, counts[:, columns], self.labels[rows]), columns

    def without(self, words):
        """Leave out words, and the n-grams that contain them."""
        phrases, columns = self.phrases.only(~np.isin(self.phrases.names, list(words)))
        return Counted(phrases, self.counts[:, [*columns, -1]], self.labels)


def _check_settings(model):
    """Refuse settings of a `TextClassifier` that would give silently wrong results."""
    if model.l2 is not None and not 0 <= model.l2 < np.inf:
        raise ValueError(f"l2={model.l2}; give a finite number of at least 0, or None")
    if isinstance(model.without, str):
        raise ValueError(f"without={model.without!r} is one string; give a list of words")


def _warn_without_spaces(texts):
    step = max(len(texts) // 1000, 1)
    sample = "".join(text[:500] for text in texts[::step] if isinstance(text, str))
    unspaced = len(re.findall("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]", sample))
    if unspaced > len(sample) / 2:
        script = "a script without spaces, so every character counts as a word; give a tokenizer= that splits words"
        warnings.warn(f"the texts are mostly in {script}", UserWarning, stacklevel=4)


def classes_of(labels):
    """Return the classes of labels, sorted; strings of digits are sorted as numbers, and come before words."""
    classes = np.unique(labels)
    numbers = pd.to_numeric(pd.Series(classes, dtype=object), errors="coerce").to_numpy()  # NaN, which comes last, for words
    return classes[np.argsort(numbers, kind="stable")]


def codes_of(classes, labels):
    """Return the code of every label: its place among the classes of a model."""
    codes = pd.Index(classes, dtype=object).get_indexer(pd.Index(labels, dtype=object))
    if (unknown := codes < 0).any():
        row = int(unknown.argmax())
        raise ValueError(f"labels[{row}] is {labels[row]!r:.80}, not a class of this model: {classes.tolist()!r:.200}")
    return codes


def read_counts(model, counts, labels=None, weights=None) -> Corpus:
    """Return counts as the corpus that a fitted classifier reads; without labels, all texts get the first class."""
    codes = np.zeros(counts.shape[0], np.int64) if labels is None else codes_of(model.classes_, labels)
    return Corpus(counts, codes, [*model.vocabulary_, CLS], tuple(map(str, model.classes_)), weights)


def damped(counts):
    """Return 1 + log of the counts, with <cls> in a last column, once in every text."""
    logarithms = sparse.csr_array((1 + np.log(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    of_cls = sparse.csr_array(np.ones((counts.shape[0], 1)))  # sparse, so that nothing has to be sorted anew
    return sparse.hstack([logarithms, of_cls], format="csr")


def fit(model, counted, sample_weight=None):
    """Fit a `TextClassifier` to texts whose phrases are counted, and return it."""
    if not len(counted.phrases.names):
        raise ValueError(f"no word occurs in min_texts={model.min_texts} of the {len(counted.labels)} texts; lower min_texts")
    model.phrases_, model.vocabulary_ = counted.phrases, counted.phrases.names
    model.classes_ = classes_of(counted.labels)
    corpus = read_counts(model, counted.counts, counted.labels, _weights(counted.labels, sample_weight))
    best, model.l2_, model.held_out_ = search(corpus, model.attend, model.l2, model.random_state)
    model.balance_ = model.held_out_.get("balance", 1.0) if model.balance is None else model.balance
    # Attention sums to one, so what is taken off every value is taken off every logit.
    model.scores_, model.values_ = best.scores, best.values - model.balance_ * prior(corpus)
    if (results := model.held_out_) and results["accuracy"] <= results["majority"]:
        scores = f"{results['accuracy']:.1%}, which is no better than the majority class ({results['majority']:.1%})"
        warnings.warn(f"on held-out texts the classifier reaches {scores}; check the labels, or give more texts", stacklevel=3)
    return model


def _weights(labels, sample_weight):
    """Return the weight of every text."""
    weights = np.broadcast_to(np.asarray(1 if sample_weight is None else sample_weight, float), labels.shape)
    if len(set(labels[weights > 0].tolist())) < 2:
        raise ValueError("only one class has texts of positive weight; give weights to at least two classes")
    return weights


def check_folds(labels, folds):
    """Refuse more folds than the smallest class has texts."""
    names, sizes = np.unique(labels, return_counts=True)
    if folds > (least := sizes.min()):
        name = names.tolist()[sizes.argmin()]
        raise ValueError(f"folds={folds}, but the class {name!r} has only {least} texts; lower folds, or drop the class")


def fit_rows(model, counted, rows=slice(None)):
    """Return a copy of a model fitted on some of the texts, and the columns of its phrases."""
    some, columns = counted.some(rows, model.min_texts)
    return fit(clone(model), some), columns


def parts_of(labels, folds, seed, copies):
    """Return the part of every text, 0 ... folds - 1: all parts have about the same classes, and copies are in one part."""
    cuts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
    parts = np.argmax([np.isin(np.arange(len(labels)), rows) for _, rows in cuts], axis=0)
    return keep_together(parts, labels, copies)


def keep_together(parts, labels, copies):
    """Return the parts with all copies in the part of the first one, unless this leaves a class in a single part."""
    kept = parts[copies]
    return parts if any(len(set(kept[labels == name])) == 1 for name in np.unique(labels)) else kept


def fit_parts(whole, counted, parts):
    """Return, for every part, a model that is fitted on the others, the part's texts, and their rows."""
    # The strength and the balance are chosen once, not in every part.
    strict = clone(whole).set_params(l2=getattr(whole, "l2_", whole.l2), balance=getattr(whole, "balance_", whole.balance))

    def part(judged):
        model, columns = fit_rows(strict, counted, parts != parts[judged[0]])
        return model, read_counts(model, counted.counts[judged][:, columns], counted.labels[judged]), judged

    cuts = [np.flatnonzero(parts == name) for name in np.unique(parts)]
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # the model of all texts has warned already
        return list(map(part, cuts))


class Scores(NamedTuple):
    """The share of right answers, and the mean F1 of all classes."""

    accuracy: float
    macro_f1: float


def scores_of(labels, verdicts) -> Scores:
    """Score verdicts, or their codes."""
    return Scores(float(np.mean(labels == verdicts)), float(f1_score(labels, verdicts, average="macro", zero_division=0)))
