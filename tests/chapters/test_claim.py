"""A claim can be missed or fail: in its cell, in nbval, in the runner of `make book`, and in the strict build of its row."""

import re
import subprocess
import sys
import tomllib

import nbformat
import numpy as np
import pytest
import run_notebooks
import tokensel_claims
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebooks import NOTEBOOKS, ROOT, read, rows
from sphinx.cmd.build import build_main

from tokensel_nb.chapters.claim import MIME, REGISTER, Claim, ClaimMissedError, claim, first_target, register

PLANTED = tomllib.loads("""
[missed]
targets = [{ at_least = 0.95, date = 2026-01-01, reason = "first" }, { at_least = 0.9, date = 2026-01-02, reason = "later" }]
record = [0.8, 0.93]
over = "five seeds"
[drawn]
record = [0.5, 0.52]
over = "two seeds"
reason = "none was fixed"
[hidden]
targets = [{ at_most = 1, date = 2026-01-01, reason = "first" }]
sample = "not public"
[other]
targets = [
  { at_least = 9, date = 2026-01-01, reason = "first", other = "a sum" },
  { at_least = 0.3, date = 2026-01-02, reason = "of this number" },
]
[near]
targets = [{ at_least = 0.95, date = 2026-01-01, reason = "first" }]
record = [0.9, 1]
over = "two seeds"
""")


