r"""The model f(X) = Softmax(pᵀE_Xᵀ) E_X v on counts: logits, loss, attention, and gradients in closed form.

A word s that occurs c_s times in a text has the weight w_s = c_s exp(a_s) there, with scores a = E p and values γ = E v. With
Z = Σ_s w_s the attention is w_s/Z, and f(X) = Σ_s w_s γ_s / Z. With r the derivative of the loss in f and W the matrix of
weights, one row per text (Proposition “Exact gradients from counts”)::

    ∂L/∂γ = Wᵀ(r/Z),    ∂L/∂a = γ ∘ ∂L/∂γ - Wᵀ(r f/Z),
    ∇_E L = (∂L/∂γ) vᵀ + (∂L/∂a) pᵀ,    ∇_p L = Eᵀ ∂L/∂a,    ∇_v L = Eᵀ ∂L/∂γ.

A *model* is any function ``(parameters, counts) -> logits``; `one_layer` is the book's. Your own computes with torch: its
parameters are tensors in a NamedTuple, its counts a `Counts`, so that ``counts @ x`` keeps the graph.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .arrays import as_numpy, dtype_name, is_torch, like, namespace, to_device, to_numpy
from .parameters import Parameters

# Scores within this range can share one shift: exp stays far from the limits of the dtype.
WIDEST = {"float32": 60.0, "float64": 600.0}


def one_layer(parameters, counts):
    """Return f(X) of every text: the model of this book.

    Parameters
    ----------
    parameters : Parameters
        Numpy arrays, or tensors, whose graph is kept.
    counts : Counts

    Returns
    -------
    array, shape (n,), or (n, K) for K > 2 classes
        Zero for a text without known words.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.one_layer(ts.Parameters(np.eye(3), np.zeros(3), np.array([-1.0, 0.0, 1.0])), corpus.operator)
    array([ 0.5, -0.5])
    """
    values = parameters.token_values
    return _attend(parameters.token_scores, _columns(values), counts)[0].reshape(-1, *values.shape[1:])


def logits(parameters, corpus, model=one_layer):
    """Return the logits of a model for every text.

    Parameters
    ----------
    parameters : NamedTuple of arrays
        Such as `Parameters`, numpy or tensors. A graph of tensors is kept.
    corpus : Corpus
    model : callable
        A function of parameters and `Counts`; other than `one_layer` it gets tensors.

    Returns
    -------
    array, shape (n,), or (n, K) for K > 2 classes
        Of the kind of ``parameters``; zero for a text without known words.

    Raises
    ------
    ValueError
        If the parameters do not match the corpus, or a logit is not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20)
    >>> (ts.logits(run.parameters, corpus) > 0).tolist()
    [True, False]
    """
    return _finite(logits_of(parameters, corpus, model), parameters)


def loss(parameters, corpus, model=one_layer):
    """Return the mean logistic loss Ê log(1 + exp(-y f(X))), or the mean cross-entropy for K > 2 classes.

    Parameters
    ----------
    parameters, corpus, model
        As in `logits`.

    Returns
    -------
    array, shape ()
        Of the kind of ``parameters``; a graph is kept.

    Raises
    ------
    ValueError
        As in `logits`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> print(ts.loss(ts.Parameters(np.zeros((3, 2)), np.zeros(2), np.ones(2)), corpus).round(4))  # log 2
    0.6931
    """
    return loss_of_logits(logits(parameters, corpus, model), corpus)


def accuracy(parameters, corpus, model=one_layer) -> float:
    """Return the share of texts whose label f predicts: by the sign of f, or the class of the largest logit.

    A logit of exactly zero predicts the first class. Texts count by their weights.

    Parameters
    ----------
    parameters, corpus, model
        As in `logits`.

    Returns
    -------
    float, from 0 to 1

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.accuracy(ts.Parameters(np.eye(3), np.zeros(3), np.array([-1.0, 0.0, 1.0])), corpus)
    1.0
    """
    return accuracy_of_logits(logits(parameters, corpus, model), corpus)


def attention(parameters, corpus, model=one_layer) -> sparse.csr_array:
    """Return the attention that <cls> pays to every word of every text, all occurrences together.

    Parameters
    ----------
    parameters, corpus
        As in `logits`.
    model : callable
        If not `one_layer`, it needs a method ``attention(parameters, counts)`` that returns a number for every entry.

    Returns
    -------
    scipy.sparse.csr_array, shape (n, vocab_size)
        A row of `one_layer` sums to one, or to zero if the text has no known word.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good good film", "bad film"], ["up", "down"])
    >>> uniform = ts.init_parameters(corpus.vocab_size, dim=4, seed=0)
    >>> print(ts.attention(uniform, corpus).toarray().round(2))  # to "bad", "film", "good"
    [[0.   0.33 0.67]
     [0.5  0.5  0.  ]]
    """
    counts = corpus.operator
    if model is one_layer:
        check_fit(parameters, corpus)
        weights = attention_by_scores(parameters.token_scores, counts)
    elif not hasattr(model, "attention"):
        raise TypeError(f"{model} has no attention; give a model with a method attention(parameters, counts)")
    else:
        weights = to_numpy(model.attention(to_device(parameters), counts))
    return sparse.csr_array((weights, counts.columns, corpus.counts.indptr), shape=counts.shape)


def attention_by_scores(scores, counts) -> np.ndarray:
    """Return the attention to every entry of the counts if a word has the same score in all texts."""
    weights = counts.weights(to_numpy(scores))
    return weights / counts.each(np.add, weights)[counts.rows]


def gradients(parameters, corpus, model=one_layer):
    """Return the gradient of the loss in all parameters: for `one_layer` in closed form, for other models by torch.

    Parameters
    ----------
    parameters, corpus, model
        As in `logits`.

    Returns
    -------
    NamedTuple of arrays
        Of the type, kind and shapes of ``parameters``; tensors have no graph.

    Raises
    ------
    ValueError
        As in `logits`, or if the gradient is not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.gradients(ts.Parameters(np.eye(3), np.zeros(3), np.array([-1.0, 0.0, 1.0])), corpus).output_vector.round(3)
    array([ 0.094,  0.   , -0.094])
    """
    slopes = slopes_of(parameters, corpus, parameters._fields, model)
    return type(parameters)(*(_finite(slopes[name][:], parameters) for name in parameters._fields))


def score_gradients(scores, values, corpus):
    """Return ∂L/∂a and ∂L/∂γ of `one_layer`: all that a gradient step needs from the corpus.

    Parameters
    ----------
    scores : array, shape (vocab_size,)
        a.
    values : array, shape (vocab_size,) or (vocab_size, K)
        γ.
    corpus : Corpus

    Returns
    -------
    (array, array)
        In the shapes of ``scores`` and ``values``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> by_score, by_value = ts.score_gradients(np.zeros(3), np.array([-1.0, 0.0, 1.0]), corpus)
    >>> by_value.round(3)  # to "bad", "film", "good"
    array([ 0.094,  0.   , -0.094])
    """
    xp, columns = namespace(scores), _columns(values)
    f, totals, rmatvec = _attend(scores, columns, corpus.operator)
    residuals = _columns(residuals_of_logits(f.reshape(-1, *values.shape[1:]), corpus))
    tangents = xp.sum(residuals * f, axis=1, keepdims=True)
    derivatives = rmatvec(xp.concat([residuals, tangents], axis=1) / totals)
    by_value = derivatives[:, :-1]
    return xp.sum(columns * by_value, axis=1) - derivatives[:, -1], by_value.reshape(values.shape)


class Outer(NamedTuple):
    """The matrix factors @ rows, shapes (n, m) and (m, dim), whose rows are computed on demand."""

    factors: Any
    rows: Any

    def __getitem__(self, rows):
        """Return some rows of the matrix."""
        factors, columns = self
        return factors[rows] @ columns


def slopes_of(parameters, texts, names, model=one_layer) -> dict:
    """Return the gradient in some parameters by name, without a graph; for `one_layer`, that in E is an `Outer`."""
    if model is not one_layer:
        return dict(zip(names, texts.mean_over(lambda part: _slopes_by_torch(parameters, part, names, model))))
    check_fit(parameters, texts)
    E, p, v = plain = Parameters(*(array.detach() if is_torch(array) else array for array in parameters))
    xp, scores, values = namespace(E), plain.token_scores, plain.token_values
    by_score, by_value = texts.mean_over(lambda part: score_gradients(scores, values, part))
    factors = xp.concat([by_score[:, None], _columns(by_value)], axis=1)
    slopes = {"embeddings": Outer(factors, xp.concat([p[None], v.reshape(-1, len(p))]))}
    if set(names) - {"embeddings"}:
        slopes |= {"cls_embedding": by_score @ E, "output_vector": (by_value if by_value.ndim == 1 else by_value.T) @ E}
    return {name: slopes[name] for name in names}


def evaluate(parameters, texts, model=one_layer) -> tuple[float, float]:
    """Return loss and accuracy over texts from one pass."""

    def of_part(part):
        f = logits_of(parameters, part, model)
        return [np.array([float(loss_of_logits(f, part)), accuracy_of_logits(f, part)])]

    with np.errstate(all="ignore"):  # overflow shows as a diverging loss
        return tuple(texts.mean_over(of_part)[0].tolist())


def logits_of(parameters, corpus, model):
    """Return `logits` that need not be finite."""
    if model is one_layer:
        check_fit(parameters, corpus)
        return one_layer(parameters, corpus.operator)
    f = _own_logits(to_device(parameters), corpus, model)
    return f if is_torch(parameters[0]) else to_numpy(f)


def _slopes_by_torch(parameters, corpus, names, model):
    import torch

    tensors = to_device(parameters)
    leaves = {name: getattr(tensors, name).detach().requires_grad_() for name in names}
    mean_loss = loss_of_logits(_own_logits(tensors._replace(**leaves), corpus, model), corpus)
    slopes = torch.autograd.grad(mean_loss, list(leaves.values()), materialize_grads=True)
    return [like(slope, parameters[0]) for slope in slopes]


def _own_logits(tensors, corpus, model):
    """Return the logits of a user's model, with the right shape; it never gets texts without words."""
    filled = corpus.lengths > 0
    if not filled.all():
        some = _own_logits(tensors, corpus[filled], model)
        return some.new_zeros(len(corpus), *some.shape[1:]).index_put((like(np.flatnonzero(filled), some),), some)
    f = model(tensors, corpus.operator)
    shape = (len(corpus),) if corpus.num_classes == 2 else (len(corpus), corpus.num_classes)
    if tuple(f.shape) != shape:
        raise ValueError(f"the model returned logits of shape {tuple(f.shape)}; this corpus needs {shape}")
    return f


