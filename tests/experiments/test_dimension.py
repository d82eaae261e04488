"""The smallest dimension: scores against the package's two steps, the foreseen d against drawn extremes, and small runs."""

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import dimension


def test_scores_are_those_of_two_steps():
    setting, dims = dimension.Setting(256, 4, 7), np.array([5, 20])
    draw = np.random.default_rng(7).standard_normal((256, 20))
    found = setting.scores(draw, dims)
    for k, dim in enumerate(dims):
        start = ts.Parameters(draw[:, :dim] / np.sqrt(dim), np.zeros(dim), np.eye(dim)[0])
        after = ts.embedding_step(start, setting.corpus, setting.step)
        np.testing.assert_allclose(setting.after_step(start.token_values), after.token_values, atol=1e-12)
        expected = ts.cls_step(after, setting.corpus, 1.0).token_scores
        np.testing.assert_allclose(found[:, k], expected, rtol=1e-9, atol=1e-12)


def test_relevant_values_tend_to_the_value():
    for size, relevant in ((256, 4), (512, 8)):
        predicted = dimension.Setting(size, relevant, 7).predicted
        np.testing.assert_allclose(np.abs(predicted[: 2 * relevant]), dimension.VALUE)
        np.testing.assert_allclose(predicted[2 * relevant :], 0, atol=1e-12)


def test_the_foreseen_dimension_of_values_is_that_of_drawn_extremes():
    largest = np.abs(np.random.default_rng(7).standard_normal((4_000, 256))).max(axis=1)
    # The median of 4,000 draws is known to 1%.
    assert dimension.of_values(256) == pytest.approx(np.median((2 / dimension.VALUE * largest) ** 2), rel=0.03)


def test_the_foreseen_dimensions_grow_as_they_should():
    slopes = [(of(2.0**300) - of(2.0**200)) / (100 * np.log(2)) for of in (dimension.of_values, dimension.of_scores)]
    assert slopes[0] == pytest.approx(8 / dimension.VALUE**2, rel=0.02)
    assert slopes[1] == pytest.approx(4 * dimension.RELEVANT, rel=0.15)


def test_the_smallest_dimension_lies_where_half_of_the_draws_keep_the_error():
    kept = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1]])
    assert dimension.smallest([10, 20, 30, 40], kept) == pytest.approx(25)
    with pytest.raises(ValueError, match="none of these"):
        dimension.smallest([10, 20], kept[:, :2])


def test_the_worst_token_asks_for_more_than_the_mean():
    for found, easier in ((dimension.values(256, 7, 20), "mean"), (dimension.scores(256, 7, draws=20), "most")):
        assert found["worst"] > found[easier]
