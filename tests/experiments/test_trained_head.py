"""Query and head trained together: the solver against others, and each theorem on a few corpora."""

import numpy as np
import pytest
from scipy import optimize

import tokensel_nb as ts
from experiments import trained_head
from experiments.head_flow import HeadFlow, follow, head_of, shortest
from tokensel_nb.chapters.recorded import recorded

FEW = 2


def small(number, seed=7):
    """A corpus with limit rows, values and a start that are not special, and the attention of selection."""
    random = np.random.default_rng([seed, number])
    corpus = trained_head.with_one_relevant(random)
    start = ts.rows_with_values(trained_head.drawn_values(corpus, random, 0.7))
    start = trained_head.with_query(start, 0.3 * random.standard_normal(len(start.output_vector)))
    return corpus, start, trained_head.relevant_attention(corpus)


def test_the_path_is_that_of_the_flow_by_arc_length():
    """Where p has travelled as far, p and v are the same, but for chords in the place of arcs."""
    corpus, start, wanted = small(0)
    path, outputs = ts.output_flow(start, corpus, 12.0, records=4)
    points = trained_head.followed(corpus, start, wanted, np.geomspace(1e-4, 300.0, 2000))
    queries, heads = np.array([point.query for point in points]), np.array([point.output for point in points])
    lengths = np.r_[0, np.linalg.norm(np.diff([start.cls_embedding, *queries], axis=0), axis=1).cumsum()]
    for length, query, output in zip(path.arc_lengths[1:], path.cls_embeddings[1:], outputs[1:]):
        if length < lengths[-1]:
            here = [np.array([np.interp(length, lengths[1:], column) for column in every.T]) for every in (queries, heads)]
            np.testing.assert_allclose(here[0], query, atol=2e-3)
            np.testing.assert_allclose(here[1], output, rtol=2e-3, atol=2e-3)
    assert path.arc_lengths[2] < lengths[-1]


@pytest.fixture(scope="module")
def small_steps():
    """Plain gradient descent for a time of 20, in steps of 0.08 and 0.04, and what both say of steps of zero."""
    corpus, start, _ = small(0)
    ends = []
    for steps in (250, 500):
        point, size = start, 20 / steps
        for _ in range(steps):
            slopes = ts.gradients(point, corpus)
            output = point.output_vector - size * slopes.output_vector
            point = trained_head.with_query(point, point.cls_embedding - size * slopes.cls_embedding, output)
        ends.append(np.r_[point.cls_embedding, point.output_vector])
    return 2 * ends[1] - ends[0], ts.loss(point, corpus)


@pytest.mark.parametrize("split", ["selection", "nothing", "velocity"])
def test_the_flow_is_the_limit_of_small_steps(split, small_steps):
    """In whatever coordinates; steps leave an error of the second order, 2e-4 here."""
    corpus, start, wanted = small(0)
    (found,) = {
        "selection": lambda: trained_head.followed(corpus, start, wanted, [np.log(21)]),
        "nothing": lambda: HeadFlow(corpus, start).follow([np.log(21)]),
        "velocity": lambda: follow(corpus, start, [1.0, np.log(21)])[1:],
    }[split]()
    np.testing.assert_allclose(np.r_[found.query, found.output], small_steps[0], atol=2e-4)
    np.testing.assert_allclose(found.losses @ corpus.mean_weights, small_steps[1], rtol=1e-2)


@pytest.mark.parametrize("number", range(2))
def test_the_derivative_equals_finite_differences(number):
    corpus, start, wanted = small(number)
    field, random = (
        HeadFlow(corpus, start, head_of(start.embeddings, corpus.signs, wanted), wanted),
        np.random.default_rng(number),
    )
    field.evaluations = 0
    point = random.standard_normal(2 * corpus.vocab_size)
    for step in 1e-5 * random.standard_normal((3, len(point))):
        wanted = (field.velocity(1.5, point + step) - field.velocity(1.5, point - step)) / 2
        np.testing.assert_allclose(field.jacobian(1.5, point) @ step, wanted, atol=1e-6 * np.abs(wanted).max())


