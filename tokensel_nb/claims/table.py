"""What a claim is, the table of all, and how it is measured and written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm


@dataclass(frozen=True)
class Target:
    """What a measured number has to be: between ``low`` and ``high``, both included.

    Parameters
    ----------
    low, high : float
        By default no bound.
    """

    low: float = -np.inf
    high: float = np.inf

    def holds(self, measured):
        """Tell whether a number lies within; NaN never does.

        Parameters
        ----------
        measured : float

        Returns
        -------
        bool
        """
        return bool(self.low <= measured <= self.high)

    def __str__(self):
        """Write the target for people."""
        if np.isinf(self.low):
            return f"≤ {_written(self.high)}"
        return f"≥ {_written(self.low)}" if np.isinf(self.high) else f"{_written(self.low)} to {_written(self.high)}"


def _written(number):
    """Write a number as in 0.99, −0.45 or 10⁻¹² (bounds on rounding errors are powers of ten)."""
    if 0 < number < 1e-4:
        return "10" + f"{round(np.log10(number))}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{number:,g}".replace("-", "−")


@dataclass(frozen=True)
class Claim:
    """One sentence of the book that a number decides.

    Parameters
    ----------
    id : str
        Also the name of the cell in the chapter (``cell-<id>``) and of the test (``test_claim[<id>]``).
    statement : str
        The sentence; formulas between dollar signs.
    chapter : str
        The page of the book that shows it.
    source : {"paper", "book"}
        Whose statement it is: reported by the paper (or its authors' answers), or the book's own.
    target : Target
    measure : callable
        Measures the number, from nothing but seeds and data.
    """

    id: str
    statement: str
    chapter: str
    source: str
    target: Target
    measure: Callable[[], float]

    def row(self):
        """Measure, and return the claim's row of the table as plain values.

        Returns
        -------
        dict
            What was measured stands under "measured", with three digits, and whether the claim holds under "passed".
        """
        measured = float(f"{self.measure():.3g}")
        return {
            "id": self.id,
            "statement": self.statement,
            "chapter": self.chapter,
            "source": self.source,
            "measured": int(measured) if measured.is_integer() else measured,
            "target": str(self.target),
            "passed": self.target.holds(measured),
        }


CLAIMS: dict[str, Claim] = {}


def claim(id, chapter, source, target, statement):
    """Enter the decorated measurement in the table.

    Parameters
    ----------
    id, chapter, source, target, statement
        As in `Claim`.

    Returns
    -------
    callable
        The decorator, which returns the measurement as it is.
    """

    def enter(measure):
        CLAIMS[id] = Claim(id, statement, chapter, source, target, measure)
        return measure

    return enter


def measure_all():
    """Measure every claim, in the order of the book.

    Returns
    -------
    list of dict
        The rows of the table; see `Claim.row`.
    """
    return [claim.row() for claim in tqdm(CLAIMS.values(), desc="Measuring claims", unit="claim")]


def main(path="data/claims.json"):
    """Measure every claim, write the table, and say how many hold; exit with 1 unless all do.

    Parameters
    ----------
    path : path
        Of the table.
    """
    rows = measure_all()
    Path(path).write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in rows:
        print(f"{'holds' if row['passed'] else 'FAILS':5}  {row['id']:24} {row['measured']:<10g} target {row['target']}")
    held = sum(row["passed"] for row in rows)
    print(f"{held} of {len(rows)} claims hold; written to {path}")
    raise SystemExit(held < len(rows))
