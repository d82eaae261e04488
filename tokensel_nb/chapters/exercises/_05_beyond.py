"""Checks of the exercises in 05_beyond."""

import numpy as np

from ...synthetic import one_relevant_token, xor_of_pairs
from .answers import close, compare, exercise, shaped


@exercise("ex-beyond-negation")
def negation(answer, random):
    share = 1 / int(random.integers(3, 30))  # of one token in its text
    words = np.array([share, -share])
    plain, turned = ([answer(z, of_not) for z in words] for of_not in (0.0, share))
    mistakes = {"Without not the word itself speaks.": -words, "What do texts without not get? Zero, so far.": 0 * words}
    yield from compare(plain, words, mistakes)
    mistakes = {
        "Not does not turn the word round yet.": words,
        "Not silences the word; it should turn it round.": 0 * words,
        "Not moves every text the same way; it should turn it round.": words - share,
        "Not moves every text the same way, up; it should turn it round.": words + share,
        "That is a product of z1 and z2, which an MLP of one hidden layer has not.": words - 2 * words * share,
    }
    yield from compare(turned, -words, mistakes)
    if not close([answer(30 * z, 30 * share) for z in words], 30 * np.array(turned)):
        yield "Units without a bias are homogeneous: thirty times z should give thirty times the answer."
    if not close([answer(z, 1e-9 * share) for z in words], words):
        yield "An MLP has no jumps: the least bit of not should hardly change the answer."


@exercise("ex-beyond-rank")
def rank(weights_for, random):
    C, y = random.integers(0, 9, size=(12, 30)), np.where(np.arange(12) % 2, 1, -1)
    for labels in (y, random.permutation(y), np.sort(y)):
        weights = weights_for(C, labels)
        yield from shaped(weights, (30,), {"Give one weight per word, not one per text.": (12,)})
        right = np.sum(np.sign(C @ weights) == labels)
        if right < 12:
            yield f"{right} of 12 texts are right; solve C w = y."


@exercise("ex-beyond-separable", "the margin", "the words' weights", "the texts' weights")
def separable(separate, random):
    seed = int(random.integers(100))
    for best, texts in enumerate((xor_of_pairs(16, 10, 4, seed), one_relevant_token(40, 20, 4, 4, seed))):
        name = ("XOR", "Assumption 1")[best]
        answer = margin, weights, lam = separate(texts)
        yield from shaped(answer, [(), (texts.vocab_size,), (len(texts),)])
        rows = texts.signs[:, None] * texts.counts.toarray()
        if lam.min(initial=0) < -1e-9:
            yield "A weight of a text is negative: the solver gives the multipliers up to sign."
        can = (rows @ weights).min() > 1e-6
        cannot = lam.sum() > 1e-6 and close(lam @ rows + 1, np.ones(rows.shape[1]))
        if not can and not cannot:
            yield f"{name}: neither proof holds. Some text is not right, and the texts' weights do not cancel every word."
        if abs(margin - (rows @ weights).min()) > 1e-5:
            yield f"{name}: the margin {margin:.2f} is not what its weights show."
        if abs(margin - best) > 1e-5 or np.abs(weights).max() > 1 + 1e-5:
            yield f"{name}: the largest margin is {best}, with weights of size one at most."


@exercise("ex-beyond-turned")
def turned(which, random):
    behind, elsewhere, error = random.normal(size=200), random.normal(size=200), random.uniform(0.1, 0.6, size=200)
    wanted = [-np.sign(x) == np.sign(y) and abs(x / e) > 3 for x, y, e in zip(behind, elsewhere, error)]
    mistakes = {
        "Some of these are within three standard errors of zero.": behind * elsewhere < 0,
        "These keep their sign; take the others.": (behind * elsewhere > 0) & (np.abs(behind) > 3 * error),
        "It is the pair's skew that has to be beyond chance.": (behind * elsewhere < 0) & (np.abs(elsewhere) > 3 * error),
        "The sign has to be another, too.": np.abs(behind) > 3 * error,
    }
    yield from compare(which(behind, elsewhere, error), wanted, mistakes)
