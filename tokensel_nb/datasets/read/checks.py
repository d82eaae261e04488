"""How messages show what was given, and options that are checked where they come in."""

from __future__ import annotations

import reprlib
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def shortened(value, most=80) -> str:
    """Return how a value is written, on one line, cut to so many characters."""
    return cut(" ".join(_REPR.repr(value.item() if isinstance(value, np.generic) else value).split()), most)


def cut(text, most=80) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def first_few(names, most=3) -> str:
    """Return names as a message lists them: the first few, and how many more there are."""
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def listed(name, values, of="str") -> list:
    """Return the members of a sequence in their order; a string is none, nor is a set, which has no order, nor a table."""
    unordered = isinstance(values, (str, bytes, set, frozenset, dict)) or not hasattr(values, "__iter__")
    if unordered or getattr(values, "ndim", 1) != 1:
        raise TypeError(f"{name} is a {type(values).__name__}; give a list of {of}, in their order")
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def changed(options, changes):
    """Return options, a dataclass, with some of them changed; TypeError where there is no such option."""
    if unknown := changes.keys() - vars(options).keys():
        raise TypeError(f"no option is called {', '.join(map(repr, sorted(unknown)))}; there are {', '.join(vars(options))}")
    return replace(options, **changes)


def option(default, check) -> Any:
    """Return a field of `CheckedOptions` with its default, and a function of name and value that returns what is kept."""
    return field(default=default, metadata={"check": check})


class CheckedOptions:
    """A frozen dataclass that checks what is given for each `option`, unless it is the default, and keeps what is returned."""

    def __post_init__(self):
        for each in fields(self):
            value, check = getattr(self, each.name), each.metadata.get("check")
            if check is not None and value is not each.default:
                object.__setattr__(self, each.name, check(each.name, value))
