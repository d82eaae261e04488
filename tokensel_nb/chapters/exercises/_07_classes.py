"""Checks of the exercises in 07_classes."""

import numpy as np

from ...corpus import Corpus
from ...one_step import embedding_step
from ...parameters import Parameters
from .answers import close, compare, cross_entropy, exercise, shaped, slopes, texts


@exercise("ex-descent")
def descent(moved, random):
    counts, signs = texts(random)
    corpus, rate, steps = Corpus(counts, signs, list("abcd")), 1e-4, int(random.integers(5, 20))
    after = Parameters(np.zeros((4, 3)), np.zeros(3), np.eye(3)[0])
    for _ in range(steps):
        after = embedding_step(after, corpus, rate)
    share = corpus.signed_share()
    mistakes = {
        "g is 1/2 as long as the model knows little.": rate * steps * share,
        "That is one step; they add up.": rate / 2 * share,
        "You did not use the rate.": steps / 2 * share,
    }
    yield from compare(moved(share, rate, steps), after.token_values, mistakes, tolerance=1e-3)


@exercise("ex-two-classes")
def two_classes(profile, random):
    for second in (random.exponential(), -random.exponential()):  # the pull of the second class
        pulls = np.array([-second, second])
        mistakes = {
            "A profile has the length one.": np.sign(pulls),
            "Exchange the two classes.": -pulls / np.linalg.norm(pulls),
            "Those are the pulls; divide by their length.": pulls,
        }
        yield from compare(profile(second), pulls / np.linalg.norm(pulls), mistakes)


@exercise("ex-classes-pull")
def classes_pull(pull, random):
    counts, labels = random.integers(1, 5, size=(9, 4)), np.arange(9) % 3
    corpus, values = Corpus(counts, labels, list("abcd"), class_names=["a", "b", "c"]), random.normal(size=(4, 3))
    shares = counts / counts.sum(axis=1, keepdims=True)
    gradient = slopes(lambda values: cross_entropy(shares @ values, labels), values)
    mistakes = {
        "The pull goes against the gradient of the loss.": gradient,
        "You summed over texts; take the mean.": -9 * gradient,
        "A text pulls at its own class alone? It pushes the others away.": shares.T @ np.eye(3)[labels] / 9,
    }
    yield from compare(pull(values, corpus), -gradient, mistakes)
    if not np.isfinite(pull(1e4 * values, corpus)).all():
        yield "At large values it overflows: subtract the largest logit of a text before the exponential."


@exercise("ex-between")
def between(leaning, random):
    profile = random.normal(size=(5, 4))
    negative, positive = profile[:, [0, 2]].sum(axis=1), profile[:, [1, 3]].sum(axis=1)
    mistakes = {
        "That compares the sites: the classes are IMDB's two, then those of Rotten Tomatoes.": profile @ [1, 1, -1, -1],
        "That is the negative classes alone.": negative,
        "That is the positive classes alone.": positive,
    }
    yield from compare(leaning(profile), negative - positive, mistakes)


@exercise("ex-unbalanced")
def unbalanced(weights, random):
    labels = random.permutation(np.repeat([0, 1, 2], [20, 5, 11]))
    answer = weights(labels)
    yield from shaped(answer, labels.shape, {"Give one weight per text, not one per class.": (3,)})
    if answer.min() <= 0:
        yield "A weight is above zero."
    if any(np.ptp(answer[labels == label]) > 1e-9 for label in range(3)):
        yield "Texts of one class should have one weight."
    totals = np.bincount(labels, answer)
    if not close(totals / totals.sum(), np.full(3, 1 / 3)):
        yield f"The classes do not count alike: together their texts weigh {np.round(totals / totals.sum(), 2)} of all."


@exercise("ex-digits")
def digits(after_one_step, random):
    counts, labels = random.geometric(0.2, size=(180, 5)) ** 2, random.permutation(np.repeat([0, 1, 2], [63, 60, 57]))
    counts[np.arange(180), labels] += 20
    seen, texts = (Corpus(counts[rows], labels[rows], list("abcde")) for rows in (slice(80), slice(80, None)))
    shares, one_hot = seen.counts.toarray() / seen.lengths[:, None], np.eye(3)[seen.labels]
    logits = texts.counts @ -slopes(lambda values: cross_entropy(shares @ values, seen.labels), np.zeros((5, 3)))
    answer, wanted, by_class = after_one_step(seen, texts), logits.argmax(axis=1), shares.T @ one_hot / one_hot.sum(axis=0)
    yield from shaped(answer, (100,), {"Give one class per text: the place of its largest logit.": (100, 3)})
    mistakes = {
        "That is the class with the smallest logit.": logits.argmin(axis=1),
        "A frequent class pulls the more: the mean is over all texts, not its own.": (texts.counts @ by_class).argmax(axis=1),
        "A word is divided by the length of its text.": (texts.counts @ (seen.counts.T @ one_hot)).argmax(axis=1),
        f"{np.sum(answer == wanted)} of 100 texts have the class that a small step against the gradient gives them.": answer,
    }
    yield from compare(answer, wanted, mistakes)
