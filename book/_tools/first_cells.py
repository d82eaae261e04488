"""What every notebook begins with: a badge that opens it in Colab, and a cell that makes the package ready there.

Both name the project's public address, which pyproject.toml alone decides: `make notebooks` stamps them anew. Between
releases they take the branch `main` as it is; a release holds them to its tag and to the digest of its wheel (release.py).
"""

import re
import tomllib
from pathlib import Path

import nbformat
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[2]
BADGE = "[![Open this notebook in Colab](images/colab.svg)]"

# Plain Python, no magic: it works when copied into any session. Much of what Colab has is loaded already when this cell
# runs; an install that exchanged it would ask for a restart, so pip is held to all of it. This package itself may be renewed.
SETUP = """import subprocess
import sys
from pathlib import Path

if "google.colab" in sys.modules:  # elsewhere, the package is there already
    package = "tokensel-nb[book] @ PACKAGE"
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


def settings() -> dict:
    """Return what pyproject.toml says."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def address() -> str:
    """Return the repository's public address."""
    return settings()["project"]["urls"]["Repository"].rstrip("/")


def released() -> dict[str, str]:
    """Return the tag, the wheel and the digest that the notebooks are held to; nothing between releases."""
    return settings()["tool"].get("tokensel", {}).get("release", {})


def package() -> str:
    """Return where pip finds the package; pip compares the digest where one is named."""
    if of := released():
        return f"{address()}/releases/download/{of['tag']}/{of['wheel']}#sha256={of['sha256']}"
    return f"{address()}/archive/main.zip"


def badge(name: str) -> str:
    """Return the line that opens the notebook of that file name in Colab."""
    place = address().removeprefix("https://github.com/")
    return f"{BADGE}(https://colab.research.google.com/github/{place}/blob/{released().get('tag', 'main')}/book/{name})"


def setup() -> str:
    """Return the code of the first cell."""
    return SETUP.replace("PACKAGE", package())


def stamp(notebook: NotebookNode, name: str) -> None:
    """Set the badge below the title and, behind the question that follows, the first code cell, whatever stood there before."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    rest = re.sub(rf"^\s*{re.escape(BADGE)}\(\S*\)", "", rest).strip()
    notebook.cells[0].source = f"{title}\n\n{badge(name)}\n\n{rest}".rstrip()
    if not any(cell.cell_type == "code" and "google.colab" in cell.source for cell in notebook.cells[:2]):
        notebook.cells.insert(1, new_code_cell())
    notebook.cells[1].source = setup()
    notebook.cells[1].metadata = from_dict(METADATA)


def stamp_all() -> None:
    """Stamp every notebook; what they show stays."""
    for path in sorted((ROOT / "book").glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        stamp(notebook, path.name)
        nbformat.write(notebook, path)
