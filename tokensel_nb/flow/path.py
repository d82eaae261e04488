r"""Gradient flow on p: which tokens it selects, and in which direction p runs to infinity.

Only the path of dp/dt = -∇_p L matters here, so it is followed by its arc length s,

    dp/ds = -∇_p L / ‖∇_p L‖,

which is the same path, and needs the direction of a gradient that itself falls like exp(-margin ‖p‖). `sharp` computes it
at any norm. The path never leaves p(0) + span of the rows of E, so it is integrated in at most |S| coordinates, by an
implicit method whose steps grow with ‖p‖.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy import integrate
from tqdm import tqdm

from .alignment import predicted_values
from .assumption import complete_tokens, relevant_tokens
from .corpus import Corpus
from .max_margin import selection_mask
from .model import Parameters, gradients
from .sharp import SharpAttention

CANCELLED = 1e-8  # texts whose pulls on p cancel to less than this part of their size leave no direction worth following
NO_GRADIENT = (
    "the gradient is zero at the start: attention has nothing to choose between; take a step on E first "
    "(where that leaves all values equal, it stays zero)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Flow:
    """The path of p, recorded at m points.

    Parameters
    ----------
    arc_lengths : ndarray of float64, shape (m,)
        How far p has travelled; evenly spaced in log(1 + s).
    cls_embeddings : ndarray of float64, shape (m, dim)
        p at these points.
    log_gradient_norms : ndarray of float64, shape (m,)
        log ‖∇_p L‖.
    losses : ndarray of float64, shape (m,)
    log_missed : ndarray of float64, shape (m,)
        The logarithm of the largest attention that a text pays to tokens that are not selected; NaN without a selection.
    stalled : bool
        Whether the path ended early, where the pulls of different texts cancel to less than 1e-8 of their size: at a
        stationary point, or so near to one that rounding would choose the way; or the solver finds no step.
    """

    arc_lengths: np.ndarray
    cls_embeddings: np.ndarray
    log_gradient_norms: np.ndarray
    losses: np.ndarray
    log_missed: np.ndarray
    stalled: bool

    def __repr__(self):
        """Name where the path ends."""
        verb = "stalls" if self.stalled else "ends"
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
        """The unit vectors p/‖p‖ at every point, shape (m, dim); zero where p is."""
        return self.cls_embeddings / np.maximum(self.norms, np.finfo(float).tiny)[:, None]

    @property
    def smallest_attention(self):
        """The smallest attention that a text pays to its selected tokens, at every point, shape (m,)."""
        return -np.expm1(self.log_missed)

    def distance_to(self, direction):
        """Return 1 - cos of the angle between p and a direction at every point, exact however small.

        Parameters
        ----------
        direction : array, shape (dim,)
            Of any length but zero.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        unit = np.asarray(direction, np.float64) / np.linalg.norm(direction)
        return ((self.directions - unit) ** 2).sum(axis=1) / 2


def gradient_flow(
    parameters: Parameters, corpus: Corpus, arc_length: float = 1e6, *, selection=None, records: int = 200, tolerance=1e-8
) -> Flow:
    """Follow the gradient flow of p, with E and v fixed, over a given length of its path (mirrors Theorem 4.3).

    Integrated in float64 by backward differentiation formulas (scipy's BDF) with the exact second derivative, on the device
    of the parameters.

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
        The number m of recorded points.
    tolerance : float
        The local error of the solver, relative to the coordinates of p, and absolute where they are below 1.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError
        If a parameter is not finite, ``arc_length`` or ``tolerance`` is not positive, or no text holds two tokens of
        different value, so that the gradient is zero everywhere.
    """
    _positive("arc_length", arc_length)
    _positive("tolerance", tolerance)
    field = _Field(parameters, corpus, selection)
    where = np.expm1(np.linspace(0, np.log1p(arc_length), records))
    points, stationary = _integrate(field, where, tolerance)
    return field.record(where, points, stationary)


