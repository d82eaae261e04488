"""For courses: answers that are checked, and the notebooks of students and instructors, made from the book's.

A module ``_NN_...`` holds the checks of a chapter's exercises.
"""

from . import _01_model as _01_model
from . import _02_one_step as _02_one_step
from . import _03_flow as _03_flow
from . import _04_synthetic as _04_synthetic
from . import _05_reviews as _05_reviews
from . import _10_your_data as _10_your_data
from .answers import Checks as Checks