def test_descent_in_one_number_a_token_is_gradient_descent():
    corpus, start, wanted = small(1)
    descent = trained_head.Descent(corpus, [start, start], [False, True])
    points = [start, start]
    for _ in range(20):
        descent.step(0.5)
        for trained, point in enumerate(points):
            slopes = ts.gradients(point, corpus)
            moved = point.output_vector - 0.5 * trained * slopes.output_vector
            points[trained] = trained_head.with_query(point, point.cls_embedding - 0.5 * slopes.cls_embedding, moved)
    np.testing.assert_allclose(descent.scores, [point.token_scores for point in points], atol=1e-12)
    np.testing.assert_allclose(descent.values, [point.token_values for point in points], atol=1e-12)
    found = descent.run([5], wanted)
    np.testing.assert_allclose(found[0], (descent.attention() * wanted).sum(axis=2))


@pytest.mark.parametrize("number", range(4))
def test_the_shortest_vectors_are_those_of_another_solver(number):
    """p* as `ts.max_margin` finds it, v̂ as SLSQP does."""
    corpus, start, wanted = small(number)
    np.testing.assert_allclose(
        trained_head.margin_of(start.embeddings, corpus, wanted), ts.max_margin(start.embeddings, corpus).direction, atol=1e-9
    )
    rows = corpus.signs[:, None] * (wanted @ start.embeddings)
    met = {"type": "ineq", "fun": lambda vector: rows @ vector - 1}
    solved = optimize.minimize(lambda vector: vector @ vector, rows.sum(axis=0), method="SLSQP", constraints=met, tol=1e-14)
    found = head_of(start.embeddings, corpus.signs, wanted)
    np.testing.assert_allclose(found.vector, solved.x, atol=1e-5)
    np.testing.assert_allclose(found.multipliers * corpus.signs @ wanted @ start.embeddings, found.vector, atol=1e-10)
    growth = ts.head_growth(start.token_values, corpus)[wanted.argmax(axis=1)]
    np.testing.assert_allclose(found.margins, growth, rtol=1e-10)
    assert shortest(np.array([[1.0, 0.0], [-1.0, 0.0]])) == (None, None)


@pytest.mark.parametrize("name", trained_head.THEOREMS)
def test_each_theorem_on_a_few_corpora(name):
    found = trained_head.official(name, runs=FEW, seed=8)
    assert found["failures"] == 0, found["failed"]
    assert found["runs"] == FEW <= found["drawn"]
    assert max(count for count, _ in found["checks"].values()) <= FEW


def test_just_outside_the_conclusions_fail():
    """κ from 0.4 to 0.6, without another change: no longer selected, p no longer near p*, the pull ended."""
    inside, outside = (trained_head.along_time(kappa, [10.0]) for kappa in (0.4, 0.6))
    assert inside["end"][0] > 0.999 > 0.95 > outside["end"][0] > 1 / outside["growth"]
    assert inside["end"][1] < 0.001 < 0.1 < outside["end"][1]
    assert inside["end"][2] > 20 > 5 > outside["end"][2]
    assert inside["alone"] == outside["alone"] == [1.0, 0.0]
    inside, outside = (trained_head.across_one(strength) for strength in (0.8, 1.2))
    assert inside["gap"] < 1e-3 < 1e-2 < outside["gap"]


def test_the_checks_of_the_symmetric_theorem_can_fail():
    """Told that a stalling token has κ < ½, the slacks of (a), (c) and (d) are negative."""
    corpus = trained_head.strong_and_weak()
    start, wanted = (
        ts.limit_parameters(corpus, trained_head.with_strength(corpus, 0.8)),
        trained_head.relevant_attention(corpus),
    )
    late, end = trained_head.followed(corpus, start, wanted, [trained_head.LATE, trained_head.END])
    kappa = ts.competition(start.token_values, corpus)
    right = trained_head.slacks_of_symmetric(corpus, start.embeddings, kappa, late, end)
    assert min(right.values()) >= 0
    wrong = trained_head.slacks_of_symmetric(corpus, start.embeddings, np.minimum(kappa, 0.4), late, end)
    assert max(wrong.values()) < 0


def test_what_is_recorded_is_what_runs_give():
    """One κ of the strong token, to the digits kept, and one corpus of the corollary's."""
    stored = recorded("trained_head")
    found = trained_head.along_time(trained_head.KAPPAS[0], np.geomspace(1, 1e8, 60))
    for name, numbers in found.items():
        np.testing.assert_allclose(stored["strong"]["runs"][0][name], numbers, rtol=1e-4, atol=2e-5)
    for name, number in trained_head.lone_in_the_limit(1).items():
        np.testing.assert_allclose(stored["lone"][0][name], number, atol=2e-6)
