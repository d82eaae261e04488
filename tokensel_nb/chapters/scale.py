"""What a step of training costs, and how that grows: a formula, and how times, memory and exchanged bytes are measured.

The protocol, fixed before the runs that count (trial runs used other sizes, and set nothing but how long it takes):

- `cost_points` times a step of Adam on numpy arrays in float32, in seconds of processor time, which other programs disturb
  less than the clock does. Each point is the median of `ROUNDS` steps. Reviews are IMDB's, in the order of the data set, and
  again from the beginning where there are more (cost knows nothing of their contents); sentences are Rotten Tomatoes'. Words
  are the most frequent ones. Labels of more than two classes are dealt in turn.
- Three coefficients and a constant are fitted to `FITTED` (16,000 texts at most, d = 256 at most, two classes) and then
  foretell `TOLD`. So do two rivals, which know the number of texts alone, or of tokens alone. The target: each point told
  within a factor of 1.5. The formula that was fixed first, now the rival "first formula", did not know that the work on
  every text goes with the columns, too; it missed one point of eleven, by 1.66. `cost_features` was corrected then, and its
  target is for `AGAIN`: points that were chosen afterwards, and measured only then. It missed one of these five, by 1.62,
  and was left so.
- `speed`: one process, several, and several that exchange nothing take turns, step by step. Each process is held to one core.
- `out_of_core`: the peak of memory of a process that trains for two steps, its imports included.

On the measuring machine other programs run. With ``--quiet``, as root, they wait while `speed` counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ..corpus.corpus import Corpus
from ..datasets.imdb import load_imdb, read_imdb
from ..datasets.movie_reviews import load_rotten_tomatoes
from ..models.one_layer import OneLayer
from ..models.optimizers import Adam
from ..models.parameters import init_parameters
from ..scale.distributed import Parts
from ..scale.processes import ALONE, Processes
from ..scale.stored import StoredCorpus, store_corpus, write_corpora
from ..training.train import train
from .recorded import record, rounded

ROUNDS = 9
DIM, REVIEWS = 64, 560_000
SETTINGS = [(REVIEWS, 300e6), (10 * REVIEWS, 300e6), (10 * REVIEWS, 1e9)]  # texts, and the setting of memory
LOOPBACK = Path("/sys/class/net/lo/statistics/tx_bytes")
BYTE_STEPS = 1000
SAME_STEPS = 20

FITTED = [("reviews", n, words, d, 2) for n in (1000, 4000, 16_000) for words in (500, 2000, 7780) for d in (16, 64, 256)]
FITTED += [("sentences", 8000, words, d, 2) for words in (500, 6000) for d in (16, 256)]
TOLD = [("reviews", n, 7780, 64, 2) for n in (25_000, 140_000, REVIEWS)] + [
    ("sentences", n, 6000, 64, 2) for n in (25_000, REVIEWS)
]
TOLD += [("reviews", 1000, 7780, 2048, 2), ("reviews", 25_000, 7780, 2048, 2), ("reviews", 140_000, 500, 16, 2)]
TOLD += [("reviews", 25_000, 7780, 64, 5), ("reviews", 140_000, 7780, 64, 10), ("sentences", 25_000, 6000, 64, 5)]
AGAIN = [("sentences", 100_000, 6000, 64, 10), ("sentences", 250_000, 2000, 128, 3), ("sentences", 60_000, 6000, 512, 2)]
AGAIN += [("reviews", 60_000, 7780, 512, 5), ("reviews", 250_000, 4000, 32, 2)]
POINTS = {"fitted": FITTED, "told": TOLD, "again": AGAIN}


class Size(NamedTuple):
    """How large a training is.

    Parameters
    ----------
    texts : int
        n.
    tokens : int
        In all texts.
    entries : int
        Pairs of a text and a word that occurs in it: what the matrix of counts holds.
    words : int
        The size of the vocabulary S.
    dim : int
        d.
    classes : int
        K.

    Examples
    --------
    >>> size = Size(texts=25_000, tokens=5_185_464, entries=3_085_831, words=7_780, dim=64)
    >>> size.columns, f"{size.operations:,}", f"{size.bytes:,}", f"{size.exchanged:,}"
    (2, '36,636,728', '63,315,056', '62,240')
    """

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
        """Additions, multiplications and the like of a step of Adam.

        A product with the counts, and one with the counts transposed, for every column; three products of E or its gradient
        with as many vectors of length d; a dozen for every number that Adam moves.
        """
        return 4 * self.columns * self.entries + (6 * self.columns + 12) * self.words * self.dim

    @property
    def bytes(self) -> int:
        """Fewest bytes that a step of Adam moves between memory and processor, in float32.

        The counts are read on the way forth and on the way back, a word and a count of four bytes for each entry. E is read
        for scores and values, and again, with Adam's two means, once their gradients are known; all three are written.
        Vectors as long as the vocabulary stay in the cache.
        """
        return 2 * 8 * self.entries + 7 * 4 * self.words * self.dim

    @property
    def exchanged(self) -> int:
        """Bytes that every process hands on in a step, in float32."""
        return 4 * self.columns * self.words


def size_of(corpus: Corpus, dim: int) -> Size:
    """Return the size of a training.

    Parameters
    ----------
    corpus : Corpus
    dim : int

    Returns
    -------
    Size

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> size_of(ts.corpus_from_texts(["good good film", "bad film"], [1, -1]), 4)
    Size(texts=2, tokens=5, entries=4, words=3, dim=4, classes=2)
    """
    tokens = int(corpus.lengths.sum())
    return Size(len(corpus), tokens, int(corpus.counts.nnz), corpus.vocab_size, dim, corpus.num_classes)


def cost_features(size: Size) -> list[float]:
    """Return what the time of a step is a sum of, each with a coefficient of its own, and one for the constant.

    Parameters
    ----------
    size : Size

    Returns
    -------
    list of float
        Entries times columns, numbers in E, texts times columns, and 1.

    Examples
    --------
    >>> cost_features(Size(100, 2000, 1500, 30, 4))
    [3000, 120, 200, 1]
    """
    return [size.columns * size.entries, size.words * size.dim, size.columns * size.texts, 1]


RIVALS = {
    "first formula": lambda size: [size.columns * size.entries, size.words * size.dim, size.texts, 1],
    "texts alone": lambda size: [size.texts, 1],
    "tokens alone": lambda size: [size.tokens, 1],
}


def fitted(sizes: list[Size], seconds: list[float], features=cost_features) -> np.ndarray:
    """Return the coefficients, none below zero, with the least squares of relative errors.

    Parameters
    ----------
    sizes : list of Size
    seconds : list of float
    features : callable
        From a size to numbers.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> sizes = [Size(n, 20 * n, 15 * n, 30, 4) for n in (10, 100, 1000)]
    >>> fitted(sizes, [0.5 + 0.01 * size.texts for size in sizes], RIVALS["texts alone"]).round(6).tolist()
    [0.01, 0.5]
    """
    rows = np.array([features(size) for size in sizes], float) / np.array(seconds)[:, None]
    unit = rows.max(axis=0)
    return nnls(rows / unit, np.ones(len(rows)))[0] / unit


def told(sizes: list[Size], coefficients, features=cost_features) -> np.ndarray:
    """Return the seconds that coefficients foretell.

    Parameters
    ----------
    sizes : list of Size
    coefficients : array
        As `fitted` returns them.
    features : callable

    Returns
    -------
    ndarray

    Examples
    --------
    >>> told([Size(100, 2000, 1500, 30, 4)], [0.01, 0.5], RIVALS["texts alone"]).tolist()
    [1.5]
    """
    return np.array([features(size) for size in sizes], float) @ coefficients


class Machine(NamedTuple):
    """What a step on paper needs to know of a machine.

    Parameters
    ----------
    units : int
        Processors or GPUs that share the texts.
    bandwidth : float
        Bytes a second between each of them and its memory, at the very most.
    memory : float
        Bytes of memory of each.
    feed : float
        Bytes a second that storage hands to all of them together, at the very most.
    link : float
        Bytes a second that each sends to the next.
    """

    units: int
    bandwidth: float
    memory: float
    feed: float
    link: float


def on_paper(size: Size, machine: Machine, share: float, entry: float = 8.0) -> dict:
    """Return what a step of Adam would take, of a size and on a machine that nobody measured.

    Parameters
    ----------
    size : Size
    machine : Machine
    share : float
        Of its bandwidth that the arithmetic reaches.
    entry : float
        Bytes that an entry of the counts takes.

    Returns
    -------
    dict
        Seconds: "feed", to read the counts from storage, in every step unless memory holds them; "counts", to move them
        through the units twice; "parameters", which every unit moves all of; "exchange"; "step", the sum of these; and
        "load", to read the counts once before the first step where memory holds them.

    Examples
    --------
    >>> size = Size(texts=10**6, tokens=2 * 10**8, entries=10**8, words=10**4, dim=64)
    >>> on_paper(size, Machine(units=2, bandwidth=1e10, memory=1e9, feed=1e9, link=1e9), share=0.5)["step"]
    0.16...
    """
    counts, parameters = entry * size.entries, 4 * size.words * size.dim
    held = counts / machine.units + 4 * parameters <= machine.memory  # E, Adam's two means, the best E so far
    reading = counts / machine.feed
    found = {
        "feed": 0.0 if held else reading,
        "counts": 2 * counts / (machine.units * machine.bandwidth * share),
        "parameters": 7 * parameters / (machine.bandwidth * share),
        "exchange": 2 * (machine.units - 1) / machine.units * size.exchanged / machine.link,
    }
    return found | {"step": sum(found.values()), "load": reading if held else 0.0}


def stepper(texts, parameters):
    """Return a function that takes a step of Adam.

    Parameters
    ----------
    texts : Corpus, StoredCorpus or Parts
    parameters : Parameters
        Changed by it.

    Returns
    -------
    callable

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], [1, -1])
    >>> parameters = ts.init_parameters(3, 4, seed=0)
    >>> step, before = stepper(corpus, parameters), ts.loss(parameters, corpus)
    >>> step()
    >>> ts.loss(parameters, corpus) < before
    True
    """
    arrays, model = parameters.arrays(), OneLayer()
    optimizer = Adam(arrays, 0.01)
    return lambda: optimizer.step(model.step_gradients(parameters, texts, arrays))


def step_seconds(corpus: Corpus, dim: int, rounds: int = ROUNDS) -> float:
    """Return how long the processor works at a step, the median of some; the first, which prepares the counts, not among them.

    Parameters
    ----------
    corpus : Corpus
    dim : int
    rounds : int

    Returns
    -------
    float
        Seconds of all cores together; the clock's, where one thread does the work.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> 0 < step_seconds(ts.corpus_from_texts(["good film", "bad film"], [1, -1]), 4) < 1
    True
    """
    parameters = init_parameters(corpus.vocab_size, dim, 0, num_classes=corpus.num_classes)
    return float(np.median(_in_turns(stepper(corpus, parameters), rounds=rounds)))


def _in_turns(*work, rounds=ROUNDS, clock=time.process_time):
    """Return the seconds of pieces of work, a row a round; one round before, which prepares the counts, is not among them."""
    seconds = []
    for _ in range(rounds + 1):
        times = [clock()]
        for each in work:
            each()
            times.append(clock())
        seconds.append(np.diff(times))
    return np.array(seconds[1:])


def resized(corpus: Corpus, texts: int, words: int, classes: int = 2) -> Corpus:
    """Return so many texts, from the beginning again where there are fewer, with the most frequent words, of so many classes.

    Parameters
    ----------
    corpus : Corpus
    texts, words, classes : int

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> resized(corpus, 5, 2, 3)
    Corpus(5 texts, 2 words, 7 tokens; 0: 2, 1: 2, 2: 1)
    """
    occurrences = corpus.counts.sum(axis=0)
    kept = np.sort(np.argsort(-occurrences, kind="stable")[:words])
    rows = np.arange(texts) % len(corpus)
    labels, names = corpus.labels[rows], corpus.class_names
    if classes != 2:
        labels, names = np.arange(texts) % classes, tuple(map(str, range(classes)))
    return Corpus(corpus.counts[:, kept][rows], labels, corpus.vocabulary[kept], names)


def cost_points(points) -> dict:
    """Time a step at several sizes.

    Parameters
    ----------
    points : list of (str, int, int, int, int)
        "reviews" or "sentences", and numbers of texts, words, dimensions and classes.

    Returns
    -------
    dict
        "kind", and one list for each field of `Size` and for "seconds".
    """
    corpora = {"reviews": load_imdb(), "sentences": load_rotten_tomatoes()}
    sizes, seconds = [], []
    for kind, texts, words, dim, classes in points:
        corpus = resized(corpora[kind], texts, words, classes)
        sizes.append(size_of(corpus, dim))
        seconds.append(step_seconds(corpus, dim))
        print(kind, sizes[-1], f"{1e3 * seconds[-1]:.2f} ms", file=sys.stderr, flush=True)
    columns = zip(Size._fields, map(list, zip(*sizes)))
    return {"kind": [kind for kind, *_ in points], **dict(columns), "seconds": rounded(seconds, 7)}


def sizes_of(points: dict) -> list[Size]:
    """Return the sizes in what `cost_points` returns.

    Parameters
    ----------
    points : dict

    Returns
    -------
    list of Size

    Examples
    --------
    >>> sizes_of({name: [2, 3] for name in Size._fields})[1]
    Size(texts=3, tokens=3, entries=3, words=3, dim=3, classes=3)
    """
    return [Size(*each) for each in zip(*(points[name] for name in Size._fields))]


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count what is handed to torch's exchange: a list that grows by the bytes of each.

    Yields
    ------
    list of int
    """
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