def _attend(scores, values, counts):
    """Return logits (n, K), the total weight of every text (n, 1), and the product with the transposed weights."""
    xp = namespace(scores)
    matvec, rmatvec = _weighted(scores, counts)
    sums = matvec(xp.concat([xp.ones_like(scores)[:, None], values], axis=1))
    totals = xp.clip(sums[:, :1], min=np.finfo(dtype_name(scores)).tiny)  # so that no text's logit is 0/0
    return sums[:, 1:] / totals, totals, rmatvec


def _weighted(scores, counts):
    """Return the products with the matrix of weights W and with its transpose, up to a factor per text."""
    plain = to_numpy(scores)
    if not np.ptp(plain) <= WIDEST[dtype_name(scores)]:
        return counts.weighted(scores)
    weight = namespace(scores).exp(scores - float(plain.max()))[:, None]  # a shift has no gradient
    return (lambda x: counts @ (weight * x)), (lambda y: weight * (counts.T @ y))


def check_fit(parameters, corpus):
    """Refuse parameters (E, p, v) with other shapes than the corpus needs."""
    E, p, v = parameters
    dim, classes = E.shape[1], corpus.num_classes
    needed = (corpus.vocab_size, dim), (dim,), (dim,) if classes == 2 else (classes, dim)
    if (shapes := tuple(tuple(array.shape) for array in (E, p, v))) != needed:
        raise ValueError(f"the parameters have the shapes {shapes}; {corpus!r} needs {needed}")


