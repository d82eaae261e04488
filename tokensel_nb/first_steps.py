r"""The first gradient step on word embeddings, in any model that reads words through attention: β_s u, one direction for all.

Let x_i be the row that a model reads at place i of a text with T places, and g = σ(-y f). By the chain rule, for any vector u::

    -∂L/∂E_s = Ê[y g Σ_{i: x_i=s} ∂f/∂x_i] = β_s u + r_s,   β_s = Ê[y g c_s/T],
    ‖r_s‖ ≤ δ Ê[g c_s/T],   δ the largest ‖T ∂f/∂x_i - u‖ over texts and places of words.

We take u = Ê[Σ_i ∂f/∂x_i] / Ê[words/T], which is independent of labels. In one layer of attention with p = 0, u = v and r = 0.

Start a `Transformer` at ε times fixed arrays, without LayerNorm. Scores of attention are O(ε⁴), so that it is uniform. A word
reaches <cls> through one attention, with the factor W_V W_O of O(ε²). A second attention or an MLP on the way costs O(ε²) more.
So δ is O(ε²)‖u‖, at any depth. With LayerNorm before every part it is O(ε²/κ)‖u‖, κ the constant below LayerNorm's root,
because LayerNorm is linear up to that: a bound only if ε² is small compared with κ, 1e-5 in PyTorch. At ε = 1/50, the default,
ε²/κ is 40. There LayerNorm's Jacobian depends on the word, by O(1/√d) at least, and δ has to be measured. With LayerNorm after
every part δ is O(ε²)‖u‖ for one layer. In deeper models a word's state has passed a LayerNorm: O(1/√d) is left, unless ε is far
below κ itself.

This module also says how large d must be, and how far rows may be from the limit d → ∞, so that attention is certain to select
the relevant tokens. Let all relevant tokens have values of one size G, at most k of them per label, and irrelevant ones the
value 0. Selection is certain from every start if products of two differences E_r - E_s miss those of limit rows by less than

    ϑ* = (1 + 2(k-1)G²) / (2 [2k - 1 + 4k(k-1)G²]),

and this is the largest such bound. From p = 0 the corpus gives a dimension that is enough. The book proves both (Theorem
“Selection from every start, with products that err”, Corollary “A dimension that is enough”).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import to_numpy
from .assumption import check_assumption_1, complete_tokens, relevant_tokens
from .corpus import relabelled
from .model import gradients, logits, one_layer, sigmoid
from .one_step import predicted_values

SAME = 1e-9  # relative differences of shares that count as rounding


@dataclass(frozen=True, eq=False, repr=False)
class FirstStep:
    """The gradient in the word embeddings, and its prediction, in which nothing is fitted.

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
        """1 - ‖movement - βuᵀ‖²/‖movement‖², float: the share of the movement that is predicted in size and direction."""
        return 1 - ((self.movement - self.predicted) ** 2).sum() / (self.movement**2).sum()

    @property
    def slope(self):
        """The number by which the prediction fits the movement best, float; 1 if its size is right."""
        return (self.movement * self.predicted).sum() / (self.predicted**2).sum()

    def __repr__(self):
        """Show sizes, as in ``FirstStep(3 words, R² 1.000, slope 1.000)``."""
        return f"FirstStep({len(self.shares):,} words, R² {self.r_squared:.3f}, slope {self.slope:.3f})"


def first_step(parameters, corpus, model=one_layer) -> FirstStep:
    """Return how the word embeddings move in a first step of gradient descent, and the prediction.

    Parameters
    ----------
    parameters : NamedTuple of arrays
        Where training begins; the prediction is for small ones.
    corpus : Corpus
        Of two classes.
    model : callable
        As in `logits`; the attribute ``own_places``, if any, is the number of places besides the words of a text.

    Returns
    -------
    FirstStep

    Raises
    ------
    ValueError
        If the corpus has more than two classes or no word, or the parameters have other shapes.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["a good film", "bad", "good", "a bad film"], [1, -1, 1, -1], longest=8)
    >>> model = ts.Transformer(layers=2, norm="none", longest=8)
    >>> ts.first_step(model.start(texts.vocab_size, dim=64, seed=0, dtype="float64"), texts, model)
    FirstStep(3 words, R² 1.000, slope 1.000)
    """
    if not corpus.lengths.any():
        raise ValueError("all texts of the corpus are empty; give texts with words")
    signs, places = corpus.signs, corpus.lengths + getattr(model, "own_places", 0)
    residuals = sigmoid(-signs * to_numpy(logits(parameters, corpus, model)))
    # softplus(f) - softplus(-f) = f: the loss of the label -1 minus that of +1 is the mean logit, without labels.
    labelled = (relabelled(corpus, np.full(len(corpus), label)) for label in (0, 1))
    blame, praise = (gradients(parameters, texts, model).embeddings for texts in labelled)
    of_places = corpus.mean_weights / np.maximum(places, 1)
    shares = corpus.counts.T @ (of_places * np.stack([signs * residuals, np.ones(len(corpus))])).T
    moved = -to_numpy(gradients(parameters, corpus, model).embeddings)
    return FirstStep(moved, shares[:, 0], to_numpy(blame - praise).sum(0) / shares[:, 1].sum())


