"""Texts as they were read, with or without labels, and the lines printed while reading."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..corpus import Corpus

IMDB_MIN_COUNT = 45  # leaves about as many words of IMDB's training reviews as the paper has (7,766)
SENTIMENTS = ("negative", "positive")


class DataError(ValueError):
    """Data are missing, unreadable or wrong; the message names the file or row and says what to do."""


class NotHereError(Exception):
    """A source doesn't have the requested data."""


@dataclass(frozen=True, eq=False, repr=False)
class Reviews:
    """Texts as they were read, with their labels if they have any.

    Parameters
    ----------
    texts : list of str
    labels : ndarray of int64, shape (n,), or None
        From 0 to K-1.
    class_names : tuple of str, length K
    source : str
        Where they come from, as shown to people.
    rows : ndarray of int64, shape (n,), optional
        The row of every text in the table that was read, counted from 0.
    number : int, optional
        The number of rows of that table.
    names : ndarray of str, shape (n,), optional
        What people call every text: its key, or its line in the file.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> reviews = ts.Reviews(["good film", "slow", "bad"], np.array([1, 0, 0]), ("no", "yes"), "new.csv")
    >>> reviews, reviews[:2], reviews[reviews.labels == 0].texts
    (Reviews(3 texts, classes no, yes; new.csv), Reviews(2 texts, classes no, yes; new.csv), ['slow', 'bad'])
    >>> ts.Reviews(["good film", "slow"], None, (), "new.csv", rows=[0, 2], number=4).on_rows(["up", "down"])
    ['up', '', 'down', '']
    """

    texts: list[str]
    labels: np.ndarray | None
    class_names: tuple[str, ...]
    source: str
    rows: np.ndarray | None = None
    number: int | None = None
    names: np.ndarray | None = None

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, rows):
        """Return the texts that a slice, a mask or an array of indices selects."""
        picked = np.atleast_1d(np.arange(len(self))[rows])
        parts = {name: getattr(self, name) for name in ("labels", "rows", "names")}
        parts = {name: None if part is None else np.asarray(part)[picked] for name, part in parts.items()}
        return replace(self, texts=[self.texts[place] for place in picked], **parts)

    def __repr__(self):
        known = "without labels" if self.labels is None else f"classes {', '.join(self.class_names)}"
        return f"Reviews({len(self):,} texts, {known}; {self.source})"

    def on_rows(self, values, missing="") -> list:
        """Return a value for every row of the source: the given one of its text, or ``missing`` if the row was left out."""
        value_of = dict(zip(range(len(self)) if self.rows is None else map(int, self.rows), values, strict=True))
        return [value_of.get(row, missing) for row in range(len(self) if self.number is None else self.number)]


def count(reviews, **options) -> Corpus:
    """Count the words of reviews; ``options`` are those of `corpus_from_texts`."""
    from ..text import corpus_from_texts  # imported here: reading needs neither SciPy nor most of pyarrow

    return corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names, **options)


def log_or_print(line):
    """Log a line at INFO, or print it if logging is not configured and would drop it."""
    logger = logging.getLogger("tokensel_nb")
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info(line)
    elif max(logger.level, logging.root.manager.disable) <= logging.INFO:
        print(line)