def exact_parameters(parameters, corpus) -> Parameters:
    """Return parameters as numpy arrays of float64; their shapes must match the corpus, and all numbers be finite."""
    check_fit(parameters, corpus)
    return Parameters(*(_finite(array.astype(float), parameters) for array in as_numpy(parameters)))


def _finite(result, parameters):
    """Return a result if it is finite; otherwise name the parameters that are not."""
    if np.isfinite(to_numpy(result)).all():
        return result
    infinite = [name for name, array in as_numpy(parameters)._asdict().items() if not np.isfinite(array).all()]
    raise ValueError(f"{', '.join(infinite) or 'a product'} is not finite; give smaller, finite parameters")


def _columns(values):
    """Return a vector as a matrix with one column, and a matrix as it is."""
    return values if values.ndim == 2 else values[:, None]


def loss_of_logits(f, corpus):
    """Return the mean loss of logits, which may have a graph."""
    xp = namespace(f)
    if f.ndim == 1:
        losses = softplus(-corpus.placed("signs", f) * f)
    else:
        losses = -xp.sum(corpus.placed("one_hot", f) * log_softmax(f), axis=1)
    return losses @ corpus.placed("mean_weights", f)


def residuals_of_logits(f, corpus):
    """Return the derivative of the mean loss in every logit, in the shape of the logits."""
    weights = corpus.placed("mean_weights", f)
    if f.ndim == 1:
        against = -corpus.placed("signs", f)
        return against * weights * sigmoid(against * f)
    return (namespace(f).exp(log_softmax(f)) - corpus.placed("one_hot", f)) * weights[:, None]


def classes_of_logits(f) -> np.ndarray:
    """Return the likeliest class of every text; a logit of exactly zero means the first."""
    return to_numpy(f > 0 if f.ndim == 1 else f.argmax(1)).astype(np.int64)


def accuracy_of_logits(f, corpus) -> float:
    """Return the share of texts whose label the logits predict."""
    return round(float((classes_of_logits(f) == corpus.labels) @ corpus.mean_weights), 12)  # so that 100% is exactly one


def softplus(x):
    """Return log(1 + exp(x)); it neither overflows nor loses small results."""
    xp = namespace(x)
    return xp.logaddexp(xp.zeros_like(x), x)


def sigmoid(x):
    """Return 1/(1 + exp(-x)); small results are exact."""
    return namespace(x).exp(-softplus(-x))


def log_softmax(x):
    """Return the logarithms of the softmax over the last axis."""
    xp = namespace(x)
    below = x - xp.max(x, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))
