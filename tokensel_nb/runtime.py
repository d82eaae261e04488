"""Where the code runs: versions and device."""

from __future__ import annotations

import platform
import shutil
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec


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
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def device_name() -> str:
    """Return the name of the GPU that is used by default, or "cpu"."""
    if default_device() == "cpu":
        return "cpu"
    import torch

    return torch.cuda.get_device_name()


def installed(*names):
    """Return the versions of those packages that are installed, without the name of a build, such as "+cpu"."""
    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name).split("+")[0]
    return found
