"""How messages show what was given."""

from __future__ import annotations

import reprlib

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
