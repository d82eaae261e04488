r"""The direction that separates selected tokens from all others with the largest margin, and its certificate.

    p* = argmin ‖p‖  subject to  (E_r - E_s)·p ≥ 1  for every text, r a selected token of it, s any other.

By convexity p* is the only point with multipliers λ ≥ 0, p* = Σ λ_rs (E_r - E_s), that vanish for slack constraints. Only the
rows of E enter the computation: a constraint is a difference of two scores, (E p)_r - (E p)_s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, sparse

from .arrays import threads_for, to_numpy
from .assumption import relevant_tokens

SLACK = 1e-10  # constraints may be missed by this much, of 1
AT_ONCE = 400  # pairs that join the working set in one round
DEPENDENT = 1e-9  # of the longest row: rows count as dependent if less than this is left of one after projection
NOTHING = 1e-13  # rounding of zero: margins below the three-millionth part of the longest row count as zero


class NotSeparableError(ValueError):
    """No direction gives every selected token a higher score than the others of its text.

    Parameters
    ----------
    message : str
        A sentence that names some of the conflicting pairs.
    conflict : ndarray of int64, shape (m, 2)
        Pairs (r, s) that no direction satisfies together: some weights λ > 0 give Σ λ_rs (E_r - E_s) = 0.
    """

    def __init__(self, message, conflict):
        super().__init__(message)
        self.conflict = conflict


@dataclass(frozen=True, eq=False, repr=False)
class MaxMargin:
    """The solution of the margin problem, as numpy arrays.

    Parameters
    ----------
    direction : ndarray of float64, shape (dim,)
        p*, not normalised: the scores of every pair differ by at least 1.
    pairs : ndarray of int64, shape (m, 2)
        The distinct pairs (r, s) of a selected token and another token of the same text.
    multipliers : ndarray of float64, shape (m,)
        λ ≥ 0, one per pair, with p* = Σ λ_rs (E_r - E_s). If there are several solutions, one of them. Their sum is ‖p*‖².
    residual : float
        The largest of the four relative KKT residuals: stationarity ‖p* - Σ λ_rs (E_r - E_s)‖ / ‖p*‖, feasibility
        1 - min (E_r - E_s)·p*, the sign of λ, and complementarity Σ λ_rs |(E_r - E_s)·p* - 1| / ‖p*‖².

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> solution = ts.max_margin(np.eye(3), corpus)
    >>> print(solution.support.tolist(), f"{solution.margin:.4f}")
    [[0, 2], [1, 2]] 1.2247
    """

    direction: np.ndarray
    pairs: np.ndarray
    multipliers: np.ndarray
    residual: float

    def __repr__(self):
        """Show the margin, the sizes and the residual."""
        sizes = f"{len(self.support):,} of {len(self.pairs):,} pairs are support"
        return f"MaxMargin(margin {self.margin:.6g}; {sizes}; KKT residual {self.residual:.1e})"

    @property
    def margin(self):
        """The largest margin 1/‖p*‖ of a unit vector."""
        return 1 / np.linalg.norm(self.direction)

    @property
    def support(self):
        """The pairs with a positive multiplier, ndarray of int64, shape (k, 2)."""
        return self.pairs[self.multipliers > 0]


def selected_pairs(corpus, selection=None) -> np.ndarray:
    """Return the distinct pairs (r, s) of a selected token and another token of the same text, in ascending order.

    Parameters
    ----------
    corpus : Corpus
    selection : ndarray of int, shape (n,), or array or sparse array of bool, shape (n, vocab_size), optional
        The selected token of every text, or a mask of its selected tokens. By default all relevant tokens, of which there is
        one per text under Assumption 1.

    Returns
    -------
    ndarray of int64, shape (m, 2)

    Raises
    ------
    ValueError
        If a text has no relevant token, or a selected token does not occur in its text.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.selected_pairs(corpus).tolist()
    [[0, 2], [1, 2]]
    """
    mask = selection_mask(corpus, selection).astype(np.int64)
    others = (corpus.counts > 0).astype(np.int64) - mask
    # Entry (r, s) counts the texts with another token s beside the selected r: one product yields all distinct pairs.
    together = sparse.coo_array(mask.T @ others)
    pairs = np.stack(together.coords, axis=1)[together.data > 0].astype(np.int64)
    return pairs[np.lexsort(pairs.T[::-1])]


def max_margin(embeddings, corpus, selection=None) -> MaxMargin:
    """Solve the margin problem up to rounding (the limit direction of the flow; mirrors Theorem 4.3).

    It uses nonnegative least squares (SciPy) on the most violated pairs, until none is violated.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim), or Parameters
        E, or parameters with it, numpy or torch; the computation is in float64, by numpy.
    corpus : Corpus
    selection : optional
        See `selected_pairs`.

    Returns
    -------
    MaxMargin

    Raises
    ------
    ValueError
        If ``embeddings`` has the wrong shape or is not finite, or as in `selected_pairs`.
    NotSeparableError
        If no direction satisfies all pairs; it names conflicting pairs.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.max_margin(np.eye(3), corpus).direction.round(4)
    array([ 0.3333,  0.3333, -0.6667])
    """
    rows = to_numpy(getattr(embeddings, "embeddings", embeddings)).astype(float)
    if rows.ndim != 2 or len(rows) != corpus.vocab_size or not np.isfinite(rows).all():
        raise ValueError(f"embeddings has shape {rows.shape}; give {corpus.vocab_size} rows of finite numbers")
    pairs = selected_pairs(corpus, selection)
    # Differences do not depend on a common shift; without it they lose fewer digits.
    basis, coordinates = span(rows - rows.mean(axis=0))
    scale = np.linalg.norm(coordinates, axis=1).max() or 1.0
    solution, multipliers = _solve(coordinates / scale, pairs, corpus.vocabulary)
    direction, multipliers = basis @ solution / scale, multipliers / scale**2
    return MaxMargin(direction, pairs, multipliers, kkt_residual(rows, pairs, direction, multipliers))


def selection_mask(corpus, selection=None) -> sparse.csr_array:
    """Return a selection, as in `selected_pairs`, as a checked mask: csr_array of bool, shape (n, vocab_size)."""
    shape = corpus.counts.shape
    if selection is None:
        mask = relevant_tokens(corpus)
        if not (chosen := np.diff(mask.indptr)).all():
            raise ValueError(f"text {chosen.argmin()} has no relevant token; leave it out, or give a selection")
        return mask
    if not sparse.issparse(selection) and np.ndim(selection) == 1:
        selection = sparse.csr_array((np.ones(len(corpus), bool), (np.arange(len(corpus)), np.asarray(selection))), shape=shape)
    mask = sparse.csr_array(selection, dtype=bool, copy=True)
    mask.eliminate_zeros()
    if mask.shape != shape:
        raise ValueError(f"selection has shape {mask.shape}; give a token's column for each text, or a mask of shape {shape}")
    if (mask > (corpus.counts > 0)).nnz:
        raise ValueError("selection names a token in a text without this token; select tokens of the text")
    return mask


def span(rows):
    """Return an orthonormal basis of a space with all rows, and the rows in it; the standard basis unless rows are few."""
    if len(rows) >= rows.shape[1]:
        return np.eye(rows.shape[1]), rows
    with threads_for(rows.size):
        basis = np.linalg.qr(rows.T)[0]
        return basis, rows @ basis


def _between(of_tokens, pairs):
    """Return the differences between the selected and the other tokens of pairs."""
    return of_tokens[pairs[:, 0]] - of_tokens[pairs[:, 1]]


def _solve(rows, pairs, vocabulary):
    """Return the solution in the coordinates of the rows, and one multiplier per pair."""
    solution, multipliers, working = np.zeros(rows.shape[1]), np.zeros(len(pairs)), np.zeros(0, np.int64)
    while True:
        gaps = _between(rows @ solution, pairs)
        # Pairs of the working set are left out: the solver cannot improve them, and the loop would never end.
        missed = np.setdiff1d(np.flatnonzero(gaps < 1 - SLACK), working, assume_unique=True)
        if not len(missed):
            return solution, multipliers
        working = np.concatenate([working, missed[np.argsort(gaps[missed], kind="stable")[:AT_ONCE]]])
        solution, of_working = least_norm(_between(rows, pairs[working]))
        if solution is None:
            # nnls only gives weights to independent columns, so these pairs conflict.
            conflict = pairs[working][of_working > 1e-9 * of_working.max()]
            named = ", ".join(f"{vocabulary[r]!r} over {vocabulary[s]!r}" for r, s in conflict[:4])
            message = f"the selection is not separable: no direction scores {named} together; change the selection"
            raise NotSeparableError(message, conflict)
        multipliers = np.bincount(working, of_working, len(pairs))
        # A small working set makes the loop fast. Dropped pairs may come back, but the norm grows every time, so the loop ends;
        # near the end, when it grows by little more than rounding, nothing is dropped.
        if gaps.min() < 1 - 1e-6:
            working = working[of_working > 0]


def least_norm(differences):
    """Return the point of least norm with ``differences @ point >= 1`` and its multipliers.

    If there is none, return None and, by Farkas' lemma, some λ ≥ 0, Σ λ = 1, with Σ λ (E_r - E_s) = 0. The method is Lawson and
    Hanson's least-distance form, followed by a solution from the active rows in full precision.
    """
    number, dim = differences.shape
    columns, target = np.vstack([differences.T, np.ones(number)]), np.eye(dim + 1)[-1]
    weights = _nonnegative(columns, target)
    if (target - columns @ weights)[-1] < NOTHING:  # 1/(1 + ‖point‖²), if there is a point
        return None, weights
    active = weights > 0
    rows = differences[active]
    point, _, rank, _ = linalg.lstsq(rows, np.ones(len(rows)), DEPENDENT, lapack_driver="gelsy")
    of_active = linalg.lstsq(rows.T, point, DEPENDENT, lapack_driver="gelsy")[0]
    # If rows depend on each other, there are many solutions.
    weights[active] = np.maximum(of_active, 0) if rank == len(rows) else _nonnegative(rows.T, point)
    return point, weights


def _nonnegative(columns, target):
    """Return the w ≥ 0 for which ``columns @ w`` is closest to a target."""
    weights, _ = optimize.nnls(columns, target, maxiter=100_000)
    # If columns depend on each other, nnls sometimes stops before the minimum.
    if (columns.T @ (target - columns @ weights)).max() > 1e-9 * np.abs(target).max():
        weights = np.maximum(optimize.lsq_linear(columns, target, (0, np.inf), method="bvls", tol=1e-14).x, 0)
    return weights


def kkt_residual(rows, pairs, direction, multipliers):
    """Return the largest relative KKT residual, from the embeddings themselves."""
    gaps, norm = _between(rows @ direction, pairs), np.linalg.norm(direction)
    weights = np.bincount(pairs[:, 0], multipliers, len(rows)) - np.bincount(pairs[:, 1], multipliers, len(rows))
    stationarity = np.linalg.norm(direction - weights @ rows) / norm
    complementarity = np.abs(multipliers * (gaps - 1)).sum() / norm**2
    return float(max(stationarity, 1 - gaps.min(), -multipliers.min() / norm**2, complementarity))
