"""Gradient descent on the one-layer model for two classes that reads E only twice a step: loops that numba compiles.

Scores must be known before anything moves, so E can't be read once. Rows are taken in fixed blocks, whose sums are added in
their order: any number of threads gives the same bits.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numba import njit

from .arrays import as_numpy, like, threads
from .model import check_fit, score_gradients

BLOCK = 2**19  # numbers per block
# Sums may be reordered, so that they are computed with vectors; nothing is assumed of infinities and NaN.
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})


def step(E, learning_rate):
    """Return a function of parameters, texts and state, which returns new parameters."""
    workers, pool, height = threads(E), [], max(BLOCK // E.shape[1], 1)
    blocks = [slice(begin, begin + height) for begin in range(0, len(E), height)]

    def take_step(parameters, texts, _):
        check_fit(parameters, texts)
        E, p, v = as_numpy(parameters)
        rate, new, (scores, values) = E.dtype.type(learning_rate), np.asarray(_Memory(pool, E)), np.empty((2, len(E)), E.dtype)
        with ThreadPoolExecutor(workers) as executor:
            each = lambda work: list(executor.map(work, blocks))
            each(lambda rows: _project(E[rows], p, v, scores[rows], values[rows]))
            by_score, by_value = texts.mean_over(partial(score_gradients, scores, values))
            by_p, by_v = sum(each(lambda rows: _move(E[rows], p, v, by_score[rows], by_value[rows], rate, new[rows])))
        return type(parameters)(*map(like, (new, p - rate * by_p, v - rate * by_v), parameters))

    return take_step


class _Memory:
    """The memory of an array, reused when nothing holds the array or a view of it any more: the system's is cleared first."""

    def __init__(self, pool, reference):
        self.pool, self.array = pool, pool.pop() if pool else np.empty_like(reference)
        self.__array_interface__ = self.array.__array_interface__

    def __del__(self):
        self.pool.append(self.array)


@compiled
def _project(E, p, v, scores, values):
    """Write the scores and the values of some rows of E."""
    for i in range(len(E)):
        score = value = E.dtype.type(0)
        for j in range(len(p)):
            score += E[i, j] * p[j]
            value += E[i, j] * v[j]
        scores[i], values[i] = score, value


@compiled
def _move(E, p, v, by_score, by_value, rate, new):
    """Write some rows of E after the step; return their parts of the gradients in p and v."""
    sums = np.zeros((2, len(p)), E.dtype)
    by_p, by_v = sums
    for i in range(len(E)):
        row, moved, by_a, by_g = E[i], new[i], by_score[i], by_value[i]
        for j in range(len(p)):
            by_p[j] += by_a * row[j]
            by_v[j] += by_g * row[j]
            moved[j] = row[j] - rate * (by_a * p[j] + by_g * v[j])
    return sums
