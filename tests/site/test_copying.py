"""A reader who copies the blocks of code from a page, in their order, gets the numbers that the page prints.

The blocks and the results are taken from the built page. Every page shows exactly the code and the results of its notebook,
which nbval runs; and the blocks run in a plain Python session without anything of Jupyter's too.
"""

import json
import os
import subprocess
import sys

import pytest
from notebooks import NOTEBOOKS, code_cells, printed, read
from pages import CHAPTERS, soup
from results import difference

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
    """Return the code of every cell of a page, and the text that it shows as printed (None where that may differ).

    A cell may stand in two parts: a picture that is open, or code, and in the fold behind it what is not.
    """
    found = []
    for cell in soup(page).select("div.cell"):
        code = "".join(block.get_text() for block in cell.select("div.cell_input pre"))
        shown = "".join(block.get_text() for block in cell.select(".cell_output .output.stream pre, .cell_output .claim"))
        if code:
            found.append((code, None if "tag_nbval-ignore-output" in cell["class"] else shown))
        elif shown and found[-1][1] is not None:
            found[-1] = (found[-1][0], found[-1][1] + shown)
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_shows_the_code_and_the_results_of_its_notebook(site, path):
    """Character by character, so that what a reader copies is what was checked; a plaything of notebooks is on no page."""
    cells = [cell for cell in code_cells(read(path)) if "remove-cell" not in cell.metadata.get("tags", ())]
    for cell, (code, shown) in zip(cells, blocks(site / "book" / f"{path.stem}.html"), strict=True):
        assert code.rstrip("\n") == cell.source.rstrip("\n")
        if shown is not None:
            assert shown.rstrip("\n") == printed(cell).rstrip("\n")


@pytest.mark.long
@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_copied_blocks_print_what_the_page_shows(page, tmp_path):
    """But for a unit of the last digit, and the value of a last line, which is shown as a table."""
    copied = blocks(page)
    assert sum(bool(shown) for _, shown in copied) >= 5
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SESSION], input=json.dumps([code for code, _ in copied]), cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "Agg"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    for (_, shown), found in zip(copied, json.loads(done.stdout), strict=True):
        if shown:
            assert not difference(shown, "\n".join(found.splitlines()[: len(shown.splitlines())]))
