r"""Gradient flow on p: which tokens it selects, and in which direction p runs to infinity.

Only the path of dp/dt = -∇_p L matters here, so we follow it by its arc length s,

    dp/ds = -∇_p L / ‖∇_p L‖,

which is the same path. It needs the direction of a gradient whose size falls like exp(-margin ‖p‖); `SharpAttention` computes
it at any norm. The path never leaves p(0) + span of the rows of E, so it is integrated in at most |S| coordinates, by an
implicit method whose steps grow with ‖p‖.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from tqdm import tqdm

from ...corpus.corpus import Corpus, some_texts
from ...models.base import check_finite
from ...models.parameters import Parameters
from ...support.arrays import like, namespace, to_numpy
from ...support.checks import checked, number, numbers, positive, shaped, whole_number
from ...support.runtime import room_for
from ..alignment import exact_parameters, predicted_values
from ..assumption import relevant_tokens
from ..max_margin import selection_mask, span
from .sharp import SharpAttention

CANCELLED = 1e-8  # texts whose pulls on p cancel to less than this part of their size leave no direction worth following
LENGTH = partial(number, least=0, most=1e12, open_below=True, allowed="a positive number of at most 1e12")
RECORDS = partial(whole_number, least=2, most=10**6)
TOLERANCE = partial(number, least=1e-15, most=0.1)
LARGEST_START = 1e15
NO_GRADIENT = (
    "the gradient is zero at the start: attention has nothing to choose between; take a step on E first "
    "(where that leaves all values equal, it stays zero)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Flow:
    """The path of p, recorded at m points; numpy arrays, whatever the start was.

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
        Why the path stops. "the end": p has travelled as far as you asked. "no direction": the pulls of different texts
        cancel, for a solver to less than 1e-8 of their size, so p is at a stationary point, or so near that rounding would
        choose the way. "no step": the solver finds no step within its tolerance.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> path = ts.gradient_flow(ts.limit_parameters(corpus, 10.0), corpus, 1000.0)
    >>> path
    Flow(200 points; ends at ‖p‖ = 1000, loss 0.2519, largest missed attention exp(-1225))
    >>> margin = ts.max_margin(ts.limit_parameters(corpus, 10.0).embeddings, corpus)
    >>> bool(path.distance_to(margin.direction)[-1] < 1e-12)
    True
    """

    arc_lengths: np.ndarray
    cls_embeddings: np.ndarray
    log_gradient_norms: np.ndarray
    losses: np.ndarray
    log_missed: np.ndarray
    stopped: str

    def __repr__(self):
        """Return where the path ends, and why there."""
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
        return -np.expm1(self.log_missed)

    def distance_to(self, direction):
        """Return 1 - cos of the angle between p and a direction at every point; exact even if tiny.

        Parameters
        ----------
        direction : array, shape (dim,)
            Of any length except zero.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        direction = to_numpy(numbers("direction", direction, self.cls_embedding.shape)).astype(np.float64)
        length = np.linalg.norm(direction)
        if not 0 < length < np.inf:
            raise ValueError(f"direction has length {length}; give one that is neither zero nor too long for float64")
        return ((self.directions - direction / length) ** 2).sum(axis=1) / 2


@checked(parameters=Parameters, corpus=some_texts, arc_length=LENGTH, records=RECORDS, tolerance=TOLERANCE)
def gradient_flow(
    parameters: Parameters, corpus: Corpus, arc_length: float = 1e6, *, selection=None, records: int = 200, tolerance=1e-8
) -> Flow:
    """Follow the gradient flow of p, with E and v fixed, over a given length of its path (mirrors Theorem 4.3).

    It uses SciPy's BDF in float64 with the exact second derivative. Gradients are computed with the kind of array, and on the
    device, of the parameters.

    Parameters
    ----------
    parameters : Parameters
        The start; numpy or torch, of any float dtype.
    corpus : Corpus
        Two classes.
    arc_length : float
        How far p travels. ‖p‖ ends near it, since the path is nearly straight.
    selection : optional
        The tokens whose attention is recorded, as in `selected_pairs`; by default the relevant ones, in the texts that
        have any.
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
        If a parameter is not finite or does not fit the corpus, ``arc_length`` or ``tolerance`` is not a positive number,
        ``records`` is below two, or the gradient is zero at the start, as when no text has two tokens of different value.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> path = ts.gradient_flow(ts.limit_parameters(corpus, 10.0), corpus, 1e6, records=20)
    >>> path.stopped, path.smallest_attention.round(3)[[0, -1]].tolist()
    ('the end', [0.5, 1.0])
    """
    return Field(parameters, corpus, selection).follow(arc_length, records, tolerance)[0]


