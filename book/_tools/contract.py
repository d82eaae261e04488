"""The promise to people who run a single notebook elsewhere: the wheel and the newest libraries are enough.

    python book/_tools/contract.py [notebook ...]        (default: every notebook of the book)

Builds the wheel, installs it in a clean environment with today's newest releases of whatever it needs, and runs every
notebook from an empty folder, where nothing of the repository can be found by chance. Numbers are not compared: newer
libraries may round differently; that no cell fails is the contract.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
"""
VERSIONS = "import numpy, tokensel_nb, torch; print('numpy', numpy.__version__, 'torch', torch.__version__)"


def main(names):
    """Run notebooks from the wheel alone; exit with 1 unless all run."""
    notebooks = [Path(name).resolve() for name in names] or sorted((ROOT / "book").glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        python = environment(folder)
        run(python, "-c", VERSIONS, cwd=folder)
        failed = [notebook.name for notebook in notebooks if not runs(python, notebook, folder / notebook.stem)]
    print(f"{len(notebooks) - len(failed)} of {len(notebooks)} notebooks run from the wheel alone", *failed)
    raise SystemExit(bool(failed))


def environment(folder):
    """Return the Python of a new environment that holds the wheel, its newest dependencies, and what runs a notebook."""
    uv = Path(sys.executable).with_name("uv")
    run(uv, "build", "--quiet", "--wheel", "--out-dir", folder / "wheel", ROOT)
    run(uv, "venv", "--quiet", folder / "venv")
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    (wheel,) = (folder / "wheel").glob("*.whl")
    run(uv, "pip", "install", "--quiet", "--python", python, "--upgrade", wheel, "nbclient", "ipykernel", "pip")
    return python


def runs(python, notebook, folder):
    """Whether a notebook runs from start to end in a folder of its own."""
    folder.mkdir()
    copy = shutil.copy(notebook, folder)
    kernels = os.environ | {"JUPYTER_PATH": "", "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([python, "-c", RUN, copy], cwd=folder, env=kernels, capture_output=True, text=True)
    print(f"{'runs ' if done.returncode == 0 else 'FAILS'} {notebook.name}", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.strip().splitlines()[-15:]))
    return done.returncode == 0


def run(*command, cwd=None):
    """Run a command; stop if it fails."""
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
