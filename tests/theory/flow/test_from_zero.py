"""From p = 0, a sufficient dimension and the rate, on fresh settings; a few of each run with every test."""

import pytest

from experiments import from_zero


@pytest.mark.long
def test_a_hundred_settings_from_zero():
    found = from_zero.all_from_zero(runs=100, seed=900, others=0)
    assert found["failures"] == 0, found["failed"]


@pytest.mark.long
def test_a_hundred_draws_at_their_dimension():
    """One failure is what the corollary allows on average; four or more have a probability below 0.02 even then."""
    assert from_zero.dimension(draws=13, seed=900)["failures"] <= 3


@pytest.mark.long
def test_a_hundred_rates():
    assert from_zero.rate(runs=100, seed=900, shown=0)["largest error"] < 0.01
