import json
from dataclasses import replace

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import reviews
from tokensel_nb.chapters.recorded import recorded

SMALL = dict(dim=16, steps=20, learning_rate=0.05)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("tokensel_nb.chapters.reviews.SETTINGS", SMALL)
    monkeypatch.setattr(reviews, "SHORT", SMALL | {"evaluate_every": 1})
    return ts.independent_tokens(300, 40, 12, 0.5, seed=0)


def test_a_summary_is_plain_and_of_every_seed(small):
    found = json.loads(json.dumps(reviews.summary(small, "made to order")))
    assert found["name"] == "made to order"
    assert found["corpus"].startswith("Corpus(240 texts")  # the rest is held out
    assert len(found["rank_correlations"]) == len(found["held_out_accuracies"]) == len(reviews.SEEDS)
    assert len(found["words"]) == len(found["values"]) == len(found["scores"]) == len(found["skew"]) == 40
    assert found["steps"] == [0, 5, 10, 15, 20]
    assert {len(accuracies) for accuracies in found["held_out_accuracies"]} == {5}


def test_a_summary_of_several_classes_is_plain_and_of_every_seed_and_class(small):
    labels = np.resize(range(3), len(small))
    corpus = ts.Corpus(small.counts, labels, small.vocabulary, ("few", "some", "many"))
    found = json.loads(json.dumps(reviews.class_summary(corpus, "made to order")))
    assert found["class_names"] == ["few", "some", "many"]
    for kind in ("profile", "skew", "share"):
        assert np.shape(found["rank_correlations"][kind]) == (len(reviews.SEEDS), 3)
        for bins in found["bins"][kind]:
            assert {len(column) for column in bins.values()} == {len(bins["sizes"])}
            assert min(bins["sizes"]) > 0
    assert [sum(bins["sizes"]) for bins in found["bins"]["skew"]] == [40, 40, 40]
    assert all(len(bins["sizes"]) <= 19 for bins in found["bins"]["share"])


def test_the_test_split_chooses_nothing(small, monkeypatch):
    """With test reviews of other labels the same steps are taken, and the accuracies are one minus the others."""
    turned = replace(small, labels=1 - small.labels)
    found = []
    for test in (small, turned):
        monkeypatch.setattr(ts, "load_imdb", lambda split, test=test: {"train": small, "test": test}[split])
        monkeypatch.setattr(reviews, "SEEDS", range(2))
        found.append(reviews.on_test_split())
    assert list(found[0]) == ["after_all_steps", "at_the_best_step"]
    for name, accuracies in found[0].items():
        assert len(accuracies) == 2
        assert min(accuracies) > 0.6
        np.testing.assert_allclose(np.add(accuracies, found[1][name]), 1, atol=2e-4)  # rounded to four digits


def test_what_is_recorded_of_yelp_holds_what_the_chapter_says():
    """The recorded run is not repeated here; but what the chapter says of it must be in it."""
    yelp = recorded("yelp")
    assert min(yelp["rank_correlations"]) >= 0.97
    again = ts.binned(yelp["skew"], yelp["values"]).rank_correlation()
    assert again == pytest.approx(yelp["rank_correlations"][0], abs=0.005)
    assert all(" " not in word for word in yelp["words"]), "words only, no text"


def test_what_is_recorded_of_the_test_split_is_of_every_seed():
    test = recorded("imdb_test")
    assert {len(test[name]) for name in ("after_all_steps", "at_the_best_step")} == {len(reviews.SEEDS)}
    assert min(test["at_the_best_step"]) > max(test["after_all_steps"])
