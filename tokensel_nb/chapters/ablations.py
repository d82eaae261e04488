"""The sides that 06_ablations compares: training without one of its parts; and a test of convergence."""

from __future__ import annotations

from dataclasses import dataclass

from ..corpus import Corpus
from ..one_step import embedding_step
from ..parameters import Parameters, init_parameters
from ..training import Training, train

DIM, FIRST_STEP = 2048, 3_000
PATIENCE = 5  # evaluations without a lower validation loss
STILL, WINDOW = 0.01, 20  # nats, steps
QUERY_AND_HEAD = ("cls_embedding", "output_vector")


@dataclass(frozen=True)
class Side:
    """One side of a comparison: what is trained, from which start, and how often it is evaluated."""

    trained: tuple[str, ...] | None = None  # by default all parameters
    first_step: float | None = None  # the size of one gradient step on E before training
    begin: int = 0  # the place on the ladder of rates of the first of three that are always tried
    evaluate_every: int = 2
    steps: int = 300


SIDES = {
    "all": Side(begin=1),
    "bag": Side(("embeddings", "output_vector"), begin=1, evaluate_every=5, steps=600),
    "frozen": Side(QUERY_AND_HEAD, begin=3, evaluate_every=20, steps=1000),
    "one_step": Side(QUERY_AND_HEAD, FIRST_STEP, begin=3, evaluate_every=20, steps=1000),
}


def start_of(side: Side, corpus: Corpus, seed: int, dim: int = DIM) -> Parameters:
    """Return the start of a side's training."""
    start = init_parameters(corpus.vocab_size, dim, seed)
    return start if side.first_step is None else embedding_step(start, corpus, side.first_step)


def run_side(side: Side, fit: Corpus, validation: Corpus, rate: float, seed: int, dim: int = DIM, **changes) -> Training:
    """Train one side at one rate until the validation loss stops falling; the parameters of the lowest loss are kept."""
    options = dict(learning_rate=rate, steps=side.steps, evaluate_every=side.evaluate_every, patience=PATIENCE, device="auto")
    start = start_of(side, fit, seed, dim)
    return train(start, fit, held_out=validation, trained=side.trained, **(options | changes))


def converged_at(steps, losses) -> int | None:
    """Return the first step at which the training loss has fallen by less than `STILL` within the last `WINDOW` steps."""
    loss_at = dict(zip(map(int, steps), losses))
    for step, loss in loss_at.items():
        if step - WINDOW in loss_at and loss_at[step - WINDOW] - loss < STILL:
            return step
    return None
