"""Texts that several processes share, and texts in shards on a disk: times and bytes.

How each is measured, stands in `experiments.scale`. With --quiet, as root, other programs wait during some seconds.
"""

import tempfile

from experiments.scale import tensors, torchrun

from .timing import row


def measure(*options):
    with tempfile.TemporaryDirectory() as folder:
        speed = torchrun(2, "speed", folder, *options)
        two, four = (torchrun(number, "exchange", folder) for number in (2, 4))
    seconds = tensors()["seconds of an entry"]
    rows = [
        row("a step, d = 64, 560,000 reviews (IMDB's, repeated): one process on one core", speed["one"] * 1e3, "ms"),
        row("the same: two processes, each on a core", speed["several"] * 1e3, "ms"),
        row("the same: times as fast, median of pairs", speed["ratio"], "×", "≥ 1.8"),
        row("the same: times as fast, if they exchanged nothing: what this machine allows", speed["ceiling"], "×"),
        row("load of the machine meanwhile (1 minute; 2 cores)", speed["load"], ""),
    ]
    for number, found in ((2, two), (4, four)):
        rows += [
            row(f"exchanged in a step by each of {number} processes, handed to torch", found["handed"], "bytes"),
            row("the same over the formula, 8 |S| for two classes", found["handed"] / found["formula"], "", "1"),
            row(f"on the loopback interface, {number} processes: over the formula", found["interface"], "", "0.9 to 1.1"),
        ]
    what = "a step on tensors, nanoseconds a text and word in it, from"
    return rows + [row(f"{what} {name}", 1e9 * each, "ns") for name, each in seconds.items()]
