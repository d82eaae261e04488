"""05_beyond's synthetic texts, in which pairs of words determine the label, and pairs of words in reviews."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..corpus import Corpus
from ..model import logits, one_layer
from ..parameters import init_parameters
from ..synthetic import negation, xor_of_pairs
from ..training import train

SEEDS = range(20, 25)
SLOWLY = {"steps": 600, "learning_rate": 0.02}  # how two layers of attention are trained


def xor(seed) -> tuple[Corpus, Corpus]:
    """Return 400 training texts whose label is the exclusive or of two words, and 400 new texts of the same words."""
    return xor_of_pairs(400, 24, 6, seed=seed), xor_of_pairs(400, 24, 6, seed=100 + seed)


def negated(seed) -> tuple[Corpus, Corpus]:
    """Return training and new texts, 30% of them mirrored pairs with "not"."""
    return negation(400, 40, 6, 3, 0.3, seed=seed), negation(400, 40, 6, 3, 0.3, seed=100 + seed)


TASKS = {"XOR of two words": xor, "30% negated": negated}


def share_right(predicted, corpus: Corpus) -> float:
    """Return the share of texts whose logits have the label's sign, in a corpus of two classes."""
    return np.mean((predicted > 0) == (corpus.signs > 0))


def shares_right(model, texts: Corpus, new: Corpus, seed, *, steps=300, learning_rate=0.03) -> list:
    """Train on texts from a start drawn by the seed; return the shares of right answers on them and on new texts."""
    draw, size = (init_parameters, None) if model is one_layer else (model.start, 50)
    options = dict(learning_rate=learning_rate, batch_size=size, seed=seed, evaluate_every=steps, device="auto")
    trained = train(draw(texts.vocab_size, 32, seed), texts, steps, model=model, **options).parameters
    return [share_right(logits(trained, part, model), part) for part in (texts, new)]


LEADS = {"not": "not_", "t": "not_", "very": "very_", "the": "the_"}


def words_and_pairs(text):
    """Yield the words of a text, and after those that follow one of `LEADS` the pair and a mark."""
    words = re.findall(r"\w+", re.sub(r"<br\s*/?>", " ", text))
    for before, word in zip(["", *words], words):
        yield word
        if before in LEADS:
            yield from (LEADS[before] + word, LEADS[before])


def skews_behind(corpus: Corpus, lead, least=10) -> dict:
    """Return the second words of pairs after a lead, their occurrences, and their skews elsewhere, after it, and as a sum."""
    words = corpus.vocabulary.tolist()
    column = {word: s for s, word in enumerate(words)}
    often, praise = np.asarray(corpus.counts.sum(axis=0)).ravel(), corpus.counts.T @ (corpus.signs > 0)
    seconds = [word.removeprefix(f"{lead}_") for word in words if word.startswith(f"{lead}_")]
    both = np.array([(column[f"{lead}_{word}"], column[word]) for word in seconds if word in column])
    pairs, alone = both[(often[both[:, 0]] >= least) & (often[both[:, 1]] > often[both[:, 0]])].T
    elsewhere = 2 * (praise[alone] - praise[pairs]) / (often[alone] - often[pairs]) - 1
    mark, elsewhere = column[f"{lead}_"], np.clip(elsewhere, -0.99, 0.99)
    summed = np.tanh(np.arctanh(elsewhere) + np.arctanh(2 * praise[mark] / often[mark] - 1))
    skews = {"elsewhere": elsewhere, "behind": 2 * praise[pairs] / often[pairs] - 1, "summed": summed}
    return {"words": corpus.vocabulary[alone].tolist(), "often": often[pairs]} | skews


def slopes_behind(pairs, random, draws=500) -> np.ndarray:
    """Fit the skews after a lead by those elsewhere: the slope of all pairs first, then those of bootstrap samples."""
    x, y, weights = pairs["elsewhere"], pairs["behind"], np.sqrt(pairs["often"])
    rows = [np.arange(x.size), *random.choice(x.size, (draws, x.size))]
    return np.array([np.polyfit(x[of], y[of], 1, w=weights[of])[0] for of in rows])


def off_the_sum(pairs) -> float:
    """Return the share of pairs whose skew is more than three standard errors from the sum of log odds."""
    return np.mean(np.abs(pairs["behind"] - pairs["summed"]) > 3 / np.sqrt(pairs["often"]))


def only(corpus: Corpus, kept) -> Corpus:
    """Return a corpus with some of its words."""
    return replace(corpus, counts=corpus.counts[:, kept], vocabulary=corpus.vocabulary[kept])


def answers(texts: Corpus, new: Corpus, seed, *, dim=64, **settings) -> np.ndarray:
    """Train for the number of steps that is best on a quarter of the texts, and return which new texts are right."""
    part, check = texts.split(0.25, seed=seed)
    start, settings = init_parameters(texts.vocab_size, dim, seed), settings | dict(device="auto")
    history = train(start, part, 60, held_out=check, **settings).history
    steps = int(history.steps[history.held_out_losses.argmin()])
    trained = train(start, texts, max(steps, 1), evaluate_every=60, **settings).parameters
    return (logits(trained, new) > 0) == (new.signs > 0)
