from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers import corpora
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokensel_nb import Corpus, shuffle_labels


def test_signed_frequency_by_hand(tiny):
    np.testing.assert_allclose(tiny.signed_frequency(), [-2 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(tiny.signed_share(), [-2 / 9, (1 / 2 - 1 / 3 + 1) / 3, 1 / 6])
    np.testing.assert_allclose(tiny.label_skew(), [-1, 1 / 3, 1])


@given(corpora())
def test_statistics_equal_loops_over_tokens(corpus):
    frequency, share, seen = np.zeros((3, corpus.vocab_size, corpus.num_classes))
    for counts, label, text_weight in zip(corpus.counts.toarray(), corpus.labels, corpus.mean_weights):
        for token in np.repeat(np.arange(corpus.vocab_size), counts):
            for k in range(corpus.num_classes):
                weight = (label == k) - 1 / corpus.num_classes
                frequency[token, k] += weight * text_weight
                share[token, k] += weight * text_weight / counts.sum()
                seen[token, k] += (label == k) * text_weight
    total = seen.sum(axis=1, keepdims=True)
    skew = np.where(total > 0, (2 * seen - total) / np.where(total > 0, total, 1), np.nan)
    if corpus.num_classes == 2:  # y/2 = 1{y=+1} - 1/2
        frequency, share, skew = 2 * frequency[:, 1], 2 * share[:, 1], skew[:, 1]
    # Sums of at most a few hundred terms of order one: rounding stays far below 1e-12.
    np.testing.assert_allclose(corpus.signed_frequency(), frequency, atol=1e-12)
    np.testing.assert_allclose(corpus.signed_share(), share, atol=1e-12)
    np.testing.assert_allclose(corpus.label_skew(), skew, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_that_are_no_whole_numbers_keep_their_fractions(dtype):
    """Scaling a text leaves its shares as they are, below one token too."""
    counts = np.array([[1, 2, 0], [0, 1, 3], [4, 0, 0]])
    scale = np.array([[0.125], [2.5], [0.25]])
    whole, scaled = (Corpus(each, [1, -1, 1], list("abc")) for each in (counts, (scale * counts).astype(dtype)))
    np.testing.assert_array_equal(scaled.lengths, [0.375, 10, 1])
    np.testing.assert_allclose(scaled.shares.toarray(), whole.shares.toarray(), rtol=1e-15)
    np.testing.assert_allclose(scaled.signed_share(), whole.signed_share(), atol=1e-15)
    assert "without a known word" not in repr(scaled)


def test_slices_keep_words_and_classes(tiny):
    assert len(tiny[:2]) == 2
    assert len(tiny[1]) == 1
    assert tiny[np.array([True, False, True])].labels.tolist() == [1, 1]
    assert tiny[1].labels.tolist() == [0], "a negative text stays one, alone as well"
    assert tiny[[0, 2]].num_classes == 2
    assert tiny[:1].vocabulary.tolist() == ["bad", "film", "good"]
    assert Corpus(np.eye(3), [0, 1, 2], list("abc"))[:1].num_classes == 3


def test_split_is_a_partition_that_the_seed_fixes(imdb):
    rest, held_out = imdb.split(0.2, seed=3)
    assert (len(rest), len(held_out)) == (20_000, 5_000)
    assert (rest.counts.sum(axis=0) + held_out.counts.sum(axis=0) == imdb.counts.sum(axis=0)).all()
    again = imdb.split(0.2, seed=3)[1]
    assert (held_out.counts != again.counts).nnz == 0
    assert (held_out.counts != imdb.split(0.2, seed=4)[1].counts).nnz > 0


def test_balanced_has_as_many_texts_of_each_class(tiny):
    assert sorted(tiny.balanced(seed=0).labels.tolist()) == [0, 1]
    many = Corpus(np.arange(10)[:, None], [0] * 5 + [1] * 3 + [2] * 2, ["a"])
    chosen = many.balanced(seed=1)
    assert np.bincount(chosen.labels).tolist() == [2, 2, 2]
    assert len(set(chosen.counts.toarray().ravel())) == 6  # no text twice


def test_repr_is_helpful(tiny):
    assert repr(tiny) == "Corpus(3 texts, 3 words, 6 tokens; -1: 1, +1: 2)"
    assert repr(Corpus([[1], [0]], [1, -1], ["a"])).endswith("; 1 without a known word)")
    assert tiny.column("good") == 2
    with pytest.raises(KeyError):
        tiny.column("great")


def labelled(labels, class_names=()):
    return Corpus(np.ones((len(labels), 1)), labels, ["word"], class_names)


@pytest.mark.parametrize(
    ("given_labels", "class_names", "labels", "names"),
    [
        ([1, -1, 1], (), [1, 0, 1], ("-1", "+1")),
        ([-1.0, 1.0], (), [0, 1], ("-1", "+1")),
        ([-1, 1], ("down", "up"), [0, 1], ("down", "up")),
        ([0, 1, 0], (), [0, 1, 0], ("0", "1")),
        ([True, False], ("no", "yes"), [1, 0], ("no", "yes")),
        (np.array([0, 1], np.uint8), ("down", "up"), [0, 1], ("down", "up")),
        ([5, 1, 3], (), [2, 0, 1], ("1", "3", "5")),
        ([2, 0], ("a", "b", "c"), [2, 0], ("a", "b", "c")),
        (["up", "down", "up"], (), [1, 0, 1], ("down", "up")),
        (["up", "down"], ("up", "down"), [0, 1], ("up", "down")),
        (["a"], ("a", "b", "c"), [0], ("a", "b", "c")),
        (pd.Series(["up", "down"]), (), [1, 0], ("down", "up")),
    ],
)
def test_labels_are_numbered_from_zero(given_labels, class_names, labels, names):
    corpus = labelled(given_labels, class_names)
    assert corpus.labels.tolist() == labels
    assert corpus.labels.dtype == np.int64
    assert corpus.class_names == names
    if len(names) == 2:
        assert corpus.signs.tolist() == [2 * label - 1 for label in labels]
    else:
        with pytest.raises(ValueError, match=f"the corpus has {len(names)} classes"):
            corpus.signs  # noqa: B018


@pytest.mark.parametrize(
    ("labels", "class_names"),
    [
        ([-1, 0, 1], ("a", "b", "c")),
        ([0, 3], ("no", "yes")),
        ([1, -1, 0.5], ()),
        ([1, float("nan"), 1], ()),
        (["up", "down", "?"], ("down", "up")),
        (["up", "up"], ()),
        (["up", "up"], ("up", "up")),
        ([[0], [1]], ()),
    ],
)
def test_labels_that_name_no_class_are_refused(labels, class_names):
    with pytest.raises(ValueError, match=r"labels\[\d\] is .*, not one of the classes|name per text|give two or more"):
        labelled(labels, class_names)


def test_entries_given_twice_count_twice_and_columns_are_sorted():
    """A sparse matrix may name a place more than once: the numbers add up, here and in every function of the corpus."""
    twice = sparse.csr_array((np.array([1, 1, 1, 2]), np.array([1, 1, 2, 0]), np.array([0, 2, 4])), shape=(2, 3))
    plain = Corpus([[0, 2, 0], [2, 0, 1]], [1, -1], list("abc"))
    for counts in (twice, twice.tocoo()):
        corpus = Corpus(counts, [1, -1], list("abc"))
        assert corpus.counts.indices.tolist() == [1, 0, 2]
        np.testing.assert_array_equal(corpus.counts.toarray(), plain.counts.toarray())
        np.testing.assert_array_equal(corpus.shares.toarray(), plain.shares.toarray())
    assert twice.nnz == 4, "the caller's matrix stays as it was"


def test_what_the_corpus_holds_is_its_own_and_read_only():
    counts, labels, words = sparse.csr_array(np.eye(3)), np.array([0, 1, 2]), np.array(list("abc"), object)
    weights, names = np.ones(3), ["x", "y", "z"]
    corpus = Corpus(counts, labels, words, names, weights)
    counts.data[:], labels[:], words[:], weights[:], names[0] = 7, 0, "?", 5, "?"
    assert corpus.counts.toarray().tolist() == np.eye(3).tolist()
    assert (corpus.labels.tolist(), corpus.vocabulary.tolist()) == ([0, 1, 2], list("abc"))
    assert (corpus.weights.tolist(), corpus.class_names) == ([1, 1, 1], ("x", "y", "z"))
    for array in (corpus.counts.data, corpus.counts.indices, corpus.labels, corpus.vocabulary, corpus[1:].weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    assert all(array.flags.writeable for array in (counts.data, labels, words, weights)), "the caller's stay the caller's"


@given(corpora(), st.integers(0, 9))
def test_shuffling_labels_moves_them_and_nothing_else(corpus, seed):
    shuffled = shuffle_labels(corpus, seed)
    assert shuffled.class_names == corpus.class_names
    assert (shuffled.counts != corpus.counts).nnz == 0
    np.testing.assert_array_equal(np.sort(shuffled.labels), np.sort(corpus.labels))
    np.testing.assert_array_equal(shuffled.mean_weights, corpus.mean_weights)
    np.testing.assert_array_equal(shuffle_labels(corpus, np.random.default_rng(seed)).labels, shuffled.labels)


def test_labels_are_shuffled_within_groups_of_classes():
    corpus = Corpus(np.eye(40), np.arange(40) % 4, range(40))
    shuffled = shuffle_labels(corpus, 0, within=[0, 0, 1, 1])
    assert (shuffled.labels != corpus.labels).any()
    np.testing.assert_array_equal(shuffled.labels // 2, corpus.labels // 2)


def test_shuffled_labels_come_in_every_order_alike():
    """Of the six places that two positive of four texts can take, each comes up in a sixth of the seeds."""
    four = Corpus(np.eye(4), [1, 1, -1, -1], list("abcd"))
    places = [tuple(np.flatnonzero(shuffle_labels(four, seed).labels)) for seed in range(600)]
    counts = np.unique(places, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert abs(counts - 100).max() < 46  # five standard deviations of a binomial count: sqrt(600 * 1/6 * 5/6) = 9.1


def test_the_digest_tells_corpora_apart(tiny):
    others = [dict(labels=[1, 1, -1]), dict(vocabulary=list("abc")), dict(weights=[1, 2, 1]), dict(counts=tiny.counts * 2)]
    assert len({tiny.digest(), *(replace(tiny, **change).digest() for change in others)}) == 5
    assert replace(tiny, weights=[2, 2, 2]).digest() == tiny.digest()
