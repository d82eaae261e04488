"""Your own texts, with or without labels, from files, tables, lists and the Hugging Face hub."""

import csv
import io
import os
import re
import warnings
from collections import Counter

import numpy as np
import pandas as pd
from pandas.io.common import get_handle  # opens whatever pandas opens: packed files, addresses

from tokensel_nb.datasets.hub import split_of
from tokensel_nb.datasets.reviews import DataError, NotHereError, Reviews, log_or_print

from .encoding import decoded

# Names of columns, as `_plain` writes them, that say that the column holds texts or labels.
TEXT = "(review|comment|tweet)?text|texts|(review)?body|(review|sentence|comment)s?|phrase|content|tweet|message"
TEXT += "|utterance|document|sms|post|article"
LABEL = "label(s|text)?|stars?|(star)?ratings?|class(es)?|category|sentiment|polarity|overall|target|score|intent|emotion|topic"
KNOWN = {"text": TEXT, "label": LABEL}
LISTS = "the lists"
BEFORE = "\ufeff\r\n"  # what may stand before a table
LONE_QUOTE = r'(?m)(?:^|\t)"(?![^\t\n]*"\r?(?:\t|$))'  # it opens a cell and is never closed there
PANDAS = 'or read it with pandas (read_csv(names=[...]), read_json(orient="index"), read_excel) and give the DataFrame'
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
PROBABILITIES = (
    "write it by chances = cross_val_predict(model, texts, labels, method='predict_proba', cv=StratifiedKFold(5, shuffle=True, "
    "random_state=0)); pd.DataFrame(chances, columns=np.unique(labels)).to_csv('theirs.csv', index=False)"
)


class NoColumnError(DataError):
    """A table has no column of the kind that was asked for."""


def read_reviews(
    source,
    text=None,
    label="auto",
    *,
    sep=None,
    encoding=None,
    skip_bad_rows=False,
    classes=None,
    class_names=None,
    id=None,
) -> Reviews:
    r"""Read your own texts, with or without labels, and print which columns were used and which rows were left out.

    Texts are not changed. Rows are left out that have no text, that repeat the names of the columns, or whose label is
    missing: empty, or what pandas takes for missing in a CSV file, such as None, NaN or n/a.

    Parameters
    ----------
    source : path, table or list
        A CSV, TSV, JSON, JSON Lines or Parquet file, compressed or not, or its URL; an Excel file if openpyxl is installed. A
        DataFrame, a table that has ``to_pandas``, such as a split of the library datasets, or a bunch of scikit-learn. A pair
        of lists ``(texts, labels)`` or ``(texts, None)``, or a list of tuples ``(text, label)``. A data set on the Hugging
        Face hub, as ``"hub:owner/name"`` (the newest revision's split "train") or ``"hub:owner/name@revision:test"``.
    text, label : str or int, optional
        Columns of the texts and of the labels: a name, or a number from 0 if no column has this name. By default columns with
        a telling name (text, review, comment, ...; label, class, stars, ...); of two other columns, the one with few different
        values holds the labels. ``label=None`` reads texts without labels.
    sep, encoding : str, optional
        The separator between the cells of a file, one character, and the file's encoding, as Python names it. By default both
        are detected.
    skip_bad_rows : bool
        Leave out rows of a CSV file that are too wide or too narrow, instead of raising an error.
    classes : dict, optional
        From labels to the names of their classes, None to leave their rows out; equal names merge. The key "" stands for
        missing labels. A label that is not a key is kept.
    class_names : list, optional
        The names of the classes 0 ... K-1; by default all that occur, numbers first, in order. Give those of a training set
        for its test set. 1, 1.0, "1" and "1.0" name the same class.
    id : str or int, optional
        A column with a key of your own for every text. By default texts are called by their lines in the file.

    Returns
    -------
    tokensel_nb.datasets.reviews.Reviews

    Raises
    ------
    FileNotFoundError
        If the file doesn't exist.
    DataError
        If the source cannot be read, the columns are ambiguous, or there are fewer than two classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tokensel_report as tr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mine.csv")
    ...     _ = path.write_text("stars,review\n5,very good\n1,bad\n3,so so\n4,fine\n2,poor\n")
    ...     reviews = tr.read_reviews(path, classes={1: "low", 2: "low", 3: None, 4: "high", 5: "high"})
    mine.csv: texts from column 'review', labels from column 'stars'
    mine.csv: 1 of 5 rows left out: `classes` drops their label
    >>> reviews.texts, reviews.labels.tolist(), reviews.class_names, reviews.rows.tolist()
    (['very good', 'bad', 'fine', 'poor'], [0, 1, 0, 1], ('high', 'low'), [0, 1, 3, 4])
    """
    table, source = _table(source, sep=sep, encoding=encoding, skip_bad_rows=skip_bad_rows)
    label = None if source == LISTS and "label" not in table else label
    number, name = len(table), os.path.basename(source)
    keys = _keys(table, id, name)
    table = _chosen(table.reset_index(drop=True), text, label, name)
    table = _without(table, table.text.str.strip() == "", "they have no text", name)
    if label is not None:
        classes = {_label(old): new if new is None else _label(new) for old, new in (classes or {}).items()}
        table = _classified(table, classes, name)
    names = () if label is None else _ordered(set(table.label), class_names, name)
    codes = None if label is None else pd.Categorical(table.label, names).codes.astype("int64")
    return Reviews(table.text.tolist(), codes, tuple(names), source, table.index.to_numpy(), number, keys[table.index])


