"""Typical wrong answers to the book's exercises, by label: what a student gives, and a piece of what the check should say."""

import numpy as np


def read_plainly(E, p, v, tokens):
    """Read a text without caring for large scores."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(E[tokens] @ p)
        return weights @ (E[tokens] @ v) / weights.sum()


def read_to_the_top(E, p, v, tokens):
    """Look at the word of the largest score alone."""
    return E[tokens[np.argmax(E[tokens] @ p)]] @ v


def read_with_stale_sums(E, p, v, tokens):
    """Forget to shrink the sums when a larger score comes."""
    largest, numerator, denominator = -np.inf, 0.0, 0.0
    for s in tokens:
        largest = max(largest, E[s] @ p)
        weight = np.exp(E[s] @ p - largest)
        numerator, denominator = numerator + weight * (E[s] @ v), denominator + weight
    return numerator / denominator


def shares(counts):
    """Return the shares of the words in each text."""
    return counts / counts.sum(axis=1, keepdims=True)


def softmax(scores):
    """Return weights that add up to one."""
    return np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()


WRONG = {
    "ex-repeat": [
        (lambda f, q, value: f + q * value, "denominator grows"),
        (lambda f, q, value: (1 - q) * f + q * value, "not q any more"),
        (lambda f, q, value: f, "all counts double"),
        (lambda f, q, value: (f - q * value) / (1 + q), "off by"),
    ],
    "ex-shift": [
        (lambda others: others.sum(), "wrong sign"),
        (lambda others: 1 - others.sum(), "not one"),
        (lambda others: -others.mean(), "their sum"),
        (lambda others: 0.0, "not each"),
    ],
    "ex-one-pass": [
        (lambda E, p, v, tokens: np.sum(E[tokens] @ v), "You summed over positions"),
        (lambda E, p, v, tokens: np.mean(E[tokens] @ v), "yours is another"),
        (read_plainly, "overflows"),
        (read_to_the_top, "It is off by"),
        (read_with_stale_sums, "shrink both sums"),
    ],
    "ex-uniform": [
        (lambda counts, y: -y @ shares(counts) / 2, "summed over texts"),
        (lambda counts, y: -y @ shares(counts) / len(y), "g is 1/2"),
        (lambda counts, y: -y @ counts / len(y) / 2, "length of their text"),
        (lambda counts, y: y @ shares(counts) / len(y) / 2, "wrong sign"),
    ],
    "ex-order": [
        (lambda values, c: np.sum(np.exp(c * np.arange(len(values))) * values), "You summed over positions"),
        (lambda values, c: np.mean(values), "does the score"),
        (lambda values, c: softmax(-c * np.arange(len(values))) @ values, "first position counts most"),
        (lambda values, c: softmax(c * np.arange(len(values)) ** 2 * 2) @ values, "off by"),
    ],
    "ex-halves": [
        (lambda corpus, words, seed: correlated(*signed_halves(corpus, seed)), "all words"),
        (lambda corpus, words, seed: correlated(*(half.label_skew()[words] for half in corpus.split(0.5, seed=seed))), "skews"),
        (lambda corpus, words, seed: correlated(*2 * [corpus.signed_frequency()[words]]), "with itself"),
        (lambda corpus, words, seed: correlated(*(each[words] for each in signed_halves(corpus, 0))), "off by"),
    ],
}


def signed_halves(corpus, seed):
    """Return the signed frequencies of two halves."""
    return [half.signed_frequency() for half in corpus.split(0.5, seed=seed)]


def correlated(x, y):
    """Return the correlation."""
    return np.corrcoef(x, y)[0, 1]
