"""How a model is trained: options that are checked once, and with which a checkpoint must agree."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..support.checks import CheckedOptions, collected, instance, one_of, option, positive, shortened, truth, whole_number
from .optimizers import OPTIMIZERS

ELSEWHERE = ("steps", "device", "distributed", "checkpoint", "watch", "verbose")
"""Options that change where, how long and how visibly a run goes on, but no step of it."""


def _names(name, value):
    names = (value,) if isinstance(value, str) else tuple(collected(name, value))  # their order does not matter
    if not names:
        raise ValueError(f"{name} is empty; name at least one of the model's arrays")
    return names


def _device(name, value):
    if not value or not isinstance(str(value) if type(value).__name__ == "device" else value, str):  # torch's 0 is a GPU
        raise TypeError(f"{name}={shortened(value)}; give a name such as 'cpu', 'cuda:0' or 'auto'")
    return str(value)


@dataclass(frozen=True)
class Options(CheckedOptions):
    """How `train` minimises the loss.

    Parameters
    ----------
    dim : int
        d; if you give a start, the dimension of the start is used.
    steps : int
        Number of gradient steps, at most.
    learning_rate : float
        Size of a step; the default suits Adam at 64 dimensions.
    optimizer : {"adam", "gradient descent"}
        Adam with PyTorch's defaults, or plain gradient descent.
    trained : sequence of str, optional
        Names of the arrays that are trained, such as "embeddings"; the others stay as they are. By default all.
    batch_size : int, optional
        Texts per step, drawn without replacement epoch by epoch; by default all, so each step is exact.
    patience : int, optional
        Stop after this many evaluations in a row without a lower held-out loss, and return the best parameters so far.
    evaluate_every : int
        Steps between two evaluations.
    seed : int
        Of the start and of the batches.
    device : str, optional
        By default training computes with the kind of array of its start: with numpy on numpy arrays. "cpu" or "cuda:1" computes
        with torch there, "auto" with torch on a GPU if there is one, else on the CPU. Products of float32 are exact: while this
        package computes, TF32 is off, whatever torch is set to.
    distributed : bool
        Whether the processes that torchrun started share the texts. Each computes with its part of them, and they exchange
        K + 1 numbers per word and step (two for two classes; its gradients for a model that torch differentiates). Give all of
        them the same arguments; they return the same. Only the first writes, watches and shows. With a single process,
        nothing changes.
    checkpoint : path, optional
        A ``.safetensors`` file, written whole or not at all. If it exists, training continues from it, and on one machine
        reaches the same parameters as a run without interruption. You may ask for more ``steps`` than before, and for another
        device or number of processes; everything else must be as it was.
    watch : callable, optional
        Called as ``watch(step, parameters)`` at every evaluation of this run, with arrays that must not be changed.
    verbose : bool
        Whether to show a progress bar after two seconds.

    Raises
    ------
    ValueError
        If an option is out of range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Options(dim=16, steps=20).learning_rate
    0.05
    >>> ts.Options(steps=5).identity() == ts.Options(steps=500, verbose=False).identity()
    True
    >>> ts.Options(learning_rate=-1)
    Traceback (most recent call last):
    ValueError: learning_rate=-1; give a positive number
    """

    dim: int = option(64, whole_number)
    steps: int = option(100, whole_number)
    learning_rate: float = option(0.05, positive)
    optimizer: str = option("adam", partial(one_of, allowed=OPTIMIZERS))
    trained: Sequence[str] | None = option(None, _names)
    batch_size: int | None = option(None, whole_number)
    patience: int | None = option(None, whole_number)
    evaluate_every: int = option(5, whole_number)
    seed: int = option(0, partial(whole_number, least=0, most=np.inf))
    device: str | None = option(None, _device)
    distributed: bool = option(False, truth)
    checkpoint: str | os.PathLike | None = option(None, partial(instance, kind=(str, os.PathLike)))
    watch: Callable | None = option(None, Callable)
    verbose: bool = option(True, truth)

    def identity(self) -> dict:
        """Return the options that every step depends on, as plain values; a checkpoint must agree with them.

        Returns
        -------
        dict
        """
        chosen = {name: value for name, value in vars(self).items() if name not in ELSEWHERE}
        return chosen | {"trained": self.trained and list(self.trained)}
