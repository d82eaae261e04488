import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from helpers import after_one_step, each_kind, of_kind, small
from scipy import integrate

import tokensel_nb as ts
from tokensel_nb.sharp import SharpAttention
from tokensel_nb.textbook import textbook_gradients


def distance(found, wanted):
    return np.linalg.norm(found - wanted) / np.linalg.norm(wanted)


def test_the_distance_to_a_direction_is_exact_however_small():
    point = np.array([[1.0, 1e-9]])
    path = ts.Flow(*np.zeros((1, 1)), point, *np.zeros((3, 1)), "the end")
    np.testing.assert_allclose(path.distance_to([1.0, 0.0]), [5e-19], rtol=1e-12)


def test_the_path_equals_an_explicit_solver_on_autograd():
    """Up to ‖p‖ = 20, where autograd in float64 still has ten digits: the same field, solved by another method."""
    corpus, start = small()

    def velocity(_, query):
        gradient = np.asarray(textbook_gradients(start._replace(cls_embedding=query), corpus).cls_embedding)
        return -gradient / np.linalg.norm(gradient)

    found = ts.gradient_flow(start, corpus, 20.0, records=20)
    solved = integrate.solve_ivp(
        velocity, (0, 20), start.cls_embedding, "DOP853", t_eval=np.minimum(found.arc_lengths, 20), rtol=1e-11, atol=1e-11
    )
    np.testing.assert_allclose(found.cls_embeddings, solved.y.T, atol=1e-6)
    losses = [ts.loss(start._replace(cls_embedding=query), corpus) for query in solved.y.T]
    np.testing.assert_allclose(found.losses, losses, atol=1e-8)
    norms = [np.linalg.norm(ts.gradients(start._replace(cls_embedding=query), corpus).cls_embedding) for query in solved.y.T]
    np.testing.assert_allclose(found.log_gradient_norms, np.log(norms), atol=1e-5)


def test_long_implicit_steps_keep_to_the_path_of_short_explicit_ones():
    """At ‖p‖ = 1000, where the solver's steps are a hundred long: is it still the flow, or only its limit?"""
    corpus, start = small()
    found = ts.gradient_flow(start, corpus, 1000.0, records=10)
    query = start.cls_embedding
    for _ in range(4000):
        slope = start.embeddings.T @ SharpAttention(start.embeddings @ query, start.token_values, corpus).by_score()[0]
        query = query - 0.25 * slope / np.linalg.norm(slope)
    limit = ts.max_margin(start.embeddings, corpus).direction
    away = query - np.linalg.norm(query) * limit / np.linalg.norm(limit)
    assert np.linalg.norm(away) > 1  # far enough from the limit's ray to tell
    assert np.linalg.norm(found.cls_embedding - query) < 0.05 * np.linalg.norm(away)


def test_leads_are_differences_of_scores():
    corpus, start = small()
    path, pairs = ts.gradient_flow(start, corpus, 10.0, records=3), ts.selected_pairs(corpus)
    leads = path.leads(start.embeddings, pairs)
    assert leads.shape == (3, len(pairs))
    scores = start.embeddings @ path.cls_embeddings[1]
    assert leads[1, 5] == pytest.approx(scores[pairs[5, 0]] - scores[pairs[5, 1]], abs=1e-14)
    assert (leads[-1] > 0).all()
    _, ax = plt.subplots()
    path.plot(ax, scores @ start.embeddings)
    np.testing.assert_array_equal(ax.lines[0].get_data(), (path.norms[1:], path.distance_to(scores @ start.embeddings)[1:]))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_the_clock_of_a_path_is_that_of_the_flow_in_time():
    corpus, start = small()
    path = ts.gradient_flow(start, corpus, 10.0, records=400)
    downhill = lambda _, query: -ts.gradients(start._replace(cls_embedding=query), corpus).cls_embedding
    times = np.expm1(path.log_times)
    solved = integrate.solve_ivp(downhill, (0, times[-1]), start.cls_embedding, "DOP853", times, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(path.cls_embeddings, solved.y.T, atol=1e-3)  # of the trapezoidal rule


def test_assumption_1_selects_and_maximises_the_margin():
    corpus = ts.one_relevant_token(400, 200, 10, 10, seed=0)
    start = after_one_step(corpus, 2048, 80.0)
    found = ts.gradient_flow(start, corpus, 1e6)
    solution = ts.max_margin(start.embeddings, corpus)
    assert found.distance_to(solution.direction)[-1] <= 1e-8
    assert found.smallest_attention[-1] >= 1 - 1e-12
    assert (np.diff(found.losses) <= 1e-12).all()
    # What is missed falls like exp(-margin ‖p‖), far below the smallest float.
    assert found.log_missed[-1] / found.norms[-1] == pytest.approx(-solution.margin, rel=1e-3)
    assert found.log_gradient_norms[-1] < -100_000
    assert found.stopped == "the end"
    assert "ends at ‖p‖ = 1e+06" in repr(found)


@each_kind
def test_the_path_of_float32_or_tensors_is_that_of_the_same_numbers_in_float64(kind):
    corpus = ts.one_relevant_token(24, 16, 5, 2, 0)
    start = after_one_step(corpus, 40, 40.0, dtype="float32")
    wanted = ts.gradient_flow(ts.Parameters(*(array.astype(float) for array in start)), corpus, 1e3, records=5)
    found = ts.gradient_flow(of_kind(start, kind), corpus, 1e3, records=5)
    np.testing.assert_array_equal(found.cls_embeddings, wanted.cls_embeddings)


def test_fewer_dimensions_than_tokens():
    corpus, start = small(dim=12)
    found = ts.gradient_flow(start, corpus, 1e6, records=10)
    assert found.distance_to(ts.max_margin(start.embeddings, corpus).direction)[-1] <= 1e-6


def test_the_limit_is_what_remains_for_large_d():
    """d = 300 and 30,000: ten times closer to the limit's scores, in the mean over seeds."""
    corpus = ts.one_relevant_token(24, 16, 5, 2, 0)
    limit = ts.limit_parameters(corpus, 40.0)
    np.testing.assert_allclose(
        limit.embeddings @ limit.embeddings.T, np.eye(16) + np.outer(limit.token_values, limit.token_values), atol=1e-15
    )
    wanted = limit.embeddings @ ts.gradient_flow(limit, corpus, 30.0, records=5).cls_embedding
    gaps = []
    for dim in (300, 30_000):
        of_seeds = []
        for seed in range(8):
            start = after_one_step(corpus, dim, 40.0, seed)
            found = start.embeddings @ ts.gradient_flow(start, corpus, 30.0, records=5).cls_embedding
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
        mean_loss = torch.nn.functional.softplus(-torch.as_tensor(corpus.signs) * outputs).mean()
        gradient = torch.autograd.grad(mean_loss, weights)[0].numpy().ravel()
        return -gradient / np.linalg.norm(gradient)  # W moves by (q' pᵀ)/‖p‖², so its speed is that of q over ‖p‖

    corpus_tokens = np.array([np.repeat(np.arange(16), row) for row in corpus.counts.toarray()])
    length = 15.0
    found = ts.key_query_flow(start._replace(cls_embedding=query), matrix, corpus, length, records=8, tolerance=1e-11)
    times = np.minimum(found.arc_lengths, length) / np.linalg.norm(query)
    solved = integrate.solve_ivp(velocity, (0, times[-1]), matrix.ravel(), "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    for flat, q in zip(solved.y.T, found.cls_embeddings):
        assert distance(ts.key_query_at(q, matrix, query), flat.reshape(12, 12)) <= 1e-8


def test_where_texts_cancel_the_flow_says_that_no_direction_is_left():
    # f = γ_b + q_a (γ_a - γ_b) should be high in one text and low in the other, with weights 1:1 and 1:3: an inner minimum.
    corpus = ts.Corpus([[1, 1], [1, 3]], [1, -1], ["a", "b"])
    start = ts.Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0]))
    found = ts.gradient_flow(start, corpus, 1e3)
    assert found.stopped == "no direction"
    assert "; no direction at ‖p‖ = " in repr(found)
    assert np.linalg.norm(ts.gradients(start._replace(cls_embedding=found.cls_embedding), corpus).cls_embedding) < 1e-2
    mixed = ts.partly_positive_tokens(60, 30, 6, 3, 0.2, seed=0)
    assert np.isnan(ts.gradient_flow(after_one_step(mixed, 64, 40.0), mixed, 10.0, records=5).log_missed).all()


