"""Claims of chapter 6, ablations: what each part of training is good for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..alignment import embedding_step
from ..bins import Bins, binned
from ..model import Parameters
from ..training import NAMES, History, train
from .shared import imdb, start_of
from .table import Target, claim

CHAPTER = "book/06_ablations"
SEEDS = range(5)
QUERY_AND_HEAD = ("cls_embedding", "output_vector")
STEP = 3_000.0  # η₀ of the run with one step on the embeddings, as in chapter 2
STEPS = 40  # on p and v after it, and of the runs it is compared with


@dataclass(frozen=True)
class Run:
    """What is kept of a training run: the parameters of a large one would fill the memory."""

    history: History
    step: int
    by_value: Bins  # of the returned E_s·v and E_s·p, by label skew
    by_score: Bins

    @property
    def best(self):
        """The row of the history with the lowest held-out loss."""
        return int(np.argmin(self.history.held_out_losses))


@cache
def parts():
    """Return the 20,000 texts of IMDB that are trained on, and the 5,000 held out."""
    return imdb().split(0.2, seed=0)


@cache
def run(dim, seed, steps, trained=NAMES, first_step=None, patience=None, every=5):
    """Train some of (E, p, v) with Adam, after one gradient step on E if its size is given."""
    corpus, _ = parts()
    start = start_of(corpus, dim, seed)
    if first_step is not None:
        start = embedding_step(start, corpus, first_step)
    return _summed_up(start, steps, trained, patience, every)


def _summed_up(start, steps, trained, patience=None, every=5):
    corpus, held_out = parts()
    options = dict(learning_rate=0.01, held_out=held_out, patience=patience, evaluate_every=every)
    found = train(corpus, start=start, steps=steps, trained=trained, **options)
    by_value, by_score = (binned(corpus.label_skew(), x) for x in (found.parameters.values, found.parameters.scores))
    return Run(found.history, found.step, by_value, by_score)


def relative_spread(bins):
    """Return the mean spread within the bins over the range of their means: no unit, and no scale."""
    return bins.mean_spread / np.ptp(bins.means[bins.sizes > 0])


def frozen(seed):
    """Return a run with embeddings frozen at random."""
    return run(2048, seed, 150, QUERY_AND_HEAD, every=30)


def full(seed):
    """Return a run with everything trained."""
    return run(2048, seed, STEPS)


def one_step(seed):
    """Return a run with one full-batch step on the embeddings, which are frozen then."""
    return run(2048, seed, STEPS, QUERY_AND_HEAD, STEP, every=STEPS)


@claim(
    "frozen-seventy-two",
    CHAPTER,
    "paper",
    Target(0.7, 0.74),
    r"With embeddings frozen at random ($d = 2048$) 90 steps on $p$ and $v$ give the 72% of accuracy that the authors report, "
    "within two points: held out, mean of five seeds.",
)
def frozen_seventy_two():
    return np.mean([frozen(seed).history.held_out_accuracies[3] for seed in SEEDS])


@claim(
    "frozen-rises-on",
    CHAPTER,
    "book",
    Target(low=0.74),
    "That is no ceiling, it depends on when one stops: after 150 steps, smallest held-out accuracy of five seeds.",
)
def frozen_rises_on():
    return min(frozen(seed).history.held_out_accuracies[-1] for seed in SEEDS)


@claim(
    "trained-held-out",
    CHAPTER,
    "book",
    Target(0.86, 0.9),
    "With everything trained the held-out accuracy comes near 88%, and not to the 95% that the authors report: "
    "largest of 40 steps and five seeds.",
)
def trained_held_out():
    return max(full(seed).history.held_out_accuracies.max() for seed in SEEDS)


@claim(
    "trained-in-training",
    CHAPTER,
    "book",
    Target(low=0.95),
    "On the texts that are trained on it does pass 95%: largest training accuracy of 40 steps, smallest of five seeds.",
)
def trained_in_training():
    return min(full(seed).history.accuracies.max() for seed in SEEDS)


@claim(
    "trained-overfits",
    CHAPTER,
    "book",
    Target(low=1.5),
    "Then it overfits: held-out loss after 40 steps over the lowest, smallest of five seeds.",
)
def trained_overfits():
    losses = [full(seed).history.held_out_losses for seed in SEEDS]
    return min(of_seed[-1] / of_seed.min() for of_seed in losses)


@claim(
    "one-step-spread-values",
    CHAPTER,
    "paper",
    Target(low=4.0),
    r"One step on $E$, then only $p$ and $v$: $E_s\cdot v$ spreads less within a bin of label skew than with everything "
    "trained, by half of the 8 times that the authors report at least (40 steps each, smallest of five seeds).",
)
def one_step_spread_values():
    return min(full(seed).by_value.mean_spread / one_step(seed).by_value.mean_spread for seed in SEEDS)


@claim(
    "one-step-spread-scores",
    CHAPTER,
    "paper",
    Target(low=3.0),
    r"So does $E_s\cdot p$, by half of the 6 times that they report at least (40 steps each, smallest of five seeds).",
)
def one_step_spread_scores():
    return min(full(seed).by_score.mean_spread / one_step(seed).by_score.mean_spread for seed in SEEDS)


@claim(
    "one-step-spread-scale-free",
    CHAPTER,
    "book",
    Target(low=3.0),
    r"Measured by the range of the bins' means it is the other way round: relative spread of $E_s\cdot v$ after one step over "
    "that with everything trained, smallest of five seeds.",
)
def one_step_spread_scale_free():
    return min(relative_spread(one_step(seed).by_value) / relative_spread(full(seed).by_value) for seed in SEEDS)


@claim(
    "one-step-spread-of-share",
    CHAPTER,
    "book",
    Target(0.9, 1.15),
    r"Because after one step $E_s\cdot v$ follows the signed share, not the skew: its relative spread over that of "
    r"$\bar\alpha_s$ itself, mean of five seeds.",
)
def one_step_spread_of_share():
    corpus, _ = parts()
    of_share = relative_spread(binned(corpus.label_skew(), corpus.signed_share()))
    return np.mean([relative_spread(one_step(seed).by_value) for seed in SEEDS]) / of_share


@claim(
    "dimension-accuracy",
    CHAPTER,
    "book",
    Target(low=0.965),
    "From $d = 16$ to $1{,}024$ the held-out accuracy at the lowest held-out loss hardly depends on $d$: "
    "smallest over largest of the means over five seeds.",
)
def dimension_accuracy():
    means = [np.mean([_at_best(_of_dimension(dim, seed)) for seed in SEEDS]) for dim in (16, 64, 256, 1024)]
    return min(means) / max(means)


@claim(
    "dimension-u-shape",
    CHAPTER,
    "book",
    Target(low=3.0),
    r"At each of them $E_s\cdot p$ is U-shaped over the label skew: by how many standard errors its ends exceed its middle, "
    "smallest of all dimensions and seeds.",
)
def dimension_u_shape():
    return min(_of_dimension(dim, seed).by_score.u_shape() for dim in (16, 64, 256, 1024) for seed in SEEDS)


def _of_dimension(dim, seed):
    return run(dim, seed, 200, patience=2)


def _at_best(of_run):
    return of_run.history.held_out_accuracies[of_run.best]


@claim(
    "attention-adds",
    CHAPTER,
    "book",
    Target(1.003, 1.03),
    "Attention adds up to three percent to a bag of words ($p = 0$, only $E$ and $v$ trained): ratio of the held-out "
    "accuracies at the lowest held-out loss ($d = 512$, means of five seeds).",
)
def attention_adds():
    without = [_at_best(run(512, seed, 45, ("embeddings", "output_vector"))) for seed in SEEDS]
    return np.mean([_at_best(run(512, seed, 45)) for seed in SEEDS]) / np.mean(without)


@claim(
    "share-alone",
    CHAPTER,
    "book",
    Target(0.65, 0.68),
    r"A word that is known by its signed share alone ($d = 1$, $E_s = \bar\alpha_s$ in units that suit Adam) lets $p$ and $v$ "
    "reach two thirds and no more: held-out accuracy after 200 steps.",
)
def share_alone():
    return _share_alone().history.held_out_accuracies[-1]


def _share_alone():
    share = parts()[0].signed_share()
    alone = (share / share.std())[:, None].astype(np.float32)
    start = Parameters(alone, np.zeros(1, np.float32), np.ones(1, np.float32))
    return _summed_up(start, 200, QUERY_AND_HEAD, every=200)


@claim(
    "first-step-best",
    CHAPTER,
    "book",
    Target(low=1.03),
    r"The first step can be too small and too large: held-out accuracy after 50 steps on $p$ and $v$ for $\eta_0 = 3{,}000$ "
    "over that for 10 and for 30,000, the smaller ratio ($d = 512$, means of five seeds).",
)
def first_step_best():
    means = [
        np.mean([_after(first_step, seed).history.held_out_accuracies[-1] for seed in SEEDS])
        for first_step in (10.0, STEP, 30_000.0)
    ]
    return means[1] / max(means[0], means[2])


def _after(first_step, seed):
    return run(512, seed, 50, QUERY_AND_HEAD, first_step, every=50)
