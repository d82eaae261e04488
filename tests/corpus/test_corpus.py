from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers import corpora
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokensel_nb import Corpus, class_profile, shuffle_labels
from tokensel_nb.models.textbook import PADDING, tokens_of


def test_signed_frequency_by_hand(tiny):
    np.testing.assert_allclose(tiny.signed_frequency(), [-2 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(tiny.signed_share(), [-2 / 9, (1 / 2 - 1 / 3 + 1) / 3, 1 / 6])
    np.testing.assert_allclose(tiny.label_skew(), [-1, 1 / 3, 1])


@given(corpora())
def test_statistics_equal_loops_over_tokens(corpus):
    tokens, words = tokens_of(corpus).numpy(), corpus.vocab_size
    frequency, share, seen = np.zeros((3, words, corpus.num_classes))
    for row, label, text_weight in zip(tokens, corpus.labels, corpus.mean_weights):
        row = row[row != PADDING]
        for token in row:
            for k in range(corpus.num_classes):
                weight = (label == k) - 1 / corpus.num_classes
                frequency[token, k] += weight * text_weight
                share[token, k] += weight * text_weight / len(row)
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
    whole, scaled = (Corpus(sparse.csr_array(c), [1, -1, 1], list("abc")) for c in (counts, (scale * counts).astype(dtype)))
    np.testing.assert_array_equal(scaled.lengths, [0.375, 10, 1])
    np.testing.assert_allclose(scaled.shares.toarray(), whole.shares.toarray(), rtol=1e-15)
    np.testing.assert_allclose(scaled.signed_share(), whole.signed_share(), atol=1e-15)
    assert whole.lengths.dtype == np.int64
    assert "without a known word" not in repr(scaled)


def test_slices_keep_words_and_classes(tiny):
    assert len(tiny[:2]) == 2
    assert len(tiny[1]) == 1
    assert tiny[np.array([True, False, True])].labels.tolist() == [1, 1]
    assert tiny[1].labels.tolist() == [0], "a negative text stays one, alone as well"
    assert tiny[[0, 2]].num_classes == 2
    assert tiny[:1].vocabulary.tolist() == ["bad", "film", "good"]


def test_a_slice_of_several_classes_keeps_their_number():
    corpus = Corpus(sparse.csr_array(np.eye(3, dtype=int)), [0, 1, 2], list("abc"))
    assert corpus[:1].num_classes == 3


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
    with pytest.raises(ValueError, match="there is no text of the class '-1'"):
        tiny[:1].balanced(seed=0)


def test_repr_is_helpful(tiny):
    assert repr(tiny) == "Corpus(3 texts, 3 words, 6 tokens; -1: 1, +1: 2)"
    wordless = Corpus(sparse.csr_array(np.array([[1], [0]])), [1, -1], ["a"])
    assert repr(wordless).endswith("; 1 without a known word)")


def test_no_texts_have_no_mean(tiny):
    with pytest.raises(ValueError, match="corpus holds no text; give at least one"):
        class_profile(tiny[:0])


def test_column(tiny):
    assert tiny.column("good") == 2
    with pytest.raises(KeyError, match="'great' is not one of the 3 words"):
        tiny.column("great")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(labels=[1, -1]), "counts has shape"),
        (dict(vocabulary=["one"]), "counts has shape"),
        (dict(counts=np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1]])), "counts holds a number that is negative"),
        (
            dict(counts=np.array([[1, 0, 0], [0, np.nan, 0], [0, 0, 1]])),
            "counts holds a number that is negative or not finite",
        ),
        (dict(counts=np.array([[1, 0, 0], [0, np.inf, 0], [0, 0, 1]])), "negative or not finite"),
        (dict(class_names=("a", "a")), "class_names holds a name twice: a, a; give every class a different one"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tiny, change, message):
    parts = dict(counts=tiny.counts, labels=tiny.labels, vocabulary=tiny.vocabulary) | change
    with pytest.raises(ValueError, match=message):
        Corpus(**parts)


@pytest.mark.parametrize("fraction", [0, 1, 0.01, -1])
def test_a_split_with_an_empty_part_is_refused(tiny, fraction):
    with pytest.raises(ValueError, match=r"leaves one part empty|give a number from above 0 to below 1"):
        tiny.split(fraction, seed=0)


# ------------------------------------------------------------------------------------------- labels at the door


def labelled(labels, class_names=()):
    return Corpus(np.ones((len(labels), 1)), labels, ["word"], class_names)


