import mpmath
import numpy as np
import pytest
from helpers import corpora
from hypothesis import assume, given
from hypothesis import strategies as st

from tokensel_nb import Corpus, one_relevant_token, score_gradients
from tokensel_nb.joint import SharpHead
from tokensel_nb.sharp import SharpAttention


def numbers(corpus, spread, seed):
    random = np.random.default_rng(seed)
    return spread * random.standard_normal(corpus.vocab_size), random.standard_normal(corpus.vocab_size)


def exact(scores, values, corpus):
    """Return ∂L/∂a over its largest entry, the logarithm of that, and ∂L/∂γ: in 60 digits, with any exponent.

    Here q_s (γ_s - f) is the sum over pairs q_s q_t (γ_s - γ_t): the definition would need as many digits as e^spread has.
    """
    with mpmath.workdps(60):
        by_score, by_value = ([mpmath.mpf(0)] * corpus.vocab_size for _ in range(2))
        for row, label, weight in zip(corpus.counts.toarray(), corpus.signs.tolist(), corpus.mean_weights.tolist()):
            held = np.flatnonzero(row).tolist()
            weights = {s: int(row[s]) * mpmath.exp(mpmath.mpf(float(scores[s]))) for s in held}
            total = sum(weights.values())
            if not held:
                continue
            logit = sum(weights[s] * mpmath.mpf(float(values[s])) for s in held) / total
            pull = -label / (1 + mpmath.exp(label * logit)) * mpmath.mpf(weight)
            for s in held:
                pairs = sum(weights[t] * (mpmath.mpf(float(values[s])) - mpmath.mpf(float(values[t]))) for t in held)
                by_score[s] += pull * weights[s] * pairs / total**2
                by_value[s] += pull * weights[s] / total
        unit = max(abs(x) for x in by_score)
        log_unit = float(mpmath.log(unit)) if unit else -np.inf
        array = np.array([float(x / unit) if unit else 0.0 for x in by_score])
        return array, log_unit, np.array([float(x) for x in by_value])


@given(corpus=corpora(classes=(2,)), spread=st.sampled_from([0.0, 1.0, 30.0, 1e4, 1e7]), seed=st.integers(0, 99))
def test_gradients_equal_sixty_digits_at_any_sharpness(corpus, spread, seed):
    scores, values = numbers(corpus, spread, seed)
    wanted, log_unit, by_value = exact(scores, values, corpus)
    attention = SharpAttention(scores, values, corpus)
    array, unit = attention.by_score()
    if log_unit == -np.inf:
        assert not array.any()
        return
    # An error of 1e-16 in the scores, relative, is one of 1e-16 spread in their exponential. Texts may cancel.
    assume(np.abs(array).max() * len(corpus) > 1e-4)
    np.testing.assert_allclose(array / np.exp(log_unit - unit), wanted, atol=1e-10 + 1e-15 * spread)
    array, unit = attention.by_value()
    np.testing.assert_allclose(array * np.exp(unit), by_value, rtol=1e-12 + 1e-15 * spread, atol=1e-300)


@given(corpus=corpora(classes=(2,)), spread=st.sampled_from([1.0, 30.0, 1e3, 1e5]), seed=st.integers(0, 99))
def test_ties_of_value_do_not_hide_the_other_tokens(corpus, spread, seed):
    """Values are -1, 0 or 1, so that most texts have tokens that tie with the top one, often far above all others."""
    scores, values = numbers(corpus, spread, seed)
    values = np.round(values).clip(-1, 1)
    wanted, log_unit, _ = exact(scores, values, corpus)
    array, unit = SharpAttention(scores, values, corpus).by_score()
    if log_unit == -np.inf:
        assert not array.any()
        return
    assume(np.abs(array).max() * len(corpus) > 1e-4)
    np.testing.assert_allclose(array / np.exp(log_unit - unit), wanted, atol=1e-10 + 1e-15 * spread)


@pytest.mark.parametrize(("second", "top"), [(1000.0, 1), (1100.0, 2)])
def test_a_tie_at_the_top_leaves_the_pull_of_what_lies_far_below(second, top):
    """Tokens 0 and 1 agree, and token 2, a thousand nats below both, alone says something else."""
    corpus = Corpus(np.array([[1, 1, 1]]), [1], list("abc"), class_names=("-", "+"))
    array, unit = SharpAttention(np.array([1100.0, second, 0.0]), np.array([1.0, 1.0, -1.0]), corpus).by_score()
    # ∂L/∂a_c = g q_c (f - γ_c), with q_c = e^-1100 over the number of tokens on top and g = σ(-1); all sum to zero.
    assert np.log(array[2]) + unit == pytest.approx(np.log(2 / (1 + np.e)) - 1100 - np.log(top), abs=1e-9)
    assert float(array.sum()) == pytest.approx(0, abs=1e-15)


