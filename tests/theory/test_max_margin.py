import daqp
import numpy as np
import pytest
from helpers import corpora
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

from experiments.trained_head import mirrored
from tokensel_nb import Corpus, competition, complete_tokens, one_relevant_token, rows_with_values
from tokensel_nb.margin import NotSeparableError, kkt_residual, max_margin, selected_pairs, span


def gaussian(vocab_size, dim, seed):
    return np.random.default_rng(seed).standard_normal((vocab_size, dim)) / np.sqrt(dim)


def oracle(differences):
    """Solve the same problem by another method: an active-set solver of quadratic programs. None if it finds no solution."""
    number, dim = differences.shape
    bounds = np.full(number, 1e30), np.ones(number)  # from above: what daqp takes for infinity
    found, _, flag, _ = daqp.solve(np.eye(dim), np.zeros(dim), differences, *bounds, primal_tol=1e-11, iter_limit=100_000)
    assert flag in (1, -1)
    return found if flag == 1 else None


def certify(solution, embeddings):
    """Check the four KKT conditions of a convex problem: together they prove the solution."""
    differences = embeddings[solution.pairs[:, 0]] - embeddings[solution.pairs[:, 1]]
    gaps = differences @ solution.direction
    norm = np.linalg.norm(solution.direction)
    assert gaps.min() >= 1 - 1e-9
    assert solution.multipliers.min() >= 0
    assert np.linalg.norm(solution.direction - solution.multipliers @ differences) <= 1e-9 * norm
    assert solution.multipliers @ np.abs(gaps - 1) <= 1e-9 * norm**2
    assert solution.residual <= 1e-9


def solve_or_refuse(embeddings, corpus, selection):
    try:
        return max_margin(embeddings, corpus, selection), None
    except NotSeparableError as error:
        return None, error.conflict


@pytest.mark.parametrize("dim", [100, 200, 2048])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_solution_is_certified_and_agrees_with_the_oracle(dim, seed):
    corpus = one_relevant_token(400, 200, 10, 10, seed=seed)
    embeddings = gaussian(200, dim, seed)
    solution = max_margin(embeddings, corpus)
    certify(solution, embeddings)
    assert len(solution.support) == (solution.multipliers > 0).sum() > 20
    basis, coordinates = span(embeddings)
    wanted = basis @ oracle(coordinates[solution.pairs[:, 0]] - coordinates[solution.pairs[:, 1]])
    assert np.linalg.norm(solution.direction - wanted) <= 1e-12 * np.linalg.norm(wanted)


def test_a_common_shift_changes_nothing():
    corpus = one_relevant_token(60, 30, 6, 3, seed=0)
    embeddings = gaussian(30, 20, 0) + 5.0  # a common shift changes no difference
    solution = max_margin(embeddings, corpus)
    certify(solution, embeddings)
    wanted = oracle(embeddings[solution.pairs[:, 0]] - embeddings[solution.pairs[:, 1]])
    assert np.linalg.norm(solution.direction - wanted) <= 1e-12 * np.linalg.norm(wanted)


def test_orthonormal_rows_by_hand():
    """One positive, one negative and m irrelevant tokens in every text: score 1 - b, the others -b, with b = 2/(m + 2)."""
    counts = np.array([[1, 0, 1, 1, 1], [0, 1, 1, 1, 1]])
    solution = max_margin(np.eye(5), Corpus(counts, [1, -1], list("abcde")))
    np.testing.assert_allclose(solution.direction, [0.6, 0.6, -0.4, -0.4, -0.4], atol=1e-14)
    assert solution.margin == pytest.approx(1 / np.sqrt(1.2), rel=1e-14)
    assert solution.multipliers.sum() == pytest.approx(1.2, rel=1e-14)  # they are not unique, but their sum is ‖p*‖²
    assert "of 6 pairs are support" in repr(solution)


@given(corpus=corpora(classes=(2,), min_texts=2), dim=st.integers(1, 9), seed=st.integers(0, 99))
def test_any_selection_is_solved_or_refused(corpus, dim, seed):
    random = np.random.default_rng(seed)
    assume(corpus.lengths.all())
    counts = corpus.counts.toarray()
    selection = np.array([random.choice(np.flatnonzero(row)) for row in counts])
    embeddings = gaussian(corpus.vocab_size, dim, seed)
    wanted = {(r, s) for r, row in zip(selection, counts) for s in np.flatnonzero(row) if s != r}
    assume(wanted)
    solution, conflict = solve_or_refuse(embeddings, corpus, selection)
    if conflict is not None:
        assert {tuple(pair) for pair in conflict} <= wanted
        differences = embeddings[conflict[:, 0]] - embeddings[conflict[:, 1]]
        weights, rest = optimize.nnls(np.vstack([differences.T, np.ones(len(differences))]), np.eye(dim + 1)[-1])
        assert rest <= 1e-8  # these weights sum the differences to zero: no direction can have them all positive
        assert (weights > 0).all()
        assert oracle(np.array([embeddings[r] - embeddings[s] for r, s in sorted(wanted)])) is None
    else:
        assert {tuple(pair) for pair in solution.pairs} == wanted
        assert len(solution.pairs) == len(wanted)
        certify(solution, embeddings)


