"""Checks of the readers' answers, a module a chapter.

A module ``_NN_...`` holds the checks of a chapter's exercises.
"""

from importlib import import_module
from pkgutil import iter_modules

from .answers import Checks as Checks

for module in iter_modules(__path__):
    if module.name[1:3].isdigit():
        import_module(f".{module.name}", __name__)
