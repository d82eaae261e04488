r"""One gradient step, and what theory predicts of it.

The embeddings step from p = 0, where attention is uniform. With ‖v‖ = 1, step size η₀ and g = σ(-y f) at the start::

    E¹_s·v = E⁰_s·v + η₀ Ê[y g(X, y) c_s(X)/T(X)]   exactly
           = (η₀/2) ᾱ_s + O(d^{-1/2})               for large d

with the average signed share ᾱ_s = Ê[y c_s(X)/T(X)] (Propositions 2.1 and 2.2). One step on p after it gives scores that are
quadratic in ᾱ_s (Proposition 2.4). Adam's first step instead moves all tokens equally far, in the direction of ᾱ_s alone
(Propositions 5.1 and 8.1).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from .corpus import Corpus
from .model import Parameters, add_embedding_gradient_, score_gradients


def embedding_step(parameters: Parameters, corpus: Corpus, learning_rate: float) -> Parameters:
    """Return the parameters after one full-batch gradient step on the embeddings alone.

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
        If ``learning_rate`` is not positive.
    """
    by_score, by_value = map(torch.as_tensor, score_gradients(parameters.scores, parameters.values, corpus))
    stepped = torch.as_tensor(parameters.embeddings).clone()
    add_embedding_gradient_(stepped, parameters.to(stepped.device), by_score, by_value, -_positive(learning_rate))
    return replace(parameters, embeddings=stepped.numpy() if isinstance(parameters.embeddings, np.ndarray) else stepped)


def cls_step(parameters: Parameters, corpus: Corpus, learning_rate: float) -> Parameters:
    """Return the parameters after one full-batch gradient step on p alone.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
    learning_rate : float
        η_p > 0.

    Returns
    -------
    `Parameters`
        A new p; E and v as they were.

    Raises
    ------
    ValueError
        If ``learning_rate`` is not positive.
    """
    by_score, _ = score_gradients(parameters.scores, parameters.values, corpus)
    step = _positive(learning_rate) * (parameters.embeddings.T @ by_score)
    return replace(parameters, cls_embedding=parameters.cls_embedding - step)


def exact_values(parameters: Parameters, corpus: Corpus, learning_rate: float) -> np.ndarray:
    """Return E¹_s·v after one step on the embeddings from p = 0, by the exact identity (Proposition 2.1, mirrors Lemma 4.1).

    Computed from the label, the share of each word in each text and the logits at uniform attention alone, in float64;
    no gradient is taken, so the result is an independent check of `embedding_step`.

    Parameters
    ----------
    parameters : Parameters
        Before the step, numpy, with p = 0.
    corpus : Corpus
    learning_rate : float
        η₀.

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes

    Raises
    ------
    ValueError
        If ``cls_embedding`` is not zero.
    """
    if np.any(parameters.cls_embedding):
        raise ValueError("cls_embedding is not zero; the identity holds from p = 0, where attention is uniform")
    output = parameters.output_vector.astype(np.float64)
    values = parameters.embeddings.astype(np.float64) @ output.T
    logits = corpus.shares @ values
    if corpus.num_classes == 2:
        pull = corpus.mean_weights * corpus.labels / (1 + np.exp(corpus.labels * logits))  # y g
        return values + learning_rate * (output @ output) * (corpus.shares.T @ pull)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    pull = (corpus.labels[:, None] == np.arange(corpus.num_classes)) - odds / odds.sum(axis=1, keepdims=True)
    pull *= corpus.mean_weights[:, None]
    return values + learning_rate * (corpus.shares.T @ pull) @ (output @ output.T)


def predicted_values(corpus: Corpus, learning_rate: float) -> np.ndarray:
    """Return what E¹_s·v tends to as d grows: η₀/2 times the average signed share (Proposition 2.2, mirrors Lemma 4.1).

    For K classes with orthonormal v_k: η₀ Ê[(1{y=k} - 1/K) c_s/T], the paper's formula (Proposition 2.3).

    Parameters
    ----------
    corpus : Corpus
    learning_rate : float
        η₀.

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes
    """
    return learning_rate * corpus.signed_share() / (2 if corpus.num_classes == 2 else 1)


def adam_values(parameters: Parameters, corpus: Corpus, learning_rate: float, epsilon: float = 1e-8) -> np.ndarray:
    """Return E¹_s·v after Adam's first step on the embeddings from p = 0, exactly (Propositions 5.1 and 8.1).

    Adam's first step moves every number against its gradient G by η |G|/(|G| + ε). Computed from ∂L/∂γ alone, without the
    optimiser: an independent check of `train`.

    Parameters
    ----------
    parameters : Parameters
        Before the step, numpy, with p = 0.
    corpus : Corpus
    learning_rate : float
        η.
    epsilon : float
        ε.

    Returns
    -------
    ndarray of the parameters' dtype, shape (vocab_size,), or (vocab_size, K) for K classes

    Raises
    ------
    ValueError
        If ``cls_embedding`` is not zero.
    """
    if np.any(parameters.cls_embedding):
        raise ValueError("cls_embedding is not zero; the formula holds from p = 0, where p does not move the values")
    output = parameters.output_vector
    _, by_value = score_gradients(parameters.scores, parameters.values, corpus)
    gradient = by_value.reshape(len(by_value), -1) @ output.reshape(-1, output.shape[-1])
    return parameters.values - learning_rate * (gradient / (np.abs(gradient) + epsilon)) @ output.T


def class_profile(corpus: Corpus) -> np.ndarray:
    """Return the direction ϱ_sk = ᾱ_sk / ‖ᾱ_s‖ of a token's signed shares: how it leans, whatever its frequency.

    Adam's first step moves E_s·v_k by about η √(2d/π) ϱ_sk (Proposition 8.1).

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    ndarray of float64, shape (vocab_size,), or (vocab_size, K) for K classes
        Two classes: -1, 0 or 1. K classes: rows of length one and of sum zero. Zero for a token that leans nowhere or does
        not occur.
    """
    share = corpus.signed_share()
    if corpus.num_classes == 2:
        return np.sign(share)
    length = np.linalg.norm(share, axis=1, keepdims=True)
    return share / np.where(length > 0, length, 1)


def predicted_scores(corpus: Corpus, embedding_rate: float, cls_rate: float) -> np.ndarray:
    r"""Return what E¹_s·p¹ tends to as d grows, after one step on E and then one on p (Proposition 2.4).

    With γ = (η₀/2) ᾱ the limit of the values and ∂L/∂a taken at uniform attention,
    E¹E¹ᵀ tends to I + γγᵀ, so the scores tend to -η_p (∂L/∂a + γ (γ·∂L/∂a)).

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    embedding_rate, cls_rate : float
        η₀ and η_p.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)
    """
    values = predicted_values(corpus, embedding_rate)
    by_score, _ = score_gradients(np.zeros_like(values), values, corpus)
    return -cls_rate * (by_score + values * (values @ by_score))


def _positive(learning_rate):
    if not learning_rate > 0:
        raise ValueError(f"learning_rate={learning_rate}; give a step size above zero")
    return learning_rate