def test_what_would_give_a_wrong_path_is_refused():
    corpus, start = small()
    with pytest.raises(ValueError, match="embeddings is not finite; give smaller"):
        ts.gradient_flow(start._replace(embeddings=np.full((16, 40), np.nan)), corpus)
    with pytest.raises(ValueError, match="the gradient is zero at the start"):
        ts.gradient_flow(ts.init_parameters(2, 5, 0), ts.Corpus([[1, 0], [0, 1]], [1, -1], ["a", "b"]))
    with pytest.raises(ValueError, match="cls_embedding is zero"):
        ts.key_query_flow(start, np.eye(40), corpus)
    with pytest.raises(ValueError, match="in a text without this token"):
        ts.gradient_flow(start, corpus, 1.0, selection=np.full(24, 3))
    with pytest.raises(ValueError, match="shapes"):
        ts.gradient_flow(ts.init_parameters(17, 4, 0), corpus)
    of_classes = ts.Corpus(np.eye(3, dtype=int), [0, 1, 2], list("abc"))
    for call in (ts.limit_parameters, lambda *args: ts.gradient_flow(ts.init_parameters(3, 4, 0, num_classes=3), *args)):
        with pytest.raises(ValueError, match="the corpus has 3 classes"):
            call(of_classes, 1.0)


class Failing(integrate.BDF):
    """A solver that finds no step beyond t = 1, as often as it is told, though one after each time it begins."""

    failures, begun = 0, []

    def __init__(self, velocity, begin, *args, **options):
        self.begun.append(begin)
        assert len(self.begun) < 20, "it begins anew without end"
        super().__init__(velocity, begin, *args, **options)

    def step(self):
        if self.t > max(1, self.begun[-1]) and Failing.failures:
            Failing.failures -= 1
            self.status = "failed"
        else:
            super().step()


@pytest.mark.parametrize(("failures", "stopped"), [(1, "the end"), (100, "no step")])
def test_a_solver_that_fails_begins_anew_unless_it_just_did(monkeypatch, failures, stopped):
    corpus, start = small()
    wanted = ts.gradient_flow(start, corpus, 100.0, records=20)
    monkeypatch.setattr(integrate, "BDF", Failing)
    monkeypatch.setattr(Failing, "failures", failures)
    monkeypatch.setattr(Failing, "begun", [])
    found = ts.gradient_flow(start, corpus, 100.0, records=20)
    assert found.stopped == stopped
    first, again = Failing.begun
    assert first == 0
    assert again > 1
    recorded = len(found.norms)
    assert recorded == 20 if stopped == "the end" else 1 < recorded < 20
    # Two solutions within the solver's tolerance of 1e-8 a step.
    np.testing.assert_allclose(found.cls_embeddings, wanted.cls_embeddings[:recorded], atol=1e-5)
    assert repr(found).startswith(f"Flow({recorded} points; {'ends' if stopped == 'the end' else 'no step'} at ‖p‖ = ")
