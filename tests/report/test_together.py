"""Words of the very same texts: all of them, no others, and what they are called."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokensel_report.together import _phrase, inseparable_words


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 8), st.integers(1, 3))
def test_they_are_those_whose_columns_are_the_same(seed, texts, words, least):
    counts = np.random.default_rng(seed).poisson(0.7, (texts, words))
    names = np.array([f"w{column}" for column in range(words)], dtype=object)
    found = inseparable_words(sparse.csr_array(counts), names, least)
    stands = counts > 0
    expected = {
        tuple(same)
        for column in range(words)
        if stands[:, column].sum() >= least
        and len(same := np.flatnonzero((stands == stands[:, [column]]).all(axis=0)).tolist()) > 1
    }
    assert {tuple(each.same) for each in found} == expected
    for each in found:
        texts = stands[:, each.same[0]]
        own = stands[texts].all(axis=0) & (stands.sum(axis=0) <= 2 * texts.sum())
        assert each.left_out.tolist() == np.flatnonzero(own).tolist()


def test_what_their_ngrams_are_made_of_goes_with_them():
    names = np.array(["a", "b", "c", "d", "a b", "b c", "a b c", "b c d"], dtype=object)
    counts = np.ones((7, 8), int)
    counts[2:, 3:5] = counts[3:, 5] = counts[2:, 6:] = 0  # "a", "b" and "c" are common
    [grams] = inseparable_words(sparse.csr_array(counts[:, [0, 1, 2, 5, 6, 7]]), names[[0, 1, 2, 5, 6, 7]], 1)[-1:]
    assert grams.name == "a b c d (together)"
    assert grams.same.tolist() == [4, 5]
    assert grams.left_out.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("names", "phrase"),
    [
        (["from", "sent", "from my", "my phone", "sent from"], "sent from my phone"),
        (["from my", "review status", "status approved"], "from my … review status approved"),
        (["a b c", "b c d", "z"], "a b c d … z"),
        (["b", "a"], "b … a"),
        (["a b", "b a"], "a b a"),
        ([f"w{i} w{i + 1}" for i in range(9)], "w0 w1 w2 w3 w4 w5 w6 w7 …"),
    ],
)
def test_they_are_told_as_they_follow_each_other(names, phrase):
    assert _phrase(np.array(names, dtype=object)) == phrase


def test_no_two_have_the_same_name():
    names = np.array([f"w{i} w{i + 1}" for i in range(12)] + ["x w0", "w8 y"], dtype=object)
    counts = np.zeros((4, 14), int)
    counts[:2, :12], counts[2:, 12:] = 1, 1
    found = inseparable_words(sparse.csr_array(counts), names, 2)
    assert len({each.name for each in found}) == len(found) == 2
