"""What the chapter on the flow shows for a few seeds, for as many as it takes to speak of any."""

import numpy as np
import pytest

from tokensel_nb import embedding_step, gradient_flow, init_parameters, limit_parameters, max_margin, one_relevant_token

pytestmark = pytest.mark.long
ARC_LENGTH = 1e6  # how far p travels: 1 - cos falls like its inverse square


def ends_at_the_max_margin_direction(start, corpus, tolerance):
    """Assert that attention selects in every text, and that p turns to p*."""
    path = gradient_flow(start, corpus, ARC_LENGTH, records=2, tolerance=tolerance)
    assert np.exp(path.log_missed[-1]) <= 1e-12
    assert path.distance_to(max_margin(start.embeddings, corpus).direction)[-1] <= 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_twenty_corpora(seed):
    """|S| = 200, n = 400, d = 2,048, one step of size 80; every corpus with embeddings of its own."""
    corpus = one_relevant_token(400, 200, 10, 10, seed)
    start = embedding_step(init_parameters(200, 2048, seed, dtype="float64"), corpus, 80.0)
    ends_at_the_max_margin_direction(start, corpus, tolerance=1e-6)


@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_starts(seed):
    """24 texts, 16 tokens, in the limit of d; p starts normal with standard deviation 3 in each of its 17 coordinates."""
    corpus = one_relevant_token(24, 16, 5, 2, 0)
    query = 3 * np.random.default_rng(seed).standard_normal(17)
    start = limit_parameters(corpus, 20.0)._replace(cls_embedding=query)
    ends_at_the_max_margin_direction(start, corpus, tolerance=1e-5)
