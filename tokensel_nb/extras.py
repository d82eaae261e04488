"""Modules that only an extra installs: imported at first use, or refused in one sentence that says which extra to install."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING


def command(extra):
    """Return the command that installs an extra."""
    return f"pip install 'tokensel-nb[{extra}]'"


class MissingExtraError(ModuleNotFoundError):
    """Something needs a package that comes with an extra; the message says which, and how to install it."""


class Extra:
    """A module of an extra, imported at the first use of one of its names; ``need`` begins the sentence if it is missing."""

    def __init__(self, module, extra, need):
        self._module = module
        self._sentence = f"{need}: {command(extra)}"

    def __getattr__(self, name):
        if name.startswith("__"):  # tools that look into a module's names shall not import all of these
            raise AttributeError(name)
        return getattr(self.load(), name)

    def load(self):
        """Import and return the module."""
        try:
            return import_module(self._module)
        except ModuleNotFoundError as error:
            if error.name not in (self._module, self._module.partition(".")[0]):
                raise  # it is installed, but something that it needs is not
            raise MissingExtraError(self._sentence, name=error.name) from error


FIGURES = "the book's figures need matplotlib and seaborn"
HUB = "the Hugging Face hub needs the library datasets"

if TYPE_CHECKING:
    import datasets as datasets
    import jinja2 as jinja2
    import matplotlib.pyplot as plt
    import pandas as pd
    import seaborn as sns
    from huggingface_hub import constants as constants
    from IPython import display as display
    from matplotlib import colors as colors
else:
    pd = Extra("pandas", "report", "tables need pandas")
    jinja2 = Extra("jinja2", "report", "pages need Jinja")
    plt = Extra("matplotlib.pyplot", "book", FIGURES)
    colors = Extra("matplotlib.colors", "book", FIGURES)
    sns = Extra("seaborn", "book", FIGURES)
    display = Extra("IPython.display", "book", "figures with sliders need IPython")
    datasets = Extra("datasets", "hub", HUB)
    constants = Extra("huggingface_hub.constants", "hub", HUB)
