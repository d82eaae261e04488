"""A step of texts that two processes share, and of texts in shards on a disk. With --quiet, as root, other programs wait."""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from experiments.scale import DIM, REVIEWS, in_turns, repeated, stepper, tensors

from .timing import row


def measure(*options):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "speed.json"
        engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run([*engine, "-m", __spec__.name, str(file), *options], check=True, env=environment, stdout=sys.stderr)
        speed = json.loads(file.read_text())
    seconds = tensors()["seconds of an entry"]
    rows = [
        row("a step, d = 64, 560,000 reviews (IMDB's, repeated): one process on one core", speed["one"] * 1e3, "ms"),
        row("the same: two processes, each on a core", speed["several"] * 1e3, "ms"),
        row("the same: times as fast, median of pairs", speed["ratio"], "×", "≥ 1.8"),
        row("the same: times as fast, if they exchanged nothing: what this machine allows", speed["ceiling"], "×"),
        row("load of the machine meanwhile (1 minute; 2 cores)", os.getloadavg()[0], ""),
    ]
    what = "a step on tensors, nanoseconds a text and word in it, from"
    return rows + [row(f"{what} {name}", 1e9 * each, "ns") for name, each in seconds.items()]


def speed(quiet):
    """Time a step of this process alone, one of all, and one in which they exchange nothing, in turns, each on one core."""
    from torch import distributed

    rank, cores = int(os.environ["RANK"]), sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})  # or one process would use all for its products
    corpus = repeated(REVIEWS)
    shared, start = ts.Shared(corpus), ts.init_parameters(corpus.vocab_size, DIM, seed=0)
    steps = [stepper(texts, start) for texts in (corpus, shared, shared.part)]
    if rank:
        steps[0] = lambda: None

    def together(step):
        step()
        distributed.barrier()

    if quiet:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))
    one, several, apart = in_turns(*(partial(together, step) for step in steps), clock=time.perf_counter).T
    pairs = {"ratio": one / several, "ceiling": one / apart}  # two cores of a cloud's machine may be threads of one
    return {name: float(np.median(each)) for name, each in {"one": one, "several": several, **pairs}.items()}


if __name__ == "__main__":
    found = speed("--quiet" in sys.argv)
    if os.environ["RANK"] == "0":
        Path(sys.argv[1]).write_text(json.dumps(found))
