"""Checks of the exercises in 08_deeper."""

import numpy as np

from ...deeper import KeyQueryParameters, TwoLayers
from ...model import logits
from ...text import corpus_from_texts
from .answers import close, compare, exercise, shaped


def _drawn(random, words=4, dim=3):
    """Return E, p, v, W1 and W2."""
    shapes = (words, dim), dim, dim, (dim, dim), (dim, dim)
    return tuple(random.normal(size=shape) for shape in shapes)


def _by_package(arrays, counts):
    """Return the package's logit of a text of words with these counts."""
    names = [f"word{s}" for s in range(len(counts))]
    text = " ".join(name for name, count in zip(names, counts) for _ in range(count))
    return logits(KeyQueryParameters(*arrays), corpus_from_texts([text, text], [1, -1], vocabulary=names), TwoLayers())[0]


@exercise("ex-deeper-single")
def single(alone, random):
    arrays = _drawn(random, words=1)
    E, _, v, *_ = arrays
    mistakes = {
        "The token attends to itself as well: E_s comes once more on top.": E[0] @ v,
        "E_s comes twice, not its product with itself.": (E[0] @ v) ** 2,
    }
    yield from compare(alone(E[0], v, 1.0), _by_package(arrays, [3]), mistakes)
    yield from compare(alone(E[0], v, 0.0), E[0] @ v, {"Where the residual is zero only what is attended to is left.": 0.0})
    yield from compare(alone(E[0], v, 3.0), 4 * (E[0] @ v))


@exercise("ex-deeper-nowhere")
def nowhere(logit, random):
    E, p, v, W1, W2 = _drawn(random)
    counts = random.permutation(np.arange(1, 5))
    scores, values, shares = E @ W2 @ p, E @ v, counts / counts.sum()
    base = counts * np.exp(scores) @ values / (counts @ np.exp(scores))
    mistakes = {
        "That is the base model alone; the bag of words comes on top.": base,
        "That is the bag of words alone; the base model comes on top.": shares @ values,
        "A word's count is a factor of its attention.": np.exp(scores) @ values / np.exp(scores).sum() + shares @ values,
        "The bag is a mean over positions, not a sum.": base + counts @ values,
    }
    yield from compare(logit(scores, values, counts), _by_package((E, p, v, 0 * W1, W2), counts), mistakes)


@exercise("ex-deeper-write")
def write(two_layers, random):
    E, *rest = _drawn(random)
    counts = np.array([3, 1, 2, 1])
    answer = two_layers(E, *rest, counts)
    yield from shaped(answer, ())
    if not close(two_layers(E, *rest, 2 * counts), answer):
        yield "The text twice over has another logit: counts enter as log c in both softmaxes, and nowhere else."
    if not close(two_layers(np.vstack([E, E[:1]]), *rest, np.array([2, 1, 2, 1, 1])), answer):
        yield "To split a token into two with the same embedding changes the logit: do counts enter both softmaxes?"
    if not np.isfinite(two_layers(100 * E, *rest, counts)):
        yield "It overflows where scores are in the hundreds: subtract the largest before the exponential."
    alone, value = two_layers(E[:1], *rest, np.array([2])), E[0] @ rest[1]
    yield from compare(alone, 2 * value, {"What a token keeps of itself, residual times E_s, is missing.": value})
    yield from compare(answer, _by_package((E, *rest), counts))


@exercise("ex-deeper-identity")
def identity(direction, random):
    v, M = random.normal(size=(20, 4)), random.normal(size=(20, 4, 4))
    bends = np.einsum("ni,nij,nj->n", v, M, v)
    mistakes = {
        "With M = 1 it rises always; with another M it depends on M.": np.ones(20),
        "The trace decides nothing: v chooses a direction.": np.sign(np.trace(M, axis1=1, axis2=2)),
        "Give only the sign.": bends,
    }
    yield from compare([direction(*pair) for pair in zip(M, v)], np.sign(bends), mistakes)
