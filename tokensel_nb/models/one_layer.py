r"""The model f(X) = Softmax(pᵀE_Xᵀ) E_X v as a function of counts: logits, loss and exact gradients.

No position enters the model, so it only needs scores a = E p, values γ = E v and counts. `attend` has the formulas of f and of
its derivatives in a and γ. From these::

    ∇_E L = (∂L/∂γ) vᵀ + (∂L/∂a) pᵀ,    ∇_p L = Eᵀ ∂L/∂a,    ∇_v L = Eᵀ ∂L/∂γ

(Propositions “The counts identity” and “Exact gradients from counts”). Everything here costs O(nnz(C) + |S| d).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import sparse

from ..corpus.corpus import Corpus, some_texts
from ..corpus.counts import CountMatrix
from ..scale.distributed import mean_over
from ..support.arrays import dtype_name, is_torch, namespace
from ..support.checks import checked, numbers, positive, shaped
from ..support.products import few_times, times_few
from ..support.threads import blocks_alone
from .attend import attend, attention
from .base import Model, check_finite, check_fit, losses_and_residuals
from .optimizers import GradientDescent, LowRank
from .parameters import Parameters

if TYPE_CHECKING:
    from ..scale.distributed import Parts
    from ..support.arrays import Array


@dataclass(frozen=True)
class OneLayer(Model):
    """One softmax attention layer over token embeddings, with gradients in closed form.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> parameters = ts.OneLayer().start(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> gradient = ts.OneLayer().step_gradients(parameters, corpus, ["embeddings"])["embeddings"]
    >>> gradient.factors.round(2).tolist()  # ∂L/∂a and ∂L/∂γ of "bad", "film", "good"
    [[-0.05, 0.11], [0.08, 0.02], [-0.03, -0.09]]
    """

    learns: ClassVar[tuple[type, ...]] = (Parameters,)

    @blocks_alone()
    def logits(self, parameters: Parameters, corpus: Corpus) -> Array:
        """Return f(X) of every text; see `Model.logits`."""
        check_fit(self, parameters, corpus)
        return attend(*_scores_and_values(parameters), CountMatrix.of(corpus, parameters.embeddings))[0]

    def attention(self, parameters: Parameters, corpus: Corpus) -> sparse.csr_array:
        """Return c_s u_s / Z_i for text i and word s; see `Model.attention`."""
        check_fit(self, parameters, corpus)
        return attention(parameters.token_scores, corpus)

    @blocks_alone()
    def step_gradients(self, parameters: Parameters, texts: Corpus | Parts, names) -> dict[str, Array | LowRank]:
        """Return the exact gradient; in E as its factors, of rank two or K + 1. See `Model.step_gradients`."""
        check_fit(self, parameters, texts)
        scores, values = _scores_and_values(parameters)
        (factors,) = mean_over(texts, lambda part: [_columns(*loss_gradients(scores, values, part))])
        gradients = {}
        if "embeddings" in names:
            gradients["embeddings"] = LowRank(factors, _queries(parameters))
        if {"cls_embedding", "output_vector"} & set(names):
            by_vectors = few_times(factors.T, parameters.embeddings)
            gradients["cls_embedding"] = by_vectors[0]
            gradients["output_vector"] = by_vectors[1:].reshape(parameters.output_vector.shape)
        return {name: gradients[name] for name in names}


@checked(scores=numbers, values=numbers, corpus=some_texts)
def score_gradients(scores: Array, values: Array, corpus: Corpus) -> tuple[Array, Array]:
    """Return ∂L/∂a and ∂L/∂γ: all that a gradient step needs to know about the corpus.

    Parameters
    ----------
    scores : array, shape (vocab_size,)
        a_s = E_s·p.
    values : array, shape (vocab_size,) or (vocab_size, K)
        γ_s = E_s·v.
    corpus : Corpus

    Returns
    -------
    (array, array)
        In the shapes of ``scores`` and ``values``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> by_score, by_value = ts.score_gradients(np.zeros(3), np.zeros(3), corpus)
    >>> print(corpus.vocabulary, by_value)
    ['bad' 'film' 'good'] [ 0.125  0.    -0.125]
    """
    _check_alike(scores, values, corpus)
    by_score, by_value = loss_gradients(scores, values, corpus)
    for gradient in (by_score, by_value):
        if not namespace(gradient).isfinite(gradient).all():
            raise ValueError(f"scores and values overflow {dtype_name(scores)}; give smaller numbers")
    return by_score, by_value


def _check_alike(scores, values, corpus):
    """Refuse scores and values that are not of one kind, one a word."""
    wide = (corpus.vocab_size,) if corpus.num_classes == 2 else (corpus.vocab_size, corpus.num_classes)
    shaped("scores", scores, (corpus.vocab_size,))
    shaped("values", values, wide)
    if is_torch(scores) != is_torch(values) or dtype_name(scores) != dtype_name(values):
        raise ValueError(f"scores is {dtype_name(scores)}, and values {dtype_name(values)}; give arrays of one kind and dtype")


def loss_gradients(scores, values, corpus):
    """Return what `score_gradients` does, without its checks."""
    logits, carry_back = attend(scores, values, CountMatrix.of(corpus, scores))
    _, residuals = losses_and_residuals(logits, corpus)
    return carry_back(residuals)


@checked(parameters=Parameters, corpus=some_texts, learning_rate=positive)
@blocks_alone()
def descend_(parameters: Parameters, corpus: Corpus, learning_rate: float) -> None:
    """Take one exact full-batch gradient step on (E, p, v) *in place*, without writing out the gradient in E.

    Parameters
    ----------
    parameters : Parameters
        Changed in place.
    corpus : Corpus
    learning_rate : float

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or cannot be changed in place, or
        ``learning_rate`` is not a positive number; then nothing is changed.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> parameters = ts.init_parameters(corpus.vocab_size, dim=4, seed=0)
    >>> before = ts.loss(parameters, corpus)
    >>> ts.descend_(parameters, corpus, learning_rate=0.1)
    >>> ts.loss(parameters, corpus) < before
    True
    """
    arrays = {field.name: _writeable(field.name, getattr(parameters, field.name)) for field in fields(Parameters)}
    gradients = OneLayer().step_gradients(Parameters(**arrays), corpus, arrays)
    largest = float(namespace(*arrays.values()).stack(list(map(_largest, gradients.values()))).max())
    # Before the first is changed, so that nothing is left half done.
    fits = learning_rate * largest < np.finfo(dtype_name(parameters.embeddings)).max / 4
    check_finite(largest if fits else np.inf, parameters, learning_rate=learning_rate)
    GradientDescent(arrays, learning_rate).step(gradients)


def _writeable(name, array):
    """Return an array, without its history, that can be changed in place: each of its numbers has a place of its own."""
    strides = array.stride() if is_torch(array) else array.strides
    shared = any(stride == 0 and size > 1 for stride, size in zip(strides, array.shape))
    if shared or (not is_torch(array) and not array.flags.writeable):
        raise ValueError(f"{name} is {'broadcast' if shared else 'read only'} and cannot be changed in place; give a copy")
    return array.detach() if is_torch(array) else array


def _largest(gradient):
    """Bound the absolute values of a gradient."""
    if isinstance(gradient, LowRank):
        return len(gradient.rows) * _largest(gradient.factors) * _largest(gradient.rows)
    return namespace(gradient).linalg.vector_norm(gradient, ord=np.inf)


def _queries(parameters):
    """Return p and v, or p and all v_k, as rows."""
    xp = namespace(parameters.embeddings)
    return xp.concat([parameters.cls_embedding[None], parameters.output_vector.reshape(-1, len(parameters.cls_embedding))])


def _columns(of_scores, of_values):
    """Return what belongs to scores and to values as the columns of one matrix."""
    return namespace(of_scores).concat([of_scores[:, None], of_values.reshape(len(of_values), -1)], axis=1)


def _scores_and_values(parameters):
    """Return a = E p and γ = E v from one pass over E."""
    both = times_few(parameters.embeddings, _queries(parameters))
    values = both[:, 1] if parameters.output_vector.ndim == 1 else both[:, 1:]
    return both[:, 0], values
