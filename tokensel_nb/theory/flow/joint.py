"""Gradient flow of more than p: of p and v together, along the path, and of all parameters, in time."""

from __future__ import annotations

import numpy as np

from ...corpus.corpus import Corpus, some_texts
from ...corpus.counts import CountMatrix
from ...models.base import check_finite
from ...models.one_layer import OneLayer
from ...models.parameters import Parameters
from ...support.arrays import like, namespace, sigmoid, to_numpy
from ...support.checks import checked, numbers
from ..alignment import exact_parameters
from ..assumption import complete_tokens
from ..max_margin import selection_mask
from .path import LENGTH, RECORDS, TOLERANCE, Field, Flow
from .sharp import SharpAttention

ASKED, MOST_ASKED = 500, 10**6  # gradients: from how many on to look ahead, and how many are too many for the whole flow


@checked(parameters=Parameters, corpus=some_texts, arc_length=LENGTH, records=RECORDS, tolerance=TOLERANCE)
def output_flow(
    parameters: Parameters, corpus: Corpus, arc_length: float = 300.0, *, records: int = 200, tolerance=1e-8
) -> tuple[Flow, np.ndarray]:
    """Follow the gradient flow of p and v together, with E fixed, until p has travelled a given length.

    While ‖p‖ grows by one, ‖v‖ grows by a factor: like exp(margin ‖p‖ / 2). Soon y f(X) is so large that a float loses its
    differences between texts, on which the path of p depends. So v is written as M u + w, with E_r·u = y for every relevant
    token r. Then the differences come from w alone. This is only a choice of coordinates; the flow is exact.

    Parameters
    ----------
    parameters, corpus, arc_length
        As in `gradient_flow`; every text contains a relevant token.
    records, tolerance
        As in `gradient_flow`. This path is stiffer: with a coarser tolerance than the default, rounding decides where it ends.

    Returns
    -------
    (Flow, ndarray of float64 of shape (m, dim))
        The path of p, and v at the same points. The gradient norms are those of ∇_p L.

    Raises
    ------
    ValueError
        As in `gradient_flow`, or if a text has no relevant token, or their embeddings are linearly dependent.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> path, outputs = ts.output_flow(ts.limit_parameters(corpus, 10.0), corpus, 20.0, records=3)
    >>> path
    Flow(3 points; ends at ‖p‖ = 20, loss 0, largest missed attention exp(-24.49))
    >>> bool(np.linalg.norm(outputs[-1]) > 1000)
    True
    """
    field = OutputField(parameters, corpus)
    flow, points = field.follow(arc_length, records, tolerance)
    return flow, field.output_vectors(points)


@checked(parameters=Parameters, corpus=some_texts, tolerance=TOLERANCE)
def joint_flow(parameters: Parameters, corpus: Corpus, times, *, tolerance=1e-11) -> list[Parameters]:
    """Follow the gradient flow of E, p and v together, in time, by an explicit Runge-Kutta method of order 8.

    EᵀE - vvᵀ - ppᵀ doesn't change along it, for any corpus (Corollary “Conservation law”): see `conserved`.

    Parameters
    ----------
    parameters, corpus
        As in `gradient_flow`, but with any number of classes.
    times : sequence of float, ascending, not negative
    tolerance : float
        Relative and absolute local error of the solver.

    Returns
    -------
    list of Parameters
        One per time, of float64, of the same kind and on the same device as the start.

    Raises
    ------
    ValueError
        If a parameter is not finite or does not fit the corpus, or ``times`` do not ascend from zero or later.
    RuntimeError
        If the solver finds no step within its tolerance, or the gradient overflows.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> before, after = ts.joint_flow(start, corpus, [0.0, 10.0])
    >>> ts.loss(after, corpus) < ts.loss(before, corpus)
    True
    """
    from scipy import integrate

    times = to_numpy(numbers("times", times, (None,))).astype(np.float64)
    if not (len(times) and times[0] >= 0 and (np.diff(times) >= 0).all()):
        raise ValueError("times must ascend, and begin at zero or later")
    start = exact_parameters(parameters, corpus)
    ends = np.cumsum([array.size for array in start.numpy().arrays().values()])[:-1]

    def packed(parameters):
        return np.concatenate([array.ravel() for array in parameters.numpy().arrays().values()])

    def unpacked(vector):
        parts = iter(np.split(vector, ends))
        return start.map(lambda array: like(next(parts), array).reshape(array.shape))

    evaluations = 0

    def velocity(_, vector):
        nonlocal evaluations
        evaluations += 1
        slopes = packed(OneLayer().gradients(unpacked(vector), corpus))
        if not np.isfinite(slopes).all():  # SciPy would look for a step forever
            raise RuntimeError("the gradient overflows; start from smaller parameters")
        return -slopes

    def moving(time, _):  # SciPy asks for events after every step that it takes; none ever comes
        if evaluations >= ASKED and time * MOST_ASKED < times[-1] * evaluations:
            raise RuntimeError(f"parameters move too fast: after {evaluations:,} gradients the flow is at time {time:.3g}")
        return 1.0

    options = dict(t_eval=times, rtol=tolerance, atol=tolerance, events=moving)
    solved = integrate.solve_ivp(velocity, (0.0, times[-1]), packed(start), "DOP853", **options)
    if not solved.success:
        reached = f"after {len(solved.t)} of {times.size} times"
        raise RuntimeError(f"the solver of the flow found no step {reached}; start from smaller parameters")
    return [unpacked(vector.copy()) for vector in solved.y.T]


