"""Numbers that the text repeats are those that the cells of its section print, a summary's those of its chapter (one unit)."""

import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from notebooks import NOTEBOOKS, read
from results import CLAIM, NUMBER, Number, texts

# Formulas, code, targets of links and directives' options are no sentences; numbers of theorems are names.
NAMES = r"(?:Theorem|Lemmas?) [\d.]*\d(?: and [\d.]*\d)?"
NO_PROSE = re.compile(rf"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)|^:.*?$|<[^>]*>|{NAMES}", re.S | re.M)
SUMMARY = re.compile(r"^## (?:What was seen|Takeaways|What the paper says).*?(?=^## |\Z)", re.S | re.M)
# Numbers of the paper, of other sections and of sources that are named beside them: no cell of their own section prints them.
ELSEWHERE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def sections(notebook):
    """Yield the text of every section with its cells of code, and that of the summaries with the cells of the whole chapter."""
    text, summaries, code = "", "", []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            code.append(cell)
            continue
        if re.match("##? ", cell.source):
            yield text, code
            text, code = "", []
        text += NO_PROSE.sub(" ", SUMMARY.sub("", cell.source)) + "\n"
        summaries += NO_PROSE.sub(" ", "\n".join(SUMMARY.findall(cell.source)))
    yield text, code
    yield summaries, [cell for cell in notebook.cells if cell.cell_type == "code"]


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
    for text, code in sections(notebook):
        values = list(known(code))
        for written, number in numbers(text):
            part = 100 if number.percent else 1
            near = any(abs(value - abs(number.value) / part) <= number.unit / part * (1 + 1e-9) for value in values)
            missing += [written] * (number.unit > 0 and not near)
    return sorted(set(missing))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_numbers_in_the_text_are_those_of_the_cells(path):
    assert unknown(read(path)) == sorted(ELSEWHERE.get(path.stem, []))


@pytest.mark.parametrize(
    "path", sorted([*Path(__file__).parents[2].glob("book/**/*.md"), *NOTEBOOKS]), ids=lambda path: path.stem
)
def test_chapters_are_named_by_role_or_link(path):
    """A typed number is wrong as soon as a chapter is added or moved; the role {chapter} looks it up."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = read(path).cells
        captions = [json.dumps(cell.metadata.get("mystnb", {}), ensure_ascii=False) for cell in cells]
        text = "\n".join([*(cell.source for cell in cells), *captions])
    assert not re.search(r"\b[Cc]hapters? \d", text), path.stem