@pytest.mark.parametrize(
    ("given_labels", "class_names", "labels", "names"),
    [
        ([1, -1, 1], (), [1, 0, 1], ("-1", "+1")),
        ([-1.0, 1.0], (), [0, 1], ("-1", "+1")),
        ([-1, -1], (), [0, 0], ("-1", "+1")),
        ([-1, 1], ("down", "up"), [0, 1], ("down", "up")),
        ([0, 1, 0], (), [0, 1, 0], ("0", "1")),
        ([True, False], (), [1, 0], ("0", "1")),
        (np.array([0, 1], np.uint8), ("down", "up"), [0, 1], ("down", "up")),
        ([2, 0, 1], (), [2, 0, 1], ("0", "1", "2")),
        ([2, 0], ("a", "b", "c"), [2, 0], ("a", "b", "c")),
        ([1, 1], ("a", "b", "c"), [1, 1], ("a", "b", "c")),
        (["up", "down", "up"], (), [1, 0, 1], ("down", "up")),
        (["up", "down"], ("up", "down"), [0, 1], ("up", "down")),
        (["c", "a", "b"], (), [2, 0, 1], ("a", "b", "c")),
        (["a"], ("a", "b", "c"), [0], ("a", "b", "c")),
        (["1", "0"], (), [1, 0], ("0", "1")),
        (pd.Series(["up", "down"]), (), [1, 0], ("down", "up")),
        (np.array(["up", "down"], object), (), [1, 0], ("down", "up")),
        ([], (), [], ("-1", "+1")),
    ],
)
def test_labels_are_numbered_from_zero(given_labels, class_names, labels, names):
    corpus = labelled(given_labels, class_names)
    assert corpus.labels.tolist() == labels
    assert corpus.labels.dtype == np.int64
    assert corpus.class_names == names
    assert corpus.num_classes == len(names)
    if len(names) == 2:
        assert corpus.signs.tolist() == [2 * label - 1 for label in labels]
    else:
        with pytest.raises(ValueError, match=f"the corpus has {len(names)} classes; signs are defined for two"):
            corpus.signs  # noqa: B018


@pytest.mark.parametrize(
    ("labels", "class_names", "message"),
    [
        ([1, -1, 0], (), r"labels\[1\] is -1; with 2 classes a label is one of 0 to 1, or -1 and 1"),
        ([0, -1], (), r"labels\[1\] is -1"),
        ([-1, 0, 1], ("a", "b", "c"), r"labels\[0\] is -1; with 3 classes a label is one of 0 to 2"),
        ([-1, 1], ("a", "b", "c"), r"labels\[0\] is -1; with 3 classes"),
        ([1, -1, 2], (), r"no label is 0, but one is 2; name all classes in class_names, or renumber them"),
        ([1, 2], (), "no label is 0, but one is 2"),
        ([0, 1, 3], (), "no label is 2, but one is 3"),
        (
            [0, 10**15],
            (),
            "no label is 1, but one is 1000000000000000",
        ),  # identifiers: no array of that many classes
        ([1, -1, 3], ("no", "yes"), r"labels\[2\] is 3; with 2 classes a label is one of 0 to 1, or -1 and 1"),
        ([0, 1, -5], (), r"labels\[2\] is -5"),
        ([1, -1, 0.5], (), r"labels\[2\] is 0.5; give a whole number for every text"),
        ([1, float("nan"), 1], (), r"labels\[1\] is nan"),
        ([0, None], (), r"labels\[1\] is None"),
        (["up", 1], (), r"labels\[1\] is 1; give a word for every text"),
        ([1, "up"], (), r"labels\[0\] is 1; give a word for every text"),
        (["up", None], (), r"labels\[1\] is None; give a word"),
        (["up", "down", "?"], ("down", "up"), r"labels\[2\] is '\?'; with 2 classes a label is one of 'down', 'up'"),
        (["up", "up"], (), "every label is 'up'; two classes are needed, name them in class_names"),
        ([[0], [1]], (), "labels has 2 dimensions; give one label per text"),
    ],
)
def test_labels_that_name_no_class_are_refused(labels, class_names, message):
    with pytest.raises(ValueError, match=message):
        labelled(labels, class_names)


