"""What logits cost: the logistic loss for two classes, the cross-entropy for more, and their derivatives."""

from __future__ import annotations

import numpy as np

from .arrays import like, namespace, to_numpy


def loss_of_logits(f, corpus):
    """Return the mean loss of logits, which may have a graph."""
    xp = namespace(f)
    if f.ndim == 1:
        losses = softplus(-like(corpus.signs, f) * f)
    else:
        losses = -xp.sum(like(corpus.one_hot, f) * log_softmax(f), axis=1)
    return losses @ like(corpus.mean_weights, f)


def residuals_of_logits(f, corpus):
    """Return the derivative of the mean loss in every logit, in the shape of the logits."""
    weights = like(corpus.mean_weights, f)
    if f.ndim == 1:
        against = -like(corpus.signs, f)
        return against * weights * sigmoid(against * f)
    return (namespace(f).exp(log_softmax(f)) - like(corpus.one_hot, f)) * weights[:, None]


def classes_of_logits(f) -> np.ndarray:
    """Return the likeliest class of every text; a logit of exactly zero gives the first."""
    return to_numpy(f > 0 if f.ndim == 1 else f.argmax(1)).astype(np.int64)


def accuracy_of_logits(f, corpus) -> float:
    """Return the share of texts whose label the logits predict."""
    return round(float((classes_of_logits(f) == corpus.labels) @ corpus.mean_weights), 12)  # all right is exactly one


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
