"""Several relevant tokens in a text: directions against a general solver, what is drawn, and a few paths of each kind."""

import numpy as np
import pytest
from scipy import optimize

from experiments import several

SEED = 7


def shortest(start, corpus, selected, relevant, equal):
    """Solve the margin problem by SLSQP; jointly selected tokens may have to score the same."""
    rows, above, same = start.embeddings, [], []
    for text, row in enumerate(corpus.counts.toarray()):
        chosen = np.flatnonzero(selected[text])
        above += [rows[r] - rows[s] for r in chosen for s in np.flatnonzero((row > 0) & ~relevant[text])]
        same += [rows[chosen[0]] - rows[r] for r in chosen[1:]]
    rules = [{"type": "ineq", "fun": lambda p: np.array(above) @ p - 1, "jac": lambda p: np.array(above)}]
    if equal and same:
        basis = np.linalg.svd(np.array(same), full_matrices=False)[2][: np.linalg.matrix_rank(np.array(same))]
        rules.append({"type": "eq", "fun": lambda p: basis @ p, "jac": lambda p: basis})
    begin = np.random.default_rng(0).standard_normal(rows.shape[1])
    found = optimize.minimize(lambda p: p @ p / 2, begin, jac=lambda p: p, method="SLSQP", constraints=rules)
    assert found.success
    return found.x


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("equal", [False, True])
def test_the_direction_where_all_share_is_a_general_solvers(number, equal):
    """With equality of the joint scores and without: it is the same problem where all share."""
    corpus, start = several.drawn("alone", number, SEED)
    assert several.outcome("alone", number, SEED)["all"]
    relevant = (corpus.counts.toarray() > 0) & (start.token_values != 0)
    right = several.right_direction(start, corpus, relevant)
    expected = shortest(start, corpus, relevant, relevant, equal)
    np.testing.assert_allclose(right, expected, atol=1e-5 * np.linalg.norm(right))


def test_equal_tokens_that_are_not_selected_set_no_rule():
    corpus, start = several.drawn("together", 0, SEED)
    relevant = (corpus.counts.toarray() > 0) & (start.token_values != 0)
    first = relevant & (np.cumsum(relevant, axis=1) == 1)
    right = several.right_direction(start, corpus, first)
    np.testing.assert_allclose(right, shortest(start, corpus, first, relevant, False), atol=1e-5 * np.linalg.norm(right))