@given(st.lists(st.integers(-2, 4), min_size=1), st.integers(0, 5))
def test_numbers_mean_what_they_say_or_are_refused(labels, named):
    """Signs, or numbers of which none is left out unless the classes have names; nothing else, and no class is made up."""
    seen, classes = set(labels), named or max(2, max(labels) + 1)
    if seen <= {-1, 1} and classes == 2:
        wanted = [int(label > 0) for label in labels]
    elif named != 1 and seen <= set(range(classes)) and (named or classes == 2 or len(seen) == classes):
        wanted = labels
    else:
        with pytest.raises(ValueError, match=r"labels\[\d+\] is|no label is|every label is"):
            labelled(labels, tuple("abcde"[:named]))
        return
    corpus = labelled(labels, tuple("abcde"[:named]))
    assert corpus.labels.tolist() == wanted
    assert corpus.num_classes == classes


# ------------------------------------------------------------------------------------ what is given, what is kept


def test_entries_given_twice_count_twice():
    """A sparse matrix may name a place more than once: the numbers add up, here and in every function of the corpus."""
    twice = sparse.csr_array((np.array([1, 1, 2, 1]), np.array([1, 1, 0, 2]), np.array([0, 2, 4])), shape=(2, 3))
    assert twice.nnz == 4
    plain = Corpus([[0, 2, 0], [2, 0, 1]], [1, -1], list("abc"))
    for counts in (twice, twice.tocoo(), sparse.coo_array(([1, 1, 2, 1], ([0, 0, 1, 1], [1, 1, 0, 2])))):
        corpus = Corpus(counts, [1, -1], list("abc"))
        assert corpus.counts.nnz == 3
        assert corpus.lengths.tolist() == [2, 3]
        np.testing.assert_array_equal(corpus.counts.toarray(), plain.counts.toarray())
        np.testing.assert_array_equal(corpus.shares.toarray(), plain.shares.toarray())
    assert twice.nnz == 4, "the caller's matrix stays as it was"


def test_columns_in_any_order_are_sorted():
    mixed = sparse.csr_array((np.array([3, 1, 2]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    corpus = Corpus(mixed, [1, -1], list("abc"))
    assert corpus.counts.indices.tolist() == [0, 2, 1]
    assert mixed.indices.tolist() == [2, 0, 1]


def test_what_the_corpus_holds_is_its_own_and_read_only():
    counts, labels, words = sparse.csr_array(np.eye(3)), np.array([0, 1, 2]), np.array(list("abc"), object)
    weights, names = np.ones(3), ["x", "y", "z"]
    corpus = Corpus(counts, labels, words, names, weights)
    counts.data[:], labels[:], words[:], weights[:], names[0] = 7, 0, "?", 5, "?"
    assert corpus.counts.toarray().tolist() == np.eye(3).tolist()
    assert corpus.labels.tolist() == [0, 1, 2]
    assert corpus.vocabulary.tolist() == list("abc")
    assert corpus.weights.tolist() == [1, 1, 1]
    assert corpus.class_names == ("x", "y", "z")
    kept = (corpus.counts.data, corpus.counts.indices, corpus.counts.indptr, corpus.labels, corpus.vocabulary, corpus.weights)
    for array in (*kept, corpus.mean_weights, corpus.lengths, corpus.shares.data, corpus[1:].labels, corpus[1:].weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    for array in (counts.data, labels, words, weights):
        assert array.flags.writeable, "the caller's arrays stay the caller's"


def test_weights_that_are_none(tiny):
    for weights in ([1, -1, 1], [0, 0, 0], [1, 1], [1, np.inf, 1]):
        with pytest.raises(ValueError, match=r"weights (holds a|has shape|must have a sum)"):
            replace(tiny, weights=weights)


@given(corpora(), st.integers(0, 9))
def test_shuffling_labels_moves_them_and_nothing_else(corpus, seed):
    shuffled = shuffle_labels(corpus, seed)
    assert shuffled.class_names == corpus.class_names
    assert (shuffled.counts != corpus.counts).nnz == 0
    np.testing.assert_array_equal(np.sort(shuffled.labels), np.sort(corpus.labels))
    np.testing.assert_array_equal(shuffled.mean_weights, corpus.mean_weights)
    np.testing.assert_array_equal(shuffle_labels(corpus, np.random.default_rng(seed)).labels, shuffled.labels)


def test_shuffled_labels_come_in_every_order_alike():
    """Of the six places that two positive of four texts can take, each comes up in a sixth of the seeds."""
    four = Corpus(np.eye(4), [1, 1, -1, -1], list("abcd"))
    places = [tuple(np.flatnonzero(shuffle_labels(four, seed).labels)) for seed in range(600)]
    counts = np.unique(places, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert abs(counts - 100).max() < 46  # five standard deviations of a binomial count: sqrt(600 * 1/6 * 5/6) = 9.1
