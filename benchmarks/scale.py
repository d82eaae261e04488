"""Texts that several processes share, and texts that memory does not hold: times, bytes, peak memory.

How each is measured, stands in `experiments.scale`. With --quiet, as root, other programs wait during some seconds.
"""

import tempfile
from pathlib import Path

from experiments.scale import out_of_core, torchrun
from tokensel_nb import load_imdb

from .timing import row

SETTING, TIMES = 300e6, 5  # of memory, and how much larger the stored corpus is


def measure(*options):
    imdb = load_imdb()
    repeated = int(TIMES * SETTING / (8 * imdb.counts.nnz)) + 1
    with tempfile.TemporaryDirectory() as folder:
        speed = torchrun(2, "speed", folder, *options)
        two, four = (torchrun(number, "exchange", folder) for number in (2, 4))
        memory = out_of_core(repeated * len(imdb), SETTING, Path(folder) / "stored")
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
    rows += [
        row("stored corpus (IMDB's, repeated): counts over the setting of memory", memory["stored"] / SETTING, "×", "5"),
        row("the same: peak memory of the process over the setting", memory["peak"] / SETTING, "", "≤ 1.1"),
        row("the same: a step", memory["step"], "s"),
        row("the same: a step, nanoseconds a text and word in it", memory["step"] / memory["entries"] * 1e9, "ns"),
    ]
    return rows
