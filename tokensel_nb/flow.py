r"""Gradient flow on p: which tokens it selects, and in which direction p runs to infinity.

Only the path of dp/dt = -∇_p L matters here, so we follow it by its arc length s,

    dp/ds = -∇_p L / ‖∇_p L‖,

which is the same path. It needs the direction of a gradient whose size falls like exp(-margin ‖p‖); `SharpAttention` computes
it at any norm. The path never leaves p(0) + span of the rows of E, so it is integrated in at most |S| coordinates, by an
implicit method whose steps grow with ‖p‖.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import integrate
from tqdm import tqdm

from .arrays import threads_for, to_numpy
from .assumption import relevant_tokens
from .margin import selection_mask, span
from .model import exact_parameters
from .one_step import predicted_values
from .parameters import Parameters, rows_with_values
from .sharp import SharpAttention

CANCELLED = 1e-8  # if the texts' pulls on p cancel to less than this part of their size, the flow has no direction


@dataclass(frozen=True, eq=False, repr=False)
class Flow:
    """The path of p, recorded at m points, as numpy arrays.

    Parameters
    ----------
    arc_lengths : ndarray of float64, shape (m,)
        How far p has travelled, evenly spaced in log(1 + s).
    cls_embeddings : ndarray of float64, shape (m, dim)
        p at these points.
    log_gradient_norms : ndarray of float64, shape (m,)
        log ‖∇_p L‖.
    losses : ndarray of float64, shape (m,)
    log_missed : ndarray of float64, shape (m,)
        The logarithm of the largest attention that a text pays to tokens that aren't selected; NaN without a selection.
    stopped : {"the end", "no direction", "no step"}
        Why the path stops. "the end": p has travelled the given length. "no direction": the pulls of different texts cancel to
        less than 1e-8 of their size, so p is at a stationary point, or so close that rounding would choose the direction. "no
        step": the solver's step would miss its tolerance.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.limit_parameters(corpus, 10.0)
    >>> path = ts.gradient_flow(start, corpus, 1000.0)
    >>> path
    Flow(200 points; ends at ‖p‖ = 1000, loss 0.2519, largest missed attention exp(-1225))
    >>> margin = ts.max_margin(start, corpus)
    >>> bool(path.distance_to(margin)[-1] < 1e-12)
    True
    >>> path.leads(start.embeddings, margin.pairs)[-1].round()  # good and bad over film
    array([1225., 1225.])
    """

    arc_lengths: np.ndarray
    cls_embeddings: np.ndarray
    log_gradient_norms: np.ndarray
    losses: np.ndarray
    log_missed: np.ndarray
    stopped: str

    def __repr__(self):
        """Show where the path ends, and why."""
        verb = "ends" if self.stopped == "the end" else self.stopped
        missed = f", largest missed attention exp({self.log_missed[-1]:.4g})" if np.isfinite(self.log_missed[-1]) else ""
        return f"Flow({len(self.norms)} points; {verb} at ‖p‖ = {self.norms[-1]:.4g}, loss {self.losses[-1]:.4g}{missed})"

    @property
    def cls_embedding(self):
        """Where p ends, shape (dim,)."""
        return self.cls_embeddings[-1]

    @property
    def norms(self):
        """The norms ‖p‖ at every point, shape (m,)."""
        return np.linalg.norm(self.cls_embeddings, axis=1)

    @property
    def directions(self):
        """The unit vectors p/‖p‖ at every point, shape (m, dim); zero where p is zero."""
        return self.cls_embeddings / np.maximum(self.norms, np.finfo(float).tiny)[:, None]

    @property
    def smallest_attention(self):
        """The smallest attention that a text pays to its selected tokens, at every point, shape (m,)."""
        return (0.0 - np.expm1(self.log_missed)).clip(0)

    @property
    def log_times(self):
        """The logarithm log(1 + t) of the time of dp/dt = -∇_p L at every point, shape (m,); by the trapezoidal rule."""
        speeds = (self.log_gradient_norms[1:] + self.log_gradient_norms[:-1]) / 2
        log_parts = np.log(np.diff(self.arc_lengths)) - speeds  # dt = ds / ‖∇L‖
        return np.logaddexp(0, np.r_[-np.inf, np.logaddexp.accumulate(log_parts)])

    def leads(self, embeddings, pairs):
        """Return the lead in score of the first token of every pair, (E_r - E_s)·p, at every point.

        Parameters
        ----------
        embeddings : array, shape (vocab_size, dim)
        pairs : array of int, shape (k, 2)
            Such as those of `selected_pairs`.

        Returns
        -------
        ndarray of float64, shape (m, k)
        """
        scores, (leading, others) = self.cls_embeddings @ to_numpy(embeddings).T, np.transpose(pairs)
        return scores[:, leading] - scores[:, others]

    def distance_to(self, direction):
        """Return 1 - cos of the angle between p and a direction at every point, accurate even if tiny.

        Parameters
        ----------
        direction : array, shape (dim,), or MaxMargin
            Of any length except zero.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        direction = to_numpy(getattr(direction, "direction", direction)).astype(float)
        return ((self.directions - direction / np.linalg.norm(direction)) ** 2).sum(axis=1) / 2

    def plot(self, ax, direction, **style):
        """Draw `distance_to` a direction, such as p*, over ‖p‖, on logarithmic scales.

        Parameters
        ----------
        ax : matplotlib.axes.Axes
        direction : array, shape (dim,)
        **style
            Of the points, as in `matplotlib.axes.Axes.plot`.
        """
        ax.loglog(self.norms[1:], self.distance_to(direction)[1:], ".", **style)
        ax.set(xlabel="length of the query, $\\|p\\|$", ylabel="$1-\\cos(p, p^*)$")


