"""Texts as phrases and counts, counted once, however many classifiers are fitted."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets

from tokensel_nb.corpus import Corpus

from .checks import first_few, listed, shortened
from .phrases import Phrases

CLS = "<cls>"


@dataclass(frozen=True, eq=False)
class Counted:
    """Labelled texts whose phrases are counted, as a classifier sees them: 1 + log c for a count c, and <cls> once, at last."""

    phrases: Phrases
    counts: sparse.csr_array
    labels: np.ndarray

    @classmethod
    def of(cls, model, texts, labels):
        """Count the phrases of texts as a classifier's settings ask."""
        check_settings(model)
        texts = listed_texts(texts)
        labels = labels_of(texts, labels)
        check_classification_targets(labels)
        if len(set(labels.tolist())) < 2:
            raise ValueError(f"every label is {labels.tolist()[0]!r}; at least two classes are needed")
        if model.tokenizer is None:
            _warn_without_spaces(texts)
        phrases, counts = Phrases.learn(
            texts, longest=model.ngrams, min_texts=model.min_texts, without=model.without, tokenizer=model.tokenizer
        )
        return cls(phrases, seen(counts), labels)

    @cached_property
    def classes(self):
        """The classes that the labels name, in order."""
        return classes_of(self.labels)

    def corpus(self, weights=None) -> Corpus:
        """Return the texts as a corpus over the phrases and <cls>."""
        return corpus_of(self.phrases, self.counts, codes_of(self.classes, self.labels), self.classes, weights)

    def some(self, rows, min_texts):
        """Return some of the texts, with the phrases that stand in enough of them, and the columns of these and of <cls>."""
        counts = self.counts[rows]
        texts_with = np.bincount(counts.indices, minlength=counts.shape[1])[:-1]
        phrases, columns = self.phrases.only(texts_with >= min_texts)
        columns = np.append(columns, counts.shape[1] - 1)
        return Counted(phrases, counts[:, columns], self.labels[rows]), columns

    def without(self, words):
        """Leave out words, and the n-grams that hold them."""
        phrases, columns = self.phrases.only(~np.isin(self.phrases.names, list(words)))
        return Counted(phrases, self.counts[:, [*columns, -1]], self.labels)


def check_settings(model):
    """Refuse settings of a `TextClassifier` that no fit can use."""
    for name in ("ngrams", "min_texts"):
        if getattr(model, name) < 1:
            raise ValueError(f"{name}={getattr(model, name)}; give a whole number of at least 1")
    if model.l2 is not None and not 0 <= model.l2 < np.inf:
        raise ValueError(f"l2={model.l2}; give a finite number of at least 0, or None")
    if isinstance(model.without, str):
        raise ValueError(f"without={model.without!r} is one string; give a list of words")


def read_counts(model, counts, labels=None):
    """Return counts as the corpus that a fitted classifier sees; without labels every text is given the first class."""
    if labels is None:
        codes = np.zeros(counts.shape[0], np.int64)
    else:
        labels = labels_of(range(counts.shape[0]), labels)
        codes = codes_of(model.classes_, labels)
        if (unknown := model.classes_[codes] != labels).any():
            row, known = int(unknown.argmax()), first_few(map(shortened, model.classes_), 5)
            raise ValueError(f"labels[{row}] is {shortened(labels[row])}, not a class of this model; its classes are {known}")
    return corpus_of(model.phrases_, counts, codes, model.classes_)


def corpus_of(phrases, counts, codes, classes, weights=None):
    """Return counts as a corpus over phrases and <cls>."""
    return Corpus(counts, codes, [*phrases.names, CLS], tuple(map(str, classes)), weights)


def seen(counts):
    """Return counts as a classifier sees them: 1 + log of each, and in the last column <cls>, once in every text."""
    damped = sparse.csr_array((1 + np.log(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    of_cls = sparse.csr_array(np.ones((counts.shape[0], 1)))  # sparse, so that nothing has to be sorted anew
    return sparse.hstack([damped, of_cls], format="csr")


def classes_of(labels):
    """Return the classes that labels name, in the order of their values, numbers as numbers even where they are strings."""
    classes = np.unique(labels)
    try:
        return classes[np.argsort(classes.astype(float), kind="stable")]
    except ValueError:
        return classes


def codes_of(classes, labels):
    """Return the place of every label among the classes, or any place for a label that is none of them."""
    order = np.argsort(classes, kind="stable")
    return order[np.searchsorted(classes, labels, sorter=order).clip(max=len(classes) - 1)]


def labels_of(texts, labels):
    """Return labels as an array, one a text."""
    given = labels.tolist() if hasattr(labels, "tolist") else labels  # as an array NaN among words would be the word "nan"
    labels = np.asarray(labels)
    labels = labels.astype(str) if labels.dtype.kind == "T" else labels  # NumPy's newer strings, which few functions know
    if labels.ndim != 1:
        raise ValueError(f"labels has {labels.ndim} dimensions; give one label per text")
    if not texts:
        raise ValueError("there are no texts; give at least two, of two classes")
    if len(labels) != len(texts):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels; give one label per text")
    if any(missing := list(map(_is_missing, given))):
        raise ValueError(f"labels[{missing.index(True)}] is missing; give every text a label, or drop it")
    if labels.dtype.kind == "f" and (parts := labels % 1 != 0).any():
        row = int(parts.argmax())
        raise ValueError(f"labels[{row}] is {labels[row]}, an amount; if such numbers name classes, give labels.astype(str)")
    return labels


def _is_missing(label):
    """Whether a label is None, NaN, or what pandas has in their place."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas' NA is neither
        return True


def listed_texts(texts):
    """Return texts as a list of strings that can be written as UTF-8."""
    return [_clean(text) if isinstance(text, str) else text for text in listed("texts", texts)]


def _clean(text):
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair, as broken decoding leaves it
        return text.encode("utf-8", "replace").decode()
    return text


def _warn_without_spaces(texts):
    step = max(len(texts) // 1000, 1)
    sample = "".join(text[:500] for text in texts[::step] if isinstance(text, str))
    unspaced = len(re.findall("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]", sample))
    if unspaced > len(sample) / 2:
        warnings.warn(
            "the texts are mostly in a script without spaces between words, so each character is a word; "
            "a tokenizer= may find better ones",
            UserWarning,
            stacklevel=4,
        )
