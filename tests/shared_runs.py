"""Runs that `test_distributed.py` compares: undivided there, and by the processes of `torchrun` that run this file.

    torchrun --nproc-per-node 2 tests/shared_runs.py FOLDER RUN ...

The run called "broken" asks the environment when to die: TOKENSEL_DIES="1 30" kills the second process of the first attempt by
SIGKILL at the 30th exchange; TOKENSEL_DIES="random 40" kills one at a random moment of each of the first 40 attempts.
"""

import os
import pickle
import random
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np

import tokensel_nb as ts

DIM, STEPS = 6, 12
RUNS = {
    f"{classes} classes, {optimizer}, {batches}": dict(classes=classes, optimizer=optimizer, batch_size=size)
    for classes in (2, 4)
    for optimizer in ("adam", "gradient descent")
    for batches, size in (("whole", None), ("batches", 33))
}
RUNS |= {
    "one text a batch": dict(batch_size=1, steps=5),  # most processes have none
    "two texts": dict(texts=2),
    "some texts weigh nothing": dict(weighted=True),
    "tensors": dict(device="cpu"),
    "patience": dict(steps=400, learning_rate=0.5, patience=3),
    "a model that torch differentiates": dict(model=ts.WithMLP(), batch_size=20),
    "unbroken": dict(steps=300, evaluate_every=2),
    "broken": dict(steps=300, evaluate_every=2),
}


def run(name, **changes):
    """Train as the run of that name says, in float64."""
    found = RUNS[name] | changes
    classes, texts, weighted = found.pop("classes", 2), found.pop("texts", 200), found.pop("weighted", False)
    corpus, held_out = ts.independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
    if classes > 2:
        names = tuple("abcdefg"[:classes])
        corpus, held_out = (
            replace(each, labels=np.resize(range(classes), len(each)), class_names=names) for each in (corpus, held_out)
        )
    corpus = corpus[[int(corpus.labels.argmin()), int(corpus.labels.argmax())]] if texts == 2 else corpus
    if weighted:
        corpus = replace(corpus, weights=np.maximum(np.arange(len(corpus)) - 120.0, 0))
    model = found.pop("model", ts.OneLayer())
    start = model.start(corpus.vocab_size, DIM, 0, num_classes=classes, dtype="float64")
    options = dict(steps=STEPS, learning_rate=0.1) | found
    return ts.train(corpus, model, held_out=held_out, start=start, verbose=False, **options)


def counted():
    """Wrap torch's exchange: return the list that its bytes are added to."""
    from torch import distributed

    sent, exchange = [], distributed.all_reduce

    def wrapped(tensor, *rest, **options):
        sent.append(tensor.numel() * tensor.element_size())
        return exchange(tensor, *rest, **options)

    distributed.all_reduce = wrapped
    return sent


def with_one_gpu():
    """Let torch say that this machine has one GPU, whether it has any; return what is set as the process's own."""
    import torch

    chosen = []
    torch.cuda.device_count, torch.cuda.current_device, torch.cuda.set_device = lambda: 1, lambda: 0, chosen.append
    return chosen


def kill():
    """Die by SIGKILL, and say so: torchrun tells of the first of its processes that it finds dead, whichever that is."""
    print("one is killed", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def mortal():
    """Wrap torch's exchange: die there, or at a random moment after some, if the environment says so; return what is to come.

    Whoever has finished must not die any more: torchrun would wait forever for an answer of a process that waits for others.
    """
    from torch import distributed

    coming, calls, exchange, attempt = [], [], distributed.all_reduce, int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    rank, (who, number) = os.environ["RANK"], os.environ.get("TOKENSEL_DIES", "none 0").split()
    last = random.randint(1, 50)  # so that attempts get on, and kills fall into the whole run

    def wrapped(tensor, *rest, **options):
        calls.append(tensor)
        if attempt == 0 and who == rank and len(calls) == int(number):
            kill()
        if len(calls) == last and who == "random" and attempt < int(number) and attempt % 2 == int(rank):
            coming.append(threading.Timer(0.02 * random.random(), kill))
            coming[-1].start()
        return exchange(tensor, *rest, **options)

    distributed.all_reduce = wrapped
    return coming


def main(folder, *names):
    from tokensel_nb.training import checkpoint

    checkpoint.SECONDS = 0.0
    sent, kills, found = counted(), [], {"restarts": int(os.environ["TORCHELASTIC_RESTART_COUNT"]), "gpus": with_one_gpu()}
    for name in names:
        sent.clear()
        file = None
        if name == "broken":
            kills = mortal()
            file = folder / "broken.safetensors"
        done = run(name, distributed=True, checkpoint=file)
        found[name] = (done.parameters.arrays(), done.history, done.step, sum(sent))
    for what, options in {"its own seed": dict(seed=int(os.environ["RANK"])), "one GPU": dict(device="cuda")}.items():
        try:
            run(names[0], distributed=True, **options)
        except (ValueError, AssertionError) as error:  # of torch without CUDA
            found[what] = str(error)
    for timer in kills:
        timer.cancel()
    (folder / f"{os.environ['RANK']}.pickle").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
