"""A model of one's own: a function of parameters and counts that torch differentiates."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from helpers import corpora, each_dtype, each_kind, flat, kind_of, of_kind, on, random_parameters, short_texts
from hypothesis import given
from hypothesis import strategies as st

import tokensel_nb as ts
from tokensel_nb.arrays import to_numpy


class Head(NamedTuple):
    """What the mean of the words' rows is read by."""

    embeddings: Any
    output_vector: Any


def mean_of_rows(parameters, counts):
    E, v = parameters
    heads = (v if v.ndim == 2 else v[None]).T
    f = counts @ (E @ heads) / (counts @ torch.ones_like(E[:, :1]))
    return f if v.ndim == 2 else f[:, 0]


def softmax_layer(parameters, counts):
    """One layer, as somebody writes it."""
    E, p, v = parameters
    weights = torch.exp(E @ p - (E @ p).max())
    values = E @ v.T if v.ndim == 2 else (E @ v)[:, None]
    f = counts @ (weights[:, None] * values) / (counts @ weights)[:, None]
    return f if v.ndim == 2 else f[:, 0]


def random_head(corpus, seed, dtype="float64"):
    random, classes = np.random.default_rng(seed), corpus.num_classes
    shapes = (corpus.vocab_size, 5), 5 if classes == 2 else (classes, 5)
    return Head(*(random.standard_normal(shape).astype(dtype) for shape in shapes))


@each_kind
@each_dtype
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_logits_are_those_of_the_mean_row(kind, dtype, corpus, seed):
    parameters = random_head(corpus, seed, dtype)
    found = ts.logits(of_kind(parameters, kind), corpus, mean_of_rows)
    wanted = corpus.shares @ parameters.embeddings @ np.atleast_2d(parameters.output_vector).T
    assert kind_of(found) == kind
    assert to_numpy(found).dtype == dtype
    assert found.shape == ((len(corpus),) if corpus.num_classes == 2 else wanted.shape)
    np.testing.assert_allclose(to_numpy(found), wanted.reshape(found.shape), atol=200 * np.finfo(dtype).eps)


@each_kind
@given(corpus=corpora(), spread=st.sampled_from([0.5, 20.0]), seed=st.integers(0, 99))
def test_gradients_of_an_own_layer_are_the_closed_forms(kind, corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    found = ts.gradients(of_kind(parameters, kind), corpus, softmax_layer)
    assert type(found) is ts.Parameters
    assert {kind_of(array) for array in found} == {kind}
    np.testing.assert_allclose(flat(found), flat(ts.gradients(parameters, corpus)), atol=1e-11)
    logits = [to_numpy(ts.logits(of_kind(parameters, kind), corpus, model)) for model in (ts.one_layer, softmax_layer)]
    np.testing.assert_allclose(*logits, atol=1e-11)


@each_kind
def test_products_with_counts_have_second_derivatives(kind, tiny):
    x, y = (of_kind(np.arange(float(size)), kind) for size in tiny.counts.shape[::-1])
    counts = tiny.operator
    assert to_numpy(counts @ x).tolist() == (tiny.counts @ to_numpy(x)).tolist()
    assert to_numpy(counts.T @ y).tolist() == (tiny.counts.T @ to_numpy(y)).tolist()
    if kind == "numpy":
        return
    square = lambda x: ((counts @ x) ** 2).sum()
    hessian = torch.autograd.functional.hessian(square, x)
    dense = tiny.counts.toarray()
    np.testing.assert_allclose(to_numpy(hessian), 2 * dense.T @ dense, rtol=1e-14)


@each_kind
def test_it_trains_as_torch_does(kind):
    corpus, held_out = short_texts()
    start, settings = random_head(corpus, 0), dict(model=mean_of_rows, learning_rate=0.05)
    run = ts.train(start, corpus, 30, held_out=held_out, evaluate_every=10, **settings, **on(kind))
    assert type(run.parameters) is Head
    leaves = [torch.tensor(array).requires_grad_() for array in start]
    adam, shares, signs = torch.optim.Adam(leaves, lr=0.05), torch.tensor(corpus.shares.toarray()), torch.tensor(corpus.signs)
    for _ in range(30):
        adam.zero_grad()
        torch.nn.functional.softplus(-signs * (shares @ leaves[0] @ leaves[1])).mean().backward()
        adam.step()
    for found, wanted in zip(run.parameters, leaves):
        np.testing.assert_allclose(found, wanted.detach(), atol=1e-9)
    assert ts.accuracy(run.parameters, held_out, mean_of_rows) == run.history.held_out_accuracies[-1] > 0.7


@pytest.mark.parametrize(
    "change",
    [lambda f: f[:1], lambda f: f[:, None], lambda f: f.sum(), lambda f: torch.stack([f, f], 1)],
    ids=["one text", "a column", "a sum", "two columns"],
)
def test_logits_of_another_shape_are_refused(tiny, change):
    wrong = lambda *given: change(mean_of_rows(*given))
    for call in (ts.logits, ts.loss, ts.accuracy, ts.gradients):
        with pytest.raises(ValueError, match=r"the model returned logits of shape .*; this corpus needs \(3,\)"):
            call(random_head(tiny, 0), tiny, wrong)


def test_a_model_never_sees_a_text_without_words():
    corpus = ts.Corpus([[0, 0], [1, 2], [0, 0]], [1, -1, 1], ["a", "b"])
    parameters = random_head(corpus, 0)
    found = ts.logits(parameters, corpus, mean_of_rows)
    assert found[[0, 2]].tolist() == [0, 0]
    assert np.isfinite(flat(ts.gradients(parameters, corpus, mean_of_rows))).all()
    leaves = ts.to_device(parameters, "cpu")._replace(output_vector=torch.ones(5, dtype=torch.float64, requires_grad=True))
    assert ts.logits(leaves, corpus, mean_of_rows).requires_grad
