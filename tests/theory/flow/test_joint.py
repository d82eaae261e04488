from types import SimpleNamespace

import numpy as np
import pytest
from helpers import after_one_step, corpora, each_kind, equal, of_kind, small
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

import tokensel_nb as ts
from tokensel_nb.flow import Field
from tokensel_nb.joint import OutputField
from tokensel_nb.textbook import textbook_gradients


def test_the_path_with_v_equals_an_explicit_solver_on_autograd():
    corpus, start = small()

    def velocity(_, both):
        found = textbook_gradients(start._replace(cls_embedding=both[:40], output_vector=both[40:]), corpus)
        both = np.concatenate([found.cls_embedding, found.output_vector])
        return -both / np.linalg.norm(both[:40])

    found, outputs = ts.output_flow(start, corpus, 5.0, records=6, tolerance=1e-9)
    first = np.concatenate([start.cls_embedding, start.output_vector])
    times = np.minimum(found.arc_lengths, 5.0)
    solved = integrate.solve_ivp(velocity, (0, 5), first, "DOP853", t_eval=times, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.cls_embeddings, solved.y[:40].T, atol=1e-6)
    np.testing.assert_allclose(outputs, solved.y[40:].T, atol=1e-6)


def test_training_v_along_does_not_change_the_limit():
    corpus = ts.one_relevant_token(120, 60, 8, 3, seed=0)
    start = after_one_step(corpus, 2048, 30.0)
    found, outputs = ts.output_flow(start, corpus, 360.0, records=20)
    assert found.distance_to(ts.max_margin(start.embeddings, corpus).direction)[-1] <= 1e-4
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
    for field in (Field(start, corpus), OutputField(start, corpus)):
        point = field.start + 0.3 * random.standard_normal(len(field.start))
        if len(point) > 16:
            point[16] = height
        for step in 1e-5 * random.standard_normal((5, len(point))):
            wanted = (field.velocity(0, point + step) - field.velocity(0, point - step)) / 2
            found = field.jacobian(0, point) @ step
            assert np.linalg.norm(found - wanted) <= 1e-6 * np.linalg.norm(wanted)


@given(corpus=corpora(classes=(2, 3)), seed=st.integers(0, 9))
def test_the_joint_flow_conserves(corpus, seed):
    start = ts.init_parameters(corpus.vocab_size, 5, seed, num_classes=corpus.num_classes, dtype="float64")
    start = start._replace(cls_embedding=np.random.default_rng(seed).standard_normal(5))
    points = ts.joint_flow(start, corpus, [0.0, 1.0, 10.0])
    assert ts.loss(points[-1], corpus) <= ts.loss(start, corpus) + 1e-12
    for point in points:
        np.testing.assert_allclose(ts.conserved(point), ts.conserved(start), atol=1e-8)


def test_the_joint_flow_equals_small_steps_of_gradient_descent():
    corpus, start = small()
    gaps = []
    for steps in (200, 400):
        point = start
        for _ in range(steps):
            slopes = ts.gradients(point, corpus)
            pairs = zip(point, slopes)
            point = ts.Parameters(*(array - 2.0 / steps * slope for array, slope in pairs))
        gaps.append(np.linalg.norm(point.cls_embedding - ts.joint_flow(start, corpus, [2.0])[0].cls_embedding))
    assert gaps[1] / gaps[0] == pytest.approx(0.5, rel=0.05)  # Euler's rule is of order one


@each_kind
def test_all_flows_take_any_dtype_and_kind(kind):
    corpus, start = small()
    single = ts.Parameters(*(array.astype("float32") for array in start))
    both = of_kind(single, kind), ts.Parameters(*(array.astype(float) for array in single))
    (found,), (wanted,) = (ts.joint_flow(each, corpus, [2.0]) for each in both)
    assert equal(found, wanted)
    np.testing.assert_allclose(ts.conserved(both[0]), ts.conserved(found), atol=1e-8)
    found, wanted = (ts.output_flow(each, corpus, 5.0, records=3)[1] for each in both)
    np.testing.assert_array_equal(found, wanted)


def test_a_flow_that_cannot_be_followed_says_so(monkeypatch):
    corpus, start = small()
    large = ts.Parameters(1e200 * start.embeddings, np.ones(40), 1e200 * start.output_vector)
    with np.errstate(all="ignore"), pytest.raises(RuntimeError, match="the gradient overflows"):
        ts.joint_flow(large, corpus, [1.0])
    with pytest.raises(ValueError, match="give ascending times"):
        ts.joint_flow(start, corpus, [1.0, 0.5])
    with pytest.raises(ValueError, match="text 0 has no relevant token"):
        ts.output_flow(ts.init_parameters(2, 5, 0), ts.Corpus([[1, 1], [1, 1]], [1, -1], ["a", "b"]))
    with pytest.raises(ValueError, match="linearly dependent"):
        ts.output_flow(start._replace(embeddings=np.ones((16, 40)) + np.eye(16, 40) * (np.arange(16) > 3)[:, None]), corpus)
    monkeypatch.setattr(integrate, "solve_ivp", lambda *_, **__: SimpleNamespace(success=False, t=np.zeros(1)))
    with pytest.raises(RuntimeError, match="failed after 1 of 2 times"):
        ts.joint_flow(start, corpus, [0.0, 1.0])
