import numpy as np
import pytest

from tokensel_nb import Corpus, class_profile
from tokensel_nb.chapters import classes


@pytest.fixture
def small():
    """Texts of three classes, in each of which some words are frequent."""
    random = np.random.default_rng(0)
    labels = np.resize(range(3), 300)
    means = 0.5 + 2 * random.random((3, 60)) ** 4
    counts = random.poisson(means[labels])
    return Corpus(counts, labels, [f"w{s}" for s in range(60)], ("few", "some", "many"))


def test_the_lean_is_the_profile_of_words_that_occur(small):
    one_word_less = Corpus(small.counts @ np.diag([0] + [1] * 59), small.labels, small.vocabulary, small.class_names)
    found = classes.lean(one_word_less)
    assert np.isnan(found[0]).all()
    assert np.array_equal(found[1:], class_profile(one_word_less)[1:])


def test_the_rise_is_one_for_what_ascends_in_every_class_and_blind_to_words_without_a_lean(small):
    leaning = classes.lean(small)
    assert classes.rise(leaning, leaning) == pytest.approx(1)
    assert classes.rise(leaning, -leaning) == pytest.approx(-1)
    assert classes.word_rise(leaning, leaning**3) == pytest.approx(1)
    beside = np.vstack([leaning, np.full(3, np.nan)])
    assert classes.rise(beside, np.vstack([leaning, np.full(3, 99)])) == pytest.approx(1)


def test_contrasts_tell_the_ways_to_lean_apart():
    random = np.random.default_rng(0)
    ways = random.normal(size=(200, 3))
    leaning = ways @ classes.CONTRASTS
    assert classes.contrasts(leaning, leaning) == pytest.approx([1, 1, 1])
    flipped = ways * [1, 1, -1] @ classes.CONTRASTS + random.normal(size=(200, 1))
    assert classes.contrasts(leaning, flipped) == pytest.approx([1, 1, -1])
