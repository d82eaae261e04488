"""Optional packages: their versions, and their modules, imported at first use; an error names the extra to install."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from .arrays import gpu


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


def device_name() -> str:
    """Return the name of the GPU that is used by default, or "cpu"."""
    if gpu() is None:
        return "cpu"
    import torch

    return torch.cuda.get_device_name()


def installed(*names):
    """Return the versions of the installed ones of some packages, without a build's name, such as "+cpu"."""
    versions = {}
    for name in names:
        with suppress(PackageNotFoundError):
            versions[name] = version(name).split("+")[0]
    return versions


def command(extra):
    """Return the command that installs an extra."""
    return f"pip install 'tokensel-nb[{extra}]'"


class MissingExtraError(ModuleNotFoundError):
    """A package of an extra is missing; the message says which one, and how to install it."""


class Extra:
    """A module of an extra, imported at the first use of one of its names; ``need`` begins the message if it is missing."""

    def __init__(self, module, extra, need):
        self._module = module
        self._sentence = f"{need}: {command(extra)}"

    def __getattr__(self, name):
        if name.startswith("__"):  # tools that inspect a module's names must not import all of these
            raise AttributeError(name)
        return getattr(self.load(), name)

    def load(self):
        """Import and return the module."""
        try:
            return import_module(self._module)
        except ModuleNotFoundError as error:
            if error.name not in (self._module, self._module.partition(".")[0]):
                raise  # the module is installed, but something that it needs is not
            raise MissingExtraError(self._sentence, name=error.name) from error


FIGURES = "the book's figures need matplotlib and seaborn"
WIDGETS = "playthings in notebooks need anywidget"
HUB = "the Hugging Face hub needs the library datasets"

if TYPE_CHECKING:
    import anywidget as anywidget
    import datasets as datasets
    import matplotlib.pyplot as plt
    import pandas as pd
    import seaborn as sns
    import traitlets as traitlets
    from huggingface_hub import constants as constants
    from matplotlib import colors as colors
else:
    pd = Extra("pandas", "book", "tables need pandas")
    plt = Extra("matplotlib.pyplot", "book", FIGURES)
    colors = Extra("matplotlib.colors", "book", FIGURES)
    sns = Extra("seaborn", "book", FIGURES)
    anywidget = Extra("anywidget", "book", WIDGETS)
    traitlets = Extra("traitlets", "book", WIDGETS)
    datasets = Extra("datasets", "hub", HUB)
    constants = Extra("huggingface_hub.constants", "hub", HUB)
