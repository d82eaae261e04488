"""For courses: answers that are checked, and the notebooks of students and instructors, made from the book's.

A module ``_NN_...`` holds the checks of a chapter's exercises.
"""

from . import _01_model as _01_model
from . import _02_one_step as _02_one_step
from . import _03_flow as _03_flow
from . import _04_synthetic as _04_synthetic
from . import _05_reviews as _05_reviews
from . import _06_ablations as _06_ablations
from . import _07_deeper as _07_deeper
from . import _08_classes as _08_classes
from . import _09_beyond as _09_beyond
from . import _10_your_data as _10_your_data
from . import _11_scale as _11_scale
from .answers import Checks as Checks
