import numpy as np
import pytest

from tokensel_nb import Corpus, corpus_from_texts, sequences_from_texts, shuffle_labels

TEXTS = ["good film, not bad", "bad", "", "not good not good at all"]
LABELS = [1, -1, 1, -1]


@pytest.fixture
def sequences():
    return sequences_from_texts(TEXTS, LABELS, longest=8)


def words(sequences):
    return [[sequences.vocabulary[token] for token in row if token >= 0] for row in sequences.tokens]


def test_words_stand_in_their_order_and_are_counted(sequences):
    assert words(sequences) == [["good", "film", "not", "bad"], ["bad"], [], ["not", "good", "not", "good", "at", "all"]]
    corpus = corpus_from_texts(TEXTS, LABELS)
    assert (sequences.counts != corpus.counts).nnz == 0
    assert (sequences.vocabulary == corpus.vocabulary).all()


def test_long_texts_are_cut_and_counted_as_they_are_read():
    short = sequences_from_texts(TEXTS, LABELS, longest=2)
    assert words(short) == [["good", "film"], ["bad"], [], ["not", "good"]]
    assert short.lengths.tolist() == [2, 1, 0, 2]


def test_words_that_are_not_kept_leave_no_gap():
    few = sequences_from_texts(TEXTS, LABELS, longest=8, vocabulary=["good", "bad"], tokenizer=str.split)
    assert words(few) == [["good", "bad"], ["bad"], [], ["good", "good"]]


def test_parts_keep_the_order(sequences):
    rows = np.array([3, 0])
    assert words(sequences[rows]) == [words(sequences)[row] for row in rows]
    assert sequences.split(0.5, seed=0)[0].tokens.shape == sequences.balanced(seed=0)[:2].tokens.shape == (2, 8)
    shuffled = shuffle_labels(sequences, seed=1)
    assert (shuffled.tokens == sequences.tokens).all()
    assert sorted(shuffled.labels) == sorted(sequences.labels)


def test_the_order_is_part_of_a_runs_identity(sequences):
    tokens = sequences.tokens.copy()
    tokens[0, :2] = tokens[0, 1::-1]
    turned = Corpus(sequences.counts, sequences.labels, sequences.vocabulary, tokens=tokens)
    assert turned.digest() != sequences.digest() == sequences[:].digest()


def test_tokens_that_do_not_fit_are_refused():
    for tokens in ([[0, 1]], [[0.5, 1.0], [1.0, 1.0]], [[1, 1], [1, -1]], [[0, 7], [1, -1]], [[0, 1], [-1, 1]]):
        with pytest.raises(ValueError, match=r"^tokens (and counts disagree|contains a word after a -1)"):
            Corpus([[1, 1], [0, 1]], [1, -1], ["a", "b"], tokens=tokens)
