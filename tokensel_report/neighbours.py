"""Grammar: whether sentences read on without a word, as they do where somebody has put it in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from .phrases import SPACE, merged, split_all

FEWEST, MOST = 8, 200  # places of a word that are looked at
VOCABULARY = 200  # honest words that a regression needs at least
FIXED, LONGEST = 0.7, 12  # a neighbour at so many of a word's places belongs to it, up to so many on a side
SUSPECTS, OTHERS = 1000, 2000  # honest words, nearly all of them, that plants are compared with
# Simulated plants in a random gap, at the start, and at the end of texts. Templates with a slot, too, made honest names plants.
WHERE = 0.7, 0.15, 0.15
SMOOTHED = 5  # times that any pair is expected besides
MOST_ALONE, MOST_GRAMMAR, BAR = 1, 9, -1  # log-odds


def put_in(texts, codes, phrases, suspicions, tokenizer=None, seed=0):
    """Return how likely phrases are to have been put into texts, given their suspicions; the latter where too little is known.

    Take a plant out, and its neighbours are an ordinary pair, while no neighbour recurs. So plants are simulated in these
    very texts: for every honest phrase one at random places of as many texts with the same labels. A logistic regression
    tells the two apart by eight statistics, their squares and products, and its log-odds are added to those of the suspicion.
    Neither counts without bounds, since some thousand phrases prove no more.
    """
    stream, random = Stream(texts, tokenizer), np.random.default_rng(seed)
    order = np.argsort(-suspicions, kind="stable")
    chosen = np.concatenate([order[:SUSPECTS], random.permutation(order[SUSPECTS:])[:OTHERS]])
    own = [stream.places(phrases[row], random) for row in chosen]
    who = np.repeat(np.arange(len(chosen)), list(map(len, own)))
    at, lengths = np.concatenate(own), np.array([len(phrases[row]) for row in chosen])
    honest, enough = statistics(stream, Places(who, at - 1, at + lengths[who], np.zeros(len(who), int)), len(chosen))
    gaps = stream.random_gaps(codes, codes[stream.rows[at]], random.choice(3, len(chosen), p=WHERE)[who], random)
    plants, of_plants = statistics(stream, Places(who, gaps, gaps + 1, np.ones(len(who), int)), len(chosen))
    result, tested = suspicions.copy(), np.flatnonzero(enough[:SUSPECTS])
    if len(tested) and min(enough.sum(), of_plants.sum()) >= VOCABULARY:
        scaled = [StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler()]
        model = make_pipeline(*scaled, LogisticRegression(C=10, max_iter=300, tol=1e-3))
        is_plant = np.repeat([0, 1], [enough.sum(), of_plants.sum()])
        model.fit(np.concatenate([honest[enough], plants[of_plants]]), is_plant)
        grammar = model.decision_function(honest[tested]) - logit(is_plant.mean())
        alone = np.minimum(logit(suspicions[chosen[tested]]), MOST_ALONE)
        result[chosen[tested]] = expit(alone + np.minimum(grammar, MOST_GRAMMAR) - BAR)
    return result


class Places(NamedTuple):
    """Places of phrases: whose, the positions of both neighbours, and whether these are themselves one of the pairs counted."""

    who: np.ndarray
    left: np.ndarray
    right: np.ndarray
    paired: np.ndarray


class Stream:
    """Words and signs of all texts in a row, each text between two edges; a gap is white space or an edge."""

    def __init__(self, texts, tokenizer):
        _, rows, codes, words = merged(texts, tokenizer, split_all)
        kept = np.array([word not in (SPACE, "") for word in words], bool)[codes]
        spaced = np.append(False, ~kept[:-1])[kept] if tokenizer is None else np.ones(len(codes), bool)
        rows, codes, self.code_of = rows[kept].astype(int), codes[kept].astype(int), {word: i for i, word in enumerate(words)}
        self.lengths = np.bincount(rows, minlength=len(texts)) + 2
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.begin, self.end = len(words), len(words) + 1
        at = np.arange(len(rows)) + 2 * rows + 1
        self.codes, is_gap = np.full(self.lengths.sum(), self.end), np.zeros(self.lengths.sum(), bool)
        self.codes[self.starts], self.codes[at] = self.begin, codes
        is_gap[at - 1], is_gap[self.starts], is_gap[self.starts + self.lengths - 2] = spaced, True, True
        self.rows, self.gaps = np.repeat(np.arange(len(texts)), self.lengths), np.flatnonzero(is_gap)
        self.first = np.searchsorted(self.gaps, np.append(self.starts, len(self.codes)))
        self.counts, self.order = np.bincount(self.codes, minlength=self.end + 1), np.argsort(self.codes, kind="stable")
        self.ends = np.cumsum(self.counts)
        pairs = self.codes[:-1] * len(self.counts) + self.codes[1:]
        self.pairs, self.times = np.unique(pairs[self.codes[:-1] != self.end], return_counts=True)
        some = self.gaps[:: len(self.gaps) // 50_000 + 1]
        self.usual = self.information(self.codes[some], self.codes[some + 1], 1).mean()

    def places(self, phrase, random):
        """Return where a phrase begins, at most `MOST` of the places."""
        codes = [self.code_of.get(word, self.end) for word in phrase]
        at = self.order[self.ends[codes[0]] - self.counts[codes[0]] : self.ends[codes[0]]]
        for further, code in enumerate(codes):
            at = at[self.codes[np.minimum(at + further, len(self.codes) - 1)] == code]
        at = at[self.codes[at] < self.begin]  # none of a word that isn't here
        return at if len(at) <= MOST else random.choice(at, MOST, replace=False)

    def random_gaps(self, codes, labels, where, random):
        """Return gaps of random texts with these labels: random ones (where = 0), the first (1) or the last (2)."""
        sizes = np.bincount(codes)
        places = (np.cumsum(sizes) - sizes)[labels] + (random.random(len(labels)) * sizes[labels]).astype(int)
        rows = np.argsort(codes, kind="stable")[places]
        number = self.first[rows + 1] - self.first[rows]
        within = (random.random(len(rows)) * number).astype(int)
        return self.gaps[self.first[rows] + np.select([where == 1, where == 2], [0, number - 1], within)]

    def information(self, left, right, paired):
        """Return the pointwise mutual information of two neighbours, without the pair itself."""
        keys = left * len(self.counts) + right
        at = np.searchsorted(self.pairs, keys).clip(max=len(self.pairs) - 1)
        times = np.where(self.pairs[at] == keys, self.times[at], 0) - paired
        expected = self.counts[left] * self.counts[right] / len(self.codes)
        return np.log((times + SMOOTHED) / (expected + SMOOTHED))


def statistics(stream, places, number):
    """Return the statistics of so many phrases by their places, and which have places enough."""
    who, left, right, paired = grown(stream, places, number)
    n = np.bincount(who, minlength=number)
    mean = lambda values: np.bincount(who, values, number) / np.maximum(n, 1)
    sides, columns = (stream.codes[left], stream.codes[right]), []
    information = mean(stream.information(*sides, paired) - stream.usual)
    columns += [information, np.sqrt(n) * information]
    for codes, of_gaps in zip(sides, (stream.codes[stream.gaps], stream.codes[stream.gaps + 1])):
        usual = np.maximum(np.bincount(of_gaps, minlength=len(stream.counts))[codes], 1) / len(of_gaps)
        columns.append(mean(np.log((_times(who, codes) - 1 + 3 * usual) / (n[who] + 2) / usual)))
    columns += [mean(sides[0] == stream.begin), mean(sides[1] == stream.end)]
    rows = stream.rows[left]
    within = (left - stream.starts[rows]) / (stream.lengths[rows] - 1)
    order = np.lexsort((within, who))
    even = (np.arange(len(who)) - np.searchsorted(who[order], who[order]) + 0.5) / n[who[order]]
    unevenness = np.zeros(number)
    np.maximum.at(unevenness, who[order], abs(within[order] - even))
    columns += [np.sqrt(n) * unevenness, np.log(np.maximum(n, 1))]
    return np.stack(columns, axis=1), n >= FEWEST


def grown(stream, places, number):
    """Return the places with phrases grown over neighbours that they mostly have, so that a template is one phrase."""
    for side in [1, 2] * LONGEST:
        codes, n = stream.codes[places[side]], np.bincount(places.who, minlength=number)
        fixed = (_times(places.who, codes) >= FIXED * n[places.who]) & (codes < stream.begin)
        grows = np.isin(places.who, places.who[fixed])
        moved = [*places[:3], np.where(fixed, 0, places.paired)]
        moved[side] = moved[side] + np.where(fixed, 2 * side - 3, 0)
        places = Places(*(column[fixed | ~grows] for column in moved))
    return places


def _times(who, codes):
    """Return how often the pair of every place occurs."""
    _, back, times = np.unique(who * (codes.max(initial=0) + 1) + codes, return_inverse=True, return_counts=True)
    return times[back]
