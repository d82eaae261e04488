"""The five theorems on query and head trained together, on fresh random corpora; a few of each run with every test."""

import pytest

from experiments import trained_head


@pytest.mark.long
@pytest.mark.parametrize("name", trained_head.THEOREMS)
def test_each_theorem_on_a_hundred_corpora(name):
    found = trained_head.official(name, runs=100, seed=900)
    assert found["failures"] == 0, found["failed"]
