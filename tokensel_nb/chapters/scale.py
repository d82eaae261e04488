"""The cost of a training step and how it grows: a formula, and measurements of times and exchanged bytes.

`torchrun` starts ``python -m tokensel_nb.chapters.scale MODULE PART FILE`` once per process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from math import ceil, inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ..corpus import Corpus
from ..descent import descent
from ..distributed import Shards, Shared
from ..parameters import init_parameters
from ..training import train

ROUNDS = 9
DIM, REVIEWS = 64, 560_000
SAME_STEPS = 20


class Size(NamedTuple):
    """The size of a training: n, tokens in all texts, entries of the matrix of counts, |S|, d and K."""

    texts: int
    tokens: int
    entries: int
    words: int
    dim: int
    classes: int = 2

    @property
    def columns(self) -> int:
        """Numbers that a step needs per word: for its score, and for its value or its K values."""
        return 2 if self.classes == 2 else self.classes + 1

    @property
    def operations(self) -> int:
        """Arithmetic operations of a step of Adam."""
        # A product with the counts, and one with the transposed counts, per column; three products of E or its gradient with as
        # many vectors of length d; a dozen per number that Adam moves.
        return 4 * self.columns * self.entries + (6 * self.columns + 12) * self.words * self.dim

    @property
    def bytes(self) -> int:
        """The fewest bytes that a step of Adam moves between memory and processor, in float32."""
        # The counts are read in the forward and in the backward pass, a word and a count of four bytes per entry. E is read for
        # scores and values, and again, with Adam's two means, once the gradients are known; all three are written. Vectors as
        # long as the vocabulary stay in the cache.
        return 2 * 8 * self.entries + 7 * 4 * self.words * self.dim

    @property
    def exchanged(self) -> int:
        """Bytes that every process sends in a step, in float32."""
        return 4 * self.columns * self.words


def size_of(corpus: Corpus, dim: int) -> Size:
    """Return the size of a training."""
    return Size(len(corpus), int(corpus.lengths.sum()), int(corpus.counts.nnz), corpus.vocab_size, dim, corpus.num_classes)


def cost_features(size: Size) -> list[float]:
    """Return the terms whose weighted sum is the time of a step; the last one is the constant."""
    return [size.columns * size.entries, size.words * size.dim, size.columns * size.texts, 1]


RIVALS = {
    "first formula": lambda size: [size.columns * size.entries, size.words * size.dim, size.texts, 1],
    "texts alone": lambda size: [size.texts, 1],
    "tokens alone": lambda size: [size.tokens, 1],
}


def fitted(sizes: list[Size], seconds: list[float], features=cost_features) -> np.ndarray:
    """Return nonnegative coefficients with the least squares of relative errors."""
    rows = np.array([features(size) for size in sizes], float) / np.array(seconds)[:, None]
    unit = rows.max(axis=0)
    return nnls(rows / unit, np.ones(len(rows)))[0] / unit


def predicted(sizes: list[Size], coefficients, features=cost_features) -> np.ndarray:
    """Return the seconds that coefficients predict."""
    return np.array([features(size) for size in sizes], float) @ coefficients


class Machine(NamedTuple):
    """The data of a machine that the estimate of a step needs."""

    units: int  # processors or GPUs that share the texts
    bandwidth: float  # peak bytes per second between a unit and its memory
    memory: float  # bytes of memory per unit
    feed: float  # peak bytes per second from storage to all units together
    link: float  # bytes per second that a unit sends to the next


TWO_COPIES = 24  # bytes per entry of the counts and a transposed copy, both with a word in 64 bits and a count in 32
H200 = Machine(1, bandwidth=4.8e12, memory=141e9, feed=7.45e9, link=450e9)  # with an SSD; data of the makers


def on_paper(size: Size, machine: Machine, share: float, entry: float = 8.0, preparing: float = 0.0) -> dict:
    """Estimate the seconds of a step of Adam, the bytes per unit, and how many units would hold all counts in memory.

    A step reaches a share of the bandwidth. Memory takes ``entry`` bytes per entry, and 64 bits per text for its end. Storage
    has 8 bytes per entry, and every unit's processor takes ``preparing`` seconds per entry that is read.
    """
    units, bandwidth, parameters = machine.units, machine.bandwidth * share, 4 * size.words * size.dim
    counts, room = entry * size.entries + 8 * size.texts, machine.memory - 4 * parameters  # E, Adam's two means, the best E
    enough = ceil(counts / room) if room > 0 else inf
    reading = {"disk": 8 * (size.entries + size.texts) / machine.feed, "preparing": preparing * size.entries / units}
    seconds = {name: time if enough > units else 0.0 for name, time in reading.items()} | {  # zero if memory holds all
        "counts": 2 * 8 * size.entries / (units * bandwidth),
        "embeddings": 7 * parameters / bandwidth,  # every unit updates all of them
        "network": 2 * (units - 1) / units * size.exchanged / machine.link,
    }
    return seconds | {"step": sum(seconds.values()), "memory": counts / units + 4 * parameters, "enough": enough}


def stepper(texts, parameters):
    """Return a function that takes a step of Adam; its first call only starts the generator."""
    steps = descent(parameters, texts, learning_rate=0.01)
    return lambda: next(steps)


def step_seconds(corpus: Corpus, dim: int, rounds: int = ROUNDS) -> float:
    """Return the processor time of a step, over all cores: the median of some rounds."""
    parameters = init_parameters(corpus.vocab_size, dim, 0, num_classes=corpus.num_classes)
    return float(np.median(in_turns(stepper(corpus, parameters), rounds=rounds)))


def in_turns(*work, rounds=ROUNDS, clock=time.process_time):
    """Return the seconds of pieces of work, a row per round, without a first round that prepares the counts."""
    seconds = []
    for _ in range(rounds + 1):
        times = [clock()]
        for piece in work:
            piece()
            times.append(clock())
        seconds.append(np.diff(times))
    return np.array(seconds[1:])


def resized(corpus: Corpus, texts: int, words: int, classes: int = 2) -> Corpus:
    """Return a number of texts, repeated if there are fewer, with the most frequent words, in a number of classes."""
    columns = np.sort(np.argsort(-corpus.counts.sum(axis=0), kind="stable")[:words])
    rows = np.arange(texts) % len(corpus)
    labels, names = corpus.labels[rows], corpus.class_names
    if classes != 2:
        labels, names = np.arange(texts) % classes, tuple(map(str, range(classes)))
    return Corpus(corpus.counts[:, columns][rows], labels, corpus.vocabulary[columns], names)


def sizes_of(points: dict) -> list[Size]:
    """Return the sizes in recorded points, which have one list per field."""
    return [Size(*fields) for fields in zip(*(points[name] for name in Size._fields))]


def largest_difference(one, other) -> float:
    """Return the largest difference between two models' parameters."""
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in zip(one, other))