@checked(parameters=Parameters, corpus=some_texts, step_size=LENGTH, steps=whole_number, records=RECORDS)
def normalised_steps(
    parameters: Parameters, corpus: Corpus, step_size: float, steps: int, *, selection=None, records: int = 200
) -> Flow:
    """Take gradient steps of a fixed length on p: Euler's rule for the flow.

    Use it for vocabularies that are too large for the second derivatives of `gradient_flow`: a step costs O(nnz(C) + |S| d),
    with the kind, dtype and device of the parameters. Long steps zigzag around the path by about their length, so the angle
    to it falls at least like step_size/‖p‖.

    Parameters
    ----------
    parameters, corpus
        As in `gradient_flow`.
    step_size : float
        Length of every step.
    steps : int
    selection, records
        As in `gradient_flow`; the records are at whole steps.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError
        If ``step_size`` or ``steps`` is not positive, or as in `gradient_flow`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.normalised_steps(ts.limit_parameters(corpus, 10.0), corpus, step_size=0.5, steps=100, records=10).arc_lengths
    array([ 0. ,  0.5,  1. ,  2. ,  3.5,  6. , 10.5, 17.5, 29.5, 50. ])
    """
    wanted = np.unique(np.round(_spaced(steps, records)).astype(int))
    given = exact_parameters(parameters, corpus, dtype=None)
    moderate(given, corpus)
    values, rows, query = given.token_values, given.embeddings, given.cls_embedding
    selected, recorded = _selected_entries(corpus, selection), []
    for step in tqdm(range(steps + 1), desc="Stepping along the flow", unit="step", delay=2):
        attention = SharpAttention(rows @ query, values, corpus)
        gradient = rows.T @ attention.by_score().array
        norm = _norm(gradient)
        if not norm:
            break
        if step == wanted[len(recorded)]:
            recorded.append(_record(step * step_size, query, rows, attention, selected))
        query = query - step_size / norm * gradient
    if not recorded:
        raise ValueError(NO_GRADIENT)
    return Flow(*map(np.array, zip(*recorded)), "the end" if len(recorded) == len(wanted) else "no direction")


@checked(corpus=some_texts, learning_rate=positive)
def limit_parameters(corpus: Corpus, learning_rate: float) -> Parameters:
    """Return parameters that behave like those after one step on E for d → ∞.

    In the limit, rows of E⁰ become orthonormal and orthogonal to v (Definition “Limit rows”). So E¹E¹ᵀ = I + γγᵀ with
    γ = (η₀/2) ᾱ, the values of `predicted_values`. The rows (e_s, γ_s) of length |S| + 1 have exactly these products, and
    v = (0, 1) gives these values. So what you compute from them, flow or margin, is the limit itself.

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

    Raises
    ------
    ValueError
        If ``learning_rate`` is not a positive number, or there are more than two classes.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.limit_parameters(corpus, 8.0).token_values
    array([ 1., -1.,  0.])
    """
    if corpus.num_classes != 2:
        raise ValueError(f"the corpus has {corpus.num_classes} classes; the flow is defined for two")
    values = predicted_values(corpus, learning_rate)
    room_for(2 * len(values) ** 2, vocab_size=len(values))
    every = np.eye(len(values) + 1)
    return Parameters(np.column_stack([every[:-1, :-1], values]), 0 * every[-1], every[-1])


