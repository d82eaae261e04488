"""A reader who copies the blocks of code from a page, in their order, gets the numbers that the page prints.

The blocks and the results are taken from the built page. Every page shows exactly the code and the results of its notebook,
which nbval runs; and the blocks run in a plain Python session without anything of Jupyter's too. For the chapters that take
long, `make copies` does that, and `make test` does not.
"""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from pages import PAGES, ROOT, soup

LONG = 40  # seconds
TIMES = json.loads((ROOT / "data" / "execution_times.json").read_text("utf-8"))
CHAPTERS = [
    pytest.param(page, marks=[pytest.mark.long] if TIMES[page.stem]["seconds"] > LONG else [], id=page.stem)
    for page in PAGES
    if page.stem[:2].isdigit()
]

# A session as one at a terminal: what is printed, and the value of a last line that has one.
SESSION = """
import ast, contextlib, io, json, sys
names, results = {"__name__": "__main__"}, []
for block in json.load(sys.stdin):
    tree = ast.parse(block)
    last = [tree.body.pop()] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "block", "exec"), names)
        exec(compile(ast.Interactive(last), "block", "single"), names)
    results.append(printed.getvalue())
json.dump(results, sys.__stdout__)
"""


def blocks(page):
    """Return the code of every cell of a page, and the text that it shows as printed (None where that may differ)."""
    found = []
    for cell in soup(page).select("div.cell"):
        code = "".join(block.get_text() for block in cell.select("div.cell_input pre"))
        shown = "".join(block.get_text() for block in cell.select("div.cell_output div.output.stream pre"))
        found.append((code, None if "tag_nbval-ignore-output" in cell["class"] else shown))
    return found


def test_every_chapter_has_its_page(site):
    assert {page.stem for page in PAGES if page.stem in TIMES} == set(TIMES)
    assert set(TIMES) == {path.stem for path in (ROOT / "book").glob("*.ipynb")}


@pytest.mark.parametrize("stem", TIMES)
def test_a_page_shows_the_code_and_the_results_of_its_notebook(site, stem):
    """Character by character, so that what a reader copies is what was checked."""
    cells = [c for c in nbformat.read(ROOT / "book" / f"{stem}.ipynb", as_version=4).cells if c.cell_type == "code"]
    for cell, (code, shown) in zip(cells, blocks(site / "book" / f"{stem}.html"), strict=True):
        assert code.rstrip("\n") == cell.source.rstrip("\n")
        if shown is not None:
            assert shown.rstrip("\n") == "".join(output.text for output in cell.outputs if "text" in output).rstrip("\n")


@pytest.mark.parametrize("page", CHAPTERS)
def test_copied_blocks_print_what_the_page_shows(page, tmp_path):
    copied = blocks(page)
    assert sum(bool(shown) for _, shown in copied) >= 5
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SESSION], input=json.dumps([code for code, _ in copied]), cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "Agg"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    for (code, shown), printed in zip(copied, json.loads(done.stdout), strict=True):
        if shown:  # the value of a last line is shown differently: tables are drawn
            assert printed.startswith(shown), code
