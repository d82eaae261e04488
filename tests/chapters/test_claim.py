"""A claim can be missed or fail: in its cell, and in the strict build of its row; and there are not too many of them."""

import re
import subprocess
import sys
import tomllib

import nbformat
import pytest
import run_notebooks
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebooks import NOTEBOOKS, ROOT, prose, read, rows
from sphinx.cmd.build import build_main

from tokensel_nb.chapters.claim import MIME, Claim, ClaimMissedError, claim, register

MOST = 130  # claims: readers stumble over marks
MARK = re.compile(r"\{checked\}`")
PLANTED = tomllib.loads("""
[near]
target = { at_least = 0.95, date = 2026-01-01, reason = "first" }
changed = "≥ 0.9 on 2026-01-02: later"
record = { at_least = 0.8, at_most = 1, over = "five seeds" }
[drawn]
record = { at_least = 0.5, at_most = 0.52, over = "two seeds" }
reason = "none was fixed"
""")


@pytest.fixture(scope="module", autouse=True)
def planted():
    """Let the register have entries of this file's own, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[claim.__module__], "register", lambda: register() | PLANTED)
        yield


@pytest.mark.parametrize(
    ("bounds", "good", "bad"),
    [({"at_most": 1}, 1, 1.001), ({"at_least": 0.97}, 0.97, 0.9699999), ({"at_least": -1, "at_most": 1}, 0, -1.5)],
)
def test_bounds_of_a_readers_own_are_included_and_numbers_judged_unrounded(bounds, good, bad):
    assert claim("name", "s", good, **bounds).holds
    for missed in (bad, float("nan")):
        with pytest.raises(ClaimMissedError, match=re.escape(str(missed))):
            claim("name", "s", missed, **bounds)


@pytest.mark.parametrize(
    ("value", "options", "line"),
    [
        (0.98345, {"at_least": 0.97, "digits": 2}, "a: 0.98 (≥ 0.97)"),
        (7780, {"at_least": 7_688, "at_most": 7_844}, "a: 7,780 (7,688 to 7,844)"),
        (-0.5, {"at_least": -0.55, "at_most": -0.45}, "a: −0.500 (−0.55 to −0.45)"),
        (1.386e-16, {"at_most": 1e-12}, "a: ≤ 10⁻¹²"),
    ],
)
def test_the_line_shows_the_number_or_the_bound_of_an_error_of_rounding(value, options, line):
    assert repr(claim("a", "s", value, **options)) == line


def test_the_register_judges_and_a_call_cannot():
    assert repr(claim("near", "s", 0.92)) == "near: 0.920 (target ≥ 0.95, missed)"
    assert repr(claim("drawn", "s", 0.51)) == "drawn: 0.510 (describes)"
    with pytest.raises(ValueError, match=re.escape("near: its target stands in targets.toml")):
        claim("near", "s", 0.92, at_least=0.9)
    with pytest.raises(ClaimMissedError, match=r"near: 0.798 is not what was recorded, 0.8 to 1"):
        claim("near", "s", 0.798)
    with pytest.raises(ValueError, match="near: more digits than 3"):  # for 0.950 would hold
        claim("near", "s", 0.9496)


def test_the_notebooks_make_the_claims_of_the_register_and_not_too_many():
    told = [Claim(**row) for path in NOTEBOOKS for cell in read(path).cells for row in rows(cell)]
    assert sorted(each.id for each in told) == sorted(register())
    assert len(told) <= MOST
    assert not [each for each in told if each.fault]
    for file, _, test in {(each.backed_by or "README.md").partition("::") for each in told}:
        assert f"def {test}(" in (ROOT / file).read_text("utf-8") if test else (ROOT / file).is_file()


@pytest.mark.parametrize("path", [*NOTEBOOKS, *sorted(ROOT.glob("book/**/*.md"))], ids=lambda path: path.stem)
def test_a_paragraph_has_one_mark(path):
    paragraphs = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) )", prose(path))
    assert not [each for each in paragraphs if len(MARK.findall(each)) > 1]


def test_the_chapter_on_transformers_can_be_read_without_stumbling():
    chapter = next(path for path in NOTEBOOKS if path.stem == "10_transformers")
    assert len(MARK.findall(prose(chapter))) <= 15


def build(folder, *stored):
    """Build a book of one chapter and the table, strictly; return the exit status and the two pages."""
    cells = [new_markdown_cell("# Chapter")]
    for row in stored:
        output = new_output("execute_result", {"text/plain": "", MIME: row}, execution_count=1)
        label = new_markdown_cell(f"So it is.{{checked}}`{row['id']}`\n\n(cell-{row['id']})=")
        cells += [label, new_code_cell("", outputs=[output], execution_count=1)]
    (folder / "book").mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": run_notebooks.KERNELSPEC}), folder / "book/01_first.ipynb")
    (folder / "_toc.yml").write_text("root: book/claims\nchapters:\n  - file: book/01_first\n")
    text = "# Claims\n\n```{claims-table}\n```\n\nToday {{ claims_count }}.\n\n```{toctree}\n01_first\n```\n"
    (folder / "book/claims.md").write_text(text)
    (folder / "conf.py").write_text(
        "extensions = ['myst_nb', 'sphinx.ext.extlinks', 'tokensel_claims']\n"
        "master_doc = 'book/claims'\nnb_execution_mode = 'off'\nsuppress_warnings = ['mystnb.unknown_mime_type']\n"
        "myst_enable_extensions = ['dollarmath', 'substitution']\nextlinks = {'repo': ('https://example.org/%s', '%s')}\n"
    )
    status = build_main(["-W", "-n", "--keep-going", "-q", str(folder), str(folder / "html")])
    return status, *((folder / f"html/book/{page}.html").read_text("utf-8") for page in ("claims", "01_first"))


@pytest.mark.filterwarnings("default")
def test_pages_tell_what_was_measured_and_a_row_that_cannot_stand_fails_the_strict_build(tmp_path, capsys):
    near, drawn = claim("near", "It *misses*.", 0.9).row, claim("drawn", "s", 0.5).row
    status, table, chapter = build(tmp_path, near, drawn)
    assert status == 0
    assert "Today 0 claims hold, 1 miss their target and 1 only describe." in table
    for there in ('id="claim-near"', 'href="01_first.html#cell-near"', "✗ missed", "<p>≥ 0.95, 2026-01-01: first.</p>"):
        assert there in table
    assert 'popovertarget="mark-0" aria-label="Claim near: missed">✗</button>' in chapter
    assert 'href="claims.html#claim-near"' in chapter
    status, *_ = build(tmp_path, near | {"value": 0.78})
    assert status != 0
    assert "near: 0.78 is not what was recorded" in capsys.readouterr().err


def test_the_runner_fails_when_a_claim_does(tmp_path):
    code = 'from tokensel_nb.chapters import claim\nclaim("halves", "A whole.", 0.969, at_least=0.97)'
    nbformat.write(new_notebook(cells=[new_markdown_cell("# Chapter"), new_code_cell(code)]), tmp_path / "one.ipynb")
    run = [sys.executable, run_notebooks.__file__, "--to", tmp_path / "to", tmp_path / "one.ipynb"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 1
    assert "halves: 0.969 is not ≥ 0.97" in done.stderr
