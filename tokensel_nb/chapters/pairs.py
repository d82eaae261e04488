"""Chapter 9's texts made to order, in which pairs of words tell the label, and the models that learn them."""

from __future__ import annotations

import numpy as np

from ..corpus.corpus import Corpus
from ..corpus.synthetic import negation, xor_of_pairs
from ..models.base import Model
from ..models.verbs import logits
from ..training.train import train

SEEDS = range(20, 25)
SLOWLY = {"steps": 600, "learning_rate": 0.02}  # how two layers of attention are trained


def xor(seed) -> tuple[Corpus, Corpus]:
    """Return 400 texts to learn from whose label is the exclusive or of two words, and 400 others made of the same words."""
    return xor_of_pairs(400, 24, 6, seed=seed), xor_of_pairs(400, 24, 6, seed=100 + seed)


def negated(seed) -> tuple[Corpus, Corpus]:
    """Return texts likewise, of which 30% hold "not", twin by twin."""
    return negation(400, 40, 6, 3, 0.3, seed=seed), negation(400, 40, 6, 3, 0.3, seed=100 + seed)


TASKS = {"XOR of two words": xor, "30% negated": negated}


def share_right(predicted, corpus: Corpus) -> float:
    """Return on which share of a corpus of two classes logits have the label's sign."""
    return np.mean((predicted > 0) == (corpus.signs > 0))


def shares_right(model: Model, texts: Corpus, new: Corpus, seed, *, steps=300, learning_rate=0.03) -> list:
    """Train on texts from the start that the seed draws; return the shares of right answers there and on new texts."""
    options = dict(steps=steps, learning_rate=learning_rate, seed=seed, evaluate_every=steps)
    trained = train(texts, model, dim=32, device="auto", **options).parameters
    return [share_right(logits(trained, part, model), part) for part in (texts, new)]
