"""Checks of the exercises in 03_flow."""

from itertools import combinations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from ...corpus import Corpus
from ...margin import max_margin
from ...model import gradients, loss
from ...parameters import Parameters
from .answers import close, compare, exercise, parameters, slopes, texts


def separable(random):
    """Return embeddings, and pairs (a selected token, one of its text's others) that a direction can keep apart."""
    E, axis = random.normal(size=(6, 8)), np.eye(8)[0]
    E[:3] += 3 * axis
    return E, np.array([(s, other) for s in range(3) for other in range(3, 6)])


def shortest_query(D):
    """Return the shortest p by which every pair leads by 1, and the factors of its sum (Lawson and Hanson)."""
    rows, last = np.vstack([D.T, np.ones(len(D))]), np.eye(D.shape[1] + 1)[-1]
    found = nnls(rows, last)[0]
    rest = rows @ found - last
    return -rest[:-1] / rest[-1], -found / rest[-1]


def other_choices(D):
    """Yield what is wrong with the queries that give one or two of the differences leads of exactly 1."""
    for which in [*combinations(range(4), 1), *combinations(range(4), 2)]:
        leads = D @ (p := np.linalg.pinv(D[list(which)]) @ np.ones(len(which)))
        short = f"row {leads.argmin() + 1} leads by {leads.min():.2f} only."
        problem = short if leads.min() < 1 - 1e-9 else "a factor is negative, so a shorter query exists."
        yield f"You used {' and '.join(f'row {k + 1}' for k in which)}: {problem}", p


@exercise("ex-by-hand", "p", "factors")
def by_hand(shortest, random):
    page = np.array([[1.1, 1.0], [2.1, 1.1], [-0.6, 1.5], [0.4, 1.6]])
    angles = random.uniform(-1.2, 1.2, (5, 4)) + random.uniform(0, 6)
    drawn = random.uniform(0.5, 2, (5, 4, 1)) * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    for D in [page, *drawn]:
        p, factors = shortest(D)
        wanted, of_sum = shortest_query(D)
        mistakes = {
            "That is its direction, of length one.": wanted / np.linalg.norm(wanted),
            "That is right for the page. Other differences have another shortest query.": (2 / 9, 34 / 45),
        }
        yield from compare(p, wanted, mistakes | dict(other_choices(D)))
        yield from compare(factors, of_sum, {"These are the leads.": D @ wanted})


@exercise("ex-hypotheses", values=True)
def hypotheses(a, b, c, d, e, f, random):
    reasons = {
        "a": ("yes", a, "Do two texts there pull against each other? Does any word move?"),
        "b": ("fixed", b, "Which parameters move?"),
        "c": ("flow", c, "Adam divides each coordinate of the gradient by a size of its own. Is that the path of the theorem?"),
        "d": ("clearest", d, "Compare the values in the fifth text. Is one larger than the other?"),
        "e": ("selects", e, "The first assumption holds there. What does attention do in bad the?"),
        "f": ("yes", f, "Which condition would fail? The theorem does not name the dimension."),
    }
    yield from (f"({case}) {reason}" for case, (right, given, reason) in reasons.items() if str(given) != right)


@exercise("ex-log-time")
def log_time(pace, lead, random):
    E, v = random.normal(size=(2, 3)), random.normal(size=3)
    D = E[0] - E[1]
    y, square = int(np.sign(D @ v)), D @ D
    at = Parameters(E, 20 * D / square, v)  # a lead of 20
    c = -gradients(at, Corpus(np.array([[1, 1]]), [y], ["r", "s"])).cls_embedding @ D * np.exp(20)
    mistakes = {
        "The lead moves with the query: multiply the pull by E_r - E_s.": c / square,
        "Is the length of E_r - E_s squared?": c / np.sqrt(square),
        "g is that of the verdict late, which is the value of the deciding word.": y * (D @ v) * square / 2,
    }
    yield from compare(pace(E, v, y), c, mistakes)
    for t in random.uniform(1, 50, 3):
        wanted = solve_ivp(lambda _, x: c * np.exp(-x), (0, t), [0.0], rtol=1e-9, atol=1e-9).y[0, -1]
        mistakes = {
            "At time 0 the lead is 0: something is to be added.": np.log(c * t),
            "The constant belongs inside of the logarithm.": c * np.log(1 + t),
            "The logarithm is the natural one.": np.log10(1 + c * t),
        }
        yield from compare(lead(t, c), wanted, mistakes)