@checked(parameters=Parameters)
def conserved(parameters: Parameters):
    """Return EᵀE - vvᵀ - ppᵀ, which stays the same along the gradient flow of all parameters.

    Parameters
    ----------
    parameters : Parameters
        For K classes vvᵀ is the sum over the classes.

    Returns
    -------
    array of float64, shape (dim, dim)
        Of the kind of ``parameters``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> conserved(ts.Parameters(np.eye(2), np.array([2.0, 0.0]), np.array([0.0, 1.0])))
    array([[-3.,  0.],
           [ 0.,  0.]])
    """
    exact = exact_parameters(parameters)
    embeddings, query, outputs = exact.embeddings, exact.cls_embedding, exact.output_vector
    others = namespace(query).concat([query[None], outputs.reshape(-1, len(query))])
    return check_finite(embeddings.T @ embeddings - others.T @ others, exact)


class OutputField(Field):
    """The field of p and v together. A point holds z, then M, then w: v = v(0) + Eᵀ(M u + U w)."""

    # U holds an orthonormal basis of what is orthogonal to u, token by token where u is zero. So all numbers that grow without
    # end are in M, and their rounding does not blur w.

    def __init__(self, parameters, corpus):
        super().__init__(parameters, corpus)
        selection_mask(corpus, None)  # a ValueError names a text without a relevant token
        gram, complete = to_numpy(self.rows @ self.rows.T), complete_tokens(corpus).astype(float)
        relevant, lead, every = complete != 0, np.zeros(len(complete)), np.eye(len(complete))
        lead[relevant] = np.linalg.lstsq(gram[np.ix_(relevant, relevant)], complete[relevant])[0]
        by_lead = gram @ lead
        if np.abs(by_lead - complete)[relevant].max() > 1e-9:
            raise ValueError("the embeddings of the relevant tokens are linearly dependent; give more dimensions")
        by_lead[relevant] = complete[relevant]  # exactly: these are the numbers whose differences matter
        inner = np.linalg.qr(lead[relevant, None], mode="complete").Q[:, 1:]
        others = np.hstack([every[:, relevant] @ inner, every[:, ~relevant]])
        self.frame = np.column_stack([lead, others])
        self.inverse = np.vstack([lead / (lead @ lead), others.T])
        self.every, self.by_lead, self.by_rest = (like(array, self.rows) for array in (every, by_lead, gram @ others))
        self.dim = len(self.start)
        self.start = np.concatenate([self.start, np.zeros(len(complete))])

    def at(self, point):
        """Return attention at a point, with all gradients those of exp(M) L."""
        point = like(point, self.rows)
        height, of_rest = point[self.dim], self.values + self.by_rest @ point[self.dim + 1 :]
        excess = self.of_entries(of_rest) + height * (self.of_entries(self.by_lead) - 1)
        return SharpAttention(self.rows @ point[: self.dim], height * self.by_lead + of_rest, self.corpus, excess)

    def velocity(self, _, point):
        """Return d(z, M, w)/ds: p has speed 1, v the speed that belongs to it."""
        attention, gradient, norm = self.pull(point)
        by_value, speed = self.by_value(attention, norm)
        return np.concatenate([-gradient / norm, -speed * (self.inverse @ by_value)])

    def jacobian(self, _, point):
        """Return its derivative."""
        attention, gradient, norm = self.pull(point)
        by_value, speed = self.by_value(attention, norm)
        beside = lambda *parts: namespace(self.rows).concat(parts, axis=1)
        pulls = beside(attention.pulls_along(self.every), self.pulls_by_height(attention)[:, None])
        moves = attention.mixed_curvature(self.rows, beside(self.every, self.by_lead[:, None]), pulls)
        # Columns for the value of every token become columns for M and w.
        mixed, of_values = (beside(move[:, -1:], move[:, :-1] @ self.by_rest) for move in moves)
        by_point = to_numpy(beside(attention.curvature(self.rows), mixed))
        values_by_point = to_numpy(beside(moves[0][:, :-1].T / (speed * norm), of_values))
        along = gradient @ by_point / norm**2  # the relative change of ‖∂L/∂z‖
        of_query = np.outer(gradient / norm, along) - by_point / norm
        return np.vstack([of_query, speed * (self.inverse @ (np.outer(by_value, along) - values_by_point))])

    def by_value(self, attention, norm):
        """Return ∂L/∂γ in its unit, and that unit over ‖∂L/∂z‖."""
        array, log_unit = attention.by_value()
        return to_numpy(array), np.exp(log_unit - attention.log_unit) / norm

    def pulls_by_height(self, attention):
        """Return how the logarithms of exp(M) g change with M, where almost everything cancels; shape (n,)."""
        margins = attention.signs * attention.logits
        # y ∂f/∂M - 1, a sum over tokens: the relevant ones have exactly y·by_lead = 1.
        excess = attention.counts.reduce(attention.attention * (self.of_entries(self.by_lead) - 1), "sum")
        return sigmoid(-margins) - sigmoid(margins) * excess

    def of_entries(self, of_tokens):
        """Return y times what belongs to a token, for every entry of the counts."""
        counts = CountMatrix.of(self.corpus, of_tokens)
        return like(self.corpus.signs, of_tokens)[counts.rows] * of_tokens[counts.columns]

    def output_vectors(self, points):
        """Return v at the points."""
        start = self.parameters.numpy()
        return start.output_vector + points[:, self.dim :] @ self.frame.T @ start.embeddings
