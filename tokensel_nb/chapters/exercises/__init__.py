"""Checks of the readers' answers: a module ``_NN_...`` holds those of one chapter's exercises, and is loaded by it alone."""

from .answers import Checks as Checks
