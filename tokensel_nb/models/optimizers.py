"""Gradient descent and Adam, in place, on arrays of either kind.

The gradient in the embeddings has a rank of two, or K + 1: it comes as its factors, and is written out for a block of rows
at a time, so that it and all that is made of it stay in the processor's cache.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..support.arrays import is_torch, namespace
from ..support.threads import threads_for

if TYPE_CHECKING:
    from ..support.arrays import Array

BLOCK = 2**17  # numbers; a few arrays of so many fit in the cache of a core
LARGER = 4  # times as many for tensors: their kernel needs no temporary arrays, and calling it takes a while


class LowRank(NamedTuple):
    """The matrix factors @ rows, not written out.

    Parameters
    ----------
    factors : array, shape (n, m)
    rows : array, shape (m, dim)
    """

    factors: Array
    rows: Array

    def written_out(self):
        """Return the matrix.

        Returns
        -------
        array, shape (n, dim)
        """
        return self.factors @ self.rows


class GradientDescent:
    """Steps of size ``learning_rate`` against the gradient.

    Parameters
    ----------
    arrays : dict of str to array
        What is trained; changed in place.
    learning_rate : float

    Attributes
    ----------
    steps : int
        Taken so far.
    state : dict of str to array
        What else the next step depends on: "<moment>.<name of the array>"; none here.
    """

    moments = ()

    def __init__(self, arrays: dict[str, Array], learning_rate: float):
        self.arrays, self.learning_rate, self.steps = arrays, learning_rate, 0
        zeros = {name: namespace(array).zeros_like for name, array in arrays.items()}
        self.state = {f"{moment}.{name}": zeros[name](array) for moment in self.moments for name, array in arrays.items()}

    def step(self, gradients: dict[str, Array | LowRank]) -> None:
        """Take one step.

        Parameters
        ----------
        gradients : dict of str to array or LowRank
            One for each of the arrays.
        """
        self.steps += 1
        for name, array in self.arrays.items():
            moments = [self.state[f"{moment}.{name}"] for moment in self.moments]
            if is_torch(array) and not moments and isinstance(gradients[name], LowRank):
                array.addmm_(*gradients[name], alpha=-self.learning_rate)  # one pass, where blocks take three
                continue
            with threads_for(BLOCK * LARGER):  # block by block is small work, however large the array
                for part, gradient in _blocks(array, gradients[name]):
                    self.update(array[part], gradient, *(moment[part] for moment in moments))

    def update(self, array, gradient):
        """Move some rows of an array, in place.

        Parameters
        ----------
        array, gradient : array
            The rows, and the gradient in them.
        """
        array -= self.learning_rate * gradient


class Adam(GradientDescent):
    """Adam (Kingma and Ba, 2015) with PyTorch's defaults; on tensors by PyTorch's own fused kernel.

    Parameters
    ----------
    arrays, learning_rate
        As in `GradientDescent`.
    """

    moments = ("mean", "mean_square")
    betas, epsilon = (0.9, 0.999), 1e-8

    def update(self, array, gradient, mean, square):
        """Move some rows of an array and their running means, in place.

        Parameters
        ----------
        array, gradient, mean, square : array
            The rows, the gradient in them, and the means of it and of its square.
        """
        if is_torch(array):
            return self._update_tensor(array, gradient, mean, square)
        first, second = self.betas
        mean += (1 - first) * (gradient - mean)
        square *= second
        square += (1 - second) * gradient**2
        root = np.sqrt(square)
        root /= np.sqrt(1 - second**self.steps)
        root += self.epsilon
        array -= self.learning_rate / (1 - first**self.steps) * mean / root

    def _update_tensor(self, array, gradient, mean, square):
        # The function, not the class: that would import torch._dynamo, which takes seconds.
        import torch
        from torch.optim.adam import adam

        steps = torch.tensor(self.steps - 1.0, device=array.device)
        betas = dict(zip(("beta1", "beta2"), self.betas))
        rest = dict(amsgrad=False, lr=self.learning_rate, weight_decay=0.0, eps=self.epsilon, maximize=False)
        # The fused kernel goes through memory, whatever the strides: it would pair the wrong numbers.
        fused = all(each.is_contiguous() for each in (array, gradient, mean, square))
        adam([array], [gradient], [mean], [square], [], [steps], fused=fused, foreach=False, **betas, **rest)


OPTIMIZERS = {"adam": Adam, "gradient descent": GradientDescent}


def _blocks(array, gradient) -> Iterator[tuple[slice, Array]]:
    """Yield parts of an array's rows, and the gradient in them: all at once on a GPU, else as much as fits in the cache."""
    if array.ndim < 2 or (is_torch(array) and array.is_cuda):
        parts = [...]
    else:
        numbers = BLOCK * LARGER if is_torch(array) else BLOCK
        height = max(numbers // math.prod(array.shape[1:]), 1)
        parts = [slice(first, first + height) for first in range(0, len(array), height)]
    for part in parts:
        yield part, gradient.factors[part] @ gradient.rows if isinstance(gradient, LowRank) else gradient[part]
