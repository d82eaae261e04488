"""What a step of training costs, and how that grows: a formula, and how times and exchanged bytes are measured.

``python -m tokensel_nb.chapters.scale MODULE PART FILE`` is what `torchrun` starts, once for every process.
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
    """How large a training is: n, tokens in all texts, entries of the matrix of counts, |S|, d and K."""

    texts: int
    tokens: int
    entries: int
    words: int
    dim: int
    classes: int = 2

    @property
    def columns(self) -> int:
        """Numbers that a step needs to know of every word: of its score, and of its value or its K values."""
        return 2 if self.classes == 2 else self.classes + 1

    @property
    def operations(self) -> int:
        """Additions, multiplications and the like of a step of Adam."""
        # A product with the counts, and one with the counts transposed, for every column; three products of E or its gradient
        # with as many vectors of length d; a dozen for every number that Adam moves.
        return 4 * self.columns * self.entries + (6 * self.columns + 12) * self.words * self.dim

    @property
    def bytes(self) -> int:
        """Fewest bytes that a step of Adam moves between memory and processor, in float32."""
        # The counts are read on the way forth and on the way back, a word and a count of four bytes for each entry. E is read
        # for scores and values, and again, with Adam's two means, once their gradients are known; all three are written.
        # Vectors as long as the vocabulary stay in the cache.
        return 2 * 8 * self.entries + 7 * 4 * self.words * self.dim

    @property
    def exchanged(self) -> int:
        """Bytes that every process hands on in a step, in float32."""
        return 4 * self.columns * self.words


def size_of(corpus: Corpus, dim: int) -> Size:
    """Return the size of a training."""
    return Size(len(corpus), int(corpus.lengths.sum()), int(corpus.counts.nnz), corpus.vocab_size, dim, corpus.num_classes)


def cost_features(size: Size) -> list[float]:
    """Return what the time of a step is a sum of, each with a coefficient of its own, and one for the constant."""
    return [size.columns * size.entries, size.words * size.dim, size.columns * size.texts, 1]


RIVALS = {
    "first formula": lambda size: [size.columns * size.entries, size.words * size.dim, size.texts, 1],
    "texts alone": lambda size: [size.texts, 1],
    "tokens alone": lambda size: [size.tokens, 1],
}


def fitted(sizes: list[Size], seconds: list[float], features=cost_features) -> np.ndarray:
    """Return the coefficients, none below zero, with the least squares of relative errors."""
    rows = np.array([features(size) for size in sizes], float) / np.array(seconds)[:, None]
    unit = rows.max(axis=0)
    return nnls(rows / unit, np.ones(len(rows)))[0] / unit


def told(sizes: list[Size], coefficients, features=cost_features) -> np.ndarray:
    """Return the seconds that coefficients foretell."""
    return np.array([features(size) for size in sizes], float) @ coefficients


class Machine(NamedTuple):
    """What a step on paper needs to know of a machine."""

    units: int  # processors or GPUs that share the texts
    bandwidth: float  # bytes a second between each of them and its memory, at the very most
    memory: float  # bytes of memory of each
    feed: float  # bytes a second that storage hands to all of them together, at the very most
    link: float  # bytes a second that each sends to the next


TWO_COPIES = 24  # bytes of an entry where a transposed copy lies beside the counts: each has a word in 64 bits, a count in 32
H200 = Machine(1, bandwidth=4.8e12, memory=141e9, feed=7.45e9, link=450e9)  # beside an SSD; by their makers


def on_paper(size: Size, machine: Machine, share: float, entry: float = 8.0, preparing: float = 0.0) -> dict:
    """Return the seconds of a step of Adam where nobody measured, the bytes that each unit holds, and how many would hold all.

    A step reaches a share of the bandwidth. Memory takes some bytes an entry, and 64 bits for the end of each text. Storage has
    8 bytes an entry, and a processor, one a unit, takes some seconds to prepare each that is read.
    """
    units, bandwidth, parameters = machine.units, machine.bandwidth * share, 4 * size.words * size.dim
    counts, room = entry * size.entries + 8 * size.texts, machine.memory - 4 * parameters  # E, Adam's two means, the best E
    enough = ceil(counts / room) if room > 0 else inf
    reading = {"disk": 8 * (size.entries + size.texts) / machine.feed, "preparing": preparing * size.entries / units}
    seconds = {name: each if enough > units else 0.0 for name, each in reading.items()} | {  # once alone, if memory holds all
        "counts": 2 * 8 * size.entries / (units * bandwidth),
        "embeddings": 7 * parameters / bandwidth,  # every unit moves all of them
        "network": 2 * (units - 1) / units * size.exchanged / machine.link,
    }
    return seconds | {"step": sum(seconds.values()), "memory": counts / units + 4 * parameters, "enough": enough}


def stepper(texts, parameters):
    """Return a function that takes a step of Adam; its first call only begins."""
    steps = descent(parameters, texts, learning_rate=0.01)
    return lambda: next(steps)


def step_seconds(corpus: Corpus, dim: int, rounds: int = ROUNDS) -> float:
    """Return how long the processor, all cores together, works at a step: the median of some."""
    parameters = init_parameters(corpus.vocab_size, dim, 0, num_classes=corpus.num_classes)
    return float(np.median(in_turns(stepper(corpus, parameters), rounds=rounds)))


def in_turns(*work, rounds=ROUNDS, clock=time.process_time):
    """Return the seconds of pieces of work, a row a round; one round before, which prepares the counts, is not among them."""
    seconds = []
    for _ in range(rounds + 1):
        times = [clock()]
        for piece in work:
            piece()
            times.append(clock())
        seconds.append(np.diff(times))
    return np.array(seconds[1:])


def resized(corpus: Corpus, texts: int, words: int, classes: int = 2) -> Corpus:
    """Return so many texts, from the beginning again where there are fewer, with the most frequent words and some classes."""
    columns = np.sort(np.argsort(-corpus.counts.sum(axis=0), kind="stable")[:words])
    rows = np.arange(texts) % len(corpus)
    labels, names = corpus.labels[rows], corpus.class_names
    if classes != 2:
        labels, names = np.arange(texts) % classes, tuple(map(str, range(classes)))
    return Corpus(corpus.counts[:, columns][rows], labels, corpus.vocabulary[columns], names)


def sizes_of(points: dict) -> list[Size]:
    """Return the sizes in recorded points, which hold one list for each field."""
    return [Size(*fields) for fields in zip(*(points[name] for name in Size._fields))]


def largest_difference(one, other) -> float:
    """Return by how much two models' parameters differ at most."""
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in zip(one, other))


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count what is handed to torch's exchange: a list that grows by the bytes of each."""
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
    """Run a module's function ``<part>_part`` in so many processes that share a folder; return what the first one returns."""
    file = Path(folder) / f"{part}{processes}.json"
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [*engine, "-m", __spec__.name, module, part, str(file), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ended.returncode:
        raise RuntimeError(f"torchrun: exit {ended.returncode}; {ended.stderr}")
    return json.loads(file.read_text())


def train_part(rank: int, folder: Path) -> dict:
    """Train on the shards that lie in the folder, in float64; return parameters and the bytes of every exchange."""
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
