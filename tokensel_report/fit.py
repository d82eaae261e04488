"""Classifiers fitted on all texts, or on some and tried on the others; phrases are counted once for all of them."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone
from sklearn.utils import compute_class_weight

from tokensel_nb.model import classes_of_logits

from .counted import codes_of, read_counts
from .objective import Attended
from .search import search


def fit(model, counted, sample_weight=None):
    """Fit a `TextClassifier` to texts whose phrases are counted, and return it."""
    if not len(counted.phrases.names):
        raise ValueError(f"no word occurs in min_texts={model.min_texts} of the {len(counted.labels)} texts; lower min_texts")
    model.classes_, model.phrases_, model.vocabulary_ = counted.classes, counted.phrases, counted.phrases.names
    weights = _weighted(model, counted.labels, sample_weight)
    best, model.l2_, model.held_out_ = search(counted.corpus(weights), model.attend, model.l2, model.random_state)
    model.scores_, model.values_ = best.scores, best.values
    _warn_if_useless(model.held_out_)
    return model


def _weighted(model, labels, sample_weight):
    """Return how much each text counts."""
    of_classes = compute_class_weight(model.class_weight, classes=model.classes_, y=labels)
    weights = of_classes[codes_of(model.classes_, labels)]
    if sample_weight is not None:
        weights = weights * np.broadcast_to(np.asarray(sample_weight, float), weights.shape)
    if len(set(labels[weights > 0].tolist())) < 2:
        raise ValueError("only one class has texts of positive weight; at least two classes are needed")
    return weights


def _warn_if_useless(held_out):
    if held_out and held_out["accuracy"] <= held_out["majority"]:
        warnings.warn(
            f"on the texts held out the classifier is right in {held_out['accuracy']:.1%}, "
            f"no more than the majority class is ({held_out['majority']:.1%})",
            UserWarning,
            stacklevel=4,
        )


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
