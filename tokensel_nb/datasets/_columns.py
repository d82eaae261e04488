"""Two columns of a table: CSV, TSV, JSONL or Parquet."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from ._sources import first_line, tell
from .reviews import DataError

NO_LABEL = ["", "NaN", "nan", "NA", "N/A", "null", "NULL", "<NA>"]


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
