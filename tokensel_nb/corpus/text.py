"""From texts to counts: split into words, choose a vocabulary, count."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from tqdm import tqdm

from ..support.checks import checked, cut, list_of_str, listed, shortened, truth, whole_number
from ..support.runtime import side_by_side
from .corpus import Corpus

# What stands between words: a line break in HTML, or any character that is not a letter, a mark, a digit or an underscore.
# Marks are the vowel signs of Hindi, Arabic or Thai, and accents that stand apart from their letters; the selectors of how an
# emoji is drawn do not count as marks.
SEPARATORS = r"<br\s*/?>|[^\p{L}\p{M}\p{N}_]|[\x{fe00}-\x{fe0f}]"

# The same in steps, many times as fast: line breaks, what is rare and beyond ASCII, then ASCII, byte by byte.
LINE_BREAK = r"<br\s*/?>"
RARE_SEPARATORS = r"[^\p{L}\p{M}\p{N}_\x00-\x7f]|[\x{fe00}-\x{fe0f}]"
BLANK = ord(" ")
BLANKED = bytes(byte if byte > 127 or byte == ord("_") or chr(byte).isalnum() else BLANK for byte in range(256))

CHUNK = 1024  # texts: small enough for an even share of the cores, large enough that Python's overhead is lost in it


def _known_words(name, vocabulary):
    words = list_of_str(name, vocabulary)
    if not words:
        raise ValueError("the vocabulary is empty; give at least one word, or None for all words that occur")
    return words


def corpus_from_texts(
    texts: Sequence[str],
    labels,
    *,
    vocabulary: Sequence[str] | None = None,
    min_count: int = 1,
    max_words: int | None = None,
    lowercase: bool = True,
    separators: str | None = None,
    tokenizer: Callable[[str], Iterable[str]] | None = None,
    class_names: tuple[str, ...] = (),
) -> Corpus:
    r"""Count the words of labelled texts.

    Parameters
    ----------
    texts : sequence of str, length n
    labels : sequence of int or str, length n
        0 ... K-1, or -1 and +1, or the names of the classes; see `Corpus`.
    vocabulary : sequence of str, optional
        Count only these words, in this order. Give the training set's vocabulary when you read a test set.
        By default every word of at least two characters that occurs ``min_count`` times in ``texts``, sorted.
    min_count : int
        See ``vocabulary``.
    max_words : int, optional
        Keep only this many words: the most frequent, and of equally frequent ones those that come first in the alphabet. A
        ``vocabulary`` that you give is not shortened.
    lowercase : bool
        Whether "Good" is "good".
    separators : str, optional
        A regular expression (RE2 syntax) for what stands *between* words. By default a line break in HTML, or any character
        that is not a letter, a mark, a digit or an underscore. Texts are split in compiled code on all cores.
    tokenizer : callable, optional
        Instead of ``separators``: a function from a text to its words. It runs in Python, one text after another.
    class_names : tuple of str, optional
        See `Corpus`.

    Returns
    -------
    Corpus
        A text without any word of the vocabulary stays, as a row of zeros; the ``repr`` counts them.

    Raises
    ------
    ValueError
        If a text is not a string, the regular expression is invalid, both ``separators`` and ``tokenizer`` are given,
        ``max_words`` is below one, no word is left, or it is not clear which class a label names.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["Good, good film!", "A bad film"], ["pos", "neg"])
    >>> corpus
    Corpus(2 texts, 3 words, 5 tokens; neg: 1, pos: 1)
    >>> corpus.vocabulary.tolist(), corpus.counts.toarray().tolist()
    (['bad', 'film', 'good'], [[0, 1, 2], [1, 1, 0]])
    >>> ts.corpus_from_texts(["re-read it", "re-sold it"], [1, -1], separators=" ").vocabulary.tolist()
    ['it', 're-read', 're-sold']
    """
    choice = dict(vocabulary=vocabulary, min_count=min_count, max_words=max_words)
    lengths, columns, vocabulary = read_columns(
        texts, labels, **choice, lowercase=lowercase, separators=separators, tokenizer=tokenizer
    )
    return Corpus(_counted(lengths, columns, len(vocabulary)), labels, vocabulary, class_names)


def _counted(lengths, columns, vocab_size):
    """Return how often each word occurs in each text; NumPy sorts numbers of text and word faster than SciPy sorts rows."""
    ends = np.append(0, np.cumsum(lengths))

    def count_chunk(start):
        of_texts = lengths[start : start + CHUNK]
        of_words = columns[ends[start] : ends[start + len(of_texts)]]
        kind = np.int32 if len(of_texts) * vocab_size < 2**31 else np.int64  # the narrower sorts in half the time
        places = np.repeat(np.arange(len(of_texts), dtype=kind) * vocab_size, of_texts) + of_words
        places, numbers = np.unique(places[of_words >= 0], return_counts=True)
        rows, of_words = np.divmod(places, vocab_size)
        return numbers.astype(np.int32), of_words.astype(np.int32), np.bincount(rows, minlength=len(of_texts))

    chunks = side_by_side(count_chunk, range(0, len(lengths), CHUNK))
    numbers, columns, filled = map(np.concatenate, zip(*chunks))
    row_ends = np.append(0, np.cumsum(filled)).astype(np.int32)
    return sparse.csr_array((numbers, columns, row_ends), shape=(len(lengths), vocab_size))


@checked(texts=listed, vocabulary=_known_words, min_count=whole_number, max_words=partial(whole_number, most=float("inf")))
def read_columns(texts, labels, *, vocabulary=None, min_count=1, max_words=None, **how):
    """Return how many words each text has, the column of every word in order, -1 if it is not kept, and the vocabulary."""
    split = splitter(**how)
    number = len(listed("labels", labels, of="labels"))
    if len(texts) != number:
        raise ValueError(f"there are {len(texts)} texts and {number} labels; give one label per text")
    lengths, codes, words = encode(texts, split)
    if vocabulary is None:
        vocabulary = choose_words(occurrences(codes, len(words)), words, min_count, max_words)
    column_of = {word: column for column, word in enumerate(vocabulary)}
    return lengths, np.array([column_of.get(word, -1) for word in words], np.int32)[codes], vocabulary


@checked(lowercase=truth, separators=str, tokenizer=Callable)
def splitter(lowercase=True, separators=None, tokenizer=None):
    """Return the function from an array of texts to their words."""
    if separators is not None and tokenizer is not None:
        raise ValueError("separators and tokenizer both say what a word is; give one of them")
    return partial(split_words, separators=separators, tokenizer=tokenizer, lowercase=lowercase)


def split_words(texts, separators=None, tokenizer=None, lowercase=True):
    """Return the words of each text of an array, as a list array."""
    if tokenizer is not None:
        return call_tokenizer(texts, (lambda text: tokenizer(text.lower())) if lowercase else tokenizer)
    texts = pc.utf8_lower(texts) if lowercase else texts
    if separators in (None, SEPARATORS):
        return split(texts)
    try:
        return pc.ascii_split_whitespace(pc.replace_substring_regex(texts, separators, " "))
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        reason = cut(" ".join(str(error).split()))
        raise ValueError(f"separators={shortened(separators)} is not a regular expression of RE2: {reason}") from error


def call_tokenizer(texts, tokenizer):
    """Return the words that a tokenizer finds in each text of an array, as a list array."""
    return pa.array([_checked_tokens(tokenizer(text)) for text in texts.to_pylist()], pa.list_(pa.large_string()))


def _checked_tokens(given):
    words = None if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) else list(given)
    if words is None or not all(isinstance(word, str) for word in words):
        shown = shortened(given if words is None else words)
        raise ValueError(f"tokenizer returned {shown}; it must return the words of a text, as a list of strings")
    return words


def split(texts, rare=RARE_SEPARATORS, alone=None):
    """Return what stands between `SEPARATORS` as a list array; what matches the group of ``alone`` is a word by itself."""
    texts = pc.replace_substring_regex(texts, LINE_BREAK, " ")
    beyond_ascii = pc.invert(pc.string_is_ascii(texts))
    few = pc.replace_substring_regex(texts.filter(beyond_ascii), rare, " ")
    if alone:
        few = pc.replace_substring_regex(few, alone, r" \1 ")
    return _cut(pc.replace_with_mask(texts, beyond_ascii, few))


def _cut(texts):
    """Return what stands between ASCII separators as a list array of codes; what it copies takes a third of Arrow's time."""
    _, ends, characters = texts.buffers()
    blanked = _arrow(texts.type, len(texts), ends, characters.to_pybytes().translate(BLANKED))  # byte for byte: ends stay
    characters = np.frombuffer(pc.binary_join_element_wise(blanked, *strings(["", "\n"])).buffers()[2], np.uint8)
    characters = characters[np.append(True, (characters[1:] != BLANK) | (characters[:-1] != BLANK))]  # one between two words
    last = np.flatnonzero(characters == ord("\n"))
    characters[last] = BLANK  # so that a word is the same wherever it stands, with a blank behind it
    starts = np.flatnonzero(np.append(True, characters == BLANK))
    ends = np.append(0, np.searchsorted(starts, last + 1)).astype(np.int32)
    words = _arrow(texts.type, len(starts) - 1, starts, characters).dictionary_encode()
    words = pa.DictionaryArray.from_arrays(words.indices, pc.ascii_rtrim(words.dictionary, " "))
    return pa.ListArray.from_arrays(_arrow(pa.int32(), len(ends), ends), words)


