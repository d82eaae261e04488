"""The checks of chapter 6 stand in the package that it is about: they are known once that is imported."""

import tokensel_report._06_your_data  # noqa: F401
