"""Where the code runs: versions, processor, device."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from .extras import torch

HAS_THREADS = sys.platform != "emscripten"  # Python in a browser


def versions() -> str:
    """Return one line of versions and device, as in ``tokensel-nb 0.1.0, Python 3.11.2, numpy 2.4.6, torch 2.13.0, cpu``.

    Returns
    -------
    str

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.versions().startswith("tokensel-nb ")
    True
    """
    packages = [f"{name} {number}" for name, number in installed("numpy", "torch").items()]
    first = [f"tokensel-nb {version('tokensel-nb')}", f"Python {platform.python_version()}"]
    return ", ".join([*first, *packages, device_name()])


def default_device() -> str:
    """Return "cuda" where there is a GPU that torch can use, and "cpu" elsewhere."""
    if "torch" not in sys.modules and not (shutil.which("nvidia-smi") and find_spec("torch")):
        return "cpu"  # without the two seconds that torch takes to be imported
    return "cuda" if torch.cuda.is_available() else "cpu"


def device_name() -> str:
    """Return the name of the GPU that is used by default, or "cpu"."""
    return "cpu" if default_device() == "cpu" else torch.cuda.get_device_name()


def side_by_side(function, items):
    """Yield a function of every item, in their order, computed by a thread per core where the platform has threads.

    Worth it for what releases Python's lock: pyarrow, and products of NumPy and SciPy.
    """
    if HAS_THREADS:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from pool.map(function, items)
    else:
        yield from map(function, items)


def room_for(numbers, itemsize=8, **sizes):
    """Refuse sizes, which are arguments by name, if so many numbers need more memory than this machine has."""
    size = numbers * itemsize
    if size > memory():
        named = ", ".join(f"{name}={value}" for name, value in sizes.items())
        raise ValueError(f"{named} needs {size / 1e9:,.0f} GB, more than this machine has; reduce it")


def memory() -> float:
    """Return how many bytes of memory this machine has; infinitely many where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def installed(*names):
    """Return the versions of those packages that are installed, without the name of a build, such as "+cpu"."""
    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name).split("+")[0]
    return found