@given(corpus=corpora(classes=(2,)), seed=st.integers(0, 99))
def test_it_meets_the_other_engine_where_that_is_exact(corpus, seed):
    scores, values = numbers(corpus, 2.0, seed)
    attention = SharpAttention(scores, values, corpus)
    for (array, unit), wanted in zip((attention.by_score(), attention.by_value()), score_gradients(scores, values, corpus)):
        np.testing.assert_allclose(array * np.exp(unit) if array.any() else array, wanted, atol=1e-14)


@given(corpus=corpora(classes=(2,)), seed=st.integers(0, 99))
def test_curvature_equals_finite_differences(corpus, seed):
    scores, values = numbers(corpus, 1.0, seed)
    attention = SharpAttention(scores, values, corpus)
    assume(np.isfinite(attention.log_unit))
    random = np.random.default_rng(seed)
    rows, step = random.standard_normal((corpus.vocab_size, 3)), random.standard_normal(3)

    def gradient(z):
        return rows.T @ score_gradients(scores + rows @ z, values, corpus)[0]

    wanted = (gradient(1e-5 * step) - gradient(-1e-5 * step)) / 2e-5
    found = attention.curvature(rows) * np.exp(attention.log_unit)
    np.testing.assert_allclose(found @ step, wanted, atol=1e-7)


def test_attention_that_is_missed():
    corpus = Corpus([[1, 2, 1], [0, 1, 1], [1, 0, 0]], [1, -1, 1], list("abc"))
    scores = np.array([1000.0, 0.0, -1000.0])
    missed = SharpAttention(scores, np.zeros(3), corpus).log_missed
    # Text 0 misses 2 e^-1000 and text 1 e^-1000; text 2 nothing at all.
    assert missed(np.array([True, False, False, True, False, True])) == pytest.approx(-1000 + np.log(2))
    assert missed(np.array([False, True, False, False, True, False])) == 0
    assert np.isnan(missed(np.zeros(6, bool)))


def test_excess_serves_where_values_lose_their_digits():
    """At M = 1e20 the values hold no differences of order one; at M = 10 both ways must agree."""
    corpus = one_relevant_token(60, 30, 6, 3, seed=0)
    scores, offsets = numbers(corpus, 1.0, 0)
    scores[:6] += 200.0  # attention has closed on the relevant tokens
    direction = np.zeros(30)
    direction[:3], direction[3:6] = 1, -1
    columns = corpus.counts.indices
    signs = np.repeat(corpus.signs, np.diff(corpus.counts.indptr))
    found = []
    for height in (10.0, 1e20):
        excess = signs * offsets[columns] + height * (signs * direction[columns] - 1)
        found.append(SharpHead(scores, height * direction + offsets, corpus, excess))
    plain = SharpAttention(scores, 10.0 * direction + offsets, corpus)
    np.testing.assert_allclose(found[0].log_pulls, plain.log_pulls + 10.0, atol=1e-12)
    np.testing.assert_allclose(found[1].log_pulls, found[0].log_pulls, atol=1e-3)  # σ(-yf) = e^(-yf) up to e^(-10+3)


def test_texts_that_pull_at_nothing_do_not_overflow():
    """One text's two tokens tie in value and in score, while the other text's gradient is exp(-2000): no 0 · inf."""
    corpus = Corpus(np.array([[1, 1, 0, 0], [0, 0, 1, 1]]), [1, -1], list("abcd"))
    attention = SharpAttention(np.array([0.0, 0.0, 2000.0, 0.0]), np.array([1.0, 1.0, -1.0, 1.0]), corpus)
    gradient, log_unit = attention.by_score()
    assert np.isfinite(gradient).all()
    assert gradient[:2].tolist() == [0, 0]
    assert np.isfinite(attention.curvature(np.eye(4))).all()
    # ∂L/∂a of the top token of text 1: -y g/n · q_c (γ_c - f), with γ_c - f = -2 exp(-2000) and g = σ(-1).
    assert np.log(np.abs(gradient[2])) + log_unit == pytest.approx(np.log(2 / 2 / (1 + np.e)) - 2000, abs=1e-9)