@exercise("ex-pairs")
def pairs(by_pairs, random):
    often, gamma, E = random.integers(1, 9, size=5), random.normal(size=5), random.normal(size=(5, 3))
    drawn = np.repeat(np.arange(5), often)  # the covariance of value and embedding, over a list of tokens
    wanted = (gamma[drawn] - gamma[drawn].mean()) @ E[drawn] / len(drawn)
    Q = often / often.sum()
    first = sum(Q[s] * Q[t] * (gamma[s] - gamma[t]) * E[s] for t in range(5) for s in range(t))
    mistakes = {
        "Each pair is counted twice: take s < s', not all s and s'.": 2 * wanted,
        "E_s' is missing: a pair pulls along E_s - E_s'.": first,
    }
    yield from compare(by_pairs(Q, gamma, E), wanted, mistakes)


@exercise("ex-orthonormal", "a", "b")
def orthonormal(a_and_b, random):
    j = int(random.integers(5, 10))  # not the 4 of the page, nor 2, where a and b are alike
    texts = np.hstack([np.kron(np.eye(2, dtype=int), np.ones((2, 1), int)), np.ones((4, j), int)])
    corpus = Corpus(texts, [1, 1, -1, -1], [f"word {s}" for s in range(2 + j)])
    wanted = max_margin(np.eye(2 + j), corpus).direction
    a, b = a_and_b(j)
    mistakes = {
        "Exchange a and b.": (-wanted[2], wanted[0]),
        "That is j = 4: a and b depend on j.": (2 / 3, 1 / 3),
        "a + b is to be one.": (1.0, 2 / j),
        "A shorter p exists: the j irrelevant tokens share the work.": (0.5, 0.5),
    }
    yield from compare((a, b), (wanted[0], -wanted[2]), mistakes)


@exercise("ex-rate")
def rate(slope, random):
    E, pairs = separable(random)
    D = E[pairs[:, 0]] - E[pairs[:, 1]]
    p, _ = shortest_query(D)
    size = np.linalg.norm(p)
    missed = -np.min(D @ p / size)
    if close(slope(p), slope(2 * p)):
        yield "It must depend on p: a number of the chapter's page is that of one corpus."
    mistakes = {
        "The margin is one over the length of p*.": -size,
        "The logarithm is the natural one.": missed / np.log(10),
        "Where p grows, what is missed falls.": 1 / size,
        "That is the margin's square.": -1 / size**2,
    }
    yield from compare(slope(p), missed, mistakes, tolerance=1e-3)


@exercise("ex-query-alone")
def query_alone(followed, random):
    counts, signs = texts(random)
    corpus, step, steps = Corpus(counts, signs, list("abcd")), 0.2, int(random.integers(4, 9))
    E, p, v = parameters(random.normal(size=18))
    move = step * slopes(lambda at: loss(Parameters(E, at, v), corpus), p)
    one, before, all_of_them = (followed(E, p, v, counts, signs, step, many) for many in (1, steps - 1, steps))
    mistakes = {
        "The query follows the pull, which is minus the slope of the loss.": p + move,
        "After one step the query is still at the start.": p,
        "The loss is a mean over texts, not a sum.": p - len(signs) * move,
    }
    yield from compare(one, p - move, mistakes)
    mistakes = {
        "That is one step alone. The next begins where it ends.": one,
        "Every step took the slope of the start.": p - steps * move,
    }
    yield from compare(all_of_them, followed(E, before, v, counts, signs, step, 1), mistakes)
