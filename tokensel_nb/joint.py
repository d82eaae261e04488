"""Gradient flow of more than p: of p and v together, of a key-query matrix, and of all parameters in time."""

from __future__ import annotations

import numpy as np
from scipy import integrate

from .arrays import threads_for, to_numpy
from .assumption import complete_tokens
from .flow import Field, Flow, gradient_flow
from .margin import selection_mask
from .model import exact_parameters, gradients, sigmoid, softplus
from .parameters import Parameters
from .sharp import SharpAttention


def output_flow(parameters, corpus, arc_length=300.0, *, records=200, tolerance=1e-8) -> tuple[Flow, np.ndarray]:
    """Follow the gradient flow of p and v together, with E fixed, until p has travelled a given length.

    While ‖p‖ grows by one, ‖v‖ grows by a factor: like exp(margin ‖p‖ / 2). Soon y f(X) is so large that floats lose its
    differences between texts, on which the path of p depends. So v is written as M u + w, with E_r·u = y for every relevant
    token r. Then the differences come from w alone. This is only a choice of coordinates; the flow is exact.

    Parameters
    ----------
    parameters, corpus, arc_length
        As in `gradient_flow`; every text contains a relevant token.
    records, tolerance
        As in `gradient_flow`. This path is stiffer: with a larger tolerance than the default, rounding decides where it ends.

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


def key_query_flow(parameters, key_query, corpus, arc_length=1e6, **options) -> Flow:
    """Follow the gradient flow of a key-query matrix W in the model with scores E_s·W p, with E, v and p fixed.

    The gradient in W is (∇_q L) pᵀ, with q = W p. So q follows the gradient flow of a <cls> embedding that starts at W p, but
    ‖p‖² times faster, and W moves with it: see `key_query_at` (mirrors Lemma 1 of Tarzanagh et al.).

    Parameters
    ----------
    parameters : Parameters
        (E, p, v).
    key_query : array, shape (dim, dim)
        W at the start.
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
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0)._replace(cls_embedding=np.ones(4))
    >>> ts.key_query_flow(start, np.eye(4), corpus, 100.0, records=2).cls_embeddings[0]
    array([1., 1., 1., 1.])
    """
    exact = exact_parameters(parameters, corpus)
    if not exact.cls_embedding.any():
        raise ValueError("cls_embedding is zero, and so is the gradient in the key-query matrix; give a nonzero p")
    query = to_numpy(key_query).astype(float) @ exact.cls_embedding
    return gradient_flow(exact._replace(cls_embedding=query), corpus, arc_length, **options)


def key_query_at(query, key_query, cls_embedding):
    """Return W when W p reaches q: W(0) + (q - W(0) p) pᵀ/‖p‖².

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
    ndarray of float64, shape (dim, dim)

    Examples
    --------
    >>> key_query_at(np.array([3.0, 0.0]), np.zeros((2, 2)), np.array([0.0, 2.0]))
    array([[0. , 1.5],
           [0. , 0. ]])
    """
    query, key_query, p = (to_numpy(array).astype(float) for array in (query, key_query, cls_embedding))
    return key_query + np.outer(query - key_query @ p, p) / (p @ p)


def joint_flow(parameters, corpus, times, *, tolerance=1e-11) -> list[Parameters]:
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
        One per time; numpy arrays of float64.

    Raises
    ------
    ValueError
        If a parameter is not finite or has the wrong shape, or ``times`` do not ascend from zero or later.
    RuntimeError
        If the solver's step would miss its tolerance, or the gradient overflows.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> before, after = ts.joint_flow(start, corpus, [0.0, 10.0])
    >>> bool(ts.loss(after, corpus) < ts.loss(before, corpus))
    True
    """
    start, times = exact_parameters(parameters, corpus), to_numpy(times).astype(float)
    if not (len(times) and times[0] >= 0 and (np.diff(times) >= 0).all()):
        raise ValueError(f"times are {times.tolist()!r:.80}; give ascending times from zero or later")
    ends = np.cumsum([array.size for array in start])[:-1]

    def packed(parameters):
        return np.concatenate([array.ravel() for array in parameters])

    def unpacked(vector):
        return Parameters(*(part.reshape(array.shape) for part, array in zip(np.split(vector, ends), start)))

    def velocity(_, vector):
        try:
            return -packed(gradients(unpacked(vector), corpus))
        except ValueError as error:  # otherwise SciPy would never stop
            raise RuntimeError(f"the gradient overflows; start from smaller parameters ({error})") from None

    begin = packed(start)
    with threads_for(begin.size):
        solved = integrate.solve_ivp(velocity, (0, times[-1]), begin, "DOP853", times, rtol=tolerance, atol=tolerance)
    if not solved.success:
        raise RuntimeError(f"the solver failed after {len(solved.t)} of {len(times)} times; start from smaller parameters")
    return [unpacked(vector.copy()) for vector in solved.y.T]


