"""What the device of this machine does: a step against two cores of its processor, training runs against one, in one run.

On a machine without a GPU the device is the processor itself, and the ratios are those of it to itself: a rehearsal.
"""

from functools import partial

import torch

from tokensel_nb import WithMLP, init_parameters, load_imdb, most_frequent, to_device, train
from tokensel_nb.arrays import gpu
from tokensel_nb.extras import device_name

from .step import DIM, fewest_bytes, stepper
from .timing import alternate, row

ROUNDS = 15
CORES = 2  # of the processor that a step is compared with
COPIED = 2**28  # numbers of float32: far beyond every cache


def measure():
    place, imdb = gpu() or "cpu", load_imdb()
    devices, start = {"cpu": "cpu", "device": place}, init_parameters(imdb.vocab_size, DIM, seed=0)
    torch.set_num_threads(CORES)
    step = {name: timed(stepper(imdb, to_device(start, each)), place) for name, each in devices.items()}
    source = torch.randn(COPIED, device=place)
    bandwidth = 2 * 4 * COPIED / timed(partial(torch.empty_like(source).copy_, source), place)
    del source
    torch.set_num_threads(1)  # smaller products lose more by waiting for a second thread than it gains
    options = dict(steps=40, learning_rate=0.007, evaluate_every=40)
    adam = {name: timed(partial(train, start, imdb, **options, device=each), place, 3) for name, each in devices.items()}
    short, model = most_frequent(imdb[::5], 96), WithMLP()
    options = dict(model=model, steps=100, learning_rate=0.01, batch_size=50, evaluate_every=300)
    start = model.start(imdb.vocab_size, 128, 0)
    deeper = {name: timed(partial(train, start, short, **options, device=each), place, 3) for name, each in devices.items()}
    rows = [
        row(f"step, d = 2,048, 25,000 reviews: {device_name()}", step["device"] * 1e3, "ms"),
        row(f"the same step: {CORES} cores of the processor of that machine", step["cpu"] * 1e3, "ms"),
        row("the same step: times as fast", step["cpu"] / step["device"], "×", "≥ 50 on a GPU"),
        row("device's bandwidth (copy of 1 GB, read and written)", bandwidth / 1e9, "GB/s"),
        row("step: share of that bandwidth", fewest_bytes(imdb) / step["device"] / bandwidth, "", "≥ 0.7"),
        row("40 steps of Adam, d = 2,048, with what is prepared: device", adam["device"], "s"),
        row("the same: times as fast as one core", adam["cpu"] / adam["device"], "×"),
        row("100 steps of the MLP, 5,000 reviews: device", deeper["device"], "s"),
        row("the same: times as fast as one core", deeper["cpu"] / deeper["device"], "×"),
    ]
    if place == "cuda":
        rows.append(row("device's peak memory", torch.cuda.max_memory_allocated() / 1e9, "GB"))
    return rows


def timed(work, place, rounds=ROUNDS):
    """Return the median seconds of a piece of work, after one that is not counted."""

    def done():
        work()
        if place == "cuda":
            torch.cuda.synchronize()

    done()
    (seconds,) = alternate(done, rounds=rounds)
    return seconds
