"""Checks of the exercises in 03_flow."""

import numpy as np
from scipy.optimize import nnls

from ...corpus import Corpus
from ...margin import max_margin
from .answers import close, compare, exercise


def separable(random):
    """Return embeddings, and pairs (a selected token, one of its text's others) that a direction can keep apart."""
    E, axis = random.normal(size=(6, 8)), np.eye(8)[0]
    E[:3] += 3 * axis
    return E, np.array([(s, other) for s in range(3) for other in range(3, 6)])


@exercise("ex-pairs")
def pairs(by_pairs, random):
    often, gamma, E = random.integers(1, 9, size=5), random.normal(size=5), random.normal(size=(5, 3))
    drawn = np.repeat(np.arange(5), often)  # the covariance of value and embedding, over a list of tokens
    wanted = (gamma[drawn] - gamma[drawn].mean()) @ E[drawn] / len(drawn)
    Q = often / often.sum()
    first = sum(Q[s] * Q[t] * (gamma[s] - gamma[t]) * E[s] for t in range(5) for s in range(t))
    mistakes = {
        "Each pair is counted twice: take s < s', not all s and s'.": 2 * wanted,
        "E_s' is missing: a pair pulls along E_s - E_s'.": first,
    }
    yield from compare(by_pairs(Q, gamma, E), wanted, mistakes)


@exercise("ex-orthonormal", "a", "b")
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


@exercise("ex-rate")
def rate(slope, random):
    E, pairs = separable(random)
    D = E[pairs[:, 0]] - E[pairs[:, 1]]
    rest = nnls(np.vstack([D.T, np.ones(len(D))]), np.eye(9)[8])[0] @ np.c_[D, np.ones(len(D))] - np.eye(9)[8]
    p = -rest[:-1] / rest[-1]  # Lawson and Hanson: the shortest p by which every pair leads by 1
    size = np.linalg.norm(p)
    missed = -np.min(D @ p / size)
    if close(slope(p), slope(2 * p)):
        yield "It must depend on p: a number of the chapter's page is that of one corpus."
    mistakes = {
        "The margin is one over the length of p*.": -size,
        "The logarithm is the natural one.": missed / np.log(10),
        "Where p grows, what is missed falls.": 1 / size,
        "That is the margin's square.": -1 / size**2,
    }
    yield from compare(slope(p), missed, mistakes, tolerance=1e-3)
