r"""One gradient step, and what theory predicts for it.

The embeddings step from p = 0, where attention is uniform. With ‖v‖ = 1, step size η₀ and g = σ(-y f) at the start::

    E¹_s·v = E⁰_s·v + η₀ Ê[y g(X, y) c_s(X)/T(X)]   exactly
           = (η₀/2) ᾱ_s + O(d^{-1/2})               for large d

with the average signed share ᾱ_s = Ê[y c_s(X)/T(X)] (Propositions “One step, exactly” and “One step, in high dimension”).
A further step on p gives scores that are quadratic in ᾱ_s (Proposition “One step on the query, in high dimension”). Adam's
first step instead moves all tokens equally far, in the direction of ᾱ_s (Proposition “Adam's first step”).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..corpus.corpus import Corpus, some_texts
from ..corpus.counts import CountMatrix
from ..models.base import check_finite, check_fit
from ..models.one_layer import OneLayer, loss_gradients
from ..models.optimizers import GradientDescent
from ..models.parameters import Parameters
from ..models.verbs import finite_arrays
from ..support.arrays import is_torch, like, log_softmax, namespace, sigmoid
from ..support.checks import checked, positive


@checked(parameters=Parameters, corpus=some_texts, learning_rate=positive)
def embedding_step(parameters: Parameters, corpus: Corpus, learning_rate: float) -> Parameters:
    """Take one full-batch gradient step on the embeddings, and return the new parameters.

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

    Raises
    ------
    ValueError
        If ``learning_rate`` is not a positive number, or the parameters do not fit the corpus.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.Parameters(np.eye(4)[:3], np.zeros(4), np.eye(4)[3])
    >>> ts.embedding_step(start, corpus, 8.0).token_values
    array([ 1., -1.,  0.])
    """
    return _step(parameters, corpus, learning_rate, "embeddings")


@checked(parameters=Parameters, corpus=some_texts, learning_rate=positive)
def cls_step(parameters: Parameters, corpus: Corpus, learning_rate: float) -> Parameters:
    """Take one full-batch gradient step on p, and return the new parameters.

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

    Raises
    ------
    ValueError
        As in `embedding_step`.

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


@checked(parameters=Parameters, corpus=some_texts, learning_rate=positive)
def exact_values(parameters: Parameters, corpus: Corpus, learning_rate: float):
    """Return E¹_s·v after one step on the embeddings from p = 0, by a formula that is exact (mirrors Lemma 4.1).

    The formula is that of Proposition “One step, exactly”. It needs the labels, the share of each word in each text, and the
    logits at uniform attention. It takes no gradient, so it is an independent check of `embedding_step`. It computes in
    float64.

    Parameters
    ----------
    parameters : Parameters
        Before the step, with p = 0.
    corpus : Corpus
    learning_rate : float
        η₀.

    Returns
    -------
    array of float64, shape (vocab_size,), or (vocab_size, K) for K classes
        Of the kind of ``parameters``.

    Raises
    ------
    ValueError
        If ``cls_embedding`` is not zero, a parameter is not finite, or as in `embedding_step`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> gap = ts.embedding_step(start, corpus, 8.0).token_values - ts.exact_values(start, corpus, 8.0)
    >>> bool(np.abs(gap).max() < 1e-15)
    True
    """
    exact, values, heads = _uniform(exact_parameters(parameters, corpus))
    counts, shares = CountMatrix.of(corpus, values), like(corpus.shares.data, values)
    logits = counts.times(values.reshape(len(values), -1), shares)
    if corpus.num_classes == 2:
        signs = like(corpus.signs, values)[:, None]
        pull = signs * sigmoid(-signs * logits)  # y g
    else:
        pull = like(np.eye(corpus.num_classes)[corpus.labels], values) - namespace(values).exp(log_softmax(logits))
    moved = counts.transposed_times(like(corpus.mean_weights, values)[:, None] * pull, shares) @ (heads @ heads.T)
    return check_finite(values + learning_rate * moved.reshape(values.shape), exact, learning_rate=learning_rate)


