"""Checks of the exercises in 01_model."""

import numpy as np

from ...corpus import Corpus
from .answers import close, compare, cross_entropy, exercise, flat, slopes, texts


def _logit(weights, values):
    return weights @ values / weights.sum()


@exercise("ex-repeat")
def repeat(new_logit, random):
    weights, values = random.exponential(size=5), random.normal(size=5)
    logit, q, value = _logit(weights, values), weights[0] / weights.sum(), values[0]
    wanted = _logit(weights * [2, 1, 1, 1, 1], values)
    mistakes = {
        "The numerator is right. The denominator grows, too, by q of the old one.": logit + q * value,
        "The attention on the word is not q any more once it occurs twice.": (1 - q) * logit + q * value,
        "That is what happens when all counts double. Here one of them does.": logit,
        "One occurrence more adds q to numerator and denominator, not 2 q.": (logit + 2 * q * value) / (1 + 2 * q),
        "The numerator holds the old logit, too, and q times the value on top.": q * value / (1 + q),
    }
    yield from compare(new_logit(logit, q, value), wanted, mistakes)


@exercise("ex-shift")
def shift(by_score, random):
    scores, values, y = random.normal(size=4), random.normal(size=4), int(random.choice([-1, 1]))
    Q = np.exp(scores) / np.exp(scores).sum()
    wanted = slopes(lambda at: np.logaddexp(0, -y * _logit(np.exp(at), values)), scores)
    g = 1 / (1 + np.exp(y * Q @ values))
    mistakes = {
        "Attention that a word gains is lost by others: where is f?": -y * g * Q * values,
        "The attention of the word is lost.": -y * g * (values - Q @ values),
        "At a logit that is not zero g is not 1/2.": wanted / (2 * g),
        "How wrong the verdict is, g, is lost.": wanted / g,
    }
    yield from compare(by_score(Q, values, y), wanted, mistakes)


@exercise("ex-one-pass")
def one_pass(read, random):
    E, (p, v) = random.normal(size=(6, 3)), random.normal(size=(2, 3))
    tokens = random.integers(6, size=30)
    values, logit = (E @ v)[tokens], read(E, p, v, tokens)
    summed = "You summed over positions; take the mean. Divide by the sum of the weights."
    yield from compare(read(E, 0 * p, v, tokens), values.mean(), {summed: values.sum()})
    if not close(read(E, p, v, tokens[::-1]), logit):
        yield "Read backwards, the logit differs: when a larger score comes, shrink both sums by the same factor."
    if not close(read(E, p, v, np.append(tokens, tokens)), logit):
        yield "A text twice in a row has another logit; the counts identity says that it has not."
    loud = 1e4 * p / np.abs(E @ p).max()
    if not np.isfinite(read(E, loud, v, tokens)):
        yield "At scores of 10,000 it overflows: take exponentials of differences to the largest score so far."
    top = np.unique(tokens)[np.argmax((E @ loud)[np.unique(tokens)])]
    if not close(read(E, loud, v, tokens), E[top] @ v):
        yield "At scores of 10,000 the logit is the value of the word with the largest score; yours is another."
    odds = np.exp((E[1] - E[0]) @ p)
    yield from compare(read(E, p, v, np.array([0, 1])), E[0] @ v + odds / (1 + odds) * ((E[1] - E[0]) @ v))
    if not close(read(E, p, v, np.append(tokens, [-1, -1])), logit):
        yield "A row is filled up with -1, which is no word: skip it. E[-1] is the last word's embedding."


@exercise("ex-uniform")
def uniform(by_formula, random):
    counts, signs = texts(random)
    shares = counts / counts.sum(axis=1, keepdims=True)
    wanted = slopes(lambda values: np.logaddexp(0, -signs * (shares @ values)).mean(), np.zeros(4))
    mistakes = {
        "You summed over texts; take the mean.": -signs @ shares / 2,
        "The sign is wrong, and you summed over texts; take the mean.": signs @ shares / 2,
        "The label does not enter: a word of blame has a slope of the other sign.": -shares.mean(axis=0) / 2,
        "Divide by the length of each text, not by the mean length.": -signs @ counts / counts.sum() / 2,
        "At a logit of zero g is 1/2, not 1.": -signs @ shares / len(signs),
        "Counts are divided by the length of their text: attention adds up to one.": -signs @ counts / len(signs) / 2,
        "That is the signed frequency: minus, g = 1/2 and the length of each text are lost.": signs @ counts / len(signs),
    }
    yield from compare(by_formula(counts, signs), wanted, mistakes)


@exercise("ex-order")
def order(logit, random):
    values = random.normal(size=4)
    summed = "You summed over positions: divide by the sum of the weights e^(c i)."
    yield from compare(logit(values, 0.0), values.mean(), {summed: values.sum()})
    last = logit(values, 50.0)
    if np.abs(last) > 2 * np.abs(values).max():
        yield "An average lies among the values; yours does not: divide by the sum of the weights e^(c i), not by their number."
    if close(last, values[0]):
        yield "The first position counts most; with a positive c the last should."
    linear = (1 + 50 * np.arange(4)) @ values / (1 + 50 * np.arange(4)).sum()
    mistakes = {
        "At c = 50 all positions count alike: do you use the score c i?": values.mean(),
        "The weight of a position is e to its score, not the score itself.": linear,
    }
    yield from compare(last, values[-1], mistakes)
    odds = np.exp(0.7)
    yield from compare(logit(values[:2], 0.7), (values[0] + odds * values[1]) / (1 + odds))


@exercise("ex-halves")
def halves(agreement, random):
    corpus = Corpus(*texts(random, 300, 40), [f"word {s}" for s in range(40)])
    seed = int(random.integers(100))
    words = np.sort(random.choice(40, size=15, replace=False))
    parts = [part.signs @ part.counts for part in corpus.split(0.5, seed=seed)]
    skews = [part.label_skew() for part in corpus.split(0.5, seed=seed)]
    mistakes = {
        "That is the agreement over all words; take only those of `words`.": np.corrcoef(*parts)[0, 1],
        "You compared skews; compare signed frequencies.": np.corrcoef(*(skew[words] for skew in skews))[0, 1],
        "You compared a half with itself.": 1.0,
    }
    yield from compare(agreement(corpus, words, seed), np.corrcoef(*(part[words] for part in parts))[0, 1], mistakes)


@exercise("ex-second-class", "E", "p", "V")
def second_class(gradients, random):
    counts, labels, begin = texts(random)[0], np.arange(7) % 3, random.normal(size=24)

    def parts(at):
        return at[:12].reshape(4, 3), at[12:15], at[15:].reshape(3, 3)

    def loss(at):
        E, p, V = parts(at)
        weights = counts * np.exp(E @ p)
        return cross_entropy(weights / weights.sum(axis=1, keepdims=True) @ E @ V.T, labels)

    wanted, even = slopes(loss, begin), np.where(np.arange(24) // 3 == 4, 0, begin)
    mistakes = {
        "The loss is a mean over texts, not a sum.": len(labels) * wanted,
        "Attention is even only at p = 0.": slopes(loss, even),
    }
    yield from compare(flat(gradients(*parts(begin), counts, labels)), wanted, mistakes)
