"""The first step of a small language model beside its law: see the protocol in `language_training`."""

import numpy as np
from tqdm import tqdm

from . import next_words
from .language_model import SPREAD, LanguageModel, movement, passages, r_squared
from .next_words import LONGEST, WORDS, centred, frequencies, shuffled
from .recording import rounded

SEEDS, DIMS = range(20261231, 20261236), (64, 128, 256, 512, 1024)
FIRST, RANDOM = 2000, 128  # windows
ALIKE = ("movie", "was", "his", "very", "she")
KINDS = {f"depth 0, {dim}": (0, dim, SPREAD) for dim in DIMS}
KINDS |= {"depth 1": (1, 64, SPREAD), "depth 2": (2, 64, SPREAD), "shuffled": (2, 64, SPREAD)}
KINDS |= {"smaller": (2, 64, SPREAD / 10), "larger": (2, 64, 5 * SPREAD)}


def first(kind, windows, frequency, seed):
    """Return R², that of bigrams alone, the row correlation and its law, and the step itself."""
    layers, dim, spread = KINDS[kind]
    model = LanguageModel(frequency, layers, dim, seed, spread)
    nexts = shuffled(windows[:, 1:], seed) if kind == "shuffled" else windows[:, 1:]
    moved = movement(model, windows, nexts)
    random = np.random.default_rng(seed).choice(WORDS, (RANDOM, LONGEST), p=frequency)
    own, read = passages(model, random)
    bigrams, shares = (centred(table, frequency) for table in next_words.tables(windows))
    output = model.output.weight.detach().numpy()
    by_bigrams = bigrams @ output @ own / nexts.size
    predicted = by_bigrams + shares @ output @ read / nexts.size
    rows = next_words.row_correlations(moved @ own.T @ output.T, bigrams).mean()
    square = own @ own.T
    law = (1 + WORDS * np.trace(square @ square) / np.trace(square) ** 2) ** -0.5
    return [r_squared(moved, predicted), r_squared(moved, by_bigrams), rows, law], moved


def nearest(moved, words, common=next_words.COMMON):
    """Return the common words that move most alike with some words."""
    ways = moved[:common] / np.linalg.norm(moved[:common], axis=1, keepdims=True)
    order = np.argsort(-ways @ ways.T, axis=1)
    return {word: words[order[list(words).index(word), 1:6]].tolist() for word in ALIKE}


def firsts():
    """Measure first steps, seed by seed."""
    found = {kind: [] for kind in KINDS}
    for seed in tqdm(SEEDS, unit="seed"):
        train, _, words = next_words.windows(seed)
        for kind in KINDS:
            figures, moved = first(kind, train[:FIRST], frequencies(train), seed)
            found[kind].append(rounded(figures))
            if kind == "depth 2" and seed == SEEDS[0]:
                found["alike"] = nearest(moved, words)
    return found


RECORDS = {"language_first": firsts}
