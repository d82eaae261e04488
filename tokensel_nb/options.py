"""How a model is trained: options that are checked once, in one value, which is also what a checkpoint must agree with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from .optimizers import OPTIMIZERS

ELSEWHERE = ("steps", "device", "checkpoint", "watch", "verbose")
"""Options that change where, how long and how visibly a run goes on, but no step of it."""


@dataclass(frozen=True)
class Options:
    """How `train` minimises the loss.

    Parameters
    ----------
    dim : int
        d; where a start is given, that of the start is used.
    steps : int
        Gradient steps at most.
    learning_rate : float
        Size of a step; the default suits Adam at 64 dimensions.
    optimizer : {"adam", "gradient descent"}
        Adam with PyTorch's defaults, or plain gradient descent.
    trained : sequence of str, optional
        Names of the arrays that are trained, such as "embeddings"; the others stay as they are. By default all.
    batch_size : int, optional
        Texts a step, drawn without replacement epoch by epoch; by default all, so that each step is exact.
    patience : int, optional
        Stop after this many evaluations in a row without a lower held-out loss, and return the best parameters.
    evaluate_every : int
        Steps between two evaluations.
    seed : int
        Of the start and of the batches.
    device : str, optional
        By default training computes as its start is: on numpy arrays with numpy. "cpu" or "cuda:1" computes with torch
        there, "auto" with torch on a GPU where there is one, else on the CPU.
    checkpoint : path, optional
        A ``.safetensors`` file, written whole or not at all. If it is there, training goes on from it, to the same
        parameters as a run that was never interrupted (on one machine). More ``steps`` than before are welcome, and another
        device; all else must be as it was.
    watch : callable, optional
        Called as ``watch(step, parameters)`` at every evaluation of this run, with arrays that must not be changed.
    verbose : bool
        Whether a progress bar shows after two seconds.

    Raises
    ------
    ValueError
        If an option is out of range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Options(dim=16, steps=20).learning_rate
    0.05
    >>> ts.Options(learning_rate=-1)
    Traceback (most recent call last):
    ValueError: learning_rate=-1; give a positive number
    """

    dim: int = 64
    steps: int = 100
    learning_rate: float = 0.05
    optimizer: str = "adam"
    trained: Sequence[str] | None = None
    batch_size: int | None = None
    patience: int | None = None
    evaluate_every: int = 5
    seed: int = 0
    device: str | None = None
    checkpoint: str | os.PathLike | None = None
    watch: Callable | None = None
    verbose: bool = True

    def __post_init__(self):
        optional = {name: value for name in ("batch_size", "patience") if (value := getattr(self, name)) is not None}
        for name, value in dict(dim=self.dim, steps=self.steps, evaluate_every=self.evaluate_every, **optional).items():
            if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name}={value!r}; give a whole number of at least 1")
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise ValueError(f"seed={self.seed!r}; give a whole number, zero or more")
        if not isinstance(self.learning_rate, Real) or not np.isfinite(self.learning_rate) or self.learning_rate <= 0:
            raise ValueError(f"learning_rate={self.learning_rate!r}; give a positive number")
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"optimizer={self.optimizer!r}; choose one of {', '.join(map(repr, OPTIMIZERS))}")
        if self.trained is not None:
            trained = (self.trained,) if isinstance(self.trained, str) else tuple(self.trained)
            if not trained:
                raise ValueError("trained is empty; name at least one of the model's arrays")
            object.__setattr__(self, "trained", trained)

    def identity(self) -> dict:
        """Return the options that every step depends on, as plain values: what a checkpoint must agree with.

        Returns
        -------
        dict

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> ts.Options(steps=5).identity() == ts.Options(steps=500, verbose=False).identity()
        True
        """
        found = {name: value for name, value in vars(self).items() if name not in ELSEWHERE}
        found |= {name: int(value) for name, value in found.items() if isinstance(value, Integral)}
        return found | {"learning_rate": float(self.learning_rate), "trained": self.trained and list(self.trained)}
