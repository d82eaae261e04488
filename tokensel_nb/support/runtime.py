"""Where the code runs: versions, processor, device."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from .extras import torch

HAS_THREADS = sys.platform != "emscripten"  # Python in a browser


def versions() -> str:
    """Return one line of versions and device, as in ``tokensel-nb 0.1.0, Python 3.11.2, numpy 2.4.6, torch 2.13.0, cpu``.

    Without torch, the line does not name it.

    Returns
    -------
    str

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.versions().startswith("tokensel-nb ")
    True
    """
    packages = [f"{name} {found}" for name, found in _versions("numpy", "torch").items()]
    first = [f"tokensel-nb {version('tokensel-nb')}", f"Python {platform.python_version()}"]
    return ", ".join([*first, *packages, device_name()])


def default_device() -> str:
    """Return "cuda" where there is a GPU that torch can use, and "cpu" elsewhere.

    Returns
    -------
    str

    Examples
    --------
    >>> default_device() in ("cpu", "cuda")
    True
    """
    if "torch" not in sys.modules and not (shutil.which("nvidia-smi") and find_spec("torch")):
        return "cpu"  # without the two seconds that torch takes to be imported
    return "cuda" if torch.cuda.is_available() else "cpu"


def device_name() -> str:
    """Return the name of the GPU that is used by default, or "cpu".

    Returns
    -------
    str

    Examples
    --------
    >>> device_name() == "cpu" or default_device() == "cuda"
    True
    """
    if default_device() == "cpu":
        return "cpu"
    return torch.cuda.get_device_name()


def side_by_side(function, items):
    """Yield a function of every item, in their order, by a thread a core; one by one where the platform has no threads.

    Worth it for what lets go of Python's lock: pyarrow, and products of NumPy and SciPy.

    Parameters
    ----------
    function : callable
    items : iterable

    Yields
    ------
    object

    Examples
    --------
    >>> list(side_by_side(abs, [-1, 2]))
    [1, 2]
    """
    if not HAS_THREADS:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(function, items)


def room_for(numbers, itemsize=8, **sizes):
    """Refuse sizes for which this machine has no memory.

    Parameters
    ----------
    numbers : int
        How many there would be.
    itemsize : int
        Bytes of one.
    **sizes : int
        The arguments that say so, under their names.

    Raises
    ------
    ValueError
        If they need more than there is.

    Examples
    --------
    >>> room_for(10**20, vocab_size=10**18, dim=100)
    Traceback (most recent call last):
    ValueError: vocab_size=1000000000000000000, dim=100 needs 800,000,000,000 GB, more than this machine has; give less
    """
    size = numbers * itemsize
    if size > memory():
        named = ", ".join(f"{name}={value}" for name, value in sizes.items())
        raise ValueError(f"{named} needs {size / 1e9:,.0f} GB, more than this machine has; give less")


def memory() -> float:
    """Return how many bytes of memory this machine has; infinitely many where it does not tell.

    Returns
    -------
    float

    Examples
    --------
    >>> memory() > 1e8
    True
    """
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return float("inf")


def machine() -> dict:
    """Return what a reader needs to know of this machine: processor, cores used, GPU, versions, today's date.

    Returns
    -------
    dict

    Examples
    --------
    >>> sorted(machine().keys() - {"gpu"})
    ['cores', 'date', 'processor', 'python', 'torch']
    """
    cores = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())
    found = {"processor": processor(), "cores": cores, "python": platform.python_version()}
    if default_device() == "cuda":
        found["gpu"] = device_name()
    return found | _versions("torch") | {"date": date.today().isoformat()}


def processor() -> str:
    """Name the processor, as Linux does where it can.

    Returns
    -------
    str

    Examples
    --------
    >>> len(processor()) > 0
    True
    """
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def _versions(*names):
    """Return the versions of those packages that are installed, without what they say of one build, as "+cpu" does."""
    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name).split("+")[0]
    return found
