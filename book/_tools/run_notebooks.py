"""Run the book's notebooks, each once, as many at a time as there are cores, the longest first.

    python book/_tools/run_notebooks.py [--to FOLDER] [notebook ...]        (default: every notebook of the book)

Without a folder their results are stored in place, ready to commit. What would change from run to run or from machine to
machine is left out: timings, cell ids, Python's version. So a diff shows a change of text, code or result, and nothing else.
A notebook whose cell fails is left as it was. With a folder, the notebooks stay as they are, and copies with the new results
are written there: `make book` builds the pages from those.
"""

import argparse
import base64
import io
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import first_cells
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

BOOK = Path(__file__).resolve().parents[1]
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
TIMES = BOOK.parent / "data" / "execution_times.json"
PICTURES = {"fig-one-step": BOOK / "images" / "one_step.png"}  # a figure that the README shows
WIDGET = "application/vnd.jupyter.widget-view+json"
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python", "pygments_lexer": "ipython3"}


def execute(notebook: nbformat.NotebookNode, folder: Path) -> float:
    """Run all cells of a notebook in a folder, whatever results it held; return the seconds it took."""
    began = time.monotonic()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}},
        record_timing=False, coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks
    ).execute()  # fmt: skip
    return time.monotonic() - began


def shrunk(picture: str) -> str:
    """Return a picture with at most 256 colours, of which no figure needs more: a third of its bytes, here and on a phone."""
    from PIL import Image  # comes with Matplotlib

    small = io.BytesIO()
    colours = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    colours.save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Remove what varies between runs, and widgets, which need a kernel; name the cells by their place; make pictures small."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNELSPEC, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5  # the first format whose cells have ids
    for place, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{place:02d}"
        cell.metadata = nbformat.from_dict({name: cell.metadata[name] for name in ("tags", "mystnb") if name in cell.metadata})
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            data |= {kind: shrunk(picture) for kind, picture in data.items() if kind == "image/png"}
            data.pop(WIDGET, None)


def keep_pictures(notebook: nbformat.NotebookNode) -> None:
    """Write the figures that other pages show to files of their own."""
    for cell in notebook.cells:
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        if name in PICTURES:
            PICTURES[name].parent.mkdir(exist_ok=True)
            PICTURES[name].write_bytes(base64.b64decode(cell.outputs[-1].data["image/png"]))


def read_times() -> dict[str, dict]:
    """Return what is recorded of every notebook's last run in place."""
    return json.loads(TIMES.read_text("utf-8")) if TIMES.exists() else {}


def keep_times(seconds: dict[str, float]) -> None:
    """Record how long notebooks took here; those of others, which were not run, stay, and those that are gone go."""
    sys.path.append(str(BOOK.parent))
    from experiments.machine import machine

    times = read_times() | {name: {"seconds": round(taken)} | machine() for name, taken in seconds.items()}
    kept = {path.stem: times[path.stem] for path in sorted(BOOK.glob("*.ipynb")) if path.stem in times}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    TIMES.write_text(text + "\n", encoding="utf-8")


def run(path: Path, to: Path | None = None) -> float | None:
    """Run one notebook in its own folder and store it; return the seconds it took, or None where a cell failed."""
    from tokensel_nb.checkpoint import replacing  # not at the top: contract.py uses `execute` where there is no package yet

    notebook = nbformat.read(path, as_version=4)
    first_cells.stamp(notebook, path.name)
    try:
        seconds = execute(notebook, path.parent)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:  # the others still run
        return print(f"{path.name} is left as it was: {error}", file=sys.stderr, flush=True)
    tidy(notebook)
    nbformat.validate(notebook)
    with replacing((to or path.parent) / path.name) as temporary:  # an interrupted run leaves no half of a notebook
        temporary.write_bytes((nbformat.writes(notebook) + "\n").encode())
    if to is None:
        keep_pictures(notebook)
    print(f"ran {path.name} in {seconds:.0f} s", flush=True)
    return seconds


def main(paths: list[Path], to: Path | None) -> int:
    """Run notebooks, each in a kernel of its own; return 1 if one failed."""
    os.environ["TQDM_DISABLE"] = "1"  # progress bars write to stderr, which a stored result must not hold
    paths = [path.resolve() for path in paths] or sorted(BOOK.glob("*.ipynb"))
    times = read_times()
    paths.sort(key=lambda path: -times.get(path.stem, {}).get("seconds", 0))
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        seconds = dict(zip((path.stem for path in paths), pool.map(partial(run, to=to), paths)))
    if to is None:
        keep_times({name: taken for name, taken in seconds.items() if taken is not None})
    return int(None in seconds.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--to", type=Path)
    given = parser.parse_args()
    raise SystemExit(main(given.notebooks, given.to))
