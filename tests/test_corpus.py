import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from strategies import corpora

from tokensel_nb import Corpus
from tokensel_nb.textbook import PADDING, tokens_of


def test_signed_frequency_by_hand(tiny):
    np.testing.assert_allclose(tiny.signed_frequency(), [-2 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(tiny.signed_share(), [-2 / 9, (1 / 2 - 1 / 3 + 1) / 3, 1 / 6])
    np.testing.assert_allclose(tiny.label_skew(), [-1, 1 / 3, 1])


@given(corpora())
def test_statistics_equal_loops_over_tokens(corpus):
    tokens, words = tokens_of(corpus).numpy(), corpus.vocab_size
    classes = [-1, 1] if corpus.num_classes == 2 else range(corpus.num_classes)
    frequency, share, seen = np.zeros((3, words, corpus.num_classes))
    for row, label, text_weight in zip(tokens, corpus.labels, corpus.mean_weights):
        row = row[row != PADDING]
        for token in row:
            for k, name in enumerate(classes):
                weight = (label == name) - 1 / corpus.num_classes
                frequency[token, k] += weight * text_weight
                share[token, k] += weight * text_weight / len(row)
                seen[token, k] += (label == name) * text_weight
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
    assert sorted(tiny.balanced(seed=0).labels.tolist()) == [-1, 1]
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


def test_column(tiny):
    assert tiny.column("good") == 2
    with pytest.raises(KeyError, match="'great' is not one of the 3 words"):
        tiny.column("great")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(labels=[1, -1]), "counts has shape"),
        (dict(vocabulary=["one"]), "counts has shape"),
        (dict(labels=[1, -1, 0.5]), r"labels\[2\] is 0.5"),
        (dict(labels=[1, float("nan"), 1]), r"labels\[1\] is nan"),
        (dict(labels=["a", "b", "c"]), "give one whole number a text"),
        (dict(labels=[1, -1, 3], class_names=("no", "yes")), r"labels\[2\] is 3; with 2 classes a label is one of \[-1, 1\]"),
        (dict(labels=[0, 1, -5]), r"labels\[2\] is -5"),
        (dict(counts=np.array([[1, 0, 0], [0, -1, 0], [0, 0, 1]])), "negative"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tiny, change, message):
    parts = dict(counts=tiny.counts, labels=tiny.labels, vocabulary=tiny.vocabulary) | change
    with pytest.raises(ValueError, match=message):
        Corpus(**parts)


@pytest.mark.parametrize("fraction", [0, 1, 0.01, -1])
def test_a_split_with_an_empty_part_is_refused(tiny, fraction):
    with pytest.raises(ValueError, match="leaves one part empty"):
        tiny.split(fraction, seed=0)
