r"""One gradient step on the embeddings, the prediction of theory, and its null: shuffled labels.

From p = 0, where attention is uniform, with ‖v‖ = 1, step size η₀ and g = σ(-y f)::

    E¹_s·v = E⁰_s·v + η₀ Ê[y g c_s(X)/T(X)]          exactly,
           = E⁰_s·v + (η₀/2) ᾱ_s + O(d^{-1/2})       for large d, where f → 0 and so g → 1/2,

with the average signed share ᾱ_s = Ê[y c_s(X)/T(X)] (Propositions “One step, exactly” and “One step, in high dimension”).
Values at the start have the variance 1/d. So the correlation of values after the step with the prediction (η₀/2) ᾱ is
(1 + 1/(d Var))^(-1/2), with the prediction's variance Var over the words. For K > 2 classes with orthonormal v_k the prediction
is η₀ ᾱ_sk. A further step on p gives scores that are quadratic in ᾱ_s (Proposition “One step on the query, in high
dimension”). Adam's first step instead moves all words equally far (Proposition “Adam's first step”).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .corpus import shuffle_labels
from .model import exact_parameters, residuals_of_logits, score_gradients, slopes_of
from .parameters import Parameters, init_parameters

SIDES = "#D55E00", "#0072B2"  # orange and blue, distinct with all common kinds of colour vision


def embedding_step(parameters, corpus, learning_rate) -> Parameters:
    """Take one full-batch gradient step on the embeddings alone, and return the new parameters.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
    learning_rate : float
        η₀ > 0.

    Returns
    -------
    `Parameters`
        A new E; p and v as they were.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.Parameters(np.eye(4)[:3], np.zeros(4), np.eye(4)[3])
    >>> ts.embedding_step(start, corpus, 8.0).token_values
    array([ 1., -1.,  0.])
    """
    return _step(parameters, corpus, learning_rate, "embeddings")


def cls_step(parameters, corpus, learning_rate) -> Parameters:
    """Take one full-batch gradient step on p alone, and return the new parameters.

    Parameters
    ----------
    parameters, corpus
        As in `embedding_step`.
    learning_rate : float
        η_p > 0.

    Returns
    -------
    `Parameters`
        A new p; E and v as they were.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.Parameters(np.eye(4)[:3], np.zeros(4), np.eye(4)[3])
    >>> after = ts.cls_step(ts.embedding_step(start, corpus, 8.0), corpus, 10.0)
    >>> after.token_scores.round(3)  # attention turns to "good" and "bad"
    array([ 0.472,  0.472, -0.944])
    """
    return _step(parameters, corpus, learning_rate, "cls_embedding")


def _step(parameters, corpus, learning_rate, name):
    slope = slopes_of(parameters, corpus, [name])[name]
    return parameters._replace(**{name: getattr(parameters, name) - learning_rate * slope[:]})


def exact_values(parameters, corpus, learning_rate) -> np.ndarray:
    """Return E¹_s·v after one step on the embeddings from p = 0, by an exact formula (mirrors Lemma 4.1).

    It needs no gradient, so it is an independent check of `embedding_step`.

    Parameters
    ----------
    parameters : Parameters
        Before the step, with p = 0.
    corpus : Corpus
    learning_rate : float
        η₀.

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes

    Raises
    ------
    ValueError
        If p is not zero.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> gap = ts.embedding_step(start, corpus, 8.0).token_values - ts.exact_values(start, corpus, 8.0)
    >>> bool(np.abs(gap).max() < 1e-15)
    True
    """
    exact = _uniform(parameters, corpus)
    return _stepped(exact.token_values, corpus, learning_rate, exact.output_vector @ exact.output_vector.T)


def _stepped(values, corpus, learning_rate, products=1.0):
    """Return the values after a step, from those before and the products of the heads: ‖v‖², or those of all v_k."""
    moved = corpus.shares.T @ residuals_of_logits(corpus.shares @ values, corpus)
    return values - learning_rate * np.dot(moved, products)


def _uniform(parameters, corpus):
    """Return parameters in float64; refuse p ≠ 0."""
    exact = exact_parameters(parameters, corpus)
    if exact.cls_embedding.any():
        raise ValueError("cls_embedding is not zero; give p = 0, where attention is uniform and the formula holds")
    return exact


def predicted_values(corpus, learning_rate) -> np.ndarray:
    """Return the limit of E¹_s·v as d grows: η₀/2 times the average signed share (mirrors Lemma 4.1).

    For K classes with orthonormal v_k the limit is η₀ Ê[(1{y=k} - 1/K) c_s/T], the paper's formula (Proposition “One step with
    several classes”).

    Parameters
    ----------
    corpus : Corpus
    learning_rate : float
        η₀.

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.predicted_values(corpus, 8.0)
    array([ 1., -1.,  0.])
    """
    return learning_rate * corpus.signed_share() / (2 if corpus.num_classes == 2 else 1)


def predicted_scores(corpus, embedding_rate, cls_rate) -> np.ndarray:
    r"""Return the limit of E¹_s·p¹ as d grows, after one step on E and then one on p.

    The values tend to γ = (η₀/2) ᾱ, and E¹E¹ᵀ tends to I + γγᵀ. So the scores tend to -η_p (∂L/∂a + γ (γ·∂L/∂a)), where
    ∂L/∂a is taken at uniform attention (Proposition “One step on the query, in high dimension”).

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    embedding_rate, cls_rate : float
        η₀ and η_p.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.predicted_scores(corpus, 8.0, 10.0).round(3)
    array([ 0.472,  0.472, -0.944])
    """
    _ = corpus.signs  # a ValueError for more than two classes
    values = predicted_values(corpus, embedding_rate)
    by_score, _ = score_gradients(np.zeros_like(values), values, corpus)
    return -cls_rate * (by_score + values * (values @ by_score))


def adam_values(parameters, corpus, learning_rate, epsilon=1e-8) -> np.ndarray:
    """Return E¹_s·v after Adam's first step on the embeddings from p = 0, by an exact formula.

    Every number moves against its gradient G by η |G|/(|G| + ε) (Proposition “Adam's first step”). No optimizer is needed.

    Parameters
    ----------
    parameters, corpus
        As in `exact_values`.
    learning_rate : float
        η.
    epsilon : float
        ε.

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.Parameters(np.eye(4)[:3], np.zeros(4), np.eye(4)[3])
    >>> ts.adam_values(start, corpus, 0.1).round(6)  # every word that leans moves as far
    array([ 0.1, -0.1,  0. ])
    """
    exact = _uniform(parameters, corpus)
    values, heads = exact.token_values, exact.output_vector
    _, by_value = score_gradients(np.zeros(len(values)), values, corpus)
    slope = by_value.reshape(len(values), -1) @ heads.reshape(-1, exact.embeddings.shape[1])
    return values - learning_rate * (slope / (np.abs(slope) + epsilon)) @ heads.T


def class_profile(corpus) -> np.ndarray:
    """Return the direction ϱ_sk = ᾱ_sk / ‖ᾱ_s‖ of a word's signed shares: how it leans, however frequent it is.

    Adam's first step moves E_s·v_k by about η √(2d/π) ϱ_sk (Proposition “Adam's first step, several classes”).

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes
        Two classes: -1, 0 or 1. K classes: rows of length one and sum zero. Zero for a word that does not lean or does not
        occur.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.class_profile(ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"]))
    array([ 1., -1.,  0.])
    """
    share = corpus.signed_share()
    if corpus.num_classes == 2:
        return np.sign(share)
    length = np.linalg.norm(share, axis=1, keepdims=True)
    return share / np.where(length > 0, length, 1)


def null_spread(corpus, dim, learning_rate) -> float:
    """Return the predicted standard deviation of the correlation of E¹_s·v with `predicted_values` under shuffled labels.

    Shuffled labels move values along a random mixture of texts, which resembles the prediction if a few common words make up
    much of every text. The correlation spreads around zero only if both classes are equally large, as in
    ``corpus.balanced(seed=0)``; otherwise all shuffles move common words in the same direction.

    Parameters
    ----------
    corpus : Corpus
        Two classes of equal size.
    dim : int
        d.
    learning_rate : float
        η₀.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If one class is so much larger that the centre is further from zero than a tenth of the spread.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.null_spread(ts.independent_tokens(400, 40, 12, 0.5, seed=0), dim=512, learning_rate=300.0) < 0.5
    True
    """
    shares, prediction = corpus.shares, predicted_values(corpus, learning_rate)
    centred = prediction - prediction.mean()
    chance = (learning_rate / 2) ** 2 / (len(corpus) - 1)  # variance of (η₀/2) Ê[y x] over shuffles, in that of x over texts
    of_word = shares.power(2).mean(axis=0) - shares.mean(axis=0) ** 2
    of_covariance = chance * (shares @ centred).var() / len(centred) ** 2 + prediction.var() / len(centred) / dim
    if (learning_rate / 2 * corpus.signs.mean() * (shares.mean(axis=0) @ centred) / len(centred)) ** 2 > 0.01 * of_covariance:
        raise ValueError(f"{corpus!r} has classes of unequal size, so the null is not around zero; use Corpus.balanced")
    return float((of_covariance / prediction.var() / (chance * of_word.mean() + 1 / dim)) ** 0.5)


@dataclass(frozen=True, eq=False, repr=False)
class OneStep:
    """One step on the embeddings of a corpus, with its prediction and its null.

    Parameters
    ----------
    corpus : Corpus
    before, after, prediction : ndarray, shape (vocab_size,), or (vocab_size, K)
        E⁰_s·v, E¹_s·v and the prediction of theory for the latter.
    correlation, law : float
        Of ``after`` with ``prediction``, and the prediction of theory for that.
    null : ndarray, shape (shuffles,)
        The correlation under shuffled labels.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.measure_one_step(ts.independent_tokens(400, 40, 12, 0.5, seed=0), dim=512, learning_rate=300.0, shuffles=2)
    OneStep(correlation 1.000, law 1.000; 2 shuffles -0.40 to -0.23)
    """

    corpus: object
    before: np.ndarray
    after: np.ndarray
    prediction: np.ndarray
    correlation: float
    law: float
    null: np.ndarray

    def __repr__(self):
        """Return the numbers, as in ``OneStep(correlation 0.981, law 0.980; 40 shuffles -0.15 to 0.27)``."""
        null = f"; {len(self.null)} shuffles {self.null.min():.2f} to {self.null.max():.2f}" if len(self.null) else ""
        return f"OneStep(correlation {self.correlation:.3f}, law {self.law:.3f}{null})"

    def plot(self, ax, words=(), k=0):
        """Draw the values of all words before and after the step over their signed share, and the prediction.

        Parameters
        ----------
        ax : matplotlib.axes.Axes
        words : sequence of str
            Words whose names are written beside their points.
        k : int
            The class, for K > 2.
        """
        arrays = (self.before, self.after, self.prediction, 1e4 * self.corpus.signed_share())
        before, after, prediction, per_10k = (array if array.ndim == 1 else array[:, k] for array in arrays)
        ax.scatter(per_10k, before, s=9, color="0.6", alpha=0.35, linewidths=0, label="before the step")
        ax.scatter(per_10k, after, s=9, c=np.where(per_10k < 0, *SIDES), alpha=0.6, linewidths=0, label="after the step")
        ends = [per_10k.argmin(), per_10k.argmax()]
        ax.plot(per_10k[ends], prediction[ends], color="black", linewidth=1, zorder=0.9, label="prediction")
        for word in words:
            place = per_10k[self.corpus.column(word)], after[self.corpus.column(word)]
            ax.annotate(word, place, (5, 0), textcoords="offset points", fontsize=9)
        ax.set(xlabel="signed share × 10,000", ylabel="value $E_s\\cdot v$")


def measure_one_step(corpus, *, dim=2048, learning_rate=3000.0, shuffles=40, seed=0) -> OneStep:
    """Take one step on the embeddings, and the same step with shuffled labels.

    Parameters
    ----------
    corpus : Corpus
    dim : int
        d.
    learning_rate : float
        η₀.
    shuffles : int
        The number of shuffles, every time with new values at the start.
    seed : int
        Of the start and of the shuffles.

    Returns
    -------
    OneStep

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> len(ts.measure_one_step(ts.independent_tokens(400, 40, 12, 0.5, seed=0), dim=512, learning_rate=300.0).null)
    40
    """
    prediction = predicted_values(corpus, learning_rate)
    start = init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes)
    after = embedding_step(start, corpus, learning_rate).token_values

    def alignment(values):
        return float(np.corrcoef(values.ravel(), prediction.ravel())[0, 1])

    random, null = np.random.default_rng(seed), []
    for _ in range(shuffles):
        values = random.standard_normal(prediction.shape) / dim**0.5
        null.append(alignment(_stepped(values, shuffle_labels(corpus, random), learning_rate)))
    law = float((1 + 1 / (dim * prediction.var())) ** -0.5)
    return OneStep(corpus, start.token_values, after, prediction, alignment(after), law, np.array(null))