@contextmanager
def counted() -> Iterator[list[int]]:
    """Yield a list that grows by the bytes of every exchange of torch."""
    from torch import distributed

    sent, exchange = [], distributed.all_reduce

    def counting(tensor):
        sent.append(tensor.numel() * tensor.element_size())
        return exchange(tensor)

    distributed.all_reduce = counting
    try:
        yield sent
    finally:
        distributed.all_reduce = exchange


def torchrun(processes: int, part: str, folder, *options: str, module=__spec__.name) -> dict:
    """Run a module's function ``<part>_part`` in several processes that share a folder; return the first one's result."""
    file = Path(folder) / f"{part}{processes}.json"
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [*engine, "-m", __spec__.name, module, part, str(file), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ended.returncode:
        raise RuntimeError(f"torchrun failed with exit code {ended.returncode}: {ended.stderr}")
    return json.loads(file.read_text())


def train_part(rank: int, folder: Path) -> dict:
    """Train on the shards in a folder, in float64; return parameters and the bytes of every exchange."""
    corpus = Shared(Shards(folder / "reviews.arrow"))
    start = init_parameters(corpus.vocab_size, 16, 0, num_classes=corpus.num_classes, dtype="float64")
    with counted() as sent:
        training = train(start, corpus, SAME_STEPS, evaluate_every=SAME_STEPS, verbose=False)
    return {"sent": sent, "parameters": [array.tolist() for array in training.parameters]}


if __name__ == "__main__":
    module, part, file, *options = sys.argv[1:]
    rank = int(os.environ["RANK"])
    results = getattr(import_module(module), f"{part}_part")(rank, Path(file).parent, *options)
    if rank == 0:
        Path(file).write_text(json.dumps(results))
