"""What a step of training costs, measured: times, memory and exchanged bytes; the formulas are in the chapter's module."""

import json
import os
import sys
import tempfile
import time
from functools import cache, partial
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters import scale
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.chapters.scale import DIM, REVIEWS, ROUNDS, SAME_STEPS, Size, counted, in_turns, resized, size_of, stepper

from .recording import rounded, run

# The protocol, fixed before the runs that count (trial runs used other sizes, and set nothing but how long it takes):
#
# - `cost_points` times a step of Adam on numpy arrays in float32, in seconds of processor time, which other programs disturb
#   less than the clock does. Each point is the median of `ROUNDS` steps. Reviews are IMDB's, in the order of the data set,
#   and again from the beginning where there are more (cost knows nothing of their contents); sentences are Rotten Tomatoes'.
#   Words are the most frequent ones. Labels of more than two classes are dealt in turn.
# - Three coefficients and a constant are fitted to `FITTED` (16,000 texts at most, d = 256 at most, two classes) and then
#   foretell `TOLD`. So do two rivals, which know the number of texts alone, or of tokens alone. The target: each point told
#   within a factor of 1.5. The formula that was fixed first, now the rival "first formula", did not know that the work on
#   every text goes with the columns, too; it missed one point of eleven, by 1.66. `cost_features` was corrected then, and
#   its target is for `AGAIN`: points that were chosen afterwards, and measured only then. It missed one of these five, by
#   1.62, and was left so.
# - `speed_part`: one process, several, and several that exchange nothing take turns, step by step. Each is held to one core.
# - `tensors`: processor time, too, on one thread, so that no wait for the disk counts.
#
# The records "memory" and "counting" of scale.json, and "disk" of scale_tensors.json, are of commit fa56dfc, whose package read
# texts from a format of its own; here `tensors` reads shards of Arrow instead.
#
# On the measuring machine other programs run. With `--quiet`, as root, they wait while `speed_part` counts.
SHARD = 25_000  # texts
GPU = Path(__file__).parents[1] / "data" / "gpu.json"
LOOPBACK = Path("/sys/class/net/lo/statistics/tx_bytes")
BYTE_STEPS = 1000

FITTED = [("reviews", n, words, d, 2) for n in (1000, 4000, 16_000) for words in (500, 2000, 7780) for d in (16, 64, 256)]
FITTED += [("sentences", 8000, words, d, 2) for words in (500, 6000) for d in (16, 256)]
TOLD = [("reviews", n, 7780, 64, 2) for n in (25_000, 140_000, REVIEWS)]
TOLD += [("sentences", n, 6000, 64, 2) for n in (25_000, REVIEWS)]
TOLD += [("reviews", 1000, 7780, 2048, 2), ("reviews", 25_000, 7780, 2048, 2), ("reviews", 140_000, 500, 16, 2)]
TOLD += [("reviews", 25_000, 7780, 64, 5), ("reviews", 140_000, 7780, 64, 10), ("sentences", 25_000, 6000, 64, 5)]
AGAIN = [("sentences", 100_000, 6000, 64, 10), ("sentences", 250_000, 2000, 128, 3), ("sentences", 60_000, 6000, 512, 2)]
AGAIN += [("reviews", 60_000, 7780, 512, 5), ("reviews", 250_000, 4000, 32, 2)]
POINTS = {"fitted": FITTED, "told": TOLD, "again": AGAIN}

imdb = cache(ts.load_imdb)
torchrun = partial(scale.torchrun, module=__spec__.name)


def cost_points(points) -> dict:
    """Time a step at several sizes: kind, and numbers of texts, words, dimensions and classes; return columns."""
    corpora = {"reviews": imdb(), "sentences": ts.load_rotten_tomatoes()}
    sizes, seconds = [], []
    for kind, texts, words, dim, classes in points:
        corpus = resized(corpora[kind], texts, words, classes)
        sizes.append(size_of(corpus, dim))
        seconds.append(scale.step_seconds(corpus, dim))
        print(kind, sizes[-1], f"{1e3 * seconds[-1]:.2f} ms", file=sys.stderr, flush=True)
    columns = zip(Size._fields, map(list, zip(*sizes)))
    return {"kind": [kind for kind, *_ in points], **dict(columns), "seconds": rounded(seconds, 7)}


