"""Texts and labels as they stand in whatever holds them: files, folders, tables in memory, data sets of a library, lists."""

import os
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Real
from pathlib import Path

from .checks import cut, first_few, listed
from .files import columns_of, of_path
from .reviews import DataError, NotHereError, Part, joined

HUB = re.compile(r"hub:(?P<address>[\w.-]+(/[\w.-]+)?)(@(?P<revision>[\w.-]+))?(:(?P<split>.+))?")


def read(source, wanted, written):
    """Return what a source, or a list of sources, holds as one part."""
    try:
        parts = _parts(source, wanted, written)
    except RecursionError as error:
        raise DataError("the list given holds itself; give a list of sources") from error
    several = isinstance(source, (list, tuple))
    return joined(first_few((part.source for part in parts), 1) if several else str(source), parts)


def _parts(source, wanted, written):
    """Return what a source holds, part by part."""
    if isinstance(source, str) and source.startswith("hub:"):
        return [_of_hub(source, wanted)]
    if isinstance(source, (str, os.PathLike)):
        return of_path(source and Path(source), wanted, written)
    if isinstance(source, Mapping) and _is_table(next(iter(source.values()), None)):
        if len(source) > 1:
            raise DataError(f"the data set has the splits {', '.join(map(str, source))}; give one of them, as in data['train']")
        return _parts(*source.values(), wanted, written)
    records = source if isinstance(source, list) else [source]
    if all(isinstance(record, Mapping) for record in records) and any(map(_is_record, records)):
        return [_of_table(columns_of(records), wanted, "the records given")]
    if isinstance(source, Mapping) or _is_table(source):
        return [_of_table(source, wanted, f"the {type(source).__name__} given")]
    if not isinstance(source, (list, tuple)):
        sources = "a path, a table, a data set, a pair (texts, labels) or (texts, None)"
        raise DataError(f"{type(source).__name__}: texts are read from {sources}")
    if len(source) == 2 and not isinstance(source[0], (str, os.PathLike, Mapping)) and not _is_table(source[0]):
        return [_of_pair(*source, wanted)]
    if not source:
        raise DataError("the list of files is empty; give at least one")
    return list(chain.from_iterable(_parts(member, wanted, written) for member in source))


def _is_record(source):
    """Tell whether a dictionary is a row, as JSON has them, and does not hold columns."""
    return any(isinstance(value, (str, Real)) for value in source.values())


def _is_table(source):
    return hasattr(source, "column_names") or (hasattr(source, "columns") and hasattr(source, "__getitem__"))


def _of_hub(source, wanted):
    from .hub import split_of

    if not (asked := HUB.fullmatch(source)):
        raise DataError(f"{cut(source)}: a set on the hub is named as in hub:owner/name or hub:owner/name@revision:test")
    try:
        rows = split_of(asked["address"], asked["split"] or "train", asked["revision"])
    except NotHereError as error:
        raise DataError(f"{cut(source)} could not be loaded: {error}") from error
    return _of_table(rows, wanted, source)


def _of_table(table, wanted, source):
    """Read a DataFrame of any library, an Arrow table, a data set of the library datasets, or a dictionary of columns."""
    if not hasattr(table, "__len__"):
        raise DataError(f"{source} can be iterated only once; load it into memory, as with datasets.load_dataset")
    names = next((getattr(table, name) for name in ("column_names", "columns") if hasattr(table, name)), table)
    columns = wanted.chosen(names, source, source)
    values = [_values(str(column), table[column]) for column in columns]
    class_names = getattr(getattr(table, "features", {}).get(columns[1]), "names", None) if wanted.labelled else None
    if class_names:
        values[1] = [class_names[code] if code is not None and code >= 0 else None for code in values[1]]
    return Part(source, *values)


def _values(name, column):
    """Return a column as a list of Python's own values, None for what is missing."""
    if hasattr(column, "notna"):
        column = column.astype(object).where(column.notna(), None)
    method = next((method for method in ("to_pylist", "to_list", "tolist") if hasattr(column, method)), None)
    column = getattr(column, method)() if method else column
    return listed(name, column[:] if isinstance(column, Sequence) else column, "values")  # a slice is read in one piece


def _of_pair(texts, labels, wanted):
    source = "the lists given"
    if labels is None and wanted.label_is_named:
        raise DataError(f"{source}: there are no labels; give them beside the texts")
    texts = _values("texts", texts)
    labels = _values("labels", labels) if labels is not None and wanted.labelled else None
    return Part(source, texts, labels, [f"text {number}" for number in range(len(texts))])
