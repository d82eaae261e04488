"""From p = 0, a sufficient dimension and the rate: each part against another form."""

import numpy as np
import pytest
from scipy import optimize

import tokensel_nb as ts
from experiments import from_zero
from experiments.head_flow import Undecided
from experiments.trained_head import until_seen


def test_the_threshold_is_the_certificates_and_its_time_that_of_small_steps():
    corpus, chosen = from_zero.corpus_of([[1, 0, 1], [0, 1, 1]], [1, -1], [1.0, 0.3]), np.array([0, 1])
    start = ts.rows_with_values([0.5, -0.5, 0.0])
    certificate = ts.selection_certificate(start, corpus)
    assert from_zero.threshold(corpus, chosen, start.token_values) == pytest.approx(certificate.threshold, rel=1e-12)
    passed, _, selects = from_zero.followed(corpus, chosen, start)
    assert selects
    for time, certified in zip(np.expm1(passed) * np.array([0.98, 1.02]), (False, True)):
        point = start
        for _ in range(200):
            slope = ts.gradients(point, corpus).cls_embedding
            point = point._replace(cls_embedding=point.cls_embedding - time / 200 * slope)
        assert (certificate.room(point.cls_embedding) > 0) is certified


def test_what_is_promised_by_hand_and_just_outside():
    corpus, chosen = from_zero.corpus_of([[1, 0, 1], [0, 1, 1]], [1, -1]), np.array([0, 1])
    barrier, end = from_zero.promise(corpus, chosen, (0.5, 0.5, 0.0, 0.0))
    # J = 1/4, T = 2, R = 2, μ̂ = ½, c₀ = 1/8, so that B = Y and t₁ = (Y³ - 1)/c₀.
    largest = 1 + 0.125 * 8 / ((np.log(2) - np.log1p(np.exp(-0.5))) / 2)
    assert barrier == pytest.approx(np.log(largest))
    assert end == pytest.approx(np.log(8 * (largest**3 - 1)))
    # J = 1/3 by values and by products; others of the same size; 2 T B ε too large.
    for bounds in ((0.5, 3**-0.5, 0, 0), (0.5, 0.5, 0, 1 / 96), (0.1, 0.3, 0.1, 0), (0.5, 0.5, 0.02, 0)):
        with pytest.raises(Undecided):
            from_zero.promise(corpus, chosen, bounds)


def test_a_draw_has_the_moments_of_wishart_and_values_of_one_size():
    corpus, size, _ = from_zero.standard(1, 3, seed=7)
    random, dim = np.random.default_rng(2), 40
    rows = np.array([from_zero.after_one_step(corpus, size, dim, random).embeddings for _ in range(1000)])
    grams, values = rows[:, :, :-1] @ rows[:, :, :-1].transpose(0, 2, 1), rows[:, :, -1]
    # Standard errors of a mean and of a variance of 1,000 draws, times four.
    np.testing.assert_allclose(grams.mean(axis=0), (1 - 1 / dim) * np.eye(len(grams[0])), atol=4 * np.sqrt(2 / dim / 1000))
    np.testing.assert_allclose(grams.var(axis=0) * dim, 1 + np.eye(len(grams[0])), rtol=0.25)
    np.testing.assert_allclose(values.mean(axis=0), size * ts.complete_tokens(corpus), atol=4 * np.sqrt(1 / dim / 1000))


@pytest.mark.parametrize("number", range(3))
def test_the_constant_minimises_the_function_of_the_theorem(number):
    """As another solver finds it, in all coordinates; and φ̂ is what the gradient of the loss far out says."""
    random = np.random.default_rng([7, number])

    def case():
        corpus, start = from_zero.limit_start(random, number)
        return corpus, start, *from_zero.strictly_active(corpus, start)

    _, (corpus, start, direction, active, sizes) = until_seen(case)
    wanted = from_zero.constant(direction, active, sizes)

    def height(point):
        pulls = sizes * np.exp(-active @ point)
        return pulls.sum() + direction @ point, direction - pulls @ active

    solved = optimize.minimize(height, 0 * wanted, jac=True, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(wanted, from_zero.across(solved.x, direction), atol=1e-6)
    far = ts.Parameters(start.embeddings, 15 * direction + wanted, start.output_vector)
    pull = -ts.gradients(far, corpus).cls_embedding * np.exp(15)
    np.testing.assert_allclose(pull, sizes * np.exp(-active @ wanted) @ active, atol=1e-5 * np.abs(pull).max(), rtol=1e-4)
