"""The closed form of the model, held against the textbook's, finite differences and sums by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import corpora, each_dtype, each_kind, flat, kind_of, of_kind, random_parameters, relative_error
from hypothesis import given
from hypothesis import strategies as st

import tokensel_nb as ts
from tokensel_nb.arrays import as_numpy, to_numpy
from tokensel_nb.model import WIDEST, classes_of_logits, evaluate, log_softmax, sigmoid
from tokensel_nb.textbook import textbook_gradients, textbook_logits, tokens_in_order, tokens_of


def cast(parameters, dtype):
    return type(parameters)(*(array.astype(dtype) for array in parameters))


# Two orders of summing a few hundred float64 numbers differ by some 1e-14; 1e-10 leaves room for cancellation.
@each_kind
@given(corpus=corpora(), dim=st.integers(5, 8), spread=st.sampled_from([0.1, 5.0, 599.0, 10_000.0]), seed=st.integers(0, 99))
def test_gradients_equal_autograd_on_ragged_corpora(kind, corpus, dim, spread, seed):
    if not corpus.lengths.any():
        return  # no text holds a word: every gradient is exactly zero, checked below
    parameters = of_kind(random_parameters(corpus, dim, seed, spread), kind)
    assert relative_error(ts.gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@given(corpus=corpora(), spread=st.sampled_from([0.1, 5.0, 599.0, 10_000.0]), seed=st.integers(0, 99))
def test_the_graph_of_the_loss_has_the_closed_forms_gradient(corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    leaves = ts.Parameters(*(torch.tensor(array).requires_grad_() for array in parameters))
    mean_loss = ts.loss(leaves, corpus)
    found = torch.autograd.grad(mean_loss, list(leaves), materialize_grads=True)
    assert float(mean_loss.detach()) == pytest.approx(float(ts.loss(parameters, corpus)), rel=1e-12)
    wanted = ts.gradients(leaves, corpus)
    assert not any(array.requires_grad for array in wanted)
    np.testing.assert_allclose(flat(found), flat(wanted), atol=1e-10 * max(1, np.abs(flat(wanted)).max()))


@each_kind
@given(corpus=corpora(), dim=st.integers(5, 8), spread=st.sampled_from([0.1, 5.0, 59.0, 500.0]), seed=st.integers(0, 99))
def test_float32_gradients_follow_float64_on_ragged_corpora(kind, corpus, dim, spread, seed):
    """The error of a score of size 59 is 4e-6, and so is that of its exponential, relative; sums may cancel to a hundredth."""
    single = cast(random_parameters(corpus, dim, seed, spread), "float32")
    found, wanted = ts.gradients(of_kind(single, kind), corpus), ts.gradients(cast(single, "float64"), corpus)
    scale = np.abs(flat(wanted)).max()
    np.testing.assert_allclose(flat(found), flat(wanted), atol=1e-6 * max(spread, 1) * max(scale, 1), rtol=1e-5)


@each_kind
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_a_weight_of_three_is_three_texts(kind, corpus, seed):
    weights = np.random.default_rng(seed).integers(0, 4, len(corpus))
    if not weights.any():
        return
    weighted = replace(corpus, weights=weights)
    repeated = replace(corpus, weights=None)[np.repeat(np.arange(len(corpus)), weights)]
    parameters = of_kind(random_parameters(corpus, 5, seed), kind)
    for figure in (ts.loss, ts.accuracy):
        assert float(figure(parameters, weighted)) == pytest.approx(float(figure(parameters, repeated)), rel=1e-12)
    assert evaluate(parameters, weighted) == pytest.approx(evaluate(parameters, repeated), rel=1e-12)
    gradients = [flat(ts.gradients(parameters, each)) for each in (weighted, repeated)]
    np.testing.assert_allclose(*gradients, atol=1e-14)
    np.testing.assert_allclose(weighted.signed_frequency(), repeated.signed_frequency(), atol=1e-14)
    np.testing.assert_allclose(weighted.label_skew(), repeated.label_skew(), atol=1e-14)


@given(corpus=corpora(min_texts=2), seed=st.integers(0, 99))
def test_gradients_equal_finite_differences(corpus, seed):
    parameters = random_parameters(corpus, 6, seed, 2.0)
    random = np.random.default_rng(seed)
    way = ts.Parameters(*(random.standard_normal(array.shape) for array in parameters))
    along = lambda step: ts.loss(ts.Parameters(*(start + step * each for start, each in zip(parameters, way))), corpus)
    slope = flat(ts.gradients(parameters, corpus)) @ flat(way)
    # The central difference of step h errs by h² f'''/6 and by 1e-16/h: both below 1e-8 for h = 1e-5.
    assert abs((along(1e-5) - along(-1e-5)) / 2e-5 - slope) <= 1e-8 * max(1, np.abs(flat(way)).max() ** 3)


@pytest.mark.parametrize("scores", [[0.3, -1.2, 0.8, 0.1, -0.5], [0.0, 1.0, -700.0, -0.5, 0.5]], ids=["near", "far apart"])
@pytest.mark.parametrize("num_classes", [2, 3])
def test_gradients_in_scores_and_values_are_those_of_finite_differences(num_classes, scores):
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


@each_kind
@given(corpus=corpora(), spread=st.sampled_from([1.0, 599.0, 601.0, 10_000.0]), seed=st.integers(0, 99))
def test_logits_equal_the_textbook(kind, corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    wanted = textbook_logits(*ts.to_device(parameters, "cpu"), tokens_of(corpus)).numpy()
    np.testing.assert_allclose(to_numpy(ts.logits(of_kind(parameters, kind), corpus)), wanted, atol=1e-11)


@each_kind
@given(corpus=corpora(), spread=st.sampled_from([1.0, 10_000.0]), seed=st.integers(0, 99))
def test_attention_is_a_distribution_that_gives_the_logits(kind, corpus, spread, seed):
    parameters = of_kind(random_parameters(corpus, 6, seed, spread), kind)
    weights, logits = ts.attention(parameters, corpus), to_numpy(ts.logits(parameters, corpus))
    np.testing.assert_allclose(weights.sum(axis=1), corpus.lengths > 0, atol=1e-12)
    np.testing.assert_allclose(weights @ to_numpy(parameters.token_values), logits, atol=1e-12)
    assert (weights.data >= 0).all()


@each_kind
@each_dtype
def test_the_two_ways_of_shifting_agree_at_the_border(imdb, kind, dtype):
    """Just below the border one shift serves all rows, just above every row has its own: the results must meet."""
    corpus, border = imdb[:50], WIDEST[dtype]
    unit = random_parameters(corpus, 16, 0, dtype=dtype)
    near = []
    for factor in (0.9999, 1.0001):
        cls_embedding = unit.cls_embedding * np.asarray(border * factor / np.ptp(unit.token_scores), dtype)
        near.append(ts.gradients(of_kind(unit._replace(cls_embedding=cls_embedding), kind), corpus))
    assert np.isfinite(flat(near[0])).all()
    # The scores themselves differ by 2e-4 of 60 or 600, so the weights by as much as that.
    assert relative_error(near[1], near[0]) <= 2e-4 * border


@each_kind
@each_dtype
@pytest.mark.parametrize("num_classes", [2, 3])
def test_results_are_of_the_kind_and_dtype_that_was_given(kind, dtype, num_classes):
    corpus = ts.Corpus(np.eye(3, dtype=int), [0, 1, num_classes - 1], list("abc"), tuple("xyz"[:num_classes]))
    parameters = of_kind(random_parameters(corpus, 4, 0, dtype=dtype), kind)
    before = flat(parameters).copy()
    found = ts.gradients(parameters, corpus)
    by_score, by_value = ts.score_gradients(parameters.token_scores, parameters.token_values, corpus)
    for array in (ts.logits(parameters, corpus), ts.loss(parameters, corpus), *found, by_score, by_value):
        assert to_numpy(array).dtype == dtype
        if kind != "numpy" or array.ndim:
            assert kind_of(array) == kind
    assert type(found) is ts.Parameters
    assert ts.attention(parameters, corpus).dtype == dtype
    rounding, E = 100 * np.finfo(dtype).eps, to_numpy(parameters.embeddings)
    np.testing.assert_allclose(E.T @ to_numpy(by_score), to_numpy(found.cls_embedding), atol=rounding)
    np.testing.assert_allclose((E.T @ to_numpy(by_value)).T, to_numpy(found.output_vector), atol=rounding)
    assert (flat(parameters) == before).all(), "arguments are left alone"


@each_kind
def test_a_text_without_a_known_word_has_logit_zero_and_no_pull(kind):
    corpus = ts.Corpus(np.array([[0, 0], [1, 2]]), [1, -1], ["a", "b"])
    parameters = of_kind(random_parameters(corpus, 4, 0), kind)
    assert ts.logits(parameters, corpus)[0] == 0
    assert ts.attention(parameters, corpus).sum(axis=1).round(12).tolist() == [0, 1]
    alone = ts.gradients(parameters, corpus[1:])
    np.testing.assert_allclose(flat(ts.gradients(parameters, corpus)), flat(alone) / 2, atol=1e-15)
    assert not flat(ts.gradients(parameters, corpus[:1])).any()


@each_kind
@each_dtype
@pytest.mark.parametrize("num_classes", [2, 3])
def test_a_logit_of_zero_predicts_the_first_class(kind, dtype, num_classes):
    """Of texts without a known word, and of words that pull nowhere: the answer must not depend on the kind of array."""
    counts, labels = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 0]], [0, 0, 1, num_classes - 1, 1]
    corpus = ts.Corpus(counts, labels, ["a", "b"], tuple("xyz"[:num_classes]), weights=[1, 2, 4, 8, 16])
    start = ts.init_parameters(2, 4, 0, num_classes=num_classes, dtype=dtype)
    nowhere = of_kind(ts.Parameters(*map(np.zeros_like, start)), kind)
    assert not to_numpy(ts.logits(nowhere, corpus)).any()
    assert ts.accuracy(nowhere, corpus) == pytest.approx(3 / 31, abs=1e-12)
    assert float(ts.loss(nowhere, corpus)) == pytest.approx(np.log(num_classes), rel=1e-6)
    assert ts.accuracy(nowhere, replace(corpus, labels=[1, 1, 0, 0, 0])) == pytest.approx(28 / 31, abs=1e-12)


@each_kind
def test_loss_and_accuracy_by_hand(tiny, kind):
    parameters = of_kind(random_parameters(tiny, 4, 0), kind)
    found, signs = to_numpy(ts.logits(parameters, tiny)), np.array([1, -1, 1])
    assert float(ts.loss(parameters, tiny)) == pytest.approx(np.mean(np.log1p(np.exp(-signs * found))), rel=1e-14)
    assert ts.accuracy(parameters, tiny) == pytest.approx(np.mean((found > 0) == (signs > 0)), abs=1e-12)


@each_kind
def test_a_logit_far_out_loses_what_it_is_worth(kind):
    """log(1 + exp(1000)) is 1000, and log(1 + exp(-1000)) no less than zero."""
    corpus = ts.Corpus(np.eye(2), [1, -1], ["a", "b"])
    E, v = np.array([[-1000.0], [-1000.0]]), np.ones(1)
    assert ts.loss(of_kind(ts.Parameters(E, np.zeros(1), v), kind), corpus) == 500
    three = ts.Corpus(np.eye(3), [0, 1, 2], list("abc"))
    far = of_kind(ts.Parameters(1000 * np.eye(3), np.zeros(3), -np.eye(3)), kind)
    assert float(ts.loss(far, three)) == pytest.approx(1000 + np.log(2), rel=1e-12)
    assert sigmoid(np.array([0.0, 800.0, -800.0])).tolist() == [0.5, 1.0, 0.0]
    assert np.exp(log_softmax(np.array([[800.0, 800.0, 0.0]]))).tolist() == [[0.5, 0.5, 0.0]]
    assert classes_of_logits(np.array([[1.0, 3.0, 3.0]])).tolist() == [1]


def test_what_would_give_a_wrong_number_is_refused(tiny):
    parameters = random_parameters(tiny, 4, 0)
    for wrong in (
        parameters._replace(embeddings=parameters.embeddings[:2]),
        parameters._replace(cls_embedding=np.zeros(5)),
        parameters._replace(output_vector=np.zeros((2, 4))),
    ):
        for call in (ts.logits, ts.loss, ts.accuracy, ts.gradients, ts.attention):
            with pytest.raises(ValueError, match="the parameters have the shapes"):
                call(wrong, tiny)
    with pytest.raises(ValueError, match="output_vector is not"):
        ts.logits(parameters._replace(output_vector=np.full(4, np.nan)), tiny)


def test_tokens_of_the_textbook(tiny):
    rows = tokens_of(tiny).tolist()
    assert [[row.count(column) for column in range(3)] for row in rows] == tiny.counts.toarray().tolist()
    assert all(row == sorted(row, key=lambda token: (token < 0, token)) for row in rows), "in columns' order, then padding"
    assert tokens_in_order(["A good, good film!", "bad"], ["bad", "film", "good"]).tolist() == [[2, 2, 1], [0, -1, -1]]


# Parameters


def test_init_is_what_theory_starts_from():
    start = ts.init_parameters(2000, 300, seed=5)
    assert start.embeddings.dtype == np.float32
    assert not start.cls_embedding.any()
    assert np.linalg.norm(start.output_vector) == pytest.approx(1, abs=1e-6)
    # 600,000 draws: their variance is 1/d within 6 standard errors, 6·sqrt(2/600000) = 1.1%.
    assert start.embeddings.var() * 300 == pytest.approx(1, rel=0.011)
    heads = ts.init_parameters(20, 300, seed=5, num_classes=4, dtype="float64").output_vector
    np.testing.assert_allclose(heads @ heads.T, np.eye(4), atol=1e-14)
    assert (ts.init_parameters(9, 4, seed=1).embeddings == ts.init_parameters(9, 4, seed=1).embeddings).all()
    assert (ts.init_parameters(9, 4, seed=1).embeddings != ts.init_parameters(9, 4, seed=2).embeddings).any()
    with pytest.raises(ValueError, match="num_classes=3 is above dim=2"):
        ts.init_parameters(4, 2, 0, num_classes=3)


@each_kind
@each_dtype
def test_there_and_back(tiny, kind, dtype):
    parameters = random_parameters(tiny, 4, 0, dtype=dtype)
    moved = of_kind(parameters, kind)
    assert {kind_of(array) for array in moved} == {kind}
    place = "numpy" if kind == "numpy" else str(moved.embeddings.device)
    assert repr(moved) == f"Parameters(embeddings (3, 4), cls_embedding (4,), output_vector (4,); {dtype}, {place})"
    assert [array.dtype.name for array in as_numpy(moved)] == 3 * [dtype]
    assert (flat(as_numpy(moved)) == flat(parameters)).all()


@each_kind
def test_scores_and_values_of_tokens(tiny, kind):
    E, p, v = parameters = random_parameters(tiny, 4, 0)
    placed, heads = of_kind(parameters, kind), np.arange(12.0).reshape(3, 4)
    assert kind_of(placed.token_scores) == kind_of(placed.token_values) == kind
    np.testing.assert_allclose(to_numpy(placed.token_scores), E @ p, rtol=1e-14)
    np.testing.assert_allclose(to_numpy(placed.token_values), E @ v, rtol=1e-14)
    wanted = np.stack([E @ row for row in heads], axis=1)
    np.testing.assert_allclose(ts.Parameters(E, p, heads).token_values, wanted, rtol=1e-14)


def test_rows_have_the_values_that_are_given():
    values = np.array([2.0, -1.0, 0.0])
    found = ts.rows_with_values(values)
    assert found.token_values.tolist() == values.tolist()
    np.testing.assert_allclose(found.embeddings @ found.embeddings.T, np.eye(3) + np.outer(values, values), atol=1e-14)
