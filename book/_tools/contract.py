"""The promise to people who run a single notebook elsewhere: its first cell and an empty folder are enough.

    python book/_tools/contract.py [--here] [notebook ...]        (default: every notebook of the book)

Makes a clean environment with today's newest numpy and torch, as a hosted runtime has them, and runs every notebook there
from an empty folder, where nothing of the repository can be found by chance. The first cell believes that it is on Colab
and installs the package, from a wheel that is built now instead of the public address; numpy and torch must be the same
afterwards. With ``--here``, the environment is that of the Python which runs this file: Colab's own image, once a week.
Numbers are not compared: newer libraries may round differently; that no cell fails is the contract.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import first_cells

RUN = """
import sys, nbformat
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from run_notebooks import execute
notebook = nbformat.read(sys.argv[1], as_version=4)
first = next(cell for cell in notebook.cells if cell.cell_type == "code")
assert sys.argv[2] in first.source, "the first cell does not install the package"
colab = "import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')\\n"
first.source = colab + first.source.replace(sys.argv[2], sys.argv[3])
execute(notebook, Path.cwd())
print("".join(output.text for output in first.outputs if "text" in output).strip().splitlines()[-1])
"""
PRELOADED = """
import json
from importlib.metadata import version
print(json.dumps({name: version(name) for name in ("numpy", "torch")}))
"""


def main(arguments):
    """Run notebooks as on Colab; exit with 1 unless all run and numpy and torch are left alone."""
    names = [name for name in arguments if name != "--here"]
    notebooks = [Path(name).resolve() for name in names] or sorted((first_cells.ROOT / "book").glob("*.ipynb"))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        python = sys.executable if "--here" in arguments else clean_environment(folder)
        wheel = build_wheel(folder)
        before = preloaded(python)
        failed = [notebook.name for notebook in notebooks if not runs(python, notebook, wheel, folder / notebook.stem)]
        after = preloaded(python)
    print(f"{len(notebooks) - len(failed)} of {len(notebooks)} notebooks run from their first cell alone", *failed)
    if after != before:
        print(f"the first cell exchanged {before} for {after}")
    raise SystemExit(bool(failed) or after != before)


def clean_environment(folder):
    """Return the Python of a new environment that holds the newest numpy and torch, and what runs a notebook."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "venv", "--quiet", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = ["numpy", "torch", "nbclient", "ipykernel", "pip"]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, "--upgrade", *wanted], check=True)
    return python


def build_wheel(folder):
    """Return the wheel of the package as it is now."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder / "wheel"]
    subprocess.run([*pip, first_cells.ROOT], check=True)
    (wheel,) = (folder / "wheel").glob("*.whl")
    return wheel


def preloaded(python):
    """Return the versions of what a hosted runtime has loaded before the first cell runs."""
    return json.loads(subprocess.run([python, "-c", PRELOADED], capture_output=True, check=True).stdout)


def runs(python, notebook, wheel, folder):
    """Whether a notebook runs from start to end in a folder of its own."""
    folder.mkdir()
    copy = shutil.copy(notebook, folder)
    source = f"{first_cells.address()}/archive/{first_cells.BRANCH}.zip"
    kernels = os.environ | {"JUPYTER_PATH": "", "PATH": f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"}
    command = [python, "-c", RUN, copy, source, wheel.as_uri(), Path(__file__).parent]
    done = subprocess.run(command, cwd=folder, env=kernels, capture_output=True, text=True)
    print(f"{'runs ' if done.returncode == 0 else 'FAILS'} {notebook.name}: {done.stdout.strip()}", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.strip().splitlines()[-15:]))
    return done.returncode == 0


if __name__ == "__main__":
    main(sys.argv[1:])