def normalised_steps(
    parameters: Parameters, corpus: Corpus, step_size: float, steps: int, *, selection=None, records: int = 200
) -> Flow:
    """Take gradient steps of a fixed length on p, in the dtype and on the device of the parameters: Euler's rule for the flow.

    For vocabularies too large for the second derivatives of `gradient_flow`: a step costs O(nnz(C) + |S| d). Steps that are
    too long zigzag about the path by about their length, so the angle to it falls like step_size/‖p‖ at the latest.

    Parameters
    ----------
    parameters : Parameters
        The start; numpy or torch.
    corpus : Corpus
        Two classes.
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
        If a parameter is not finite, ``step_size`` or ``steps`` is not positive, or the gradient is zero at the start.
    """
    _positive("step_size", step_size)
    _positive("steps", steps)
    tensors = _finite(parameters)
    values, rows, query = tensors.values, tensors.embeddings, tensors.cls_embedding.clone()
    wanted = np.unique(np.round(np.expm1(np.linspace(0, np.log1p(steps), records))).astype(int))
    recorder = _Recorder(corpus, selection, rows.device)
    for step in tqdm(range(steps + 1), desc="Stepping along the flow", unit="step", delay=2):
        attention = SharpAttention(rows @ query, values, corpus)
        array, unit = attention.by_score()
        gradient = rows.T @ array
        norm = gradient.norm()
        if not norm:
            break
        if step == wanted[len(recorder)]:
            recorder.add(step * step_size, query, float(norm.log()) + unit, attention)
        query -= step_size / norm * gradient
    if not len(recorder):
        raise ValueError(NO_GRADIENT)
    return recorder.flow(stalled=step < steps)


def limit_parameters(corpus: Corpus, learning_rate: float) -> Parameters:
    """Return parameters that behave as those after one step on E do for d → ∞ (the chapter on the flow says why).

    Rows of E⁰ become orthonormal and orthogonal to v, so E¹E¹ᵀ = I + γγᵀ with γ = (η₀/2) ᾱ, the values of `predicted_values`.
    The rows (e_s, γ_s) of length |S| + 1 have just these products, and v = (0, 1) these values: whatever is computed
    from the parameters alone, flow or margin, is then the limit itself.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    learning_rate : float
        η₀ of the step on E.

    Returns
    -------
    `Parameters`
        Of dim |S| + 1, with p = 0.
    """
    values = predicted_values(corpus, _positive("learning_rate", learning_rate))
    embeddings = np.column_stack([np.eye(len(values)), values])
    return Parameters(embeddings, np.zeros(len(values) + 1), np.eye(len(values) + 1)[-1])


def key_query_flow(parameters: Parameters, key_query, corpus: Corpus, arc_length: float = 1e6, **options) -> Flow:
    """Follow the gradient flow of a key-query matrix W in the model with scores E_s·W p, with E, v and p fixed.

    The gradient in W is (∇_q L) pᵀ, with q = W p. So q moves along the gradient flow of a <cls> embedding that starts at W p,
    only ‖p‖² times faster, and W along with it: see `key_query_at` (mirrors Lemma 1 of Tarzanagh et al.).

    Parameters
    ----------
    parameters : Parameters
        (E, p, v).
    key_query : array or tensor, shape (dim, dim)
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
        As in `gradient_flow`, or if p is zero, for then the gradient in W is.
    """
    _refuse_zero(parameters.cls_embedding)
    query = torch.as_tensor(key_query) @ torch.as_tensor(parameters.cls_embedding)
    tensors = Parameters(torch.as_tensor(parameters.embeddings), query, torch.as_tensor(parameters.output_vector))
    return gradient_flow(tensors, corpus, arc_length, **options)


def key_query_at(query: np.ndarray, key_query: np.ndarray, cls_embedding: np.ndarray) -> np.ndarray:
    """Return where W is when W p has reached q: W(0) + (q - W(0) p) pᵀ/‖p‖².

    Parameters
    ----------
    query : ndarray, shape (dim,)
        q, such as the end of a `key_query_flow`.
    key_query : ndarray, shape (dim, dim)
        W(0).
    cls_embedding : ndarray, shape (dim,)
        p, not zero.

    Returns
    -------
    ndarray, shape (dim, dim)

    Raises
    ------
    ValueError
        If ``cls_embedding`` is zero.
    """
    _refuse_zero(cls_embedding)
    return key_query + np.outer(query - key_query @ cls_embedding, cls_embedding) / (cls_embedding @ cls_embedding)


def output_flow(
    parameters: Parameters, corpus: Corpus, arc_length: float = 300.0, *, records: int = 200, tolerance=1e-8
) -> tuple[Flow, np.ndarray]:
    """Follow the gradient flow of p and v together, with E fixed, until p has travelled a given length.

    While ‖p‖ grows by one, ‖v‖ grows by a factor: like exp(margin ‖p‖ / 2). Soon no float holds both y f(X) and its
    differences between texts, on which the way of p depends. So v is written as M u + w with E_r·u = y for every relevant
    token r, and w apart: the differences come from w alone. This is a choice of coordinates; the flow is the exact one.

    Parameters
    ----------
    parameters : Parameters
        The start.
    corpus : Corpus
        Two classes; every text holds a relevant token.
    arc_length : float
        How far p travels.
    records, tolerance
        As in `gradient_flow`; on this stiffer path a coarser tolerance than the default leaves it to rounding where it ends.

    Returns
    -------
    (Flow, ndarray of float64 of shape (m, dim))
        The path of p, and v at the same points. The gradient norms are those of ∇_p L.

    Raises
    ------
    ValueError
        As in `gradient_flow`, or if a text has no relevant token, or their embeddings are linearly dependent.
    """
    _positive("arc_length", arc_length)
    _positive("tolerance", tolerance)
    field = _OutputField(parameters, corpus)
    where = np.expm1(np.linspace(0, np.log1p(arc_length), records))
    points, stalled = _integrate(field, where, tolerance)
    return field.record(where, points, stalled), field.output_vectors(points)


