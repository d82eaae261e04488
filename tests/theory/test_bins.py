import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from tokensel_nb import (
    Corpus,
    binned,
    independent_tokens,
    matched_correlation,
    shuffle_labels,
    with_control,
    word_correlation,
)


@given(st.integers(1, 60), st.integers(1, 25), st.integers(0, 99))
def test_bins_equal_a_loop_over_bins(tokens, bins, seed):
    random = np.random.default_rng(seed)
    skew, amounts = random.integers(-10, 11, tokens) / 10, random.standard_normal(tokens)
    found = binned(skew, amounts, bins)
    edges = found.edges
    for number in range(bins):
        last = number == bins - 1
        inside = amounts[(skew >= edges[number]) & ((skew <= edges[-1]) if last else (skew < edges[number + 1]))]
        assert found.sizes[number] == len(inside)
        if len(inside):  # sums of at most 60 numbers of order one
            assert found.means[number] == pytest.approx(inside.mean(), abs=1e-12)
            assert found.spreads[number] == pytest.approx(inside.std(), abs=1e-12)
        else:
            assert np.isnan(found.means[number])
    assert found.sizes.sum() == tokens


def test_tokens_that_do_not_occur_are_left_out():
    found = binned([-1.0, np.nan, 1.0], [1.0, 5.0, 3.0], 2)
    assert found.sizes.tolist() == [1, 1]
    assert found.means.tolist() == [1.0, 3.0]
    assert found.centres.tolist() == [-0.5, 0.5]


def test_given_edges_leave_out_what_lies_beyond():
    assert binned([-1.0, 0.1, 0.2], [1.0, 2.0, 4.0], [0.0, 0.5]).means.tolist() == [3.0]


def test_rank_correlation_passes_over_empty_bins():
    skew = np.array([-1.0, -0.9, 0.9, 1.0])
    assert binned(skew, skew**3, 20).rank_correlation() == pytest.approx(1.0)
    assert binned(skew, -skew, 20).rank_correlation() == pytest.approx(-1.0)


def test_the_mean_spread_needs_two_tokens_a_bin():
    assert binned([-1.0, -1.0, 0.0, 1.0, 1.0], [0.0, 2.0, 9.0, 1.0, 4.0], 3).mean_spread == pytest.approx(1.25)


def test_what_would_give_a_wrong_mean_is_refused():
    with pytest.raises(ValueError, match=r"skew has shape \(2,\) and amounts \(3,\)"):
        binned([0.0, 1.0], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="not finite"):
        binned([0.0, 1.0], [0.0, np.inf])


def test_the_correlation_of_words_passes_over_those_without_a_skew_and_knows_no_scale():
    random = np.random.default_rng(0)
    skew, amounts = random.uniform(-1, 1, 30), random.standard_normal(30)
    expected = word_correlation(skew, amounts)
    ranks = [np.argsort(np.argsort(each)) for each in (skew, amounts)]
    assert expected == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)
    assert word_correlation(np.append(skew, np.nan), np.append(np.exp(amounts), 0)) == pytest.approx(expected, abs=1e-12)


@pytest.fixture(scope="module")
def control():
    parts = independent_tokens(1200, 300, 12, 0.5, seed=0).split(0.5, seed=0)
    return parts, with_control(
        *parts, lambda part: {"share": part.signed_share(), "size": np.abs(part.signed_share())}, 5, seed=3, min_texts=1
    )


def test_true_labels_are_those_given(control):
    (part, held_out), found = control
    for by, corpus in (("own", part), ("held out", held_out)):
        bins = found["share"][by]
        expected = binned(corpus.label_skew(), part.signed_share())
        np.testing.assert_array_equal(bins.true.means, expected.means)
        assert bins.word_skew[0] == word_correlation(corpus.label_skew(), part.signed_share())
        assert bins.matched[0] == matched_correlation(part.signed_share(), part, corpus, min_texts=1)
        assert len(bins.shuffled) == len(bins.word_skew) - 1 == 5


def test_both_parts_are_shuffled_one_after_the_other(control):
    (part, held_out), found = control
    random = np.random.default_rng(3)
    one, other = shuffle_labels(part, random), shuffle_labels(held_out, random)
    expected = binned(other.label_skew(), one.signed_share())
    np.testing.assert_array_equal(found["share"]["held out"].shuffled[0].means, expected.means)
    assert found["share"]["held out"].word_skew[1] == word_correlation(other.label_skew(), one.signed_share())
    assert found["share"]["held out"].matched[1] == matched_correlation(one.signed_share(), part, other, min_texts=1)


def test_by_their_own_skew_shuffled_labels_draw_both_shapes_and_by_the_skew_of_other_texts_none(control):
    """Of 300 words, a correlation by chance has a standard deviation of 1/sqrt(299) = 0.058."""
    found = control[1]
    rise, u = found["share"], found["size"]
    assert min(rise["own"].word_skew[1:]) > 0.9
    assert min(u["own"].matched[1:]) > 0.8
    assert max(np.abs(rise["held out"].word_skew[1:])) < 5 * 0.058
    assert rise["held out"].word_skew[0] > 5 * 0.058
    assert max(np.abs(u["held out"].matched[1:])) < 5 * 0.058 < u["held out"].matched[0]


def test_the_band_is_of_the_shuffled_means_over_the_true_edges(control):
    (part, held_out), found = control
    random, means = np.random.default_rng(3), []
    bins = found["share"]["held out"]
    for _ in range(5):
        one, other = shuffle_labels(part, random), shuffle_labels(held_out, random)
        means.append(binned(other.label_skew(), one.signed_share(), bins.true.edges).means)
    for number, each in enumerate(np.transpose(means)):
        each = each[~np.isnan(each)]
        expected = (each.min(), each.max()) if len(each) else (np.nan, np.nan)
        np.testing.assert_array_equal(bins.band[:, number], expected)


def test_the_picture_names_what_it_shows(control):
    found, ax = control[1]["size"]["held out"], Figure().add_subplot()
    found.plot(ax)
    true, low, high = found.matched[0], min(found.matched[1:]), max(found.matched[1:])
    assert ax.get_title() == f"matched correlation {true:.2f}, shuffled {low:.2f} to {high:.2f}"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["shuffled labels", "true labels"]
    assert ax.get_xlabel()
    assert ax.get_ylabel()


def test_words_that_are_not_learnt_from_are_in_no_bin():
    learnt_from, others = (Corpus(counts, [1, -1], list("abc")) for counts in ([[2, 0, 1], [1, 0, 2]], [[1, 3, 1], [1, 3, 2]]))
    found = with_control(learnt_from, others, lambda part: {"order": np.arange(3.0)}, shuffles=1)["order"]
    assert found["own"].true.sizes.sum() == found["held out"].true.sizes.sum() == 2
