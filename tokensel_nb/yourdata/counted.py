"""Texts whose phrases are counted once, however many classifiers are fitted on some of them and tried on others."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from ..models.base import classes_of_logits
from ..support.runtime import side_by_side
from .scores import Attended

if TYPE_CHECKING:
    from scipy import sparse

    from ..corpus.phrases import Phrases


@dataclass(frozen=True, eq=False)
class Counted:
    """Texts whose phrases are counted once, however many classifiers are fitted on some of them."""

    phrases: Phrases
    counts: sparse.csr_array
    labels: np.ndarray
    folds: int

    @classmethod
    def of(cls, model, texts, labels, folds):
        """Count the phrases of texts that can be cut into so many parts."""
        names, sizes = np.unique(labels, return_counts=True)
        if folds > (least := sizes.min()):
            remedy = "give from 2 to so many" if least > 1 else "drop the class, or merge it with another"
            number = f"{least} texts" if least > 1 else "1 text"
            raise ValueError(f"folds={folds}, but the class {names.tolist()[sizes.argmin()]!r} has {number}; {remedy}")
        return cls(*model._counted(texts, labels), folds)

    def fit(self, model, rows=slice(None)):
        """Return a copy of a model fitted on some of the texts, and the columns of the phrases that stand in enough of them."""
        counts = self.counts[rows]
        number = np.bincount(counts.indices, minlength=counts.shape[1])
        phrases, columns = self.phrases.only(number >= model.min_texts)
        return clone(model)._fit_counts(phrases, counts[:, columns], self.labels[rows]), columns

    def read(self, model, columns, rows=slice(None)):
        """Return some of the texts as a model that knows these columns reads them."""
        return model._read_counts(self.counts[rows][:, columns], self.labels[rows])

    def without(self, words):
        """Leave out words, and the n-grams that hold them."""
        phrases, columns = self.phrases.only(~np.isin(self.phrases.names, list(words)))
        return replace(self, phrases=phrases, counts=self.counts[:, columns])

    def parts(self, whole, seed):
        """Return pairs of a model and texts that are new to it, part by part; as strict as a model of all texts is."""
        from sklearn.model_selection import StratifiedKFold

        strict = clone(whole).set_params(l2=whole.l2_)  # found once, not anew in every part

        def part(rows):
            fitted, judged = rows
            model, columns = self.fit(strict, fitted)
            return model, self.read(model, columns, judged)

        cuts = StratifiedKFold(self.folds, shuffle=True, random_state=seed).split(self.labels, self.labels)
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # what they would say, the whole model has said
            return list(side_by_side(part, cuts))


def accuracy_of(parts):
    """Return the accuracy of models, each tried on the texts that are new to it."""
    found = [classes_of_logits(Attended(judge.scores_, judge.values_).logits(corpus)) for judge, corpus in parts]
    return float(np.mean(np.concatenate([each == corpus.labels for each, (_, corpus) in zip(found, parts)])))
