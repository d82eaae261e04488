"""Chapter 9's texts made to order, in which pairs of words tell the label, and the models that learn them.

``python -m tokensel_nb.chapters.pairs`` trains two layers of attention, the slowest of them, with every seed and stores what
they get right (a quarter of a minute).
"""

from __future__ import annotations

import numpy as np

from ..corpus.corpus import Corpus
from ..corpus.synthetic import negation, xor_of_pairs
from ..models.base import Model
from ..models.deeper import TwoLayers
from ..models.verbs import logits
from ..training.train import train
from .recorded import record, rounded

SEEDS = range(20, 25)
TWO_LAYERS = TwoLayers(residual=0.0, identity=0.0, spread=3.0)
SLOWLY = {"steps": 600, "learning_rate": 0.02}
"""How two layers are trained."""


def xor(seed) -> tuple[Corpus, Corpus]:
    """Return 400 texts to learn from whose label is the exclusive or of two words, and 400 others made of the same words.

    Parameters
    ----------
    seed : int

    Returns
    -------
    (Corpus, Corpus)

    Examples
    --------
    >>> [len(texts) for texts in xor(20)]
    [400, 400]
    """
    return tuple(xor_of_pairs(400, 24, 6, seed=each) for each in (seed, 100 + seed))


def negated(seed) -> tuple[Corpus, Corpus]:
    """Return the same in which 30% of all texts hold "not", twin by twin.

    Parameters
    ----------
    seed : int

    Returns
    -------
    (Corpus, Corpus)

    Examples
    --------
    >>> texts, _ = negated(20)
    >>> int((texts.counts[:, [-1]] > 0).sum())
    120
    """
    return tuple(negation(400, 40, 6, 3, 0.3, seed=each) for each in (seed, 100 + seed))


TASKS = {"XOR of two words": xor, "30% negated": negated}


def share_right(found, corpus: Corpus) -> float:
    """Return on how many of a corpus' texts logits have the label's sign.

    Parameters
    ----------
    found : ndarray, shape (n,)
        Logits.
    corpus : Corpus
        Two classes.

    Returns
    -------
    float

    Examples
    --------
    >>> texts, _ = xor(20)
    >>> float(share_right(texts.signs, texts))
    1.0
    """
    return np.mean((found > 0) == (corpus.signs > 0))


def shares_right(model: Model, texts: Corpus, new: Corpus, seed, *, steps=300, learning_rate=0.03) -> list:
    """Train on texts; return the share of right answers there and on new texts.

    Parameters
    ----------
    model : Model
    texts, new : Corpus
    seed : int
        Of the start.
    steps : int
    learning_rate : float

    Returns
    -------
    list of float

    Examples
    --------
    >>> from tokensel_nb import WithMLP
    >>> [float(share) for share in shares_right(WithMLP(), *xor(20), 20)]
    [1.0, 1.0]
    """
    options = dict(steps=steps, learning_rate=learning_rate, seed=seed, evaluate_every=steps)
    found = train(texts, model, dim=32, device="auto", **options).parameters
    return [share_right(logits(found, each, model), each) for each in (texts, new)]


def main():
    """Record what two layers get right of each task: of the texts learnt from, and of new ones, seed by seed."""
    found = {
        task: np.transpose([shares_right(TWO_LAYERS, *draw(seed), seed, **SLOWLY) for seed in SEEDS])
        for task, draw in TASKS.items()
    }
    print(record("two_layers_pairs", {task: [rounded(each) for each in shares] for task, shares in found.items()}))


if __name__ == "__main__":
    main()
