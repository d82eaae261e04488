"""Texts as they were read, with or without labels, and the lines that are printed on the way."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...corpus import Corpus

IMDB_MIN_COUNT = 45  # leaves about as many words of IMDB's training reviews as the paper has (7,766)
KINDS = "CSV, TSV, TXT, JSON, JSONL or Parquet"
SENTIMENTS = ("negative", "positive")


class DataError(ValueError):
    """Data are missing, unreadable or wrong; the message names the file, the row and the remedy."""


class NotHereError(Exception):
    """A source that does not have what was asked for."""


@dataclass(frozen=True, eq=False, repr=False)
class Reviews:
    """Texts, their labels 0 ... K-1 (None where nobody knows them), the names of the classes, and the source, for people.

    Where a source was read, ``places`` names the row of each text there, and ``kept`` says of each row whether it was kept.
    """

    texts: list[str]
    labels: np.ndarray | None
    class_names: tuple[str, ...]
    source: str
    places: list[str] | None = None
    kept: np.ndarray | None = None

    def __len__(self):
        return len(self.texts)

    def __repr__(self):
        known = "without labels" if self.labels is None else f"classes {', '.join(self.class_names)}"
        return f"Reviews({len(self):,} texts, {known}; {self.source})"


@dataclass(frozen=True)
class Part:
    """What one source holds: texts, and their labels, None where there are none."""

    source: str
    texts: list
    labels: list | None = None
    rows: list | None = None  # their names, where they are files or lines
    note: str = ""  # from where they are counted
    parts: tuple = ()  # those that were joined

    def __post_init__(self):
        if self.labels is not None and len(self.labels) != len(self.texts):
            sizes = f"{len(self.texts):,} texts and {len(self.labels):,} labels"
            raise DataError(f"{self.source}: there are {sizes}; give one label per text")

    @property
    def name(self):
        """The source without its folder."""
        return os.path.basename(self.source)

    def where(self, row):
        """Name a row, counted from zero, for people."""
        part, row_there = self._place(row)
        name = part.rows[row_there] if part.rows else f"row {row_there + 1}"
        return f"{part.name} {name}" if self.parts else name

    def at(self, row):
        """Name source and row, as a message begins."""
        part, row_there = self._place(row)
        return f"{part.source}: {part.where(row_there)}{part.note}"

    def _place(self, row):
        """Return the part that holds a row, and its number there."""
        for part in self.parts:
            if row < len(part.texts):
                return part, row
            row -= len(part.texts)
        return self, row


def joined(source, parts):
    """Return several parts, one after another, as one; one alone as it is."""
    if len(parts) == 1:
        return parts[0]
    unlabelled = [part for part in parts if part.labels is None]
    if 0 < len(unlabelled) < len(parts):
        raise DataError(f"{unlabelled[0].source}: it has no labels, but others have some; give label=None for all")
    texts = list(chain.from_iterable(part.texts for part in parts))
    labels = None if unlabelled else list(chain.from_iterable(part.labels for part in parts))
    return Part(source, texts, labels, parts=tuple(parts))


def count(reviews, **options) -> Corpus:
    """Count the words of reviews; ``options`` are those of `corpus_from_texts`."""
    from ...text import corpus_from_texts  # here, since reading needs neither SciPy nor most of pyarrow

    return corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names, **options)


def tell(line):
    """Log a line at INFO; where logging is left as Python starts, which would drop it, print it."""
    logger = logging.getLogger("tokensel_nb")
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info(line)
    elif max(logger.level, logging.root.manager.disable) <= logging.INFO:
        print(line)


def refuse_missing(path):
    """Raise `FileNotFoundError` unless there is a file or folder of this name."""
    if os.path.isfile(path) or os.path.isdir(path):  # pathlib's questions raise an error where a name is too long
        return
    what = "it is neither file nor folder" if os.path.exists(path) else "there is no such file"
    hint = "; texts themselves are given as a pair (texts, labels) or (texts, None)" if " " in str(path) else ""
    from .checks import cut  # here, since few readers need it

    named = cut(str(path), 300) or "''"
    raise FileNotFoundError(f"{named}: {what}; give the path of a {KINDS} file, or of a folder{hint}")


def first_line(error):
    """Return the first line of an error's message, or the name of its class."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
