"""Classifiers fitted on some of the texts and tried on the others, whose phrases are counted once for all of them."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from ..model import classes_of_logits
from .counted import read_counts
from .fit import fit
from .objective import Attended


def check_folds(labels, folds):
    """Refuse to cut texts into more parts than the smallest class has texts."""
    names, sizes = np.unique(labels, return_counts=True)
    if folds > (least := sizes.min()):
        remedy = "give from 2 to so many" if least > 1 else "drop the class, or merge it with another"
        number = f"{least} texts" if least > 1 else "1 text"
        raise ValueError(f"folds={folds}, but the class {names.tolist()[sizes.argmin()]!r} has {number}; {remedy}")


def fit_rows(model, counted, rows=slice(None)):
    """Return a copy of a model fitted on some of the texts, and the columns of the phrases that it knows."""
    some, columns = counted.some(rows, model.min_texts)
    return fit(clone(model), some), columns


def parts_of(labels, folds, seed, copies):
    """Return the part of each text, 0 ... folds - 1: of every class about as many texts in each, and copies in one."""
    from sklearn.model_selection import StratifiedKFold

    cuts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels, labels)
    parts = np.argmax([np.isin(np.arange(len(labels)), rows) for _, rows in cuts], axis=0)
    return keep_together(parts, labels, copies)


def keep_together(parts, labels, copies):
    """Return the parts when copies go with the first of them, unless a class were in one part alone."""
    kept = parts[copies]
    return parts if any(len(set(kept[labels == name])) == 1 for name in np.unique(labels)) else kept


def fit_parts(whole, counted, parts):
    """Return a model, the texts that are new to it, and their rows, part by part; as strict as the model of all texts is."""
    strict = clone(whole).set_params(l2=getattr(whole, "l2_", whole.l2))  # found once, not anew in every part

    def part(judged):
        model, columns = fit_rows(strict, counted, parts != parts[judged[0]])
        return model, read_counts(model, counted.counts[judged][:, columns], counted.labels[judged]), judged

    cuts = [np.flatnonzero(parts == each) for each in np.unique(parts)]
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # what they would say, the whole model has said
        return list(map(part, cuts))


def accuracy_of(parts):
    """Return the accuracy of models, each tried on the texts that are new to it."""
    tried = ((Attended(model.scores_, model.values_).logits(corpus), corpus.labels) for model, corpus, _ in parts)
    return float(np.mean(np.concatenate([classes_of_logits(logits) == labels for logits, labels in tried])))
