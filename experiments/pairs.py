"""Chapter 9's slowest models, two layers of attention, on texts in which pairs of words tell the label (15 seconds)."""

import numpy as np

import tokensel_nb as ts
from tokensel_nb.chapters.pairs import SEEDS, SLOWLY, TASKS, shares_right

from .recording import rounded

TWO_LAYERS = ts.TwoLayers(residual=0.0, identity=0.0, spread=3.0)


def two_layers() -> dict:
    """Return what two layers get right of each task: of the texts learnt from, and of new ones, seed by seed."""
    shares = {task: [shares_right(TWO_LAYERS, *draw(seed), seed, **SLOWLY) for seed in SEEDS] for task, draw in TASKS.items()}
    return {task: rounded(np.transpose(of_seeds)) for task, of_seeds in shares.items()}


RECORDS = {"two_layers_pairs": two_layers}
