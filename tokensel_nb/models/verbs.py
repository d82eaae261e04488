"""What one asks of any model: logits, attention, loss, accuracy, gradients; by default of one layer of attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..corpus.corpus import Corpus, some_texts
from ..support.checks import checked, finite, instance
from .base import Model, check_finite
from .one_layer import OneLayer
from .parameters import NamedArrays

if TYPE_CHECKING:
    from scipy import sparse

    from ..support.arrays import Array

ONE_LAYER = OneLayer()


def _finite_arrays(name, parameters):
    for each, array in instance(name, parameters, NamedArrays).arrays().items():
        finite(each, array)
    return parameters


@checked(parameters=_finite_arrays, corpus=Corpus, model=Model)
def logits(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> Array:
    """Return f(X) of every text; zero for a text without a known word.

    Parameters
    ----------
    parameters : NamedArrays
    corpus : Corpus
    model : Model

    Returns
    -------
    array, shape (n,), or (n, K) for K > 2 classes

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or are too large or not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> trained = ts.train(corpus, dim=4, steps=20).parameters
    >>> (ts.logits(trained, corpus) > 0).tolist()
    [True, False]
    """
    return check_finite(model.logits(parameters, corpus), parameters)


@checked(parameters=_finite_arrays, corpus=Corpus, model=Model)
def attention(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> sparse.csr_array:
    """Return the attention that <cls> pays to each word of each text, all occurrences together.

    Parameters
    ----------
    parameters : NamedArrays
    corpus : Corpus
    model : Model

    Returns
    -------
    scipy.sparse.csr_array, shape (n, vocab_size)
        A row sums to one, or to zero where the text holds no known word.

    Raises
    ------
    TypeError
        If the model has no attention.
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or are too large or not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good good film", "bad"], ["up", "down"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")  # p = 0, so that attention is uniform
    >>> ts.attention(start, corpus).toarray().round(2).tolist()
    [[0.0, 0.33, 0.67], [1.0, 0.0, 0.0]]
    """
    found = model.attention(parameters, corpus)
    check_finite(found.data, parameters)
    return found


@checked(parameters=_finite_arrays, corpus=some_texts, model=Model)
def loss(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> float:
    """Return the mean logistic loss Ê log(1 + exp(-y f(X))), or the mean cross-entropy for K > 2 classes.

    Parameters
    ----------
    parameters : NamedArrays
    corpus : Corpus
    model : Model

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or are too large or not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> nothing = ts.init_parameters(corpus.vocab_size, dim=4, seed=0).map(lambda array: 0 * array)
    >>> round(ts.loss(nothing, corpus), 4)  # log 2
    0.6931
    """
    return check_finite(model.loss(parameters, corpus), parameters)


@checked(parameters=_finite_arrays, corpus=some_texts, model=Model)
def accuracy(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> float:
    """Return the share of texts whose label f predicts: the sign of f, or the class of the largest logit.

    A logit of exactly zero predicts the first class; texts count by their weights.

    Parameters
    ----------
    parameters : NamedArrays
    corpus : Corpus
    model : Model

    Returns
    -------
    float, from 0 to 1

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or are too large or not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.accuracy(ts.train(corpus, dim=4, steps=20).parameters, corpus)
    1.0
    """
    mean_loss, found = model.evaluate(parameters, corpus)
    check_finite(mean_loss, parameters)
    return found


@checked(parameters=_finite_arrays, corpus=some_texts, model=Model)
def gradients(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> NamedArrays:
    """Return the exact gradient of the loss in every parameter, under the same names (Proposition 1.2 for one layer).

    One layer's gradient in E has rank two, or K + 1; it is written out here for those who want to see it. Training never
    does.

    Parameters
    ----------
    parameters : NamedArrays
    corpus : Corpus
    model : Model

    Returns
    -------
    NamedArrays
        Of the type, shapes, dtype and kind (numpy or torch) of ``parameters``.

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, are neither float32 nor float64, or are too large or not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> parameters = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> ts.gradients(parameters, corpus).embeddings.shape
    (3, 4)
    """
    return check_finite(model.gradients(parameters, corpus), parameters)