def joint_flow(parameters: Parameters, corpus: Corpus, times, *, tolerance=1e-11) -> list[Parameters]:
    """Follow the gradient flow of E, p and v together, in time itself, by an explicit Runge-Kutta method of order 8.

    Along it EᵀE - vvᵀ - ppᵀ does not change, for any corpus (the conservation law of the chapter on the flow): see `conserved`.

    Parameters
    ----------
    parameters : Parameters
        The start.
    corpus : Corpus
        Any number of classes.
    times : sequence of float, ascending, not negative
    tolerance : float
        Relative and absolute local error of the solver.

    Returns
    -------
    list of Parameters
        Numpy arrays of float64, one a time.

    Raises
    ------
    ValueError
        If a parameter is not finite, or ``times`` is not ascending from zero or later.
    """
    times = np.asarray(times, np.float64)
    if not (len(times) and times[0] >= 0 and (np.diff(times) >= 0).all()):
        raise ValueError("times must ascend, and begin at zero or later")
    start = Parameters(*(value.double().cpu().numpy() for value in vars(_finite(parameters)).values()))
    ends = np.cumsum([value.size for value in vars(start).values()])[:-1]

    def unpack(vector):
        return Parameters(*(part.reshape(value.shape) for part, value in zip(np.split(vector, ends), vars(start).values())))

    def velocity(_, vector):
        return -np.concatenate([part.ravel() for part in vars(gradients(unpack(vector), corpus)).values()])

    vector = np.concatenate([value.ravel() for value in vars(start).values()])
    solved = integrate.solve_ivp(velocity, (0.0, times[-1]), vector, "DOP853", t_eval=times, rtol=tolerance, atol=tolerance)
    return [unpack(vector) for vector in solved.y.T]


def conserved(parameters: Parameters) -> np.ndarray:
    """Return EᵀE - vvᵀ - ppᵀ, which gradient flow of all parameters keeps (the conservation law of chapter 3).

    Parameters
    ----------
    parameters : Parameters
        For K classes vvᵀ is the sum over the classes.

    Returns
    -------
    ndarray of float64, shape (dim, dim)
    """
    embeddings, query, outputs = (np.asarray(torch.as_tensor(x).cpu().double()) for x in vars(parameters).values())
    outputs = outputs.reshape(-1, len(query))
    return embeddings.T @ embeddings - outputs.T @ outputs - np.outer(query, query)


class _Field:
    """The normalised gradient field, in coordinates z of the span of the rows: p = rest + basis·z, scores = rows·z."""

    def __init__(self, parameters, corpus, selection):
        tensors = Parameters(*(value.double() for value in vars(_finite(parameters)).values()))
        self.corpus = corpus
        self.values = tensors.values
        self.selection = selection
        self.basis, self.rows = _span(tensors.embeddings)
        start = self.basis.T @ tensors.cls_embedding
        self.rest = tensors.cls_embedding - self.basis @ start
        self.start = start.cpu().numpy()
        self.size = float(self.rows.norm(dim=1).max())

    def at(self, point):
        """Return attention at a point."""
        return SharpAttention(self.rows @ self._tensor(point), self.values, self.corpus)

    def gradient(self, attention):
        """Return ∂L/∂z and its norm, in the unit of `SharpAttention.by_score`."""
        gradient = (self.rows.T @ attention.by_score().array).cpu().numpy()
        norm = np.linalg.norm(gradient)
        # The unit is such that the largest pull of a text on a token is 1/n.
        if norm * len(self.corpus) < CANCELLED * self.size:
            raise _Stalled
        return gradient, norm

    def velocity(self, _, point):
        """Return dz/ds, of length 1."""
        gradient, norm = self.gradient(self.at(point))
        return -gradient / norm

    def jacobian(self, _, point):
        """Return its derivative."""
        attention = self.at(point)
        gradient, norm = self.gradient(attention)
        curvature = attention.curvature(self.rows).cpu().numpy()
        unit = gradient / norm
        return (np.outer(unit, unit @ curvature) - curvature) / norm

    def record(self, where, points, stalled):
        """Return what is to be known of the points."""
        recorder = _Recorder(self.corpus, self.selection, self.values.device)
        for length, point in zip(where, points):
            attention = self.at(point)
            array, unit = attention.by_score()
            log_norm = float((self.rows.T @ array).norm().log()) + unit
            recorder.add(length, self.rest + self.basis @ self._tensor(point)[: self.rows.shape[1]], log_norm, attention)
        return recorder.flow(stalled)

    def _tensor(self, array):
        return torch.as_tensor(array).to(self.values.device)


