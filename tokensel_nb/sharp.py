r"""The model when attention is almost all on one token: gradients whose logarithm is known even if they underflow.

With top token t of a text, ε = Σ_{s≠t} q_s and δ_s = γ_s - γ_t,

    γ_s - f = δ_s - Σ_r q_r δ_r  for s ≠ t,      γ_t - f = -Σ_r q_r δ_r,

so nothing of order one cancels, and all q_s (γ_s - f) are as small as the largest weight of a token with another value than the
top one's. Dividing every text by that weight, and then all texts by the largest, leaves numbers of order one, and the logarithm
of their unit: the book's proposition on sharp attention.
"""

from __future__ import annotations

import numpy as np

from .model import sigmoid, softplus


class SharpAttention:
    """Attention at given scores and values of two classes, float64, and its derivatives, with full relative precision.

    Derivatives may be too small for floats: they are arrays with the logarithm of their unit, minus infinity for zeros.
    """

    @np.errstate(divide="ignore")  # the logarithm of zero should be minus infinity
    def __init__(self, scores, values, corpus):
        self.signs, self.weights = corpus.signs, corpus.mean_weights
        self.counts = counts = corpus.operator
        self.rows = counts.rows
        log_weights = scores[counts.columns] + np.log(counts.matrix.data)
        self.log_weights = log_weights - counts.each(np.maximum, log_weights)[self.rows]
        weights, values = np.exp(self.log_weights), values[counts.columns]
        self._totals = counts.each(np.add, weights)[self.rows]
        self.attention = weights / self._totals
        places = np.arange(len(self.rows))
        first = counts.each(np.minimum, np.where(self.log_weights == 0, places, len(places)))
        self.top = places == first[self.rows]
        top_values = self._of_tops(values)
        below = values - top_values[self.rows]
        # The unit of a text: its second largest weight over its largest. Tokens that tie in value with the top one are left
        # out, because they pull only together with it against the others, whose weights may be far smaller.
        self.second, small = self._unit(below != 0)
        shift = counts.each(np.add, small * below)  # (f - γ_t) in the unit of the text
        moved = np.exp(self.second) * shift
        self.logits = top_values + moved
        # q_s (γ_s - f) in the unit of the text
        self.tangents = np.where(below == 0, -self.attention * shift[self.rows], small * (below - moved[self.rows]))
        self.log_pulls = self._log_pulls(moved)
        sizes = np.log(counts.each(np.maximum, np.abs(self.tangents)))
        log_pulls = self.second + self.log_pulls
        self.log_unit = float((log_pulls + sizes).max())
        # A text whose tokens all tie in value has no pull, however large its unit, whose exp must not overflow.
        self.log_scales = np.where(sizes == -np.inf, -np.inf, log_pulls - self.log_unit)

    def _log_pulls(self, moved):
        """Return the logarithm of g of every text; f - γ_t is given."""
        return -softplus(self.signs * self.logits)

    def _of_tops(self, of_entries):
        """Return the number of every text's top token; zero for a text without tokens."""
        return self.counts.each(np.add, np.where(self.top, of_entries, 0))

    def _unit(self, some):
        """Return the logarithm of the largest weight among some entries of every text, and the attention on them over that."""
        rest = np.where(some, self.log_weights, -np.inf)
        largest = self.counts.each(np.maximum, rest, -np.inf)
        unit = np.where(largest == -np.inf, 0, largest)
        return unit, np.exp(rest - unit[self.rows]) / self._totals

    def by_score(self):
        """Return ∂L/∂a and the logarithm of its unit."""
        return self._sum_by_token(self._slopes(self.log_scales), self.tangents), self.log_unit

    def by_value(self):
        """Return ∂L/∂γ and the logarithm of its unit."""
        unit = float(self.log_pulls.max())
        return self._sum_by_token(self._slopes(self.log_pulls - unit), self.attention), unit

    def curvature(self, rows):
        """Return the second derivative of the loss in z, shape (k, k), for scores a = rows·z, in the unit of `by_score`."""
        slopes = self._slopes(self.log_scales)
        # The second derivative of the loss in f is g (1 - g); the second tangent adds one more unit of its text.
        bends = -self.signs * slopes * sigmoid(self.signs * self.logits) * np.exp(self.second)
        attended, tangents = self._times(self.attention, rows), self._times(self.tangents, rows)
        crossed = attended.T @ (slopes[:, None] * tangents)
        diagonal = self._sum_by_token(slopes, self.tangents)
        return rows.T @ (diagonal[:, None] * rows) + tangents.T @ (bends[:, None] * tangents) - crossed - crossed.T

    def loss(self):
        """Return the mean logistic loss."""
        return float(softplus(-self.signs * self.logits) @ self.weights)

    @np.errstate(divide="ignore")
    def log_missed(self, selected):
        """Return the log of the largest attention that a text pays to entries not selected; NaN without a selection."""
        some = self.counts.each(np.logical_or, selected, False)
        unit, others = self._unit(~selected)
        missed = unit + np.log(self.counts.each(np.add, others))
        return float(missed[some].max()) if some.any() else np.nan

    def _slopes(self, log_pulls):
        """Return the derivative of the loss in every logit, given the logarithms of the pulls."""
        return -self.signs * self.weights * np.exp(log_pulls)

    def _sum_by_token(self, of_texts, of_entries):
        return np.bincount(self.counts.columns, of_texts[self.rows] * of_entries, self.counts.shape[1])

    def _times(self, of_entries, columns):
        """Return the sums over every text of entries times the rows of their tokens, shape (n, m)."""
        return self.counts.with_entries(of_entries).matrix @ columns
