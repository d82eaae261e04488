"""The gradient flow of p and v together, with E fixed, up to log t = 1e30.

In x = log(1 + τ), τ = log(t + e^τ₀), with T_X = e^τ g_X, it is

    dp/dx = (1 + τ) Σ μ_X T_X y Σ_s Q_s (γ_s - f) E_s,      dv/dx = (1 + τ) Σ μ_X T_X y Σ_s Q_s E_s.

Attention closes like a power of τ, so floats hold it. What they do not hold is yf - τ, on which T depends. So v is written as
τ v̂ + w, and y E_s·v̂ - 1 is kept apart, with exact zeros where the shortest head v̂ touches. A point holds one number a token
for p and for w, p = p(0) + Σ b_s E_s and w = w(0) + Σ c_s E_s: only the products of rows enter, and what a token receives is a
sum over its own texts, so no rounding at τ = 1e30 runs along directions that nothing holds.
"""

from collections import namedtuple

import numpy as np
from scipy import integrate, linalg, special

import tokensel_nb as ts
from tokensel_nb.margin import least_norm

MOST = 6_000  # velocities that one call may ask for; a few hundred do where attention closes
WAYS = (("BDF", 1e-8), ("BDF", 1e-7), ("BDF", 1e-6), ("Radau", 1e-6))  # solvers and local errors; rounding can stop the finest
TOUCHES = 1e-11  # a margin that rounding leaves this near to 1 is 1
LARGEST = 600.0  # logarithms are cut there


class Unfollowed(RuntimeError):
    """No solver follows the flow as far as was asked."""


class Undecided(Exception):
    """The hypotheses do not hold, or whether they do is not seen."""


# The shortest v̂ with y z_X·v̂ ≥ 1, v̂ = Σ_X λ_X y z_X: multipliers λ and margins y z_X·v̂, exactly 1 where v̂ touches.
Head = namedtuple("Head", "vector multipliers margins")
# Where p and v = τ v̂ + ring are at τ = log_time, with attention, y f(X) - τ and μ_X T_X of the texts.
Point = namedtuple("Point", "log_time query ring output attention margins pulls")


def head_of(rows, signs, attention):
    """Return the shortest head of given attention, of shape (n, |S|); None if none has all margins. Alike texts share λ."""
    texts, place, sizes = np.unique(signs[:, None] * attention, axis=0, return_inverse=True, return_counts=True)
    vector, multipliers = least_norm(texts @ rows)
    if vector is None:
        return None
    multipliers[multipliers < TOUCHES] = 0.0
    margins = texts @ rows @ vector
    margins[(multipliers > 0) | (np.abs(margins - 1) < TOUCHES)] = 1.0
    return Head(vector, (multipliers / sizes)[place.ravel()], margins[place.ravel()])