def gradient_flow(parameters, corpus, arc_length=1e6, *, selection=None, records=200, tolerance=1e-8) -> Flow:
    """Follow the gradient flow of p, with E and v fixed, over a given length of its path (mirrors Theorem 4.3).

    It uses SciPy's BDF in float64 with the exact second derivative.

    Parameters
    ----------
    parameters : Parameters
        The start; numpy or torch, of any float dtype.
    corpus : Corpus
        Two classes.
    arc_length : float
        How far p travels. ‖p‖ ends near it, because the path is nearly straight.
    selection : optional
        The tokens whose attention is recorded, as in `selected_pairs`; by default the relevant ones, in the texts that have
        any.
    records : int
        The number m of recorded points, at least two.
    tolerance : float
        The local error of the solver, relative to the coordinates of p, and absolute where they are below 1.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError
        If a parameter is not finite or has the wrong shape, or the gradient is zero at the start, for example because no text
        has two tokens of different value.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> path = ts.gradient_flow(ts.limit_parameters(corpus, 10.0), corpus, 1e6, records=20)
    >>> path.stopped, path.smallest_attention.round(3)[[0, -1]].tolist()
    ('the end', [0.5, 1.0])
    """
    return Field(parameters, corpus, selection).follow(arc_length, records, tolerance)[0]


def limit_parameters(corpus, learning_rate) -> Parameters:
    """Return parameters that behave like those after one step on E for d → ∞.

    In the limit, rows of E⁰ become orthonormal and orthogonal to v (Definition “Limit rows”). So E¹E¹ᵀ = I + γγᵀ with
    γ = (η₀/2) ᾱ, the values of `predicted_values`. The rows of `rows_with_values` have exactly these products, so a flow or a
    margin that you compute from them is the limit itself.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    learning_rate : float
        η₀ of the step on E.

    Returns
    -------
    `Parameters`
        Numpy arrays of float64, of dim |S| + 1, with p = 0.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.limit_parameters(corpus, 8.0).token_values
    array([ 1., -1.,  0.])
    """
    _ = corpus.signs  # a ValueError for more than two classes
    return rows_with_values(predicted_values(corpus, learning_rate))


