"""Texts as they were read, with labels or without, and what is said on the way."""

import logging
from dataclasses import dataclass

import numpy as np

from ...corpus.corpus import Corpus
from ...corpus.text import corpus_from_texts

IMDB_MIN_COUNT = 45
"""The minimum count that leaves about as many words of IMDB's training reviews as the paper has (7,766)."""

SENTIMENTS = ("negative", "positive")


class DataError(ValueError):
    """Data that are missing, unreadable or not what they should be; the message names the file, the row and the remedy."""


class NotHereError(Exception):
    """A source that does not have what was asked for."""


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


def count(reviews, **options) -> Corpus:
    """Count the words of reviews; ``options`` are those of `corpus_from_texts`."""
    return corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names, **options)


def tell(line):
    """Log a line; where logging is left as Python starts, which would drop it, print it.

    ``logging.getLogger("tokensel_nb").setLevel(logging.WARNING)`` silences it, ``logging.basicConfig(level=logging.INFO)``
    sends it where all other lines go.
    """
    logger = logging.getLogger("tokensel_nb")
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info(line)
    elif max(logger.level, logging.root.manager.disable) <= logging.INFO:
        print(line)


def first_line(error):
    """Return the first line of an error's message, or the name of its class."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
