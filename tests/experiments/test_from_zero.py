"""From p = 0, a sufficient dimension and the rate: each part against another form, on a few settings, and just outside."""

import numpy as np
import pytest
from scipy import optimize

import tokensel_nb as ts
from experiments import from_zero
from experiments.from_zero import Bounds, FromZero, Setting
from experiments.trained_head import corpus_of
from tokensel_nb.chapters.recorded import recorded


def uneven(size=1.0, weight=1e-3) -> tuple[ts.Corpus, np.ndarray, Setting]:
    """A heavy positive text and a light negative one, each a relevant token beside the same other one."""
    corpus, chosen = corpus_of([[1, 0, 1], [0, 1, 1]], [1, -1], [1.0, weight]), np.array([0, 1])
    return corpus, chosen, Setting(corpus, chosen, np.array([size, -size, 0.0]), np.eye(3))


@pytest.mark.parametrize("number", range(3))
def test_the_flow_in_scores_is_that_of_the_query(number):
    setting, *_ = from_zero.promised(np.random.default_rng([7, number]), number)
    start, flow = setting.parameters, FromZero(setting)
    np.testing.assert_allclose(start.embeddings[:, :-1] @ start.embeddings[:, :-1].T, setting.gram, atol=1e-14)
    query = np.random.default_rng(number).standard_normal(len(start.output_vector))
    there = ts.Parameters(start.embeddings, query, start.output_vector)
    wanted = -start.embeddings @ ts.gradients(there, setting.corpus).cls_embedding
    np.testing.assert_allclose(flow.velocity(there.token_scores), wanted, atol=1e-14)
    assert flow.threshold - flow.room(there.token_scores) == pytest.approx(ts.loss(there, setting.corpus))


def test_the_threshold_is_that_of_the_certificate_and_its_time_that_of_small_steps():
    corpus, _, setting = uneven(0.5, 0.3)
    flow, start = FromZero(setting), setting.parameters
    certificate = ts.selection_certificate(start, corpus)
    assert flow.threshold == pytest.approx(certificate.threshold, rel=1e-12)
    passed, _ = flow.follow(1.0, 5.0)
    times = np.expm1(passed) * np.array([0.99, 1.01])
    for time, certified in zip(times, (False, True)):
        query = start.cls_embedding
        for _ in range(200):
            query = (
                query
                - time / 200 * ts.gradients(ts.Parameters(start.embeddings, query, start.output_vector), corpus).cls_embedding
            )
        assert (certificate.room(query) > 0) is certified


def test_a_few_settings_keep_what_is_promised():
    found = from_zero.all_from_zero(runs=3, seed=8, others=0)
    assert found["failures"] == 0, found["failed"]
    assert found["drawn"] >= 3 == len(found["J"])


def test_just_outside_nothing_is_promised():
    corpus, chosen, _ = uneven(weight=1.0)
    inside = from_zero.promise(corpus, chosen, Bounds(0.5, 0.5, 0.0, 0.0))
    # T = 2, R = 2, μ̂ = ½, by hand.
    room = (np.log(2) - np.log1p(np.exp(-0.5))) / 2
    assert inside.competition == 0.25
    assert inside.log_range == pytest.approx(np.log(1 + 0.125 * 8 / room))
    assert inside.log_barrier == pytest.approx(inside.log_range)
    assert inside.end == pytest.approx(3 * inside.log_range)
    for bounds in (
        Bounds(0.5, np.sqrt(1 / 3), 0.0, 0.0),  # J = 1/3
        Bounds(0.5, 0.5, 0.0, (1 / 3 - 0.25) / 8),  # J = 1/3
        Bounds(0.1, 0.3, 0.1, 0.0),  # others of the same size
        Bounds(0.5, 0.5, 0.02, 0.0),  # 2 T B ε is too large
    ):
        assert from_zero.promise(corpus, chosen, bounds) is None
    worse = from_zero.promise(corpus, chosen, Bounds(0.5, 0.5, 1e-4, 1e-4))
    assert worse.competition > inside.competition
    assert worse.end > inside.end


def test_far_outside_leads_fall_and_noise_in_values_loses_a_token():
    """With k G² = 3 instead of 1/3 the light text's lead falls first; with k G² = 8 and noise selection is lost."""
    _, lead = FromZero(uneven(np.sqrt(3))[2]).follow(1.0, 25.0)
    assert lead < -2
    _, small = FromZero(uneven(0.5)[2]).follow(1.0, 25.0)
    assert small > -1e-9
    assert not from_zero.outside(0, seed=7)


