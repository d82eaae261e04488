"""Numbers that the text repeats are those that the cells of its section print, to a unit of their last digit."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from notebooks import NOTEBOOKS, read
from results import CLAIM, NUMBER, Number, texts

# Formulas, code, targets of links and directives' options are no sentences.
NO_PROSE = re.compile(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|^:.*?$|<[^>]*>", re.S | re.M)
# Numbers of the paper, of other sections and of sources that are named beside them: no cell of their own section prints them.
ELSEWHERE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def sections(notebook):
    """Yield the cells of every section."""
    cells = []
    for cell in notebook.cells:
        if cells and cell.cell_type == "markdown" and re.match("##? ", cell.source):
            yield cells
            cells = []
        cells.append(cell)
    yield cells


def numbers(text):
    """Return the numbers of a text as they are written."""
    return [(match[0].strip(), Number(match)) for match in NUMBER.finditer(text)]


def known(cells):
    """Return the numbers that a section's cells print, or are told in their code."""
    for cell in cells:
        said = texts(cell.outputs)
        yield from (abs(row["value"] or 0) for row in said.pop(CLAIM, []))
        for text in [cell.source, *chain.from_iterable(said.values())]:
            yield from (abs(number.value) / (100 if number.percent else 1) for _, number in numbers(text))


def unknown(notebook):
    """Return the decimals and percentages of the text that no cell of the same section knows."""
    missing = []
    for cells in sections(notebook):
        values = list(known([cell for cell in cells if cell.cell_type == "code"]))
        for cell in (cell for cell in cells if cell.cell_type == "markdown"):
            for written, number in numbers(NO_PROSE.sub(" ", cell.source)):
                part = 100 if number.percent else 1
                near = any(abs(value - abs(number.value) / part) <= number.unit / part * (1 + 1e-9) for value in values)
                missing += [written] * (number.unit > 0 and not near)
    return sorted(set(missing))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_numbers_in_the_text_are_those_of_the_cells(path):
    assert unknown(read(path)) == sorted(ELSEWHERE.get(path.stem, []))


def test_a_stale_number_is_found():
    cell = new_code_cell("1 - 0.16", outputs=[new_output("stream", name="stdout", text="accuracy 0.842, 71%\n")])
    sure = new_markdown_cell("## Section\n\nIt gets 0.84, or 84.2%, and 71% of $0.5$ with `0.6`; 0.16 is wrong.")
    stale = new_markdown_cell("It gets 0.82, and 73% or −0.84.")

    def notebook(*cells):
        return type("Notebook", (), {"cells": cells})

    assert unknown(notebook(sure, cell)) == []
    assert unknown(notebook(sure, cell, stale)) == ["0.82", "73%"]
    assert unknown(notebook(sure, cell, new_markdown_cell("## Next"), sure)) == ["0.16", "0.84", "71%", "84.2%"]
