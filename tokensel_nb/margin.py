r"""The direction that separates selected tokens from all others with the largest margin, with its certificate.

    p* = argmin ‖p‖  subject to  (E_r - E_s)·p ≥ 1  for every text, r a selected token of it, s any other.

By convexity p* is the one point with multipliers λ ≥ 0, p* = Σ λ_rs (E_r - E_s), that vanish where the constraint is slack.
Only the rows of E enter the computation: a constraint is a difference of two scores, (E p)_r - (E p)_s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, sparse

from .arrays import to_numpy
from .assumption import relevant_tokens

SLACK = 1e-10  # constraints may be missed by this much, of 1
AT_ONCE = 400  # pairs that join the working set in one round
DEPENDENT = 1e-9  # of the longest row: what is left of one beside the others when rows count as dependent
NOTHING = 1e-13  # what rounding leaves of zero: margins below the three-millionth part of the longest row count as none


class NotSeparableError(ValueError):
    """No direction gives every selected token a higher score than the others of its text.

    Parameters
    ----------
    message : str
        A sentence that names the pairs that conflict, or some of them.
    conflict : ndarray of int64, shape (m, 2)
        Pairs (r, s) that no direction satisfies all at once: some weights λ > 0 give Σ λ_rs (E_r - E_s) = 0.
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
        The pairs (r, s) of a selected token and another token of the same text, each once.
    multipliers : ndarray of float64, shape (m,)
        λ ≥ 0, one per pair, with p* = Σ λ_rs (E_r - E_s). If several choices fit, one of them. Their sum is ‖p*‖².
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
        """Name the margin, the sizes and the residual."""
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
    """Return the pairs (r, s) of a selected token and another token of the same text, each once, in ascending order.

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
    # Entry (r, s) counts the texts in which s is an other of the selected r: one product finds and deduplicates all pairs.
    together = sparse.coo_array(mask.T @ others)
    pairs = np.stack(together.coords, axis=1)[together.data > 0].astype(np.int64)
    return pairs[np.lexsort(pairs.T[::-1])]


def max_margin(embeddings, corpus, selection=None) -> MaxMargin:
    """Solve the margin problem to rounding (the limit direction of the flow; mirrors Theorem 4.3).

    Nonnegative least squares (SciPy) on the pairs that are violated most, until none is.

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
        If ``embeddings`` has the wrong shape or holds a value that is not finite, or as `selected_pairs` does.
    NotSeparableError
        If no direction satisfies all pairs; it names pairs that conflict.

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
    # Differences do not see a common shift; without it they lose fewer digits.
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
            raise ValueError(f"text {chosen.argmin()} holds no relevant token; leave it out, or say which token is selected")
        return mask
    if not sparse.issparse(selection) and np.ndim(selection) == 1:
        selection = sparse.csr_array((np.ones(len(corpus), bool), (np.arange(len(corpus)), np.asarray(selection))), shape=shape)
    mask = sparse.csr_array(selection, dtype=bool, copy=True)
    mask.eliminate_zeros()
    if mask.shape != shape:
        raise ValueError(f"selection has shape {mask.shape}; give a token's column for each text, or a mask of shape {shape}")
    if (mask > (corpus.counts > 0)).nnz:
        raise ValueError("selection names a token in a text that does not hold it")
    return mask


def span(rows):
    """Return an orthonormal basis of a space that holds all rows, and the rows in it; the standard one unless rows are few."""
    if len(rows) >= rows.shape[1]:
        return np.eye(rows.shape[1]), rows
    basis = np.linalg.qr(rows.T)[0]
    return basis, rows @ basis


def _between(of_tokens, pairs):
    """Return what belongs to the selected token of every pair, less what belongs to the other."""
    return of_tokens[pairs[:, 0]] - of_tokens[pairs[:, 1]]


def _solve(rows, pairs, vocabulary):
    """Return the solution in the coordinates of the rows, and one multiplier a pair."""
    solution, multipliers, working = np.zeros(rows.shape[1]), np.zeros(len(pairs)), np.zeros(0, np.int64)
    while True:
        gaps = _between(rows @ solution, pairs)
        # A pair of the working set is as good as the solver makes it; asking again would not end.
        missed = np.setdiff1d(np.flatnonzero(gaps < 1 - SLACK), working, assume_unique=True)
        if not len(missed):
            return solution, multipliers
        working = np.concatenate([working, missed[np.argsort(gaps[missed], kind="stable")[:AT_ONCE]]])
        solution, of_working = least_norm(_between(rows, pairs[working]))
        if solution is None:
            # nnls weighs independent columns alone, so these pairs conflict.
            conflict = pairs[working][of_working > 1e-9 * of_working.max()]
            named = ", ".join(f"{vocabulary[r]!r} over {vocabulary[s]!r}" for r, s in conflict[:4])
            message = f"the selection is not separable: no direction scores {named} all at once; change the selection"
            raise NotSeparableError(message, conflict)
        multipliers = np.bincount(working, of_working, len(pairs))
        # A small working set makes the loop fast. What is dropped may come back, and as the norm grows each time, this ends;
        # near the end, where it grows by little more than rounding, nothing is dropped.
        if gaps.min() < 1 - 1e-6:
            working = working[of_working > 0]


def least_norm(differences):
    """Return the point of least norm with ``differences @ point >= 1`` and its multipliers.

    Where there is none, return None and, as Farkas' lemma says, some λ ≥ 0, Σ λ = 1, with Σ λ (E_r - E_s) = 0.
    Lawson and Hanson's least-distance form, and then once more from the rows that hold with equality, to full precision.
    """
    number, dim = differences.shape
    columns, wanted = np.vstack([differences.T, np.ones(number)]), np.eye(dim + 1)[-1]
    weights = _nonnegative(columns, wanted)
    if (wanted - columns @ weights)[-1] < NOTHING:  # 1/(1 + ‖point‖²), if there is a point
        return None, weights
    active = weights > 0
    rows = differences[active]
    point, _, rank, _ = linalg.lstsq(rows, np.ones(len(rows)), DEPENDENT, lapack_driver="gelsy")
    of_active = linalg.lstsq(rows.T, point, DEPENDENT, lapack_driver="gelsy")[0]
    # Where rows depend on each other, many choices fit.
    weights[active] = np.maximum(of_active, 0) if rank == len(rows) else _nonnegative(rows.T, point)
    return point, weights


def _nonnegative(columns, wanted):
    """Return the w ≥ 0 for which ``columns @ w`` comes nearest to what is wanted."""
    weights, _ = optimize.nnls(columns, wanted, maxiter=100_000)
    # Where columns depend on each other, nnls now and then ends at a point from which the error still falls.
    if (columns.T @ (wanted - columns @ weights)).max() > 1e-9 * np.abs(wanted).max():
        weights = np.maximum(optimize.lsq_linear(columns, wanted, (0, np.inf), method="bvls", tol=1e-14).x, 0)
    return weights


def kkt_residual(rows, pairs, direction, multipliers):
    """Return the largest relative KKT residual, from the embeddings themselves."""
    gaps, norm = _between(rows @ direction, pairs), np.linalg.norm(direction)
    weights = np.bincount(pairs[:, 0], multipliers, len(rows)) - np.bincount(pairs[:, 1], multipliers, len(rows))
    stationarity = np.linalg.norm(direction - weights @ rows) / norm
    complementarity = np.abs(multipliers * (gaps - 1)).sum() / norm**2
    return float(max(stationarity, 1 - gaps.min(), -multipliers.min() / norm**2, complementarity))