def conserved(parameters) -> np.ndarray:
    """Return EᵀE - vvᵀ - ppᵀ, which stays the same along the gradient flow of all parameters.

    Parameters
    ----------
    parameters : Parameters
        For K classes vvᵀ is the sum over the classes.

    Returns
    -------
    ndarray of float64, shape (dim, dim)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> conserved(ts.Parameters(np.eye(2), np.array([2.0, 0.0]), np.array([0.0, 1.0])))
    array([[-3.,  0.],
           [ 0.,  0.]])
    """
    embeddings, *others = (np.atleast_2d(to_numpy(array).astype(float)) for array in parameters)
    return embeddings.T @ embeddings - sum(rows.T @ rows for rows in others)


class OutputField(Field):
    """The field of p and v together. A point holds z, then M, then w: v = v(0) + Eᵀ(M u + U w)."""

    # U is an orthonormal basis of the complement of u, token by token where u is zero. So all numbers that grow without bound
    # are in M, and their rounding does not blur w.

    def __init__(self, parameters, corpus):
        super().__init__(parameters, corpus)
        selection_mask(corpus)  # a ValueError names a text without a relevant token
        gram, complete = self.rows @ self.rows.T, complete_tokens(corpus).astype(float)
        relevant, lead, self.every = complete != 0, np.zeros(len(complete)), np.eye(len(complete))
        lead[relevant] = np.linalg.lstsq(gram[np.ix_(relevant, relevant)], complete[relevant])[0]
        self.by_lead = gram @ lead
        if np.abs(self.by_lead - complete)[relevant].max() > 1e-9:
            raise ValueError("the embeddings of the relevant tokens are linearly dependent; give more dimensions")
        self.by_lead[relevant] = complete[relevant]  # exactly, because the differences of these numbers matter
        inner = np.linalg.qr(lead[relevant, None], mode="complete").Q[:, 1:]
        others = np.hstack([self.every[:, relevant] @ inner, self.every[:, ~relevant]])
        self.frame = np.column_stack([lead, others])
        self.inverse = np.vstack([lead / (lead @ lead), others.T])
        self.by_rest, self.dim = gram @ others, len(self.start)
        self.start = np.concatenate([self.start, np.zeros(len(complete))])

    def at(self, point):
        """Return attention at a point; its gradients are those of exp(M) L."""
        height, of_rest = point[self.dim], self.values + self.by_rest @ point[self.dim + 1 :]
        excess = self.of_entries(of_rest) + height * (self.of_entries(self.by_lead) - 1)
        return SharpHead(self.rows @ point[: self.dim], height * self.by_lead + of_rest, self.corpus, excess)

    def velocity(self, _, point):
        """Return d(z, M, w)/ds: p has speed 1, v the corresponding speed."""
        attention, gradient, norm = self.pull(point)
        by_value, speed = self.by_value(attention, norm)
        return np.concatenate([-gradient / norm, -speed * (self.inverse @ by_value)])

    def jacobian(self, _, point):
        """Return its derivative."""
        attention, gradient, norm = self.pull(point)
        by_value, speed = self.by_value(attention, norm)
        pulls = np.column_stack([attention.pulls_along(self.every), self.pulls_by_height(attention)])
        moves = attention.mixed_curvature(self.rows, np.column_stack([self.every, self.by_lead]), pulls)
        # Columns for the value of every token become columns for M and w.
        mixed, of_values = (np.column_stack([move[:, -1], move[:, :-1] @ self.by_rest]) for move in moves)
        by_point = np.column_stack([attention.curvature(self.rows), mixed])
        values_by_point = np.column_stack([moves[0][:, :-1].T / (speed * norm), of_values])
        along = gradient @ by_point / norm**2  # the relative change of ‖∂L/∂z‖
        of_query = np.outer(gradient / norm, along) - by_point / norm
        return np.vstack([of_query, speed * (self.inverse @ (np.outer(by_value, along) - values_by_point))])

    def by_value(self, attention, norm):
        """Return ∂L/∂γ in its unit, and that unit over ‖∂L/∂z‖."""
        array, log_unit = attention.by_value()
        return array, np.exp(log_unit - attention.log_unit) / norm

    def pulls_by_height(self, attention):
        """Return how the logarithms of exp(M) g change with M, where almost everything cancels; shape (n,)."""
        margins = attention.signs * attention.logits
        # y ∂f/∂M - 1, a sum over tokens: the relevant ones have exactly y·by_lead = 1.
        excess = attention.counts.each(np.add, attention.attention * (self.of_entries(self.by_lead) - 1))
        return sigmoid(-margins) - sigmoid(margins) * excess

    def of_entries(self, of_tokens):
        """Return y times what belongs to a token, for every entry of the counts."""
        counts = self.corpus.operator
        return self.corpus.signs[counts.rows] * of_tokens[counts.columns]

    def output_vectors(self, points):
        """Return v at the points."""
        return self.parameters.output_vector + points[:, self.dim :] @ self.frame.T @ self.parameters.embeddings


