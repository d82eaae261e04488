"""Gradient descent on the one-layer model for two classes that reads E only twice a step, and counts once, compiled by numba.

Scores must be known before anything moves, so E can't be read once. Words and texts are taken in fixed blocks, whose sums are
added in their order: any number of threads gives the same bits.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import exp

import numpy as np
from numba import njit

from .arrays import as_numpy, like, threads
from .model import WIDEST, check_fit, score_gradients

BLOCK = 2**20  # numbers of E per block
TEXTS = 2**11  # texts per block
# Sums may be reordered, so that they are computed with vectors; nothing is assumed of infinities and NaN.
compiled = njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})


def step(E, learning_rate):
    """Return a function of parameters, texts and state, which returns new parameters."""
    workers, pool, size = threads(E), [], len(E) // 4 * 4
    blocks, rest = _blocks(size, 4 * max(BLOCK // E.shape[1] // 4, 1)), slice(size, None)

    def take_step(parameters, texts, _):
        check_fit(parameters, texts)
        E, p, v = as_numpy(parameters)
        rate, new, (scores, values) = E.dtype.type(learning_rate), np.asarray(_Memory(pool, E)), np.empty((2, len(E)), E.dtype)
        with ThreadPoolExecutor(workers) as executor:
            each = lambda work, blocks: list((executor.map if workers > 1 else map)(work, blocks))
            each(lambda rows: _project(E[rows], p, v, scores[rows], values[rows]), [*blocks, rest])
            slopes = np.stack(texts.mean_over(partial(_score_gradients, each, scores, values)))
            sums = sum(each(lambda rows: _move(E[rows], p, v, *slopes[:, rows], rate, new[rows]), blocks))
        new[rest] = E[rest] - rate * slopes[:, rest].T @ np.stack([p, v])
        by_p, by_v = sums + slopes[:, rest] @ E[rest]
        return type(parameters)(*map(like, (new, p - rate * by_p, v - rate * by_v), parameters))

    return take_step


def _blocks(size, height):
    return [slice(begin, min(begin + height, size)) for begin in range(0, size, height)]


def _score_gradients(each, scores, values, corpus):
    """Return what `score_gradients` returns, from one pass through the counts."""
    if not np.ptp(scores) <= WIDEST[scores.dtype.name]:
        return score_gradients(scores, values, corpus)
    weights, counts = np.exp(scores - scores.max(), dtype=float), corpus.counts
    table, of_labels = np.stack([weights, weights * values], axis=1), -corpus.signs
    # Unsigned, so that numba need not ask whether a place is counted from the end.
    starts, columns = (places.view(f"u{places.itemsize}") for places in (counts.indptr, counts.indices))

    def of_texts(rows):
        ends = starts[rows.start : rows.stop + 1]
        return _attend(ends, columns, counts.data, table, of_labels[rows], corpus.mean_weights[rows])

    by_value, tangents = weights * sum(each(of_texts, _blocks(len(corpus), TEXTS))).T
    return (values * by_value - tangents).astype(scores.dtype), by_value.astype(scores.dtype)


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


@njit(cache=True, nogil=True)  # to gather numbers into vectors takes longer than to add them one by one
def _attend(ends, columns, counts, table, against, shares):
    """Return the sums of c r/Z and c r f/Z of every word over some texts; the table holds words' weights, alone and times γ."""
    sums = np.zeros_like(table)
    for i in range(len(against)):
        total = of_values = 0.0
        for entry in range(ends[i], ends[i + 1]):
            word, count = columns[entry], counts[entry]
            total += count * table[word, 0]
            of_values += count * table[word, 1]
        f = of_values / total if total else 0.0
        residual = against[i] * shares[i] / (1 + exp(-against[i] * f)) / total if total else 0.0
        for entry in range(ends[i], ends[i + 1]):
            word, count = columns[entry], counts[entry]
            sums[word, 0] += count * residual
            sums[word, 1] += count * residual * f
    return sums


@compiled
def _move(E, p, v, by_score, by_value, rate, new):
    """Write rows of E after the step, four at once, so that p and v are read less often; return parts of their gradients."""
    sums = np.zeros((2, len(p)), E.dtype)
    by_p, by_v = sums
    for i in range(0, len(E), 4):
        (a, b, c, d), (q, r, s, t) = by_score[i : i + 4], by_value[i : i + 4]
        for j in range(len(p)):
            by_p[j] += a * E[i, j] + b * E[i + 1, j] + c * E[i + 2, j] + d * E[i + 3, j]
            by_v[j] += q * E[i, j] + r * E[i + 1, j] + s * E[i + 2, j] + t * E[i + 3, j]
            new[i, j] = E[i, j] - rate * (a * p[j] + q * v[j])
            new[i + 1, j] = E[i + 1, j] - rate * (b * p[j] + r * v[j])
            new[i + 2, j] = E[i + 2, j] - rate * (c * p[j] + s * v[j])
            new[i + 3, j] = E[i + 3, j] - rate * (d * p[j] + t * v[j])
    return sums
