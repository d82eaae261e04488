import gc
import weakref

import numpy as np
import pytest
from helpers import corpora, each_dtype, each_kind, kind_of, of_kind
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.corpus.counts import Blocks, CountMatrix
from tokensel_nb.support.arrays import dtype_name, to_numpy

from tokensel_nb import Corpus


def counts_of(corpus, kind, dtype="float64"):
    return CountMatrix.of(corpus, of_kind(np.zeros(1, dtype), kind))


@each_kind
@each_dtype
@given(corpus=corpora(), columns=st.integers(1, 10), seed=st.integers(0, 99))
def test_products_and_sums_equal_those_of_the_dense_matrix(kind, dtype, corpus, columns, seed):
    random, dense = np.random.default_rng(seed), corpus.counts.toarray()
    counts = counts_of(corpus, kind, dtype)
    held = np.nonzero(dense)
    entries = random.standard_normal(len(held[0])).astype(dtype)
    other = np.zeros(dense.shape)
    other[held] = entries
    of_words, of_texts = (random.standard_normal((size, columns)).astype(dtype) for size in dense.shape[::-1])
    given_entries = of_kind(entries, kind)
    largest = np.where(dense > 0, other, -np.inf).max(axis=1)
    pairs = [
        (counts.times(of_kind(of_words, kind)), dense @ of_words),
        (counts.times(of_kind(of_words, kind), given_entries), other @ of_words),
        (counts.transposed_times(of_kind(of_texts, kind)), dense.T @ of_texts),
        (counts.transposed_times(of_kind(of_texts, kind), given_entries), other.T @ of_texts),
        (counts.reduce(given_entries, "sum"), other.sum(axis=1)),
        (counts.reduce(given_entries, "sum", 7.0), 7 + other.sum(axis=1)),
        (counts.reduce(given_entries, "max", -np.inf), largest),
        (counts.reduce(given_entries, "max", 0.3), np.maximum(largest, 0.3)),
        (counts.sum_by_token(given_entries), other.sum(axis=0)),
        (counts.entries, dense[held]),
    ]
    for found, wanted in pairs:
        assert kind_of(found) == kind
        assert dtype_name(found) == dtype
        # Sums of at most nine numbers of size 50 at most.
        rounding = np.finfo(dtype).eps
        np.testing.assert_allclose(to_numpy(found), wanted, rtol=100 * rounding, atol=500 * rounding)
    np.testing.assert_array_equal(to_numpy(counts.rows), held[0])
    np.testing.assert_array_equal(to_numpy(counts.columns), held[1])
    assert counts.shape == dense.shape
    assert np.diff(to_numpy(counts.row_ends)).tolist() == (dense > 0).sum(axis=1).tolist()


@each_kind
def test_a_corpus_is_prepared_once_for_each_kind_and_dtype(tiny, kind):
    assert counts_of(tiny, kind) is counts_of(tiny, kind)
    others = [
        counts_of(tiny, kind, "float32"),
        counts_of(tiny, "cpu" if kind == "numpy" else "numpy"),
        counts_of(tiny[:], kind),
    ]
    assert all(counts_of(tiny, kind) is not other for other in others)
    with pytest.raises(ValueError, match="the parameters are int64; give float32 or float64"):
        CountMatrix.of(tiny, of_kind(np.zeros(1, np.int64), kind))
    with pytest.raises(ValueError, match="the parameters are float16; give"):
        CountMatrix.of(tiny, of_kind(np.zeros(1, np.float16), kind))


@each_kind
def test_a_corpus_that_goes_away_takes_its_arrays_along(tiny, kind):
    corpus = tiny[:2]
    prepared = weakref.ref(counts_of(corpus, kind))
    watch = weakref.ref(corpus)
    del corpus
    gc.collect()
    assert watch() is None
    assert prepared() is None


@each_kind
def test_counts_cannot_go_stale(kind):
    """What is prepared of a corpus is of counts that nobody can change: neither the caller's nor the corpus' own."""
    given_counts = np.array([[1, 2], [3, 0]])
    corpus = Corpus(given_counts, [1, -1], ["a", "b"])
    before = to_numpy(counts_of(corpus, kind).times(of_kind(np.eye(2), kind)))
    given_counts[:] = 9
    np.testing.assert_array_equal(to_numpy(counts_of(corpus, kind).times(of_kind(np.eye(2), kind))), before)
    with pytest.raises(ValueError, match="read-only"):
        corpus.counts.data[0] = 9


def test_tensors_do_not_write_into_the_corpus(tiny):
    prepared = counts_of(tiny, "cpu")
    prepared.entries += 1
    assert tiny.counts.data.max() == 2


def test_blocks_of_many_words_are_large():
    """The products of all transposed blocks, which have as many rows as there are words, lie in memory side by side."""
    width, entries = 10**5, 2**20
    blocks = Blocks(np.ones(entries, np.float32), np.zeros(entries, np.int32), np.arange(0, entries + 1, 64), width)
    assert 1 < len(blocks.rows) <= entries / (4 * width) + 1
