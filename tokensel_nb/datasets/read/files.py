"""Texts and labels in files, whatever their kind, and in folders of them."""

import codecs
import io
import json
import lzma
import os
import re
import zipfile
import zlib
from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

from tqdm import tqdm

from .characters import beginning, bounded, decode, decoded, found_encoding, unpacked
from .checks import cut, first_few, shortened
from .columns import Wanted
from .dialects import SAMPLE, SEPARATORS, SKIP, layouts, whole
from .reviews import KINDS, DataError, Part, first_line, refuse_missing, tell

PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
SEPARATED = {".csv": SEPARATORS, ".tsv": "\t,;|", ".tab": "\t,;|"}
RECORDS = (".jsonl", ".ndjson", ".json")
FAST_TEXT = re.compile(r"__label__(\S+)[ \t]+(?!__label__)(.*)")


def of_path(path, wanted, written):
    """Return what a file or folder holds, part by part."""
    if os.path.isdir(path):  # pathlib's question raises an error where a name is too long
        return _of_folder(path, wanted, written)
    refuse_missing(path)
    return [_of_file(path, wanted, written)]


def _unreadable():
    """Return what reading raises; asked for only where it did, as pyarrow takes a tenth of a second to be imported."""
    from pyarrow import ArrowException

    return ValueError, OSError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, ArrowException


@contextmanager
def _named(path, encoding):
    """Say of what cannot be read which file it is, and why; ``encoding`` is the one that was given, None for none."""
    try:
        yield
    except DataError:
        raise
    except _unreadable() as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else cut(first_line(error), 300)
        sentence = f"cannot be read ({reason}); repair or replace it"
        if encoding is not None and isinstance(error, UnicodeError):
            sentence = f"its text is not {encoding} ({reason}); leave encoding out to have it detected"
        raise DataError(f"{path}: {sentence}") from error


def _of_file(path, wanted, written):
    kind = _kind(path)
    with _named(path, written.encoding):
        if beginning(path)[:4] == b"PAR1" or kind == ".parquet":
            return _parquet(path, wanted)
        opened = partial(decoded, path, *_encoding(path, written.encoding))
        if kind in RECORDS:
            return _of_records(path, opened, kind, wanted, written.skip_bad_rows)
        return _separated(path, opened, kind, wanted, written)


def _encoding(path, given):
    """Return the encoding of a file, and how to treat bytes that are not of it; say it where it is found and no Unicode."""
    encoding, errors = found_encoding(partial(unpacked, path)) if given is None else (given, "strict")
    if given is None and (errors != "strict" or not encoding.startswith("utf")):
        also = ", but for a few bytes, which are read as cp1252" if errors == "cp1252" else ""
        tell(f"{path.name}: its encoding was detected as {encoding}{also}; encoding=... overrides it")
    same = "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding  # with or without a byte order mark
    return same, errors


def _parquet(path, wanted):
    from pyarrow.parquet import read_schema

    columns = wanted.chosen(read_schema(path).names, path, path.name)
    table = _table(path, columns)
    return Part(str(path), *(table[column].to_pylist() for column in columns))


def _table(path, columns=None):
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(path)
    deque(bounded(file.iter_batches(1000, columns=columns), path, lambda batch: batch.nbytes), maxlen=0)
    return file.read(columns)


def _of_records(path, opened, kind, wanted, lenient):
    """Read JSON Lines, a JSON list of records, a JSON object of columns, or one that holds one of these under one name."""
    bad = [] if lenient else None
    with opened() as file:
        try:
            table = _lines_of_json(file, bad) if kind != ".json" else json.load(file)
        except json.JSONDecodeError as error:
            if kind != ".json" or error.msg != "Extra data":
                raise
            file.seek(0)
            table = _lines_of_json(file, bad)
    _tell_skipped(path.name, bad)
    if isinstance(table, dict) and not _is_of_columns(table, wanted):
        table = _only_list(table)
    if isinstance(table, dict):  # pandas writes columns so, each a list or a dictionary by row
        columns = {name: list(column.values()) if isinstance(column, dict) else column for name, column in table.items()}
    else:
        columns = columns_of(table)
    return Part(str(path), *(columns[column] for column in wanted.chosen(columns, path, path.name)))