def test_a_draw_is_one_step_on_gaussian_rows():
    """Products and values are those of `ts.embedding_step` on rows with the same factor, with Wishart's moments."""
    dim, case = 40, from_zero.standard(1, 3, seed=7)
    case = from_zero.Standard(case.corpus, case.chosen, case.size, case.rate, dim)
    words = case.corpus.vocab_size
    found = from_zero.after_one_step(case, np.random.default_rng(1))
    random = np.random.default_rng(1)
    factor = np.tril(random.standard_normal((words, words)), -1)
    factor += np.diag(np.sqrt(random.chisquare(dim - 1 - np.arange(words))))
    rows = np.column_stack([factor, random.standard_normal(words)]) / np.sqrt(dim)
    start = ts.Parameters(rows, np.zeros(words + 1), np.eye(words + 1)[-1])
    stepped = ts.embedding_step(start, case.corpus, case.rate)
    np.testing.assert_allclose(found.values, stepped.token_values, atol=1e-14)
    np.testing.assert_allclose(found.gram, rows[:, :-1] @ rows[:, :-1].T, atol=1e-14)
    random = np.random.default_rng(2)
    grams = np.array([from_zero.after_one_step(case, random).gram for _ in range(1000)])
    # Standard errors of a mean and of a variance of 1,000 draws, times four.
    np.testing.assert_allclose(grams.mean(axis=0), (1 - 1 / dim) * np.eye(words), atol=4 * np.sqrt(2 / dim / 1000))
    np.testing.assert_allclose(grams.var(axis=0) * dim, 1 + np.eye(words), rtol=0.25)


def test_the_sufficient_dimension():
    """G is the largest allowed, the step gives it, and d is the package's."""
    for k, length in ((1, 2), (2, 5)):
        case = from_zero.standard(k, length, seed=7)
        values = ts.predicted_values(case.corpus, case.rate)
        np.testing.assert_allclose(np.abs(values[case.chosen]), case.size, rtol=1e-12)
        assert np.abs(values).max() == pytest.approx(case.size)
        assert case.dim == pytest.approx(ts.sufficient_dimension(case.corpus, case.size * (1 - 1e-12)), rel=1e-9)
        with pytest.raises(ValueError, match="too large"):
            ts.sufficient_dimension(case.corpus, 1.001 * case.size)
    found = from_zero.dimension(1, seed=8, corpora=((2, 3),))
    assert found["failures"] == 0
    assert found["runs"] == 1


def cases(number):
    """Yield corpora that meet the hypotheses of the rate."""
    random = np.random.default_rng([7, number])
    while True:
        case = from_zero.strictly_active(*from_zero.limit_start(random, number))
        if case is not None:
            yield case


@pytest.mark.parametrize("number", range(3))
def test_w_minimises_the_function_of_the_theorem(number):
    """As another solver finds it, in all coordinates; and C is what the gradient of the loss far out says."""
    case = next(cases(number))
    wanted = from_zero.across(case)
    shortest = case.direction @ case.direction

    def height(point):
        sizes = case.sizes * np.exp(-case.active @ point)
        return sizes.sum() + case.direction @ point, case.direction - sizes @ case.active

    solved = optimize.minimize(height, 0 * wanted, jac=True, method="BFGS", options={"gtol": 1e-9})
    across = solved.x - (solved.x @ case.direction) / shortest * case.direction
    np.testing.assert_allclose(wanted, across, atol=1e-6)
    far = ts.Parameters(case.start.embeddings, 15 * case.direction + wanted, case.start.output_vector)
    pull = -ts.gradients(far, case.corpus).cls_embedding * np.exp(15)
    sizes = case.sizes * np.exp(-case.active @ wanted)
    np.testing.assert_allclose(pull, sizes @ case.active, atol=1e-5 * np.abs(pull).max(), rtol=1e-4)


def test_a_few_rates():
    for number in range(2):
        found = from_zero.one_rate(number, seed=8)
        assert found["error"] < 1e-4 > found["of w"]
        assert not found["tiny"]


def test_the_example_with_a_zero_multiplier_is_not_bounded():
    """It solves dx/d log t = e^(-x) C₂/C₁ in the end, so that x - log log t tends to zero for C₁ = C₂."""
    found = from_zero.log_log(records=400, length=3e3)
    logs, beside = np.array(found["log t"]), np.array(found["orthogonal"])
    assert beside[-1] > beside[len(beside) // 2] + 2
    late = logs > 500
    np.testing.assert_allclose(beside[late], np.log(logs[late]), atol=0.03)


def test_what_is_recorded_is_what_runs_give():
    stored = recorded("from_zero")
    found = from_zero.from_zero(0)
    for name in ("J", "log B", "log t/t1", "least lead"):
        assert stored["from zero"][name][0] == pytest.approx(found[name], abs=2e-3)
    compared = from_zero.one_rate(0)
    assert stored["rate"]["found"][0] == pytest.approx(compared["found"], rel=1e-3)
