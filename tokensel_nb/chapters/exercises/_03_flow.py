"""Checks of the exercises in 03_flow."""

import numpy as np
from scipy.optimize import nnls

from ...corpus.corpus import Corpus
from ...models.parameters import Parameters
from ...models.verbs import loss
from ...theory.flow.joint import conserved
from ...theory.max_margin import max_margin
from ._01_model import texts
from .answers import close, compare, exercise


def _separable(random):
    """Return embeddings, and pairs (a selected token, one of its text's others) that a direction can keep apart."""
    E, axis = random.normal(size=(6, 8)), np.eye(8)[0]
    E[:3] += 3 * axis
    return E, np.array([(s, other) for s in range(3) for other in range(3, 6)])


@exercise("ex-own-margin")
def own_margin(solver, random):
    E, pairs = _separable(random)
    found = solver(E, pairs, 2_000)
    if not isinstance(found, (tuple, list)) or list(map(np.shape, found)) != [(8,), (9,), (9, 8)]:
        yield "Return three things in this order: p, the multipliers, one a pair, and the rows D."
        return
    p, multipliers, D = (np.asarray(part, dtype=float) for part in found)
    yield from compare(
        D, E[pairs[:, 0]] - E[pairs[:, 1]], {"Each row is the selected token less the other.": E[pairs[:, 1]] - E[pairs[:, 0]]}
    )
    leads = D @ p
    if leads.min() < 1 - 1e-3:
        yield f"A constraint is missed: the smallest lead is {leads.min():.3f}, not 1. A pair's own step is (1 - D·p)/|D|²."
    if multipliers.min() < 0:
        yield f"A multiplier is negative, {multipliers.min():.3f}: cut it off at zero."
    if not close(multipliers @ D, p, 1e-3):
        yield "p is not the sum of multiplier times D: change p along with every multiplier."
    if (multipliers * np.abs(leads - 1)).max() > 1e-3:
        why = "May its λ fall again, and are all rounds made?"
        yield f"A pair with a positive multiplier leads by more than 1: a shorter p would do. {why}"


@exercise("ex-pairs")
def pairs(by_pairs, random):
    often, gamma, E = random.integers(1, 9, size=5), random.normal(size=5), random.normal(size=(5, 3))
    drawn = np.repeat(np.arange(5), often)  # the covariance of value and embedding, over a list of tokens
    wanted = (gamma[drawn] - gamma[drawn].mean()) @ E[drawn] / len(drawn)
    Q = often / often.sum()
    first = sum(Q[s] * Q[t] * (gamma[s] - gamma[t]) * E[s] for t in range(5) for s in range(t))
    mistakes = {
        "Each pair is counted twice: s < s' is wanted, not all s and s'.": 2 * wanted,
        "E_s' is missing: a pair pulls along E_s - E_s'.": first,
    }
    yield from compare(by_pairs(Q, gamma, E), wanted, mistakes)


@exercise("ex-competition")
def competition(largest, lost_from, random):
    k, G = int(random.integers(2, 9)), random.uniform(0.5, 3)
    sizes = np.linspace(0, 2 * G, 2_001)
    terms = sizes * np.maximum(G - sizes, 0)
    mistakes = {
        "That is kappa of opponents of the size G/k. Other sizes make it larger.": G**2 * (1 - 1 / k),
        "That is one opponent's term; there are k.": terms.max(),
        "The term is a product of two sizes: G enters with its square.": k * G / 4,
    }
    yield from compare(largest(G, k), k * terms.max(), mistakes)
    for G in (1.0, random.uniform(1.1, 1.8)):
        many, halves = np.arange(1, 9), np.linspace(0, G, 201)
        wanted = many[many * np.max(halves * (G - halves)) > 1][0]
        mistakes = {"At kappa = 1 the token is still selected: more opponents are needed.": wanted - 1}
        yield from (f"lost_from, at G = {G:.2f}: {said}" for said in compare(lost_from(G), wanted, mistakes, tolerance=1e-2))


