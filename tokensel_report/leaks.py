"""Suspicion: how likely a word is to give the label away by itself, because it says more than the rest of its texts."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.isotonic import isotonic_regression

from tokensel_nb.model import sigmoid

BINS = np.arange(-10, 10.01, 0.25)
"""Bins for the log-odds of a class by the rest of a text; the outermost bins take everything beyond."""

WEAKEST = 3.0
"""The least own effect of a leak, in log-odds: it alone multiplies the odds of its class by more than twenty."""

TRUST = 0.5
"""How far the rest of a text is believed.

With 1, it would excuse a mark whenever other words say the same, as in most long reviews. With 0, every honest word of praise
would look like a mark.
"""

EFFECTS = np.arange(-4, 8.01, 0.1)
LEAKS = np.where(EFFECTS > WEAKEST - 1e-9, np.exp(-np.maximum(EFFECTS - WEAKEST, 0)), 0)
LEAKS /= LEAKS.sum()  # their law on the grid
NARROWEST, WIDEST, FARTHEST = 0.05, 0.6, 1.0
"""Bounds of the honest law's scale and centre: no narrower than the grid, and thinner than the law of leaks beyond 3."""


def suspicion(rests, hits, classes, base, repeated=None):
    r"""Return how much every word adds to the rest of its texts, and how likely it is to give the label away.

    An honest word keeps company. A review with "awful" has other words of blame, and these, too, explain its label. A leak,
    such as a planted mark or boilerplate, decides by itself, whatever is around it. So for every text with a word s, let h be
    the probability of the word's class given the *rest* of the text, by a model that hasn't seen the text. (It is calibrated
    by isotonic regression, since models are too sure of themselves.) The text is of that class with the probability

        P(ỹ = 1 | h, s) = σ(ψ_s + ½ logit h + ½ logit π),

    where π is the share of the class among all texts. ψ_s is the word's *own effect*: the log-odds that it adds. The rest is
    believed halfway (`TRUST`). So the likelihood of a word is a product over its texts, and depends on only two things: how
    often every h occurs, and how many of the texts are of the class.

    There are two kinds of words. *Honest* ones have ψ from a logistic law, with the centre and scale that make all words
    together likeliest (empirical Bayes). *Leaks* have ψ beyond 3 with an exponential tail, so a leak alone multiplies the odds
    by more than twenty. The *evidence* of a word is the ratio of its likelihoods as a leak and as an honest word, averaged over
    these laws. For an honest word the evidence has the mean one, whatever its texts, so it exceeds x with a probability of at
    most 1/x: 1/evidence is a p-value. One more text of the class never lowers the evidence, and one of another class never
    raises it, while the honest law stays the same: for the law of leaks over that of honest words rises with ψ, wherever leaks
    are.

    A priori, one of all m words is a leak, whatever m is. So the suspicion, the posterior probability of a leak, exceeds one
    half only if the evidence exceeds m, and in expectation at most one honest word per class does so.

    Something else speaks for honest words. The texts of a planted mark are like any others with their labels, but in texts
    with "waste of time" the rest, too, says more than usual. Let z be the number of standard deviations by which Σ h exceeds
    its mean over random texts with the same labels. If z exceeds one, as in one of six sets of random texts, the evidence is
    divided by exp((z - 1)²/2). So company excuses a word, but lack of company accuses none.

    There are limits. A mark in twenty of thousands of long reviews hardly proves more than chance, least of all with
    counter-examples, or in a class that nearly all texts have. And if honest words are frank themselves ("claim" and "prize"
    in spam), a mark is one of many. Then other words precede it in the list, and no word is named.

    Parameters
    ----------
    rests : ndarray, shape (m, len(BINS))
        The number of texts of every word by the log-odds of its class given the rest, in `BINS`.
    hits : ndarray, shape (m,)
        How many of them are of its class.
    classes : ndarray of int, shape (m,)
        Its class, 0 ... K-1.
    base : ndarray, shape (K, 2, len(BINS))
        For every class, the number of all texts outside and inside it, by the log-odds of the class.
    repeated : ndarray of bool, shape (m,), optional
        Rows that are judged but don't count among the m words that the laws are fitted to: words that another row represents,
        such as those of a template, and marks that are no words.

    Returns
    -------
    (ndarray of float64, ndarray of float64), both of shape (m,)
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
    rests, hits, base = (np.asarray(texts, float) for texts in (rests, hits, base))
    if not ((rests >= 0).all() and (base >= 0).all() and (hits >= 0).all() and (hits <= rests.sum(axis=1) + 1e-6).all()):
        raise ValueError("rests, hits and base count texts; give numbers of at least 0, and at most as many hits as texts")
    counted = np.ones(len(hits), bool) if repeated is None else ~np.asarray(repeated, bool)
    m, of_rest = max(counted.sum(), 1), _log_odds(base)
    others, of_class = base.sum(axis=2).T + 0.5
    expected = TRUST * of_rest + (1 - TRUST) * np.log(of_class / others)[:, None]
    leak = LEAKS / m
    some = np.flatnonzero(counted)[:: m // 4000 + 1]  # four thousand words tell enough
    honest = honest_law(likelihoods(rests[some], hits[some], classes[some], expected), leak)
    beyond = np.maximum(surplus(rests, hits, classes, base, sigmoid(of_rest)) - 1, 0)
    excuse = np.exp(-(beyond**2) / 2)
    effects, suspicions = np.empty((2, len(hits)))
    for start in range(0, len(hits), 4000):
        which = slice(start, start + 4000)
        likelihood = likelihoods(rests[which], hits[which], classes[which], expected)
        as_leak = likelihood * np.outer(excuse[which], leak)
        either = likelihood * honest + as_leak
        effects[which] = either @ EFFECTS / either.sum(axis=1)
        suspicions[which] = as_leak.sum(axis=1) / either.sum(axis=1)
    return effects, suspicions


def bins_of(log_odds):
    """Return the place in `BINS` of log-odds."""
    return np.rint((np.clip(log_odds, BINS[0], BINS[-1]) - BINS[0]) / (BINS[1] - BINS[0])).astype(np.int64)


def _log_odds(base):
    """Return logit h of every bin: the share of texts of the class there, made monotonic."""
    others, of_class = base.sum(axis=0) + 0.5 * np.stack([sigmoid(-BINS), sigmoid(BINS)])  # half a text in empty bins
    return logit(isotonic_regression(of_class / (others + of_class), sample_weight=others + of_class))


def surplus(rests, hits, classes, base, h):
    """Return z: how much more the rest of every word's texts says than in random texts with the same labels, by h of bins."""
    number = np.maximum(base.sum(axis=2), 1)
    means = base @ h / number
    variances = np.maximum(base @ h**2 / number - means**2, 1e-9)
    of_labels = np.stack([rests.sum(axis=1) - hits, hits], axis=1)
    expected, variance = ((of_labels * moments[classes]).sum(axis=1) for moments in (means, variances))
    return (rests @ h - expected) / np.sqrt(variance)


