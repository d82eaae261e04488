"""A claim of the book: a sentence, its number and its bounds, judged in the cell that shows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

MIME = "application/vnd.tokensel-nb.claim+json"
ROUNDING = 1e-6  # a smaller upper bound is one on errors of rounding, which differ between processors
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class ClaimMissedError(AssertionError):
    """A number lies beyond the bounds of its claim."""


@dataclass(frozen=True, repr=False)
class Claim:
    """What `claim` returns, in plain numbers: shown as a line, and collected from the notebooks by the table of claims."""

    id: str
    statement: str
    value: float | None  # None in a stored row that does not show it
    at_least: float | None = None
    at_most: float | None = None
    source: str = "book"
    descriptive: bool = False
    backed_by: str | None = None
    digits: int = 3

    def __post_init__(self):
        """Refuse a claim that nothing could miss."""
        bounded = self.at_least is not None or self.at_most is not None
        if not bounded or self.source not in ("book", "paper"):
            raise ValueError(f"{self.id}: a claim has at_least=, at_most= or both, and source='book' or 'paper'")

    @property
    def holds(self) -> bool:
        """Whether the number lies within the bounds, which are included; NaN never does."""
        above = self.at_least is None or self.value >= self.at_least
        return above and (self.at_most is None or self.value <= self.at_most)

    @property
    def is_rounding(self) -> bool:
        """Whether the number is an error of rounding, of which the bound is shown instead."""
        return self.at_most is not None and 0 < self.at_most < ROUNDING

    @property
    def target(self) -> str:
        """The bounds, as in "≥ 0.97", "≤ 10⁻¹²", "−0.55 to −0.45"."""
        low, high = (None if bound is None else written(bound) for bound in (self.at_least, self.at_most))
        return f"≤ {high}" if low is None else f"≥ {low}" if high is None else f"{low} to {high}"

    @property
    def row(self) -> dict:
        """What the table is made of: all fields, and of the number no more digits than are shown."""
        return asdict(self) | {"value": None if self.is_rounding else rounded(self.value, self.digits)}

    @property
    def row_holds(self) -> bool:
        """Whether a stored row can be that of a claim that held: the rounded number lies within the rounded bounds."""
        if self.value is None:
            return self.is_rounding
        low, high = (bound if bound is None else rounded(bound, self.digits) for bound in (self.at_least, self.at_most))
        return replace(self, at_least=low, at_most=high).holds

    def __repr__(self):
        """Write one line, as in ``one-step-alignment: 0.983 (≥ 0.97)``."""
        target = f"{self.target}; descriptive" if self.descriptive else self.target
        return f"{self.id}: " + (target if self.is_rounding else f"{written(self.value, self.digits)} ({target})")

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Hand notebooks the line, and its row to whoever collects them."""
        return {MIME: self.row, "text/html": f'<p class="claim">{self}</p>', "text/plain": str(self)}


def claim(id, statement, value, *, at_least=None, at_most=None, source="book", descriptive=False, backed_by=None, digits=3):
    """Judge a number by the bounds of a claim, and show it; the last expression of a cell."""
    # The number, one of Python or an array of numpy or torch that holds one, is judged as it is, not as it is shown. What a
    # notebook stores is rounded to the significant digits that are shown, so that it is the same on every machine; so let
    # `digits` be as many as are stable. `id` names the claim; its row of the table has the address claim-<id>, its cell
    # cell-<id>. Bounds are included. Where the upper one is below 1e-6 (but not zero), the number is an error of rounding, and
    # the bound alone is shown. `descriptive` says that the bounds were drawn around what was found: such a row does not count
    # among the claims that hold. `backed_by` says where the number, or a longer sweep behind it, comes from: the path of a
    # test, such as tests/theory/flow/test_path.py::test_every_start, or of a recorded run.
    low, high = (bound if bound is None else _plain(bound) for bound in (at_least, at_most))
    judged = Claim(id, statement, _plain(value), low, high, source, descriptive, backed_by, digits)
    if not judged.holds:
        raise ClaimMissedError(f"{id}: {value} is not {judged.target}")
    return judged


def rounded(value, digits):
    """Round to significant digits; an integer stays as it is."""
    return value if isinstance(value, int) else float(f"{value:.{digits}g}")


def written(value, digits=None):
    """Write a number for people with so many significant digits, with powers of ten where there are many zeros."""
    as_it_is = digits is None or isinstance(value, int)
    text = f"{value:,}".removesuffix(".0") if as_it_is else f"{value:#,.{digits}g}".removesuffix(".")
    mantissa, _, power = text.partition("e")
    if power:
        text = ("10" if mantissa == "1" else f"{mantissa} × 10") + str(int(power)).translate(SUPERSCRIPTS)
    return text.replace("-", "−")


def _plain(number):
    """Return a number of any library as one of Python's."""
    number = number.item() if hasattr(number, "item") else number
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise TypeError(f"a claim judges numbers, not {number!r}")
    return number
