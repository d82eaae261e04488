r"""Softmax attention over counts and its gradient: the one place where the model is written.

A word s that stands c_s times in a text has there the weight w_s = c_s exp(a_s). With Z = Σ_s w_s the attention is w_s/Z, and::

    f(X) = Σ_s w_s γ_s / Z.

With r_i the derivative of the loss in f(X_i) and W the matrix of weights, one row a text (Proposition “Exact gradients from
counts”)::

    ∂L/∂γ = Wᵀ(r/Z),    ∂L/∂a = γ ∘ ∂L/∂γ - Wᵀ(r f/Z).

Only ratios of the weights of one text matter, so each text may have a factor of its own: nothing overflows.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..corpus.corpus import Corpus
from ..corpus.counts import CountMatrix
from ..support.arrays import dtype_name, namespace, to_numpy

# Scores that spread no further than this may share one shift: exp stays far from the ends of the dtype's range.
WIDEST = {"float32": 60.0, "float64": 600.0}


def weigh(counts, scores, shift):
    """Return the weights of words by their counts and scores, times exp(-shift)."""
    return counts * namespace(scores).exp(scores - shift)


def shares(counts, scores):
    """Return the attention within one text, from the counts and the scores of its words."""
    weights = weigh(counts, scores, scores.max())
    return weights / weights.sum()


def weigh_entries(scores, counts: CountMatrix):
    """Return the weight of every entry of the counts; the largest score of each text is its shift."""
    of_entries = scores[counts.columns]
    tops = counts.reduce(of_entries, "max", -np.inf)
    return weigh(counts.entries, of_entries, tops[counts.rows])


def attention(scores, corpus: Corpus) -> sparse.csr_array:
    """Return the attention to each word of each text; a row sums to one, or to zero where the text holds no known word."""
    counts = CountMatrix.of(corpus, scores)
    weights = weigh_entries(scores, counts)
    weights = to_numpy(weights / nonzero(counts.reduce(weights, "sum"))[counts.rows])
    return sparse.csr_array((weights, corpus.counts.indices, corpus.counts.indptr), shape=corpus.counts.shape)


def attend(scores, values, counts: CountMatrix, totals=None):
    """Return the logits of all texts, and the function that carries their gradient back to scores and values.

    Where scores are held, their ``totals`` may be given, and the gradient in them is left out: it is None.
    """
    xp, columns = namespace(scores), values.reshape(len(values), -1)
    push, pull = products(scores, counts)
    if held := totals is not None:
        sums = push(columns)
    else:
        sums = push(xp.concat([xp.ones_like(scores)[:, None], columns], axis=1))
        totals, sums = nonzero(sums[:, :1]), sums[:, 1:]
    logits = sums / totals

    def carry_back(residuals):
        residuals = residuals.reshape(logits.shape)
        if held:
            return None, pull(residuals / totals).reshape(values.shape)
        tangents = xp.vecdot(residuals, logits)[:, None]
        pulled = pull(xp.concat([residuals, tangents], axis=1) / totals)
        by_value = pulled[:, :-1]
        return xp.vecdot(columns, by_value) - pulled[:, -1], by_value.reshape(values.shape)

    return logits.reshape(-1, *values.shape[1:]), carry_back


def products(scores, counts: CountMatrix):
    """Return the products with the matrix of weights and with its transpose.

    Where the scores lie close together one shift serves all texts, and the weights are taken out of the matrix.
    """
    top = scores.max()
    if float(top - scores.min()) <= WIDEST[dtype_name(scores)]:
        weight = weigh(1, scores, top)[:, None]
        return (lambda x: counts.times(weight * x)), (lambda x: weight * counts.transposed_times(x))
    entries = weigh_entries(scores, counts)
    return (lambda x: counts.times(x, entries)), (lambda x: counts.transposed_times(x, entries))


def nonzero(totals):
    """Raise the zeros of texts without a known word, so that their logit is 0 and not 0/0."""
    return namespace(totals).clip(totals, min=np.finfo(dtype_name(totals)).tiny)