def allowed_error(relevant, size) -> float:
    """Return ϑ*(k, G): with smaller errors in products of two differences E_r - E_s, selection is certain from every start.

    Parameters
    ----------
    relevant : int
        k, the number of relevant tokens of the label that has more.
    size : float
        G, the size of their values; irrelevant tokens have the value 0.

    Returns
    -------
    float
        One half for k = 1; otherwise it falls from 1/(4k - 2) for small G to 1/(4k) for large G.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> [round(ts.allowed_error(many, 1.0), 4) for many in (1, 2, 3, 4)]
    [0.5, 0.1364, 0.0862, 0.0636]
    """
    square = min(size, 1e100) ** 2  # at the limit, to all digits
    return (1 + 2 * (relevant - 1) * square) / (2 * (2 * relevant - 1 + 4 * relevant * (relevant - 1) * square))


def sufficient_dimension(corpus, value, failure=0.01) -> int:
    """Return a d at which the flow from p = 0, after one step on E, selects all relevant tokens with a given probability.

    E has normal entries of variance 1/d and is independent of v, with ‖v‖ = 1; its step is taken at p = 0. The bound is far
    larger than necessary.

    Parameters
    ----------
    corpus : Corpus
        Two classes, Assumption 1, texts of one length of at least 2; the signed shares of irrelevant tokens are zero, and those
        of relevant ones have one size (`predicted_values`).
    value : float
        G, the size that the step gives the values of relevant tokens in the limit d → ∞.
    failure : float
        The probability of failure that you accept, at most 0.5.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the corpus breaks a condition, or ``value`` is too large for the theorem; the message names the largest allowed one.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> f"{ts.sufficient_dimension(corpus, 0.3):,}"
    '3,898,187'
    """
    share, fails = _conditions(corpus)
    if fails:
        raise ValueError(f"the bound does not hold for this corpus: {fails}")
    labels, weights, length = complete_tokens(corpus), corpus.mean_weights, float(corpus.lengths[0])
    many, every = max((labels == 1).sum(), (labels == -1).sum()), np.count_nonzero(labels)
    heaviest = (weights @ relevant_tokens(corpus)).max() / weights.min()
    logarithm = np.log(8 + 11 * heaviest * every * length**3)
    most = 1 / np.sqrt(2 * logarithm * many)
    if not (0 < value <= most and 0 < failure <= 0.5):
        raise ValueError(f"failure={failure:g} or value={value:g} is too large; give at most 0.5, {np.floor(most * 1e4) / 1e4}")
    commonest = (weights @ corpus.counts).max() / length / share
    noise = (1 + commonest * value / 2) * max(57, 6 * length) / value
    events = corpus.vocab_size * (corpus.vocab_size + 2) / failure
    return int(np.ceil(np.log(events) * max(140 * many * logarithm, noise) ** 2))


def _conditions(corpus):
    """Return the size of the signed shares of relevant tokens, and the condition of the bound that fails, if any, in words."""
    if not (answer := check_assumption_1(corpus)):
        return np.nan, answer.counter_example
    if np.ptp(corpus.lengths) or corpus.lengths[0] < 2:
        return np.nan, "its texts are not of one length of at least 2"
    shares, relevant = np.abs(predicted_values(corpus, 2.0)), complete_tokens(corpus) != 0
    share = shares[relevant].max()
    if shares[~relevant].max(initial=0) > SAME * share:
        return share, "its weights give an irrelevant token a signed share"
    return share, "its relevant tokens differ in the size of their shares" if np.ptp(shares[relevant]) > SAME * share else ""
