"""From the labels that a source holds to classes: told apart, merged, renamed, dropped, numbered."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from itertools import compress
from numbers import Integral, Real

import numpy as np

from .checks import cut, shortened
from .columns import MOST_CLASSES
from .dialects import NUMBER
from .reviews import DataError, tell

UNLABELLED = "unsup"  # what aclImdb calls the texts that have no label
# Letters of Cyrillic and Greek, of which the small or the capital one is drawn as in Latin.
LIKE_LATIN = str.maketrans("авекмнорстухіјѕαβεζηικμνορτυχ", "abekmhopctyxijsabezhikmnoptyx")
NO_LABEL = {"", "NaN", "nan", "NA", "N/A", "null", "NULL", "<NA>"}


def as_label(value):
    """Return a label as a string: 1, 1.0, "1" and "1.0" are one label; None and NaN are the empty one."""
    if isinstance(value, str):
        whole = re.fullmatch(r"(-?\d+)\.0+", value)
        return whole[1] if whole else str(value)
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if not isinstance(value, Real):
        raise TypeError
    return str(int(value)) if isinstance(value, Integral) or float(value).is_integer() else repr(float(value))


def classified(part, kept, how, named):
    """Return which of the kept rows have a class, their classes' numbers, and the names of the classes.

    ``how`` is a `Reading`; ``named`` says that somebody named the column of the labels.
    """
    row_names = _renamed(part, kept, how.classes)
    labelled = [name is not None for name in row_names]
    why = "a label that classes drops" if how.classes else f"the label {UNLABELLED!r}, which stands for none,"
    tell_dropped(labelled.count(False), len(part.texts), why, part.name)
    kept, row_names = list(compress(kept, labelled)), list(compress(row_names, labelled))
    if not kept:
        raise DataError(f"{part.source}: classes drops every row; keep at least two classes")
    names = _ordered(how.class_names, set(row_names), len(kept), part.source, named)
    codes = _codes(part, kept, row_names, names, free=how.class_names is None)
    _tell_classes(names, codes, part.name)
    return kept, codes, names


def tell_dropped(number, rows, why, name):
    """Say how many rows are dropped, and why."""
    if number:
        have, are = ("has", "is") if number == 1 else ("have", "are")
        tell(f"{name}: {number:,} of {rows:,} rows {have} {why} and {are} dropped")


def _renamed(part, kept, classes):
    """Return the name of the class of each kept row, None for a row that is dropped."""
    labels = [_label(part, row) for row in kept]
    rename = _renaming(classes)
    name_of = {label: rename(label) for label in dict.fromkeys(labels)}  # far fewer than rows
    if "" in name_of.values():
        label = next(label for label, name in name_of.items() if name == "")
        counts = f" ({label!r} counts as none)" if label else ""
        remedy = f"fill it in or drop the row, as classes={{{label!r}: None}} does, or --class {label}= on the command line"
        raise DataError(f"{part.at(kept[labels.index(label)])} has no label{counts}; {remedy}")
    unused = [label for label in classes if as_label(label) not in name_of] if isinstance(classes, Mapping) else []
    if unused:
        tell(f"{part.name}: classes names {', '.join(map(repr, unused))}, which no row has")
    return [name_of[label] for label in labels]


def _label(part, row):
    try:
        return as_label(part.labels[row])
    except (TypeError, ValueError):
        kind = f"{shortened(part.labels[row])}, a {type(part.labels[row]).__name__}"
        raise DataError(f"{part.at(row)} has the label {kind}; a label is a word or a number") from None


def _renaming(classes):
    """Return the function from a label to the name of its class, None for a row to drop, "" for no label."""
    if callable(classes):
        return lambda label: _name(classes("" if label in NO_LABEL else label))
    if not isinstance(classes, (Mapping, type(None))):
        raise ValueError(f"classes={shortened(classes)}; give a dictionary from labels to names or None, or a function")
    names = {UNLABELLED: None} | {as_label(label): _name(name) for label, name in (classes or {}).items()}
    return lambda label: names.get(label, names.get("", "") if label in NO_LABEL else label)


def _name(value):
    return None if value is None else as_label(value)


def _ordered(class_names, names, rows, source, named):
    """Return the names of the classes in order: those that are given, or all that occur, sorted, numbers first."""
    if class_names is not None:
        names = [as_label(name) for name in class_names]
        if len(set(names)) < max(len(names), 2):
            raise ValueError(f"class_names={shortened(list(class_names))}; give at least two names, each once")
        return names
    words, numbers = _words_and_numbers(names)
    names = sorted(numbers, key=lambda name: (float(name), name)) + sorted(words)
    if len(names) < 2:
        raise DataError(f"{source}: every label is {names[0]!r}; at least two classes are needed, found or in class_names")
    if len(names) > MOST_CLASSES and (not named or len(names) == rows):
        raise DataError(f"{source}: {len(names):,} different labels; name the right column, or list them in class_names")
    return names


def _codes(part, kept, row_names, names, free):
    """Return the number of the class of each kept row; ``free`` says that nobody listed the names."""
    words, numbers = _words_and_numbers(names)
    odd = min(words, numbers, key=len) if free else set(row_names).difference(names)
    if odd:
        row, name = next(pair for pair in zip(kept, row_names) if pair[1] in odd)
        if free:
            others = "words" if odd is numbers else "numbers"
            why = f", where most are {others}; list all in class_names, or drop it with classes={{{name!r}: None}}"
        else:
            why = f"; it must be one of {cut(', '.join(map(repr, names)), 300)}"
        raise DataError(f"{part.at(row)} has the label {shortened(name)}{why}")
    code_of = {name: code for code, name in enumerate(names)}
    return np.array([code_of[name] for name in row_names], np.int64)


def _words_and_numbers(names):
    is_number = re.compile(NUMBER).fullmatch
    return [name for name in names if not is_number(name)], [name for name in names if is_number(name)]


def _tell_classes(names, codes, source):
    """Say which classes have no text, and which differ only in what hardly anybody sees."""
    sizes = dict(zip(names, np.bincount(codes, minlength=len(names)).tolist()))
    empty = [name for name in names if not sizes[name]]
    if empty:
        tell(f"{source}: no text of {'the class' if len(empty) == 1 else 'the classes'} {', '.join(map(repr, empty))}")
    alike = defaultdict(list)
    for name in names:
        alike[_seen(name)].append(name)
    for group in (group for group in alike.values() if len(group) > 1):
        most = max(group, key=lambda name: (sizes[name], name == name.strip()))
        merging = ", ".join(f"{name!r}: {most!r}" for name in group if name != most)
        show, differ, remedy = repr, "differ only in case or spaces", f"classes={{{merging}}} merges them"
        if len({" ".join(name.split()).casefold() for name in group}) > 1:
            show, differ, remedy = ascii, "look alike", "spell them alike if they are one class"
        tell(f"{source}: labels {', '.join(map(show, group))} {differ} and are kept apart; {remedy}")


def _seen(name):
    """Return a label as it is seen: no case, no signs that are not drawn, one way to write an accent or a letter."""
    letters = unicodedata.normalize("NFKC", name).casefold().translate(LIKE_LATIN)
    return "".join(filter(str.isprintable, " ".join(letters.split())))