def _tell_skipped(name, bad):
    """Say how many rows are left out, and of the first few, in which lines they are and why."""
    if bad:
        tell(f"{name}: malformed rows left out: {len(bad):,} ({first_few(f'line {line}: {why}' for line, why in bad)})")


def _lines_of_json(file, bad):
    """Return the value of each line; one that is not JSON goes to a list of ``bad`` ones, if there is such."""
    rows = []
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                rows.append(json.loads(line.removeprefix("\ufeff")))
            except ValueError as error:
                if bad is None:
                    raise ValueError(f"line {number} is not JSON: {first_line(error)}{SKIP}") from error
                bad.append((number, "not JSON"))
    return rows


def _is_of_columns(table, wanted):
    """Tell whether the values of an object are columns, as many as are wanted, and not a table beside other things."""
    if len(table) == 1:
        return not wanted.labelled
    return all(isinstance(column, (list, dict)) for column in table.values())


def _only_list(table):
    """Return the one list of an object that holds the table beside other things."""
    lists = [value for value in table.values() if isinstance(value, list)]
    if len(lists) != 1:
        raise ValueError(f"it is an object with {len(lists)} lists; give a list of records, or an object of columns")
    return lists[0]


def columns_of(records):
    """Return the columns of a list of records; what a record does not name is None."""
    if not isinstance(records, list) or not records:
        raise ValueError("it holds no records")
    for number, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise ValueError(f"record {number} is {shortened(record)}; each must be an object with names")
    names = dict.fromkeys(chain.from_iterable(records))
    return {name: [record.get(name) for record in records] for name in names}


def _separated(path, opened, kind, wanted, written):
    """Read rows of separated cells, or, where a text file has none, a text a line."""
    with opened() as lines:
        start = lines.read(SAMPLE) + lines.readline()
        goes_on = len(lines.read(1)) > 0
    if re.match(r'\s*(\[\s*)?\{\s*"', start):
        return _of_records(path, opened, ".json", wanted, written.skip_bad_rows)
    sample = list(io.StringIO(start, newline=""))
    above = next((number for number, line in enumerate(sample[:9]) if _names_columns(line, wanted)), 0)
    if said := re.fullmatch(r"sep=(.)\s*", sample[0]) if sample else None:  # as Excel writes it above the names
        above, written = max(above, 1), replace(written, sep=written.sep or said[1])
    elif "".join(sample[:above]).strip():
        tell(f"{path.name}: lines above the names of its columns, left out: {above}")
    sample = [line for line in sample[above:] if line.strip()]
    if not sample:
        raise ValueError("it is empty")
    if kind not in SEPARATED and written.sep is None and not _is_separated(path, sample, wanted):
        return _plain_lines(path, opened, wanted)
    candidates = layouts(sample, goes_on, written, SEPARATED.get(kind, "\t,;|"), wanted)
    if not candidates:
        raise ValueError("its first row has a quote that is not closed; give quotechar='' if quotes are part of the text")
    cells, columns, layout, bad = whole(candidates, opened, above, wanted, path)
    _tell_skipped(path.name, bad)
    if not cells[0]:
        raise DataError(f"{path}: it has column names and no rows; get the whole file, or give header=False")
    wanted.announce(path.name, columns, layout.headed)
    guessed = layout.headed and written.header is None and not Wanted().known(columns)
    if guessed and int in (type(wanted.text), type(wanted.label)):
        names = ", ".join(filter(None, layout.columns))
        tell(f"{path.name}: its first row names the columns: {names}; header=False reads it as a text")
    return Part(str(path), *cells, note=" (without the header)" if layout.headed else "")


def _names_columns(line, wanted):
    """Tell whether a line names a column of texts and one of labels, so that those above it are titles or comments."""
    rows = [[cell.strip().strip("\"'") for cell in line.split(sep)] for sep in SEPARATORS]
    return any(asked.known(names) == 2 for names in rows for asked in (wanted, Wanted()))


