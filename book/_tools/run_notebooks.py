"""Run the book's notebooks and store their results in place, ready to commit.

    python book/_tools/run_notebooks.py [notebook ...]        (default: every notebook of the book)

What would change from run to run or from machine to machine is left out: timings, cell ids, Python's version. So a diff
shows a change of text, code or result, and nothing else. A notebook whose cell fails is left as it was.
"""

import base64
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import first_cells
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tokensel_nb.files import atomic
from tokensel_nb.runtime import machine

BOOK = Path(__file__).resolve().parents[1]
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
TIMES = BOOK.parent / "data" / "execution_times.json"
PICTURES = {"fig-one-step": BOOK / "images" / "one_step.png"}  # figures that the front page and the README show
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3"}


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Remove what varies between runs; name the cells by their place."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5  # the first format whose cells have ids
    for place, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{place:02d}"
        for volatile in ("execution", "ExecuteTime", "collapsed", "scrolled"):
            cell.metadata.pop(volatile, None)


def keep_pictures(notebook: nbformat.NotebookNode) -> None:
    """Write the figures that other pages show to files of their own."""
    for cell in notebook.cells:
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        if name in PICTURES:
            PICTURES[name].parent.mkdir(exist_ok=True)
            PICTURES[name].write_bytes(base64.b64decode(cell.outputs[-1].data["image/png"]))


def keep_times(seconds: dict[str, float]) -> None:
    """Record how long notebooks took here; those of others, which were not run, stay."""
    before = json.loads(TIMES.read_text("utf-8")) if TIMES.exists() else {}
    now = {name: {"seconds": round(taken)} | machine() for name, taken in seconds.items()}
    with atomic(TIMES) as file:
        file.write((json.dumps(dict(sorted((before | now).items())), indent=1, ensure_ascii=False) + "\n").encode())


def run(path: Path) -> float | str:
    """Run one notebook in its own folder; return the seconds it took, or what went wrong."""
    began = time.monotonic()
    notebook = nbformat.read(path, as_version=4)
    first_cells.stamp(notebook, path.name)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}},
        record_timing=False, coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks
    )  # fmt: skip
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return f"{path.name} is left as it was: {error}"
    tidy(notebook)
    nbformat.validate(notebook)
    with atomic(path) as file:  # an interrupted run leaves no half of a notebook
        file.write((nbformat.writes(notebook) + "\n").encode())
    keep_pictures(notebook)
    print(f"ran {path.name}", flush=True)
    return time.monotonic() - began


def main(names: list[str]) -> int:
    """Run the named notebooks, two at a time, each in a kernel of its own."""
    os.environ["TQDM_DISABLE"] = "1"  # progress bars write to stderr, which a stored result must not hold
    paths = [Path(name).resolve() for name in names] or sorted(BOOK.glob("*.ipynb"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = dict(zip((path.stem for path in paths), pool.map(run, paths)))
    failures = [result for result in results.values() if isinstance(result, str)]
    keep_times({name: result for name, result in results.items() if not isinstance(result, str)})
    print(*failures, sep="\n\n", end="", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