def largest_difference(one, other) -> float:
    """Return by how much two models' parameters differ at most.

    Parameters
    ----------
    one, other : NamedArrays

    Returns
    -------
    float

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> parameters = ts.init_parameters(3, 4, seed=0)
    >>> largest_difference(parameters, parameters.map(lambda array: array + 0.5)).__round__(6)
    0.5
    """
    pairs = zip(one.arrays().values(), other.arrays().values())
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)


def torchrun(processes: int, part: str, folder, *options: str) -> dict:
    """Run a part of this module in so many processes; return what the first one found.

    Parameters
    ----------
    processes : int
    part : {"train", "same", "speed", "exchange"}
    folder : path
        Where files lie that they share.
    *options : str
        "--quiet", or none.

    Returns
    -------
    dict

    Raises
    ------
    RuntimeError
        If one of them fails; with what they said.
    """
    file = Path(folder) / f"{part}{processes}.json"
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    command = [*engine, "-m", __spec__.name, "--part", part, "--to", str(file), *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"torchrun: exit {done.returncode}; {done.stderr}")
    return json.loads(file.read_text())


def _trained_part(processes: Processes, given) -> dict:
    """Train on the corpus that lies stored in the folder, in float64; return parameters and the bytes of every exchange."""
    corpus = StoredCorpus(given.to.parent / "reviews")
    start = init_parameters(corpus.vocab_size, 16, 0, num_classes=corpus.num_classes, dtype="float64")
    with counted() as sent:
        done = train(corpus, start=start, steps=SAME_STEPS, evaluate_every=SAME_STEPS, distributed=True, verbose=False)
    return {"sent": sent, "parameters": {name: array.tolist() for name, array in done.parameters.arrays().items()}}