def log_likelihoods(rests, hits, classes, expected):
    """Return the log likelihood of the labels of every word's texts under all `EFFECTS`, up to a constant per word."""
    logs = np.outer(hits, EFFECTS)
    for k, log_odds in enumerate(expected):
        logs[classes == k] -= rests[classes == k] @ np.log1p(sigmoid(log_odds)[:, None] * np.expm1(EFFECTS))
    return logs


def likelihoods(*words):
    """Return the likelihoods of words, divided by their maximum."""
    logs = log_likelihoods(*words)
    return np.exp(logs - logs.max(axis=1, keepdims=True))


def honest_law(likelihood, leak):
    """Return the logistic law of honest words that makes all words likeliest, given the law of leaks."""
    law = lambda centre, log_scale: (1 - leak.sum()) * logistic_law(centre, np.exp(log_scale))
    unlikely = lambda point: -np.log(likelihood @ (law(*point) + leak)).sum()
    return law(*minimize(unlikely, [0.3, np.log(0.3)], method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-3}).x)


def logistic_law(centre, scale):
    """Return a logistic law on the grid, within the bounds for honest words."""
    centre, scale = np.clip(centre, -FARTHEST, FARTHEST), np.clip(scale, NARROWEST, WIDEST)
    weights = np.cosh((EFFECTS - centre) / (2 * scale)) ** -2.0
    return weights / weights.sum()
