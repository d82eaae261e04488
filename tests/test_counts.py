"""The matrix of counts against the dense one, and what tells kinds of arrays apart."""

import gc
import weakref

import numpy as np
import pytest
import torch
from helpers import corpora, each_dtype, each_kind, kind_of, of_kind
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from tokensel_nb import Corpus
from tokensel_nb.arrays import dtype_name, like, threads_for, to_numpy


@each_kind
@each_dtype
@given(corpus=corpora(), columns=st.sampled_from([None, 1, 3, 9]), seed=st.integers(0, 99))
def test_products_and_sums_equal_those_of_the_dense_matrix(kind, dtype, corpus, columns, seed):
    random, counts, dense = np.random.default_rng(seed), corpus.operator, corpus.counts.toarray()
    of_words, of_texts = (random.standard_normal((size, columns or 1)).astype(dtype) for size in dense.shape[::-1])
    scores = (40 * random.standard_normal(dense.shape[1])).astype(dtype)
    with np.errstate(divide="ignore"):
        exponents = scores + np.log(dense)
    tops = np.where(dense > 0, scores, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
    weights = np.exp(exponents - np.where(np.isfinite(tops), tops, 0))
    matvec, rmatvec = counts.weighted(of_kind(scores, kind))
    pairs = [(matvec(of_kind(of_words, kind)), weights @ of_words), (rmatvec(of_kind(of_texts, kind)), weights.T @ of_texts)]
    if columns is None:
        of_words, of_texts = of_words[:, 0], of_texts[:, 0]
    pairs += [(counts @ of_kind(of_words, kind), dense @ of_words), (counts.T @ of_kind(of_texts, kind), dense.T @ of_texts)]
    for found, wanted in pairs:
        assert (kind_of(found), dtype_name(found)) == (kind, dtype)
        rounding = np.finfo(dtype).eps  # of sums of at most nine numbers of size 50 at most, and of exponents up to 150
        np.testing.assert_allclose(to_numpy(found), wanted, rtol=1000 * rounding, atol=1000 * rounding)
    held = np.nonzero(dense)
    entries = random.standard_normal(len(held[0]))
    of_entries = np.zeros(dense.shape)
    of_entries[held] = entries
    assert np.array_equal([counts.rows, counts.columns], held)
    assert counts.sizes.tolist() == (dense > 0).sum(axis=1).tolist()
    assert np.array_equal(counts.with_entries(entries) @ np.eye(dense.shape[1]), of_entries)
    np.testing.assert_allclose(counts.each(np.add, entries, 0.0), of_entries.sum(axis=1), atol=1e-14)
    largest = np.where(dense > 0, of_entries, -np.inf).max(axis=1, initial=-np.inf)
    np.testing.assert_array_equal(counts.each(np.maximum, entries, -np.inf), largest)


@each_kind
@given(corpus=corpora())
def test_padded_texts_hold_every_word_with_its_count(kind, corpus):
    words, log_counts = map(to_numpy, corpus.operator.padded(of_kind(np.zeros(1), kind)))
    found = np.zeros(corpus.counts.shape)
    np.add.at(found, (np.arange(len(corpus))[:, None], words), np.exp(log_counts))
    np.testing.assert_allclose(found, corpus.counts.toarray(), rtol=1e-12)


def test_the_graph_is_kept_twice_over():
    counts = Corpus([[1, 2, 0], [0, 1, 3]], [0, 1], "abc").operator
    x = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: counts @ x, x)
    assert torch.autograd.gradgradcheck(lambda x: (counts @ x) ** 3, x)


@each_kind
def test_counts_cannot_go_stale_and_go_away_with_their_corpus(kind):
    given_counts = np.array([[1, 2], [3, 0]])
    corpus = Corpus(given_counts, [1, -1], ["a", "b"])
    given_counts[:] = 9
    for dtype in ("float64", "float32"):  # a GPU keeps a copy for each
        assert to_numpy(corpus.operator @ of_kind(np.ones(2, dtype), kind)).tolist() == [3, 3]
    with pytest.raises(ValueError, match="read-only"):
        corpus.counts.data[0] = 9
    gone = weakref.ref(corpus.operator)
    del corpus
    gc.collect()
    assert gone() is None


def test_like_takes_kind_and_dtype_and_shares_memory_where_it_may():
    values = np.arange(3.0)
    assert np.shares_memory(to_numpy(like(values, torch.zeros(1, dtype=torch.float64))), values)
    assert like(values, torch.zeros(1)).dtype == torch.float32
    assert like(np.arange(3), torch.zeros(1)).dtype == torch.int64
    values.flags.writeable = False
    like(values, torch.zeros(1, dtype=torch.float64))[:] = 7
    assert values.tolist() == [0, 1, 2]


def test_little_work_gets_one_thread_and_gives_the_others_back():
    before = torch.get_num_threads(), [pool["num_threads"] for pool in threadpool_info()]
    with threads_for(10):
        assert torch.get_num_threads() == 1
        assert {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"} == {1}
    assert (torch.get_num_threads(), [pool["num_threads"] for pool in threadpool_info()]) == before
