r"""The first gradient step on word embeddings, in any model that reads words through attention: β_s u, one direction for all.

Let x_i be the row that a model reads at place i of a text with T places, and g = σ(-y f). By the chain rule, for any vector u::

    -∂L/∂E_s = Ê[y g Σ_{i: x_i=s} ∂f/∂x_i] = β_s u + r_s,   β_s = Ê[y g c_s/T],
    ‖r_s‖ ≤ δ Ê[g c_s/T],   δ the largest ‖T ∂f/∂x_i - u‖ over texts and places of words.

We take u = Ê[Σ_i ∂f/∂x_i] / Ê[words/T], which knows nothing of labels. In one layer of attention with p = 0 it is v, and r = 0.

Start a `Transformer` at ε times fixed arrays, without LayerNorm. Scores of attention are O(ε⁴), so that it is uniform. A word
reaches <cls> through one attention, with the factor W_V W_O of O(ε²). A second attention or an MLP on the way costs O(ε²) more.
So δ is O(ε²)‖u‖, at any depth. With LayerNorm before each part it is O(ε²/κ)‖u‖, κ the constant below LayerNorm's root, since
LayerNorm is linear up to that: this says nothing unless ε² is small beside κ, 1e-5 in PyTorch. At ε = 1/50, the default, ε²/κ is
40. There LayerNorm's Jacobian turns each word's own way, by O(1/√d) at least, and how small δ is has to be measured. With
LayerNorm behind each part δ is O(ε²)‖u‖ for one layer. In more layers a word's state has passed a LayerNorm: O(1/√d) is left,
unless ε is far below κ itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..corpus.corpus import Corpus, relabelled, some_texts
from ..models.base import Model
from ..models.one_layer import OneLayer
from ..models.parameters import NamedArrays
from ..models.verbs import gradients, logits
from ..support.arrays import sigmoid, to_numpy
from ..support.checks import checked


@dataclass(frozen=True, eq=False, repr=False)
class FirstStep:
    """What the gradient does to word embeddings, and what is predicted of it, with nothing fitted.

    Parameters
    ----------
    movement : ndarray, shape (vocab_size, dim)
        -∂L/∂E.
    shares : ndarray, shape (vocab_size,)
        β.
    direction : ndarray, shape (dim,)
        u.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.first_step(ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64"), corpus)
    FirstStep(3 words, R² 1.000, slope 1.000)
    """

    movement: np.ndarray
    shares: np.ndarray
    direction: np.ndarray

    @property
    def predicted(self):
        """The outer product β uᵀ, ndarray of shape (vocab_size, dim)."""
        return np.outer(self.shares, self.direction)

    @property
    def r_squared(self):
        """1 - ‖movement - βuᵀ‖²/‖movement‖², float: the share of the movement that is predicted, in size and in direction."""
        return 1 - ((self.movement - self.predicted) ** 2).sum() / (self.movement**2).sum()

    @property
    def slope(self):
        """The number by which the prediction fits the movement best, float; 1 if its size is right."""
        return (self.movement * self.predicted).sum() / (self.predicted**2).sum()

    def __repr__(self):
        """Name sizes, as in ``FirstStep(3 words, R² 1.000, slope 1.000)``."""
        return f"FirstStep({len(self.shares):,} words, R² {self.r_squared:.3f}, slope {self.slope:.3f})"


@checked(corpus=some_texts, parameters=NamedArrays, model=Model)
def first_step(parameters: NamedArrays, corpus: Corpus, model: Model = OneLayer()) -> FirstStep:  # noqa: B008
    """Return how the word embeddings move in a first step of gradient descent, and what is predicted of it.

    Parameters
    ----------
    parameters : NamedArrays
        Where training begins; the prediction is for small ones.
    corpus : Corpus
        Of two classes.
    model : Model

    Returns
    -------
    FirstStep

    Raises
    ------
    ValueError
        If the corpus has more than two classes or no word, or the parameters do not fit it.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["a good film", "bad", "good", "a bad film"], [1, -1, 1, -1], longest=8)
    >>> model = ts.Transformer(layers=2, norm="none", longest=8)
    >>> ts.first_step(model.start(texts.vocab_size, dim=64, seed=0, dtype="float64"), texts, model)
    FirstStep(3 words, R² 1.000, slope 1.000)
    """
    if not corpus.lengths.any():
        raise ValueError("no text of the corpus holds a word, so no word moves")
    signs, places = corpus.signs, corpus.lengths + model.own_places
    residuals = sigmoid(-signs * to_numpy(logits(parameters, corpus, model)))
    movement = -to_numpy(gradients(parameters, corpus, model).embeddings)
    # softplus(f) - softplus(-f) = f: the loss of the label -1 less that of +1 is the mean logit, which knows no labels.
    of_labels = [np.full(len(corpus), label) for label in (0, 1)]
    blame, praise = [gradients(parameters, relabelled(corpus, labels), model).embeddings for labels in of_labels]
    of_places = corpus.mean_weights / np.maximum(places, 1)
    shares = corpus.counts.T @ (of_places * np.stack([signs * residuals, np.ones(len(corpus))])).T
    return FirstStep(movement, shares[:, 0], to_numpy(blame - praise).sum(0) / shares[:, 1].sum())
