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