class _OutputField(_Field):
    """The field of p and v together. A point holds z, then M, then w: v = v(0) + Eᵀ(M u + U w).

    U holds an orthonormal basis of what is orthogonal to u, token by token where u is zero. So the numbers that grow
    without end all are in M, and no rounding of theirs blurs w.
    """

    def __init__(self, parameters, corpus):
        super().__init__(parameters, corpus, None)
        selection_mask(corpus, None)  # says which text has no relevant token
        complete = self._tensor(complete_tokens(corpus).astype(float))
        relevant = complete != 0
        self.gram = self.rows @ self.rows.T
        self.lead = torch.zeros_like(complete)
        self.lead[relevant] = torch.linalg.lstsq(self.gram[relevant][:, relevant], complete[relevant, None]).solution[:, 0]
        self.by_lead = self.gram @ self.lead
        if (self.by_lead - complete)[relevant].abs().max() > 1e-9:
            raise ValueError("the embeddings of the relevant tokens are linearly dependent; give more dimensions")
        self.by_lead[relevant] = complete[relevant]  # exactly: these are the numbers whose differences matter
        inner = torch.linalg.qr(self.lead[relevant, None], mode="complete").Q[:, 1:]
        outer = torch.eye(len(complete), dtype=self.lead.dtype, device=self.lead.device)
        others = outer[:, relevant] @ inner
        self.frame = torch.hstack([self.lead[:, None], others, outer[:, ~relevant]])
        self.inverse = torch.vstack([self.lead / (self.lead @ self.lead), self.frame[:, 1:].T])
        self.by_rest = self.gram @ self.frame[:, 1:]
        self.columns = self._tensor(corpus.counts.indices.astype(np.int64))
        self.labels = self._tensor(np.repeat(corpus.labels, np.diff(corpus.counts.indptr)).astype(float))
        self.dim = len(self.start)
        self.tensors = parameters
        self.start = np.concatenate([self.start, np.zeros(len(complete))])

    def at(self, point):
        """Return attention at a point, with all gradients those of exp(M) L."""
        point = self._tensor(point)
        height, of_rest = point[self.dim], self.values + self.by_rest @ point[self.dim + 1 :]
        excess = self.labels * of_rest[self.columns] + height * (self.labels * self.by_lead[self.columns] - 1)
        return SharpAttention(self.rows @ point[: self.dim], height * self.by_lead + of_rest, self.corpus, excess)

    def velocity(self, _, point):
        """Return d(z, M, w)/ds: p has speed 1, v the speed that belongs to it."""
        attention = self.at(point)
        gradient, norm = self.gradient(attention)
        by_value = attention.by_value()
        weights = -self.speed(attention, norm) * by_value.array
        return np.concatenate([-gradient / norm, (self.inverse @ weights).cpu().numpy()])

    def jacobian(self, _, point):
        """Return its derivative."""
        attention = self.at(point)
        gradient, norm = self.gradient(attention)
        unit = self._tensor(gradient / norm)
        by_value, speed = attention.by_value().array, self.speed(attention, norm)
        every = torch.eye(len(by_value), dtype=unit.dtype, device=unit.device)
        mixed, of_values = attention.mixed_curvature(self.rows, every, attention.pulls_along(every))
        by_height, values_by_height = attention.mixed_curvature(
            self.rows, self.by_lead[:, None], self._pulls_by_height(attention)
        )
        by_point = torch.hstack([attention.curvature(self.rows), by_height, mixed @ self.by_rest])
        along = unit @ by_point / norm  # the relative change of ‖∂L/∂z‖
        of_query = torch.outer(unit, along) - by_point / norm
        values_by_point = torch.hstack([mixed.T / (speed * norm), values_by_height, of_values @ self.by_rest])
        of_weights = speed * (torch.outer(by_value, along) - values_by_point)
        return torch.vstack([of_query, self.inverse @ of_weights]).cpu().numpy()

    def speed(self, attention, norm):
        """Return the unit of ∂L/∂γ over ‖∂L/∂z‖."""
        return np.exp(attention.by_value().log_unit - attention.log_unit) / norm

    def _pulls_by_height(self, attention):
        """Return how the logarithms of exp(M) g change with M, where almost everything cancels; shape (n, 1)."""
        counts, margins = attention.counts, attention.labels * attention.logits
        labels = attention.labels[counts.rows]
        # y ∂f/∂M - 1, a sum over tokens: the relevant ones have exactly y·by_lead = 1.
        excess = torch.segment_reduce(
            attention.attention * (labels * self.by_lead[counts.columns] - 1), "sum", offsets=counts.row_ends, initial=0
        )
        return (torch.sigmoid(-margins) - torch.sigmoid(margins) * excess)[:, None]

    def output_vectors(self, points):
        """Return v at the points."""
        points = self._tensor(np.array(points))
        weights = points[:, self.dim :] @ self.frame.T
        start, rows = (torch.as_tensor(x).double() for x in (self.tensors.output_vector, self.tensors.embeddings))
        return (start + weights @ rows).cpu().numpy()