class HeadFlow:
    """The flow from a start at τ₀ = ``begin``, with v = τ v̂ + w; any v̂ = Σ ``lifts``_s E_s gives the same flow.

    Entries of texts with y E_s·v̂ = 1 are known to be ``exact``.
    """

    def __init__(self, corpus, start, lifts, exact=False, begin=0.0):
        self.start, self.lifts, self.begin, self.signs, self.weights = start, lifts, begin, corpus.signs, corpus.mean_weights
        with np.errstate(divide="ignore"):
            self.log_counts = np.log(corpus.counts.toarray())
        rows = start.embeddings
        self.gram, self.scores, self.vector = rows @ rows.T, rows @ start.cls_embedding, lifts @ rows
        self.leads = rows @ self.vector
        self.excess = np.where(exact, 0.0, self.signs[:, None] * self.leads - 1)
        self.ring = start.output_vector - begin * self.vector
        self.rest = rows @ self.ring

    def at(self, x, point):
        """Return everything about attention at a point, text by text."""
        size, time = len(self.gram), np.expm1(x)
        score, rest = self.scores + self.gram @ point[:size], self.rest + self.gram @ point[size:]
        logits = score + self.log_counts
        attention = np.exp(logits - logits.max(axis=1, keepdims=True))
        attention /= attention.sum(axis=1, keepdims=True)
        every, top = np.arange(len(logits)), attention.argmax(axis=1)
        values = time * self.leads + rest
        below = values - values[top][:, None]
        moved = (attention * below).sum(axis=1)
        short = -time * self.excess[every, top] - self.signs * (rest[top] + moved)  # τ - yf
        pulls = attention * (below - moved[:, None])
        pulls[every, top] = 0.0
        pulls[every, top] = -pulls.sum(axis=1)
        log_pull = short - np.logaddexp(0, short - time)  # log T
        return attention, pulls, self.weights * np.exp(np.minimum(log_pull, LARGEST)), short

    def velocity(self, x, point):
        """Return d(b, c)/dx."""
        self.evaluations += 1
        if self.evaluations > MOST:
            raise RuntimeError(f"the solver takes too many steps, at log(1 + τ) = {x:.3g}")
        attention, pulls, pulled, _ = self.at(x, point)
        signed = pulled * self.signs
        return np.exp(x) * np.concatenate([signed @ pulls, signed @ attention - self.lifts])

    def jacobian(self, x, point):
        """Return the derivative of the velocity by the point."""
        attention, pulls, pulled, short = self.at(x, point)
        signed, curved = pulled * self.signs, pulled * special.expit(np.expm1(x) - short)

        def sums(weights, one, other):
            return (weights[:, None] * one).T @ other

        by_value = np.diag(signed @ attention) - sums(signed, attention, attention) - sums(curved, attention, pulls)
        crossed = sums(signed, attention, pulls)
        by_score = np.diag(signed @ pulls) - crossed - crossed.T - sums(curved, pulls, pulls)
        of_both = np.block([[by_score, by_value.T], [by_value, -sums(curved, attention, attention)]])
        return np.exp(x) * of_both @ linalg.block_diag(self.gram, self.gram)

    def follow(self, log_times, ways=WAYS, failure=Unfollowed) -> list[Point]:
        """Return where p and v are at given τ, in ascending order; by the first way that SciPy's solvers get there."""
        (begin, *times), start = np.log1p([self.begin, *log_times]), np.zeros(2 * len(self.gram))
        for method, tolerance in ways:
            self.evaluations, options = 0, dict(jac=self.jacobian, t_eval=times, rtol=tolerance, atol=tolerance)
            try:
                with np.errstate(all="ignore"):  # trial points of the solver may lie anywhere
                    solved = integrate.solve_ivp(self.velocity, (begin, times[-1]), start, method, **options)
            except (RuntimeError, ValueError) as error:  # ValueError: of a matrix that is not finite
                reason = str(error)
                continue
            if solved.success:
                return [self.point(x, point) for x, point in zip(times, solved.y.T)]
            reason = solved.message
        raise failure(reason)

    def point(self, x, coordinates) -> Point:
        """Return a point in full."""
        of_query, of_ring = coordinates.reshape(2, -1) @ self.start.embeddings
        attention, _, pulled, short = self.at(x, coordinates)
        time, ring = np.expm1(x), self.ring + of_ring
        return Point(time, self.start.cls_embedding + of_query, ring, time * self.vector + ring, attention, -short, pulled)


def followed(corpus, start, attention, log_times, begin=0.0) -> list[Point]:
    """Return where p and v are at given τ, in the coordinates of the head that belongs to given attention."""
    head = head_of(start.embeddings, corpus.signs, attention)
    exact = (attention == 1) & (head.margins == 1)[:, None]
    return HeadFlow(corpus, start, (head.multipliers * corpus.signs) @ attention, exact, begin).follow(log_times)


def follow(corpus, start, log_times) -> list[Point]:
    """Return where p and v are at given τ, up to some 1e8, coarsely, whatever attention does: once a decade v̂ becomes dv/dτ."""
    found, begin, lifts = [], 0.0, np.zeros(corpus.vocab_size)
    for stop in np.unique(np.concatenate([10.0 ** np.arange(np.log10(log_times[-1])), log_times])):
        (point,) = HeadFlow(corpus, start, lifts, begin=begin).follow([stop], WAYS[2:3], Undecided)
        lifts, begin = (point.pulls * corpus.signs) @ point.attention, stop
        start = ts.Parameters(start.embeddings, point.query, point.output)
        found += [point] * int(stop in log_times)
    return found
