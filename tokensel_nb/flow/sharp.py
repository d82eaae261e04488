r"""The model where attention has closed on one token: gradients whose logarithm is known even when no float holds them.

With top token t of a text, ε = Σ_{s≠t} q_s and δ_s = γ_s - γ_t,

    γ_s - f = δ_s - Σ_r q_r δ_r  for s ≠ t,      γ_t - f = -Σ_r q_r δ_r,

so nothing of order one cancels, and all of q_s (γ_s - f) is small like the largest weight of a token with another value than
the top one's. Dividing each text by that weight, and then all texts by the largest, leaves numbers of order one, and the
logarithm of their unit: the book's proposition on sharp attention.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from .corpus import Corpus
from .model import Array, Parameters, _counts


class Scaled(NamedTuple):
    """The array ``exp(log_unit) * array``, which may be too small for floats.

    Parameters
    ----------
    array : array
        Numbers of order one.
    log_unit : float
        The natural logarithm of their unit; minus infinity where all of it is zero.
    """

    array: Array
    log_unit: float


class SharpAttention:
    """Attention at given scores and values of two classes, and its derivatives, to full relative precision.

    Parameters
    ----------
    scores, values : tensor, shape (vocab_size,)
        a_s = E_s·p and γ_s = E_s·v; float32 or float64, on one device, on which all results lie.
    corpus : Corpus
        Two classes.
    excess : tensor, shape (number of entries of the counts,), optional
        y γ_s - M of every entry, for some number M common to all. Where y γ_s is so large that the values do not hold
        its digits behind the point, these do; `log_pulls`, and with it all units, are then those of exp(M) L.

    Raises
    ------
    ValueError
        If the corpus has more than two classes.
    """

    def __init__(self, scores, values, corpus: Corpus, excess=None):
        if corpus.num_classes != 2:
            raise ValueError(f"the corpus has {corpus.num_classes} classes; the flow is defined for two")
        self.counts = counts = _counts(corpus, Parameters(scores, scores, values))
        self.texts = len(corpus)
        self.rows, columns = counts.rows, counts.columns
        self.values = values
        log_weights = scores[columns] + counts.entries.log()
        tops, first = self._tops(log_weights)
        self.log_weights = log_weights - tops[self.rows]
        self.totals = self._reduce(self.log_weights.exp(), "sum", 0).clamp(min=1)
        self.attention = self.log_weights.exp() / self.totals[self.rows]
        top_values = torch.zeros_like(tops)
        top_values[self.rows[first]] = values[columns[first]]
        below = values[columns] - top_values[self.rows]
        self.not_top = torch.ones_like(below, dtype=torch.bool).index_fill(0, first, False)
        # The unit of a text: its second largest weight over its largest. Tokens that tie in value with the top one stand
        # aside, for they pull only together with it, against the others, whose weights may be far smaller than theirs.
        self.second, small = self._unit(below != 0)
        shift = self._reduce(small * below, "sum", 0)  # (f - γ_t) in the unit of the text
        shrunk = self.second.exp()
        self.logits = top_values + shrunk * shift
        of_ties = -self.attention * shift[self.rows]
        # q_s (γ_s - f) in the unit of the text
        self.tangents = torch.where(below == 0, of_ties, small * (below - (shrunk * shift)[self.rows]))
        self.labels, self.weights = counts.labels, counts.weights
        self.log_pulls = functional.logsigmoid(-self.labels * self.logits)  # log g
        if excess is not None:
            of_tops = torch.zeros_like(tops)
            of_tops[self.rows[first]] = excess[first]
            margins = self.labels * self.logits
            self.log_pulls = -(of_tops + self.labels * shrunk * shift) - functional.softplus(-margins)
        sizes = self._reduce(self.tangents.abs(), "max", 0).log()
        log_pulls = self.second + self.log_pulls
        self.log_unit = float((log_pulls + sizes).max())
        # A text whose tokens tie in value pulls at nothing, however large its unit: exp of it must not overflow.
        self.log_scales = torch.where(sizes == -torch.inf, -torch.inf, log_pulls - self.log_unit)

    def _unit(self, some):
        """Return the logarithm of the largest weight among some entries of every text, and the attention on them over that."""
        rest = self.log_weights.masked_fill(~some, -torch.inf)
        largest = self._reduce(rest, "max", -torch.inf)
        unit = torch.where(largest == -torch.inf, 0.0, largest)
        return unit, (rest - unit[self.rows]).exp() / self.totals[self.rows]

    def _tops(self, log_weights):
        """Return the largest entry of every text, and where the first such entry of every text that has one stands."""
        tops = self._reduce(log_weights, "max", -torch.inf)
        places = torch.arange(len(log_weights), device=log_weights.device)
        places = torch.where(log_weights == tops[self.rows], places, len(places))
        first = torch.full((self.texts,), len(places), device=places.device).scatter_reduce(0, self.rows, places, "amin")
        return tops, first[first < len(places)]

    def _reduce(self, of_entries, how, initial):
        return torch.segment_reduce(of_entries, how, offsets=self.counts.row_ends, initial=initial)

    def _sum_by_token(self, of_entries):
        ones = torch.ones((self.texts, 1), dtype=of_entries.dtype, device=of_entries.device)
        return (self.counts._transposed_of(of_entries) @ ones)[:, 0]

    def by_score(self):
        """Return ∂L/∂a.

        Returns
        -------
        Scaled
            Its array is a tensor of shape (vocab_size,).
        """
        if self.log_unit == -np.inf:
            return Scaled(torch.zeros_like(self.values), self.log_unit)
        factors = -self.labels * self.weights * self.log_scales.exp()
        return Scaled(self._sum_by_token(factors[self.rows] * self.tangents), self.log_unit)

    def by_value(self):
        """Return ∂L/∂γ.

        Returns
        -------
        Scaled
            Its array is a tensor of shape (vocab_size,).
        """
        unit = float(self.log_pulls.max())
        factors = -self.labels * self.weights * (self.log_pulls - unit).exp()
        return Scaled(self._sum_by_token(factors[self.rows] * self.attention), unit)

    def curvature(self, rows):
        """Return the second derivative of the loss in z for scores a = rows·z, in the unit of `by_score`.

        Parameters
        ----------
        rows : tensor, shape (vocab_size, k)

        Returns
        -------
        tensor, shape (k, k)
        """
        shrunk = self.log_scales.exp() * self.weights
        slopes = -self.labels * shrunk
        # The second derivative of the loss in f is g (1 - g); the second tangent brings one more unit of its text.
        bends = torch.sigmoid(self.labels * self.logits) * shrunk * self.second.exp()
        attended, tangents = self._average(self.attention, rows), self._average(self.tangents, rows)
        crossed = attended.T @ (slopes[:, None] * tangents)
        diagonal = self._sum_by_token(slopes[self.rows] * self.tangents)
        return rows.T @ (diagonal[:, None] * rows) + tangents.T @ (bends[:, None] * tangents) - crossed - crossed.T

    def mixed_curvature(self, rows, columns, pulls):
        """Return how the gradients in z (scores a = rows·z) and in γ change while the values move.

        Parameters
        ----------
        rows : tensor, shape (vocab_size, k)
        columns : tensor, shape (vocab_size, m)
            Directions in which the values move.
        pulls : tensor, shape (n, m)
            How the logarithms of the pulls change meanwhile; see `pulls_along`.

        Returns
        -------
        (tensor, tensor), of shapes (k, m) and (vocab_size, m)
            In the units of `by_score` and of `by_value`.
        """
        signs = -self.labels * self.weights
        of_value = (signs * (self.log_pulls - self.log_pulls.max()).exp())[:, None]
        # Here values move, and ties with them: the unit of a text is its second largest weight, whatever its value.
        unit, small = self._unit(self.not_top)
        pulling = self.log_scales > -torch.inf
        of_score = (signs * (self.log_pulls + unit - self.log_unit).masked_fill(~pulling, -torch.inf).exp())[:, None]
        # The covariance of rows and columns under the attention of a text, in its unit.
        tops = self.attention.masked_fill(self.not_top, 0.0)
        others = self._reduce(small, "sum", 0)
        diagonal = small + tops * others[self.rows]  # what is not a product of two sums over the text
        small_rows, small_columns = self._average(small, rows), self._average(small, columns)
        top_rows, top_columns = self._average(tops, rows), self._average(tops, columns)
        by_token = self._sum_by_token(of_score[self.rows, 0] * diagonal)
        covariances = rows.T @ (by_token[:, None] * columns) - top_rows.T @ (of_score * small_columns)
        covariances -= small_rows.T @ (of_score * (top_columns + unit.exp()[:, None] * small_columns))
        of_tangents = (signs * self.log_scales.exp())[:, None]
        by_score = covariances + self._average(self.tangents, rows).T @ (of_tangents * pulls)
        return by_score, self.counts._transposed_of(self.attention) @ (of_value * pulls)

    def pulls_along(self, columns):
        """Return how the logarithms of the pulls change while the values move along the columns.

        Parameters
        ----------
        columns : tensor, shape (vocab_size, m)
            Directions in which the values move.

        Returns
        -------
        tensor, shape (n, m)
        """
        rest = torch.sigmoid(self.labels * self.logits)  # 1 - g
        return -(rest * self.labels)[:, None] * self._average(self.attention, columns)

    def loss(self):
        """Return the mean logistic loss.

        Returns
        -------
        float
        """
        return float(-functional.logsigmoid(self.labels * self.logits) @ self.weights)

    def log_missed(self, selected):
        """Return the logarithm of the largest attention that a text pays to tokens other than its selected ones.

        Parameters
        ----------
        selected : tensor of bool
            One an entry of the counts; texts without a selected token are left out.

        Returns
        -------
        float
            NaN if no text has a selected token.
        """
        some = self._reduce(selected.to(self.attention.dtype), "max", 0) > 0
        unit, others = self._unit(~selected)
        missed = unit + self._reduce(others, "sum", 0).log()
        return float(missed[some].max()) if some.any() else float("nan")

    def _average(self, of_entries, rows):
        counts = self.counts
        ends, columns = counts.matrix.crow_indices(), counts.matrix.col_indices()
        return counts._csr(ends, columns, of_entries, counts.shape) @ rows
