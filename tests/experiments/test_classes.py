import json

import numpy as np
import pytest

from experiments import classes
from tokensel_nb import Corpus, independent_tokens
from tokensel_nb.chapters.classes import KEPT
from tokensel_nb.chapters.recorded import paper_table, recorded


@pytest.fixture
def small(monkeypatch):
    """Texts of three classes, in each of which some words are frequent."""
    options = dict(dim=32, steps=20, learning_rate=0.05)
    monkeypatch.setattr("tokensel_nb.chapters.reviews.SETTINGS", options)
    for name, value in {"SETTINGS": options, "SEEDS": range(2), "SHUFFLED_SEEDS": range(1), "SHUFFLES": 4}.items():
        monkeypatch.setattr(classes, name, value)
    random = np.random.default_rng(0)
    labels = np.resize(range(3), 300)
    means = 0.5 + 2 * random.random((3, 60)) ** 4
    counts = random.poisson(means[labels])
    return Corpus(counts, labels, [f"w{s}" for s in range(60)], ("few", "some", "many"))


def test_held_out_texts_tell_true_labels_from_shuffled_ones_where_the_texts_trained_on_do_not(small):
    found = json.loads(json.dumps(classes.controls(small, "made to order", (0, 0, 1))))
    assert "paper_bins" not in found
    for how in ("bins", "words"):
        told = found[how]
        assert [len(told[name]) for name in ("own", "shuffled own", "held out", "shuffled held out")] == [2, 1, 2, 2]
        assert len(told["within verdicts"]) == 2
        assert min(told["own"]) > 0.7
        assert min(told["shuffled own"]) > 0.7
        assert min(told["held out"]) > max(told["shuffled held out"])


@pytest.mark.parametrize(("number", "bins", "left_out"), [(2, 20, [1]), (4, 19, [])])
def test_the_papers_bins_are_equal_and_their_middles_are_its_centres_but_for_rounding(number, bins, left_out):
    edges = classes.paper_edges(number)
    assert len(edges) == bins + 1
    assert np.allclose(np.diff(edges), edges[1] - edges[0])
    middles = np.delete((edges[1:] + edges[:-1]) / 2, left_out)
    centres = paper_table(f"multiclass_yelp4_class{number}_v").centre.to_numpy()
    assert np.abs(middles - centres).max() < 0.0005


def test_four_classes_come_with_the_papers_bins(small):
    four = independent_tokens(400, 40, 12, 0.5, seed=0)
    corpus = Corpus(four.counts, np.resize(range(4), 400), four.vocabulary, ("a", "b", "c", "d"))
    bins_and_more = classes.controls(corpus, "four", classes.VERDICTS[4])
    bins = bins_and_more["paper_bins"]
    assert sorted(bins) == ["2", "4"]
    assert len(bins["2"]["means"]) == 2
    assert {len(row) for row in bins["2"]["means"]} == {19}
    assert len(bins["4"]["sizes"]) == 19
    assert len(bins["2"]["left_out"]) == 1
    assert np.shape(bins_and_more["contrasts"]["held out"]) == (2, 3)


def test_more_seeds_are_recorded_and_tell_what_a_seed_does(small):
    found = recorded("classes_seeds")["seeds"]
    assert [each["seed"] for each in found] == list(classes.MORE_SEEDS)
    corpus = independent_tokens(400, 40, 20, 0.5, seed=0)
    corpus = Corpus(corpus.counts, corpus.labels + 2 * (np.arange(400) % 2), corpus.vocabulary, tuple("abcd"))
    new = corpus[::2]
    told = classes.of_seed(corpus, new, 3, dim=64)
    assert told.keys() == found[0].keys()
    assert told["own"] > 0.7
    assert {of: len(numbers) for of, numbers in told["shuffled"].items()} == dict.fromkeys(KEPT, 30)
