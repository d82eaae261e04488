import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokensel_nb import Corpus, check_assumption_1, complete_tokens, relevant_tokens
from tokensel_nb.synthetic import (
    independent_tokens,
    independent_words,
    negation,
    one_against_many,
    one_relevant_token,
    partly_positive_tokens,
    several_relevant_tokens,
    skews,
    xor_of_pairs,
)


@given(vocab_size=st.integers(2, 300))
def test_skews_go_from_a_ramp_to_two_tokens(vocab_size):
    ramp = skews(vocab_size, 0)
    assert (np.diff(ramp) >= 0).all()
    np.testing.assert_allclose(ramp, -ramp[::-1], atol=1e-15)
    only_two = np.zeros(vocab_size)
    only_two[[0, -1]] = -1, 1
    for signal in ((vocab_size - 1) / vocab_size, (vocab_size - 2) / vocab_size):
        np.testing.assert_array_equal(skews(vocab_size, signal), only_two)
    if vocab_size >= 4:
        assert np.count_nonzero(skews(vocab_size, (vocab_size - 2.5) / vocab_size)) == 4


def test_skews_by_hand():
    # Ranks -0.75, -0.25, 0.25, 0.75: the inner ones lie 0.5 further in.
    np.testing.assert_allclose(skews(4, 0), [-1, -0.5, 0.5, 1])
    np.testing.assert_allclose(skews(4, 0.375), [-1, -0.2, 0.2, 1])
    np.testing.assert_allclose(skews(5, 0), [-1, -0.6, 0, 0.6, 1])


@pytest.mark.parametrize("signal", [0.0, 0.5, 0.9])
def test_independent_tokens_have_the_chances_that_were_ordered(signal):
    corpus = independent_tokens(20_000, 10, 12, signal, seed=0)
    for label in (-1, 1):
        frequency = corpus.counts[corpus.signs == label].sum(axis=0) / (10_000 * 12)
        # 120,000 independent draws a label: a standard error of at most 0.0013.
        np.testing.assert_allclose(frequency, (1 + label * skews(10, signal)) / 10, atol=5 * 0.0013)
    # Positions of a text are independent: the number of tokens 9 in a positive text is binomial.
    number = corpus.counts[corpus.labels == 1][:, [9]].toarray()
    assert number.var() == pytest.approx(12 * 0.2 * 0.8, rel=0.07)  # five standard errors


@pytest.mark.parametrize("vocab_size", [20, 21])
def test_assumption_1_sets_in_at_the_last_signal(vocab_size):
    """At T = 100 the chance to fail is at most 100 (1 - 2/20)^100 = 0.003; below the threshold it never holds."""
    for seed in range(10):
        assert check_assumption_1(independent_tokens(200, vocab_size, 100, (vocab_size - 1) / vocab_size, seed))
        for signal in (0, 0.5, (vocab_size - 3) / vocab_size):
            assert not check_assumption_1(independent_tokens(200, vocab_size, 100, signal, seed))


@pytest.mark.parametrize(("texts", "length"), [(2, 5), (20, 15)])
def test_assumption_1_holds_with_the_chance_that_is_proved(texts, length):
    """The chance is (1 - (1 - 2/|S|)^T)^(n/2): 0.672 and 0.698 here, known to a standard error of 0.015 from 1,000 seeds."""
    holds = [bool(check_assumption_1(independent_tokens(texts, 10, length, 0.9, seed))) for seed in range(1000)]
    assert np.mean(holds) == pytest.approx((1 - 0.8**length) ** (texts / 2), abs=5 * 0.015)


def test_independent_words_keep_lengths_and_the_frequencies_of_each_class():
    """And nothing else: "a" and "b", which always occur together, then do so as often as chance has it."""
    counts = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 2]])[np.repeat([0, 1, 2], [4000, 4000, 2000])]
    corpus = Corpus(counts, np.repeat([1, 1, -1], [4000, 4000, 2000]), list("abcd"))
    drawn = independent_words(corpus, seed=0)
    np.testing.assert_array_equal(drawn.lengths, corpus.lengths)
    np.testing.assert_array_equal(drawn.labels, corpus.labels)
    positive = drawn.counts[drawn.labels == 1].toarray()
    np.testing.assert_array_equal(positive.sum(axis=0), 4000)
    # Pairs of "a" and "b": 2/16 of 8,000 texts, a standard error of at most 0.0037.
    assert np.mean((positive[:, 0] == 1) & (positive[:, 1] == 1)) == pytest.approx(1 / 8, abs=5 * 0.0037)
    assert (drawn.counts[drawn.labels == 0].toarray() == [0, 0, 0, 2]).all()


def test_independent_words_need_words_that_were_counted():
    with pytest.raises(ValueError, match="not integers"):
        independent_words(Corpus([[0.5, 1], [1, 0.5]], [1, -1], ["a", "b"]), seed=0)


