"""Checks of the exercises in 11_scale."""

from itertools import pairwise

import numpy as np

from ...model import score_gradients
from ...parameters import init_parameters
from ...synthetic import independent_tokens
from ..scale import Size
from .answers import compare, exercise, flat


@exercise("ex-scale-limit")
def limit(times_as_fast, random):
    shared, everybodys = random.exponential(size=2)
    alone = shared + everybodys
    for N in (int(random.integers(3, 50)), 10**9):
        times = np.full(min(N, 1000), shared / N) + everybodys  # they work side by side: the slowest counts
        mistakes = {
            "That is the most that any number can reach.": 1 + shared / everybodys,
            "What everybody does is not divided.": N,
            "You divided what everybody does, and left what is shared.": alone / (shared + everybodys / N),
            "That is the share of the time; the other way round it is how many times as fast.": times.max() / alone,
        }
        yield from compare(times_as_fast(shared, everybodys, N), alone / times.max(), mistakes)


@exercise("ex-scale-balance")
def balance(dim, random):
    size = Size(texts=1, tokens=1, entries=int(random.integers(1e6, 1e7)), words=int(random.integers(1e3, 1e5)), dim=0)
    texts, one = size.bytes, size._replace(dim=1).bytes - size.bytes
    mistakes = {
        "There are as many numbers in E as entries there, but not as many bytes.": size.entries / size.words,
        "Turn the fraction over.": one / texts,
        "That is the number of entries of E, d for each of the words.": texts / one * size.words,
    }
    yield from compare(dim(size.entries, size.words), texts / one, mistakes)


@exercise("ex-scale-parts")
def parts(together, random):
    corpus, ends = independent_tokens(60, 10, 8, 0.5, int(random.integers(100))), [0, 7, 25, 60]
    scores, values = random.normal(size=(2, 10))
    gradients = [np.array(score_gradients(scores, values, corpus[a:b])) for a, b in pairwise(ends)]
    sizes = np.diff(ends)
    mistakes = {
        "A plain mean counts a text of a small part more than one of a large part.": np.mean(gradients, axis=0),
        "Each is a mean over its texts already; their sum is too large.": np.sum(gradients, axis=0),
        "Divide by the number of all texts.": np.tensordot(sizes, gradients, axes=1),
    }
    yield from compare(together(gradients, sizes), score_gradients(scores, values, corpus), mistakes)


@exercise("ex-scale-words")
def words(power, random):
    exponent, tokens = random.uniform(0.2, 0.9), 10.0 ** np.arange(4, 8)
    kinds = random.uniform(2, 20) * tokens**exponent
    mistakes = {
        "That is a slope on plain axes; both have to be logarithmic.": np.polyfit(tokens, kinds, 1)[0],
        "The axis of the tokens has to be logarithmic, too.": np.polyfit(tokens, np.log(kinds), 1)[0],
        "The axis of the words has to be logarithmic, too.": np.polyfit(np.log(tokens), kinds, 1)[0],
        "You have tokens as a power of words.": 1 / exponent,
    }
    yield from compare(power(tokens, kinds), exponent, mistakes)


@exercise("ex-scale-single", "the largest difference", "the number of texts")
def single(apart, random):
    texts = independent_tokens(80, 12, 6, 0.5, int(random.integers(100)))
    one, other = (init_parameters(12, 4, seed=int(seed), dtype="float64") for seed in random.integers(100, size=2))
    gaps = np.abs(flat(one) - flat(other))
    weights = [texts.counts.toarray() * np.exp(parameters.token_scores) for parameters in (one, other)]
    praise = [of_texts @ of.token_values > 0 for of_texts, of in zip(weights, (one, other))]
    difference, verdicts = apart(one, other, texts)
    mistakes = {"That is the mean difference; take the largest.": gaps.mean()}
    mistakes |= {"Look at p and v, too.": np.abs(one.embeddings - other.embeddings).max()}
    yield from compare(difference, gaps.max(), mistakes)
    mistakes = {
        "That is their share; give their number.": np.mean(praise[0] != praise[1]),
        "Logits differ in nearly every text; a verdict is a logit's sign.": len(texts),
        "You compared a model with the labels.": np.sum(praise[0] != (texts.signs > 0)),
    }
    yield from compare(verdicts, np.sum(praise[0] != praise[1]), mistakes)
