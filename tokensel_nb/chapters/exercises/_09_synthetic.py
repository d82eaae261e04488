"""Checks of the exercises in 09_synthetic."""

import numpy as np

from ...assumption import check_assumption_1, complete_tokens
from ...corpus import Corpus
from ...synthetic import xor_of_pairs
from .answers import close, compare, exercise, shaped


@exercise("ex-length")
def length(rule, random):
    words, texts = int(random.integers(50, 500)), int(random.integers(1_000, 50_000))
    lengths = np.arange(1, 20 * words)
    chance = (1 - (1 - 2 / words) ** lengths) ** (texts / 2)  # the proposition's, exactly
    wanted = lengths[np.searchsorted(chance, 0.99)]
    mistakes = {
        "The logarithm is the natural one.": words / 2 * np.log10(texts / 0.02),
        "Each position is one of two of |S|: half of |S| is the factor.": words * np.log(texts / 0.02),
        "There are n/2 pairs of texts, and one chance in a hundred is for all together.": words / 2 * np.log(texts),
    }
    yield from compare(rule(words, texts), wanted, mistakes, tolerance=0.02)


@exercise("ex-impure")
def impure(best, random):
    noise, attention = random.uniform(0.05, 0.3), np.linspace(0, 1, 20_001)
    for value in (random.uniform(4, 9), random.uniform(0.2, 0.5)):  # a loud token, then a quiet one
        x = attention * value
        loss = (1 - noise) * np.logaddexp(0, -x) + noise * np.logaddexp(0, x)
        at_rest = np.log((1 - noise) / noise)
        mistakes = {
            "Attention is one at most: a quiet token gets all of it.": at_rest / value,
            "That is Q times the value; divide by it.": at_rest,
            "A loud token is heard with less attention than that.": 1.0,
        }
        yield from compare(best(value, noise), attention[loss.argmin()], mistakes, tolerance=1e-3)


@exercise("ex-xor-word")
def xor_word(with_pairs, random):
    corpus = xor_of_pairs(32, 10, 4, seed=int(random.integers(100)))
    counts = corpus.counts.toarray()
    answer = with_pairs(counts)
    yield from shaped(answer, (32, counts.shape[1] + 2), {"Append two columns; the old ones stay.": (32, 2)})
    if not close(answer[:, :-2], counts):
        yield "The old words are to stay as they are, in front."
    new, positive = answer[:, -2:], corpus.signs > 0
    if new[~positive].any():
        yield "A new word stands in negative texts, too: a pair is both words together, a product of two columns."
    if (new[positive].sum(axis=1) != 1).any():
        yield "Each positive text should hold one of the two new words, once."
    if not new.any(axis=0).all():
        yield "One of the new words never occurs."


@exercise("ex-zipf", "the counts", "the signs")
def zipf(zipf_texts, random):
    words, length, seed = int(random.integers(60, 100)), int(random.integers(20, 40)), int(random.integers(100))
    answer = counts, signs = zipf_texts(400, words, length, seed)
    yield from shaped(answer, [(400, words), (400,)])
    if (counts.sum(axis=1) != length).any():
        yield f"Every text should have {length} tokens, and its relevant one is among them."
    yield from compare(np.abs(signs), np.ones(400), {"The signs are -1 and +1.": np.abs(signs)})
    corpus = Corpus(counts, signs, [f"word {s}" for s in range(words)])
    if not (holds := check_assumption_1(corpus)):
        yield f"{holds}."
    if complete_tokens(corpus)[:-2].any() or not (counts[:, -2:].sum(axis=1) == 1).all():
        yield "The last two words alone are relevant, and one of them stands in every text, once."
    often = counts[:, :20].sum(axis=0)
    slope = np.polyfit(np.log(np.arange(1, 21)), np.log(np.maximum(often, 1)), 1)[0]
    if abs(slope + 1) > 0.2:
        yield f"The twenty most common words go like their rank to the power {slope:.1f}; it should be -1."
    if not close(counts, zipf_texts(400, words, length, seed)[0]) or close(counts, zipf_texts(400, words, length, seed + 1)[0]):
        yield "One seed should draw the same texts again, and another seed others."
