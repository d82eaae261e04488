from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import corpora
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from tokensel_nb import Corpus, Parameters, embedding_step, flow, gradients, init_parameters, loss
from tokensel_nb.flow import (
    conserved,
    gradient_flow,
    joint_flow,
    key_query_at,
    key_query_flow,
    limit_parameters,
    normalised_steps,
    output_flow,
)
from tokensel_nb.max_margin import max_margin
from tokensel_nb.models.textbook import textbook_gradients
from tokensel_nb.synthetic import one_relevant_token, partly_positive_tokens, several_relevant_tokens

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def after_one_step(corpus, dim, rate, seed=0, dtype="float64"):
    return embedding_step(init_parameters(corpus.vocab_size, dim, seed, dtype=dtype), corpus, rate)


def small(dim=40, rate=40.0, seed=0):
    """Assumption 1 with 16 tokens: small enough for autograd and for matrices of weights."""
    corpus = one_relevant_token(24, 16, 5, 2, seed)
    return corpus, after_one_step(corpus, dim, rate, seed)


def distance(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


def test_the_path_equals_an_explicit_solver_on_autograd():
    """Up to ‖p‖ = 20, where autograd in float64 still has ten digits: the same field, solved by another method."""
    corpus, start = small()

    def velocity(_, query):
        gradient = np.asarray(textbook_gradients(replace(start, cls_embedding=query), corpus).cls_embedding)
        return -gradient / np.linalg.norm(gradient)

    found = gradient_flow(start, corpus, 20.0, records=20)
    solved = integrate.solve_ivp(
        velocity, (0, 20), start.cls_embedding, "DOP853", t_eval=np.minimum(found.arc_lengths, 20), rtol=1e-11, atol=1e-11
    )
    np.testing.assert_allclose(found.cls_embeddings, solved.y.T, atol=1e-6)
    losses = [loss(replace(start, cls_embedding=query), corpus) for query in solved.y.T]
    np.testing.assert_allclose(found.losses, losses, atol=1e-8)
    norms = [np.linalg.norm(gradients(replace(start, cls_embedding=query), corpus).cls_embedding) for query in solved.y.T]
    np.testing.assert_allclose(found.log_gradient_norms, np.log(norms), atol=1e-5)


def test_long_implicit_steps_keep_to_the_path_of_short_explicit_ones():
    """At ‖p‖ = 1000, where the solver's steps are a hundred long: is it still the flow, or only its limit?"""
    corpus, start = small()
    found = gradient_flow(start, corpus, 1000.0, records=10)
    stepped = normalised_steps(start, corpus, 0.25, 4000, records=10)
    limit = max_margin(start.embeddings, corpus).direction
    away = stepped.cls_embedding - stepped.norms[-1] * limit / np.linalg.norm(limit)
    assert np.linalg.norm(away) > 1  # far enough from the limit's ray to tell
    assert np.linalg.norm(found.cls_embedding - stepped.cls_embedding) < 0.05 * np.linalg.norm(away)


def test_assumption_1_selects_and_maximises_the_margin():
    corpus = one_relevant_token(400, 200, 10, 10, seed=0)
    start = after_one_step(corpus, 2048, 80.0)
    found = gradient_flow(start, corpus, 1e6)
    solution = max_margin(start.embeddings, corpus)
    assert found.distance_to(solution.direction)[-1] <= 1e-8
    assert found.smallest_attention[-1] >= 1 - 1e-12
    assert (np.diff(found.losses) <= 1e-12).all()
    # What is missed falls like exp(-margin ‖p‖), far below the smallest float.
    assert found.log_missed[-1] / found.norms[-1] == pytest.approx(-solution.margin, rel=1e-3)
    assert found.log_gradient_norms[-1] < -100_000
    assert not found.stalled
    assert "ends at ‖p‖ = 1e+06" in repr(found)


@pytest.mark.parametrize("seed", range(3))
def test_any_start_has_the_same_limit(seed):
    corpus, start = small(dim=400, rate=10.0)
    limit = max_margin(start.embeddings, corpus).direction
    random = np.random.default_rng(seed)
    found = gradient_flow(replace(start, cls_embedding=10 * random.standard_normal(400)), corpus, 1e8, records=20)
    assert found.distance_to(limit)[-1] <= 1e-8


def test_several_relevant_tokens_are_selected_together():
    corpus = several_relevant_tokens(120, 60, 8, 5, 3, seed=0)
    found = gradient_flow(after_one_step(corpus, 512, 40.0), corpus, 1e4, records=20)
    assert found.smallest_attention[-1] >= 1 - 1e-12


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_dtype_and_device(device, dtype):
    corpus = one_relevant_token(24, 16, 5, 2, 0)
    start = after_one_step(corpus, 40, 40.0, dtype=dtype)
    limit = max_margin(start.embeddings, corpus).direction
    of_numpy, of_tensor = (gradient_flow(given, corpus, 1e5, records=10) for given in (start, start.to(device)))
    np.testing.assert_allclose(of_tensor.cls_embedding, of_numpy.cls_embedding, rtol=1e-4, atol=1e-2)
    assert of_tensor.distance_to(limit)[-1] <= 1e-6
    # Steps of 2 in the dtype itself, on the device: no underflow, no stop.
    stepped = normalised_steps(start.to(device), corpus, 2.0, 2000, records=10)
    assert stepped.log_gradient_norms[-1] < -400
    assert stepped.distance_to(limit)[-1] <= 1e-4


def test_fewer_dimensions_than_tokens():
    corpus, start = small(dim=12)
    found = gradient_flow(start, corpus, 1e6, records=10)
    assert found.distance_to(max_margin(start.embeddings, corpus).direction)[-1] <= 1e-6


def test_the_limit_is_what_remains_for_large_d():
    """d = 300 and 30,000: ten times closer to the limit's scores, in the mean over seeds."""
    corpus = one_relevant_token(24, 16, 5, 2, 0)
    limit = limit_parameters(corpus, 40.0)
    np.testing.assert_allclose(
        limit.embeddings @ limit.embeddings.T, np.eye(16) + np.outer(limit.token_values, limit.token_values), atol=1e-15
    )
    wanted = limit.embeddings @ gradient_flow(limit, corpus, 30.0, records=5).cls_embedding
    gaps = []
    for dim in (300, 30_000):
        of_seeds = []
        for seed in range(8):
            start = after_one_step(corpus, dim, 40.0, seed)
            found = start.embeddings @ gradient_flow(start, corpus, 30.0, records=5).cls_embedding
            of_seeds.append(np.abs(found - wanted).max())
        gaps.append(np.mean(of_seeds))
    assert gaps[1] / gaps[0] == pytest.approx(0.1, rel=0.5)


def test_the_path_of_a_key_query_matrix_is_that_of_its_query():
    """W itself, integrated with autograd's gradient, against the map from the path of q = W p."""
    corpus, start = small(dim=12)
    random = np.random.default_rng(0)
    query, matrix = random.standard_normal(12), 0.1 * random.standard_normal((12, 12))

    def velocity(_, flat):
        weights = torch.tensor(flat.reshape(12, 12), requires_grad=True)
        parts = [torch.as_tensor(x) for x in (start.embeddings, start.output_vector)]
        rows = parts[0][torch.as_tensor(corpus_tokens)]
        attention = torch.softmax(rows @ weights @ torch.as_tensor(query), dim=1)
        outputs = ((attention[:, None] @ rows)[:, 0]) @ parts[1]
        mean_loss = torch.nn.functional.softplus(-torch.as_tensor(corpus.labels) * outputs).mean()
        gradient = torch.autograd.grad(mean_loss, weights)[0].numpy().ravel()
        return -gradient / np.linalg.norm(gradient)  # W moves by (q' pᵀ)/‖p‖², so its speed is that of q over ‖p‖

    corpus_tokens = np.array([np.repeat(np.arange(16), row) for row in corpus.counts.toarray()])
    length = 15.0
    found = key_query_flow(replace(start, cls_embedding=query), matrix, corpus, length, records=8, tolerance=1e-11)
    times = np.minimum(found.arc_lengths, length) / np.linalg.norm(query)
    solved = integrate.solve_ivp(velocity, (0, times[-1]), matrix.ravel(), "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    for flat, q in zip(solved.y.T, found.cls_embeddings):
        assert distance(key_query_at(q, matrix, query), flat.reshape(12, 12)) <= 1e-8


def test_the_path_with_v_equals_an_explicit_solver_on_autograd():
    corpus, start = small()

    def velocity(_, both):
        found = textbook_gradients(replace(start, cls_embedding=both[:40], output_vector=both[40:]), corpus)
        both = np.concatenate([found.cls_embedding, found.output_vector])
        return -both / np.linalg.norm(both[:40])

    found, outputs = output_flow(start, corpus, 5.0, records=6, tolerance=1e-9)
    first = np.concatenate([start.cls_embedding, start.output_vector])
    times = np.minimum(found.arc_lengths, 5.0)
    solved = integrate.solve_ivp(velocity, (0, 5), first, "DOP853", t_eval=times, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.cls_embeddings, solved.y[:40].T, atol=1e-6)
    np.testing.assert_allclose(outputs, solved.y[40:].T, atol=1e-6)


def test_training_v_along_does_not_change_the_limit():
    corpus = one_relevant_token(120, 60, 8, 3, seed=0)
    start = after_one_step(corpus, 2048, 30.0)
    found, outputs = output_flow(start, corpus, 360.0, records=20)
    assert found.distance_to(max_margin(start.embeddings, corpus).direction)[-1] <= 1e-4
    assert found.smallest_attention[-1] >= 1 - 1e-12
    # ‖v‖ grows like exp(margin ‖p‖ / 2): beyond the digits of any float, yet its direction separates the relevant tokens.
    assert 1e25 < np.linalg.norm(outputs[-1]) < 1e40
    values = start.embeddings @ outputs[-1] / np.linalg.norm(outputs[-1])
    assert values[:3].min() > 0.3
    assert values[3:6].max() < -0.3


@pytest.mark.parametrize("height", [0.0, 5.0, 20.0])
def test_the_derivative_of_both_fields_equals_finite_differences(height):
    corpus, start = small()
    random = np.random.default_rng(0)
    for field in (flow._Field(start, corpus, None), flow._OutputField(start, corpus)):
        point = field.start + 0.3 * random.standard_normal(len(field.start))
        if len(point) > 16:
            point[16] = height
        for step in 1e-5 * random.standard_normal((5, len(point))):
            wanted = (field.velocity(0, point + step) - field.velocity(0, point - step)) / 2
            found = field.jacobian(0, point) @ step
            assert np.linalg.norm(found - wanted) <= 1e-6 * np.linalg.norm(wanted)


@given(corpus=corpora(classes=(2, 3)), seed=st.integers(0, 9))
def test_the_joint_flow_conserves(corpus, seed):
    start = init_parameters(corpus.vocab_size, 5, seed, num_classes=corpus.num_classes, dtype="float64")
    start = replace(start, cls_embedding=np.random.default_rng(seed).standard_normal(5))
    path = joint_flow(start, corpus, [0.0, 1.0, 10.0])
    assert loss(path[-1], corpus) <= loss(start, corpus) + 1e-12
    for point in path:
        np.testing.assert_allclose(conserved(point), conserved(start), atol=1e-8)


def test_the_joint_flow_equals_small_steps_of_gradient_descent():
    corpus, start = small()
    gaps = []
    for steps in (200, 400):
        point = start
        for _ in range(steps):
            slopes = gradients(point, corpus)
            point = Parameters(*(x - 2.0 / steps * g for x, g in zip(vars(point).values(), vars(slopes).values())))
        gaps.append(np.linalg.norm(point.cls_embedding - joint_flow(start, corpus, [2.0])[0].cls_embedding))
    assert gaps[1] / gaps[0] == pytest.approx(0.5, rel=0.05)  # Euler's rule is of order one


def test_where_texts_cancel_the_flow_says_that_it_stalls():
    # f = γ_b + q_a (γ_a - γ_b) should be high in one text and low in the other, with weights 1:1 and 1:3: an inner minimum.
    corpus = Corpus([[1, 1], [1, 3]], [1, -1], ["a", "b"])
    start = Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0]))
    found = gradient_flow(start, corpus, 1e3)
    assert found.stalled
    assert "stalls at" in repr(found)
    assert np.linalg.norm(gradients(replace(start, cls_embedding=found.cls_embedding), corpus).cls_embedding) < 1e-2
    mixed = partly_positive_tokens(60, 30, 6, 3, 0.2, seed=0)
    assert np.isnan(gradient_flow(after_one_step(mixed, 64, 40.0), mixed, 10.0, records=5).log_missed).all()


