"""A hundred fresh corpora each: below the level of errors every start selects, and what is certified is selected."""

import pytest

from experiments import error_level

FRESH = 20261125


@pytest.mark.long
def test_below_the_level_every_start_selects():
    found = error_level.every_start(100, FRESH)
    assert found["failures"] == 0


@pytest.mark.long
def test_what_is_certified_in_few_dimensions_is_selected():
    found = error_level.certified_paths(100, FRESH)
    assert found["failures"] == 0
    assert found["not certified and lost"] > 0
