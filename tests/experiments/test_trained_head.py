"""Query and head trained together: the flow, its derivative and the head against other forms, and checks that can fail."""

import numpy as np
import pytest
from scipy import optimize

import tokensel_nb as ts
from experiments import trained_head
from experiments.head_flow import HeadFlow, follow, followed, head_of


def small(number):
    """A corpus with limit rows, values and a start that are not special, and the attention of selection."""
    random = np.random.default_rng([7, number])
    corpus = trained_head.with_one_relevant(random)
    start = ts.rows_with_values(trained_head.drawn_values(corpus, random, 0.7))
    start = start._replace(cls_embedding=0.3 * random.standard_normal(len(start.output_vector)))
    return corpus, start, trained_head.relevant_attention(corpus)


@pytest.fixture(scope="module")
def small_steps():
    """Plain gradient descent for a time of 20, in steps of 0.08 and 0.04, and what both say of steps of zero."""
    corpus, start, _ = small(0)
    ends = []
    for steps in (250, 500):
        point = start
        for _ in range(steps):
            slopes = ts.gradients(point, corpus)
            moved = (part - 20 / steps * slope for part, slope in zip(point[1:], slopes[1:]))
            point = ts.Parameters(start.embeddings, *moved)
        ends.append(np.concatenate(point[1:]))
    return 2 * ends[1] - ends[0]


@pytest.mark.parametrize("split", ["selection", "nothing", "velocity"])
def test_the_flow_is_the_limit_of_small_steps(split, small_steps):
    """In whatever coordinates; steps leave an error of the second order, 2e-4 here."""
    corpus, start, wanted = small(0)
    until = [np.log(21)]
    (found,) = {
        "selection": lambda: followed(corpus, start, wanted, until),
        "nothing": lambda: HeadFlow(corpus, start, np.zeros(corpus.vocab_size)).follow(until),
        "velocity": lambda: follow(corpus, start, [1.0, *until])[1:],
    }[split]()
    np.testing.assert_allclose(np.r_[found.query, found.output], small_steps, atol=2e-4)


def test_the_derivative_equals_finite_differences():
    (corpus, start, _), random = small(0), np.random.default_rng(0)
    field = HeadFlow(corpus, start, random.standard_normal(corpus.vocab_size))
    field.evaluations, point = 0, random.standard_normal(2 * corpus.vocab_size)
    for step in 1e-5 * random.standard_normal((3, len(point))):
        change = (field.velocity(1.5, point + step) - field.velocity(1.5, point - step)) / 2
        np.testing.assert_allclose(field.jacobian(1.5, point) @ step, change, atol=1e-6 * np.abs(change).max())


@pytest.mark.parametrize("number", range(4))
def test_the_shortest_head_is_that_of_another_solver(number):
    corpus, start, wanted = small(number)
    rows = corpus.signs[:, None] * (wanted @ start.embeddings)
    met = {"type": "ineq", "fun": lambda vector: rows @ vector - 1}
    solved = optimize.minimize(lambda vector: vector @ vector, rows.sum(axis=0), method="SLSQP", constraints=met, tol=1e-14)
    found = head_of(start.embeddings, corpus.signs, wanted)
    np.testing.assert_allclose(found.vector, solved.x, atol=1e-5)
    np.testing.assert_allclose(found.multipliers @ rows, found.vector, atol=1e-10)
    growth = ts.head_growth(start.token_values, corpus)[wanted.argmax(axis=1)]
    np.testing.assert_allclose(found.margins, growth, rtol=1e-10)


@pytest.mark.parametrize("trained", [False, True])
def test_descent_in_one_number_a_token_is_gradient_descent(trained):
    corpus, point, _ = small(1)
    for attention in trained_head.descend(point, corpus, trained, range(20)):
        np.testing.assert_allclose(attention, ts.attention(point, corpus).toarray(), atol=1e-12)
        slopes = ts.gradients(point, corpus)
        output = point.output_vector - trained_head.STEP * trained * slopes.output_vector
        point = ts.Parameters(point.embeddings, point.cls_embedding - trained_head.STEP * slopes.cls_embedding, output)


def test_the_checks_of_the_symmetric_theorem_can_fail():
    """Told that a stalling token has κ < ½, (a), (c) and (d) fail."""
    corpus = trained_head.strong_and_weak()
    start = ts.limit_parameters(corpus, trained_head.with_strength(corpus, 0.8))
    ends = followed(corpus, start, trained_head.relevant_attention(corpus), [trained_head.LATE, trained_head.END])
    kappa = ts.competition(start.token_values, corpus)
    assert all(trained_head.checks_of_symmetric(corpus, start, kappa, *ends).values())
    assert not any(trained_head.checks_of_symmetric(corpus, start, np.minimum(kappa, 0.4), *ends).values())
