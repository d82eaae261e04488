"""What you can ask of any model: logits, attention, loss, accuracy and gradients. The default is one layer of attention.

These are the methods of `Model`, with checks of arguments and results. A ValueError says which parameters are not finite, are
neither float32 nor float64, or do not fit the corpus, and which result overflows.
"""

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


def finite_arrays(name, parameters):
    """Return named arrays in which all numbers are finite."""
    for array_name, array in instance(name, parameters, NamedArrays).arrays().items():
        finite(array_name, array)
    return parameters


of_texts = checked(parameters=finite_arrays, corpus=Corpus, model=Model)
of_a_mean = checked(parameters=finite_arrays, corpus=some_texts, model=Model)


@of_texts
def logits(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> Array:
    """Return f(X) of every text.

    Parameters
    ----------
    parameters, corpus, model
        As in `Model.logits`.

    Returns
    -------
    array, shape (n,), or (n, K) for K > 2 classes

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> trained = ts.train(corpus, dim=4, steps=20).parameters
    >>> (ts.logits(trained, corpus) > 0).tolist()
    [True, False]
    """
    return check_finite(model.logits(parameters, corpus), parameters)


@of_texts
def attention(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> sparse.csr_array:
    """Return the attention that <cls> pays to each word of each text, all occurrences together.

    Parameters
    ----------
    parameters, corpus, model
        As in `Model.attention`.

    Returns
    -------
    scipy.sparse.csr_array, shape (n, vocab_size)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good good film", "bad"], ["up", "down"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")  # p = 0, so that attention is uniform
    >>> ts.attention(start, corpus).toarray().round(2).tolist()
    [[0.0, 0.33, 0.67], [1.0, 0.0, 0.0]]
    """
    weights = model.attention(parameters, corpus)
    check_finite(weights.data, parameters)
    return weights


@of_a_mean
def loss(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> float:
    """Return the mean logistic loss Ê log(1 + exp(-y f(X))), or the mean cross-entropy for K > 2 classes.

    Parameters
    ----------
    parameters, corpus, model
        As in `Model.loss`.

    Returns
    -------
    float

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> nothing = ts.init_parameters(corpus.vocab_size, dim=4, seed=0).map(lambda array: 0 * array)
    >>> round(ts.loss(nothing, corpus), 4)  # log 2
    0.6931
    """
    return check_finite(model.loss(parameters, corpus), parameters)


@of_a_mean
def accuracy(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> float:
    """Return the share of texts whose label f predicts.

    Parameters
    ----------
    parameters, corpus, model
        As in `Model.accuracy`.

    Returns
    -------
    float, from 0 to 1

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.accuracy(ts.train(corpus, dim=4, steps=20).parameters, corpus)
    1.0
    """
    mean_loss, share = model.evaluate(parameters, corpus)
    check_finite(mean_loss, parameters)
    return share


@of_a_mean
def gradients(parameters: NamedArrays, corpus: Corpus, model: Model = ONE_LAYER) -> NamedArrays:
    """Return the exact gradient of the loss in every parameter, under the same names.

    For one layer the formula is that of Proposition “Exact gradients from counts”. Its gradient in E has rank two, or K + 1;
    training writes it out in parts at most, where this function writes it whole.

    Parameters
    ----------
    parameters, corpus, model
        As in `Model.gradients`.

    Returns
    -------
    NamedArrays

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> parameters = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> ts.gradients(parameters, corpus).embeddings.shape
    (3, 4)
    """
    return check_finite(model.gradients(parameters, corpus), parameters)