class Field:
    """The normalised gradient field, in coordinates z of the span of the rows: p = rest + basis·z, scores = rows·z."""

    def __init__(self, parameters, corpus, selection=None):
        self.parameters, self.corpus = exact_parameters(parameters, corpus), corpus
        self.values, start = self.parameters.token_values, self.parameters.cls_embedding
        mask, counts = relevant_tokens(corpus) if selection is None else selection_mask(corpus, selection), corpus.operator
        self.selected = np.asarray(mask[counts.rows, counts.columns]).astype(bool)
        self.basis, self.rows = span(self.parameters.embeddings)
        self.start = self.basis.T @ start
        self.rest = start - self.basis @ self.start
        self.size = np.linalg.norm(self.rows, axis=1).max()

    def at(self, point):
        """Return attention at a point."""
        return SharpAttention(self.rows @ point, self.values, self.corpus)

    def pull(self, point):
        """Return attention at a point, and ∂L/∂z with its norm, in the unit of `SharpAttention.by_score`."""
        attention = self.at(point)
        gradient = self.rows.T @ attention.by_score()[0]
        norm = np.linalg.norm(gradient)
        # The unit is such that the largest pull of a text on a token is 1/n.
        if norm * len(self.corpus) <= CANCELLED * self.size:  # both are zero where the embeddings are
            raise _NoDirection("the gradient is zero at the start; give texts with tokens of different values")
        return attention, gradient, norm

    def velocity(self, _, point):
        """Return dz/ds, of length 1."""
        _, gradient, norm = self.pull(point)
        return -gradient / norm

    def jacobian(self, _, point):
        """Return its derivative."""
        attention, gradient, norm = self.pull(point)
        curvature, unit = attention.curvature(self.rows), gradient / norm
        return (np.outer(unit, unit @ curvature) - curvature) / norm

    def follow(self, arc_length, records, tolerance):
        """Return the path, and its points in the field's own coordinates."""
        where = np.expm1(np.linspace(0, np.log1p(arc_length), records))
        with threads_for(self.basis.size):
            points, stopped = _integrate(self, where, tolerance)
            return Flow(where[: len(points)], *map(np.array, zip(*map(self.record, points))), stopped), np.array(points)

    def record(self, point):
        """Return what a `Flow` holds of a point."""
        attention = self.at(point)
        array, log_unit = attention.by_score()
        log_norm = np.log(np.linalg.norm(self.rows.T @ array)) + log_unit
        query = self.rest + self.basis @ point[: self.rows.shape[1]]
        return query, log_norm, attention.loss(), attention.log_missed(self.selected)


class _NoDirection(ValueError):
    """No gradient is left to follow."""


def _integrate(field, where, tolerance):
    """Return the points of the path at the given arc lengths, and the reason why it ends."""

    def solver_from(begin, point):
        options = dict(rtol=tolerance, atol=tolerance, jac=field.jacobian, first_step=min(1e-3, where[-1] - begin))
        return integrate.BDF(field.velocity, begin, point, where[-1], **options)

    points, begun, solver = [field.start], 0.0, solver_from(0.0, field.start)
    with tqdm(total=len(where), initial=1, desc="Following the flow", unit="point", delay=2) as progress:
        try:
            while len(points) < len(where):
                # SciPy's BDF starts from uninitialised memory, and never uses what it computes from it.
                with np.errstate(invalid="ignore", over="ignore"):
                    solver.step()
                if solver.status == "failed":
                    # On a stiff path the history of steps may become useless: restart, unless that has just been done.
                    if solver.t <= 1.001 * begun:
                        return points, "no step"
                    begun, solver = solver.t, solver_from(solver.t, solver.y)
                    continue
                between, passed = solver.dense_output(), where[len(points) :]
                points += [between(length) for length in passed[passed <= solver.t]]
                progress.update(len(points) - progress.n)
        except _NoDirection:
            return points, "no direction"
    return points, "the end"
