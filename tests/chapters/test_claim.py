import json
from pathlib import Path

import numpy as np
import pytest

from tokensel_nb import claims
from tokensel_nb.claims import CLAIMS, Claim, Target

ROOT = Path(__file__).parents[1]
RECORDED = {row["id"]: row for row in json.loads((ROOT / "data" / "claims.json").read_text(encoding="utf-8"))}
ROUNDING = 1e-6  # claims with a bound below this measure errors of rounding and of solvers, which differ between processors


@pytest.mark.parametrize("name", CLAIMS)
def test_claim(name):
    """The claim holds today, and the recorded row says what is measured today."""
    row, recorded = CLAIMS[name].row(), RECORDED.get(name)
    assert row["passed"], row
    assert recorded is not None, "data/claims.json lacks this claim: run `make claims`"
    measured, before = row.pop("measured"), recorded["measured"]
    assert row == {key: value for key, value in recorded.items() if key != "measured"}, "stale: run `make claims`"
    if CLAIMS[name].target.high > ROUNDING:
        assert measured == pytest.approx(before, rel=0.02), "data/claims.json is stale: run `make claims`"


def test_the_file_holds_these_claims_in_this_order():
    assert list(RECORDED) == list(CLAIMS), "data/claims.json is stale: run `make claims`"


@pytest.mark.parametrize(("target", "good", "bad"), [(Target(high=1), 1, 1.01), (Target(2), 2, 1.9), (Target(-1, 1), 0, 2)])
def test_a_target_can_be_missed(target, good, bad):
    assert target.holds(good)
    assert not target.holds(bad)
    assert not target.holds(float("nan"))


def test_targets_are_written_for_people():
    assert [str(target) for target in (Target(high=1e-10), Target(0.99), Target(-0.55, -0.45))] == [
        "≤ 10⁻¹⁰",
        "≥ 0.99",
        "−0.55 to −0.45",
    ]


def test_main_writes_the_table_and_fails_when_a_claim_does(tmp_path, monkeypatch, capsys):
    table = {
        name: Claim(name, "s", "c", "book", Target(high=1), lambda value=value: value)
        for name, value in [("a", 0.5), ("b", np.pi)]
    }
    monkeypatch.setattr(claims.table, "CLAIMS", table)
    with pytest.raises(SystemExit) as stop:
        claims.main(tmp_path / "claims.json")
    assert stop.value.code == 1
    rows = json.loads((tmp_path / "claims.json").read_text())
    assert [(row["measured"], row["passed"]) for row in rows] == [(0.5, True), (3.14, False)]
    assert "1 of 2 claims hold" in capsys.readouterr().out


@pytest.mark.parametrize("name", CLAIMS)
def test_the_chapter_shows_the_claim_in_a_cell_of_its_own(name):
    """The table's link needs the cell's name in the chapter."""
    notebook = json.loads((ROOT / f"{CLAIMS[name].chapter}.ipynb").read_text(encoding="utf-8"))
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert f"(cell-{name})=" in text
