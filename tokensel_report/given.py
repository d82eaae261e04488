"""Probabilities that another model gave: checked, and beside each word of a report what that model does with it."""

import numpy as np
from scipy import sparse

from tokensel_nb.arrays import to_numpy

from .checks import shortened
from .counted import classes_of


def checked_probabilities(given, labels):
    """Return what `report` got in the place of a model as each text's probabilities; a table names its columns by class."""
    classes, at = classes_of(labels).tolist(), range(len(labels))
    if hasattr(given, "columns"):
        columns = list(given.columns)
        if sorted(columns, key=str) != sorted(classes, key=str):
            raise ValueError(f"probabilities have columns {shortened(columns)}; give one for each class: {shortened(classes)}")
        at, given = getattr(given, "index", at), given.to_numpy()[:, [columns.index(name) for name in classes]]
    chances = to_numpy(given).astype(float)
    if chances.shape != (len(labels), len(classes)):
        raise ValueError(f"probabilities has shape {chances.shape}; give {(len(labels), len(classes))}, a column per class")
    fine = (chances >= 0).all(axis=1) & (abs(chances.sum(axis=1) - 1) < 0.02)  # they may be rounded
    if not fine[i := fine.argmin()]:
        raise ValueError(f"probabilities at {at[i]} are {shortened(chances[i].tolist())}; give some from 0 to 1 that sum to 1")
    return chances


def followed(words, corpus, chances):
    """Return, as columns, the mean probability of each word's class in its texts, and in others with the same labels.

    So if one text in ten of a word is not of its class, nor is one in ten of those others. Of a mark in random texts of its
    class, a model that does not use it gives both the same, however good it is. NaN where all texts of a label have the word.
    """
    texts, columns = sparse.hstack([corpus.counts[:, words.shown], words.marks.texts]).nonzero()
    cells, of_class = columns * words.K + corpus.labels[texts], chances[texts, words.classes[columns]]
    size = len(words.names), words.K
    number, sums = (np.bincount(cells, each, np.prod(size)).reshape(size) for each in (None, of_class))
    others = np.bincount(corpus.labels, minlength=words.K) - number
    rest = (chances.T @ np.eye(words.K)[corpus.labels])[words.classes] - sums
    expected = np.where(number > 0, number * rest / np.where(others > 0, others, np.nan), 0).sum(axis=1)
    return {"given model": sums.sum(axis=1) / words.number, "elsewhere": expected / words.number}
