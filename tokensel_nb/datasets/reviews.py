"""Texts as they were read, with labels or without."""

from dataclasses import dataclass

import numpy as np

IMDB_MIN_COUNT = 45
"""The minimum count that leaves about as many words of IMDB's training reviews as the paper has (7,766)."""

SENTIMENTS = ("negative", "positive")


class DataError(ValueError):
    """Data that are missing, unreadable or not what they should be; the message names the file, the row and the remedy."""


@dataclass(frozen=True, eq=False, repr=False)
class Reviews:
    """Texts as they were read, with labels or without.

    Parameters
    ----------
    texts : list of str, length n
    labels : ndarray of int64, shape (n,), or None
        0 ... K-1; None for new texts, whose labels nobody knows.
    class_names : tuple of str, length K
        Empty where there are no labels.
    source : str
        Where they came from, for people.
    """

    texts: list[str]
    labels: np.ndarray | None
    class_names: tuple[str, ...]
    source: str

    def __len__(self):
        """Return the number of texts."""
        return len(self.texts)

    def __repr__(self):
        """Name size, classes and source."""
        known = "without labels" if self.labels is None else f"classes {', '.join(self.class_names)}"
        return f"Reviews({len(self):,} texts, {known}; {self.source})"
