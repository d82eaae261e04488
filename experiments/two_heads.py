"""Two heads of attention in one layer: whether they come to differ, and whether one listens to praise and one to blame.

The protocol, committed before the official run; trials had seeds 11 and 12. Sizes, batches and steps are 08_deeper's: 5,000
reviews of IMDB train and 1,000 stop, of Rotten Tomatoes 3,000 and 1,000, cut to 96 words; all others tell, of accuracy and of
the label skew. A number is the seed of a split and of the start. Queries begin at zero, each head's output vector is drawn. One
head has 256 of a million numbers fewer. Each side has the rate of the lowest held-out loss on `CHOOSING`, and stops, evaluated
every 50 steps, at its own lowest held-out loss. Beside two heads stand two models of one head, trained on the same texts from
two starts, and two heads on shuffled labels, at the step where true labels stop. Words are those in 20 telling texts or more.

Targets, for both corpora, when training stops: the scores of two heads correlate more in each split than those of two models do
in any (trials at two rates: 0.96 and more beside 0.54 to 0.88); two heads are at most 0.01 more accurate than one (mean of five
splits; a standard error is 0.007 on Rotten Tomatoes, and the heads that the trials showed have little to divide).
"""

import warnings
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.arrays import as_numpy
from tokensel_nb.chapters import deeper_reviews as chapter
from tokensel_nb.deeper import over_texts
from tokensel_nb.matched import compared, correlation_at_equal

from .ablations import lowest, search
from .recording import rounded

CHOOSING, SPLITS, SECOND_START = 0, range(20261125, 20261130), 1_000
LADDER = (0.0003, 0.001, 0.003, 0.01, 0.03)
CORPORA = {"imdb": (cache(ts.load_imdb), 5_000), "tomatoes": (cache(ts.load_rotten_tomatoes), 3_000)}


class HeadParameters(NamedTuple):
    """What heads learn: E, a query and an output vector for each head."""

    embeddings: Any
    queries: Any
    output_vectors: Any

    @property
    def scores(self):
        """E_s·p_h, one row a head."""
        return self.queries @ self.embeddings.T

    @property
    def values(self):
        """E_s·v_h, one row a head."""
        return self.output_vectors @ self.embeddings.T


@dataclass(frozen=True)
class Heads:
    """The sum of several heads, each with its own query and output vector, over the same embeddings."""

    number: int = 2

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32"):
        """Draw E and output vectors; queries are zero."""
        random = np.random.default_rng(seed)
        embeddings = random.standard_normal((vocab_size, dim)) / np.sqrt(dim)
        outputs = random.standard_normal((self.number, dim))
        outputs /= np.linalg.norm(outputs, axis=1, keepdims=True)
        return HeadParameters(*(array.astype(dtype) for array in (embeddings, np.zeros_like(outputs), outputs)))

    def __call__(self, parameters, counts):
        """Return the logits of all texts."""
        return over_texts(self._logits, parameters, counts)

    def _logits(self, parameters, texts):
        words, log_counts = texts.padded(parameters.embeddings)
        both = torch.cat([parameters.scores, parameters.values]).T
        scores, values = torch.nn.functional.embedding(words, both).chunk(2, dim=2)
        attention = (scores + log_counts[..., None]).softmax(dim=1)
        return (attention * values).sum(dim=(1, 2))


def parts_of(name, split, shuffled=False):
    """Return what is trained on, what stops and what tells."""
    load, texts = CORPORA[name]
    corpus = ts.shuffle_labels(load(), split) if shuffled else load()
    fit, held_out = chapter.rows_of(corpus, split, texts)
    rest = np.setdiff1d(np.arange(len(corpus)), np.concatenate([fit, held_out]))
    return corpus[fit], corpus[held_out], corpus[rest]


def trained(model, parts, rate, seed, every=50):
    """Train some heads; return the history, and the parameters by steps."""
    seen = {}
    keep = lambda step, parameters: seen.setdefault(step, as_numpy(parameters))
    history = chapter.train_cut(model, *parts[:2], seed, learning_rate=rate, evaluate_every=every, watch=keep).history
    return history, seen


def stop_of(history):
    """Return the step of the lowest held-out loss."""
    return int(history.steps[history.held_out_losses.argmin()])


def best_rate(name, number):
    """Choose a rate on the split that chooses, by the lowest held-out loss."""
    parts = parts_of(name, CHOOSING)
    return search(lambda rate: trained(Heads(number), parts, rate, CHOOSING)[0], lowest, LADDER)[0]


def compare(scores, values, fit, tell) -> dict:
    """Return how alike two heads are, and how the scores of each go with the label skew of the texts that tell."""
    frequency = fit.counts.sum(axis=0)
    words = compared(tell) & (frequency > 0)
    skew, a = tell.label_skew()[words], scores[:, words]
    return {
        "scores": np.corrcoef(a)[0, 1],
        "values": np.corrcoef(values[:, words])[0, 1],
        "side": [correlation_at_equal(frequency[words], skew, each) for each in a],
    }


def both(found, parts):
    """Compare the heads of one model, or of two."""
    stacked = [np.vstack([getattr(each, kind) for each in found]) for kind in ("scores", "values")]
    return compare(*stacked, parts[0], parts[2])


def of_split(name, split, rates) -> dict:
    """Train two heads, one head twice, and two heads on shuffled labels; compare them when they stop, and at the end."""
    parts, last = parts_of(name, split), chapter.SETTINGS["steps"]
    history, two = trained(Heads(2), parts, rates[2], split)
    ones = [trained(Heads(1), parts, rates[1], seed) for seed in (split, split + SECOND_START)]
    stop, stops = stop_of(history), [stop_of(one) for one, _ in ones]
    mixed = parts_of(name, split, shuffled=True)
    chance = trained(Heads(2), mixed, rates[2], split, every=stop)[1]
    found = {"accuracy": [accuracy(two[stop], parts, 2), accuracy(ones[0][1][stops[0]], parts, 1)]}
    for when, steps in (("stopped", (stop, *stops)), ("last", 3 * (last,))):
        pair = [seen[step] for (_, seen), step in zip(ones, steps[1:])]
        found[when] = {
            "two heads": both([two[steps[0]]], parts),
            "two models": both(pair, parts),
            "shuffled labels": both([chance[steps[0]]], mixed),
        }
    return rounded(found)


def accuracy(parameters, parts, number):
    """Return the accuracy on the texts that tell, cut as those trained on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return ts.accuracy(parameters, ts.most_frequent(parts[2], chapter.MAX_TOKENS), Heads(number))


def on_corpus(name) -> dict:
    """Choose rates, and return what each split finds."""
    rates = {number: best_rate(name, number) for number in (1, 2)}
    return {"splits": [of_split(name, split, rates) for split in tqdm(SPLITS, desc=name, unit="split")]}


RECORDS = {"two_heads": lambda: {name: on_corpus(name) for name in CORPORA}}
