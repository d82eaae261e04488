"""What was measured elsewhere: the paper's tables, and runs on data or machines that a reader may not have at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from ..extras import pd

FOLDER = Path(__file__).parents[1] / "data"

# The tables on IMDB give the centres of 20 bins, rounded to two digits. Bins that begin at -1, the least skew there is, give
# these centres only if they are 29/300 wide, and so end at 14/15: a word of which 29 in 30 stood in positive reviews.
PAPER_EDGES = np.linspace(-1, 14 / 15, 21)


@cache  # a thousand draws are compared with each
def paper_table(name) -> pd.DataFrame:
    """Return a table of the paper's authors' answers to their reviewers: centres of bins of the label skew, and their means."""
    return pd.read_csv(_file(f"paper/{name}.csv")).set_axis(["centre", "mean"], axis=1)


def recorded(name) -> dict:
    """Return a recorded run: its results under their names, and under "machine" where and when it was made."""
    return json.loads(_file(f"recorded/{name}.json").read_text(encoding="utf-8"))


def span(numbers, digits=2) -> str:
    """Return from where to where numbers go, as it is printed."""
    return f"{np.min(numbers):.{digits}f} to {np.max(numbers):.{digits}f}"


def _file(name):
    path = FOLDER / name
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob(f"*{path.suffix}"))
        raise FileNotFoundError(f"there is no {path.stem!r} among what was recorded; there are {', '.join(known) or 'none'}")
    return path
