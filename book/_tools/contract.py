"""The promise to people who run a single notebook elsewhere: its first cell and an empty folder are enough.

    python book/_tools/contract.py [notebook ...]        (default: every notebook of the book)

Runs notebooks with the Python that runs this file, from empty folders, where nothing of the repository can be found by chance:
`make contract` makes a clean environment for it with the newest of all that the package needs, as a hosted runtime has it;
CI takes the one that is there, such as that of Colab's own image. The first cell believes that it is on Colab and installs the
package, from a wheel that is built now. Notebooks that are named run as they are, with the package from its public address.
Every package that was there must be the same afterwards. Numbers are not compared: newer libraries may round differently; that
no cell fails is the contract.
"""

import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

import first_cells
import nbformat
from run_notebooks import execute

COLAB = "import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')\n"


def main(names: list[str]) -> None:
    """Run notebooks as on Colab; exit with 1 unless all run and no package that was there is exchanged."""
    os.environ["JUPYTER_PATH"] = ""  # no kernel but this Python's own
    notebooks = [Path(name) for name in names] or sorted((first_cells.ROOT / "book").glob("*.ipynb"))
    before = preloaded()
    with tempfile.TemporaryDirectory() as folder:
        wheel = None if names else build_wheel(Path(folder))
        failed = [notebook.name for notebook in notebooks if not runs(notebook, wheel, Path(folder) / notebook.stem)]
    print(f"{len(notebooks) - len(failed)} of {len(notebooks)} notebooks run from their first cell alone", *failed)
    if exchanged := before - preloaded():
        print(f"the first cell exchanged {sorted(exchanged)}")
    raise SystemExit(bool(failed or exchanged))


def build_wheel(folder: Path) -> Path:
    """Return the wheel of the package as it is now."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder]
    subprocess.run([*pip, first_cells.ROOT], check=True)
    return next(folder.glob("*.whl"))


def preloaded() -> set[str]:
    """Return every installed package with its version; a hosted runtime may have loaded it before the first cell runs."""
    return {f"{each.name} {each.version}" for each in distributions()}


def runs(path: Path, wheel: Path | None, folder: Path) -> bool:
    """Whether a notebook runs from start to end in a folder of its own."""
    folder.mkdir()
    notebook = nbformat.read(path, as_version=4)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    if wheel:
        assert first_cells.package() in first.source, "the first cell does not install the package"
        first.source = first.source.replace(first_cells.package(), wheel.as_uri())
    first.source = COLAB + first.source
    try:
        execute(notebook, folder)
    except Exception as error:  # whatever it is, the next notebook is tried too
        print(f"FAILS {path.name}: {error}", flush=True)
        return False
    print(f"runs  {path.name}: {''.join(output.get('text', '') for output in first.outputs).strip()}", flush=True)
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
