"""Checks of the exercises in 06_ablations."""

import numpy as np

from ...corpus import Corpus
from .answers import close, compare, exercise, shaped, slopes, texts


@exercise("ex-linear-bag", "the weights", "the gradient at zero")
def linear_bag(fit, random):
    counts, signs = texts(random, n=12)
    corpus, ridge, mean = Corpus(counts, signs, list("abcd")), random.uniform(0.01, 0.1), counts.sum(axis=1).mean()
    shares = counts / counts.sum(axis=1, keepdims=True) * mean

    def goal(weights):
        return np.logaddexp(0, -signs * (shares @ weights)).mean() + ridge / 2 * weights @ weights

    weights, at_zero = fit(corpus, ridge, np.zeros(4))
    wanted = slopes(goal, np.zeros(4))
    mistakes = {
        "You summed over texts; take the mean.": 12 * wanted,
        "That is the gradient in gamma; the weights are gamma over the mean length.": wanted / mean,
    }
    yield from compare(at_zero, wanted, mistakes, tolerance=1e-5)
    yield from shaped(weights, (4,))
    if np.abs(slopes(goal, weights / mean)).max() < 1e-4:
        yield "Those are the gamma; divide them by the mean length."
    if (steepest := np.abs(slopes(goal, weights)).max()) > 1e-3:
        yield f"This is not the minimum: the loss has a slope of {steepest:.3f} there. Is the ridge in both?"
    if not close(fit(corpus, ridge, random.normal(size=4))[0], weights, 1e-2):
        yield "From another start it ends elsewhere, and there is one minimum only."


@exercise("ex-spread-parts")
def spread_parts(dimension, random):
    step, pulls = random.uniform(1_000, 9_000), random.normal(size=500) * random.uniform(1e-5, 1e-4)
    mistakes = {
        "Variances add up, not standard deviations: the step enters with its square.": 1 / (step * pulls.var()),
        "The variance of noise is 1/d.": step**2 * pulls.var(),
        "Half of the variance: the two parts are equal.": 0.5 / np.var(step * pulls),
    }
    yield from compare(dimension(step, pulls.var()), 1 / np.var(step * pulls), mistakes)


@exercise("ex-two-dimensions")
def two_dimensions(embed, random):
    scores, values, (p, v) = random.normal(size=6), random.normal(size=6), random.normal(size=(2, 2))
    answer = embed(scores, values, p, v)
    yield from shaped(answer, (6, 2), {"Give one row per word.": (2, 6)})
    if close(answer, np.outer(scores, p) + np.outer(values, v)):
        yield "p and v are neither of length one nor orthogonal: solve two equations a word."
    yield from compare(answer @ p, scores, {"With p the values come out, with v the scores: exchange them.": values}, 1e-4)
    yield from compare(answer @ v, values, tolerance=1e-4)


@exercise("ex-head-alone")
def head_alone(attended, random):
    often, scores = random.dirichlet(np.ones(5)), random.normal(size=5)
    tokens = np.repeat(np.arange(5), np.round(often * 1e6).astype(int))  # a long text of these words
    paid = np.bincount(tokens, np.exp(scores)[tokens], 5)
    mistakes = {
        "Divide by the sum: attention adds up to one.": often * np.exp(scores),
        "A word is attended to as often as it stands there.": np.exp(scores) / np.exp(scores).sum(),
        "That is how often words stand there; you did not use their scores.": often,
    }
    yield from compare(attended(often, scores), paid / paid.sum(), mistakes, tolerance=1e-4)
