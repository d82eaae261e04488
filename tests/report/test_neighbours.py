"""The test of neighbours: what is put into real sentences is told from what is part of them."""

import numpy as np
import pytest

import tokensel_nb as ts
from tokensel_report.neighbours import Places, Stream, grown, put_in, statistics


def sentences(number=3000):
    reviews = ts.read_rotten_tomatoes()
    some = np.random.default_rng(0).permutation(len(reviews.texts))[:number]
    return [reviews.texts[row] for row in some], np.asarray(reviews.labels)[some]


@pytest.fixture(scope="module")
def judged():
    """The result for a made-up word, one with neighbours of its own, and words of the language, all equally suspicious."""
    texts, codes = sentences()
    random, own = np.random.default_rng(1), np.flatnonzero(codes == 1)
    for rows, plant in zip(random.permutation(own)[:60].reshape(2, 30), ("zqxv", "blob zork blob")):
        for row in rows:
            words = texts[row].split(" ")
            at = random.integers(len(words) + 1)
            texts[row] = " ".join([*words[:at], plant, *words[at:]])
    common = [word for word in Stream(texts, None).code_of if word.isalpha()][:1500]
    phrases = [["zqxv"], ["zork"], ["worst"], ["funny"], ["dull"], *[[word] for word in common]]
    return put_in(texts, codes, phrases, np.full(len(phrases), 0.2))


def test_a_planted_word_is_told_from_honest_ones_that_decide_as_much(judged):
    assert judged[:2].min() > 0.5 > 0.1 > judged[2:5].max()
    assert np.mean(judged[5:] > 0.5) < 0.05


def test_a_phrase_takes_in_neighbours_that_it_always_has():
    texts = [f"{left} see ref now {right}" for left, right in zip("abcdefghij", "klmnopqrst")]
    stream = Stream(texts, None)
    at = stream.places(["ref"], np.random.default_rng(0))
    places = grown(stream, Places(np.zeros(10, int), at - 1, at + 1, np.zeros(10, int)), 1)
    words = list(stream.code_of)
    assert "".join(words[code] for code in stream.codes[places.left]) == "abcdefghij"
    assert "".join(words[code] for code in stream.codes[places.right]) == "klmnopqrst"


def test_words_of_few_places_and_unknown_ones_keep_their_suspicion():
    texts = ["a good film, not bad"] * 7 + ["so so"] * 9
    found = put_in(texts, np.array([0] * 7 + [1] * 9), [["good"], ["nowhere"]], np.array([0.3, 0.6]))
    np.testing.assert_array_equal(found, [0.3, 0.6])


def test_a_gap_is_white_space_or_an_edge():
    stream = Stream(["well, it isn't"], None)
    words = [*stream.code_of, "begin", "end"]
    names = [(words[left], words[right]) for left, right in zip(stream.codes[stream.gaps], stream.codes[stream.gaps + 1])]
    assert names == [("begin", "well"), (",", "it"), ("it", "is"), ("n't", "end")]
    number, enough = statistics(stream, Places(*np.zeros((4, 0), int)), 1)
    assert not enough.any()
    assert np.isfinite(number).all()
