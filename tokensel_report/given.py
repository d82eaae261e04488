"""Texts, labels and probabilities as they were given: taken in any form, and refused where they would be wrong in silence."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d

from tokensel_nb.arrays import to_numpy


def listed_texts(texts) -> list[str]:
    """Return texts as a list of strings that can be written as UTF-8."""
    unordered = isinstance(texts, (str, bytes, set, frozenset, dict)) or not hasattr(texts, "__iter__")
    if unordered or getattr(texts, "ndim", 1) != 1:
        raise TypeError(f"texts is a {type(texts).__name__}; give a list of str, in their order")
    # Half of a pair, as broken decoding leaves it, becomes a question mark.
    return [text.encode("utf-8", "replace").decode() if isinstance(text, str) else text for text in texts]


def labels_of(texts, labels):
    """Return labels as an array, one a text."""
    if (missing := pd.isna(np.asarray(labels, dtype=object))).any():  # in another array NaN among words would be the word "nan"
        raise ValueError(f"labels[{missing.argmax()}] is missing; give every text a label, or drop it")
    labels = np.asarray(labels)
    labels = np.array(labels.tolist()) if labels.dtype.kind == "T" else labels  # strings that few functions know
    check_consistent_length(texts, labels)
    return column_or_1d(labels)


def probabilities_of(given, labels, classes):
    """Return what `report` got in the place of a model as each text's probabilities; a table names its columns by class."""
    at = range(len(labels))
    if hasattr(given, "columns"):
        columns = list(given.columns)
        if sorted(columns, key=str) != sorted(classes, key=str):
            raise ValueError(f"probabilities have columns {columns!r:.80}; give one for each class: {classes!r:.80}")
        at, given = given.index, given[classes]
    chances = to_numpy(given).astype(float)
    if chances.shape != (len(labels), len(classes)):
        raise ValueError(f"probabilities has shape {chances.shape}; give {(len(labels), len(classes))}, a column per class")
    fine = (chances >= 0).all(axis=1) & (abs(chances.sum(axis=1) - 1) < 0.02)  # they may be rounded
    if not fine[i := fine.argmin()]:
        raise ValueError(f"probabilities at {at[i]} are {chances[i].tolist()!r:.80}; give some from 0 to 1 that sum to 1")
    return chances
