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


def test_the_foreseen_dimension_of_values_is_that_of_drawn_extremes():
    largest = np.abs(np.random.default_rng(7).standard_normal((4_000, 256))).max(axis=1)
    # The median of 4,000 draws is known to 1%.
    assert dimension.of_values(256) == pytest.approx(np.median((2 / dimension.VALUE * largest) ** 2), rel=0.03)
