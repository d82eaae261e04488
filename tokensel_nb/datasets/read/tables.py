"""Texts and labels as they stand in whatever holds them: files, folders, tables in memory, data sets of a library, lists."""

import os
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from ...support.checks import cut, first_few
from .files import of_path
from .part import Joined, Part, chosen
from .reviews import DataError, NotHereError

HUB = re.compile(r"hub:(?P<address>[\w.-]+(/[\w.-]+)?)(@(?P<revision>[\w.-]+))?(:(?P<split>.+))?")


def read(source, wanted, written):
    """Return what a source holds, as one part.

    Parameters
    ----------
    source : path, folder, table, data set, pair of texts and labels, or list of those
    wanted : Wanted
    written : Written

    Returns
    -------
    Part
    """
    found = _parts(source, wanted, written)
    if len(found) == 1:
        return found[0]
    return Joined(first_few((part.source for part in found), 1) if isinstance(source, (list, tuple)) else str(source), found)


def _parts(source, wanted, written):
    """Return what a source holds, part by part."""
    if isinstance(source, str) and source.startswith("hub:"):
        return [_of_hub(source, wanted)]
    if isinstance(source, (str, os.PathLike)):
        return of_path(Path(source), wanted, written)
    if isinstance(source, Mapping) and _is_table(next(iter(source.values()), None)):
        if len(source) > 1:
            raise DataError(f"the data set has the splits {', '.join(map(str, source))}; give one of them, as in data['train']")
        return _parts(*source.values(), wanted, written)
    if isinstance(source, Mapping) or _is_table(source):
        return [_of_table(source, wanted)]
    if not isinstance(source, (list, tuple)):
        raise DataError(
            f"{type(source).__name__}: texts are read from a path, a table, a data set, a pair (texts, labels) or (texts, None)"
        )
    if len(source) == 2 and not isinstance(source[0], (str, os.PathLike, Mapping)) and not _is_table(source[0]):
        return [_of_pair(*source, wanted)]
    if not source:
        raise DataError("the list of files is empty; give at least one")
    return list(chain.from_iterable(_parts(one, wanted, written) for one in source))


def _is_table(source):
    return hasattr(source, "column_names") or (hasattr(source, "columns") and hasattr(source, "__getitem__"))


def _of_hub(source, wanted):
    from .hub import split_of

    if not (asked := HUB.fullmatch(source)):
        raise DataError(f"{cut(source)}: a set on the hub is named as in hub:owner/name or hub:owner/name@revision:test")
    try:
        rows = split_of(asked["address"], asked["split"] or "train", asked["revision"])
    except NotHereError as error:
        raise DataError(f"{cut(source)} could not be had: {error}") from error
    return _of_table(rows, wanted, source)


def _of_table(table, wanted, source=None):
    """Read a DataFrame of any library, an Arrow table, a data set of the library datasets, or a dictionary of columns."""
    columns = next((getattr(table, name) for name in ("column_names", "columns") if hasattr(table, name)), None)
    source = source or f"the {type(table).__name__} given"
    columns = list(table) if columns is None else columns
    if not hasattr(table, "__len__"):
        raise DataError(f"{source} can only be gone through once; load it into memory, as with datasets.load_dataset")
    found = chosen(columns, wanted, source, source)
    values = [_values(table[column]) for column in found]
    names = getattr(getattr(table, "features", {}).get(found[1]), "names", None) if wanted.labelled else None
    if names:
        values[1] = [names[value] if value is not None and value >= 0 else None for value in values[1]]
    return Part(source, *values)


def _values(column):
    """Return a column as a list of Python's own values, None for what is missing."""
    if hasattr(column, "notna"):
        column = column.astype(object).where(column.notna(), None)
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column[:])


def _of_pair(texts, labels, wanted):
    source = "the lists given"
    texts = _values(texts)
    if labels is None or not wanted.labelled:
        if wanted.labelled and wanted.label_is_named:
            raise DataError(f"{source}: there are no labels; give them beside the texts")
        return Part(source, texts, None, _numbered(texts))
    return Part(source, texts, _values(labels), _numbered(texts))


def _numbered(texts):
    return [f"text {number}" for number in range(len(texts))]
