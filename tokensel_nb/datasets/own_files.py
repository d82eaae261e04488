"""A file of your own: CSV, TSV, JSONL or Parquet with a column of texts and one of labels."""

from pathlib import Path

import numpy as np

from ..corpus import Corpus
from ._columns import read_columns
from ._sources import count
from .reviews import DataError, Reviews

MOST_CLASSES = 20  # more different labels than this are probably not labels


def load_reviews(path, text="text", label="label", *, class_names=None, encoding="utf-8", **options) -> Corpus:
    r"""Count the words of a file of your own, as in ``load_reviews("mine.csv", text="review", label="stars", min_count=5)``.

    Parameters
    ----------
    path : path
        A .csv, .tsv, .jsonl or .parquet file; the first three may be compressed (.gz, .bz2, .xz, .zip).
    text, label : str
        Names of the columns. Rows with an empty text are dropped, and a line says how many.
    class_names : sequence, optional
        The label values in the order of the classes 0 ... K-1; by default all that occur, sorted.
    encoding : str
        Of the CSV, TSV or JSONL file.
    **options
        Which words are known, and what a word is: ``min_count``, ``max_words``, ``lowercase``, ``separators``,
        ``tokenizer``, ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus

    Raises
    ------
    FileNotFoundError, DataError, ValueError
        One sentence that names the file, the row or the argument, and the remedy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tokensel_nb as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("review,stars\ngood film,5\nbad film,1\n")
    ...     ts.load_reviews(path, text="review", label="stars")
    Corpus(2 texts, 3 words, 4 tokens; 1: 1, 5: 1)
    """
    return count(read_reviews(path, text, label, class_names=class_names, encoding=encoding), **options)


def read_reviews(path, text="text", label="label", *, class_names=None, encoding="utf-8") -> Reviews:
    r"""Read labelled texts from a CSV, TSV, JSONL or Parquet file.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl or .parquet; the first three may be compressed (.gz, .bz2, .xz, .zip).
    text, label : str
        Names of the columns. Rows with an empty text are dropped, and a line says how many.
    class_names : sequence, optional
        The label values in the order of the classes 0 ... K-1; by default all that occur, sorted.
    encoding : str
        Of the CSV, TSV or JSONL file.

    Returns
    -------
    Reviews

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If the file cannot be read, a column or a label is missing, a label is none of ``class_names``, or there is only
        one class.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tokensel_nb as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.jsonl")
    ...     _ = path.write_text('{"text": "good film", "label": "up"}\n{"text": "bad film", "label": "down"}\n')
    ...     reviews = ts.read_reviews(path)
    >>> reviews.labels.tolist(), reviews.class_names
    ([1, 0], ('down', 'up'))
    """
    path = Path(path)
    texts, values, written = read_columns(path, text, label, encoding)
    labels, names = _labels(path, values, written, class_names)
    return Reviews(texts, labels, names, str(path))


def _labels(path, values, written, class_names):
    """Return the labels of the written rows as numbers, and the names of the classes."""
    kept = [int(value) if isinstance(value, float) and value.is_integer() else value for value in values[written]]
    classes = list(class_names) if class_names is not None else sorted(set(kept), key=_number_first)
    if len(classes) < 2:
        raise DataError(f"{path}: every label is {classes[0]!r}; two classes are needed at least")
    if class_names is None and len(classes) > MOST_CLASSES:
        raise DataError(f"{path}: {len(classes):,} different labels; name the right column, or list them in class_names")
    number = {value: i for i, value in enumerate(classes)}
    codes = np.array([number.get(value, -1) for value in kept])
    if (codes < 0).any():
        first = (codes < 0).argmax()
        row = np.flatnonzero(written)[first] + 1
        raise DataError(f"{path}: row {row} (without the header) has the label {kept[first]!r}; it must be one of {classes}")
    if len(set(codes.tolist())) < 2:
        raise DataError(f"{path}: every label is {kept[0]!r}; two classes are needed at least")
    return codes, tuple(map(str, classes))


def _number_first(value):
    return (isinstance(value, str), value if isinstance(value, str) else float(value))
