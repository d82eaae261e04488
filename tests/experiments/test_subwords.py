from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.subwords import MARK, in_pieces, wordpiece
from tokensel_nb import corpus_from_texts

TEXTS = ["care careful careless", "hope hopeful hopeless", "use useful useless", "care hope use"]
LABELS = [1, -1, 1, -1]
SIZE = 36  # enough for some pieces of several letters, too few for every word


@pytest.fixture(scope="module")
def words():
    return corpus_from_texts(TEXTS, LABELS)


@pytest.fixture(scope="module")
def tokenizer(words):
    return wordpiece(words, SIZE)


def test_the_vocabulary_has_the_size_that_was_asked_for(tokenizer):
    known = tokenizer.get_vocab()
    assert len(known) == SIZE
    assert max(map(len, known)) > 1 + len(MARK)


def test_pieces_of_a_word_spell_the_word(words, tokenizer):
    for word in words.vocabulary:
        first, *rest = tokenizer.encode(word).tokens
        assert not first.startswith(MARK)
        assert all(piece.startswith(MARK) for piece in rest)
        assert first + "".join(piece.removeprefix(MARK) for piece in rest) == word


def test_training_again_finds_the_same_pieces(words, tokenizer):
    # The library counts in hash tables whose order differs from one to the next: ten trainings would show it.
    assert [wordpiece(words, SIZE).get_vocab() for _ in range(10)] == [tokenizer.get_vocab()] * 10


def test_a_frequent_word_is_one_piece():
    words = corpus_from_texts(["wonderful " * 50 + "waterfall under full"], [1], class_names=("-1", "+1"))
    assert wordpiece(words, 35).encode("wonderful").tokens == ["wonderful"]


def test_words_that_do_not_occur_teach_nothing(words):
    half = words[:2]  # neither "use" nor its relatives
    assert half.vocab_size == words.vocab_size
    expected = wordpiece(corpus_from_texts(TEXTS[:2], LABELS[:2]), SIZE)
    assert wordpiece(half, SIZE).get_vocab() == expected.get_vocab()


def test_pieces_are_counted_as_the_tokenizer_cuts_every_text(words, tokenizer):
    pieces = in_pieces(words, tokenizer)
    assert pieces.labels.tolist() == words.labels.tolist()
    for text, counts in zip(TEXTS, pieces.counts.toarray()):
        cut = [piece for word in text.split() for piece in tokenizer.encode(word).tokens]
        assert dict(zip(pieces.vocabulary[counts > 0], counts[counts > 0])) == Counter(cut)


def test_a_beginning_and_a_continuation_of_the_same_letters_are_two_tokens():
    words = corpus_from_texts(["ab", "cab"], [1, -1])
    pieces = in_pieces(words, wordpiece(words, 9))
    first, rest = pieces.column("ab"), pieces.column(MARK + "ab")
    assert pieces.counts[:, [first, rest]].toarray().tolist() == [[1, 0], [0, 1]]


def test_a_word_with_an_unknown_character_is_left_out(tokenizer):
    assert in_pieces(corpus_from_texts(["quiz", "care"], [1, -1]), tokenizer).lengths.tolist()[0] == 0


@settings(max_examples=20, deadline=None)  # a training each
@given(st.lists(st.text("abcé", min_size=2, max_size=8), min_size=2, max_size=20), st.integers(0, 40))
def test_no_letter_is_lost_or_added(texts, size):
    words = corpus_from_texts(texts, [1] * len(texts), class_names=("-1", "+1"), tokenizer=str.split)
    pieces = in_pieces(words, wordpiece(words, size))
    letters = [len(piece.removeprefix(MARK)) for piece in pieces.vocabulary]
    assert (pieces.counts @ np.array(letters)).tolist() == [len(text) for text in texts]