def _keys(table, id, name):
    """Return what people call every row: the key in its column, or else its line in the file, or its row if there are none."""
    table.columns = [str(column).strip() for column in table]
    if id is not None:
        return np.array(_strings(table[_column(table, "id", id, name)], name), dtype=object)
    kind, numbers = ("line", table.attrs["lines"]) if "lines" in table.attrs else ("row", range(1, len(table) + 1))
    return np.array([f"{kind} {number}" for number in numbers], dtype=object)


def read_probabilities(path, reviews) -> pd.DataFrame:
    """Return the probabilities in a file that has a row for every row of the source, without the rows that were left out."""
    names = list(reviews.class_names)
    try:
        table = _named(_of_numbers(path), names, path)
        if len(table) != reviews.number:
            raise DataError(f"it has {len(table):,} rows; give one for each of the {reviews.number:,} rows of the texts")
        table.index = [f"row {row + 1}" for row in range(len(table))]
        return table.iloc[reviews.rows][names].astype(str).replace(",", ".", regex=True).astype(float)
    except (KeyError, ValueError) as error:
        why = f"needs a column of numbers for each class, {_listed(names)} ({' '.join(str(error).split())[:150]})"
        raise DataError(f"{path} {why}; {PROBABILITIES}") from error


def _of_numbers(path):
    """Return the table of numbers in a file, which pandas or NumPy wrote."""
    if str(path).endswith(".npy"):
        return pd.DataFrame(np.load(path, allow_pickle=False))
    table = _of_file(path)
    return _of_file(path, sep=" ") if table.shape[1] == 1 else table  # NumPy's own separator


def _named(table, names, path):
    """Return a table whose columns are named by class; columns that are only numbered, or not named, are in order."""
    table = table.set_axis([_label(column).removeprefix("# ") for column in table], axis=1)
    if set(names) <= set(table) or not all(NUMBER.fullmatch(column) for column in table if column):
        return table
    if set(table) - {"", *map(str, range(table.shape[1]))}:  # the first row of numbers was taken for the names
        table = pd.DataFrame(np.vstack([list(table), table.to_numpy()]))
    if table.shape[1] == len(names) + 1 and list(map(_label, table.iloc[:, 0])) == list(map(str, range(len(table)))):
        table = table.iloc[:, 1:]  # pandas' index
    log_or_print(f"{os.path.basename(path)}: the columns have no names; they are taken for {_listed(names)}, in this order")
    return table.set_axis(names, axis=1)