def _arrow(kind, length, *buffers):
    """Return an Arrow array of NumPy's memory; `pyarrow.array` does the same, but imports pandas, which takes a second."""
    return pa.Array.from_buffers(kind, length, [None, *map(pa.py_buffer, buffers)])


def strings(texts):
    """Return strings as an Arrow array."""
    characters = list(map(str.encode, texts))
    ends = np.cumsum([0, *map(len, characters)], dtype=np.int64)
    return _arrow(pa.large_string(), len(texts), ends, b"".join(characters))


def encode(texts, split):
    """Return the number of words of every text, the codes of all words in their order, text by text, and each code's word."""

    def encode_chunk(start):
        words = split(_checked_strings(texts[start : start + CHUNK], start))
        return np.diff(np.from_dlpack(words.offsets)), words.flatten().dictionary_encode()

    texts = texts if isinstance(texts, list) else list(texts)
    starts = range(0, len(texts), CHUNK)
    alone = getattr(split, "keywords", {}).get("tokenizer")  # a user's function may not bear to be called by two threads
    encoded = (map if alone else side_by_side)(encode_chunk, starts)
    chunks = list(tqdm(encoded, total=len(starts), desc="Counting words", unit="chunk", delay=2))
    if not chunks:
        raise ValueError("there are no texts; give at least one")
    lengths = np.concatenate([length for length, _ in chunks])
    encoded = pa.chunked_array([words for _, words in chunks]).unify_dictionaries()
    codes = np.concatenate([np.from_dlpack(chunk.indices) for chunk in encoded.chunks])
    return lengths, codes, encoded.chunk(0).dictionary.to_pylist()


