"""Pieces of words: a tokenizer trained on the texts that are learnt from, and counts of its pieces instead of words."""

from dataclasses import replace

import numpy as np
from scipy import sparse
from tokenizers import Tokenizer, models, trainers

import tokensel_nb as ts

MARK = "##"  # what a piece begins with that continues a word: "##ing" in *singing* is another token than "ing" at the beginning
UNKNOWN = "[UNK]"


def wordpiece(corpus: ts.Corpus, size: int) -> Tokenizer:
    """Train a WordPiece tokenizer of so many tokens on the words of a corpus, each as often as it occurs."""
    # It begins with single characters and joins, again and again, the two neighbours that are most frequent. Of a word it cuts
    # off the longest beginning that is a piece, and goes on so with the rest.
    occurrences = corpus.counts.sum(axis=0)
    words = dict(zip(corpus.vocabulary[occurrences > 0], occurrences[occurrences > 0]))
    # The trainer would number the characters within words in the order of a hash table, which differs from run to run, and
    # of equally frequent pairs it joins the one with the smaller numbers: so they are numbered here.
    within = [MARK + character for character in sorted(set("".join(words)))]
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=[UNKNOWN, *within], show_progress=False)
    tokenizer.train_from_iterator(([word] * int(often) for word, often in words.items()), trainer)
    return tokenizer


def in_pieces(corpus: ts.Corpus, tokenizer: Tokenizer) -> ts.Corpus:
    """Count, in place of the words, all pieces that a tokenizer knows; words with a character that it does not are left out."""
    known = tokenizer.get_vocab()
    names = sorted(known.keys() - {UNKNOWN})
    cut = tokenizer.encode(corpus.vocabulary.tolist(), is_pretokenized=True)
    shape = corpus.vocab_size, len(known)
    pieces_of_words = sparse.coo_array((np.ones(len(cut.ids), int), (cut.word_ids, cut.ids)), shape).tocsc()
    columns = [known[name] for name in names]
    return replace(corpus, counts=corpus.counts @ pieces_of_words[:, columns], vocabulary=names)