def _same_part(processes: Processes, given) -> dict:
    """Train in float64, whole and in batches, with two and five classes, together and alone; return the largest differences."""
    found = {}
    for classes in (2, 5):
        corpus = resized(load_imdb()[::25], 1000, 7780, classes)
        start = init_parameters(corpus.vocab_size, DIM, 0, num_classes=classes, dtype="float64")
        formula = 2 * SAME_STEPS * size_of(corpus, DIM).exchanged  # in float64
        for optimizer, batch_size in (("adam", None), ("adam", 100), ("gradient descent", None)):
            options = dict(optimizer=optimizer, batch_size=batch_size, steps=SAME_STEPS, evaluate_every=SAME_STEPS)
            with counted() as sent:
                together = train(corpus, start=start, distributed=True, verbose=False, **options).parameters
            alone = train(corpus, start=start, verbose=False, **options).parameters
            # Two evaluations exchange loss and accuracy.
            name = f"{classes} classes, {optimizer}, {batch_size or 'all'}"
            found[name] = [largest_difference(together, alone), (sum(sent) - 2 * 16) / formula]
    return found


def _speed_part(processes: Processes, given) -> dict:
    """Time a step of this process alone, one of all, and one in which they exchange nothing, in turns.

    The last is what the machine allows: two cores of a cloud's machine may be two threads of one.
    """
    from torch import distributed

    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[processes.rank % len(cores)]})  # or one process would use all for its products
    corpus = resized(load_imdb(), REVIEWS, 7780)
    parts = Parts(corpus, None, processes)
    steps = [stepper(texts, init_parameters(corpus.vocab_size, DIM, seed=0)) for texts in (corpus, parts, parts.only)]
    if processes.rank:
        steps[0] = lambda: None
    together = [lambda step=step: (step(), distributed.barrier()) for step in steps]
    if given.quiet:
        for thread in os.listdir("/proc/self/task"):
            os.sched_setscheduler(int(thread), os.SCHED_RR, os.sched_param(1))
    seconds = _in_turns(*together, clock=time.perf_counter)
    one, several, apart = seconds.T
    ratio, ceiling = one / several, one / apart
    found = dict(
        one=np.median(one), several=np.median(several), ratio=np.median(ratio), lowest=ratio.min(), highest=ratio.max()
    )
    return found | dict(ceiling=np.median(ceiling), load=os.getloadavg()[0], rounds=seconds.tolist())


