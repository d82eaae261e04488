"""A claim can fail: in its cell, in nbval, in the runner of `make book`, and in the strict build of its stored row."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import run_notebooks
import tokensel_book
import tokensel_claims
import torch
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebooks import read, rows
from sphinx.cmd.build import build_main

from tokensel_nb.chapters import claim
from tokensel_nb.chapters.claim import MIME, Claim, ClaimMissedError, rounded, written

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


def test_a_missed_claim_is_a_failed_assertion():
    assert issubclass(ClaimMissedError, AssertionError)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (claim("a", "s", 0.98345, at_least=0.97), "a: 0.983 (≥ 0.97)"),
        (claim("a", "s", 0.98345, at_least=0.97, digits=2), "a: 0.98 (≥ 0.97)"),
        (claim("a", "s", 7780, at_least=7_688, at_most=7_844), "a: 7,780 (7,688 to 7,844)"),
        (claim("a", "s", -0.5, at_least=-0.55, at_most=-0.45), "a: −0.500 (−0.55 to −0.45)"),
        (claim("a", "s", 1.386e-16, at_most=1e-12), "a: ≤ 10⁻¹²"),
        (claim("a", "s", 0, at_most=0), "a: 0 (≤ 0)"),
        (claim("a", "s", 0.668, at_least=0.65, descriptive=True), "a: 0.668 (≥ 0.65; descriptive)"),
    ],
)
def test_the_line_shows_the_number_or_the_bound_of_an_error_of_rounding(found, line):
    assert repr(found) == line
    assert found._repr_mimebundle_()["text/plain"] == line


def test_numbers_are_written_for_people():
    assert [written(x) for x in (0.99, -0.45, 1e-10, 3e-7, 7844, 8558.0)] == [
        "0.99",
        "−0.45",
        "10⁻¹⁰",
        "3 × 10⁻⁷",
        "7,844",
        "8,558",
    ]
    assert [written(x, 3) for x in (1.0, 57.26, 100.0, 1.684e-5)] == ["1.00", "57.3", "100", "1.68 × 10⁻⁵"]


@pytest.mark.parametrize("number", [np.float32(0.5), np.array(0.5), np.array([0.5]), torch.tensor(0.5), np.int64(1), 1])
def test_numbers_of_every_library_are_judged_and_stored_as_plain_ones(number):
    row = claim("a", "s", number, at_least=np.float64(0.4), at_most=np.int64(2)).row
    assert json.loads(json.dumps(row)) == row


@pytest.mark.parametrize("value", [True, np.True_, np.array(1) == 1, "1", None])
def test_a_truth_is_no_number(value):
    with pytest.raises(TypeError, match="a claim judges numbers"):
        claim("a", "s", value, at_least=1)


@pytest.mark.parametrize("wrong", [{}, {"at_least": 1, "source": "the press"}])
def test_a_claim_without_a_bound_or_a_source_is_refused(wrong):
    with pytest.raises(ValueError, match="a: a claim has"):
        claim("a", "s", 1, **wrong)


# ------------------------------------------------------------------------------------------------- in the table


@pytest.mark.parametrize(
    ("value", "bounds"),
    [(0.96961, {"at_least": 0.9696}), (0.12344, {"at_most": 0.12345}), (0, {"at_most": 1e-12}), (5, {"at_most": 5})],
)
def test_a_row_is_stored_with_the_digits_that_are_shown_and_holds(value, bounds):
    """Even where the bound has more digits, and the rounded number lies beyond it."""
    row = claim("a", "s", value, **bounds).row
    assert row["value"] == (None if bounds == {"at_most": 1e-12} else rounded(value, 3))
    assert Claim(**row).row_holds


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
DRAWN = claim("drawn", "s", 0.5, at_least=0.4, descriptive=True).row
FAULTS = {
    "missed": GOOD | {"value": 0.96},
    "a bound shown that is no error of rounding": GOOD | {"value": None},
    "no field of a claim": GOOD | {"measured": 1.0},
    "a field is missing": {"id": "short"},
    "no number": GOOD | {"value": "1"},
    "no bound": GOOD | {"at_least": None},
    "backed by a file that is not there": GOOD | {"backed_by": "tests/test_gone.py"},
    "backed by a test that is not there": GOOD | {"backed_by": "tests/test_here.py::test_gone"},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_stored_row_is_found(tmp_path, fault):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_here.py").write_text("def test_here(): ...")
    good = [GOOD, DRAWN | {"backed_by": "tests/test_here.py::test_here"}]
    assert tokensel_claims.collect({"book/01_first": write(tmp_path, *good)}, tmp_path)[1] == []
    (found,) = tokensel_claims.collect({"book/01_first": write(tmp_path, FAULTS[fault])}, tmp_path)[1]
    assert found.startswith("book/01_first: ")


def test_two_rows_of_one_id_are_found(tmp_path):
    chapters = {name: write(tmp_path, GOOD, name=name) for name in ("01_first", "02_second")}
    assert tokensel_claims.collect(chapters, tmp_path)[1] == ["02_second: a second row of good"]


def test_rows_that_describe_do_not_count(tmp_path):
    missed = GOOD | {"id": "missed", "value": 0.5}
    claims, _ = tokensel_claims.collect({"first": write(tmp_path, GOOD, DRAWN, missed)}, tmp_path)
    assert tokensel_claims.count(claims) == "1 of 2 claims hold"
    assert [tokensel_claims.verdict(found) for _, found in claims.values()] == ["yes", "describes", "no"]


def test_pages_are_made_from_the_notebooks_that_were_just_run(tmp_path, monkeypatch):
    (tmp_path / "_toc.yml").write_text(
        "root: book/index\nchapters:\n - file: book/02_b\n - file: book/01_a\n - file: book/claims\n"
    )
    for name in ("01_a", "02_b"):
        write(tmp_path, name=name)
    app = SimpleNamespace(srcdir=tmp_path)
    assert tokensel_book.notebooks(app) == {f"book/{name}": tmp_path / "book" / f"{name}.ipynb" for name in ("02_b", "01_a")}
    monkeypatch.setenv("TOKENSEL_NOTEBOOKS", "_build/run")
    (tmp_path / "_build" / "run").mkdir(parents=True)
    (tmp_path / "_build" / "run" / "01_a.ipynb").write_text("just run")
    source = ["stored"]
    tokensel_book.take_notebook(app, "book/01_a", source)
    tokensel_book.take_notebook(app, "book/claims", source)
    assert source == ["just run"]


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
def test_a_stored_row_beyond_its_bound_fails_the_strict_build_and_the_table_says_so(tmp_path, capsys):
    status, page = build(tmp_path, GOOD)
    assert status == 0
    assert "1 of 1 claims hold" in page
    assert 'id="claim-good"' in page
    assert 'href="01_first.html#cell-good"' in page
    assert "✓ yes" in page
    status, page = build(tmp_path, GOOD | {"value": 0.96})
    assert status != 0
    assert "book/01_first: missed: good: 0.960 (≥ 0.97)" in capsys.readouterr().err
    assert "0 of 1 claims hold" in page
    assert "✗ no" in page


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


def test_nbval_finds_a_changed_number_and_changed_code(ran, tmp_path):
    stored = (ran[1] / "good.ipynb").read_text("utf-8")
    for name, number, text in [("same", 0.98345, "0.983"), ("number", 0.98345, "0.984"), ("code", 0.98449, "0.983")]:
        write_chapter(tmp_path / name, number).write_text(stored.replace("0.983", text), "utf-8")
    run = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    outcomes = set(re.findall(r"^(PASSED|FAILED) (\w+)/\w+.ipynb::Cell 1", done.stdout, flags=re.M))
    assert outcomes == {("FAILED", "code"), ("FAILED", "number"), ("PASSED", "same")}, done.stdout