def _checked_strings(chunk, start):
    """Return a chunk of texts, which begins at row ``start`` of all, as an Arrow array; the error names the text's row."""
    try:
        return strings(chunk)
    except TypeError:
        row = next(i for i, text in enumerate(chunk) if not isinstance(text, str))
        message = f"text {start + row} is {shortened(chunk[row])}, not a string; drop it or replace it by ''"
    except UnicodeEncodeError as error:
        row = next(i for i, text in enumerate(chunk) if text == error.object)
        message = f"text {start + row} holds half a character, {error.object[error.start]!a}; fix how it is read"
    raise ValueError(message)


def occurrences(codes, number):
    """Return how often each code from 0 to ``number`` - 1 occurs."""
    parts = np.array_split(codes, len(codes) // 2**22 + 1)  # bincount makes a copy that is twice as wide
    return sum(np.bincount(part, minlength=number) for part in parts)


def choose_words(frequencies, words, min_count, max_words):
    """Return the words of at least two characters that occur often enough, sorted."""
    kept = np.flatnonzero((frequencies >= min_count) & (np.fromiter(map(len, words), int, len(words)) >= 2))
    names = np.array(words, dtype=object)[kept]
    order = np.array(sorted(range(len(names)), key=names.tolist().__getitem__), int)  # NumPy compares objects more slowly
    by_frequency = np.argsort(-frequencies[kept[order]], kind="stable")  # ties stay in the alphabet's order
    order = order[np.sort(by_frequency[:max_words])]
    if not len(order):
        raise ValueError(f"the vocabulary is empty: no word occurs min_count={min_count} times; lower min_count")
    return names[order]