@given(pairs=st.integers(10, 60), irrelevant=st.integers(1, 20), length=st.integers(3, 9), relevant=st.integers(1, 5))
def test_one_relevant_token_satisfies_assumption_1(pairs, irrelevant, length, relevant):
    corpus = one_relevant_token(2 * pairs, 2 * relevant + irrelevant, length, relevant, seed=pairs)
    assert check_assumption_1(corpus)
    assert corpus.counts.shape == (2 * pairs, 2 * relevant + irrelevant)
    assert (corpus.lengths == length).all()
    often = corpus.counts.sum(axis=0)
    assert (often > 0).all()
    assert np.ptp(often[:relevant]) <= 1  # equally often, up to one
    assert np.ptp(often[2 * relevant :]) <= 2  # up to one, in two texts
    complete = complete_tokens(corpus)
    assert [word.split()[0] for word in corpus.vocabulary] == [["irrelevant", "positive", "negative"][c] for c in complete]
    np.testing.assert_array_equal(
        corpus.counts[:pairs, 2 * relevant :].toarray(), corpus.counts[pairs:, 2 * relevant :].toarray()
    )


def test_several_relevant_tokens():
    corpus = several_relevant_tokens(60, 30, 8, relevant=5, per_text=3, seed=0)
    np.testing.assert_array_equal(np.diff(relevant_tokens(corpus).indptr), 3)
    assert repr(check_assumption_1(corpus)).startswith("Assumption 1 does not hold: text 0 has 3 relevant tokens, 'positive ")
    assert (corpus.lengths == 8).all()


def test_partly_positive_tokens():
    corpus = partly_positive_tokens(200, 30, 8, relevant=2, impurity=0.1, seed=0)
    assert "has no relevant token" in check_assumption_1(corpus).counter_example
    wrong = corpus.counts[:100, 2:4].sum() + corpus.counts[100:, :2].sum()
    assert wrong == 20
    assert (corpus.signed_frequency()[4:] == 0).all()
    assert check_assumption_1(partly_positive_tokens(200, 30, 8, relevant=2, impurity=0, seed=0))


def test_xor_balances_every_token():
    corpus = xor_of_pairs(80, 20, 6, seed=0)
    assert (corpus.signed_frequency() == 0).all()
    assert "text 0 has no relevant token" in check_assumption_1(corpus).counter_example
    has = corpus.counts.toarray() > 0
    np.testing.assert_array_equal(has[:, 0] == has[:, 2], corpus.labels == 1)
    assert (has[:, :2].sum(axis=1) == 1).all()
    assert (has[:, 2:4].sum(axis=1) == 1).all()


def test_negation_turns_the_label():
    corpus = negation(200, 30, 8, relevant=3, negated=0.25, seed=0)
    has = corpus.counts.toarray() > 0
    positive, negated = has[:, :3].any(axis=1), has[:, corpus.column("not")]
    np.testing.assert_array_equal(positive != negated, corpus.labels == 1)
    assert negated.sum() == 50
    assert corpus.signed_frequency()[corpus.column("not")] == 0
    assert not check_assumption_1(corpus)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: independent_tokens(20, 6, 5, 0.5, seed),
        lambda seed: several_relevant_tokens(20, 16, 5, 3, 2, seed),
        lambda seed: partly_positive_tokens(20, 16, 5, 3, 0.2, seed),
        lambda seed: xor_of_pairs(20, 16, 5, seed),
        lambda seed: negation(20, 16, 5, 3, 0.2, seed),
    ],
)
def test_the_seed_is_all_that_is_random(make):
    first, again, other = make(1).counts, make(np.random.default_rng(1)).counts, make(2).counts
    assert (first != again).nnz == 0
    assert (first != other).nnz > 0


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (independent_tokens, (20, 1, 5, 0.5)),
        (independent_tokens, (20, 6, 5, 1.0)),
        (independent_tokens, (21, 6, 5, 0.5)),
        (one_relevant_token, (20, 6, 5, 0)),
        (one_relevant_token, (20, 6, 5, 3)),
        (one_relevant_token, (20, 100, 5, 3)),
        (one_relevant_token, (4, 16, 9, 3)),
        (one_relevant_token, (20, 16, 1, 3)),
        (several_relevant_tokens, (20, 16, 5, 3, 4)),
        (partly_positive_tokens, (20, 16, 5, 3, 0.6)),
        (negation, (20, 16, 5, 3, -0.1)),
        (xor_of_pairs, (22, 16, 5)),
        (xor_of_pairs, (20, 16, 2)),
    ],
)
def test_impossible_orders_are_refused(make, arguments):
    with pytest.raises(ValueError, match=r"; (give|raise) "):
        make(*arguments, seed=0)


def test_one_against_many_has_unequal_sides_and_satisfies_assumption_1():
    corpus = one_against_many(32, 11, 4, 4, seed=0)
    assert check_assumption_1(corpus)
    assert corpus.vocab_size == 11
    np.testing.assert_array_equal(complete_tokens(corpus)[:6], [1, 1, 1, 1, -1, 0])
    # Equally often within a side: four tokens share its 16 texts.
    np.testing.assert_allclose(corpus.signed_frequency(), [1 / 8] * 4 + [-1 / 2] + [0] * 6, atol=1e-15)
