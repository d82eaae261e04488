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


def namespace(*arrays):
    """Return the functions for arrays of one kind, under the array API's names.

    Parameters
    ----------
    *arrays : array
        All numpy, or all torch.

    Returns
    -------
    module

    Raises
    ------
    TypeError
        If the kinds differ, or something is no array.

    Examples
    --------
    >>> namespace(np.zeros(3)).exp(np.zeros(3)).tolist()
    [1.0, 1.0, 1.0]
    """
    return array_api_compat.array_namespace(*arrays)


def to_numpy(array) -> np.ndarray:
    """Return an array of any kind, on any device, as numpy; without a copy where that is possible.

    Parameters
    ----------
    array : array, or what numpy makes one of

    Returns
    -------
    ndarray

    Examples
    --------
    >>> to_numpy([1, 2]).tolist()
    [1, 2]
    """
    if not is_torch(array):
        return np.asarray(array)
    array = array.detach().cpu()
    return (array.float() if dtype_name(array) == "bfloat16" else array).numpy()  # numpy has no bfloat16


def like(values, reference, dtype=None):
    """Return values as an array of the kind and on the device of another one.

    Parameters
    ----------
    values : array, or what numpy makes one of
    reference : array
    dtype : str, optional
        Such as "int64"; by default that of ``reference``.

    Returns
    -------
    array
        It may share the memory of ``values``.

    Examples
    --------
    >>> like([1, 2], np.zeros(1, "float32")).dtype.name
    'float32'
    """
    if not is_torch(reference):
        return np.asarray(to_numpy(values), dtype or reference.dtype)
    import torch

    wanted = reference.dtype if dtype is None else getattr(torch, dtype)
    if isinstance(values, np.ndarray) and (not values.flags.writeable or min(values.strides, default=0) < 0):
        values = values.copy()  # torch has no tensors that are only read, or read backwards
    return torch.as_tensor(values).to(reference.device, wanted)


def dtype_name(array) -> str:
    """Return the name of an array's dtype, such as "float32", whatever its kind.

    Parameters
    ----------
    array : array

    Returns
    -------
    str

    Examples
    --------
    >>> dtype_name(np.zeros(2))
    'float64'
    """
    return str(array.dtype).removeprefix("torch.")


def softplus(x):
    """Return log(1 + exp(x)), which neither overflows nor loses small results.

    Parameters
    ----------
    x : array

    Returns
    -------
    array

    Examples
    --------
    >>> softplus(np.array([-800.0, 0.0, 800.0])).round(3).tolist()
    [0.0, 0.693, 800.0]
    """
    if is_torch(x):
        import torch

        return torch.nn.functional.softplus(x, threshold=40)  # beyond it x itself, exact to float64
    return np.logaddexp(x, 0)


def sigmoid(x):
    """Return 1/(1 + exp(-x)) with small results exact.

    Parameters
    ----------
    x : array

    Returns
    -------
    array

    Examples
    --------
    >>> sigmoid(np.array([-1000.0, 0.0])).tolist()
    [0.0, 0.5]
    """
    return namespace(x).exp(-softplus(-x))


def log_softmax(x):
    """Return the logarithms of the softmax over the last axis.

    Parameters
    ----------
    x : array, shape (..., K)

    Returns
    -------
    array

    Examples
    --------
    >>> np.exp(log_softmax(np.array([1000.0, 1000.0]))).round(3).tolist()
    [0.5, 0.5]
    """
    xp = namespace(x)
    below = x - xp.max(x, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))


def times_few(matrix, rows):
    """Return ``matrix @ rows.T`` for few rows: a product that reads the matrix once, as fast as memory allows.

    On an Intel processor torch's plain product takes twice as long as reading the matrix; transposed, and of two or three rows,
    it takes no longer.

    Parameters
    ----------
    matrix : array, shape (n, dim)
    rows : array, shape (m, dim)

    Returns
    -------
    array, shape (n, m)

    Examples
    --------
    >>> times_few(np.eye(2), np.ones((1, 2))).tolist()
    [[1.0], [1.0]]
    """
    if is_torch(matrix):
        return (rows @ matrix.T).T if len(rows) < 4 else matrix @ rows.T
    return np.stack([matrix @ row for row in rows], axis=1)


def few_times(rows, matrix, height=64):
    """Return ``rows @ matrix`` for few rows and a tall matrix.

    Torch's plain product reaches a third of the memory's speed on a CPU; cut into blocks of rows, as a batched product, it
    reaches nearly all of it.

    Parameters
    ----------
    rows : array, shape (m, n)
    matrix : array, shape (n, dim)
    height : int
        Of a block.

    Returns
    -------
    array, shape (m, dim)

    Examples
    --------
    >>> few_times(np.ones((1, 2)), np.eye(2)).tolist()
    [[1.0, 1.0]]
    """
    if not is_torch(matrix):
        return np.stack([row @ matrix for row in np.ascontiguousarray(rows)])
    blocks = len(matrix) // height
    cut = blocks * height
    rest = rows[:, cut:] @ matrix[cut:]
    if not blocks:
        return rest
    stacked = rows[:, :cut].reshape(len(rows), blocks, height).transpose(0, 1).contiguous()
    return (stacked @ matrix[:cut].reshape(blocks, height, -1)).sum(0) + rest
