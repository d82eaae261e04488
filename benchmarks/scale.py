"""Texts that several processes share, and texts that memory does not hold: times, bytes, peak memory.

The processes are those of `torchrun`, on this machine, one thread each. One process and two take turns, step by step, so that a
slow moment of the machine hits both alike; with --quiet, as root, other programs wait during these few seconds. The reviews are
IMDB's 25,000, their counts repeated.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

import tokensel_nb as ts
from tokensel_nb import stored
from tokensel_nb.distributed import ALONE, Parts, Processes
from tokensel_nb.optimizers import Adam

from .timing import row

DIM, REVIEWS, ROUNDS = 64, 560_000, 12
BYTE_STEPS = 1000
SETTING, TIMES = 300e6, 5  # of memory, and how much larger the stored corpus is
LOOPBACK = Path("/sys/class/net/lo/statistics/tx_bytes")


def main(*options):
    with tempfile.TemporaryDirectory() as folder:
        speed = torchrun(2, "speed", folder, *options)
        two, four = (torchrun(number, "bytes", folder) for number in (2, 4))
        memory = out_of_core(Path(folder) / "stored")
    rows = [
        row("a step, d = 64, 560,000 reviews (IMDB's, repeated): one process, one thread", speed["one"] * 1e3, "ms"),
        row("the same: two processes of one thread", speed["two"] * 1e3, "ms"),
        row("the same: times as fast, median of pairs", speed["ratio"], "×", "≥ 1.8"),
        row("the same: times as fast, if they exchanged nothing: what this machine allows", speed["ceiling"], "×"),
        row("load of the machine meanwhile (1 minute; 2 cores)", speed["load"], ""),
    ]
    for number, found in ((2, two), (4, four)):
        rows += [
            row(f"exchanged in a step by each of {number} processes, handed to torch", found["handed"], "bytes"),
            row("the same over the formula's 4 (K + 1) |S|", found["handed"] / found["formula"], "", "1"),
            row(f"on the loopback interface, {number} processes: over the formula", found["interface"], "", "0.9 to 1.1"),
        ]
    rows += [
        row("stored corpus (IMDB's, repeated): counts over the setting of memory", memory["times"], "×", "5"),
        row("the same: peak memory of the process over the setting", memory["peak"] / SETTING, "", "≤ 1.1"),
        row("the same: a step", memory["step"], "s"),
        row("the same: a step, nanoseconds a text and word in it", memory["step"] / memory["entries"] * 1e9, "ns"),
    ]
    print(json.dumps(rows))


def torchrun(processes, part, folder, *options):
    """Run a part of this file in so many processes; return what the first one found."""
    file = Path(folder) / f"{part}{processes}.json"
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [*engine, "-m", "benchmarks.scale", "--part", part, "--to", str(file), *options]
    subprocess.run(command, check=True, stdout=sys.stderr, env=os.environ | {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"})
    return json.loads(file.read_text())


def stepper(texts, parameters):
    """Return a function that takes a step of Adam."""
    arrays, model = parameters.arrays(), ts.OneLayer()
    optimizer = Adam(arrays, 0.01)
    return lambda: optimizer.step(model.step_gradients(parameters, texts, arrays))


def speed(processes, quiet):
    """Time a step of this process alone, one of both, and one in which they exchange nothing, in turns.

    The last is what the machine allows: two cores of a cloud's machine may be two threads of one.
    """
    from torch import distributed

    imdb = ts.load_imdb()
    corpus = imdb[np.arange(REVIEWS) % len(imdb)]
    start = lambda: ts.init_parameters(corpus.vocab_size, DIM, seed=0)
    parts = Parts(corpus, None, processes)
    alone, shared, apart = (stepper(texts, start()) for texts in (corpus, parts, parts.only))
    idle = lambda: None
    if quiet:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))
    seconds = []
    for _ in range(ROUNDS + 1):
        of_round = []
        for work in (alone if processes.rank == 0 else idle, shared, apart):
            distributed.barrier()
            begun = time.perf_counter()
            work()
            distributed.barrier()
            of_round.append(time.perf_counter() - begun)
        seconds.append(of_round)
    seconds = seconds[1:]  # the first prepares the counts
    one, two, _ = map(median, zip(*seconds))
    ratio, ceiling = (median(each[0] / each[other] for each in seconds) for other in (1, 2))
    return dict(one=one, two=two, ratio=ratio, ceiling=ceiling, load=os.getloadavg()[0], rounds=seconds)


def bytes_exchanged(processes, _quiet):
    """Count the bytes of many steps on a few reviews: as torch is handed them, and on the loopback interface."""
    from torch import distributed

    corpus = ts.load_imdb()[::25]
    step = stepper(Parts(corpus, None, processes), ts.init_parameters(corpus.vocab_size, DIM, seed=0))
    handed, exchange = [], distributed.all_reduce

    def counted(tensor):
        handed.append(tensor.numel() * tensor.element_size())
        return exchange(tensor)

    distributed.all_reduce = counted
    found = []
    for _ in range(5):
        distributed.barrier()
        before = int(LOOPBACK.read_text())
        for _ in range(BYTE_STEPS):
            step()
        distributed.barrier()
        found.append(int(LOOPBACK.read_text()) - before)
    formula = 4 * 2 * corpus.vocab_size
    # A ring hands on every number twice but for its own share: 2 (N - 1) of them all, in all processes together.
    on_interface = min(found) / (BYTE_STEPS * 2 * (processes.size - 1) * formula)  # whatever else uses it only adds
    return dict(handed=sum(handed) / len(found) / BYTE_STEPS, formula=formula, interface=on_interface, rounds=found)


def out_of_core(folder):
    """Store a corpus of several times the setting, train on it in a process of its own, and return what that took."""
    imdb = ts.load_imdb()
    folder.mkdir()
    repeated = [imdb] * (int(TIMES * SETTING / (8 * imdb.counts.nnz)) + 1)
    stored._write(repeated, folder, imdb.vocabulary.tolist(), list(imdb.class_names))
    command = [sys.executable, "-m", "benchmarks.scale", "--part", "memory", "--to", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    entries = len(repeated) * imdb.counts.nnz
    return json.loads(done.stdout.splitlines()[-1]) | {"entries": entries, "times": 8 * entries / SETTING}


def memory(folder):
    """Train for two steps; print the peak of memory, and the seconds of a step."""
    corpus = ts.StoredCorpus(folder, memory=SETTING)
    ts.train(corpus, dim=DIM, steps=2, verbose=False)
    step = stepper(Parts(corpus, None, ALONE), ts.init_parameters(corpus.vocab_size, DIM, seed=0))
    begun = time.perf_counter()
    step()
    seconds = time.perf_counter() - begun
    # Not getrusage: it counts what the program that started this one held.
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"step": seconds, "peak": 1024 * int(peak.split()[1])}))


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--part", choices=["speed", "bytes", "memory"])
    arguments.add_argument("--to", type=Path)
    arguments.add_argument("--quiet", action="store_true")
    given = arguments.parse_args()
    if given.part is None:
        main(*["--quiet"] * given.quiet)
    elif given.part == "memory":
        memory(given.to)
    else:
        found = {"speed": speed, "bytes": bytes_exchanged}[given.part](processes := Processes.joined(), given.quiet)
        if processes.rank == 0:
            given.to.write_text(json.dumps(found))