@checked(parameters=Parameters, corpus=some_texts, arc_length=LENGTH)
def key_query_flow(parameters: Parameters, key_query, corpus: Corpus, arc_length: float = 1e6, **options) -> Flow:
    """Follow the gradient flow of a key-query matrix W in the model with scores E_s·W p, with E, v and p fixed.

    The gradient in W is (∇_q L) pᵀ, with q = W p. So q follows the gradient flow of a <cls> embedding that starts at W p, but
    ‖p‖² times faster, and W moves with it: see `key_query_at` (mirrors Lemma 1 of Tarzanagh et al.).

    Parameters
    ----------
    parameters : Parameters
        (E, p, v).
    key_query : array, shape (dim, dim)
        W at the start; of any kind and float dtype.
    corpus, arc_length, **options
        As in `gradient_flow`; the length is that of the path of q.

    Returns
    -------
    Flow
        Of q = W p.

    Raises
    ------
    ValueError
        As in `gradient_flow`, or if p is zero, since then the gradient in W is zero.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0)
    >>> start = ts.Parameters(start.embeddings, np.ones(4, "float32"), start.output_vector)
    >>> ts.key_query_flow(start, np.eye(4), corpus, 100.0, records=2).cls_embeddings[0]
    array([1., 1., 1., 1.])
    """
    exact = exact_parameters(parameters, corpus)
    _refuse_zero(exact.cls_embedding)
    dim = len(exact.cls_embedding)
    query = like(numbers("key_query", key_query, (dim, dim)), exact.cls_embedding) @ exact.cls_embedding
    check_finite(query, exact, key_query=key_query)
    return gradient_flow(replace(exact, cls_embedding=query), corpus, arc_length, **options)


def key_query_at(query, key_query, cls_embedding):
    """Return W at the moment when W p reaches q: W(0) + (q - W(0) p) pᵀ/‖p‖².

    Parameters
    ----------
    query : array, shape (dim,)
        q, such as the end of a `key_query_flow`.
    key_query : array, shape (dim, dim)
        W(0).
    cls_embedding : array, shape (dim,)
        p, not zero.

    Returns
    -------
    array, shape (dim, dim)
        Of the kind, dtype and device of ``key_query``.

    Raises
    ------
    ValueError
        If ``cls_embedding`` is zero.

    Examples
    --------
    >>> key_query_at(np.array([3.0, 0.0]), np.zeros((2, 2)), np.array([0.0, 2.0]))
    array([[0. , 1.5],
           [0. , 0. ]])
    """
    key_query = numbers("key_query", key_query, (None, None))
    dim = shaped("key_query", key_query, 2 * key_query.shape[:1]).shape[:1]
    query = like(numbers("query", query, dim), key_query)
    cls_embedding = like(numbers("cls_embedding", cls_embedding, dim), key_query)
    _refuse_zero(cls_embedding)
    moved = (query - key_query @ cls_embedding)[:, None] * cls_embedding
    reached = key_query + moved / (cls_embedding @ cls_embedding)
    if not namespace(reached).isfinite(reached).all():
        raise ValueError("query, key_query and cls_embedding overflow their dtype; give smaller numbers")
    return reached


def moderate(parameters: Parameters, corpus: Corpus):
    """Refuse what no flow can be followed from: numbers whose squares and products overflow, or no word at all."""
    for name, array in parameters.arrays().items():
        largest = float(abs(array).max())
        if largest > LARGEST_START:
            raise ValueError(f"{name} holds numbers up to {largest:.3g}; begin from numbers of at most {LARGEST_START:g}")
    if not corpus.counts.nnz:
        raise ValueError("corpus holds no known word; read its texts with another vocabulary")