@exercise("ex-far")
def far(near, away, _):
    rows, signs = np.array([[1.0, 0.0], [-1.5, 1.0], [0.0, 0.0]]), [1, -1]
    best = max_margin(rows, Corpus(np.array([[1, 0, 1], [0, 1, 1]]), signs, ["good", "bad", "the"])).direction
    near, away = np.asarray(near, dtype=float), np.asarray(away, dtype=float)
    for name, found in (("from (0, 0)", near), ("from (50, 0)", away)):
        if found.shape != (2,) or not close(np.linalg.norm(found), np.float64(1), 1e-2):
            yield f"The direction {name} should be two numbers of length one."
    if close(near, away, 0.02):
        yield "The two flows end differently: on the far one the text of bad pulls far less than the other."
    if close(near, [1.0, 0.0], 0.02):
        yield "The other way round: from (0, 0) both tokens are selected."
    if not close(near, best / np.linalg.norm(best), 0.02):
        yield "From (0, 0) the flow turns to p*, of length one."
    if not close(away, [1.0, 0.0], 0.02):
        yield "From (50, 0) the text of good pulls the harder, along (1, 0), for ever."


@exercise("ex-rate")
def rate(slope, random):
    E, pairs = _separable(random)
    D = E[pairs[:, 0]] - E[pairs[:, 1]]
    rest = nnls(np.vstack([D.T, np.ones(len(D))]), np.eye(9)[8])[0] @ np.c_[D, np.ones(len(D))] - np.eye(9)[8]
    p = -rest[:-1] / rest[-1]  # Lawson and Hanson: the shortest p by which every pair leads by 1
    size = np.linalg.norm(p)
    missed = -np.min(D @ p / size)
    if close(*(np.asarray(slope(longer * p), dtype=float) for longer in (1, 2))):
        yield "It must depend on p: a number of the chapter's page is that of one corpus."
    mistakes = {
        "The margin is one over the length of p*.": -size,
        "The logarithm is the natural one.": missed / np.log(10),
        "Where p grows, what is missed falls.": 1 / size,
        "That is the margin's square.": -1 / size**2,
    }
    yield from compare(slope(p), missed, mistakes, tolerance=1e-3)


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


@exercise("ex-small-steps")
def small_steps(descend, random):
    counts, signs = texts(random)
    corpus, arrays = Corpus(counts, signs, list("abcd")), (random.normal(size=(4, 3)), *random.normal(size=(2, 3)))
    at, way = Parameters(*arrays), Parameters(random.normal(size=(4, 3)), *random.normal(size=(2, 3)))

    def off(step):
        """Return the conserved matrix's change by a step, and what the step does along a direction."""
        new = Parameters(*map(np.asarray, descend(*arrays, counts, signs, step)))
        along = sum(np.sum((a - b) * c) for a, b, c in zip(arrays, new.arrays().values(), way.arrays().values()))
        return np.abs(conserved(new) - conserved(at)).max(), along / step

    up, down = (Parameters(*(a + h * b for a, b in zip(arrays, way.arrays().values()))) for h in (1e-5, -1e-5))
    slope = (loss(up, corpus) - loss(down, corpus)) / 2e-5
    mistakes = {"You summed over texts; the mean is wanted.": len(signs) * slope}
    yield from compare(off(1e-3)[1], slope, mistakes, tolerance=1e-5)
    ratio = off(1e-2)[0] / off(1e-3)[0]
    if not 90 < ratio < 110:
        yield f"A step ten times as long should change the conserved matrix a hundred times as much; yours {ratio:.0f} times."


@exercise("ex-orthonormal")
def orthonormal(a_and_b, random):
    j = int(random.integers(5, 10))  # not the 4 of the page, nor 2, where a and b are alike
    texts = np.hstack([np.kron(np.eye(2, dtype=int), np.ones((2, 1), int)), np.ones((4, j), int)])
    corpus = Corpus(texts, [1, 1, -1, -1], [f"word {s}" for s in range(2 + j)])
    wanted = max_margin(np.eye(2 + j), corpus).direction
    a, b = a_and_b(j)
    mistakes = {
        "Exchange a and b.": (-wanted[2], wanted[0]),
        "That is j = 4: a and b depend on j.": (2 / 3, 1 / 3),
        "a + b is to be one.": (1.0, 2 / j),
        "A shorter p exists: the j irrelevant tokens share the work.": (0.5, 0.5),
    }
    yield from compare((a, b), (wanted[0], -wanted[2]), mistakes)
