"""Which code a learner should read, on the pages and in the notebooks: the model's, its steps and loops, not the evidence.

What no pattern finds is the model's, though some of these lines only print. `python book/_tools/open_code.py`, after
`make notebooks`, says how much of what the notebooks leave open is.
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import nbformat

BUILT = Path(__file__).parents[2] / "_build" / "notebooks" / "reader"
KINDS = {
    "import": r"(from \w[\w.]* )?import ",
    "claim": r"claim\(",
    "check": r"check\(|check = Checks|def .*:\s+return \.\.\.$",
    "recorded": r".*\brecorded\(",
    "plot": r".*(\b(plt|fig|ax|axes|axis|upper|lower|play)(\.|\[.*\]\.)\w+\(|\b(plot|draw)_\w+\()|def \w+\(ax\b",
}


def kinds(source: str) -> Counter:
    """Return how many lines of a cell are of each kind; one that reads recorded data has no others."""
    lines, found = source.splitlines(), Counter()

    def sort(statement: ast.stmt) -> None:
        """Count a statement; one with a body by its statements, but for a function that is of a kind as a whole."""
        first, last = statement.lineno - 1, statement.end_lineno
        inner = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt)]
        whole = re.sub(r"\s*\n\s*", " ", "\n".join(lines[first:last])).strip()
        kind = next((kind for kind, pattern in KINDS.items() if re.match(pattern, whole)), "model")
        if inner and not isinstance(statement, ast.FunctionDef):
            found["model"] += sum(bool(line.strip()) for line in lines[first : inner[0].lineno - 1])
            return [sort(each) for each in inner]
        found[kind] += (count := sum(bool(line.strip()) for line in lines[first:last]))
        found["print"] += count * whole.startswith("print(")

    for statement in ast.parse(source).body:
        sort(statement)
    return Counter(recorded=found.total() - found["print"]) if found["recorded"] else found


def shows_model(*cells: str) -> bool:
    """Say whether two thirds of the lines of some cells are the model's, and not its evidence."""
    found = sum(map(kinds, cells), Counter())
    return 3 * (found["model"] - found["print"]) >= 2 * (found.total() - found["print"]) > 0


def main(folder: str = BUILT) -> None:
    """Print a row a chapter, and one for all."""
    rows = {}
    for path in sorted(Path(folder).glob("*.ipynb")):
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        closed = [cell.metadata.get("jupyter", {}).get("source_hidden") or "# @title" in cell.source for cell in cells]
        rows[path.stem] = sum((kinds(cell.source) for cell, shut in zip(cells, closed, strict=True) if not shut), Counter())
    rows["all"] = sum(rows.values(), Counter())
    print(f"{'chapter':16} open model print share  open but not model")
    for name, row in rows.items():
        others = ", ".join(f"{row[kind]} {kind}" for kind in KINDS if row[kind])
        lines = row.total() - row["print"]  # which are the model's, too
        print(f"{name:16}{lines:5}{row['model']:6}{row['print']:6}{row['model'] / lines:6.0%}  {others}")


if __name__ == "__main__":
    main(*sys.argv[1:])
