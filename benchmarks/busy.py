"""What a busy core costs: default threads over one, in turns, while another program has one of this machine's cores.

By itself ten steps of a deeper model; with names of notebooks, such as ``python -m benchmarks busy 09_deeper``, those too.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

from .timing import alternate, row

ROUNDS = 3  # of processes; each trains five times
TRAIN = """
import statistics, time, warnings
import tokensel_nb as ts
warnings.simplefilter("ignore")
reviews, seconds = ts.load_imdb()[::50], []
for _ in range(5):
    start = time.perf_counter()
    ts.train(reviews, ts.WithMLP(), steps=10)
    seconds.append(time.perf_counter() - start)
print(statistics.median(seconds))
"""


def measure(*notebooks):
    with busy_core():
        each = [[told(TRAIN, threads) for threads in (None, 1)] for _ in range(ROUNDS)]
        ratios = sorted(default / one for default, one in each)
        what = "ten steps of the MLP on 500 reviews"
        rows = [row(f"one core busy, {what}: default threads over one", ratios[ROUNDS // 2], "×", "≤ 1.3")]
        for name in notebooks:
            default, one = alternate(lambda name=name: run(name, None), lambda name=name: run(name, 1), rounds=1)
            rows.append(row(f"one core busy, notebook {name}: default threads over one", default / one, "×", "≤ 1.1"))
    return rows


@contextmanager
def busy_core():
    """Keep the last core busy."""
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        process = psutil.Process(other.pid)
        if hasattr(process, "cpu_affinity"):  # not on a Mac
            process.cpu_affinity(process.cpu_affinity()[-1:])
        yield
    finally:
        other.kill()
        other.wait()


def environment(threads):
    """Return this process's environment with so many threads; with nothing said of them for None."""
    rest = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return rest | {"TQDM_DISABLE": "1"} | ({} if threads is None else {"OMP_NUM_THREADS": str(threads)})


def told(code, threads):
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, env=environment(threads))
    return float(done.stdout.splitlines()[-1])


def run(notebook, threads):
    cells = nbformat.read(Path("book", f"{notebook}.ipynb"), nbformat.NO_CONVERT)
    NotebookClient(cells, timeout=None, resources={"metadata": {"path": "book"}}).execute(env=environment(threads))
