"""From texts to counts: split into words, choose a vocabulary, count."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from tqdm import tqdm

from .corpus import Corpus

SEPARATORS = r"<br\s*/?>|[^\p{L}\p{N}_]"
"""What stands between words: a line break in HTML, or any character that is not a letter, a digit or an underscore."""

CHUNK = 1024  # texts: small enough for an even share of the cores, large enough that Python's overhead is lost in it


def corpus_from_texts(
    texts: Sequence[str],
    labels,
    *,
    vocabulary: Sequence[str] | None = None,
    min_count: int = 1,
    max_words: int | None = None,
    lowercase: bool = True,
    tokeniser: str | Callable[[str], Iterable[str]] = SEPARATORS,
    class_names: tuple[str, ...] = (),
) -> Corpus:
    r"""Count the words of labelled texts.

    Parameters
    ----------
    texts : sequence of str, length n
    labels : sequence of int, length n
        -1 or +1, or 0 ... K-1.
    vocabulary : sequence of str, optional
        Count these words only, in this order. Give the training set's vocabulary when you read a test set.
        By default: every word of at least two characters that occurs ``min_count`` times in ``texts``, sorted.
    min_count : int
        See ``vocabulary``.
    max_words : int, optional
        Of the words that ``vocabulary`` describes, keep only so many: the most frequent, and of equally frequent ones
        those that come first in the alphabet. A vocabulary that is given is not shortened.
    lowercase : bool
        Whether "Good" is "good".
    tokeniser : str or callable
        A regular expression (RE2 syntax) for what stands *between* words, or a function from a text to its words;
        the expression is split in compiled code on all cores, the function runs in Python, one text after another.
    class_names : tuple of str, optional
        See `Corpus`.

    Returns
    -------
    Corpus
        A text in which no word of the vocabulary occurs stays, as a row of zeros; its ``repr`` counts them.

    Raises
    ------
    ValueError
        If a text is not a string, the regular expression is invalid, ``max_words`` is below one, or no word is left.
    """
    if max_words is not None and max_words < 1:
        raise ValueError(f"max_words={max_words}; give a number above zero, or None for all words")
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels; give one label a text")
    lengths, codes, words = _encode(texts, _splitter(tokeniser, lowercase))
    column_of_code, vocabulary = _columns(codes, words, vocabulary, min_count, max_words)
    columns = column_of_code[codes]
    known = columns >= 0
    del codes  # one of the largest arrays, no longer needed
    row_ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    row_ends -= np.searchsorted(np.flatnonzero(~known), row_ends)
    counts = sparse.csr_array(
        (np.ones(int(known.sum()), np.int32), columns[known], row_ends.astype(np.int32)),
        shape=(len(texts), len(vocabulary)),
    )
    counts.sum_duplicates()
    return Corpus(counts, labels, vocabulary, class_names)


def _splitter(tokeniser, lowercase):
    """Return the function from an array of texts to a list array of their words."""
    if callable(tokeniser):
        lower = str.lower if lowercase else str

        def split(texts):
            return pa.array([list(tokeniser(lower(text))) for text in texts.to_pylist()], pa.list_(pa.string()))

        return split

    def split(texts):
        if lowercase:
            texts = pc.utf8_lower(texts)
        return pc.ascii_split_whitespace(pc.replace_substring_regex(texts, tokeniser, " "))

    try:
        split(pa.array(["a"]))
    except pa.ArrowInvalid as error:
        raise ValueError(f"tokeniser={tokeniser!r} is no regular expression that RE2 reads: {error}") from error
    return split


def _encode(texts, split):
    """Return the number of words of every text, the code of every word in order, and the word of every code."""

    def encode(start):
        try:
            chunk = pa.array(texts[start : start + CHUNK], pa.string())
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            chunk = None
        if chunk is None or chunk.null_count:
            row = next(i for i, text in enumerate(texts[start : start + CHUNK], start) if not isinstance(text, str))
            raise ValueError(f"text {row} is {texts[row]!r}, not a string; drop it or replace it by ''")
        words = split(chunk)
        return np.diff(words.offsets.to_numpy()), words.flatten().dictionary_encode()

    texts = texts if isinstance(texts, list) else list(texts)
    starts = range(0, len(texts), CHUNK)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # pyarrow lets go of Python's lock
        progress = tqdm(pool.map(encode, starts), total=len(starts), desc="Counting words", unit="chunk", delay=2)
        chunks = list(progress)
    if not chunks:
        raise ValueError("there are no texts; give at least one")
    lengths = np.concatenate([length for length, _ in chunks])
    encoded = pa.chunked_array([words for _, words in chunks]).unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    return lengths, codes, encoded.chunk(0).dictionary


def _columns(codes, words, vocabulary, min_count, max_words):
    """Return the column of every code (-1: none) and the word of every column."""
    if vocabulary is None:
        parts = np.array_split(codes, len(codes) // 2**22 + 1)  # bincount makes a copy that is twice as wide
        occurrences = sum(np.bincount(part, minlength=len(words)) for part in parts)
        kept = np.flatnonzero((occurrences >= min_count) & (pc.utf8_length(words).to_numpy() >= 2))
        names = np.asarray(words.take(pa.array(kept)).to_pylist(), dtype=object)
        order = np.argsort(names)
        if max_words is not None and max_words < len(order):
            by_frequency = np.argsort(-occurrences[kept[order]], kind="stable")  # ties stay in the alphabet's order
            order = order[np.sort(by_frequency[:max_words])]
        kept, vocabulary = kept[order], names[order]
        columns = np.full(len(words), -1, np.int32)
        columns[kept] = np.arange(len(kept), dtype=np.int32)
    else:
        vocabulary = np.asarray(vocabulary, dtype=object)
        found = pc.index_in(words, value_set=pa.array(vocabulary, pa.string()))
        columns = found.fill_null(-1).to_numpy().astype(np.int32)
    if not len(vocabulary):
        raise ValueError(f"the vocabulary is empty: no word occurs min_count={min_count} times; lower min_count")
    return columns, vocabulary
