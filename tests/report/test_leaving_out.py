"""Leaving words out of counts, held against texts that really lack them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from tokensel_nb import Corpus
from tokensel_report.leaving_out import LeavingOut


def logit(counts, scores, values):
    """The textbook's form: a softmax over the words that occur; zero where there is none."""
    known = counts > 0
    return softmax(np.log(counts[known]) + scores[known]) @ values[known] if known.any() else 0.0


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 30.0, 1000.0]), st.integers(1, 6), st.integers(1, 5))
def test_every_move_is_what_a_text_without_the_word_shows(seed, spread, texts, words):
    random = np.random.default_rng(seed)
    counts = random.poisson(1, (texts, words)) * random.uniform(0.1, 2, (texts, words))
    scores, values = spread * random.normal(size=words), random.normal(size=words)
    corpus = Corpus(counts, random.permutation(texts) % 2, range(words), ("a", "b"))
    sets = [random.permutation(words)[: random.integers(1, words + 1)] for _ in range(3)]
    found = LeavingOut(scores, corpus, sets)
    moves = found.moves(values)
    dense = [logit(row, scores, values) for row in counts]
    np.testing.assert_allclose(found.logits(values), dense, atol=1e-14 * words)  # |values| of order 1: a few roundings
    left_out = [[word] for word in range(words)] + sets
    stands = {(row, column) for row in range(texts) for column, each in enumerate(left_out) if counts[row, each].all()}
    assert sorted(zip(found.rows, found.columns)) == sorted(stands)
    for row, column, move in zip(found.rows, found.columns, moves):
        without = np.where(np.isin(np.arange(words), left_out[column]), 0, counts[row])
        # The scores are rounded when they are shifted, by at most 1e-16 of themselves, and so are the weights.
        assert move == pytest.approx(dense[row] - logit(without, scores, values), abs=1e-14 * words * (1 + spread))


def test_nothing_is_lost_where_one_word_has_all_the_attention():
    """After 1 - α has rounded to zero, the others still say what the logit would be."""
    corpus = Corpus([[1, 1, 1]], ["a"], ["loud", "good", "bad"], ("a", "b"))
    found = LeavingOut(np.array([800.0, 0.0, 0.0]), corpus, [np.array([0, 1])])
    np.testing.assert_array_equal(found.attention[[0, 3]], 1)
    moves = found.moves(np.array([5.0, 3.0, -1.0]))
    assert moves[0] == 4  # from 5 to the mean of 3 and -1
    assert moves[3] == 6  # and to -1
