"""A file of your own: CSV, TSV, JSONL or Parquet with a column of texts and one of labels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from ..corpus import Corpus
from .reviews import DataError, Reviews, count, first_line, tell

NO_LABEL = ["", "NaN", "nan", "NA", "N/A", "null", "NULL", "<NA>"]
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


def read_columns(path, text, label, encoding="utf-8"):
    """Return the written texts, the label of every row, and which rows have a text; each of those has a label."""
    table = _read_table(path, text, label, encoding)
    texts = table[text]
    written = texts.map(lambda value: isinstance(value, str) and bool(value.strip())).to_numpy(bool)
    if not written.all():
        tell(f"{path.name}: {(~written).sum():,} of {len(table):,} rows have an empty text and are dropped")
    if not written.any():
        raise DataError(f"{path}: column {text!r} holds no text at all; name the column that does")
    values = table[label].to_numpy(object)
    missing = pd.isna(values) & written
    if missing.any():
        raise DataError(f"{path}: row {missing.argmax() + 1} (without the header) has no label; fill it in or drop the row")
    return texts[written].to_list(), values, written


def _read_table(path, text, label, encoding):
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; give the path of a CSV, TSV, JSONL or Parquet file")
    try:
        chunks = list(tqdm(_chunks(path, label, encoding), desc=f"Reading {path.name}", unit="chunk", delay=2))
    except UnicodeError as error:
        raise DataError(f"{path}: its text is not {encoding} ({error}); give its encoding, for example 'latin-1'") from error
    except (ValueError, OSError, EOFError, pa.ArrowException) as error:  # pandas' own complaints are ValueErrors
        raise DataError(f"{path}: cannot be read ({first_line(error)}); mend or replace it") from error
    table = pd.concat(chunks, ignore_index=True) if chunks else pd.DataFrame()
    for column in (text, label):
        if column not in table.columns:
            raise DataError(f"{path}: there is no column {column!r}; it has {', '.join(map(repr, table.columns)) or 'none'}")
    return table


def _chunks(path, label, encoding):
    """Yield the file's rows, some tens of thousands at a time, so that progress can be seen."""
    kind = next((suffix for suffix in reversed(path.suffixes) if suffix not in (".gz", ".bz2", ".xz", ".zip")), "")
    if kind in (".csv", ".tsv"):
        options = dict(sep="," if kind == ".csv" else "\t", encoding=encoding, chunksize=20_000)
        # A review that reads "None" or "NA" is a text, a label that reads "NaN" is missing.
        yield from pd.read_csv(path, keep_default_na=False, na_values={label: NO_LABEL}, **options)
    elif kind in (".jsonl", ".ndjson"):
        yield from pd.read_json(path, lines=True, encoding=encoding, chunksize=20_000, dtype=False)
    elif kind == ".parquet":
        yield from (batch.to_pandas() for batch in pq.ParquetFile(path).iter_batches())
    else:
        raise ValueError(f"its name ends in {kind or 'nothing'!r}; .csv, .tsv, .jsonl and .parquet are known")


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
