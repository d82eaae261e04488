"""Pieces of words: a tokenizer trained on the texts that are learnt from, and counts of its pieces instead of words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from ..corpus.corpus import Corpus

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MARK = "##"
"""What a piece begins with that continues a word: "##ing" in *singing* is another token than "ing" at the beginning."""

UNKNOWN = "[UNK]"


def wordpiece(corpus: Corpus, size: int) -> Tokenizer:
    """Train a WordPiece tokenizer on the words of a corpus, each as often as it occurs.

    It begins with single characters and joins, again and again, the two neighbours that are most frequent.

    Parameters
    ----------
    corpus : Corpus
        Its words are cut, never joined.
    size : int
        Of the vocabulary, with all characters and one token for the unknown.

    Returns
    -------
    tokenizers.Tokenizer
        Of single words; it cuts off the longest beginning that is a piece, and goes on so with the rest.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.subwords import wordpiece
    >>> words = ts.corpus_from_texts(["care, careful, careless", "hope, hopeful, hopeless"], [1, -1])
    >>> wordpiece(words, 34).encode("hopeful").tokens
    ['hope', '##ful']
    """
    from tokenizers import Tokenizer, models, trainers

    occurrences = corpus.counts.sum(axis=0)
    words = dict(zip(corpus.vocabulary[occurrences > 0], occurrences[occurrences > 0]))
    # The trainer would number the characters within words in the order of a hash table, which differs from run to run, and
    # of equally frequent pairs it joins the one with the smaller numbers: so they are numbered here.
    within = [MARK + character for character in sorted(set("".join(words)))]
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[UNKNOWN, *within], show_progress=False)
    tokenizer.train_from_iterator(([word] * int(often) for word, often in words.items()), trainer)
    return tokenizer


def in_pieces(corpus: Corpus, tokenizer: Tokenizer) -> Corpus:
    """Count the pieces of all words of a corpus in place of the words.

    Parameters
    ----------
    corpus : Corpus
    tokenizer : tokenizers.Tokenizer
        As `wordpiece` returns. Words with a character that it has never seen are left out.

    Returns
    -------
    Corpus
        Of all pieces that the tokenizer knows, in alphabetical order, whether they occur or not.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.subwords import in_pieces, wordpiece
    >>> words = ts.corpus_from_texts(["care, careful, careless", "hope, hopeful, hopeless"], [1, -1])
    >>> pieces = in_pieces(words, wordpiece(words, 34))
    >>> pieces.counts[:, [pieces.column("hope"), pieces.column("##ful")]].toarray().tolist()
    [[0, 1], [3, 1]]
    """
    known = tokenizer.get_vocab()
    names = sorted(known.keys() - {UNKNOWN})
    found = tokenizer.encode(corpus.vocabulary.tolist(), is_pretokenized=True)
    shape = corpus.vocab_size, len(known)
    of_words = sparse.coo_array((np.ones(len(found.ids), int), (found.word_ids, found.ids)), shape).tocsc()
    return replace(corpus, counts=corpus.counts @ of_words[:, [known[name] for name in names]], vocabulary=names)
