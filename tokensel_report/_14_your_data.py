"""Checks of the exercises in 14_your_data."""

from contextlib import redirect_stdout
from functools import cache

import numpy as np

from tokensel_nb.chapters.exercises.answers import compare, exercise, shaped
from tokensel_nb.datasets.movie_reviews import load_rotten_tomatoes

load_sentences = cache(load_rotten_tomatoes)  # a reader checks more than once


@exercise("ex-your-leave-out")
def leave_out(change, random):
    weights, values = random.dirichlet(np.ones(5)), random.normal(size=5)
    q, logit = weights[0], weights @ values
    rest = weights[1:] @ values[1:] / weights[1:].sum()
    mistakes = {
        "That is the word's term of the sum. Without the word the others' weights grow.": q * values[0],
        "The rest is divided by 1 - q, what is left of the attention.": q * (values[0] - logit),
        "What counts is the value above the logit, not the value alone.": q / (1 - q) * values[0],
    }
    yield from compare(change(q, values[0], logit), logit - rest, mistakes)


@exercise("ex-your-change")
def strongest(place, random):
    q, values = random.dirichlet(np.ones(6), size=30), random.normal(size=(30, 6))

    def moved(q, values, s):
        return abs(q @ values - np.average(np.delete(values, s), weights=np.delete(q, s)))

    correct = [np.argmax([moved(*text, s) for s in range(6)]) for text in zip(q, values)]
    answers = [place(*text) for text in zip(q, values)]
    above = values - (q * values).sum(axis=1, keepdims=True)
    yours, right = next(((a, b) for a, b in zip(answers, correct) if not np.array_equal(a, b)), (0, 0))
    mistakes = {
        "That is the word of the largest attention; what it says counts, too.": q.argmax(axis=1),
        "That is the word of the largest value; its attention counts, too.": np.abs(values).argmax(axis=1),
        "That is the largest term of the sum. Without the word others get its attention.": np.abs(q * values).argmax(axis=1),
        "Down is a move, too.": (q / (1 - q) * above).argmax(axis=1),
        "Without the word the others' weights grow: divide by 1 - q.": np.abs(q * above).argmax(axis=1),
        f"In one text your place is {yours}; the right one is {right}.": answers,
    }
    yield from compare(answers, correct, mistakes)


@exercise("ex-your-own-effect")
def own_effect(fit, random):
    h, texts, psi = np.linspace(0.1, 0.9, 9), random.integers(50, 99, size=9), random.uniform(0.3, 2)
    shares = lambda psi: 1 / (1 + np.exp(-psi) * ((1 - h) / h) ** 0.5)
    fitted = fit(np.stack([texts * (1 - shares(psi)), texts * shares(psi)]), h)  # exactly as many as the law says
    yield from shaped(fitted, ())
    share, correct = (texts @ shares(effect) / texts.sum() for effect in (fitted, psi))
    if abs(share - correct) > 1e-4:
        yield f"With your own effect, {share:.1%} of the texts are of the class; in truth {correct:.1%} are."


@exercise("ex-your-impure")
def impure(suspicion_of_mark, random):
    seed = int(random.integers(100))
    pure, few, stray = (suspicion_of_mark(own, others, seed) for own, others in ((60, 0), (20, 0), (60, 10)))
    yield from shaped([pure, few, stray], (3,))
    if not all(0 <= suspicion <= 1 for suspicion in (pure, few, stray)):
        yield "A suspicion is a probability, from 0 to 1."
    if pure < 0.5:
        yield f"A pure mark in 60 texts should be suspicious: yours has {pure:.2f}. Is its row the one that you read?"
    if stray > 0.5:
        yield f"With ten strays nothing is suspicious any more, but yours has {stray:.2f}: do you use the other class?"
    if few > pure - 0.2:
        yield f"A mark in 20 texts is far less suspicious than in 60, but yours has {few:.2f}: do you use the number of texts?"


@exercise("ex-your-sentences", values=True)
def sentences(top, highest, _):
    with redirect_stdout(None):  # the reader's line is no part of the verdict
        corpus = load_sentences(min_count=1)
    skews = dict(zip(corpus.vocabulary, corpus.label_skew()))
    if np.shape(top) != (4,):
        yield f"Give four words, not {np.size(top)}."
    if strangers := [word for word in top if word not in skews]:
        yield f"No sentence contains '{strangers[0]}': these are other texts."
    if others := [word for word in top if skews[word] > -0.5]:
        yield f"'{others[0]}' has a skew of {skews[others[0]]:.2f}, hardly any blame; look at the top of the list by suspicion."
    yield from shaped(highest, ())
    if not 0 <= highest <= 0.5:
        yield "That would be a leak. Nothing here is more likely than not to be one: read the column of suspicion."