class _Stalled(Exception):
    """There is no gradient to follow."""


class _Recorder:
    """Collects the points of a `Flow`."""

    def __init__(self, corpus, selection, device):
        self.selected = torch.as_tensor(_selected_entries(corpus, selection)).to(device)
        self.points = []

    def __len__(self):
        return len(self.points)

    def add(self, length, query, log_norm, attention):
        """Record one point."""
        query = query.double().cpu().numpy()
        self.points.append((length, query, log_norm, attention.loss(), attention.log_missed(self.selected)))

    def flow(self, stalled):
        """Return all points."""
        return Flow(*map(np.array, zip(*self.points)), stalled)


def _integrate(field, where, tolerance):
    """Return the points of the path at the given arc lengths, and whether it stalled before the last."""
    points = [field.start]
    try:
        solver = _solver(field, 0.0, field.start, where[-1], tolerance)
    except _Stalled:
        raise ValueError(NO_GRADIENT) from None
    begun = 0.0
    with tqdm(total=len(where), initial=1, desc="Following the flow", unit="point", delay=2) as progress:
        while len(points) < len(where):
            try:
                # SciPy's BDF begins with memory that nothing was written to, and never uses what it computes of it.
                with np.errstate(invalid="ignore", over="ignore"):
                    solver.step()
                if solver.status == "failed" and solver.t > begun:
                    # A history of steps that no longer fits, on a stiff path: begin anew, once at any one point.
                    begun = solver.t
                    solver = _solver(field, begun, solver.y, where[-1], tolerance)
                    continue
            except _Stalled:
                return points, True
            if solver.status == "failed":
                return points, True
            between, passed = solver.dense_output(), where[len(points) :]
            passed = passed[passed <= solver.t]
            points += [between(length) for length in passed]
            progress.update(len(passed))
    return points, False


def _solver(field, begin, point, end, tolerance):
    options = dict(rtol=tolerance, atol=tolerance, jac=field.jacobian, first_step=min(1e-3, end - begin))
    return integrate.BDF(field.velocity, begin, point, end, **options)


def _span(rows):
    """Return an orthonormal basis (dim, k) of a space that holds all rows, and the rows in it, shape (vocab_size, k)."""
    vocab_size, dim = rows.shape
    if vocab_size >= dim:
        return torch.eye(dim, dtype=rows.dtype, device=rows.device), rows
    basis, triangle = torch.linalg.qr(rows.T)
    return basis, triangle.T.contiguous()


def _selected_entries(corpus, selection):
    """Tell for every entry of the counts whether it is a selected token of its text."""
    mask = relevant_tokens(corpus) if selection is None else selection_mask(corpus, selection)
    counts = corpus.counts
    rows = np.repeat(np.arange(len(corpus)), np.diff(counts.indptr))
    return np.asarray(mask.tocsr()[rows, counts.indices]).ravel().astype(bool)


def _finite(parameters):
    """Return the parameters as tensors, or say which is not finite."""
    tensors = Parameters(*(torch.as_tensor(value).detach() for value in vars(parameters).values()))
    for name, value in vars(tensors).items():
        if not value.isfinite().all():
            raise ValueError(f"{name} holds a value that is not finite; replace it")
    return tensors


def _refuse_zero(cls_embedding):
    if not np.any(np.asarray(torch.as_tensor(cls_embedding).cpu())):
        raise ValueError("cls_embedding is zero, so the gradient in the key-query matrix is; give another p")


def _positive(name, value):
    if not value > 0:
        raise ValueError(f"{name}={value}; give a number above zero")
    return value
