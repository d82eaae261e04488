"""Numpy or torch: functions compute in the kind of array they are given. This is the one place that tells the kinds apart.

Whatever both kinds spell alike is written once, with the array API's names, on the namespace that `namespace` returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import array_api_compat
import numpy as np

if TYPE_CHECKING:
    import torch

    Array = np.ndarray | torch.Tensor

is_torch = array_api_compat.is_torch_array
namespace = array_api_compat.array_namespace


def to_numpy(array) -> np.ndarray:
    """Return an array of any kind, on any device, as numpy; without a copy where that is possible."""
    if not is_torch(array):
        return np.asarray(array)
    array = array.detach().cpu()
    return (array.float() if dtype_name(array) == "bfloat16" else array).numpy()  # numpy has no bfloat16


def like(values, reference, dtype=None):
    """Return values as an array of another one's kind, device and dtype (unless ``dtype`` names one); memory may be shared."""
    if not is_torch(reference):
        return np.asarray(to_numpy(values), dtype or reference.dtype)
    import torch

    torch_dtype = reference.dtype if dtype is None else getattr(torch, dtype)
    if isinstance(values, np.ndarray) and (not values.flags.writeable or min(values.strides, default=0) < 0):
        values = values.copy()  # torch has no tensors that are read-only or reversed
    return torch.as_tensor(values).to(reference.device, torch_dtype)


def dtype_name(array) -> str:
    """Return the name of an array's dtype, such as "float32", whatever its kind."""
    return str(array.dtype).removeprefix("torch.")


def softplus(x):
    """Return log(1 + exp(x)), which neither overflows nor loses small results."""
    if is_torch(x):
        import torch

        return torch.nn.functional.softplus(x, threshold=40)  # beyond it x itself, exact to float64
    return np.logaddexp(x, 0)


def sigmoid(x):
    """Return 1/(1 + exp(-x)) with small results exact."""
    return namespace(x).exp(-softplus(-x))


def log_softmax(x):
    """Return the logarithms of the softmax over the last axis."""
    xp = namespace(x)
    below = x - xp.max(x, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))


def times_few(matrix, rows):
    """Return ``matrix @ rows.T`` for few rows: a product that reads the matrix once, as fast as memory allows."""
    if is_torch(matrix):  # on Intel, torch's plain product takes twice as long; transposed, of two or three rows, it does not
        return (rows @ matrix.T).T if len(rows) < 4 else matrix @ rows.T
    return np.stack([matrix @ row for row in rows], axis=1)


def few_times(rows, matrix, height=64):
    """Return ``rows @ matrix`` for few rows and a tall matrix, which torch multiplies in blocks of ``height`` rows.

    Torch's plain product reaches a third of the memory's speed on a CPU; as a batched product of blocks it reaches nearly all.
    """
    if not is_torch(matrix):
        return np.stack([row @ matrix for row in np.ascontiguousarray(rows)])
    blocks = len(matrix) // height
    end = blocks * height
    rest = rows[:, end:] @ matrix[end:]
    if not blocks:
        return rest
    stacked = rows[:, :end].reshape(len(rows), blocks, height).transpose(0, 1).contiguous()
    return (stacked @ matrix[:end].reshape(blocks, height, -1)).sum(0) + rest
