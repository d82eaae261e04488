"""Checks of the exercises in 11_first_steps."""

import numpy as np

from ...corpus import Corpus
from ...one_step import embedding_step
from ...parameters import Parameters
from .answers import close, compare, cross_entropy, exercise, shaped, slopes, texts


@exercise("ex-scale")
def scale(limit, random):
    counts, signs = texts(random)
    corpus = Corpus(counts, signs, list("abcd"))
    v, step = random.normal(size=3), random.uniform(1, 9)
    nothing = Parameters(np.zeros((4, 3)), np.zeros(3), v)  # with embeddings of zero the limit is exact
    share, norm = corpus.signed_share(), np.linalg.norm(v)
    mistakes = {
        "E moves along v, and the value is a product with v again: the length of v counts twice.": norm * step / 2 * share,
        "g is 1/2 at a logit of zero.": norm**2 * step * share,
        "That is the limit for a v of length one.": step / 2 * share,
    }
    yield from compare(limit(share, step, norm), embedding_step(nothing, corpus, step).token_values, mistakes)


@exercise("ex-class-step")
def class_step(step_of, random):
    counts, _ = texts(random)
    shares = counts / counts.sum(axis=1, keepdims=True)
    E, heads, labels = random.normal(size=(4, 3)), random.normal(size=(3, 3)), np.arange(len(shares)) % 3
    gradient = slopes(lambda embeddings: cross_entropy(shares @ embeddings @ heads.T, labels), E)
    mistakes = {
        "That climbs: the step goes against the gradient.": E + 2 * gradient,
        "You summed over texts; take the mean.": E - 2 * gradient * len(labels),
        "It is a step of size one: you did not use `step`.": E - gradient,
    }
    yield from compare(step_of(E, heads, shares, labels, 2.0), E - 2 * gradient, mistakes)


@exercise("ex-mirror", "the counts", "the labels")
def mirror(mirrored, random):
    counts, signs = texts(random)
    partner = np.array([2, 3, 0, 1])
    answer = new_counts, new_signs = mirrored(counts, signs, partner)
    mistakes = {"There are not as many labels as texts.": [(14, 4), (7,)]}
    mistakes |= {"Each text has one mirror image beside it, and stays itself.": [(7, 4), (7,)]}
    yield from shaped(answer, [(14, 4), (14,)], mistakes)
    if new_signs.sum():
        yield "The labels do not cancel: a mirror image has the opposite label."
    share = new_signs @ (new_counts / new_counts.sum(axis=1, keepdims=True))
    if not close(share[partner], -share) or np.abs(share).max() < 1e-9:
        yield "The signed share of a partner is not the opposite: replace every word by its partner."
    given = {(*row, sign) for row, sign in zip(counts.tolist(), signs.tolist())}
    if not given <= {(*row, sign) for row, sign in zip(new_counts.tolist(), new_signs.tolist())}:
        yield "The texts of the corpus themselves are to stay in it."


@exercise("ex-shares")
def shares_by_label(share_in, lift, random):
    n, praise, counts = 12, int(random.integers(3, 10)), random.integers(1, 9, size=(2, 4))
    shares = (counts / counts.sum(axis=1, keepdims=True))[[0] * praise + [1] * (n - praise)]  # one for each label
    y = np.repeat([1, -1], [praise, n - praise])
    mean, signed, balance = shares.mean(axis=0), y @ shares / n, y.mean()
    for label, row in ((1, shares[0]), (-1, shares[-1])):
        mistakes = {"That is right for as many texts of each label.": mean + label * signed}
        yield from compare(share_in(label, mean, signed, balance), row, mistakes)
    step = random.uniform(1, 9)
    f = shares @ (values := step / 2 * signed)
    wanted = y @ (shares * (values - f[:, None])) / n / 2
    mistakes = {
        "g is 1/2 at a verdict of zero.": 2 * wanted,
        "That is the square alone: the text's verdict is subtracted.": step / 4 * signed**2,
    }
    yield from compare(lift(signed, mean, f[0], f[-1], step), wanted, mistakes)
