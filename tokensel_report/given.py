"""The user's texts, labels and probabilities: accepted in many forms, refused if they would give silently wrong results."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.utils import check_consistent_length, column_or_1d

from tokensel_nb.arrays import to_numpy


def listed_texts(texts) -> list[str]:
    """Return texts as a list of strings that can be written as UTF-8."""
    unordered = isinstance(texts, (str, bytes, set, frozenset, dict)) or not hasattr(texts, "__iter__")
    if unordered or getattr(texts, "ndim", 1) != 1:
        raise TypeError(f"texts is a {type(texts).__name__}; give a list of str")
    # Half a surrogate pair, left by broken decoding, becomes a question mark.
    return [text.encode("utf-8", "replace").decode() if isinstance(text, str) else text for text in texts]


def labels_of(texts, labels):
    """Return labels as an array, one per text."""
    if (missing := pd.isna(np.asarray(labels, dtype=object))).any():  # NaN would become the string "nan"
        raise ValueError(f"labels[{missing.argmax()}] is missing; give every text a label, or drop the text")
    labels = np.asarray(labels)
    labels = (
        np.array(labels.tolist()) if labels.dtype.kind == "T" else labels
    )  # numpy's new strings, which few functions accept
    check_consistent_length(texts, labels)
    return column_or_1d(labels)


def probabilities_of(given, labels, classes):
    """Return the probabilities that `report` was given in place of a model; the columns of a table are named by class."""
    at = range(len(labels))
    if hasattr(given, "columns"):
        columns = list(given.columns)
        if sorted(columns, key=str) != sorted(classes, key=str):
            raise ValueError(f"probabilities has the columns {columns!r:.80}; give one per class: {classes!r:.80}")
        at, given = given.index, given[classes]
    chances = to_numpy(given).astype(float)
    if chances.shape != (len(labels), len(classes)):
        raise ValueError(f"probabilities has shape {chances.shape}; give {(len(labels), len(classes))}, one column per class")
    fine = (chances >= 0).all(axis=1) & (abs(chances.sum(axis=1) - 1) < 0.02)  # they may be rounded
    if not fine[i := fine.argmin()]:
        raise ValueError(f"probabilities at {at[i]} are {chances[i].tolist()!r:.80}; give numbers from 0 to 1 with the sum 1")
    return chances
