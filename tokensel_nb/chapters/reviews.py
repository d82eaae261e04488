"""The run of 04_reviews and 05_beyond: (E, p, v) trained on reviews, with values and scores in bins of the label skew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import to_numpy
from ..bins import Bins, binned
from ..corpus import Corpus
from ..parameters import init_parameters
from ..training import Training, train

# As many dimensions as the paper has; the rest is our choice.
SETTINGS = dict(dim=2048, steps=150, learning_rate=0.007, device="auto")
HELD_OUT = 0.2


@dataclass(frozen=True, repr=False)
class BinnedRun:
    """A training run, and E_s·v and E_s·p in 20 bins of the label skew, the paper's view."""

    training: Training
    values: Bins
    scores: Bins


def run(corpus: Corpus, seed=0, held_out: Corpus | None = None, **changes) -> Training:
    """Train all of (E, p, v) with `SETTINGS` and changes, evaluated on held-out texts; the seed draws the start."""
    settings = SETTINGS | changes
    start = init_parameters(corpus.vocab_size, settings.pop("dim"), seed, num_classes=corpus.num_classes)
    return train(start, corpus, held_out=held_out, **settings)


def binned_run(corpus: Corpus, seed=0, held_out: Corpus | None = None, **changes) -> BinnedRun:
    """Do a `run` on two classes, and bin its values and scores."""
    training, skew = run(corpus, seed, held_out, **changes), corpus.label_skew()
    return BinnedRun(training, binned(skew, training.parameters.token_values), binned(skew, training.parameters.token_scores))


def stopped(corpus: Corpus, held_out: Corpus, seed, **changes) -> tuple[Training, int, np.ndarray]:
    """Do a `run`, and return it, the step of the lowest loss on held-out texts, and the scores at that step."""
    seen = {}
    look = lambda step, parameters: seen.setdefault(step, to_numpy(parameters.token_scores))
    training = run(corpus, seed, held_out, watch=look, **changes)
    stop = int(training.history.steps[training.history.held_out_losses.argmin()])
    return training, stop, seen[stop]
