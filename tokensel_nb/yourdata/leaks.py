"""Which words say more than the rest of their texts: how likely a word is to give the label away by itself."""

from __future__ import annotations

import numpy as np

from ..support.arrays import sigmoid, to_numpy
from ..support.checks import numbers, shaped, shortened

BINS = np.arange(-10, 10.01, 0.25)
"""Log-odds of a class by the other words of a text, as they are counted here; what lies beyond counts as the outermost."""

WEAKEST = 2.0
"""The least own effect of a leak, in log-odds: it alone multiplies the odds of its class by more than seven."""

STRAY = 0.3
"""How far the company of a leak strays from that of a random text of its class: the standard deviation of ν."""

COMPANY, EFFECT = (grid.ravel() for grid in np.meshgrid(np.linspace(-2.5, 2.5, 21), np.linspace(-3, 6, 37), indexing="ij"))


def suspicion(rests, hits, classes, base, repeated=None):
    r"""Return what each word adds to the rest of its texts, and how likely it is to give the label away.

    An honest word keeps company. A review with "awful" has other words of blame, and these, too, explain its label. A leak,
    such as a planted mark or boilerplate, decides by itself, whatever is around it. So each text with a word s gets two
    numbers. One is h, the probability of the word's class given the *rest* of the text, by a model that hasn't seen the text.
    (It is calibrated by isotonic regression, since models are too sure of themselves.) The other is ỹ, which is 1 for texts of
    the class that s speaks for, and else 0. Among all pairs (h, ỹ), those with s are taken to be drawn with the probability

        P(h, ỹ | s) = P(h, ỹ) exp(ν h + ψ ỹ) / M(ν, ψ),    M(ν, ψ) = Ê exp(ν h + ψ ỹ).

    ν_s says which company s keeps. ψ_s is its *own effect*: the log-odds that it adds to whatever the rest says. P(h, ỹ) is the
    same for all words. So the likelihood of a word depends on only three numbers, its n texts, their Σ ỹ and their Σ h:

        log L(ν, ψ) = ν Σ h + ψ Σ ỹ - n log M(ν, ψ).

    There are two kinds of words. *Honest* ones have (ν, ψ) from a normal law, with the mean and covariance that make all words
    together likeliest (empirical Bayes). *Leaks* occur in random texts of their class and settle the label: ν is about zero,
    with a standard deviation of 0.3, and ψ is beyond 2 with an exponential tail, so a leak alone multiplies the odds by more
    than seven. Beforehand, one of all m words is taken for a leak, whatever m is. So it takes evidence of log m nats to name
    one, and you can look at thousands of words without one that stands out by chance.

    The suspicion is the posterior probability of a leak. Counter-examples lower it step by step (three in 63 from 0.98 to
    0.40, in a trial); a rule such as "occurs in one class only" would fail at the first. A word of one class is less
    suspicious the more the rest of its texts says the same, and the rarer it is.

    There are limits. A mark in twenty of thousands of long reviews hardly proves more than chance, least of all with
    counter-examples, or in a class that nearly all texts have. And where honest words are frank themselves ("claim" and
    "prize" in spam), a mark is one of many. Then other words come before it in the list, and no word is named.

    Parameters
    ----------
    rests : ndarray, shape (m, len(BINS))
        For each word, how many of its texts have which log-odds of its class given the rest, counted in `BINS`.
    hits : ndarray, shape (m,)
        How many of them are of its class.
    classes : ndarray of int, shape (m,)
        Its class, 0 ... K-1.
    base : ndarray, shape (K, 2, len(BINS))
        For each class, how many of all texts do not belong to it, and do, by the log-odds of the class.
    repeated : ndarray of bool, shape (m,), optional
        Words that another row represents, such as those of a template. They are judged, but don't count among the honest words
        by which others are judged. Otherwise many copies of one leak would pass for what words usually do.

    Returns
    -------
    (ndarray of float64, ndarray of float64), each of shape (m,)
        The own effects ψ (their posterior means), and the suspicions, from 0 to 1.

    Examples
    --------
    >>> base = np.zeros((2, 2, len(BINS)))
    >>> base[:, 0, [36, 44]] = 365, 135  # texts of other classes, by the log-odds of the class: -1 and 1
    >>> base[:, 1, [36, 44]] = 135, 365  # texts of the class
    >>> rests = np.zeros((1001, len(BINS)))
    >>> rests[:, [36, 44]] = 20
    >>> hits = np.random.default_rng(0).binomial(40, 0.5, size=1001)
    >>> hits[-1] = 40  # and a thousand words that mean nothing
    >>> effects, suspicions = suspicion(rests, hits, np.zeros(1001, int), base)
    >>> bool(suspicions[-1] > 0.5 > suspicions[:-1].max())
    True
    """
    rests, hits, classes, base = _checked(rests, hits, classes, base)
    repeated = np.zeros(len(hits), bool) if repeated is None else shaped("repeated", np.asarray(repeated, bool), hits.shape)
    calibrated = _calibrated(base)
    normalisers = np.stack([_log_normaliser(of_class, calibrated) for of_class in base]).astype(np.float32)
    sums = np.stack([rests @ calibrated, hits], axis=1).astype(np.float32)
    numbers = sums, rests.sum(axis=1, dtype=np.float32), classes

    def likelihoods(which):
        sums, number, kinds = (column[which] for column in numbers)
        logs = sums @ np.stack([COMPANY, EFFECT]).astype(np.float32) - number[:, None] * normalisers[kinds]
        return np.exp(logs - logs.max(axis=1, keepdims=True))

    m = len(hits)
    leak = _leak() / m
    some = np.arange(0, m, m // 4000 + 1)  # four thousand words tell enough
    honest = _honest(likelihoods(some[~repeated[some]]), leak)
    effects, suspicions = np.empty(m), np.empty(m)
    for start in range(0, m, 4000):
        which = slice(start, start + 4000)
        likelihood = likelihoods(which)
        total = likelihood @ (honest + leak)
        effects[which] = likelihood @ ((honest + leak) * EFFECT) / total
        suspicions[which] = likelihood @ leak / total
    return effects, suspicions


def _checked(rests, hits, classes, base):
    """Return the arguments of `suspicion` as arrays that fit each other."""
    rests = to_numpy(numbers("rests", rests, (None, len(BINS))))
    base = to_numpy(numbers("base", base, (None, 2, len(BINS))))
    hits = to_numpy(numbers("hits", hits, rests.shape[:1]))
    classes = to_numpy(numbers("classes", classes, rests.shape[:1]))
    if (np.modf(classes)[0] != 0).any() or not ((classes >= 0) & (classes < len(base))).all():
        raise ValueError(f"classes={shortened(classes)}; give one of 0 to {len(base) - 1} for every word")
    if (base < 0).any() or (rests < 0).any() or (hits < 0).any():
        raise ValueError("base, rests and hits hold numbers of texts; give none below zero")
    return rests, hits, classes.astype(np.int64), base


def bins_of(log_odds):
    """Return in which of `BINS` log-odds lie."""
    return np.rint((np.clip(log_odds, BINS[0], BINS[-1]) - BINS[0]) / (BINS[1] - BINS[0])).astype(np.int64)


def _calibrated(base):
    """Return h of every bin: the share of texts of the class there, made to ascend, as models are too sure of themselves."""
    from sklearn.isotonic import isotonic_regression

    others, of_class = base.sum(axis=0) + 1e-6 * np.stack([sigmoid(-BINS), sigmoid(BINS)])
    return isotonic_regression(of_class / (others + of_class), sample_weight=others + of_class)


def _log_normaliser(of_class, calibrated):
    """Return log M(ν, ψ) of one class at every point of the grid."""
    shares = of_class / of_class.sum()
    tilted = np.exp(COMPANY[:, None] * calibrated)
    return np.log(tilted @ shares[0] + np.exp(EFFECT) * (tilted @ shares[1]))


def _honest(likelihood, leak, rounds=20):
    """Return the normal law of honest words on the grid under which some words are likeliest, by the EM algorithm."""
    points, share = np.stack([COMPANY, EFFECT]), 1 - leak.sum()
    mean, covariance = np.zeros(2), np.eye(2)
    for _ in range(rounds):
        honest = share * _normal(points, mean, covariance)
        weights = (likelihood / (likelihood @ (honest + leak))[:, None]).sum(axis=0) * honest  # leaks do not widen it
        weights /= weights.sum()
        mean = points @ weights
        off = points - mean[:, None]
        covariance = (off * weights) @ off.T + 0.01 * np.eye(2)  # no narrower than about the grid
    return share * _normal(points, mean, covariance)


def _leak():
    """Return the law of leaks on the grid."""
    tail = np.where(EFFECT > WEAKEST, np.exp(-np.maximum(EFFECT - WEAKEST, 0)), 0)
    return _normalised(np.exp(-0.5 * (COMPANY / STRAY) ** 2) * tail)


def _normal(points, mean, covariance):
    off = points - mean[:, None]
    return _normalised(np.exp(-0.5 * (off * np.linalg.solve(covariance, off)).sum(axis=0)))


def _normalised(weights):
    return weights / weights.sum()
