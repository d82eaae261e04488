from collections import Counter

import pytest

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


def test_pieces_of_a_word_spell_the_word(words, tokenizer):
    for word in words.vocabulary:
        first, *rest = tokenizer.encode(word).tokens
        assert not first.startswith(MARK)
        assert all(piece.startswith(MARK) for piece in rest)
        assert first + "".join(piece.removeprefix(MARK) for piece in rest) == word


def test_training_again_finds_the_same_pieces(words, tokenizer):
    # The library counts in hash tables whose order differs from one to the next: ten trainings would show it.
    assert [wordpiece(words, SIZE).get_vocab() for _ in range(10)] == [tokenizer.get_vocab()] * 10


def test_pieces_are_counted_as_the_tokenizer_cuts_every_text(words, tokenizer):
    pieces = in_pieces(words, tokenizer)
    assert pieces.labels.tolist() == words.labels.tolist()
    for text, counts in zip(TEXTS, pieces.counts.toarray()):
        cut = [piece for word in text.split() for piece in tokenizer.encode(word).tokens]
        assert dict(zip(pieces.vocabulary[counts > 0], counts[counts > 0])) == Counter(cut)