@pytest.mark.parametrize("slope", [1e-2, 1e-4, 1e-6])
def test_a_margin_may_be_narrow(slope, tiny):
    """Two pairs that nearly conflict: by hand, the direction is upwards, and as long as the slope is small."""
    embeddings = np.array([[0, 0], [1, slope], [-1, slope]])
    solution = max_margin(embeddings, Corpus([[1, 1, 0], [1, 0, 1]], [1, -1], tiny.vocabulary), [1, 2])
    np.testing.assert_allclose(solution.direction * slope, [0, 1], atol=1e-9)
    assert solution.residual <= 1e-9


def test_a_mask_may_select_several_tokens():
    corpus = Corpus(np.array([[1, 1, 1, 0], [0, 0, 2, 1]]), [1, -1], list("abcd"))
    wanted = [[0, 2], [1, 2], [3, 2]]
    np.testing.assert_array_equal(selected_pairs(corpus), wanted)
    mask = np.array([[1, 1, 0, 0], [0, 0, 0, 1]], bool)
    np.testing.assert_array_equal(selected_pairs(corpus, mask), wanted)
    np.testing.assert_array_equal(selected_pairs(corpus, [0, 3]), [[0, 1], [0, 2], [3, 2]])


def test_a_hundred_thousand_pairs():
    corpus = one_relevant_token(4000, 3000, 60, 20, seed=0)
    embeddings = gaussian(3000, 256, 0)
    solution = max_margin(embeddings, corpus)
    assert len(solution.pairs) > 100_000
    assert solution.residual <= 1e-9


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1e9])
def test_the_size_of_the_embeddings_is_only_a_unit(size):
    corpus = one_relevant_token(60, 30, 6, 3, seed=0)
    embeddings = gaussian(30, 40, 0)
    scaled = max_margin(size * embeddings, corpus)
    np.testing.assert_allclose(size * scaled.direction, max_margin(embeddings, corpus).direction, rtol=1e-9, atol=1e-12)
    assert scaled.residual <= 1e-9


@pytest.mark.parametrize(
    ("rows", "multipliers", "residual"),
    [
        ([0.5, 0.5, 0], [2, 2], 0),  # p* = 2, both pairs with a gap of 1
        ([0.5, 0.5, 0], [1, 1], 0.5),
        ([0.5, 0.25, 0], [4, 0], 0.5),
        ([0.5, 0.5, 0], [6, -2], 0.5),
        ([0.5, 1, 0], [0, 2], 0.5),
    ],
    ids=["none", "stationarity", "feasibility", "sign", "complementarity"],
)
def test_the_certificate_sees_each_condition_that_alone_fails(rows, multipliers, residual):
    pairs = np.array([[0, 2], [1, 2]])
    assert kkt_residual(np.array(rows)[:, None], pairs, np.array([2.0]), np.array(multipliers)) == residual


def test_pairs_that_conflict_are_named(tiny):
    with pytest.raises(
        NotSeparableError, match="no direction scores 'film' over 'good', 'good' over 'film' together"
    ) as caught:
        max_margin(np.eye(3), Corpus([[0, 1, 1], [0, 1, 1]], [1, -1], tiny.vocabulary), [1, 2])
    np.testing.assert_array_equal(caught.value.conflict, [[1, 2], [2, 1]])
    on_a_line = np.array([[0.0], [1.0], [2.0]])  # "film" in the middle cannot be on top of both
    with pytest.raises(NotSeparableError, match="'film' over 'bad', 'film' over 'good'"):
        max_margin(on_a_line, Corpus([[1, 1, 1]], [1], tiny.vocabulary, tiny.class_names), [1])


def test_equal_embeddings_cannot_be_told_apart(tiny):
    with pytest.raises(NotSeparableError, match="'good' over 'film'"):
        max_margin(np.ones((3, 4)), Corpus([[0, 1, 1]], [1], tiny.vocabulary, tiny.class_names), [2])


def test_what_would_give_a_wrong_direction_is_refused(tiny):
    embeddings, given_ = np.eye(3), [1, 1, 1]
    for message, bad in {
        "text 2 has no relevant token": (embeddings, tiny),
        "give 3 rows of finite numbers": (embeddings * [[1], [np.nan], [1]], tiny, given_),
        r"embeddings has shape \(2, 3\)": (embeddings[:2], tiny, given_),
        "in a text without this token": (embeddings, tiny, [2, 2, 1]),
        "exceeds matrix dimension": (embeddings, tiny, [2, 3, 1]),
        r"selection has shape \(3, 2\)": (embeddings, tiny, np.ones((3, 2), bool)),
    }.items():
        with pytest.raises(ValueError, match=message):
            max_margin(*bad)


def test_dependent_constraints_are_solved_to_rounding():
    """Corpora that are their own mirror images, in limit rows: their D are dependent, which SciPy's nnls alone gets wrong."""
    for seed in (44, 89, 121, 134, 234, 255, 362, 497, 558):
        random = np.random.default_rng([5, seed])
        corpus, largest = mirrored(random), random.uniform(0.1, 2)
        sizes = np.repeat(random.uniform(0.1, 1, corpus.vocab_size), 2)[: corpus.vocab_size]
        values = complete_tokens(corpus) * sizes
        start = rows_with_values(values * np.sqrt(largest / np.nanmax(competition(values, corpus))))
        assert max_margin(start.embeddings, corpus).residual < 1e-12
