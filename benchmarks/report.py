"""`tokensel report` as one waits for it: 25,000 reviews of IMDB, and 200,000 sentences of them with the label of their review.

    python -m benchmarks.report [FOLDER] [--cores N] [--keep FOLDER]

Everything counts: the interpreter, imports, reading the file, the notebook's kernel, the page; a short report goes before, so
that the libraries lie there as bytecode, as they do from the second time on. Memory is that of all processes together, looked
at ten times a second; what two of them share counts twice. With FOLDER, every ``.parquet`` and ``.csv`` file of it (columns
``text`` and ``label``) takes the place of the two sets.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import psutil

import tokensel_nb as ts

SENTENCES = 200_000


def written(folder):
    """Write both sets, and return their paths."""
    reviews = ts.read_imdb()
    frame = pd.DataFrame({"text": reviews.texts, "label": np.array(reviews.class_names)[reviews.labels]})
    sentences = frame.assign(text=frame.text.str.split(r"(?<=[.!?])\s+|<br\s*/?>", regex=True)).explode("text")
    sentences = sentences[sentences.text.str.split().str.len() >= 3].drop_duplicates("text")
    paths = [folder / "reviews.parquet", folder / "sentences.parquet"]
    for path, each in zip(paths, (frame, sentences.sample(SENTENCES, random_state=0))):
        each.to_parquet(path, index=False)
    return paths


def run(path, page, cores):
    """Return the seconds, the processor's seconds and the most memory, in bytes, of a report."""
    settings = os.environ | {"OMP_NUM_THREADS": str(cores), "TQDM_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "tokensel_report.command", "report", str(path), "--text", "text", "--label", "label"]
    before, start, most = os.times(), time.perf_counter(), 0
    process = psutil.Popen([*command, "-o", str(page)], env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if hasattr(process, "cpu_affinity"):  # not on macOS
        process.cpu_affinity(process.cpu_affinity()[:cores])
    while process.poll() is None:
        most = max(most, held(process))
        time.sleep(0.1)
    seconds, after = time.perf_counter() - start, os.times()
    if process.returncode:
        sys.exit(process.stderr.read().decode())
    busy = sum(getattr(after, name) - getattr(before, name) for name in ("children_user", "children_system"))
    return seconds, busy, most


def held(process):
    """Return the memory of a process and of all that it has started."""
    found = 0
    with suppress(psutil.NoSuchProcess):
        for each in [process, *process.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                found += each.memory_info().rss
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path)
    options.add_argument("--cores", type=int, default=2)
    options.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the pages there")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as made:
        suffixes = (".parquet", ".csv")
        paths = sorted(path for path in options.folder.iterdir() if path.suffix in suffixes) if options.folder else None
        short = Path(made) / "short.csv"
        pd.DataFrame({"text": ["good film", "bad film"] * 30, "label": [1, 0] * 30}).to_csv(short, index=False)
        run(short, short.with_suffix(".html"), options.cores)
        print("set                seconds  processor's seconds  memory (GB)  page (MB)")
        for path in paths or written(Path(made)):
            page = (options.keep or Path(made)) / f"{path.stem}.html"
            seconds, busy, most = run(path, page, options.cores)
            size = page.stat().st_size
            print(f"{path.stem:18} {seconds:7.1f}  {busy:19.1f}  {most / 1e9:11.2f}  {size / 1e6:9.1f}", flush=True)


if __name__ == "__main__":
    main()
