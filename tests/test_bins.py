import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensel_nb.bins import binned


@given(st.integers(1, 60), st.integers(1, 25), st.integers(0, 99))
def test_bins_equal_a_loop_over_bins(tokens, bins, seed):
    random = np.random.default_rng(seed)
    skew, amounts = random.integers(-10, 11, tokens) / 10, random.standard_normal(tokens)
    found = binned(skew, amounts, bins)
    edges = found.edges
    for number in range(bins):
        last = number == bins - 1
        inside = amounts[(skew >= edges[number]) & ((skew <= edges[-1]) if last else (skew < edges[number + 1]))]
        assert found.sizes[number] == len(inside)
        if len(inside):  # sums of at most 60 numbers of order one
            assert found.means[number] == pytest.approx(inside.mean(), abs=1e-12)
            assert found.spreads[number] == pytest.approx(inside.std(), abs=1e-12)
        else:
            assert np.isnan(found.means[number])
    assert found.sizes.sum() == tokens


def test_tokens_that_do_not_occur_are_left_out():
    found = binned([-1.0, np.nan, 1.0], [1.0, 5.0, 3.0], 2)
    assert found.sizes.tolist() == [1, 1]
    assert found.means.tolist() == [1.0, 3.0]
    assert found.centres.tolist() == [-0.5, 0.5]


def test_given_edges_leave_out_what_lies_beyond():
    assert binned([-1.0, 0.1, 0.2], [1.0, 2.0, 4.0], [0.0, 0.5]).means.tolist() == [3.0]


def test_rank_correlation_passes_over_empty_bins():
    skew = np.array([-1.0, -0.9, 0.9, 1.0])
    assert binned(skew, skew**3, 20).rank_correlation() == pytest.approx(1.0)
    assert binned(skew, -skew, 20).rank_correlation() == pytest.approx(-1.0)


def test_a_u_is_told_from_a_line_and_from_noise():
    random = np.random.default_rng(0)
    skew = random.uniform(-1, 1, 2000)
    noise = random.standard_normal(2000)
    assert binned(skew, 3 * skew**2 + noise).u_shape() > 20
    assert binned(skew, 3 * skew + noise).u_shape() < -20
    assert abs(binned(skew, noise).u_shape()) < 3


@pytest.mark.parametrize("bins", [4, 12, 20])
def test_the_u_compares_the_quarters_by_the_standard_error_of_their_tokens(bins):
    random = np.random.default_rng(1)
    skew, amounts = np.linspace(-1, 1, 400), random.standard_normal(400)
    found = binned(skew, amounts, bins)
    first, middle, last = amounts[skew < -0.5], amounts[(skew >= -0.5) & (skew < 0.5)], amounts[skew >= 0.5]

    def gap(end):
        return (end.mean() - middle.mean()) / np.hypot(*(part.std(ddof=1) / len(part) ** 0.5 for part in (end, middle)))

    assert found.u_shape() == pytest.approx(min(gap(first), gap(last)), rel=1e-9)


def test_the_mean_spread_needs_two_tokens_a_bin():
    assert binned([-1.0, -1.0, 0.0, 1.0, 1.0], [0.0, 2.0, 9.0, 1.0, 4.0], 3).mean_spread == pytest.approx(1.25)


def test_bad_input():
    with pytest.raises(ValueError, match="no token has a skew"):
        binned([np.nan, np.nan], [0.0, 1.0])
    with pytest.raises(ValueError, match=r"skew has shape \(2,\) and amounts \(3,\)"):
        binned([0.0, 1.0], [0.0, 1.0, 2.0])
