"""The correlation among words of equal frequency, held against a loop over words and over groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokensel_nb as ts
from tokensel_nb.matched import FEWEST, correlation_at_equal, lean


def loop(frequency, leans, scores, group):
    """Rank by counting who is smaller or equal, sort by frequency, and subtract each group's mean, one group after another."""
    order = sorted(range(len(frequency)), key=lambda word: (-frequency[word], word))
    pairs = []
    for first in range(0, len(order), group):
        words = order[first : first + group]
        columns = []
        for amounts in (leans, scores):
            ranks = [(amounts < amounts[word]).sum() + ((amounts == amounts[word]).sum() + 1) / 2 for word in words]
            columns.append(np.array(ranks) - np.mean(ranks))
        pairs += zip(*columns)
    x, y = np.transpose(pairs)
    return (x * y).mean() / (x.std() * y.std())


@settings(max_examples=25, deadline=None)
@given(st.integers(300, 420), st.integers(2, 130), st.integers(0, 99))
def test_it_equals_a_loop_over_groups_with_ties(words, group, seed):
    random = np.random.default_rng(seed)
    frequency, leans = random.integers(1, 40, words), random.integers(0, 9, words) / 8
    scores = np.round(leans + random.standard_normal(words), 1)
    # Ranks below 420, so sums below 10^8 of which rounding leaves 10^-8.
    expected = loop(frequency, leans, scores, group)
    assert correlation_at_equal(frequency, leans, scores, group) == pytest.approx(expected, abs=1e-9)


def of_words(texts, words, classes, seed):
    """Texts whose words lean by an amount of their own."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, texts)
    leaning = np.exp(random.standard_normal((classes, words)) * random.uniform(0, 1, words))
    names = tuple("abcdef"[:classes]) if classes > 2 else ("no", "yes")
    counts = random.poisson(leaning[labels] * random.gamma(0.3, 1, words))
    return ts.Corpus(counts, labels if classes > 2 else 2 * labels - 1, [f"w{s}" for s in range(words)], names)


@pytest.mark.parametrize("classes", [2, 3])
def test_words_in_enough_other_texts_lean_by_their_skew_or_profile(classes):
    learnt_from, others = of_words(800, 700, classes, seed=0).split(0.5, seed=0)
    scores = np.random.default_rng(1).standard_normal(700)
    often = (others.counts.toarray() > 0).sum(axis=0) >= 20
    assert FEWEST < often.sum() < 700
    occurrences = others.counts.toarray()[:, often]
    if classes > 2:  # every text counts alike, long or short
        occurrences = occurrences / np.maximum(others.lengths, 1)[:, None]
    shares = np.stack([occurrences[others.labels == k].sum(axis=0) for k in range(classes)]) / occurrences.sum(axis=0)
    leans = np.sqrt(((shares - 1 / classes) ** 2).sum(axis=0)) * (np.sqrt(2) if classes == 2 else 1)
    np.testing.assert_allclose(lean(others)[often], leans, atol=1e-12)
    frequency = learnt_from.counts.toarray().sum(axis=0)
    expected = loop(frequency[often], np.round(leans, 12), scores[often], 100)
    assert ts.matched_correlation(scores, learnt_from, others) == pytest.approx(expected, abs=1e-9)


def test_words_that_the_other_texts_lack_are_left_out_whatever_their_score():
    learnt_from, others = of_words(600, 500, 2, seed=3).split(0.9, seed=0)
    lacking = np.isnan(others.label_skew())
    assert 0 < lacking.sum() < 200
    scores = np.random.default_rng(0).standard_normal(500)
    found = ts.matched_correlation(scores, learnt_from, others, min_texts=1)
    assert ts.matched_correlation(np.where(lacking, 9.0, scores), learnt_from, others, min_texts=1) == found
    assert found == correlation_at_equal(*(of[~lacking] for of in (learnt_from.counts.sum(axis=0), lean(others), scores)))


def test_permuted_scores_have_none():
    random = np.random.default_rng(0)
    frequency, leans = random.integers(1, 900, 400), random.uniform(size=400)
    drawn = [correlation_at_equal(frequency, leans, random.permutation(leans)) for _ in range(200)]
    assert abs(np.mean(drawn)) < 4 / np.sqrt(396 * 200)  # 396 free numbers each
    assert np.std(drawn) == pytest.approx(1 / np.sqrt(396), rel=0.2)


def test_what_frequency_alone_links_is_gone():
    """Rare words lean far and score high, with nothing between the two but frequency."""
    random = np.random.default_rng(0)
    frequency = np.round(np.exp(random.uniform(1, 9, 2000)))
    leans, scores = (random.uniform(0.5, 1.5, 2000) / np.sqrt(frequency) for _ in range(2))
    assert ts.word_correlation(leans, scores) > 0.9
    assert abs(correlation_at_equal(frequency, leans, scores)) < 4 / np.sqrt(1980)
    assert correlation_at_equal(frequency, leans, scores + leans) > 0.5


def test_of_fewer_words_there_is_no_verdict():
    amounts = np.arange(FEWEST + 0.0)
    assert correlation_at_equal(amounts, amounts, amounts) == pytest.approx(1)
    assert np.isnan(correlation_at_equal(*[amounts[1:]] * 3))
    assert np.isnan(correlation_at_equal(amounts, amounts, np.zeros(FEWEST)))


def test_what_would_give_a_wrong_verdict_is_refused():
    corpus = ts.independent_tokens(50, 400, 12, 0.5, seed=0)
    for bad in (np.ones(3), np.full(400, np.nan)):
        with pytest.raises(ValueError, match="one finite score for each of the 400 words"):
            ts.matched_correlation(bad, corpus, corpus)
