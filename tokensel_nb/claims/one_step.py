"""Claims of chapter 2, one gradient step."""

from __future__ import annotations

import numpy as np

from ..alignment import cls_step, embedding_step, exact_values, predicted_scores, predicted_values
from ..model import score_gradients
from .shared import four_classes, imdb, slope, start_of
from .table import Target, claim

CHAPTER = "book/02_one_step"
STEP = 3_000.0  # η₀ of the chapter's scatter: at d = 2,048 signal and noise can both be seen
SMALL_STEP = 300.0  # η₀ of the chapter's step on p: small enough that the tilt does not hide the parabola


@claim(
    "one-step-identity",
    CHAPTER,
    "book",
    Target(high=1e-12),
    r"After one step $E^1_s\cdot v$ obeys the exact identity on all of IMDB: largest error over the largest value.",
)
def one_step_identity():
    start = start_of(imdb(), 256, 0, "float64")
    wanted = exact_values(start, imdb(), STEP)
    return np.abs(embedding_step(start, imdb(), STEP).values - wanted).max() / np.abs(wanted).max()


@claim(
    "one-step-alignment",
    CHAPTER,
    "paper",
    Target(low=0.97),
    r"At $d = 2048$ one step of size 3,000 makes $E_s\cdot v$ proportional to the average signed share of the word: "
    "smallest correlation of five seeds.",
)
def one_step_alignment():
    return min(step_correlation(2048, STEP, seed) for seed in range(5))


def step_correlation(dim, step, seed):
    """Return the correlation, over IMDB's words, of E¹_s·v with its prediction."""
    stepped = embedding_step(start_of(imdb(), dim, seed), imdb(), step)
    return np.corrcoef(stepped.values, predicted_values(imdb(), step))[0, 1]


@claim(
    "one-step-slope",
    CHAPTER,
    "book",
    Target(-0.55, -0.45),
    r"The largest error of the prediction falls like $d^{-1/2}$ from $d = 64$ to $16{,}384$: slope in a log-log plot.",
)
def one_step_slope():
    dims = 4 ** np.arange(3, 8)
    return slope(dims, [np.mean([step_gap(dim, SMALL_STEP, seed) for seed in range(3)]) for dim in dims])


def step_gap(dim, step, seed):
    """Return the largest error, over IMDB's words, of the prediction of E¹_s·v."""
    stepped = embedding_step(start_of(imdb(), dim, seed), imdb(), step)
    return np.abs(stepped.values - predicted_values(imdb(), step)).max()


@claim(
    "first-step-size",
    CHAPTER,
    "book",
    Target(high=0.03),
    r"The correlation with the prediction is about $(1 + 4/(\eta_0^2 d \operatorname{Var}\bar\alpha))^{-1/2}$ "
    r"from $\eta_0 = 100$ to $30{,}000$ at $d = 512$: largest deviation, three seeds.",
)
def first_step_size():
    steps = [100.0, 300.0, 1_000.0, 3_000.0, 10_000.0, 30_000.0]
    gaps = [step_correlation(512, step, seed) - expected_correlation(512, step) for step in steps for seed in range(3)]
    return np.abs(gaps).max()


def expected_correlation(dim, step):
    """Return what the correlation of E¹_s·v with its prediction should be if the start adds noise of variance 1/d."""
    return (1 + 4 / (step**2 * dim * imdb().signed_share().var())) ** -0.5


@claim(
    "class-identity",
    CHAPTER,
    "book",
    Target(high=1e-12),
    "The identity holds with four classes as well (17,060 texts): largest error over the largest value.",
)
def class_identity():
    corpus = four_classes()
    start = start_of(corpus, 256, 0, "float64")
    wanted = exact_values(start, corpus, STEP)
    return np.abs(embedding_step(start, corpus, STEP).values - wanted).max() / np.abs(wanted).max()


@claim(
    "class-alignment",
    CHAPTER,
    "paper",
    Target(low=0.97),
    r"With four classes at $d = 2048$ one step of size 3,000 aligns $E_s\cdot v_k$ with the signed share of class $k$: "
    "smallest correlation of the four.",
)
def class_alignment():
    corpus = four_classes()
    values = embedding_step(start_of(corpus, 2048, 0), corpus, STEP).values
    wanted = predicted_values(corpus, STEP)
    return min(np.corrcoef(values[:, k], wanted[:, k])[0, 1] for k in range(4))


@claim(
    "cls-parabola",
    CHAPTER,
    "book",
    Target(low=0.9),
    r"After a first step of 300, $b_s$ is nearly a parabola in the signed share, lowered for common words: "
    "share of its variance over IMDB's words that the three terms explain.",
)
def cls_parabola():
    values, b = limiting_query_gradient(SMALL_STEP)
    share, mean_share = imdb().signed_share(), imdb().shares.mean(axis=0)
    mean_logits = imdb().shares @ values
    by_label = (imdb().labels * mean_logits).mean()
    terms = SMALL_STEP / 4 * share**2 - mean_logits.mean() / 2 * share - by_label / 2 * mean_share
    return 1 - np.var(b - terms) / np.var(b)


def limiting_query_gradient(step):
    """Return the limiting values on IMDB after a first step, and b = -∂L/∂a at uniform attention with them."""
    values = predicted_values(imdb(), step)
    return values, -score_gradients(np.zeros_like(values), values, imdb())[0]


@claim(
    "cls-both-signs",
    CHAPTER,
    "book",
    Target(low=5.0),
    r"One step on $p$ raises $E_s\cdot p$ of the most negative word *and* of the most positive one: "
    "score over the standard deviation of the middle half of the words (smaller of the two, worst of five seeds, $d = 2048$).",
)
def cls_both_signs():
    order = np.argsort(imdb().signed_share())
    middle = order[len(order) // 4 : -len(order) // 4]
    scores = [two_steps(2048, seed).scores for seed in range(5)]
    return min(of_seed[[order[0], order[-1]]].min() / of_seed[middle].std() for of_seed in scores)


@claim(
    "cls-tilt",
    CHAPTER,
    "book",
    Target(low=10.0),
    r"With a first step of 3,000 the tilt hides the parabola in the limiting scores: ratio of their standard deviations.",
)
def cls_tilt():
    values, b = limiting_query_gradient(STEP)
    return abs(values @ b) * values.std() / b.std()


@claim(
    "cls-slope",
    CHAPTER,
    "book",
    Target(-0.6, -0.4),
    r"$E_s\cdot p$ after one step on $p$ approaches its limit like $d^{-1/2}$ from $d = 256$ to $16{,}384$: "
    "slope of the root mean square error.",
)
def cls_slope():
    wanted = predicted_scores(imdb(), SMALL_STEP, 1.0)
    dims = [256, 1024, 4096, 16_384]
    return slope(dims, [(two_steps(dim, 0).scores - wanted).std() for dim in dims])


def two_steps(dim, seed):
    """Return the parameters after one step of size 300 on the embeddings, then one of size 1 on p, on IMDB."""
    return cls_step(embedding_step(start_of(imdb(), dim, seed), imdb(), SMALL_STEP), imdb(), 1.0)
