"""Numpy or torch: functions compute with the kind of array that they are given. This module tells the kinds apart."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack, contextmanager
from functools import cache

import array_api_compat
import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

is_torch = array_api_compat.is_torch_array
namespace = array_api_compat.array_namespace

ENOUGH = 2**22  # multiplications of a step; with fewer, a second thread costs more than it gains


def to_numpy(array) -> np.ndarray:
    """Return an array of either kind, on any device, as numpy; without a copy if possible."""
    return array.detach().cpu().numpy() if is_torch(array) else np.asarray(array)


def in_memory(array) -> bool:
    """Return whether an array is in the processor's memory, where numpy can compute with it."""
    return not is_torch(array) or array.device.type == "cpu"


def dtype_name(array) -> str:
    """Return the name of an array's dtype, such as "float32", whatever its kind."""
    return _name(array.dtype)


@cache  # formatting a dtype takes as long as a small step of training
def _name(dtype):
    return str(dtype).removeprefix("torch.")


def like(values, reference):
    """Return an array as the kind and on the device of another one; floats get its dtype. Memory may be shared."""
    values = to_numpy(values)
    values = np.asarray(values, dtype_name(reference) if values.dtype.kind == "f" else None)
    if is_torch(reference):
        import torch

        values = torch.from_numpy(values if values.flags.writeable else values.copy()).to(reference.device)
    return values


def as_numpy(parameters):
    """Return parameters as numpy arrays, without a graph; they share the memory of tensors on the CPU.

    Parameters
    ----------
    parameters : NamedTuple of arrays

    Returns
    -------
    NamedTuple of ndarray
        Of the type of ``parameters``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.as_numpy(ts.to_device(ts.init_parameters(vocab_size=3, dim=2, seed=0), "cpu")).cls_embedding
    array([0., 0.], dtype=float32)
    """
    return type(parameters)(*map(to_numpy, parameters))


def gpu() -> str | None:
    """Return "cuda" if torch can use a GPU; without a GPU driver, torch is not imported."""
    if shutil.which("nvidia-smi") is None:
        return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


def to_device(parameters, device=None):
    """Return parameters as tensors on a device; on the CPU they share the memory of numpy arrays.

    Parameters
    ----------
    parameters : NamedTuple of arrays
    device : str or torch.device, optional
        Such as "cpu" or "cuda"; by default the arrays' own.

    Returns
    -------
    NamedTuple of tensors
        Of the type of ``parameters``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.to_device(ts.init_parameters(vocab_size=3, dim=2, seed=0), "cpu").cls_embedding
    tensor([0., 0.])
    """
    import torch

    return type(parameters)(*(torch.as_tensor(array, device=device) for array in parameters))


@contextmanager
def threads_for(multiplications):
    """Compute on one thread if a step has too few multiplications to share."""
    with ExitStack() as limits:
        if multiplications < ENOUGH:
            limits.enter_context(threadpool_limits(1, "blas"))
            if torch := sys.modules.get("torch"):
                limits.callback(torch.set_num_threads, torch.get_num_threads())
                torch.set_num_threads(1)
        yield


def threads(array) -> int:
    """Return how many threads compute with arrays of a kind: those of torch, or of numpy's BLAS."""
    if is_torch(array):
        return sys.modules["torch"].get_num_threads()
    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)
