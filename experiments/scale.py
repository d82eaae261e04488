"""What a step of training costs: the bytes that it moves, an estimate for any machine, and what is measured of its parts."""

import json
import tempfile
import time
from math import ceil, inf
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tokensel_nb as ts
from tokensel_nb.descent import descent

from .recording import run

DIM, REVIEWS, SHARD = 64, 560_000, 25_000  # the last two in texts
ROUNDS = 9
GPU = Path(__file__).parents[1] / "data" / "gpu.json"


class Size(NamedTuple):
    """The size of a training in two classes: n, entries of the matrix of counts, |S| and d."""

    texts: int
    entries: int
    words: int
    dim: int

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
        return 4 * 2 * self.words


def size_of(corpus: ts.Corpus, dim: int) -> Size:
    """Return the size of a training."""
    return Size(len(corpus), int(corpus.counts.nnz), corpus.vocab_size, dim)


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


def repeated(texts: int) -> ts.Corpus:
    """Return so many of IMDB's reviews, from the beginning again where there are more: cost knows nothing of their contents."""
    imdb = ts.load_imdb()
    return imdb[np.arange(texts) % len(imdb)]


def tensors(texts: int = REVIEWS, numbers: int = 2**28, rounds: int = ROUNDS, shard: int = SHARD) -> dict:
    """Time a step on torch's tensors, on one thread: of texts in memory, and of the same read from a disk in shards.

    A copy of numbers far beyond every cache, in turns with them, says how fast the memory is. Of a GPU there is one measured
    share of the bandwidth: that of ``data/gpu.json``, at 25,000 reviews.
    """
    import torch

    torch.set_num_threads(1)
    corpus = repeated(texts)
    parameters = ts.to_device(ts.init_parameters(corpus.vocab_size, DIM, seed=0), "cpu")
    source = torch.randn(numbers)
    target = torch.empty_like(source)
    with tempfile.TemporaryDirectory() as folder:
        parts = (corpus[begin : begin + shard] for begin in range(0, len(corpus), shard))
        shards = ts.write_shards(Path(folder) / "reviews.arrow", parts)
        steps = (stepper(each, parameters) for each in (corpus, shards))
    times = in_turns(*steps, lambda: target.copy_(source), rounds=rounds)
    held_all, disk, of_copy = np.median(times, axis=0).tolist()
    size, bandwidth = size_of(corpus, DIM), 8 * numbers / of_copy  # read and written
    return {
        "texts": texts,
        "entries": size.entries,
        "bandwidth": bandwidth,
        "share": size.bytes / held_all / bandwidth,
        "seconds of an entry": {"memory": held_all / size.entries, "disk": disk / size.entries},
        "gpu": of_gpu(),
    }


def of_gpu() -> dict:
    """Return the GPU that was measured, and the share of its bandwidth that a step reached."""
    measured = json.loads(GPU.read_text("utf-8"))
    (rows,) = (part["rows"] for part in measured["parts"] if "rows" in part)
    (share,) = (row["value"] for row in rows if row["what"] == "step: share of that bandwidth")
    return {"name": measured["machine"]["gpu"], "share": share}


RECORDS = {"scale_tensors": tensors}

if __name__ == "__main__":
    run(RECORDS)
