"""Your own texts, with or without labels: files, folders, DataFrames, data sets and lists."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import compress
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from .checks import CheckedOptions, changed, first_few, listed, option, shortened
from .columns import FOUND, Wanted
from .labels import as_label, classified, tell_dropped
from .reviews import DataError, Reviews, count, tell
from .tables import read

if TYPE_CHECKING:
    from ...corpus import Corpus

ESCAPE = r"""(?<!\\)\\([nrt"'])"""
ENTITY = r"&(?:#\d+|#[xX][0-9a-fA-F]+|\w+);"  # with its semicolon: "rock&regular" is none
ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'"}


def load_reviews(source, text=None, label="auto", **options) -> Corpus:
    r"""Count the words of your own texts, as in ``load_reviews("mine.csv", text="review", label="stars", min_count=5)``.

    Parameters
    ----------
    source, text, label
        See `read_reviews`; labels are needed here.
    **options
        How to read: see `read_reviews`. Which words are known, and what a word is: ``min_count``, ``max_words``,
        ``tokenizer``, ``vocabulary`` of `corpus_from_texts`. A test set is read with the training set's ``vocabulary`` and
        ``class_names``.

    Returns
    -------
    Corpus

    Raises
    ------
    FileNotFoundError, DataError, ValueError
        The message names the file, the row or the argument, and the remedy.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> train = ts.load_reviews((["good film", "bad film", "good"], ["up", "down", "up"]))
    >>> train
    Corpus(3 texts, 3 words, 5 tokens; down: 1, up: 2)
    >>> ts.load_reviews((["a good one"], ["up"]), vocabulary=train.vocabulary, class_names=train.class_names)
    the lists given: no text of the class 'down'
    Corpus(1 texts, 3 words, 1 tokens; down: 0, up: 1)
    """
    if label is None:
        raise ValueError("label=None; words are counted by label here, so name its column, or use read_reviews for the texts")
    reading = {option.name: options.pop(option.name) for option in fields(Reading) if option.name in options}
    reviews = read_reviews(source, text, label, **reading)
    if reviews.labels is None:
        raise DataError(f"{reviews.source}: there are no labels; give them beside the texts")
    return count(reviews, **options)


def mended(text):
    r"""Return a text without what its way through files left: a backslash and an n for a line break, ``&amp;`` for &."""
    if "\\" in text:
        text = re.sub(ESCAPE, lambda escape: ESCAPED[escape[1]], text)
    return re.sub(ENTITY, lambda entity: html.unescape(entity[0]), text) if "&" in text else text


def _one_character(name, value):
    if not isinstance(value, str) or value in ("\r", "\n") or (len(value) != 1 and (name, value) != ("quotechar", "")):
        raise ValueError(f"{name}={shortened(value)}; give one character{', or none if nothing is quoted' * (name != 'sep')}")
    return value


def _encoding(name, value):
    try:
        "".encode(value)
    except (LookupError, TypeError, ValueError):
        raise ValueError(f"{name}={shortened(value)} is unknown to Python; leave it out to have it detected") from None
    return value


@dataclass(frozen=True)
class Reading(CheckedOptions):
    """How `read_reviews` reads: its options, checked once; None is found out."""

    sep: str | None = option(None, _one_character)
    quotechar: str | None = option(None, _one_character)
    header: bool | None = None
    encoding: str | None = option(None, _encoding)
    skip_bad_rows: bool = False
    classes: dict | Callable | None = None
    class_names: Sequence | None = option(None, listed)
    drop_duplicates: bool = False
    clean: Callable[[str], str] = mended


def read_reviews(source, text=None, label="auto", **options) -> Reviews:
    r"""Read your own texts, with or without labels, and print what was found in them.

    Separator, quotes, names of columns and encoding are detected where you don't give them. A line says which encoding was
    used if it isn't UTF-8. Separators at the end of rows make no columns, and lines above the names of columns are left out.

    Parameters
    ----------
    source : path, table, pair of lists, or list of sources
        A CSV, TSV, JSON, JSONL, Parquet or text file, which may be packed (.gz, .bz2, .xz, .zst, .zip). A text file holds
        a table, one text per line, or fastText's form. A folder of such tables, or with a folder of .txt files for each
        class, as in aclImdb/train. A set on the Hugging Face hub, as ``"hub:owner/name"``, whose split is train and whose
        revision is the newest, unless ``"hub:owner/name@revision:test"`` names others. A DataFrame, an Arrow table, a split
        of the library datasets, a dictionary of columns, a list of records. A pair ``(texts, labels)`` or
        ``(texts, None)``. A list of these.
    text : str or int, optional
        Column of the texts: its name, or its number from 0. By default the one whose name says so (text, review, sentence,
        comment, ...); without names, the one with most characters.
    label : str or int, or None
        Column of the labels. By default the one whose name says so (label, class, stars, sentiment, ...); without names, the
        one other column, or the one with a few values that recur. None for new texts, which have no labels.
    **options
        How a table is written: ``sep`` and ``quotechar``, one character each (``quotechar=""`` where quotes are a part of
        the text); ``header``, whether the first row holds the names of the columns; ``encoding``, as Python names it;
        ``skip_bad_rows``, whether to leave out rows that are too wide, too narrow or broken, and say where they are.
        ``classes``: a dictionary or function from a label to the name of its class, None to drop its rows; equal names
        merge, as in ``classes={"Pos": "pos", "neutral": None}``. Labels that a dictionary does not name stay, its key ""
        stands for missing labels, and "unsup", by which aclImdb means texts that have none, is dropped unless it is named.
        ``class_names``: the names of the classes 0 ... K-1, in order; by default all that occur, sorted. Give the training
        set's when you read a test set: it may then lack some. 1, 1.0, "1" and "1.0" name the same class.
        ``drop_duplicates``: whether to drop a text that was there before with the same label; otherwise a line says how many
        there are. ``clean``: a function from a text to the text that is kept. By default line breaks, tabs and quotes that
        were written as a backslash and a letter, and entities of HTML such as ``&amp;``, become themselves again, and a line
        says in how many texts; ``str`` leaves all as they are.

    Returns
    -------
    Reviews
        Without labels (None) for ``label=None`` and for a pair ``(texts, None)``. Rows with an empty text are dropped, texts
        that occur with two labels stay, and a line says how many.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    DataError
        If the source cannot be read, or unpacks to more than 16 MB and a hundred times its size; it is not clear which column
        is meant, a row is too wide or too narrow, a label is missing or none of ``class_names``, labels mix numbers and words,
        or there is only one class.
    TypeError
        If texts or labels have no order, as a set or a dictionary, or are one string.
    ValueError
        If an option doesn't exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tokensel_nb as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("stars;review\n5;good, really\n1;bad\n3;so so\n4;fine\n2;poor\n")
    ...     reviews = ts.read_reviews(path, classes={1: "low", 2: "low", 3: None, 4: "high", 5: "high"})
    mine.csv: texts from column 'review' and labels from column 'stars'
    mine.csv: 1 of 5 rows has a label that classes drops and is dropped
    >>> reviews.texts, reviews.labels.tolist(), reviews.class_names
    (['good, really', 'bad', 'fine', 'poor'], [0, 1, 0, 1], ('high', 'low'))
    >>> ts.read_reviews((["new text"], None))
    Reviews(1 texts, without labels; the lists given)
    """
    how = changed(Reading(), options)
    part = read(source, Wanted(text, label), how)
    texts = _texts(part, how.clean)
    kept = [row for row, text in enumerate(texts) if text.strip()]
    tell_dropped(len(texts) - len(kept), len(texts), "an empty text", part.name)
    if not kept:
        raise DataError(f"{part.source}: there is no text at all; name the column that holds the texts")
    codes, names = np.zeros(len(kept), np.int64), ()
    if part.labels is not None:
        kept, codes, names = classified(part, kept, how, named=label != FOUND)
    repeated = _tell_repeated(part, texts, kept, codes, how.drop_duplicates)
    if how.drop_duplicates:
        kept, codes = list(compress(kept, ~repeated)), codes[~repeated]
    codes, places = None if part.labels is None else codes, list(map(part.where, kept))
    return Reviews([texts[row] for row in kept], codes, tuple(names), part.source, places, np.isin(range(len(texts)), kept))


def _texts(part, clean):
    """Return the texts, cleaned; an empty one where there is none."""
    texts = [text if isinstance(text, str) else _as_text(part, row) for row, text in enumerate(part.texts)]
    if any(texts) and not any(isinstance(text, str) for text in part.texts):
        raise DataError(f"{part.source}: its texts are numbers, such as {texts[0]}; name the column that holds the texts")
    cleaned = [_cleaned(text, clean) for text in texts]
    changes = sum(after != before for after, before in zip(cleaned, texts))
    if changes and clean is mended:
        tell(f"{part.name}: texts with line breaks as \\n or signs as &amp;: {changes:,}, restored; clean=str leaves them")
    return cleaned


def _as_text(part, row):
    value = part.texts[row]
    if value is None or value != value:
        return ""
    if isinstance(value, Real):
        return as_label(value)
    raise DataError(f"{part.at(row)} holds {shortened(value)}, a {type(value).__name__}; a text is a string")


def _cleaned(text, clean):
    """Return a text as ``clean`` returns it, with the sign for what cannot be read in the place of halves of characters."""
    text = clean(text)
    if not isinstance(text, str):
        raise ValueError(f"clean returns {shortened(text)}; it must return a string")
    if text.isascii() or not re.search("[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tell_repeated(part, texts, kept, codes, dropped):
    """Say which texts occur again, with the same label or with another; return which rows repeat one before them."""
    rows_of = {}  # of each text: its classes, each with its first row
    repeated = np.zeros(len(kept), bool)
    for number, (row, code) in enumerate(zip(kept, codes.tolist())):
        repeated[number] = rows_of.setdefault(texts[row], {}).setdefault(code, row) != row
    if repeated.any():
        outcome = "dropped" if dropped else "kept; drop_duplicates=True drops them"
        places = first_few(part.where(row) for row in compress(kept, repeated))
        tell(f"{part.name}: texts that repeat an earlier one with its label: {repeated.sum():,} ({places}), {outcome}")
    disputed = [list(rows.values()) for rows in rows_of.values() if len(rows) > 1]
    if disputed:
        places = first_few(" and ".join(map(part.where, rows)) for rows in disputed)
        tell(f"{part.name}: texts that occur with two labels: {len(disputed):,} ({places}), kept")
    return repeated
