"""The level of errors against the matrices of its proof, the dimension against the theorem that it is derived from."""

import numpy as np
import pytest
from scipy import optimize

from tokensel_nb import Corpus, allowed_error, check_assumption_1, sufficient_dimension


def sleeper_falls(error, many, size):
    """How fast the sleeper's lead falls as the others' grow like log t, over log t, by the leads' matrix for N → ∞."""
    # Pulls on the k allies (value G) and on the k - 1 others of the sleeper's label (-G) move every lead by the products of
    # two D: 1 for one's own, γγ' for values, and the error.
    square = size**2
    ally = [1 + many * (square - error), (many - 1) * (-square - error)]
    own = [many * (-square - error), 1 + (many - 1) * (square - error)]
    kinds = 2 if many > 1 else 1
    pulls = np.linalg.solve(np.array([ally, own])[:kinds, :kinds], np.ones(kinds))
    return -np.array([many * (-square - error), (many - 1) * (square - error)])[:kinds] @ pulls


@pytest.mark.parametrize("size", [0.1, 0.5, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("many", [1, 2, 3, 5])
def test_the_level_is_where_a_sleeper_falls_as_fast_as_others_rise(many, size):
    end = 0.7 if many == 1 else 0.5 / many
    border = optimize.brentq(lambda error: sleeper_falls(error, many, size) - 1, 0, end, xtol=1e-14)
    np.testing.assert_allclose(allowed_error(many, size), border, rtol=1e-9)


@pytest.mark.parametrize("many", [1, 2, 3, 10])
def test_the_limits_of_the_level(many):
    levels = [allowed_error(many, size) for size in (1e-200, 0.1, 1.0, 10.0, 1e200)]
    np.testing.assert_allclose(levels[0], 1 / (4 * many - 2), rtol=1e-12)
    np.testing.assert_allclose(levels[-1], 0.5 if many == 1 else 1 / (4 * many), rtol=1e-12)
    assert (np.diff(levels) <= 0).all()


def mirrored(many, copies, others, weights=None):
    """Tokens 0 to k - 1 positive, k to 2k - 1 negative, each in so many texts with all the same other tokens."""
    relevant = np.repeat(np.arange(2 * many), copies)
    counts = np.hstack([np.eye(2 * many, dtype=int)[relevant], np.tile(others, (len(relevant), 1))])
    words = [f"word{s}" for s in range(counts.shape[1])]
    return Corpus(counts, np.where(relevant < many, 1, -1), words, weights=weights)


def softplus(x):
    return np.logaddexp(0, -x)


@pytest.mark.parametrize("seed", range(20))
def test_the_dimension_keeps_the_hypotheses_of_the_theorem_from_zero(seed):
    """A hundred corpora each: with what d normal entries leave of errors, J < 1/3 and the bound on B hold."""
    random = np.random.default_rng(seed)
    for _ in range(100):
        many, copies, others = random.integers(1, 6), random.integers(1, 5), random.integers(1, 9, random.integers(1, 6))
        corpus, failure = mirrored(many, copies, others), 0.5 * random.uniform(1e-6, 1)
        length, tokens, texts = others.sum() + 1, 2 * many + len(others), 2 * many * copies
        share = copies / texts / length
        most = 1 / np.sqrt(2 * many * np.log(8 + 11 * copies * 2 * many * length**3))
        size = most * random.choice([0.999, random.uniform(1e-3, 1)])
        dim = sufficient_dimension(corpus, size, failure)
        events = np.log(tokens * (tokens + 2) / failure)
        error, noise = 2 * np.sqrt(events / dim) + (2 * events + 1) / dim, np.sqrt(2 * events / dim)
        off = noise * (1 + size * max(others.max() / length, share) / share / 2)
        low, high = size - off, size + off
        turn = many * ((high + off) * (high + 2 * off) + 8 * error)
        pace = (high + off) * copies / texts * (length - 1) / 2
        least = (softplus(off) - softplus(low)) / texts
        growth = (1 - 4 * many * error) ** 2 / (1 + 2 * many * error)
        far = 1 + pace * 2 * many * length**2 / (growth * least)
        assert off < low
        assert 4 * many * error < 1
        assert turn < 1 / 3
        assert 2 * length * off * far ** (turn / (1 - 3 * turn)) <= low + off


def test_weights_count():
    """A lighter text asks for more; one factor for all weights changes nothing."""
    plain, scaled, light = (mirrored(1, 2, [1, 2], weights) for weights in (None, [2.0] * 4, [1.0, 3.0, 3.0, 1.0]))
    assert sufficient_dimension(plain, 0.2) == sufficient_dimension(scaled, 0.2) < sufficient_dimension(light, 0.2)


def test_a_value_that_is_too_large_is_answered_by_the_largest():
    corpus = mirrored(2, 3, [1, 1])
    with pytest.raises(ValueError, match="at most") as raised:
        sufficient_dimension(corpus, 1.0)
    largest = float(str(raised.value).split()[-1])
    assert sufficient_dimension(corpus, largest) > 0
    with pytest.raises(ValueError, match="at most"):
        sufficient_dimension(corpus, largest + 1e-4)


def test_a_corpus_without_the_conditions_is_refused():
    words = ["good", "bad", "film"]
    weighed = Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], words, weights=[1.0, 2.0])
    assert check_assumption_1(weighed)
    cases = {
        "no relevant token": Corpus([[1, 1], [0, 2]], [1, -1], words[:2]),
        "one length": Corpus([[1, 0, 1], [0, 2, 1]], [1, -1], words),
        "at least 2": Corpus([[1, 0], [0, 1]], [1, -1], words[:2]),
        "its weights": weighed,
        "differ in the size": Corpus(
            [[1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]], [1, 1, -1, -1], ["good", "bad", "poor", "film"]
        ),
    }
    for words, corpus in cases.items():
        with pytest.raises(ValueError, match=words):
            sufficient_dimension(corpus, 0.1)