class Field:
    """The normalised gradient field, in coordinates z of the span of the rows: p = rest + basis·z, scores = rows·z."""

    def __init__(self, parameters, corpus, selection=None):
        self.parameters, self.corpus = exact_parameters(parameters, corpus), corpus
        moderate(self.parameters, corpus)
        self.values, start = self.parameters.token_values, self.parameters.cls_embedding
        self.selected = _selected_entries(corpus, selection)
        self.basis, self.rows = span(self.parameters.embeddings)
        self.rest = start - self.basis @ (self.basis.T @ start)
        self.start = to_numpy(self.basis.T @ start)
        self.size = float((self.rows**2).sum(1).max()) ** 0.5

    def at(self, point):
        """Return attention at a point."""
        return SharpAttention(self.rows @ like(point, self.rows), self.values, self.corpus)

    def pull(self, point):
        """Return attention at a point, and ∂L/∂z with its norm, in the unit of `SharpAttention.by_score`."""
        attention = self.at(point)
        gradient = to_numpy(self.rows.T @ attention.by_score().array)
        norm = np.linalg.norm(gradient)
        # The unit is such that the largest pull of a text on a token is 1/n.
        if norm * len(self.corpus) <= CANCELLED * self.size:  # both are zero where the embeddings are
            raise _NoDirection
        return attention, gradient, norm

    def velocity(self, _, point):
        """Return dz/ds, of length 1."""
        _, gradient, norm = self.pull(point)
        return -gradient / norm

    def jacobian(self, _, point):
        """Return its derivative."""
        attention, gradient, norm = self.pull(point)
        curvature = to_numpy(attention.curvature(self.rows))
        unit = gradient / norm
        return (np.outer(unit, unit @ curvature) - curvature) / norm

    def follow(self, arc_length, records, tolerance):
        """Return the path, and its points in the field's own coordinates."""
        where = _spaced(arc_length, records)
        points, stopped = _integrate(self, where, tolerance)
        return Flow(*map(np.array, zip(*map(self.record, where, points))), stopped), np.array(points)

    def record(self, length, point):
        """Return what a `Flow` holds of a point."""
        attention = self.at(point)
        query = self.rest + self.basis @ like(point[: self.rows.shape[1]], self.rows)
        return _record(length, query, self.rows, attention, self.selected)


class _NoDirection(Exception):
    """No gradient is left to follow."""


def _spaced(length, records):
    """Return points from zero to a length, evenly spaced in log(1 + s)."""
    return np.expm1(np.linspace(0, np.log1p(length), records))


def _norm(vector):
    return float(namespace(vector).linalg.vector_norm(vector))


def _record(length, query, rows, attention, selected):
    """Return what a `Flow` holds of one point; p is a copy."""
    array, log_unit = attention.by_score()
    log_norm = np.log(_norm(rows.T @ array)) + log_unit
    return length, to_numpy(query).astype(np.float64), log_norm, attention.loss(), attention.log_missed(selected)


def _integrate(field, where, tolerance):
    """Return the points of the path at the given arc lengths, and why it ends."""
    from scipy import integrate

    def solver_from(begin, point):
        options = dict(rtol=tolerance, atol=tolerance, jac=field.jacobian, first_step=min(1e-3, where[-1] - begin))
        return integrate.BDF(field.velocity, begin, point, where[-1], **options)

    points, begun, solver = [field.start], 0.0, None
    with tqdm(total=len(where), initial=1, desc="Following the flow", unit="point", delay=2) as progress:
        try:
            solver = solver_from(begun, field.start)
            while len(points) < len(where):
                # SciPy's BDF begins with memory that nothing was written to, and never uses what it computes from it.
                with np.errstate(invalid="ignore", over="ignore"):
                    solver.step()
                if solver.status == "failed":
                    # On a stiff path the history of steps may no longer fit: begin anew, if that has not just been done.
                    if solver.t <= 1.001 * begun:
                        return points, "no step"
                    begun = solver.t
                    solver = solver_from(begun, solver.y)
                    continue
                between, passed = solver.dense_output(), where[len(points) :]
                points += [between(length) for length in passed[passed <= solver.t]]
                progress.update(len(points) - progress.n)
        except _NoDirection:
            if solver is None:
                raise ValueError(NO_GRADIENT) from None
            return points, "no direction"
    return points, "the end"


def _selected_entries(corpus, selection):
    """Return for every entry of the counts whether it is a selected token of its text."""
    mask = relevant_tokens(corpus) if selection is None else selection_mask(corpus, selection)
    counts = corpus.counts
    rows = np.repeat(np.arange(len(corpus)), np.diff(counts.indptr))
    return np.asarray(mask.tocsr()[rows, counts.indices]).ravel().astype(bool)


def _refuse_zero(cls_embedding):
    if not cls_embedding.any():
        raise ValueError("cls_embedding is zero, and so is the gradient in the key-query matrix; give another p")
