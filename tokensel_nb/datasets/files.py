"""CSV and Parquet files with a column of texts and one of labels."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from .reviews import DataError, NotHereError


def read_csv(file, text, encoding="utf8", delimiter=","):
    """Return the columns of a CSV file as lists, sooner than pandas is imported; ``text`` is text, whatever it holds."""
    reading = csv.ReadOptions(encoding=encoding)
    parsing = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    return csv.read_csv(file, reading, parsing, csv.ConvertOptions(column_types={text: pa.string()})).to_pydict()


def own_columns(name, text, label):
    """Return the folder that the user names, and two columns of ``name.parquet`` or ``name.csv`` (or .tsv, .csv.gz) in it."""
    if "TOKENSEL_DATA" not in os.environ:
        raise NotHereError("TOKENSEL_DATA is not set")
    folder = Path(os.environ["TOKENSEL_DATA"])
    if not folder.is_dir():
        raise DataError(f"TOKENSEL_DATA={folder} is not a folder; name one that exists, or unset it")
    kinds = ("parquet", "csv", "csv.gz", "tsv")
    path = next((path for kind in kinds if (path := folder / f"{name}.{kind}").is_file()), None)
    if path is None:
        raise NotHereError(f"{folder} holds no {name}.csv or {name}.parquet")
    try:
        columns = _columns(path, text)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}; give a CSV file in UTF-8, or a Parquet file") from error
    if missing := {text, label} - columns.keys():
        raise DataError(f"{path}: there is no column {missing.pop()!r}; it has {', '.join(map(repr, columns))}")
    if None in columns[text] or None in columns[label]:
        raise DataError(f"{path}: a text or a label is missing; leave its row out")
    return folder, columns[text], columns[label]


def _columns(path, text):
    if path.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(path).to_pydict()
    return read_csv(path, text, delimiter="\t" if path.suffix == ".tsv" else ",")