def _table(source, **how):
    """Return the table of a source, and the source's name."""
    if isinstance(source, (list, tuple)):
        return _of_lists(source), LISTS
    if isinstance(source, (str, os.PathLike)) and not str(source).startswith("hub:"):
        return _of_file(source, **how), str(source)
    if hasattr(source, "target_names"):  # scikit-learn's bunch
        return pd.DataFrame({"text": source.data, "label": np.array(source.target_names)[source.target]}), "the bunch"
    table, name = (_of_hub(source), source) if isinstance(source, str) else (source, f"the {type(source).__name__}")
    frame = table.to_pandas() if hasattr(table, "to_pandas") else table
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"{name} cannot be read; give a path, a DataFrame, (texts, labels), (texts, None) or 'hub:owner/name'")
    for column, feature in (table.features if hasattr(type(table), "features") else {}).items():
        if names := getattr(feature, "names", None):  # classes that are stored as numbers; -1 means no label
            frame[column] = frame[column].map(dict(enumerate(names)))
    return frame, name


def _of_hub(source):
    """Load ``hub:owner/name@revision:split``."""
    address, revision, split = re.fullmatch(r"hub:([^@:]*)@?([^:]*):?(.*)", source).groups()
    try:
        return split_of(address, split or "train", revision or None)
    except NotHereError as error:
        raise DataError(f"{source} could not be loaded ({error}); give hub:owner/name@revision:split") from error


def _of_lists(source):
    """Read a pair of texts and labels, or a list of pairs of a text and its label; two such pairs are a list of tuples."""
    pairs = all(isinstance(member, (tuple, list)) and len(member) == 2 for member in source)
    unclear = pairs and len(source) == 2 and all(type(member) is type(source) for member in source)
    given = tuple(zip(*source)) if pairs and (len(source) != 2 or isinstance(source, list)) else source
    if unclear or len(given) != 2 or any(isinstance(values, (str, set, dict)) for values in given):
        raise DataError(f"{LISTS} are ambiguous; give ([text, ...], [label, ...]), ([text, ...], None) or [(text, label), ...]")
    try:
        lists = [values.tolist() if hasattr(values, "tolist") else list(values) for values in given if values is not None]
        return pd.DataFrame(dict(zip(KNOWN, lists)), dtype=object)
    except (TypeError, ValueError) as error:
        raise DataError(f"{LISTS} are not texts with one label each ({error})") from error


def _of_file(path, sep=None, encoding=None, skip_bad_rows=False):
    """Return the table in a file."""
    try:
        with get_handle(path, "rb", compression="infer", is_text=False) as file:
            data = file.handle.read()
        if data.startswith(b"PAR1"):
            return pd.read_parquet(io.BytesIO(data))
        if str(path).lower().endswith(".xlsx"):
            return _with_lines(pd.read_excel(io.BytesIO(data), dtype=str, keep_default_na=False), None)
        name = os.path.basename(path)
        text = decoded(data, name, encoding).replace("\n\ufeff", "\n")
        return _of_json(text) if text.lstrip(BEFORE).startswith(("{", "[")) else _of_cells(text, name, sep, skip_bad_rows)
    except FileNotFoundError:
        raise
    except Exception as error:  # from any library that opens or unpacks the file
        raise DataError(f"{path} cannot be read ({' '.join(str(error).split())[:300]}); repair it, {PANDAS}") from error


def _with_lines(table, lines):
    """Attach the line of the file in which every row begins; by default a row a line, after that of the names."""
    table.attrs["lines"] = range(2, len(table) + 2) if lines is None else lines
    return table


def _of_json(text):
    """Read a list of records, columns, or one record per line."""
    try:
        return pd.read_json(io.StringIO(text.lstrip(BEFORE)), dtype=False)
    except ValueError:  # not a single JSON value
        lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip(BEFORE)]
        return _with_lines(pd.read_json(io.StringIO(text.lstrip(BEFORE)), dtype=False, lines=True), lines)


