"""For courses: answers that are checked, and the notebooks of students and instructors, made from the book's.

A module ``_NN_...`` holds the checks of a chapter's exercises.
"""

from . import _01_model as _01_model
from .answers import Checks as Checks
