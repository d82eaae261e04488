"""Controls of three conclusions: whether attention is more than frequency, or than values, and what opens the band of steps.

The protocol, committed before the official run; trials had seeds 1 and 2.

texts      Parts as in `ablations`, `TEXTS` of what trains; a number is the seed of the split and of the start. d = `DIM`.
frozen     Scores are fixed, then E and v are trained: even scores; the negative logarithm of a word's frequency; those that
           everything trained ends with, averaged among `GROUP` neighbours in frequency ("alike"); those after as many steps on
           shuffled labels; and those learnt on true labels. Each side at its best rate (split 0 chooses) and moment, by the
           loss on the part that chooses. The test part tells how often it is right.
beyond     The matched correlation of learnt scores with |skew| in the test part (words in `FEWEST` of its texts or more), and
           what is left of it with |value| partialled out: all three ranked, and centred among neighbours in frequency. Beside
           it the scores of shuffled labels, with the same skew.
band       120 texts, six relevant words a side, d = 2048, from p = 0, ten draws. Products of rows after the step stay, or are
           those of limit rows; the irrelevant words' values stay, or are zero.
targets    On each corpus, in the mean of five splits: frozen learnt scores are right at least .005 more often than frequencies,
           than scores made alike, and than scores of shuffled labels. What is left beyond |value| is at least .05. Of 20 draws
           at values of 1.5 and 2.5 at least 18 are lost with exact products and noisy values; with noisy products and values of
           zero at least 18 are certified.
"""

from functools import cache, partial
from itertools import combinations, product

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters.ablations import SIDES
from tokensel_nb.matched import GROUP, compared, correlation_at_equal, lean

from .ablations import Parts, at_best_rate, briefly, of_side, parts_of
from .recording import CORPORA, rounded

SPLITS, BEGIN = range(20261231, 20261236), 3  # the place of the first rate that is tried: few dimensions want large ones
TEXTS, DIM, FEWEST = {"imdb": 1_000, "tomatoes": 4_000, "tweets": 4_000}, 16, 10
DRAWS, VALUES = range(40, 50), (1.5, 2.5)


def weighed(texts, scores) -> ts.Corpus:
    """Return texts in which every word counts e^score times, so that even attention pays what these scores would."""
    return ts.Corpus(texts.counts * np.exp(scores - scores.max()), texts.labels, texts.vocabulary, texts.class_names)


def alike(scores, frequency) -> np.ndarray:
    """Return scores averaged among neighbours in frequency: all that frequency can tell of them."""
    order, averaged = np.argsort(-frequency, kind="stable"), np.empty(len(scores))
    for words in np.array_split(order, max(1, len(order) // GROUP)):
        averaged[words] = scores[words].mean()
    return averaged


class Networks:
    """Networks of one corpus, each split's trained once: on true labels at the best rate, and as long on shuffled ones."""

    def __init__(self, name):
        self.parts = partial(parts_of, name, TEXTS[name])
        train_at = of_side(SIDES["all"], self.parts, DIM)
        self.rate, *_ = at_best_rate(train_at, BEGIN, splits=())
        self.true, self.shuffled = cache(partial(train_at, self.rate)), cache(self._shuffled)

    def _shuffled(self, split):
        fit, steps = ts.shuffle_labels(self.parts(split).fit, split), self.true(split).step
        start = ts.init_parameters(fit.vocab_size, DIM, split)
        return ts.train(start, fit, steps=steps, learning_rate=self.rate, evaluate_every=steps)

    def scores(self, kind, split) -> np.ndarray:
        """Return the scores of a kind, which are to be frozen."""
        often = np.asarray(self.parts(split).fit.counts.sum(axis=0)).ravel()
        if kind in ("even", "frequency"):
            return -np.log(often) * (kind == "frequency")
        learnt = (self.shuffled if kind == "shuffled" else self.true)(split).parameters.token_scores
        return alike(learnt, often) if kind == "alike" else learnt

    def right(self, kind) -> list:
        """Return how often networks with frozen scores of a kind are right, split by split."""

        @cache
        def given(split):
            return Parts(*(weighed(part, self.scores(kind, split)) for part in self.parts(split)))

        return [run["test_accuracy"] for run in briefly(of_side(SIDES["bag"], given, DIM), given, BEGIN, SPLITS)["runs"]]


def beyond(parameters, parts) -> list:
    """Return how scores go with the skew among words of equal frequency, and what is left of it with |value| held fixed."""
    words, frequency = compared(parts.test, FEWEST), np.asarray(parts.fit.counts.sum(axis=0)).ravel()
    amounts = parameters.token_scores, np.abs(parameters.token_values), lean(parts.test)
    pairs = combinations([amount[words] for amount in amounts], 2)
    with_value, whole, of_value = (correlation_at_equal(frequency[words], *pair) for pair in pairs)
    left = (whole - with_value * of_value) / np.sqrt((1 - with_value**2) * (1 - of_value**2))
    return rounded([whole, left])


def gains(name) -> dict:
    """Compare all kinds of scores on a corpus, and say what learnt ones tell beyond values."""
    networks = Networks(name)
    kinds = ("even", "frequency", "alike", "shuffled", "learnt")
    right = {kind: networks.right(kind) for kind in tqdm(kinds, desc=name, unit="kind")}
    of_labels = {"true": networks.true, "shuffled": networks.shuffled}
    return {"right": right} | {
        labels: [beyond(of(split).parameters, networks.parts(split)) for split in SPLITS] for labels, of in of_labels.items()
    }


def ending(value, seed, exact_products, exact_values) -> str:
    """Follow one draw of the band, and return how it ends."""
    corpus = ts.one_relevant_token(120, 60, 8, 6, seed)
    after = ts.embedding_step(ts.init_parameters(60, 2048, seed, dtype="float64"), corpus, 192 * value)
    if exact_values:  # of the irrelevant words, from the thirteenth on
        after.embeddings[12:] -= np.outer(after.token_values[12:], after.output_vector)
    start = ts.rows_with_values(after.token_values) if exact_products else after
    return ts.selection_certificate(start, corpus).verdict(ts.gradient_flow(start, corpus, 300, records=60, tolerance=1e-5))


def band() -> dict:
    """Follow ten draws for every value, with exact products or values, both or neither."""
    kinds = {"as drawn": (0, 0), "exact products": (1, 0), "exact values": (0, 1), "both": (1, 1)}
    cells = tqdm(product(kinds, VALUES), total=len(kinds) * len(VALUES), desc="Band", unit="cell")
    found = {kind: {} for kind in kinds}
    for kind, value in cells:
        found[kind][str(value)] = [ending(value, seed, *kinds[kind]) for seed in DRAWS]
    return found


RECORDS = {f"gains_{name}": partial(gains, name) for name in CORPORA} | {"band": band}