def same_part(rank: int, folder: Path, *options: str) -> dict:
    """Train in float64, whole and in batches, with two and five classes, together and alone; return the largest differences."""
    results = {}
    for classes in (2, 5):
        corpus = resized(imdb()[::25], 1000, 7780, classes)
        start = ts.init_parameters(corpus.vocab_size, DIM, 0, num_classes=classes, dtype="float64")
        formula = 2 * SAME_STEPS * size_of(corpus, DIM).exchanged  # in float64
        for optimizer, batch_size in (("adam", None), ("adam", 100), ("gradient descent", None)):
            settings = dict(optimizer=optimizer, batch_size=batch_size, evaluate_every=SAME_STEPS, verbose=False)
            with counted() as sent:
                together = ts.train(start, ts.Shared(corpus), SAME_STEPS, **settings).parameters
            alone = ts.train(start, corpus, SAME_STEPS, **settings).parameters
            # Two evaluations exchange loss and accuracy.
            name = f"{classes} classes, {optimizer}, {batch_size or 'all'}"
            results[name] = [scale.largest_difference(together, alone), (sum(sent) - 2 * 16) / formula]
    return results


def speed_part(rank: int, folder: Path, *options: str) -> dict:
    """Time a step of this process alone, one of all, and one in which they exchange nothing, in turns."""
    from torch import distributed

    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})  # or one process would use all for its products
    corpus = resized(imdb(), REVIEWS, 7780)
    shared, start = ts.Shared(corpus), ts.init_parameters(corpus.vocab_size, DIM, seed=0)
    steps = [stepper(texts, start) for texts in (corpus, shared, shared.part)]
    if rank:
        steps[0] = lambda: None

    def together(step):
        step()
        distributed.barrier()

    if "--quiet" in options:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))
    seconds = in_turns(*(partial(together, step) for step in steps), clock=time.perf_counter)
    one, several, apart = seconds.T
    ratio = one / several
    return {
        "one": np.median(one),
        "several": np.median(several),
        "ratio": np.median(ratio),
        "lowest": ratio.min(),
        "highest": ratio.max(),
        "ceiling": np.median(one / apart),  # what the machine allows: two cores of a cloud's machine may be threads of one
        "load": os.getloadavg()[0],
        "rounds": seconds.tolist(),
    }


def exchange_part(rank: int, folder: Path, *options: str) -> dict:
    """Count the bytes of many steps on a few reviews: as torch is handed them, and on the loopback interface."""
    from torch import distributed

    corpus = imdb()[::25]
    step = stepper(ts.Shared(corpus), ts.init_parameters(corpus.vocab_size, DIM, seed=0))
    step()
    rounds = []
    with counted() as handed:
        for _ in range(5):
            distributed.barrier()
            before = int(LOOPBACK.read_text())
            for _ in range(BYTE_STEPS):
                step()
            distributed.barrier()
            rounds.append(int(LOOPBACK.read_text()) - before)
    formula = size_of(corpus, DIM).exchanged
    # A ring hands on every number twice but for its own share: 2 (N - 1) of them all, in all processes together.
    passed = 2 * (distributed.get_world_size() - 1) * formula
    on_interface = min(rounds) / (BYTE_STEPS * passed)  # whatever else uses it only adds
    return dict(handed=sum(handed) / len(rounds) / BYTE_STEPS, formula=formula, interface=on_interface, rounds=rounds)


def counting() -> dict:
    """Count IMDB's reviews; return the tokens of the vocabulary in them, and the seconds that the processor works at it."""
    reviews = ts.read_imdb()
    began = time.process_time()
    corpus = ts.corpus_from_texts(reviews.texts, reviews.labels, min_count=45)
    seconds = time.process_time() - began
    return {"tokens": int(corpus.lengths.sum()), "seconds": seconds}


def tensors(texts: int = REVIEWS, numbers: int = 2**28, rounds: int = ROUNDS, shard: int = SHARD) -> dict:
    """Time a step on torch's tensors, on one thread: of texts in memory, and of the same read from a disk in shards.

    A copy of numbers far beyond every cache, in turns with them, says how fast the memory is. Of a GPU there is one measured
    share of the bandwidth: that of ``data/gpu.json``, at 25,000 reviews.
    """
    import torch

    torch.set_num_threads(1)
    corpus = resized(imdb(), texts, 7780)
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


def measured(*options: str) -> dict:
    """Measure everything, with these options for the processes that `torchrun` starts."""
    results = {name: cost_points(points) for name, points in POINTS.items()}
    results |= {"counting": counting(), "memory": recorded("scale")["memory"]}
    with tempfile.TemporaryDirectory() as folder:
        for part in ("same", "exchange", "speed"):
            results[part] = {str(number): torchrun(number, part, folder, *options) for number in (2, 4)}
    return results


RECORDS = {"scale": measured, "scale_tensors": tensors}

if __name__ == "__main__":
    run(RECORDS | {"scale": partial(measured, *sys.argv[1:])})