def test_bad_input():
    corpus, start = small()
    with pytest.raises(ValueError, match="embeddings holds a value that is not finite"):
        gradient_flow(replace(start, embeddings=np.full((16, 40), np.nan)), corpus)
    for call in (
        lambda bad: gradient_flow(start, corpus, bad),
        lambda bad: output_flow(start, corpus, bad),
        lambda bad: normalised_steps(start, corpus, bad, 10),
        lambda bad: limit_parameters(corpus, bad),
    ):
        for bad in (0.0, -1.0, float("nan")):
            with pytest.raises(ValueError, match="give a number above zero"):
                call(bad)
    alone = Corpus([[1, 0], [0, 1]], [1, -1], ["a", "b"])
    for follow in (gradient_flow, lambda *args: normalised_steps(*args, 1.0, 5)):
        with pytest.raises(ValueError, match="attention has nothing to choose between"):
            follow(init_parameters(2, 5, 0), alone)
    with pytest.raises(ValueError, match="text 0 holds no relevant token"):
        output_flow(init_parameters(2, 5, 0), Corpus([[1, 1], [1, 1]], [1, -1], ["a", "b"]))
    with pytest.raises(ValueError, match="linearly dependent"):
        output_flow(replace(start, embeddings=np.ones((16, 40)) + np.eye(16, 40) * (np.arange(16) > 3)[:, None]), corpus)
    with pytest.raises(ValueError, match="cls_embedding is zero"):
        key_query_flow(start, np.eye(40), corpus)
    with pytest.raises(ValueError, match="times must ascend"):
        joint_flow(start, corpus, [1.0, 0.5])
    with pytest.raises(ValueError, match="text 0, which does not hold it"):
        gradient_flow(start, corpus, 1.0, selection=np.full(24, 3))
