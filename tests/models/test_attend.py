import sys

import numpy as np
import pytest
from helpers import corpora, each_dtype, each_kind, of_kind
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.corpus.counts import CountMatrix
from tokensel_nb.models.attend import WIDEST, products, weigh
from tokensel_nb.support.arrays import to_numpy

import tokensel_nb as ts
from experiments import attributions


@each_kind
@each_dtype
@given(corpus=corpora(), spread=st.sampled_from([0.5, 0.999, 1.001, 30.0]), seed=st.integers(0, 99))
def test_weighted_products_keep_the_ratios(kind, dtype, corpus, spread, seed):
    """On both sides of the border between one shift for all rows, and one for each."""
    random = np.random.default_rng(seed)
    scores = random.standard_normal(corpus.vocab_size)
    scores *= spread * WIDEST[dtype] / max(np.ptp(scores), 1e-9)
    scores = scores.astype(dtype)
    x, y = (random.uniform(1, 2, (size, 2)).astype(dtype) for size in corpus.counts.shape[::-1])
    scores_of_kind = of_kind(scores, kind)
    push, pull_back = products(scores_of_kind, CountMatrix.of(corpus, scores_of_kind))
    with np.errstate(invalid="ignore"):
        logs = np.log(np.maximum(corpus.counts.toarray(), 1e-300)) + np.where(corpus.counts.toarray() > 0, scores, -np.inf)
    filled = corpus.lengths > 0
    weights = np.exp(logs[filled] - logs[filled].max(axis=1, keepdims=True).astype(np.float64))
    found = to_numpy(push(of_kind(np.column_stack([np.ones(len(x), dtype), x]), kind))).astype(np.float64)
    assert not found[~filled].any()
    assert (found[filled, 0] > 0).all(), "no text loses all its weight, however low its scores"
    tolerance = {"float32": 2e-4, "float64": 2e-12}[dtype]  # the roundings of scores of some 60 or 600, in an exponent
    np.testing.assert_allclose(
        found[filled, 1:] / found[filled, :1], weights @ x / weights.sum(axis=1)[:, None], rtol=tolerance
    )
    # Cᵀ belongs to C: ⟨y, C x⟩ = ⟨Cᵀ y, x⟩.
    pulled = to_numpy(pull_back(of_kind(y, kind))).astype(np.float64)
    np.testing.assert_allclose((pulled * x).sum(0), (y * found[:, 1:]).sum(0), rtol=tolerance)


TEXTS = ["a good film", "good and moving and good", "a bad film", "bad and long"] * 10
NEW = ["A good, long film", "not bad, and moving", "nothing that it knows"]


def answers(model, scores, wide):
    """What everything that computes attention says of a classifier's texts, with these scores in the place of its own."""
    model.scores_ = scores
    corpus, parameters = model.read(NEW, ["up", "down", "up"]), model.parameters_
    report = ts.report(model, TEXTS, ["up", "up", "down", "down"] * 10, quotes=0)
    explanation = ts.explain(model, NEW[0])
    changes = explanation.changes()
    yield from (model.attention(NEW).toarray(), model.logits(NEW))
    yield from (explanation.contributions, changes["lead"], changes["new lead"])
    yield from (report.table.importance, report.table.attention)
    yield from (ts.logits(parameters, corpus), ts.attention(parameters, corpus).toarray())
    yield from ts.score_gradients(parameters.token_scores, parameters.token_values, corpus)
    yield from ts.score_gradients(wide, parameters.token_values, corpus)  # so far apart that each text has a shift of its own
    yield from (attributions.terms(parameters, corpus), attributions.moves(parameters, corpus))


def with_bias(scores):
    return np.where(scores > 0.3, scores + 0.5, scores)


def test_a_change_of_the_model_touches_one_place(monkeypatch):
    """Words of a high score are given a bias; everything that attends follows when `weigh` alone is told so."""
    model = ts.TextClassifier(min_texts=1).fit(TEXTS, ["up", "up", "down", "down"] * 10)
    scores = model.scores_ - model.scores_.mean()
    wide = 900 * (scores - 0.2)
    wanted = list(answers(model, with_bias(scores), with_bias(wide)))
    plain = list(answers(model, scores, wide))
    for module in list(sys.modules.values()):
        if getattr(module, "weigh", None) is weigh and module.__name__.startswith("tokensel_nb"):
            monkeypatch.setattr(module, "weigh", lambda counts, scores, shift: weigh(counts, with_bias(scores), shift))
    changed = list(answers(model, scores, wide))
    for found, right in zip(changed, wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-9, atol=1e-12)
    assert sum(np.nanmax(np.abs(np.subtract(*pair))) > 1e-3 for pair in zip(changed, plain)) > 10, "else nothing was asked"


@pytest.mark.parametrize("scores", [[0.3, -1.2, 0.8, 0.1, -0.5], [0.0, 1.0, -700.0, -0.5, 0.5]], ids=["near", "far apart"])
@pytest.mark.parametrize("num_classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(num_classes, scores):
    """Of scores that share a shift, and of such that are too far apart for it."""
    random = np.random.default_rng(0)
    counts, labels = random.poisson(1.0, (12, 5)), np.arange(12) % num_classes
    corpus = ts.Corpus(counts, labels, list("abcde"), list("xyz")[:num_classes])
    values = random.normal(size=(5, num_classes) if num_classes > 2 else 5)
    scores, axes = np.array(scores), np.eye(1 + values[0].size)

    def loss(scores, values):
        embeddings = np.column_stack([scores, values])
        return ts.loss(ts.Parameters(embeddings, axes[0], axes[1:] if num_classes > 2 else axes[1]), corpus)

    by_score, by_value = ts.score_gradients(scores, values, corpus)
    step = 1e-6  # an error of its square, and rounding of 1e-16 divided by it
    for gradient, vary in ((by_score, lambda d: loss(scores + d, values)), (by_value, lambda d: loss(scores, values + d))):
        for place in np.ndindex(gradient.shape):
            move = np.zeros(gradient.shape)
            move[place] = step
            assert (vary(move) - vary(-move)) / (2 * step) == pytest.approx(gradient[place], abs=1e-8)