def _of_cells(text, name, sep, skip):
    """Read rows of cells. The header is read as a row, since pandas takes extra cells of a wide first row for an index."""
    before = len(text) - len(text.lstrip(BEFORE))
    lines_before, text = text[:before].count("\n"), text[before:]
    first, *lines = text.splitlines() or [""]
    if sep is None:
        sep = max("\x1f,;\t|", key=first.count)  # "\x1f", which no text has, means a single column
        if sep not in "\x1f,":
            log_or_print(f"{name}: the separator seems to be {sep!r}; `sep` sets another one")
    by_line = sep == "\t" and all(line.count(sep) == first.count(sep) for line in lines if line)
    quoting = csv.QUOTE_NONE if by_line and re.search(LONE_QUOTE, text) else csv.QUOTE_MINIMAL
    how = {"header": None, "dtype": str, "keep_default_na": False, "on_bad_lines": "warn" if skip else "error"}
    with warnings.catch_warnings(record=True) as skipped:
        warnings.simplefilter("always")
        table = pd.read_csv(io.StringIO(text), sep=sep, quoting=quoting, skip_blank_lines=False, **how)
    if bad := sum(str(warning.message).count("Skipping line") for warning in skipped):
        log_or_print(f"{name}: {bad:,} rows left out: they have more cells than there are columns")
    blank = table.isna().iloc[:, 1:].all(axis=1) & (table[0] == "") if table.shape[1] > 1 else np.zeros(len(table), bool)
    table = table.fillna("")
    sizes = [1 + sum(cell.count("\n") for cell in row) for row in table.itertuples(index=False)]
    starts = lines_before + 1 + np.cumsum([0, *sizes])[:-1]
    rows = table[~blank][1:].set_axis(table.iloc[0].str.strip(), axis=1)
    return rows if bad else _with_lines(rows, starts[~blank][1:])  # nobody knows on which lines the bad rows were


def _chosen(table, text, label, name):
    """Return the columns of texts and labels as strings, without rows that repeat the columns' names."""
    asked = {"text": text} if label is None else {"text": text, "label": None if label == "auto" else label}
    if _has_no_header(table, asked.values()):
        raise DataError(f"{name}: the first line does not name the columns; add their names, {PANDAS}")
    columns = {kind: _column(table, kind, column, name) for kind, column in asked.items()}
    if len(set(columns.values())) < len(columns):
        raise DataError(f"{name}: text and label are the same column, {columns['text']!r}; choose two of {_listed(table)}")
    if any(column != str(asked[kind]) and _plain(column) != kind for kind, column in columns.items()):
        log_or_print(f"{name}: {', '.join(f'{kind}s from column {column!r}' for kind, column in columns.items())}")
    table = pd.DataFrame({kind: _strings(table[column], name) for kind, column in columns.items()}, dtype=object)
    header = pd.Series(columns).str.casefold()
    return _without(table, (table.map(str.casefold) == header).all(axis=1), "they repeat the names of the columns", name)


def _plain(column):
    """Return the letters and digits of a column's name, the same for "Review_Text" and "reviewText"."""
    return "".join(filter(str.isalnum, column)).casefold()


def _has_no_header(table, asked):
    """Return whether no name of a column is known and one recurs below, as labels do; pandas' own 0, 1, ... are names."""
    names = [column for column in table if column]
    known = [name for name in names if name in asked or re.fullmatch(f"{TEXT}|{LABEL}", _plain(name))]
    headed = any(not name.isdecimal() for name in known) or names == [str(number) for number in range(len(names))]
    return not headed and any((table.iloc[:, place] == name).any() for place, name in enumerate(table) if name)