def _exchange_part(processes: Processes, given) -> dict:
    """Count the bytes of many steps on a few reviews: as torch is handed them, and on the loopback interface."""
    from torch import distributed

    corpus = load_imdb()[::25]
    step = stepper(Parts(corpus, None, processes), init_parameters(corpus.vocab_size, DIM, seed=0))
    found = []
    with counted() as handed:
        for _ in range(5):
            distributed.barrier()
            before = int(LOOPBACK.read_text())
            for _ in range(BYTE_STEPS):
                step()
            distributed.barrier()
            found.append(int(LOOPBACK.read_text()) - before)
    formula = size_of(corpus, DIM).exchanged
    # A ring hands on every number twice but for its own share: 2 (N - 1) of them all, in all processes together.
    on_interface = min(found) / (BYTE_STEPS * 2 * (processes.size - 1) * formula)  # whatever else uses it only adds
    return dict(handed=sum(handed) / len(found) / BYTE_STEPS, formula=formula, interface=on_interface, rounds=found)


def out_of_core(texts: int, setting: float, folder) -> dict:
    """Store IMDB's counts, again and again, and train on them in a process of its own.

    Parameters
    ----------
    texts : int
    setting : float
        Of memory, in bytes.
    folder : path
        To make, and to remove afterwards.

    Returns
    -------
    dict
        "texts", "setting", "entries", "stored" and "peak" in bytes, "step" in seconds.
    """
    imdb, folder = load_imdb(), Path(folder)
    whole, rest = divmod(texts, len(imdb))
    folder.mkdir()
    parts = [imdb] * whole + ([imdb[:rest]] if rest else [])
    write_corpora(parts, folder, imdb.vocabulary.tolist(), list(imdb.class_names))
    command = [sys.executable, "-m", __spec__.name, "--part", "memory", "--to", str(folder), "--setting", str(setting)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    entries = sum(part.counts.nnz for part in parts)
    return dict(texts=texts, setting=setting, entries=entries, stored=8 * entries) | json.loads(done.stdout.splitlines()[-1])


def _memory_part(given) -> dict:
    """Train for two steps; return the peak of memory, and the seconds of a step."""
    corpus = StoredCorpus(given.to, memory=given.setting)
    train(corpus, dim=DIM, steps=2, verbose=False)
    step = stepper(Parts(corpus, None, ALONE), init_parameters(corpus.vocab_size, DIM, seed=0))
    begun = time.perf_counter()
    step()
    seconds = time.perf_counter() - begun
    # Not getrusage: it counts what the program that started this one held.
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return {"step": seconds, "peak": 1024 * int(peak.split()[1])}


PARTS = {"train": _trained_part, "same": _same_part, "speed": _speed_part, "exchange": _exchange_part}


def main(*options: str) -> None:
    """Measure everything, and record it.

    Parameters
    ----------
    *options : str
        Of this program, for the processes that `torchrun` starts.
    """
    results = {name: cost_points(points) for name, points in POINTS.items()} | {"tensors": tensors()}
    with tempfile.TemporaryDirectory() as folder:
        results["counting"] = _counting(Path(folder) / "reviews")
        results["memory"] = [out_of_core(*each, Path(folder) / str(number)) for number, each in enumerate(SETTINGS)]
    with tempfile.TemporaryDirectory() as folder:
        for part in ("same", "exchange", "speed"):
            results[part] = {str(number): torchrun(number, part, folder, *options) for number in (2, 4)}
    record("scale", results)


def _counting(folder) -> dict:
    """Store IMDB's reviews; return the tokens of the vocabulary in them, and the seconds that the processor works at it."""
    reviews = read_imdb()
    begun = time.process_time()
    stored = store_corpus(list(zip(reviews.texts, reviews.labels.tolist())), folder, min_count=45)
    seconds = time.process_time() - begun
    return {"tokens": int(stored[:].lengths.sum()), "seconds": seconds}


def tensors(texts: int = REVIEWS, numbers: int = 2**28, rounds: int = ROUNDS) -> dict:
    """Time a step on torch's tensors, and a copy far beyond every cache, in turns, on one thread.

    Parameters
    ----------
    texts : int
    numbers : int
        That are copied.
    rounds : int

    Returns
    -------
    dict
        "step" and "copy" in seconds of the processor, the fewest "bytes" of such a step, "bandwidth" in bytes a second, read
        and written, and the "share" of it that the step reaches.
    """
    import torch

    torch.set_num_threads(1)
    corpus = resized(load_imdb(), texts, 7780)
    step = stepper(corpus, init_parameters(corpus.vocab_size, DIM, seed=0).to("cpu"))
    source = torch.randn(numbers)
    target = torch.empty_like(source)
    of_step, of_copy = np.median(_in_turns(step, lambda: target.copy_(source), rounds=rounds), axis=0).tolist()
    moved, bandwidth = size_of(corpus, DIM).bytes, 8 * numbers / of_copy
    share = moved / of_step / bandwidth
    return dict(texts=texts, step=of_step, copy=of_copy, bytes=moved, bandwidth=bandwidth, share=share)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--part", choices=[*PARTS, "memory"])
    arguments.add_argument("--to", type=Path)
    arguments.add_argument("--setting", type=float)
    arguments.add_argument("--quiet", action="store_true")
    given = arguments.parse_args()
    if given.part is None:
        main(*["--quiet"] * given.quiet)
    elif given.part == "memory":
        print(json.dumps(_memory_part(given)))
    else:
        found = PARTS[given.part](processes := Processes.joined(), given)
        if processes.rank == 0:
            given.to.write_text(json.dumps(found))
