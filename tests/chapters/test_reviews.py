import json

import numpy as np
import pytest

from tokensel_nb import Options, binned, loss
from tokensel_nb.chapters import reviews
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.synthetic import independent_tokens

SMALL = Options(dim=16, steps=20, learning_rate=0.05)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(reviews, "OPTIONS", SMALL)
    return independent_tokens(300, 40, 12, 0.5, seed=0)


def test_a_picture_sums_up_what_was_trained(small):
    found = reviews.binned_run(small, seed=1)
    parameters = found.training.parameters
    assert loss(parameters, small) < 0.5
    assert found.values.sizes.sum() == 40
    assert found.values.sizes @ np.nan_to_num(found.values.means) == pytest.approx(parameters.token_values.sum(), rel=1e-5)
    scores = found.scores.sizes @ np.nan_to_num(found.scores.means)
    assert scores == pytest.approx(parameters.token_scores.sum(), rel=1e-4, abs=1e-4)


def test_settings_can_be_replaced(small):
    assert reviews.binned_run(small, steps=3).training.step == 3


def test_each_seed_gives_its_own_picture(small):
    one, other, again = (reviews.binned_run(small, seed).values.means for seed in (0, 1, 0))
    assert np.array_equal(one, again, equal_nan=True)
    assert not np.array_equal(one, other, equal_nan=True)
    assert [len(found) for found in (reviews.binned_runs(small, range(3)),)] == [3]


def test_a_summary_is_plain_and_of_every_seed(small):
    found = json.loads(json.dumps(reviews.summary(small, "made to order")))
    assert found["corpus"].startswith("Corpus(240 texts")  # the rest is held out
    assert len(found["rank_correlations"]) == len(found["held_out_accuracies"]) == len(reviews.SEEDS)
    assert len(found["words"]) == len(found["values"]) == len(found["skew"]) == 40


def test_what_is_recorded_of_yelp_holds_what_the_chapter_says():
    """The recorded run is not repeated here; but what the chapter says of it must be in it."""
    yelp = recorded("yelp")
    assert min(yelp["rank_correlations"]) >= 0.97
    assert min(yelp["u_shapes"]) >= 3
    again = binned(yelp["skew"], yelp["values"]), binned(yelp["skew"], yelp["scores"])
    assert again[0].rank_correlation() == pytest.approx(yelp["rank_correlations"][0], abs=0.005)
    assert again[1].u_shape() == pytest.approx(yelp["u_shapes"][0], rel=0.01)
    assert all(" " not in word for word in yelp["words"]), "words only, no text"


def test_what_is_recorded_of_the_test_split_is_of_every_seed():
    test = recorded("imdb_test")
    assert {len(test[name]) for name in ("after_all_steps", "at_the_best_step")} == {len(reviews.SEEDS)}
    assert min(test["at_the_best_step"]) > max(test["after_all_steps"])
