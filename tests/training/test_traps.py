"""What once surprised a researcher who built on this package, silently."""

import time
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from helpers import Scored, short_texts, sigmoids, start_of

import tokensel_nb as ts

CORPUS, HELD_OUT = short_texts()
START = start_of(CORPUS)


@dataclass(frozen=True)
class Softmax:
    """The book's model, written by somebody else."""

    def __call__(self, parameters, counts):
        weights = torch.exp(parameters.token_scores)
        return counts @ (weights * parameters.token_values) / (counts @ weights)

    def attention(self, parameters, counts):
        weights = counts.weights(parameters.token_scores)
        return weights / torch.zeros(counts.shape[0]).to(weights).index_add(0, torch.tensor(counts.rows), weights)[counts.rows]


def test_losses_and_logits_keep_the_graph():
    leaves = ts.Parameters(*(torch.tensor(array, requires_grad=True) for array in START))
    found = ts.gradients(leaves, CORPUS)
    assert not any(array.requires_grad for array in found)
    for model in (ts.one_layer, Softmax()):
        slopes = torch.autograd.grad(ts.loss(leaves, CORPUS, model), leaves)
        assert ts.logits(leaves, CORPUS, model).requires_grad
        for ours, theirs in zip(found, slopes):
            torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-14)


def test_defaults_do_not_change_with_the_model():
    ours, theirs = (ts.train(START, CORPUS, model=model) for model in (ts.one_layer, Softmax()))
    np.testing.assert_allclose(np.array(theirs.rows), np.array(ours.rows), rtol=1e-8)


def test_attention_that_does_not_sum_to_one_is_not_made_to():
    parameters = START._replace(cls_embedding=np.ones(6))
    book, own = (ts.attention(parameters, CORPUS, model).toarray() for model in (ts.one_layer, Softmax()))
    np.testing.assert_allclose(own, book, rtol=1e-12)
    np.testing.assert_allclose(book.sum(axis=1), 1)
    with pytest.raises(TypeError, match=r"sigmoids .*has no attention; give a model with"):
        ts.attention(Scored(START.embeddings, np.ones(6), np.array(0.0)), CORPUS, sigmoids)


def test_an_own_model_costs_a_few_steps_of_the_built_in_one():
    corpus = ts.independent_tokens(4000, 2000, 60, 0.5, seed=0)
    start, seconds = ts.init_parameters(2000, 64, 0), {}
    for model in 3 * (ts.one_layer, Softmax()):
        began = time.process_time()
        ts.train(start, corpus, 5, model=model, evaluate_every=5)
        seconds[model] = min(time.process_time() - began, seconds.get(model, np.inf))
    assert seconds[Softmax()] < 8 * seconds[ts.one_layer]  # it was thirty times
