"""Checks of the exercises in 13_tug_of_war."""

import numpy as np

from .answers import close, compare, exercise, shaped


@exercise("ex-competition")
def competition(largest, lost_from, random):
    k, G = int(random.integers(2, 9)), random.uniform(0.5, 3)
    sizes = np.linspace(0, 2 * G, 2_001)
    terms = sizes * np.maximum(G - sizes, 0)
    mistakes = {
        "That is kappa of opponents of the size G/k. Other sizes make it larger.": G**2 * (1 - 1 / k),
        "That is one opponent's term; there are k.": terms.max(),
        "The term is a product of two sizes: G enters with its square.": k * G / 4,
    }
    yield from compare(largest(G, k), k * terms.max(), mistakes)
    for G in (1.0, random.uniform(1.1, 1.8)):
        many, halves = np.arange(1, 9), np.linspace(0, G, 201)
        wanted = many[many * np.max(halves * (G - halves)) > 1][0]
        mistakes = {"At kappa = 1 the token is still selected: more opponents are needed.": wanted - 1}
        yield from (f"lost_from, at G = {G:.2f}: {said}" for said in compare(lost_from(G), wanted, mistakes, tolerance=1e-2))


@exercise("ex-own-kappa")
def own_kappa(kappa, random):
    sides, sizes = np.array([1, -1, 0, 1, -1, 0, 1, -1, 1]), np.abs(random.normal(size=9))
    values = np.where(sides, sizes * sides, sizes)
    answer, doubled = (
        kappas[sides != 0] if np.shape(kappas) == (9,) else kappas
        for kappas in (kappa(values, sides), kappa(2 * values, sides))
    )
    yield from shaped(answer, (7,))
    if close(doubled, 2 * answer):
        yield "With doubled values it doubles. Each term is a product of two sizes: it should become four times as large."

    def of_all(term=lambda size, rival: rival * np.maximum(size - rival, 0), side=-1):
        return np.sum((np.outer(sides, sides) == side) * term(sizes[:, None], sizes), axis=1)[sides != 0]

    mistakes = {
        "A larger rival does not take away: cut size - rival off at zero.": of_all(lambda size, rival: rival * (size - rival)),
        "A rival's own size is a factor of its term.": of_all(lambda size, rival: np.maximum(size - rival, 0) * size),
        "Those are the tokens of its own side; rivals stand on the other.": of_all(side=1),
    }
    yield from compare(answer, of_all(), mistakes)


@exercise("ex-mirrored", "that of a positive token", "that of the negative one")
def mirrored(kappas, random):
    G, k = random.uniform(1, 5), int(random.integers(2, 9))

    def against(size, rivals):
        return sum(rival * max(size - rival, 0) for rival in rivals)

    positive, negative = against(G / k, [G]), against(G, k * [G / k])
    mistakes = {
        "Exchange the two: the positive tokens are the small ones, of value G/k.": (negative, positive),
        "Against a larger rival a term is zero, not negative.": (G * (G / k - G), negative),
        "The negative token meets k rivals, not one.": (positive, negative / k),
    }
    yield from compare(kappas(G, k), (positive, negative), mistakes)
