"""How long one waits at the door: imports, and the first fit of a process against the second."""

from statistics import median

from .timing import row, told_by

ROUNDS = 9
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
FIT = """
import time, numpy as np
if {device!r}:
    import torch
import tokensel_nb as ts
corpus = ts.Corpus(np.random.default_rng(0).poisson(1.0, (40, 9)), np.arange(40) % 2, list("abcdefghi"))
def fit():
    start = time.perf_counter()
    ts.train(ts.init_parameters(9, 16, seed=0), corpus, steps=30, device={device!r})
    return time.perf_counter() - start
ts.train, ts.Corpus
first, second = fit(), fit()
print(first - second)
"""
SENTENCES = """
import time
start = time.perf_counter()
import tokensel_nb as ts
corpus = ts.corpus_from_texts(["a good film", "good and moving", "a bad film", "bad and long"], ["up", "up", "down", "down"])
ts.train(ts.init_parameters(corpus.vocab_size, 16, seed=0), corpus, steps=30)
print(time.perf_counter() - start)
"""


def measure():
    codes = {
        "import torch": IMPORT.format("torch"),
        "import tokensel_nb": IMPORT.format("tokensel_nb"),
        "both": IMPORT.format("torch, tokensel_nb"),
        "arrays": FIT.format(device=None),
        "tensors": FIT.format(device="cpu"),
        "sentences": SENTENCES,
    }
    seconds = {name: [] for name in codes}
    for _ in range(ROUNDS):
        for name, code in codes.items():
            seconds[name] += told_by(code)
    over_torch = median(both - torch for both, torch in zip(seconds["both"], seconds["import torch"]))
    found = {name: median(each) for name, each in seconds.items()}
    return [
        row("import torch", found["import torch"], "s"),
        row("import tokensel_nb", found["import tokensel_nb"], "s"),
        row("import tokensel_nb and torch over import torch", over_torch, "s", "≤ 0.5"),
        row("the first train of a process over the second, on arrays", found["arrays"], "s", "≤ 0.1"),
        row("the first train of a process over the second, on tensors", found["tensors"], "s", "≤ 0.1"),
        row("from nothing imported to a model of four sentences", found["sentences"], "s"),
    ]
