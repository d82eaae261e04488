r"""The model where attention has closed on one token: gradients whose logarithm is known even when no float holds them.

With top token t of a text, ε = Σ_{s≠t} q_s and δ_s = γ_s - γ_t,

    γ_s - f = δ_s - Σ_r q_r δ_r  for s ≠ t,      γ_t - f = -Σ_r q_r δ_r,

so nothing of order one cancels, and all of q_s (γ_s - f) is small like the largest weight of a token with another value than
the top one's. Dividing each text by that weight, and then all texts by the largest, leaves numbers of order one, and the
logarithm of their unit: the book's proposition on sharp attention.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...corpus.counts import CountMatrix
from ...support.arrays import like, namespace, sigmoid, softplus

if TYPE_CHECKING:
    from ...corpus.corpus import Corpus
    from ...support.arrays import Array


class Scaled(NamedTuple):
    """The array ``exp(log_unit) * array``, which may be too small for floats; ``log_unit`` is minus infinity for zeros."""

    array: Array
    log_unit: float


class SharpAttention:
    """Attention at given scores and values of two classes, and its derivatives, to full relative precision."""

    # ``excess`` is y γ_s - M of every entry, for some number M common to all. It holds the digits behind the point where y γ_s
    # is so large that the values do not; `log_pulls`, and with it all units, are then those of exp(M) L.
    @np.errstate(divide="ignore")  # the logarithm of zero is minus infinity, as it should be
    def __init__(self, scores, values, corpus: Corpus, excess=None):
        self._xp = xp = namespace(scores, values)
        self.signs, self.weights = like(corpus.signs, scores), like(corpus.mean_weights, scores)
        self.counts = counts = CountMatrix.of(corpus, scores)
        self.rows = counts.rows
        log_weights = scores[counts.columns] + xp.log(counts.entries)
        self.log_weights = log_weights - counts.reduce(log_weights, "max", -np.inf)[self.rows]
        totals = counts.reduce(xp.exp(self.log_weights), "sum")
        self._totals = xp.where(totals == 0, 1, totals)[self.rows]
        self.attention = xp.exp(self.log_weights) / self._totals
        self.top = self._first(self.log_weights == 0)
        top_values = self._of_tops(values[counts.columns])
        below = values[counts.columns] - top_values[self.rows]
        # The unit of a text: its second largest weight over its largest. Tokens that tie in value with the top one stand
        # aside, for they pull only together with it, against the others, whose weights may be far smaller than theirs.
        self.second, small = self._unit(below != 0)
        shift = counts.reduce(small * below, "sum")  # (f - γ_t) in the unit of the text
        moved = xp.exp(self.second) * shift
        self.logits = top_values + moved
        # q_s (γ_s - f) in the unit of the text
        self.tangents = xp.where(below == 0, -self.attention * shift[self.rows], small * (below - moved[self.rows]))
        margins = self.signs * self.logits
        if excess is None:
            self.log_pulls = -softplus(margins)  # log g
        else:
            self.log_pulls = -(self._of_tops(excess) + self.signs * moved) - softplus(-margins)
        sizes = xp.log(counts.reduce(xp.abs(self.tangents), "max"))
        log_pulls = self.second + self.log_pulls
        self.log_unit = float(xp.max(log_pulls + sizes))
        # A text whose tokens tie in value pulls at nothing, however large its unit: exp of it must not overflow.
        self.log_scales = xp.where(sizes == -np.inf, -np.inf, log_pulls - self.log_unit)

    def _first(self, some):
        """Mark the first of some entries in every text."""
        places = like(np.arange(len(some)), self.weights, "float64")
        first = -self.counts.reduce(self._xp.where(some, -places, -np.inf), "max", -np.inf)
        return places == first[self.rows]

    def _of_tops(self, of_entries):
        """Return what belongs to the top token of every text; zero without one."""
        return self.counts.reduce(self._xp.where(self.top, of_entries, 0), "sum")

    def _unit(self, some):
        """Return the logarithm of the largest weight among some entries of every text, and the attention on them over that."""
        rest = self._xp.where(some, self.log_weights, -np.inf)
        largest = self.counts.reduce(rest, "max", -np.inf)
        unit = self._xp.where(largest == -np.inf, 0, largest)
        return unit, self._xp.exp(rest - unit[self.rows]) / self._totals

    def by_score(self):
        """Return ∂L/∂a, `Scaled`."""
        return Scaled(self._sum_by_token(self._slopes(self.log_scales), self.tangents), self.log_unit)

    def by_value(self):
        """Return ∂L/∂γ, `Scaled`."""
        unit = float(self._xp.max(self.log_pulls))
        return Scaled(self._sum_by_token(self._slopes(self.log_pulls - unit), self.attention), unit)

    def curvature(self, rows):
        """Return the second derivative of the loss in z, shape (k, k), for scores a = rows·z, in the unit of `by_score`."""
        slopes = self._slopes(self.log_scales)
        # The second derivative of the loss in f is g (1 - g); the second tangent brings one more unit of its text.
        bends = -self.signs * slopes * sigmoid(self.signs * self.logits) * self._xp.exp(self.second)
        attended, tangents = self.counts.times(rows, self.attention), self.counts.times(rows, self.tangents)
        crossed = attended.T @ (slopes[:, None] * tangents)
        diagonal = self._sum_by_token(slopes, self.tangents)
        return rows.T @ (diagonal[:, None] * rows) + tangents.T @ (bends[:, None] * tangents) - crossed - crossed.T

    def mixed_curvature(self, rows, columns, pulls):
        """Return how the gradients in z, with scores a = rows·z, and in γ change while values move along columns."""
        # ``pulls`` are those of `pulls_along`; the results, of shapes (k, m) and (vocab_size, m), have the units of `by_score`
        # and `by_value`.
        xp, times = self._xp, self.counts.times
        # Here values move, and ties with them: the unit of a text is its second largest weight, whatever its value.
        unit, small = self._unit(~self.top)
        pulling = xp.where(self.log_scales > -np.inf, self.log_pulls + unit - self.log_unit, -np.inf)
        of_score = self._slopes(pulling)
        # The covariance of rows and columns under the attention of a text, in its unit.
        tops = xp.where(self.top, self.attention, 0)
        diagonal = small + tops * self.counts.reduce(small, "sum")[self.rows]  # what is no product of two sums over the text
        by_token = self._sum_by_token(of_score, diagonal)
        small_columns = of_score[:, None] * times(columns, small)
        of_both = of_score[:, None] * times(columns, tops) + xp.exp(unit)[:, None] * small_columns
        by_score = rows.T @ (by_token[:, None] * columns)
        by_score -= times(rows, tops).T @ small_columns + times(rows, small).T @ of_both
        by_score += times(rows, self.tangents).T @ (self._slopes(self.log_scales)[:, None] * pulls)
        of_value = self._slopes(self.log_pulls - xp.max(self.log_pulls))
        return by_score, self.counts.transposed_times(of_value[:, None] * pulls, self.attention)

    def pulls_along(self, columns):
        """Return how the logarithms of the pulls change, shape (n, m), while the values move along columns (vocab_size, m)."""
        rest = sigmoid(self.signs * self.logits)  # 1 - g
        return -(rest * self.signs)[:, None] * self.counts.times(columns, self.attention)

    def loss(self):
        """Return the mean logistic loss."""
        return float(softplus(-self.signs * self.logits) @ self.weights)

    @np.errstate(divide="ignore")
    def log_missed(self, selected):
        """Return the log of the largest attention that a text pays to tokens not selected; NaN if no text has selected ones."""
        chosen = like(selected, self.weights)
        some = self.counts.reduce(chosen, "max") > 0
        unit, others = self._unit(chosen == 0)
        missed = unit + self._xp.log(self.counts.reduce(others, "sum"))
        return float(self._xp.max(missed[some])) if some.any() else float("nan")

    def _slopes(self, log_pulls):
        """Return the derivative of the loss in every logit, for given logarithms of the pulls."""
        return -self.signs * self.weights * self._xp.exp(log_pulls)

    def _sum_by_token(self, of_texts, of_entries):
        return self.counts.sum_by_token(of_texts[self.rows] * of_entries)
