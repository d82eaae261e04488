"""The curves of two playthings: accuracy along training (06_ablations), and what words say by their lean (08_deeper).

What is recorded is taken from there. The rest is trained here, with the settings of what stands beside it. For *Where do you
stop?* that is a network on shuffled labels, for as many steps as true ones take. For *Learnt or luck?* it is three models on
true and on shuffled labels, of which the records hold some curves alone (about three minutes).
"""

from dataclasses import replace

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.ablations import SIDES, run_side
from tokensel_nb.chapters.recorded import PAPER_EDGES, recorded

from .ablations import TELLING

RUNS = 3  # of every network
KINDS = {"own": "accuracies", "new": "held_out_accuracies"}
MODELS = {
    "one layer": replace(deeper_reviews.EXPERIMENTS["two layers"], model=ts.one_layer),
    "two layers": deeper_reviews.EXPERIMENTS["two layers"],
    "an MLP": deeper_reviews.PROTOCOL,
}


def along(runs: list[dict]) -> dict:
    """Return the steps at which all runs were evaluated, and accuracies in thousandths, run by run."""
    shared = min(len(run["steps"]) for run in runs)
    curves = {kind: [[round(1000 * each) for each in run[name][:shared]] for run in runs] for kind, name in KINDS.items()}
    return {"steps": [int(step) for step in runs[0]["steps"][:shared]]} | curves


def shuffled_run(split: int, rate: float, steps: int) -> dict:
    """Train everything on shuffled labels, as `ablations_sides` does on true ones."""
    fit, validation = ts.shuffle_labels(ts.load_imdb(), split).split(0.2, seed=split)
    history = run_side(SIDES["all"], fit, validation, rate, split, steps=steps, patience=None).history
    return {"steps": history.steps, **{name: getattr(history, name) for name in KINDS.values()}}


def stopping() -> dict:
    """Return the accuracy of five networks along training, on their own reviews and on new ones."""
    sides = recorded("ablations_sides")
    curves = {side: along(sides[side]["runs"][:RUNS]) for side in SIDES}
    rate, steps = sides["all"]["rate"], curves["all"]["steps"][-1]
    return curves | {"shuffled": along([shuffled_run(split, rate, steps) for split in TELLING[:RUNS]])}


def says(name: str, seed: int, shuffled: bool) -> list:
    """Train, and return what words say alone, on average in 20 bins of their skew in a network's own reviews and in all others.

    In hundredths of the largest mean by the own skew; None where a bin is empty.
    """
    corpus, experiment = ts.load_imdb(), replace(MODELS[name], shuffled=shuffled)
    trained = deeper_reviews.deeper_run(corpus, experiment, seed)
    alone = deeper_reviews.alone(trained.training.parameters, experiment.model, corpus)
    rows = [ts.binned(skew, alone, PAPER_EDGES).means for skew in (trained.skew, trained.others_skew)]
    shown = 100 * np.array(rows) / np.nanmax(np.abs(rows[0]))
    return [[None if np.isnan(each) else round(each) for each in row] for row in shown.tolist()]


def luck() -> dict:
    """Return curves of every model, on true and on shuffled labels."""
    labels = {"true": False, "shuffled": True}
    return {name: {kind: [says(name, seed, each) for seed in range(RUNS)] for kind, each in labels.items()} for name in MODELS}
