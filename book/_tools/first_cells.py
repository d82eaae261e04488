"""What every notebook begins with: a badge that opens it in Colab, and a cell that makes the package ready there.

    python book/_tools/first_cells.py        (stamps all notebooks anew; what they show stays)

Both name the project's public address and the branch `main`, or the tag of a release: pyproject.toml decides, in [project.urls]
and [tool.tokensel].
"""

import re
import tomllib
from pathlib import Path

import nbformat
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ADDRESS = PROJECT["project"]["urls"]["Repository"].rstrip("/")
VERSION = PROJECT["tool"]["tokensel"]["notebooks"]  # the branch, or the tag of a release, that they are held to
PACKAGE = f"{ADDRESS}/archive/{VERSION}.zip"  # where pip finds it
BADGE = "[![Open this notebook in Colab](images/colab.svg)]"

# Plain Python, no magic: it works when copied into any session. Much of what Colab has is loaded already when this cell
# runs; an install that exchanged it would ask for a restart, so pip is held to all of it. This package itself may be renewed.
SETUP = f"""import subprocess
import sys
from pathlib import Path

if "google.colab" in sys.modules:  # elsewhere, the package is there already
    package = "tokensel-nb[book] @ {PACKAGE}"
    pip = [sys.executable, "-m", "pip"]
    there = [*pip, "list", "--format=freeze", "--exclude=tokensel-nb"]
    Path("kept.txt").write_bytes(subprocess.check_output(there))
    install = [*pip, "install", "--quiet", "-c", "kept.txt", package]
    subprocess.run(install, check=True)

import tokensel_nb as ts

print(ts.versions())"""

METADATA = {
    "tags": ["hide-cell", "nbval-ignore-output"],  # a reader of the page wants the picture first; versions differ
    "mystnb": {"code_prompt_show": "Show the first cell", "code_prompt_hide": "Hide the first cell"},
}


def badge(name: str) -> str:
    """Return the line that opens the notebook of that file name in Colab."""
    place = ADDRESS.removeprefix("https://github.com/")
    return f"{BADGE}(https://colab.research.google.com/github/{place}/blob/{VERSION}/book/{name})"


def stamp(notebook: NotebookNode, name: str) -> None:
    """Set the badge below the title and, behind the question that follows, the first code cell, whatever stood there before."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    rest = re.sub(rf"^\s*{re.escape(BADGE)}\(\S*\)", "", rest).strip()
    notebook.cells[0].source = f"{title}\n\n{badge(name)}\n\n{rest}".rstrip()
    if not any(cell.cell_type == "code" and "google.colab" in cell.source for cell in notebook.cells[:2]):
        notebook.cells.insert(1, new_code_cell())
    notebook.cells[1].source = SETUP
    notebook.cells[1].metadata = from_dict(METADATA)


if __name__ == "__main__":
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        stamp(notebook, path.name)
        nbformat.write(notebook, path)
