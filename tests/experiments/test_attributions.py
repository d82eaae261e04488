"""Explanations averaged by word, held against what defines them, text by text."""

import os
from itertools import permutations

import numpy as np
import pytest
import torch
from helpers import corpora, random_parameters
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from experiments.attributions import integrated_gradients, moves, shapley, terms
from tokensel_nb import Corpus, logits

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")  # what shap compiles takes longer than it saves here


@pytest.fixture(scope="module")
def text():
    """One text of four words, and a layer that attends to some of them."""
    corpus = Corpus([[1, 2, 1, 3]], [1], list("abcd"), ("no", "yes"))
    return corpus, random_parameters(corpus, 5, seed=2, spread=2.0)


def worth(corpus, parameters, kept):
    """The logit of the text that holds some of its words alone."""
    counts = corpus.counts.toarray()[0]
    rows = [s for s in range(len(counts)) if s in kept]
    if not rows:
        return 0.0
    return softmax(np.log(counts[rows]) + parameters.token_scores[rows]) @ parameters.token_values[rows]


@settings(max_examples=30, deadline=None)
@given(corpora(classes=(2,)), st.integers(0, 99))
def test_terms_and_moves_are_means_over_the_texts_that_hold_the_word(corpus, seed):
    parameters = random_parameters(corpus, 4, seed)
    of_terms, of_moves = terms(parameters, corpus), moves(parameters, corpus)
    for s in range(corpus.vocab_size):
        holders = np.flatnonzero(corpus.counts.toarray()[:, s])
        if not len(holders):
            assert np.isnan(of_terms[s])
            assert np.isnan(of_moves[s])
            continue
        each, moved = [], []
        for i in holders:
            one = corpus[[i]]
            words = set(np.flatnonzero(one.counts.toarray()[0]).tolist())
            whole = worth(one, parameters, words)
            assert whole == pytest.approx(float(logits(parameters, one)[0]), abs=1e-12)
            counts = one.counts.toarray()[0]
            weights = counts * np.exp(parameters.token_scores)
            each.append(weights[s] / weights.sum() * parameters.token_values[s])
            moved.append(whole - worth(one, parameters, words - {s}))
        # A few sums of numbers of order one.
        assert of_terms[s] == pytest.approx(np.mean(each), abs=1e-12)
        assert of_moves[s] == pytest.approx(np.mean(moved), abs=1e-12)


def test_integrated_gradients_are_those_of_the_embeddings(text):
    pytest.importorskip("captum")
    corpus, parameters = text
    E, p, v = (torch.tensor(each) for each in parameters)
    logs, way = torch.tensor(np.log(corpus.counts.data)), 2000
    total = torch.zeros_like(E)
    for step in range(way):  # the middles of so many parts
        X = ((step + 0.5) / way * E).requires_grad_()
        ((logs + X @ p).softmax(0) @ (X @ v)).backward()
        total += X.grad / way
    expected = (total * E).sum(1).numpy()
    found = integrated_gradients(parameters, corpus)
    np.testing.assert_allclose(found, expected, atol=1e-6)  # the middles' error falls with their number's square
    assert found.sum() == pytest.approx(float(logits(parameters, corpus)[0]), abs=1e-9)
    assert not np.allclose(found, terms(parameters, corpus), atol=1e-3)


def test_shapley_values_share_out_the_logit(text):
    pytest.importorskip("shap")
    corpus, parameters = text
    found = shapley(parameters, corpus, permutations=200)
    assert found.sum() == pytest.approx(float(logits(parameters, corpus)[0]), abs=1e-9)
    exact = np.zeros(4)
    for order in permutations(range(4)):
        for at, s in enumerate(order):
            exact[s] += worth(corpus, parameters, set(order[: at + 1])) - worth(corpus, parameters, set(order[:at]))
    # 200 random walks there and back; one walk's spread is of the values' size, which is about one.
    np.testing.assert_allclose(found, exact / 24, atol=0.15)
