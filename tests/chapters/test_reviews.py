import numpy as np
import pytest
from helpers import equal

from tokensel_nb import independent_tokens, init_parameters, loss, train
from tokensel_nb.chapters import reviews

SMALL = dict(dim=16, steps=20, learning_rate=0.05)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(reviews, "SETTINGS", SMALL)
    return independent_tokens(300, 40, 12, 0.5, seed=0)


def test_a_run_sums_up_what_was_trained(small):
    found = reviews.binned_run(small, seed=1)
    parameters = found.training.parameters
    assert loss(parameters, small) < 0.5
    assert equal(parameters, train(init_parameters(40, 16, 1), small, 20, learning_rate=0.05).parameters)
    assert found.values.sizes.sum() == 40
    filled = found.values.sizes @ np.nan_to_num(found.values.means)
    assert filled == pytest.approx(parameters.token_values.sum(), rel=1e-5)
    filled = found.scores.sizes @ np.nan_to_num(found.scores.means)
    assert filled == pytest.approx(parameters.token_scores.sum(), rel=1e-4, abs=1e-4)


def test_options_can_be_replaced(small):
    assert reviews.binned_run(small, steps=3).training.step == 3


def test_each_seed_gives_its_own_run(small):
    one, other, again = (reviews.binned_run(small, seed).values.means for seed in (0, 1, 0))
    assert np.array_equal(one, again, equal_nan=True)
    assert not np.array_equal(one, other, equal_nan=True)


def test_scores_are_those_of_the_lowest_held_out_loss(small):
    corpus, held_out = small.split(0.3, seed=0)
    training, stop, scores = reviews.stopped(corpus, held_out, 3, dim=8, steps=40, learning_rate=0.3, evaluate_every=2)
    losses = training.history.held_out_losses
    assert losses[training.history.steps == stop] == losses.min() < losses[-1]
    again = train(init_parameters(40, 8, 3), corpus, stop, learning_rate=0.3).parameters.token_scores
    np.testing.assert_allclose(scores, again, atol=1e-6)
