import numpy as np
import pytest
from helpers import corpora
from hypothesis import given

from tokensel_nb import Corpus, check_assumption_1, relevant_tokens

WORDS = ["bad", "film", "good", "plot"]


def corpus_of(rows, labels):
    return Corpus(np.array(rows), labels, WORDS)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        ([[0, 1, 1, 0], [0, 1, 0, 0]], [1, -1], "text 1 has no relevant token"),
        ([[0, 1, 1, 1], [1, 1, 0, 0]], [1, -1], "text 0 has 2 relevant tokens, 'good' and 'plot'"),
        ([[1, 0, 1, 1], [0, 1, 0, 0]], [1, -1], "text 0 has 3 relevant tokens, 'bad' and 'good' and others"),
        ([[0, 2, 1, 0], [1, 1, 0, 0]], [1, -1], "'film' is neither relevant nor irrelevant: it occurs in texts"),
        ([[0, 0, 0, 0], [1, 1, 0, 0]], [1, -1], "text 0 has no relevant token"),
    ],
)
def test_the_first_counter_example(rows, labels, message):
    answer = check_assumption_1(corpus_of(rows, labels))
    assert not answer
    assert message in repr(answer)


@given(corpus=corpora(classes=(2,)))
def test_it_agrees_with_the_definition_spelt_out(corpus):
    counts = corpus.counts.toarray()
    complete = [
        any(counts[:, s]) and len(set(corpus.labels[counts[:, s] > 0])) == 1 for s in range(corpus.vocab_size)
    ]  # fmt: skip
    one_each = all(sum(c > 0 and complete[s] for s, c in enumerate(row)) == 1 for row in counts)
    balanced = all(complete[s] or corpus.signs @ counts[:, s] == 0 for s in range(corpus.vocab_size))
    assert bool(check_assumption_1(corpus)) == (one_each and balanced)
    np.testing.assert_array_equal(relevant_tokens(corpus).toarray(), (counts > 0) & np.array(complete))
