import numpy as np
import pytest
from tokensel_nb.models.base import check_finite, probabilities_of_logits
from tokensel_nb.models.textbook import tokens_in_order, tokens_of

from tokensel_nb import init_parameters


def test_probabilities_of_far_logits_are_exact():
    assert probabilities_of_logits(np.array([0.0, 800.0])).tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert probabilities_of_logits(np.array([[800.0, 800.0, 0.0]])).tolist() == [[0.5, 0.5, 0.0]]


def test_a_result_that_overflows_is_refused_and_what_it_came_of_is_named():
    parameters = init_parameters(3, 2, seed=0)
    assert check_finite(1.0, parameters) == 1.0
    message = r"^learning_rate=1e\+300, embeddings, cls_embedding, output_vector: the result overflows float32; give smaller"
    with pytest.raises(ValueError, match=message):
        check_finite(np.inf, parameters, learning_rate=1e300)
    parameters.embeddings[0, 1] = np.nan
    with pytest.raises(ValueError, match=r"embeddings holds a value that is not finite, nan at \[0, 1\]"):
        check_finite(np.inf, parameters)


def test_tokens_of_the_textbook(tiny):
    rows = tokens_of(tiny).tolist()
    counts = tiny.counts.toarray()
    assert [[row.count(column) for column in range(3)] for row in rows] == counts.tolist()
    assert all(row == sorted(row, key=lambda token: (token < 0, token)) for row in rows), "in columns' order, then padding"
    assert tokens_in_order(["A good, good film!", "bad"], ["bad", "film", "good"]).tolist() == [[2, 2, 1], [0, -1, -1]]