def _column(table, kind, asked, name):
    """Return the column that was asked for, by name or else by number; without a wish, one with a known name, or a guess."""
    columns = list(table)
    if asked is None:
        known = [column for column in columns if re.fullmatch(KNOWN[kind], _plain(column))]
        fits = [column for column in known if _plain(column) == kind] or known or _of_two(table, kind)
    else:
        by_number = str(asked) not in columns and str(asked).isdecimal() and int(asked) < len(columns)
        fits = [column for column in columns if column == (columns[int(asked)] if by_number else str(asked).strip())]
    if len(fits) != 1:
        number = f"{len(fits) or 'no'} columns are {'named ' + repr(asked) if asked is not None else 'clearly the ' + kind}"
        error = DataError if fits else NoColumnError
        raise error(f"{name}: {number}; choose one with {kind}=: {_listed(columns)}, {PANDAS}")
    return fits[0]


def _of_two(table, kind):
    """Return the column of a kind in a table of two columns (beside an index), if exactly one has few values: the labels."""
    named = [column for column in table if column and not column.startswith("Unnamed: ")]
    most = min(20, len(table) // 2)  # labels hardly have more different values
    labels = [column for column in named if len(set(named)) == 2 and 1 < table[column].astype(str).nunique() <= most]
    return [column for column in named if len(labels) == 1 and (column in labels) == (kind == "label")]


def _strings(column, name):
    """Return a column's values as strings; a missing value becomes an empty string."""
    values = column.astype(object).where(column.notna(), "").tolist()
    if odd := [value for value in values if isinstance(value, bytes) or not pd.api.types.is_scalar(value)]:
        raise DataError(f"{name}: column {column.name!r} contains a {type(odd[0]).__name__}; give strings or numbers")
    return list(map(str, values))


def _without(table, out, why, name):
    """Return a table without some rows, and report how many and why."""
    if out.any():
        log_or_print(f"{name}: {out.sum():,} of {len(table):,} rows left out: {why}")
    return table[~out]


def _label(value):
    """Return a label as a string, the same for 1, 1.0, "1" and "1.0"."""
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", str(value).strip())


def _classified(table, classes, name):
    """Return a table with the names of classes in place of labels, without rows that have none."""
    labels = pd.Series(map(_label, table.label), table.index, dtype=object, name="label")
    cells = io.StringIO(labels.to_csv(index=False))
    missing = pd.read_csv(cells, dtype=str, skip_blank_lines=False).label.isna().to_numpy()  # as pandas reads any file
    class_of = dict(zip(labels, labels)) | dict.fromkeys(labels[missing], classes.get("")) | classes
    table = table.assign(label=labels.map(class_of).astype(object))
    unlabelled = table.label.isna() & missing
    table = _without(table, unlabelled, f"their label is missing ({_listed(sorted(set(labels[unlabelled])))})", name)
    return _without(table, table.label.isna(), "`classes` drops their label", name)


def _ordered(labels, class_names, name):
    """Return the names of the classes: those given, or all labels, numbers first."""
    in_order = lambda label: (0, float(label), label) if NUMBER.fullmatch(label) else (1, 0, label)
    names = sorted(labels, key=in_order) if class_names is None else list(map(_label, class_names))
    if odd := labels.difference(names):
        raise DataError(f"{name}: the label {min(odd)!r} is not one of the classes {_listed(names)}")
    if len(names) < 2:
        raise DataError(f"{name}: all labels are {_listed(names) or 'missing'}; give texts of at least two classes")
    if suspect := [label for label in names if label.casefold() in ("none", "null", "nan", "nat", "na", "n/a")]:
        log_or_print(f"{name}: {_listed(suspect)} counts as a class; `classes` can drop it")
    parts = {label: re.split(r"\s*[|;,]\s*", label) for label in names}
    often = Counter(part for own in parts.values() for part in own)
    if combined := [label for label, own in parts.items() if len(own) > 1 and max(map(often.get, own)) > 1]:
        log_or_print(f"{name}: {_listed(combined)} seem to combine labels; each combination counts as a class")
    return names


def _listed(names):
    return ", ".join(map(repr, names))[:300]
