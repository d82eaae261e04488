"""The checks of chapter 14 stand in the package that it is about: they are known once that is imported."""

import tokensel_report._14_your_data  # noqa: F401
