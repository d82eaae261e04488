"""The book's files, and what is in a notebook."""

import json
import re
import sys
from pathlib import Path

# The checker of addresses in JSON schemas compiles grammars for a second as it is imported; no notebook has such an address.
sys.modules.setdefault("rfc3987_syntax", None)

import nbformat  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
TIMES = json.loads((ROOT / "data" / "execution_times.json").read_text("utf-8"))
MIME = "application/vnd.tokensel-nb.claim+json"


def read(path):
    """Return a notebook."""
    return nbformat.read(path, as_version=4)


def seconds(path):
    """Return how long a notebook took when its results were stored; 0 for any other file."""
    return TIMES.get(path.stem, {}).get("seconds", 0) if path.suffix == ".ipynb" else 0


def code_cells(notebook):
    """Return the code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(page):
    """Return what is written on a page, code cells left out."""
    if page.suffix == ".md":
        return page.read_text("utf-8")
    return "\n\n".join(cell.source for cell in read(page).cells if cell.cell_type == "markdown")


def rows(cell):
    """Return the rows of claims that a cell's results hold."""
    return [output.data[MIME] for output in cell.get("outputs", []) if MIME in output.get("data", {})]


def printed(cell):
    """Return what a cell prints, and the line of its claim."""
    shown = [output.get("text") or (output.data["text/plain"] if MIME in output.data else "") for output in cell.outputs]
    return "".join(shown)


def figures(notebook):
    """Return the cells that show a figure, by the figure's name."""
    found = {cell.metadata.get("mystnb", {}).get("figure", {}).get("name"): cell for cell in code_cells(notebook)}
    return {name: cell for name, cell in found.items() if name}


def with_solutions(notebook):
    """Yield the cells of a chapter, with the label of the exercise that they solve, or None; text counts by how it ends."""
    label = None
    for cell in notebook.cells:
        marks = re.findall(r"\{solution-(?:start\} (\S+)|end\})", cell.source) if cell.cell_type == "markdown" else []
        label = marks[-1] or None if marks else label
        yield label, cell
