"""From the labels that a source holds to classes: told apart, merged, renamed, dropped, numbered."""

import re
from collections import defaultdict
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from ...support.checks import cut, shortened
from .columns import MOST_CLASSES
from .dialects import NUMBER
from .reviews import DataError, tell

UNLABELLED = "unsup"  # what aclImdb calls the texts that have no label
NO_LABEL = {"", "NaN", "nan", "NA", "N/A", "null", "NULL", "<NA>"}


def as_label(value):
    """Return a label as a string: 1, 1.0, "1" and "1.0" are one label; None and NaN are the empty one."""
    if isinstance(value, str):
        whole, point, rest = value.partition(".")
        return whole if point and rest.strip("0") == "" and rest and _is_whole(whole) else str(value)
    if value is None or value != value:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, Integral) or (isinstance(value, Real) and float(value).is_integer()):
        return str(int(value))
    if isinstance(value, Real):
        return repr(float(value))
    raise TypeError


def _is_whole(digits):
    return digits.removeprefix("-").isdecimal()


def classes_of(part, kept, classes):
    """Return the name of the class of each kept row, None for a row that is dropped."""
    rename = _renaming(classes)
    named = {}  # far fewer than rows
    found = []
    for row in kept:
        value = part.labels[row]
        try:
            label = as_label(value)
        except (TypeError, ValueError):
            kind = f"{shortened(value)}, a {type(value).__name__}"
            raise DataError(f"{part.at(row)} has the label {kind}; a label is a word or a number") from None
        if label not in named:
            named[label] = rename(label)
        if named[label] == "":
            counts = f" ({label!r} counts as none)" if label else ""
            remedy = f"fill it in or drop the row, as classes={{{label!r}: None}} does, or --class {label}= of the command"
            raise DataError(f"{part.at(row)} has no label{counts}; {remedy}")
        found.append(named[label])
    _tell_unused(classes, named, part.name)
    return found


def _renaming(classes):
    """Return the function from a label to the name of its class, None for a row to drop, "" for no label."""
    if classes is None:
        classes = {}
    if callable(classes):
        return lambda label: _name(classes("" if label in NO_LABEL else label))
    if not isinstance(classes, Mapping):
        raise ValueError(f"classes={shortened(classes)}; give a dictionary from labels to names or None, or a function")
    names = {UNLABELLED: None} | {as_label(label): _name(name) for label, name in classes.items()}
    return lambda label: names.get(label, names.get("", "") if label in NO_LABEL else label)


def _name(value):
    return None if value is None else as_label(value)


def _tell_unused(classes, labels, name):
    unused = [label for label in classes if as_label(label) not in labels] if isinstance(classes, Mapping) else []
    if unused:
        tell(f"{name}: classes speaks of {', '.join(map(repr, unused))}, which no row has")


def ordered(class_names, found, rows, source, named):
    """Return the names of the classes in order: those that are given, or all that were found, sorted, numbers first.

    ``rows`` is the number of rows; ``named`` says that somebody named the column of the labels.
    """
    if class_names is not None:
        if isinstance(class_names, (str, set, frozenset)):
            raise ValueError(f"class_names={shortened(class_names)}; give a list, whose order is that of the classes")
        names = [as_label(name) for name in class_names]
        if len(set(names)) < max(len(names), 2):
            raise ValueError(f"class_names={shortened(list(class_names))}; give at least two names, each once")
        return names
    names = sorted(found, key=lambda name: (not _is_number(name), float(name) if _is_number(name) else 0.0, name))
    if len(names) < 2:
        raise DataError(
            f"{source}: every label is {names[0]!r}; two classes are needed at least, found or listed in class_names"
        )
    if len(names) > MOST_CLASSES and (not named or len(names) == rows):
        raise DataError(f"{source}: {len(names):,} different labels; name the right column, or list them in class_names")
    return names


def codes_of(part, kept, found, names, free):
    """Return the number of the class of each kept row; ``free`` says that nobody listed the names."""
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.array([code_of.get(name, -1) for name in found], np.int64)
    odd = _rarer(names) if free else ()
    for row, name, code in zip(kept, found, codes):
        if code < 0:
            allowed = cut(", ".join(map(repr, names)), 300)
            raise DataError(f"{part.at(row)} has the label {shortened(name)}; it must be one of {allowed}")
        if name in odd:
            remedy = f"list all in class_names, or drop it with classes={{{name!r}: None}}"
            raise DataError(
                f"{part.at(row)} has the label {name!r}, where most are {'words' if _is_number(name) else 'numbers'}; {remedy}"
            )
    return codes


def _rarer(names):
    """Return the names of the rarer kind where some are numbers and some words."""
    numbers = [name for name in names if _is_number(name)]
    words = [name for name in names if not _is_number(name)]
    return min(words, numbers, key=len) if numbers and words else []


def _is_number(name):
    return re.fullmatch(NUMBER, name) is not None


def tell_classes(names, codes, source):
    """Say which classes have no text, and which differ in case or surrounding space alone."""
    sizes = dict(zip(names, np.bincount(codes, minlength=len(names)).tolist()))
    empty = [name for name in names if not sizes[name]]
    if empty:
        tell(f"{source}: no text of {'the class' if len(empty) == 1 else 'the classes'} {', '.join(map(repr, empty))}")
    alike = defaultdict(list)
    for name in names:
        alike[" ".join(name.split()).casefold()].append(name)
    for group in alike.values():
        if len(group) > 1:
            most = max(group, key=lambda name: (sizes[name], name == name.strip()))
            merging = ", ".join(f"{name!r}: {most!r}" for name in group if name != most)
            listed = ", ".join(map(repr, group))
            tell(f"{source}: labels {listed} differ in case or space alone and stay apart; classes={{{merging}}} merges them")
