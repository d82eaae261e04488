"""What one asks of any model: logits, attention, loss, accuracy, gradients; by default of one layer of attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .models.one_layer import OneLayer

if TYPE_CHECKING:
    from scipy import sparse

    from .arrays import Array
    from .corpus import Corpus
    from .models.base import Model
    from .parameters import NamedArrays

ONE_LAYER = OneLayer()


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
        If the parameters do not fit the corpus, or are neither float32 nor float64.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> trained = ts.train(corpus, dim=4, steps=20).parameters
    >>> (ts.logits(trained, corpus) > 0).tolist()
    [True, False]
    """
    return model.logits(parameters, corpus)


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
        If the parameters do not fit the corpus, or are neither float32 nor float64.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good good film", "bad"], ["up", "down"])
    >>> start = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")  # p = 0, so that attention is uniform
    >>> ts.attention(start, corpus).toarray().round(2).tolist()
    [[0.0, 0.33, 0.67], [1.0, 0.0, 0.0]]
    """
    return model.attention(parameters, corpus)


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
        If the parameters do not fit the corpus, or are neither float32 nor float64.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> nothing = ts.init_parameters(corpus.vocab_size, dim=4, seed=0).map(lambda array: 0 * array)
    >>> round(ts.loss(nothing, corpus), 4)  # log 2
    0.6931
    """
    return model.loss(parameters, corpus)


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
        If the parameters do not fit the corpus, or are neither float32 nor float64.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.accuracy(ts.train(corpus, dim=4, steps=20).parameters, corpus)
    1.0
    """
    return model.accuracy(parameters, corpus)


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
        If the parameters do not fit the corpus, or are neither float32 nor float64.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> parameters = ts.init_parameters(corpus.vocab_size, dim=4, seed=0, dtype="float64")
    >>> ts.gradients(parameters, corpus).embeddings.shape
    (3, 4)
    """
    return model.gradients(parameters, corpus)