def _is_separated(path, sample, wanted):
    """Tell whether the lines of a text file are rows of a table, and not each a text."""
    if wanted.text is not None or wanted.label_is_named:
        return True
    if all(FAST_TEXT.match(line) for line in sample):
        return False
    if any(wanted.known(cell.strip().strip("\"'") for cell in sample[0].split(sep)) for sep in SEPARATORS):
        return True
    if wanted.labelled and not all("\t" in line for line in sample):
        raise DataError(f"{path}: it holds one text per line and no labels; give label=None, or sep= if it is a table")
    return wanted.labelled


def _plain_lines(path, opened, wanted):
    """Read a text a line; in fastText's form, "__label__good What a film", its label stands before it."""
    with opened() as file:
        lines = [line.rstrip("\r\n") for line in file]
    rows = [f"line {number}" for number in range(1, len(lines) + 1)]
    matches = [FAST_TEXT.match(line) for line in lines]
    if not any(matches):
        return Part(str(path), lines, None, rows)
    for name, line, match in zip(rows, lines, matches):
        if match is None and line.strip():
            raise ValueError(f"{name} does not begin with one __label__, as the first does")
    texts = [match[2] if match else "" for match in matches]
    return Part(str(path), texts, [match and match[1] for match in matches] if wanted.labelled else None, rows)


def _of_folder(path, wanted, written):
    """Read a folder: one that holds a folder of .txt files for each class, one of tables, or one of .txt files."""
    inside = sorted(entry for entry in path.iterdir() if not entry.name.startswith((".", "__MACOSX")))
    folders = [entry for entry in inside if entry.is_dir()]
    deeper = [folder.name for folder in folders if next(folder.glob("*/*.txt"), None)]
    classes = [folder for folder in folders if folder.name not in deeper and next(folder.glob("*.txt"), None)]
    tables = [file for file in inside if file.is_file() and _kind(file) in (*SEPARATED, *RECORDS, ".parquet")]
    if classes:
        if wanted.text is not None or wanted.label_is_named:
            raise DataError(f"{path}: its folders are the classes; leave text and label out, or give label=None")
        tell(f"{path.name}: its folders are the classes: {', '.join(folder.name for folder in classes)}")
        return [_texts_of_files(folder, folder.name if wanted.labelled else None, written) for folder in classes]
    if tables:
        return [_of_file(file, wanted, written) for file in tables]
    if next(path.glob("*.txt"), None):
        if wanted.labelled:
            raise DataError(f"{path}: its texts have no labels; put each class into a folder of its own, or give label=None")
        return [_texts_of_files(path, None, written)]
    if deeper:
        raise DataError(f"{path}: it holds the folders {', '.join(deeper)}; give one of them, as '{path / deeper[0]}'")
    raise DataError(f"{path}: the folder holds no texts; it needs a folder of .txt files for each class, or {KINDS} files")


def _kind(path):
    return next((suffix for suffix in reversed(path.suffixes) if suffix.lower() not in PACKED), "").lower()


def read_probabilities(path, reviews):
    """Return a file's table of probabilities, which has a row for each row of texts, without the rows that were not kept."""
    from pyarrow.csv import read_csv

    refuse_missing(path)
    with _named(path, None):
        beginning(path)
        table = (_table if _kind(path) == ".parquet" else read_csv)(path).to_pandas()
    if len(table) != (rows := len(reviews.kept)):
        raise DataError(f"{path}: it has {len(table):,} rows, and the texts have {rows:,}; give one for each, left out or not")
    return table[reviews.kept].set_axis(reviews.places)


def _texts_of_files(folder, label, written):
    """Read a folder of .txt files, each a text."""
    paths = sorted(folder.glob("*.txt"))
    texts = []
    for path in tqdm(paths, desc=f"Reading {folder}", unit="file", delay=2):
        with _named(path, written.encoding):
            data = path.read_bytes()
            texts.append(data.decode(written.encoding) if written.encoding else decode(data))
    return Part(str(folder), texts, None if label is None else [label] * len(texts), [path.name for path in paths])