class SharpHead(SharpAttention):
    """Sharp attention whose values move as well, and may grow beyond the digits of their differences."""

    # ``excess`` is y γ_s - M of every entry, for some number M common to all. It holds the digits behind the point where y γ_s
    # is so large that the values do not; `log_pulls`, and with it all units, are those of exp(M) L.
    def __init__(self, scores, values, corpus, excess):
        self.excess = excess
        super().__init__(scores, values, corpus)

    def _log_pulls(self, moved):
        return -(self._of_tops(self.excess) + self.signs * moved) - softplus(-self.signs * self.logits)

    def mixed_curvature(self, rows, columns, pulls):
        """Return how the gradients in z, with scores a = rows·z, and in γ change while values move along columns."""
        # ``pulls`` are those of `pulls_along`; the results, of shapes (k, m) and (vocab_size, m), have the units of `by_score`
        # and `by_value`.
        times = self._times
        # Here values move, and ties with them: the unit of a text is its second largest weight, whatever its value.
        unit, small = self._unit(~self.top)
        pulling = np.where(self.log_scales > -np.inf, self.log_pulls + unit - self.log_unit, -np.inf)
        of_score = self._slopes(pulling)
        # The covariance of rows and columns under the attention of a text, in its unit.
        tops = np.where(self.top, self.attention, 0)
        diagonal = small + tops * self.counts.each(np.add, small)[self.rows]  # what is no product of two sums over the text
        by_token = self._sum_by_token(of_score, diagonal)
        small_columns = of_score[:, None] * times(small, columns)
        of_both = of_score[:, None] * times(tops, columns) + np.exp(unit)[:, None] * small_columns
        by_score = rows.T @ (by_token[:, None] * columns)
        by_score -= times(tops, rows).T @ small_columns + times(small, rows).T @ of_both
        by_score += times(self.tangents, rows).T @ (self._slopes(self.log_scales)[:, None] * pulls)
        of_value = self._slopes(self.log_pulls - self.log_pulls.max())
        return by_score, self.counts.with_entries(self.attention).matrix.T @ (of_value[:, None] * pulls)

    def pulls_along(self, columns):
        """Return how the logarithms of the pulls change, shape (n, m), while the values move along columns (vocab_size, m)."""
        rest = sigmoid(self.signs * self.logits)  # 1 - g
        return -(rest * self.signs)[:, None] * self._times(self.attention, columns)
