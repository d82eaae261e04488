"""Labelled texts as they were read."""

from dataclasses import dataclass

import numpy as np

IMDB_MIN_COUNT = 45
"""The minimum count that leaves about as many words of IMDB's training reviews as the paper has (7,766)."""

SENTIMENTS = ("negative", "positive")


class DataError(ValueError):
    """Data that are missing, unreadable or not what they should be; the message names the file, the row and the remedy."""


@dataclass(frozen=True, eq=False, repr=False)
class Reviews:
    """Labelled texts as they were read.

    Parameters
    ----------
    texts : list of str, length n
    labels : ndarray of int64, shape (n,)
        0 ... K-1.
    class_names : tuple of str, length K
    source : str
        Where they came from, for people.
    """

    texts: list[str]
    labels: np.ndarray
    class_names: tuple[str, ...]
    source: str

    def __len__(self):
        """Return the number of texts."""
        return len(self.texts)

    def __repr__(self):
        """Name size, classes and source."""
        return f"Reviews({len(self):,} texts, classes {', '.join(self.class_names)}; {self.source})"
