"""The level of errors: the system of leads against the flow, what lies just outside, and each part on a few corpora."""

import numpy as np
import pytest
from scipy import integrate

import tokensel_nb as ts
from experiments import error_level

SEED = 7


def example(many, size, irrelevant, error, begin):
    """The example's corpus, its rows, and a start with these leads; the lone token is the last relevant one."""
    relevant = 2 * many
    counts = np.hstack([np.eye(relevant, dtype=int), np.ones((relevant, irrelevant), int)])
    labels = np.repeat([1, -1], many)
    products = np.eye(relevant + irrelevant)
    products[:relevant, :relevant] -= error
    products[relevant - 1, relevant - 1] += 2 * error * (many == 1)
    values = np.r_[size * labels, np.zeros(irrelevant)]
    rows = np.column_stack([np.linalg.cholesky(products), values])
    scores = np.r_[np.repeat([begin[1], begin[2]], many), np.zeros(irrelevant)]
    scores[relevant - 1] = begin[0]
    query = np.r_[np.linalg.solve(rows[:, :-1], scores), 0]
    return error_level.corpus_of(counts, labels), ts.Parameters(rows, query, np.eye(len(query))[-1])


@pytest.mark.parametrize(("many", "size", "error"), [(1, 1.0, 0.6), (2, 0.5, 0.14), (3, 3.0, 0.05)])
def test_the_leads_are_those_of_the_flow(many, size, error):
    """In time, by the package's gradients."""
    begin, irrelevant, until = (-3.0, 2.0, 1.0), 12, 200.0
    corpus, start = example(many, size, irrelevant, error, begin)

    def velocity(_, query):
        return -ts.gradients(ts.Parameters(start.embeddings, query, start.output_vector), corpus).cls_embedding

    path = integrate.solve_ivp(velocity, (0, until), start.cls_embedding, "LSODA", rtol=1e-8, atol=1e-8)
    scores = start.embeddings @ path.y[:, -1]
    leads = scores[[2 * many - 1, 0, many]] - scores[-1]
    found = error_level.Lone(many, size, irrelevant, error).leads(np.log1p(until), begin)
    np.testing.assert_allclose(found[: min(many + 1, 3)], leads[: min(many + 1, 3)], atol=1e-4)
    assert found[1] > begin[1] + 1


def test_a_path_that_loses_a_text_ends_badly():
    corpus, start = example(1, 1.0, 40, 0.65, (-30.0, 10.0, 10.0))
    assert not error_level.ends_well(corpus, start, lengths=(1e3,))


def test_paths_have_more_tokens_than_dimensions_and_one():
    for number in (0, 1, 2, 39):
        corpus, start = error_level.drawn_path(number, SEED)
        assert corpus.vocab_size > start.embeddings.shape[1] + 1
