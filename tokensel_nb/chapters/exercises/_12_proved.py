"""Checks of the exercises in 12_proved."""

import numpy as np

from ...corpus import Corpus
from ...joint import conserved
from ...margin import max_margin
from ...model import loss
from ._03_flow import separable
from .answers import close, compare, exercise, flat, parameters, shaped, slopes, texts


@exercise("ex-own-margin", "p", "the multipliers, one a pair", "the rows D")
def own_margin(solver, random):
    E, pairs = separable(random)
    rows = E[pairs[:, 0]] - E[pairs[:, 1]]
    answer = p, multipliers, D = solver(E, pairs, 2_000)
    yield from shaped(answer, [(8,), (9,), (9, 8)])
    yield from compare(D, rows, {"Each row is the selected token less the other.": -rows})
    leads = D @ p
    if leads.min() < 1 - 1e-3:
        yield f"A constraint is missed: the smallest lead is {leads.min():.3f}, not 1. A pair's own step is (1 - D·p)/|D|²."
    if multipliers.min() < 0:
        yield f"A multiplier is negative, {multipliers.min():.3f}: cut it off at zero."
    if not close(multipliers @ D, p, 1e-3):
        yield "p is not the sum of multiplier times D: change p along with every multiplier."
    if (multipliers * np.abs(leads - 1)).max() > 1e-3:
        yield "A pair of positive λ leads by more than 1: a shorter p would do. May λ fall again, and are all rounds made?"


@exercise("ex-far", values=True)
def far(near, away, _):
    rows, signs = np.array([[1.0, 0.0], [-1.5, 1.0], [0.0, 0.0]]), [1, -1]
    best = max_margin(rows, Corpus(np.array([[1, 0, 1], [0, 1, 1]]), signs, ["good", "bad", "the"])).direction
    yield from shaped([near, away], (2, 2))
    if not close(np.linalg.norm([near, away], axis=1), np.ones(2), 1e-2):
        yield "Each of the two directions should have length one."
    if close(near, away, 0.02):
        yield "The two flows end differently: on the far one the text of bad pulls far less than the other."
    if close(near, [1.0, 0.0], 0.02):
        yield "The other way round: from (0, 0) both tokens are selected."
    if not close(near, best / np.linalg.norm(best), 0.02):
        yield "From (0, 0) the flow turns to p*, of length one."
    if not close(away, [1.0, 0.0], 0.02):
        yield "From (50, 0) the text of good pulls the harder, along (1, 0), for ever."


@exercise("ex-trace")
def trace(most, random):
    E, p = random.normal(size=(5, 3)), random.normal(size=3)
    size, length = np.linalg.norm(E), np.linalg.norm(p)
    kept = np.sum(E**2) - length**2  # of parameters whose v is zero: the bound is reached
    mistakes = {
        "That bounds the square of the length.": length**2,
        "What is conserved is subtracted: |p|² = |E|² - |v|² - kept.": np.sqrt(np.abs(size**2 + kept)),
        "It depends on what is conserved, too.": size,
    }
    yield from compare(most(size, kept), length, mistakes)


@exercise("ex-small-steps", "E", "p", "v")
def small_steps(descend, random):
    counts, signs = texts(random)
    corpus, begin = Corpus(counts, signs, list("abcd")), random.normal(size=18)

    def after(step):
        return flat(descend(*parameters(begin), counts, signs, step))

    def off(step):
        return np.abs(conserved(parameters(after(step))) - conserved(parameters(begin))).max()

    move = 100 * slopes(lambda at: loss(parameters(at), corpus), begin)
    mistakes = {
        "A step goes against the gradient.": begin + move,
        "You summed over texts; take the mean.": begin - len(signs) * move,
    }
    yield from compare(after(100.0), begin - move, mistakes)
    ratio = off(1e3) / off(1e2)
    if not 90 < ratio < 110:
        yield f"A step ten times as long should change the conserved matrix a hundred times as much; yours {ratio:.0f} times."
