"""Gradient descent and Adam, in place, on arrays of either kind.

The gradient in the embeddings has a rank of two, or K + 1: it comes as its factors, and is written out for a block of rows
at a time, so that it and all that is made of it stay in the processor's cache.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..support.arrays import in_memory, is_torch, namespace
from ..support.products import add_few_, cuts
from ..support.threads import by_blocks

if TYPE_CHECKING:
    from ..support.arrays import Array

BLOCK = 2**17  # numbers; a few arrays of so many fit in the cache of a core
ELSEWHERE = 2**27  # numbers; on another device, where a gradient shall not need as much memory as the embeddings
LARGER = 4  # times as many for tensors: their kernel needs no temporary arrays, and calling it takes a while


class LowRank(NamedTuple):
    """The matrix factors @ rows, of shapes (n, m) and (m, dim), not written out."""

    factors: Array
    rows: Array

    def written_out(self):
        """Return the matrix."""
        return self.factors @ self.rows


class GradientDescent:
    """Steps of size ``learning_rate`` against the gradient, which change ``arrays`` in place."""

    moments = ()

    def __init__(self, arrays: dict[str, Array], learning_rate: float):
        self.arrays, self.learning_rate, self.steps = arrays, learning_rate, 0
        # What else the next step depends on.
        self.state = {
            f"{moment}.{name}": namespace(array).zeros_like(array) for moment in self.moments for name, array in arrays.items()
        }

    def step(self, gradients: dict[str, Array | LowRank]) -> None:
        """Take one step, given the gradient in each of the arrays."""
        self.steps += 1
        for name, array in self.arrays.items():
            self._move_by_blocks(array, gradients[name], [self.state[f"{moment}.{name}"] for moment in self.moments])

    def _move_by_blocks(self, array, gradient, moments):
        """Move the rows of an array that fit in the cache of a core, and then the next; more at once on another device."""
        low_rank = isinstance(gradient, LowRank)
        if low_rank and is_torch(array) and not moments:
            return add_few_(array, -self.learning_rate * gradient.factors, gradient.rows)
        if array.ndim < 2:
            return self.move(array, gradient, *moments)

        def move(rows):
            part = gradient.factors[rows] @ gradient.rows if low_rank else gradient[rows]
            self.move(array[rows], part, *(moment[rows] for moment in moments))

        if in_memory(array):
            by_blocks(move, cuts(array, BLOCK * (LARGER if is_torch(array) else 1)))
        else:
            for rows in pairwise(cuts(array, ELSEWHERE)):
                move(slice(*rows))

    def move(self, array, gradient):
        """Move some rows of an array against the gradient in them, in place."""
        array -= self.learning_rate * gradient


class Adam(GradientDescent):
    """Adam (Kingma and Ba, 2015) with PyTorch's defaults; on tensors by PyTorch's own fused kernel."""

    moments = ("mean", "mean_square")
    betas, epsilon = (0.9, 0.999), 1e-8

    def move(self, array, gradient, mean, square):
        """Move some rows of an array, and their running means, in place."""
        if is_torch(array):
            return self._move_tensor(array, gradient, mean, square)
        first, second = self.betas
        mean += (1 - first) * (gradient - mean)
        square *= second
        square += (1 - second) * gradient**2
        root = np.sqrt(square)
        root /= np.sqrt(1 - second**self.steps)
        root += self.epsilon
        array -= self.learning_rate / (1 - first**self.steps) * mean / root

    def _move_tensor(self, array, gradient, mean, square):
        # The function, not the class: that would import torch._dynamo, which takes seconds.
        import torch
        from torch.optim.adam import adam

        steps = torch.tensor(self.steps - 1.0, device=array.device)
        betas = dict(zip(("beta1", "beta2"), self.betas))
        rest = dict(amsgrad=False, lr=self.learning_rate, weight_decay=0.0, eps=self.epsilon, maximize=False)
        # The fused kernel goes through memory, whatever the strides: it would pair the wrong numbers.
        fused = all(tensor.is_contiguous() for tensor in (array, gradient, mean, square))
        adam([array], [gradient], [mean], [square], [], [steps], fused=fused, foreach=False, **betas, **rest)


OPTIMIZERS = {"adam": Adam, "gradient descent": GradientDescent}
