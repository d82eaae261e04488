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

    name = dtype or dtype_name(reference)
    if isinstance(values, np.ndarray) and (not values.flags.writeable or min(values.strides, default=0) < 0):
        # Torch has no tensors that are read-only or reversed, and NumPy no bfloat16.
        values = values.astype(values.dtype if name == "bfloat16" else name)
    return torch.as_tensor(values).to(reference.device, getattr(torch, name))


def dtype_name(array) -> str:
    """Return the name of an array's dtype, such as "float32", whatever its kind."""
    return str(array.dtype).removeprefix("torch.")


def in_memory(array) -> bool:
    """Tell whether an array lies in the processor's memory, where NumPy can compute with it without a copy."""
    return not is_torch(array) or array.device.type == "cpu"


def softplus(x):
    """Return log(1 + exp(x)), which neither overflows nor loses small results."""
    if is_torch(x):
        import torch

        return torch.nn.functional.softplus(x, threshold=40)  # beyond it x itself, exact to float64
    return np.logaddexp(x, 0)


def sigmoid(x):
    """Return 1/(1 + exp(-x)) with small results exact."""
    return x.sigmoid() if is_torch(x) else np.exp(-softplus(-x))


def log_softmax(x):
    """Return the logarithms of the softmax over the last axis."""
    xp = namespace(x)
    below = x - xp.max(x, axis=-1, keepdims=True)
    return below - xp.log(xp.sum(xp.exp(below), axis=-1, keepdims=True))
