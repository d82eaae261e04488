"""Recorded results: the paper's tables, and runs on data or machines that a reader may not have."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from ..extras import pd

FOLDER = Path(__file__).parents[1] / "data"

# The tables on IMDB give the centres of 20 bins, rounded to two digits. Bins that begin at -1, the smallest skew, have these
# centres only if they are 29/300 wide, and so end at 14/15: the skew of a word with 29 in 30 occurrences in positive reviews.
PAPER_EDGES = np.linspace(-1, 14 / 15, 21)


@cache  # a thousand draws are compared with a table
def paper_table(name) -> pd.DataFrame:
    """Return a table of the paper's authors' answers to their reviewers: centres of bins of the label skew, and their means."""
    return pd.read_csv(_file(f"paper/{name}.csv")).set_axis(["centre", "mean"], axis=1)


def recorded(name) -> dict:
    """Return a recorded run: its results by name, and under "machine" the place and time of the run."""
    return json.loads(_file(f"recorded/{name}.json").read_text(encoding="utf-8"))


def span(numbers, digits=2) -> str:
    """Return the range of numbers, as a text."""
    return f"{np.min(numbers):.{digits}f} to {np.max(numbers):.{digits}f}"


def _file(name):
    path = FOLDER / name
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob(f"*{path.suffix}"))
        raise FileNotFoundError(f"nothing is recorded as {path.stem!r}; choose from {', '.join(known) or 'none'}")
    return path
