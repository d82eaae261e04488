"""The gradient flow of p and v together, with E fixed, up to log t = 1e30.

In x = log(1 + τ), τ = log(t + e^τ₀), with T_X = e^τ g_X, it is

    dp/dx = (1 + τ) Σ μ_X T_X y Σ_s Q_s (γ_s - f) E_s,      dv/dx = (1 + τ) Σ μ_X T_X y Σ_s Q_s E_s.

Attention closes like a power of τ, so floats hold it. What they do not hold is yf - τ, on which T depends. So v is written as
τ v̂ + w, and y E_s·v̂ - 1 is kept apart, with exact zeros where the shortest head v̂ touches. A point holds one number a token
for p and for w, p = p(0) + Σ b_s E_s and w = w(0) + Σ c_s E_s: only the products of rows enter, and what a token receives is a
sum over its own texts, so no rounding at τ = 1e30 runs along directions that nothing holds.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import integrate, linalg, optimize

import tokensel_nb as ts

MOST = 6_000  # velocities that one call may ask for; a few hundred do where attention closes
WAYS = (("BDF", 1e-8), ("BDF", 1e-7), ("BDF", 1e-6), ("Radau", 1e-6))  # solvers and local errors; rounding can stop the finest
TOUCHES = 1e-11  # a margin that rounding leaves this near to 1 is 1
LARGEST = 600.0  # logarithms are cut there


class Unfollowed(RuntimeError):
    """No solver follows the flow as far as was asked."""


@dataclass(frozen=True)
class Head:
    """The shortest v̂ with y z_X·v̂ ≥ 1: v̂ = Σ_X λ_X y z_X."""

    vector: np.ndarray
    multipliers: np.ndarray  # one a text
    margins: np.ndarray  # y z_X·v̂, exactly 1 where a multiplier is positive


def shortest(rows):
    """Return the shortest vector with ``rows @ vector >= 1`` and its multipliers; None, None if there is none."""
    columns = np.vstack([rows.T, np.ones(len(rows))])
    wanted = np.eye(len(columns))[-1]
    multipliers, _ = optimize.nnls(columns, wanted, maxiter=10_000)
    short = (wanted - columns @ multipliers)[-1]  # 1/(1 + ‖vector‖²), if there is one
    if short < 1e-12:
        return None, None
    # Once more from the rows that hold with equality, to full precision, unless these are dependent and rounding spoils them.
    held, multipliers = multipliers > 0, multipliers / short
    rough, vector = rows.T @ multipliers, np.linalg.lstsq(rows[held], np.ones(held.sum()))[0]
    if (rows @ vector).min() < 1 - 1e-9 or np.linalg.norm(vector) > (1 + 1e-9) * np.linalg.norm(rough):
        return rough, multipliers
    polished = multipliers.copy()
    polished[held] = np.linalg.lstsq(rows[held].T, vector)[0]
    return vector, polished if polished.min() >= 0 else multipliers


def head_of(rows, signs, attention) -> Head | None:
    """Return the shortest head of given attention, of shape (n, |S|); None if none has all margins. Alike texts share λ."""
    texts, place, sizes = np.unique(signs[:, None] * attention, axis=0, return_inverse=True, return_counts=True)
    vector, multipliers = shortest(texts @ rows)
    if vector is None:
        return None
    multipliers[multipliers < TOUCHES] = 0.0
    margins = texts @ rows @ vector
    margins = np.where((multipliers > 0) | (np.abs(margins - 1) < TOUCHES), 1.0, margins)[place.ravel()]
    return Head(vector, (multipliers / sizes)[place.ravel()], margins)


@dataclass(frozen=True)
class Point:
    """Where p and v are; ``log_time`` is τ, and v = τ v̂ + ``ring``."""

    log_time: float
    query: np.ndarray
    ring: np.ndarray
    output: np.ndarray
    attention: np.ndarray  # of shape (n, |S|)
    margins: np.ndarray  # y f(X) - τ, one a text
    losses: np.ndarray  # one a text


class HeadFlow:
    """The flow from a start, in coordinates that a chosen head v̂ spans; any v̂ gives the same flow."""

    def __init__(self, corpus: ts.Corpus, start: ts.Parameters, head: Head | None = None, attention=None, begin=0.0):
        # ``attention`` is the one that ``head`` belongs to, ``begin`` τ₀.
        self.corpus, self.start, self.begin = corpus, start, begin
        self.signs, self.weights = corpus.signs, corpus.mean_weights
        with np.errstate(divide="ignore"):
            self.log_counts = np.log(corpus.counts.toarray())
        rows = start.embeddings
        self.gram, self.scores = rows @ rows.T, rows @ start.cls_embedding
        if head is None:
            self.split(np.zeros(len(rows)))
        else:
            self.split((head.multipliers * self.signs) @ attention, (attention == 1) & (head.margins == 1)[:, None])

    def split(self, lifts, exact=False):
        """Write v as τ v̂ + w, v̂ = Σ ``lifts``_s E_s, where entries of texts with y E_s·v̂ = 1 are known to be ``exact``."""
        rows = self.start.embeddings
        self.lifts, self.vector = lifts, lifts @ rows
        self.leads = rows @ self.vector
        self.excess = np.where(exact, 0.0, self.signs[:, None] * self.leads - 1)
        self.ring = self.start.output_vector - self.begin * self.vector
        self.rest = rows @ self.ring

    def at(self, x, point):
        """Return everything about attention at a point, text by text."""
        size, time = len(self.gram), np.expm1(x)
        score, rest = self.scores + self.gram @ point[:size], self.rest + self.gram @ point[size:]
        logits = score + self.log_counts
        logits -= logits.max(axis=1, keepdims=True)
        attention = np.exp(logits)
        attention /= attention.sum(axis=1, keepdims=True)
        every, top = np.arange(len(logits)), attention.argmax(axis=1)
        values = time * self.leads + rest
        below = values - values[top][:, None]
        moved = (attention * below).sum(axis=1)
        short = -time * self.excess[every, top] - self.signs * (rest[top] + moved)  # τ - yf
        pulls = attention * (below - moved[:, None])
        pulls[every, top] = 0.0
        pulls[every, top] = -pulls.sum(axis=1)
        logit = time - short
        log_pull = short - np.logaddexp(0, -logit)  # log T
        pulled = self.weights * np.exp(np.minimum(log_pull, LARGEST))
        return attention, pulls, pulled, short, logit

    def velocity(self, x, point):
        """Return d(b, c)/dx."""
        self.evaluations += 1
        if self.evaluations > MOST:
            raise RuntimeError(f"the solver takes too many steps, at log(1 + τ) = {x:.3g}")
        attention, pulls, pulled, *_ = self.at(x, point)
        signed = pulled * self.signs
        return np.exp(x) * np.concatenate([signed @ pulls, signed @ attention - self.lifts])

    def jacobian(self, x, point):
        """Return the derivative of the velocity by the point."""
        attention, pulls, pulled, _, logit = self.at(x, point)
        signed, curved = pulled * self.signs, pulled / (1 + np.exp(np.clip(-logit, -LARGEST, LARGEST)))
        mixed = (signed[:, None] * attention).T @ attention
        by_value = np.diag(signed @ attention) - mixed - (curved[:, None] * attention).T @ pulls
        crossed = (signed[:, None] * attention).T @ pulls
        by_score = np.diag(signed @ pulls) - crossed - crossed.T - (curved[:, None] * pulls).T @ pulls
        of_values = -(curved[:, None] * attention).T @ attention
        return np.exp(x) * np.block(
            [[by_score @ self.gram, by_value.T @ self.gram], [by_value @ self.gram, of_values @ self.gram]]
        )

    def follow(self, log_times, ways=WAYS) -> list[Point]:
        """Return where p and v are at given τ, in ascending order; by the first way that SciPy's solvers get there."""
        for way in ways:
            try:
                return self._follow(np.log1p(np.concatenate([[self.begin], log_times])), *way)
            except (RuntimeError, ValueError) as error:  # ValueError: of a matrix that is not finite
                failure = error
        raise Unfollowed(str(failure)) from failure

    def _follow(self, times, method, tolerance):
        """Return the same by one solver."""
        self.evaluations = 0
        options = dict(jac=self.jacobian, t_eval=times[1:], rtol=tolerance, atol=tolerance)
        with np.errstate(all="ignore"), warnings.catch_warnings():  # trial points of the solver may lie anywhere
            warnings.simplefilter("ignore", linalg.LinAlgWarning)
            solved = integrate.solve_ivp(self.velocity, (times[0], times[-1]), np.zeros(2 * len(self.gram)), method, **options)
        if not solved.success:
            raise RuntimeError(solved.message)
        return [self.point(x, point) for x, point in zip(times[1:], solved.y.T)]

    def point(self, x, coordinates) -> Point:
        """Return a point in full."""
        rows, size = self.start.embeddings, len(self.gram)
        attention, _, _, short, logit = self.at(x, coordinates)
        query = self.start.cls_embedding + coordinates[:size] @ rows
        ring = self.ring + coordinates[size:] @ rows
        time = np.expm1(x)
        return Point(time, query, ring, time * self.vector + ring, attention, -short, np.logaddexp(0, -logit))


def follow(corpus: ts.Corpus, start: ts.Parameters, log_times, ways=WAYS) -> list[Point]:
    """Return where p and v are at given τ, up to some 1e8, whatever attention does: once a decade v̂ becomes dv/dτ."""
    found, point, begin = [], None, 0.0
    for stop in np.unique(np.concatenate([10.0 ** np.arange(np.log10(log_times[-1])), log_times])):
        flow = HeadFlow(corpus, start, begin=begin)
        if point is not None:
            pulled = flow.weights * flow.signs * np.exp(-point.margins - point.losses)
            flow.split(pulled @ point.attention)
        (point,) = flow.follow([stop], ways)
        start, begin = ts.Parameters(start.embeddings, point.query, point.output), stop
        found += [point] * int(stop in log_times)
    return found
