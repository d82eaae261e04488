"""A claim of the book: a sentence and its number, judged in the cell that shows it by the target that was fixed first."""

from __future__ import annotations

import math
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

MIME = "application/vnd.tokensel-nb.claim+json"
ROUNDING = 1e-6  # a smaller upper bound is one on errors of rounding, which differ between processors
MISSED = '<b style="color: #d13438">missed</b>'  # the pages have a red of their own for either theme
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
REGISTER = Path(__file__).parents[1] / "data" / "targets.toml"


class ClaimMissedError(AssertionError):
    """A number misses its target, and nothing is recorded of it; or it leaves its record."""


@cache
def register() -> dict[str, dict]:
    """Return what stands in the register of targets, by the claims' ids."""
    return tomllib.loads(REGISTER.read_text("utf-8"))


@dataclass(frozen=True, repr=False)
class Claim:
    """What `claim` returns, in plain numbers: shown as a line, and collected from the notebooks by the table of claims."""

    id: str
    statement: str
    value: float | None  # None in a stored row that does not show it
    at_least: float | None = None
    at_most: float | None = None
    source: str = "book"
    backed_by: str | None = None
    digits: int = 3

    def __post_init__(self):
        """Refuse bounds that are not those of the register, and a claim that nothing could miss."""
        if self.id in register() and self.target != target_of(self.entry.get("target", {})):
            raise ValueError(f"{self.id}: its target stands in {REGISTER.name}")
        if self.target == "none" and "record" not in self.entry:
            raise ValueError(f"{self.id}: a claim has at_least=, at_most= or both")

    @property
    def entry(self) -> dict:
        """What the register says of it; nothing of a claim of the reader's own."""
        return register().get(self.id, {})

    @property
    def verdict(self) -> str:
        """Whether the claim *holds* or is *missed*, or, without a target, *describes*."""
        return "describes" if self.target == "none" else "holds" if self.holds else "missed"

    @property
    def holds(self) -> bool:
        """Whether the number lies within the bounds, which are included; NaN never does."""
        return self.shows_bound if self.value is None else within(self.value, self.at_least, self.at_most)

    @property
    def fault(self) -> str | None:
        """Say why the number cannot stand: it leaves its record, or, where there is none, misses the target."""
        if "record" not in self.entry:
            return None if self.holds else f"{self.value} is not {self.target}"
        record, room = self.entry["record"], unit(self.value, self.digits) * (1 + 1e-9)
        stands = within(self.value, record["at_least"] - room, record["at_most"] + room)
        return None if stands else f"{self.value} is not what was recorded, {target_of(record)}"

    @property
    def shows_bound(self) -> bool:
        """Whether the number is an error of rounding, of which the bound is shown instead."""
        return self.at_most is not None and 0 < self.at_most < ROUNDING

    @property
    def target(self) -> str:
        """The bounds, as in "≥ 0.97", "≤ 10⁻¹²", "−0.55 to −0.45", or "none"."""
        return target_of(vars(self))

    @property
    def row(self) -> dict:
        """What the table is made of: all fields, and of the number no more digits than are shown."""
        whole = isinstance(self.value, int)
        shown = self.value if whole else None if self.shows_bound else float(f"{self.value:.{self.digits}g}")
        return asdict(self) | {"value": shown}

    def __repr__(self):
        """Write one line, as in ``mlp-xor: 1.0 (≥ 0.99)`` or ``mlp-scores: 0.943 (target ≥ 0.95, missed)``."""
        if self.shows_bound:
            return f"{self.id}: {self.target}"
        judged = {"holds": self.target, "missed": f"target {self.target}, missed", "describes": "describes"}
        return f"{self.id}: {written(self.value, self.digits)} ({judged[self.verdict]})"

    def _repr_mimebundle_(self, include=None, exclude=None):
        """Hand notebooks the line, in colour where the target is missed, and its row to whoever collects them."""
        kind = "claim" if self.verdict == "holds" else f"claim claim-{self.verdict}"
        html = f'<p class="{kind}">{str(self).replace(", missed)", f", {MISSED})")}</p>'
        return {MIME: self.row, "text/html": html, "text/plain": str(self)}


def claim(id, statement, value, *, at_least=None, at_most=None, source="book", backed_by=None, digits=3):
    """Judge a number by the target of a claim, and show it; the last expression of a cell."""
    # The number, one of Python or an array of numpy or torch that holds one, is judged as it is, not as it is shown. What a
    # notebook stores is rounded to the significant digits that are shown, so that it is the same on every machine; so let
    # `digits` be as many as are stable. `id` names the claim; its row of the table has the address claim-<id>, its cell
    # cell-<id>. The register has its target, or says that it only describes. An id that the register does not know is judged by
    # the bounds of the call, which are included. Where the upper one is below 1e-6 (but not zero), the number is an error of
    # rounding, and the bound alone is shown. A missed target is shown as missed, if the number is what was recorded of it.
    # `backed_by` says where the number, or a longer sweep behind it, comes from: the path of a test, such as
    # tests/theory/flow/test_path.py::test_every_start, or of a recorded run.
    own = {"at_least": at_least, "at_most": at_most}
    if id in register() and target_of(own) != "none":
        raise ValueError(f"{id}: its target stands in {REGISTER.name}")
    target = register().get(id, {"target": own}).get("target", {})
    judged = Claim(id, statement, _plain(value), target.get("at_least"), target.get("at_most"), source, backed_by, digits)
    if judged.fault:
        raise ClaimMissedError(f"{id}: {judged.fault}")
    if Claim(**judged.row).holds != judged.holds:
        raise ValueError(f"{id}: more digits than {digits} are needed to show that {value} is not {judged.target}")
    return judged


def within(value, low, high):
    """Whether a number lies within bounds, of which either may be None."""
    return (low is None or value >= low) and (high is None or value <= high)


def target_of(bounds) -> str:
    """Write bounds, as in "≥ 0.97", "≤ 10⁻¹²", "−0.55 to −0.45", or "none"."""
    low, high = (None if bounds.get(side) is None else written(bounds[side]) for side in ("at_least", "at_most"))
    return f"{low} to {high}" if low and high else f"≥ {low}" if low else f"≤ {high}" if high else "none"


def unit(value, digits):
    """Return one unit of the last digit that is shown."""
    whole = isinstance(value, int) or not (value and math.isfinite(value))
    return 1 if whole else 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)


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