@pytest.fixture(scope="module", autouse=True)
def planted():
    """Let the register have entries of this file's own, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[claim.__module__], "register", lambda: register() | PLANTED)
        yield


# ------------------------------------------------------------------------------------------------- in the cell


@pytest.mark.parametrize(
    ("bounds", "good", "bad"),
    [({"at_most": 1}, 1, 1.001), ({"at_least": 0.97}, 0.97, 0.9699999), ({"at_least": -1, "at_most": 1}, 0, -1.5)],
)
def test_bounds_are_included_and_numbers_judged_unrounded(bounds, good, bad):
    assert claim("name", "s", good, **bounds).holds
    for missed in (bad, float("nan")):
        with pytest.raises(ClaimMissedError, match=re.escape(str(missed))):
            claim("name", "s", missed, **bounds)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (claim("a", "s", 0.98345, at_least=0.97), "a: 0.983 (≥ 0.97)"),
        (claim("a", "s", 0.98345, at_least=0.97, digits=2), "a: 0.98 (≥ 0.97)"),
        (claim("a", "s", 7780, at_least=7_688, at_most=7_844), "a: 7,780 (7,688 to 7,844)"),
        (claim("a", "s", -0.5, at_least=-0.55, at_most=-0.45), "a: −0.500 (−0.55 to −0.45)"),
        (claim("a", "s", 1.386e-16, at_most=1e-12), "a: ≤ 10⁻¹²"),
        (claim("a", "s", 0, at_most=0), "a: 0 (≤ 0)"),
    ],
)
def test_the_line_shows_the_number_or_the_bound_of_an_error_of_rounding(found, line):
    assert repr(found) == line
    assert found.verdict == "holds"
    assert found._repr_mimebundle_()["text/plain"] == line


# ------------------------------------------------------------------------------------------------- by the register


def test_the_first_target_judges_and_a_later_one_never_does():
    found = claim("missed", "s", 0.92, at_least=0.95)
    assert (found.verdict, repr(found)) == ("missed", "missed: 0.920 (target ≥ 0.95, missed)")
    assert "<b style=" in found._repr_mimebundle_()["text/html"]
    with pytest.raises(ValueError, match=re.escape("missed: ≥ 0.9 is not its first target in targets.toml, ≥ 0.95")):
        claim("missed", "s", 0.92, at_least=0.9)
    assert claim("other", "s", 0.4, at_least=0.3).verdict == "holds"  # 9 was for a sum


def test_a_claim_without_a_target_describes_and_gets_no_bounds():
    found = claim("drawn", "s", 0.51)
    assert (found.verdict, repr(found)) == ("describes", "drawn: 0.510 (describes)")
    with pytest.raises(ValueError, match=re.escape("drawn: ≥ 0.4 is not its first target in targets.toml, none")):
        claim("drawn", "s", 0.51, at_least=0.4)


@pytest.mark.parametrize(("value", "stands"), [(0.8, True), (0.7995, True), (0.798, False), (0.932, False), (np.nan, False)])
def test_a_number_that_leaves_its_record_by_more_than_a_unit_stops_the_notebook(value, stands):
    if stands:
        assert claim("missed", "s", value, at_least=0.95).verdict == "missed"
    else:
        with pytest.raises(ClaimMissedError, match=r"missed: .* is not what was recorded, 0.8 to 0.93"):
            claim("missed", "s", value, at_least=0.95)


def test_a_missed_target_of_which_nothing_is_recorded_stops_the_notebook():
    with pytest.raises(ClaimMissedError, match="hidden: 2 is not ≤ 1"):
        claim("hidden", "s", 2, at_most=1)


def test_a_missed_target_is_not_rounded_to_one_that_holds():
    assert claim("near", "s", 0.9496, at_least=0.95, digits=4).verdict == "missed"
    with pytest.raises(ValueError, match="near: more digits than 3"):
        claim("near", "s", 0.9496, at_least=0.95)


def test_the_register_has_the_books_claims_and_no_others():
    told = [Claim(**row) for path in NOTEBOOKS for cell in read(path).cells for row in rows(cell)]
    assert sorted(each.id for each in told) == sorted(id for id, entry in register().items() if "replaced" not in entry)
    assert not [each for each in told if each.fault(each.digits)]


def test_every_entry_says_when_and_why():
    for id, entry in register().items():
        targets = entry.get("targets", [])
        assert entry.keys() <= {"targets", "record", "over", "reason", "sample", "replaced"}, id
        assert ("record" in entry) == ("over" in entry), id
        assert bool(targets) != ("reason" in entry), id
        assert [each["date"] for each in targets] == sorted(each["date"] for each in targets), id
        assert all(each["reason"] and {"at_least", "at_most"} & each.keys() for each in targets), id
        assert not targets or first_target(entry) != (None, None), id


def fixed(entry):
    """Return the targets of an entry without their reasons."""
    return [tuple(each.get(name) for name in ("at_least", "at_most", "date", "other")) for each in entry.get("targets", [])]


def forgotten(old, new):
    """Yield what a register no longer says of a claim that it still has: a bound that was changed, dropped or put before."""
    for id in old.keys() & new.keys():
        was, now = fixed(old[id]), fixed(new[id])
        if now[: len(was)] != was:
            yield f"{id}: {was} was fixed, and {now} stands there"


def test_no_target_is_forgotten():
    """Compared with every version of the register that the repository remembers."""
    path = str(REGISTER.relative_to(ROOT))
    git = ["git", "-C", str(ROOT)]
    log = subprocess.run([*git, "log", "--format=%H", "--", path], capture_output=True, text=True)
    if log.returncode:
        pytest.skip("there is no history here")
    for commit in log.stdout.split():
        old = tomllib.loads(subprocess.run([*git, "show", f"{commit}:{path}"], capture_output=True, text=True).stdout)
        assert not list(forgotten(old, register())), commit


# ------------------------------------------------------------------------------------------------- in the table


def write(folder, *stored, name="01_first"):
    """Write a chapter whose cells hold these rows."""
    cells = [new_markdown_cell("# Chapter")]
    for row in stored:
        output = new_output("execute_result", {"text/plain": "", "text/html": "<p>shown</p>", MIME: row}, execution_count=1)
        cells += [new_markdown_cell(f"(cell-{row.get('id')})="), new_code_cell("", outputs=[output], execution_count=1)]
    path = folder / "book" / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": run_notebooks.KERNELSPEC}), path)
    return path


GOOD = claim("good", "It *holds*: $1 = 1$.", 1.0, at_least=0.97, source="paper").row
DRAWN = dict(id="drawn", statement="s", value=0.5)
MISSED = dict(id="missed", statement="s", value=0.9, at_least=0.95, source="paper")
HIDDEN = dict(id="hidden", statement="s", value=1.0, at_most=1)


def test_verdicts_are_counted_and_what_is_not_public_and_the_papers_by_themselves(tmp_path):
    claims, faults = tokensel_claims.collect({"first": write(tmp_path, GOOD, DRAWN, MISSED, HIDDEN)}, tmp_path)
    assert not faults
    assert [found.verdict for _, found in claims.values()] == ["holds", "describes", "missed", "holds"]
    assert tokensel_claims.counts(claims) == {
        "claims_count": "1 claims hold, 1 miss their target and 1 only describe",
        "claims_not_public": "1 of 1 hold",
        "claims_of_paper": "of the paper's 2 results 1 are reproduced, 0 partly and 1 not",
    }


def build(folder, *stored):
    """Build a book of one chapter and the table, strictly; return the exit status and the page of the table."""
    write(folder, *stored)
    (folder / "_toc.yml").write_text("root: book/claims\nchapters:\n  - file: book/01_first\n")
    (folder / "book" / "claims.md").write_text(
        "# Claims\n\n```{claims-table}\n```\n\nToday {{ claims_count }}.\n\n```{toctree}\n01_first\n```\n"
    )
    (folder / "conf.py").write_text(
        "extensions = ['myst_nb', 'sphinx.ext.extlinks', 'tokensel_claims']\n"
        "master_doc = 'book/claims'\nnb_execution_mode = 'off'\nsuppress_warnings = ['mystnb.unknown_mime_type']\n"
        "myst_enable_extensions = ['dollarmath', 'substitution']\nextlinks = {'repo': ('https://example.org/%s', '%s')}\n"
    )
    status = build_main(["-W", "-n", "--keep-going", "-q", str(folder), str(folder / "html")])
    return status, (folder / "html" / "book" / "claims.html").read_text("utf-8")


@pytest.mark.filterwarnings("default")
def test_a_stored_row_that_cannot_stand_fails_the_strict_build_and_the_table_says_so(tmp_path, capsys):
    status, page = build(tmp_path, GOOD, MISSED, DRAWN)
    assert status == 0
    assert "Today 1 claims hold, 1 miss their target and 1 only describe." in page
    assert 'id="claim-good"' in page
    assert 'href="01_first.html#cell-good"' in page
    assert "✓ holds" in page
    assert "✗ missed" in page
    assert page.count("<details>") == 2  # the register knows nothing of the first
    assert "<p>≥ 0.9, 2026-01-02: later.</p>" in page
    status, page = build(tmp_path, GOOD | {"value": 0.96})
    assert status != 0
    assert "book/01_first: good: 0.96 is not ≥ 0.97" in capsys.readouterr().err
    assert "Today 0 claims hold, 1 miss their target and 0 only describe." in page
    assert "✗ missed" in page


# ------------------------------------------------------------------------------------------------- in the notebook


def write_chapter(folder, number):
    """Write a chapter of one claim, whose number comes from a file beside it."""
    folder.mkdir()
    (folder / "behind.py").write_text(f"number = {number}\n")
    imports = "from behind import number\nfrom tokensel_nb.chapters import claim\n"
    cell = new_code_cell(imports + 'claim("halves", "A whole.", number, at_least=0.97)')
    path = folder / f"{folder.name}.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Chapter"), cell]), path)
    return path


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Run one chapter whose claim holds and one whose claim does not, as `make book` would."""
    folder = tmp_path_factory.mktemp("ran")
    paths = [write_chapter(folder / name, number) for name, number in [("good", 0.98345), ("bad", 0.969)]]
    run = [sys.executable, run_notebooks.__file__, "--to", folder / "to", *paths]
    return subprocess.run(run, capture_output=True, text=True), folder / "to"


def test_the_runner_of_make_book_fails_when_a_claim_does(ran):
    done, folder = ran
    assert done.returncode == 1
    assert "bad.ipynb is left as it was" in done.stderr
    assert "halves: 0.969 is not ≥ 0.97" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["good.ipynb"]
    (row,) = [row for cell in read(folder / "good.ipynb").cells for row in rows(cell)]
    assert row["value"] == 0.983