@checked(corpus=some_texts, learning_rate=positive)
def predicted_values(corpus: Corpus, learning_rate: float) -> np.ndarray:
    """Return what E¹_s·v tends to as d grows: η₀/2 times the average signed share (mirrors Lemma 4.1).

    See Proposition “One step, in high dimension”. For K classes with orthonormal v_k the limit is
    η₀ Ê[(1{y=k} - 1/K) c_s/T], the paper's formula (Proposition “One step with several classes”).

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


@checked(parameters=Parameters, corpus=some_texts, learning_rate=positive, epsilon=positive)
def adam_values(parameters: Parameters, corpus: Corpus, learning_rate: float, epsilon: float = 1e-8):
    """Return E¹_s·v after Adam's first step on the embeddings from p = 0, by a formula that is exact.

    Adam's first step moves every number against its gradient G by η |G|/(|G| + ε) (Proposition “Adam's first step”). This
    function needs only ∂L/∂γ and no optimizer, so it is an independent check of `train`.

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
    array, shape (vocab_size,), or (vocab_size, K) for K classes
        Of the kind and dtype of ``parameters``.

    Raises
    ------
    ValueError
        As in `exact_values`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> start = ts.Parameters(np.eye(4)[:3], np.zeros(4), np.eye(4)[3])
    >>> ts.adam_values(start, corpus, 0.1).round(6)  # every word that leans moves as far
    array([ 0.1, -0.1,  0. ])
    """
    given, values, heads = _uniform(exact_parameters(parameters, corpus, dtype=None))
    gradient = loss_gradients(given.token_scores, values, corpus)[1].reshape(len(values), -1) @ heads
    moved = gradient / (namespace(gradient).abs(gradient) + epsilon) @ heads.T
    return check_finite(values - learning_rate * moved.reshape(values.shape), given, learning_rate=learning_rate)


@checked(corpus=some_texts)
def class_profile(corpus: Corpus) -> np.ndarray:
    """Return the direction ϱ_sk = ᾱ_sk / ‖ᾱ_s‖ of a token's signed shares: how it leans, however frequent it is.

    Adam's first step moves E_s·v_k by about η √(2d/π) ϱ_sk (Proposition “Adam's first step, several classes”).

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes
        Two classes: -1, 0 or 1. K classes: rows of length one and of sum zero. Zero for a token that leans nowhere or does
        not occur.

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


@checked(corpus=some_texts, embedding_rate=positive, cls_rate=positive)
def predicted_scores(corpus: Corpus, embedding_rate: float, cls_rate: float) -> np.ndarray:
    r"""Return what E¹_s·p¹ tends to as d grows, after one step on E and then one on p.

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
    by_score, _ = loss_gradients(np.zeros_like(values), values, corpus)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = -cls_rate * (by_score + values * (values @ by_score))
    if not np.isfinite(scores).all():
        raise ValueError(f"embedding_rate={embedding_rate} and cls_rate={cls_rate} overflow float64; give smaller ones")
    return scores


def exact_parameters(parameters: Parameters, corpus: Corpus | None = None, dtype="float64") -> Parameters:
    """Return parameters as float64, or with None as they are, finite and fitting the corpus; tensors without their history."""
    if corpus is not None:
        check_fit(OneLayer(), parameters, corpus)
    finite_arrays("parameters", parameters)
    return parameters.map(lambda array: like(array.detach() if is_torch(array) else array, array, dtype))


def _step(parameters, corpus, learning_rate, name):
    gradient = OneLayer().step_gradients(parameters, corpus, [name])
    array = getattr(parameters, name)
    stepped = namespace(array).asarray(array, copy=True)
    with np.errstate(over="ignore", invalid="ignore"):  # `check_finite` reports it
        GradientDescent({name: stepped}, learning_rate).step(gradient)
    return replace(parameters, **{name: check_finite(stepped, parameters, learning_rate=learning_rate)})


def _uniform(parameters):
    """Return parameters, their values, and v, or all v_k, as rows; refuse attention that is not uniform."""
    if parameters.cls_embedding.any():
        raise ValueError("cls_embedding is not zero; the formula holds from p = 0, where attention is uniform")
    return parameters, parameters.token_values, parameters.output_vector.reshape(-1, parameters.embeddings.shape[1])
