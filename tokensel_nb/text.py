"""From texts to counts: split into words, choose a vocabulary, count."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.lib import StringBuilder
from scipy import sparse
from tqdm import tqdm

from .corpus import Corpus, counted

# The soft hyphen and the joiners, which are invisible: a word with them is the same word as without.
INVISIBLE = "\u00ad\u200c\u200d\u2060\ufeff"
# Between words: a line break in HTML, or any character that is not a letter, a mark, a digit or an underscore. Marks include
# the vowel signs of Hindi, Arabic and Thai, but not the variation selectors of emoji.
SEPARATORS = rf"<[bB][rR]\s*/?>|[^\p{{L}}\p{{M}}\p{{N}}_{INVISIBLE}]|[\x{{fe00}}-\x{{fe0f}}]"
GONE = dict.fromkeys(map(ord, INVISIBLE))
CHUNK = 4096  # texts between two updates of the progress bar


def corpus_from_texts(texts, labels, *, vocabulary=None, min_count=1, max_words=None, tokenizer=None, class_names=()) -> Corpus:
    """Count the words of labelled texts.

    Parameters
    ----------
    texts : sequence of str, length n
    labels : sequence, length n
        Numbers or names of classes; see `Corpus`.
    vocabulary : sequence of str, optional
        Count only these words, in this order; of two spellings of one word, the first. Give the training set's vocabulary when
        you read a test set. By default all words of at least two characters that occur ``min_count`` times in ``texts``,
        sorted.
    min_count : int
        See ``vocabulary``.
    max_words : int, optional
        Keep only this many words: the most frequent ones, and of equally frequent ones the first in the alphabet.
    tokenizer : callable, optional
        From a lower-case text to its words, a list of str, which are taken as they are. By default words are runs of letters,
        marks, digits and underscores in lower case. Spellings that differ only in how an accent is encoded, or in invisible
        characters, such as soft hyphens, are one word.
    class_names : optional
        See `Corpus`.

    Returns
    -------
    Corpus
        A text without any word of the vocabulary is kept as a row of zeros; the ``repr`` counts such texts.

    Raises
    ------
    ValueError
        If a text is not a string, no word is left, or a label doesn't name a class.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["Good, good film!", "A bad film"], ["pos", "neg"])
    >>> corpus
    Corpus(2 texts, 3 words, 5 tokens; neg: 1, pos: 1)
    >>> corpus.vocabulary.tolist(), corpus.counts.toarray().tolist()
    (['bad', 'film', 'good'], [[0, 1, 2], [1, 1, 0]])
    """
    rows, columns, vocabulary, number = _read(texts, vocabulary, min_count, max_words, tokenizer)
    counts = sparse.coo_array((np.ones(len(rows), np.int32), (rows, columns)), (number, len(vocabulary)))
    return Corpus(counts, labels, vocabulary, class_names)


def sequences_from_texts(texts, labels, *, longest, class_names=(), **options) -> Corpus:
    """Read the first words of labelled texts, in order.

    Parameters
    ----------
    texts, labels
        As in `corpus_from_texts`.
    longest : int
        The largest number of words that are read of a text.
    class_names : optional
        See `Corpus`.
    **options
        ``vocabulary``, ``min_count``, ``max_words``, ``tokenizer`` of `corpus_from_texts`. Other words leave no gap.

    Returns
    -------
    Corpus
        With ``tokens``.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["Good, good film!", "A bad film"], ["pos", "neg"], longest=2)
    >>> texts, texts.tokens.tolist()
    (Corpus(2 texts, 3 words, 4 tokens; neg: 1, pos: 1), [[2, 2], [0, 1]])
    """
    rows, columns, vocabulary, number = _read(texts, **options)
    places = np.arange(len(rows)) - np.searchsorted(rows, rows)  # of every word in its text
    tokens, read = np.full((number, longest), -1, np.int32), places < longest
    tokens[rows[read], places[read]] = columns[read]
    return Corpus(counted(tokens, len(vocabulary)), labels, vocabulary, class_names, tokens=tokens)


def _read(texts, vocabulary=None, min_count=1, max_words=None, tokenizer=None):
    """Return the text and the column of every known word, in order, the vocabulary, and the number of texts."""
    lengths, codes, words = encode(list(texts), partial(split, tokenizer=tokenizer))
    one_form = lower if tokenizer is None else str
    words = list(map(one_form, words))
    if vocabulary is None:
        vocabulary = choose_words(np.bincount(codes, minlength=len(words)), words, min_count, max_words)
    column_of = {one_form(word): column for column, word in reversed([*enumerate(vocabulary)])}
    columns = np.array([column_of.get(word, -1) for word in words], np.int32)[codes]
    rows, known = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), columns >= 0
    return rows[known], columns[known], vocabulary, len(lengths)


def encode(texts, split):
    """Return the number of words of every text, the codes of all words in order, and the word of every code."""
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {row} is {text!r:.60}, not a string; drop it or replace it with ''")
    if not texts:
        raise ValueError("there are no texts; give at least one")
    chunks = [texts[begin : begin + CHUNK] for begin in range(0, len(texts), CHUNK)]
    cut = [split(chunk) for chunk in tqdm(chunks, desc="Counting words", unit="chunk", delay=2)]
    lengths = np.concatenate([np.from_dlpack(words.value_lengths()) for words in cut])
    encoded = pa.chunked_array([words.flatten().dictionary_encode() for words in cut]).unify_dictionaries()
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in encoded.chunks])
    return lengths, codes, encoded.chunk(0).dictionary.to_pylist()


def split(texts, tokenizer=None):
    """Return the words of texts as written, or a tokenizer's words of the lower-case texts, as an Arrow list array."""
    if tokenizer is not None:
        return pa.array([list(tokenizer(text)) for text in pc.utf8_lower(strings(texts)).to_pylist()], pa.list_(pa.string()))
    return pc.ascii_split_whitespace(pc.replace_substring_regex(strings(texts), SEPARATORS, " "))


def lower(word):
    """Return a word in lower case (including final sigmas) and composed form (NFC), without invisible characters."""
    return word.lower() if word.isascii() else normalize("NFC", word.translate(GONE).lower())


def strings(texts):
    """Return strings as an Arrow array; `pyarrow.array` does the same, but imports pandas, which takes a second."""
    builder = StringBuilder()
    builder.append_values(texts)
    return builder.finish()


def choose_words(frequencies, words, min_count, max_words):
    """Return the words of at least two characters that occur often enough, sorted; ``words`` may have duplicates."""
    totals = defaultdict(int)
    for number, word in zip(frequencies.tolist(), words):
        totals[word] += number
    frequent = [(-number, word) for word, number in totals.items() if number >= min_count and len(word) > 1]
    if not frequent:
        raise ValueError(f"the vocabulary is empty: no word occurs min_count={min_count} times; lower min_count")
    return sorted(word for _, word in sorted(frequent)[:max_words])
