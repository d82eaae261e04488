"""Gradient descent and Adam as a generator of steps: the loop around which all training is built."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from .arrays import dtype_name, in_memory, is_torch, like, namespace
from .model import one_layer, slopes_of

BLOCK = 2**15  # numbers per block: all arrays of a step fit in the cache of a core
LARGE = 2**23  # numbers in E from which compiling pays: it takes two seconds, once a machine, and saves some 30 ms a step


class Optimizer(NamedTuple):
    """How a gradient becomes a step.

    Parameters
    ----------
    name : str
    moments : int
        The number of arrays of the same size that it keeps per array.
    direction : callable
        ``(slope, moments, step) -> (direction, moments)``, number by number; the array then moves by ``-learning_rate`` times
        the direction. Steps count from one. It gets arrays of the trained kind, and may change the moments in place.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> def heavy_ball(slope, moments, step):
    ...     velocity = 0.9 * moments[0] + slope
    ...     return velocity, [velocity]
    >>> momentum = ts.Optimizer("heavy ball", 1, heavy_ball)
    """

    name: str
    moments: int
    direction: Callable


def _adam(slope, moments, step):
    mean, square = moments
    mean += 0.1 * (slope - mean)
    square *= 0.999
    square += 0.001 * slope**2
    # The usual corrections of both moments, arranged to need as few products as possible.
    first, second = 1 - 0.9**step, (1 - 0.999**step) ** 0.5
    return mean / (square**0.5 * (first / second) + 1e-8 * first), moments


OPTIMIZERS = {
    "adam": Optimizer("adam", 2, _adam),  # Kingma and Ba (2015), with PyTorch's defaults
    "gradient descent": Optimizer("gradient descent", 0, lambda slope, moments, step: (slope, ())),
}


class State(NamedTuple):
    """The state of the optimizer: with the parameters, all that the next step depends on.

    Parameters
    ----------
    step : int
        The number of steps that were taken.
    moments : dict of str to tuple of arrays
        The optimizer's arrays, by trained array. The next step changes them in place, so copy what you keep.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 1, 0], [0, 1, 1]], ["down", "up"], ["bad", "film", "good"])
    >>> _, _, state = next(ts.descent(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus))
    >>> state.step, len(state.moments["embeddings"])  # Adam's mean and mean square
    (0, 2)
    """

    step: int
    moments: dict[str, tuple]


def descent(
    parameters,
    corpus,
    *,
    model=one_layer,
    learning_rate=0.05,
    optimizer="adam",
    batch_size=None,
    seed=0,
    trained=None,
    state=None,
):
    """Minimise the loss step by step, in an endless loop.

    Parameters
    ----------
    parameters : NamedTuple of arrays
        The start, such as `Parameters`, numpy or tensors; it is not changed.
    corpus : Corpus
    model : callable
        See `logits`.
    learning_rate : float
        Size of a step. The default suits Adam; plain gradient descent takes 1 to 10, and many more steps.
    optimizer : {"adam", "gradient descent"} or Optimizer
        Adam is torch.optim.Adam, with its defaults: betas (0.9, 0.999), ε = 1e-8.
    batch_size : int, optional
        Texts per step, drawn without replacement epoch by epoch; by default all of them.
    seed : int
        Of the batches.
    trained : collection of str, optional
        Names of the arrays that are trained; by default all.
    state : State, optional
        The state of an earlier run to continue, perhaps at another rate; it is not changed.

    Yields
    ------
    step : int
        The number of steps taken; first 0, or that of ``state``.
    parameters : NamedTuple of arrays
        Of the kind of the start. Every step makes new arrays: what you keep does not change.
    state : State

    Raises
    ------
    ValueError
        If ``trained`` names an array that the parameters don't have, or a setting is out of range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 1, 0], [0, 1, 1]], ["down", "up"], ["bad", "film", "good"])
    >>> steps = ts.descent(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus)
    >>> [f"{ts.loss(parameters, corpus):.3f}" for _, parameters, _ in itertools.islice(steps, 0, 21, 10)]
    ['0.604', '0.110', '0.008']
    """
    optimizer = OPTIMIZERS.get(optimizer, optimizer)
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"optimizer={optimizer!r}; give one of {', '.join(OPTIMIZERS)}, or an Optimizer")
    if not 0 < learning_rate < math.inf or not (batch_size is None or batch_size >= 1):
        raise ValueError(f"learning_rate={learning_rate}, batch_size={batch_size}; give positive numbers")
    parameters = type(parameters)(*(array.detach().clone() if is_torch(array) else np.array(array) for array in parameters))
    names = [name for name in parameters._fields if trained is None or name in trained]
    if not names or not set(names) >= set(trained or names):
        raise ValueError(f"trained={trained}; choose from the parameters {', '.join(parameters._fields)}")
    if state is None:
        zeros = lambda name: tuple(_new(getattr(parameters, name), "zeros") for _ in range(optimizer.moments))
        state = State(0, {name: zeros(name) for name in names})
    if {name: len(of) for name, of in state.moments.items()} != dict.fromkeys(names, optimizer.moments):
        raise ValueError("the state belongs to another optimizer or other trained arrays; start from the parameters alone")
    state = copy.deepcopy(state)
    settings = names, model, optimizer, float(learning_rate)
    take_step = _fused_step(parameters, *settings) or _step(*settings)
    for rows in _batches(corpus, batch_size, seed, state.step):
        yield state.step, parameters, state
        with np.errstate(over="ignore", invalid="ignore"):  # overflow shows in the loss
            parameters = take_step(parameters, corpus if rows is None else corpus[rows], state)
        state = State(state.step + 1, state.moments)


def _step(names, model, optimizer, rate):
    """Return a function of parameters, texts and state, which returns new parameters; the moments change in place."""

    def take_step(parameters, texts, state):
        slopes = slopes_of(parameters, texts, names, model)
        arrays = ((name, getattr(parameters, name), slopes[name], state.moments[name]) for name in names)
        rest = state.step + 1, rate, optimizer.direction
        return parameters._replace(**{name: _moved(*parts, *rest) for name, *parts in arrays})

    return take_step


def _fused_step(parameters, names, model, optimizer, rate):
    """Return such a function that is compiled, if it can be used, if numba is installed, and if that pays; else None."""
    E, usual = parameters[0], model is one_layer and optimizer is OPTIMIZERS["gradient descent"] and len(names) == 3
    if usual and parameters[-1].ndim == 1 and in_memory(E) and math.prod(E.shape) >= LARGE:
        with suppress(ImportError, RuntimeError):  # the latter where there is no place to keep what is compiled
            from .fused import step

            return step(E, rate)


def _batches(corpus, size, seed, skip):
    """Yield the rows of every step's texts, from step ``skip`` on, endlessly; None for all texts."""
    if size is None or size >= len(corpus):
        yield from itertools.repeat(None)
    rows = np.flatnonzero(corpus.mean_weights)  # a batch of texts without weight would have no mean
    for step in itertools.count(skip):
        # The order depends only on seed and epoch, so that a run can start in the middle of an epoch.
        epoch, part = divmod(step, -(-len(rows) // size))
        order = rows[np.random.default_rng([seed, epoch]).permutation(len(rows))]
        yield np.sort(order[part * size : (part + 1) * size])


def _moved(array, slope, moments, step, learning_rate, direction):
    """Return a new array for an array after a step; its moments change in place."""
    new, fused = _new(array, "empty"), is_torch(array) and direction is _adam
    for rows in _blocks(array):
        views = [moment[rows] for moment in moments]
        if fused:
            new[rows] = array[rows]
            _adam_of_torch(new[rows], slope[rows].contiguous(), views, step, learning_rate)
            continue
        way, parts = direction(slope[rows], views, step)
        new[rows] = array[rows] - learning_rate * way
        for view, part in zip(views, parts):
            if part is not view:
                view[...] = part
    return new


def _new(array, make):
    """Return a new array of the same kind; numpy allocates those in memory, since torch uses small pages, which are slower."""
    if in_memory(array):
        return like(getattr(np, make)(array.shape, dtype_name(array)), array)
    return getattr(namespace(array), f"{make}_like")(array)


def _blocks(array):
    """Return the rows of an array in blocks that fit in a core's cache; all at once on another device."""
    if array.ndim == 0 or not in_memory(array):
        return [...]
    height = max(BLOCK * (16 if is_torch(array) else 1) // max(math.prod(array.shape[1:]), 1), 1)
    return [slice(begin, begin + height) for begin in range(0, len(array), height)]


def _adam_of_torch(tensor, slope, moments, step, learning_rate):
    """Take the step of `_adam` in place, by torch's kernel, which reads the memory only once."""
    import torch
    from torch.optim.adam import adam  # not the class, which takes seconds to import

    lists = [[array] for array in (tensor, slope, *moments)]
    rest = dict(beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, amsgrad=False, maximize=False)
    steps = [torch.full((), step - 1.0, device=tensor.device)]  # nothing is copied there
    adam(*lists, [], steps, lr=learning_rate, fused=True, foreach=False, **rest)
