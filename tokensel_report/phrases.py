"""Words and n-grams of raw texts: which ones occur, where, and how often."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import compress
from unicodedata import category, normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from tokensel_nb.text import INVISIBLE, encode, lower, strings

SPACE = "\x1e"  # stands for white space where it is a token
NOT = "nʼt"  # "n't" with an apostrophe that counts as a letter, so that no step splits the word
LINE_BREAK = r"<[bB][rR][ \t\n\f\r]*/?>"
NEGATION = r"([nN])['’ʼ]([tT])\b"
# Words without spaces around them: an emoji, or a character of a script without spaces (Thai, Lao, Burmese, Khmer, Japanese,
# Chinese) with its marks or its prolongation (ー). Their pairs are n-grams, like pairs of other words.
EMOJI = r"\x{2600}-\x{27bf}\x{2b50}\x{1f000}-\x{1f3fa}\x{1f400}-\x{1faff}"
UNSPACED = r"\x{e00}-\x{eff}\x{1000}-\x{109f}\x{1780}-\x{17ff}\x{3040}-\x{30ff}\x{3400}-\x{9fff}\x{20000}-\x{323af}"
UNSPACED += r"\x{f900}-\x{faff}"  # Chinese characters that NFC replaces by others
ALONE = rf"([{EMOJI}]|[{UNSPACED}][\p{{M}}ー{INVISIBLE}]*)"
# Between words: all characters except letters, marks, digits, emoji and invisible ones. Marks include the vowel signs of
# Hindi, Arabic and Thai; the variation selectors behind an emoji belong to no word.
SEPARATORS = rf"{LINE_BREAK}|[^\p{{L}}\p{{M}}\p{{N}}_{EMOJI}{INVISIBLE}]|[\x{{fe00}}-\x{{fe0f}}]"


def split(texts, patterns=((NEGATION, r" \1ʼ\2"), (SEPARATORS, " "), (ALONE, r" \1 "))):
    """Return the words of texts as written; "isn't" is "is" and ``NOT``, and every emoji or Chinese character is a word."""
    texts = strings(texts)
    for pattern, instead in patterns:
        texts = pc.replace_substring_regex(texts, pattern, instead)
    return pc.ascii_split_whitespace(texts)


def split_all(texts):
    """Return the same words with the signs between them, and ``SPACE`` for white space."""
    return split(texts, ((r"\s+", SPACE), (NEGATION, r" \1ʼ\2"), (SEPARATORS, r" \0 "), (ALONE, r" \1 ")))


def split_by(tokenizer, texts):
    """Return the words that a tokenizer splits texts into."""
    return pa.array([list(tokenizer(text)) for text in texts], pa.list_(pa.string()))


def spans(text: str, words: Sequence[str], tokenizer=None) -> list[tuple[int, int]]:
    """Return the first character of every word in a text and the one after its last; (-1, -1) for a word not in the text."""
    if tokenizer is None:
        text = re.sub(NEGATION, r"\1ʼ\2", text, flags=re.ASCII)
        texts = [re.sub(LINE_BREAK, lambda match: " " * len(match.group()), text)]
    else:  # Arrow lower-cases character by character, so that places stay; Python's "İ".lower() has two characters.
        texts = [text, pc.utf8_lower(pa.scalar(text, pa.large_string())).as_py()]
    places, end = [], 0
    for word in words:
        starts = [start for start in (text.find(word, end) for text in texts) if start >= 0]
        places.append((min(starts), min(starts) + len(word)) if starts else (-1, -1))
        end = max(end, places[-1][1])
    return places


@dataclass(frozen=True, eq=False, repr=False)
class Phrases:
    """A vocabulary of words and n-grams; column W + g, after the W words, belongs to n-gram g."""

    words: np.ndarray
    # The column of an n-gram without its last word, and the column of its last word; n-grams are sorted by both.
    starts: np.ndarray
    lasts: np.ndarray
    tokenizer: Callable[[str], Iterable[str]] | None = None

    @classmethod
    def learn(cls, texts, *, longest=2, min_texts=2, without=(), tokenizer=None):
        """Return the phrases of up to ``longest`` words that occur in ``min_texts`` texts, and their counts in every text."""
        lengths, rows, codes, words = merged(texts, tokenizer)
        same = _key_for(tokenizer)
        words, barred = np.array(words, dtype=object), set(map(same, without))
        kept, table = _frequent(rows, codes, words, len(lengths), min_texts)
        kept = kept[[_is_word(word, tokenizer) and same(word) not in barred for word in words[kept]]]
        columns = _renumber(kept, len(words))[codes]
        names, starts, lasts, tables, current = list(words[kept]), [], [], [table[:, kept]], columns
        for length in range(2, longest + 1):
            at, keys = _pairs(current, columns, rows, length, len(kept))
            if not len(at):
                break
            encoded = pa.array(keys).dictionary_encode()
            codes, kinds = np.from_dlpack(encoded.indices), np.from_dlpack(encoded.dictionary)
            enough, table = _frequent(rows[at], codes, kinds, len(lengths), min_texts)
            parts = np.stack(np.divmod(kinds[enough], len(kept)))
            candidates = [f"{names[i]} {names[j]}" for i, j in parts.T.tolist()]
            free = [same(name) not in barred for name in candidates]
            enough, (begin, last) = enough[free], parts[:, free]
            current = np.full(len(columns), -1)
            current[at] = _renumber(enough, len(kinds), first=len(names))[codes]
            names += compress(candidates, free)
            starts.append(begin)
            lasts.append(last)
            tables.append(table[:, enough])
        phrases = cls(words[kept], *(np.concatenate([np.empty(0, np.int64), *parts]) for parts in (starts, lasts)), tokenizer)
        return phrases, sparse.csr_array(sparse.hstack(tables, format="csr"))

    @cached_property
    def names(self):
        """The phrases in the order of the columns, ndarray of str; the words of an n-gram are joined by spaces."""
        names = list(self.words)
        for start, last in zip(self.starts.tolist(), self.lasts.tolist()):
            names.append(f"{names[start]} {names[last]}")
        return np.array(names, dtype=object)

    def only(self, kept):
        """Return the phrases of a mask, except n-grams that lose a part, and their columns here."""
        kept, number = kept.copy(), len(self.words)
        while (lost := kept[number:] & ~(kept[self.starts] & kept[self.lasts])).any():
            kept[number:] &= ~lost
        place, pairs = np.cumsum(kept) - 1, kept[number:]
        some = Phrases(self.words[kept[:number]], place[self.starts[pairs]], place[self.lasts[pairs]], tokenizer=self.tokenizer)
        return some, np.flatnonzero(kept)

    def count(self, texts):
        """Return how often every phrase occurs in every text, csr_array of int32."""
        lengths, rows, codes, words = _encode(texts, self.tokenizer)
        by_length = self._read(rows, codes, words)
        rows, columns = np.tile(rows, len(by_length)), np.concatenate(by_length)
        known = columns >= 0
        return sparse.csr_array(_table(rows[known], columns[known], (len(lengths), len(self.names))).tocsr())

    def find(self, texts):
        """Return the (start, end, column) of the phrases of every text, in its order, short ones first."""
        lengths, rows, codes, words = _encode(texts, self.tokenizer)  # one by one takes several times as long
        columns = np.stack(self._read(rows, codes, words))
        ends = np.cumsum(lengths)
        parts = [slice(end - length, end) for length, end in zip(lengths, ends)]
        return [
            _located(columns[:, part], spans(text, [words[code] for code in codes[part]], self.tokenizer))
            for text, part in zip(texts, parts)
        ]

    @cached_property
    def _column_of(self):
        return {key: column for column, key in enumerate(map(_key_for(self.tokenizer), self.words))}

    def _read(self, rows, codes, words):
        """Return, for every length of phrases, the column of the phrase that begins at every word, or -1."""
        of_words = np.array([self._column_of.get(key, -1) for key in map(_key_for(self.tokenizer), words)], np.int64)
        by_length, known = [of_words[codes]], self.starts * len(self.words) + self.lasts
        while len(self.starts):
            at, keys = _pairs(by_length[-1], by_length[0], rows, len(by_length) + 1, len(self.words))
            places = np.searchsorted(known, keys).clip(max=len(known) - 1)
            current = np.full(len(rows), -1)
            current[at] = np.where(known[places] == keys, len(self.words) + places, -1)
            if current.max(initial=-1) < 0:
                break
            by_length.append(current)
        return by_length


def pairs_of(texts, tokenizer=None):
    """Return the pairs of neighbouring words of every text, in their order, as hashes: a list of arrays of uint32."""
    lengths, rows, codes, _ = merged(texts, tokenizer)
    codes = codes.astype(np.uint32)
    hashes = codes[:-1] * np.uint32(0x9E3779B1) + codes[1:] * np.uint32(0x85EBCA77)  # constants of xxHash
    return np.split(hashes[rows[1:] == rows[:-1]], np.cumsum(np.maximum(lengths - 1, 0))[:-1])


def _encode(texts, tokenizer, split=split):
    """Return the number of words of every text; text and code of every word, in order; and the word of every code."""
    lengths, codes, words = encode(texts, split if tokenizer is None else partial(split_by, tokenizer))
    rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    if tokenizer is None and any(unseen := [bool(word) and not lower(word) for word in words]):  # invisible ones alone
        visible = ~np.array(unseen)[codes]
        lengths, rows, codes = np.bincount(rows[visible], minlength=len(lengths)), rows[visible], codes[visible]
    return lengths, rows, codes, words


def merged(texts, tokenizer, split=split):
    """Return the same with one code for all words of a key, and its most frequent form; a tokenizer's words are kept."""
    lengths, rows, codes, words = _encode(texts, tokenizer, split)
    if tokenizer is not None:
        return lengths, rows, codes, words
    encoded = strings(list(map(_form, words))).dictionary_encode()
    codes, forms = np.from_dlpack(encoded.indices)[codes], encoded.dictionary.to_pylist()
    first, best, often = {}, list(range(len(forms))), np.bincount(codes, minlength=len(forms)).tolist()
    places = [first.setdefault(_key(form), code) for code, form in enumerate(forms)]
    for code, place in enumerate(places):
        if code != place:
            best[place] = min(best[place], code, key=lambda code: (-often[code], forms[code]))
    return lengths, rows, np.array(places, np.int32)[codes], [forms[code] for code in best]


def _form(word):
    """Return a word as it is shown: in lower case, and "n't" with the apostrophe of a keyboard."""
    return "n't" if (form := lower(word)) == NOT else form


def _key(word):
    """Return what words are compared by: their case folding, which makes straße equal STRASSE, in composed form."""
    return word.lower() if word.isascii() else normalize("NFC", _form(word).casefold())


def _key_for(tokenizer):
    """Return the key function of words; a tokenizer's words are their own keys."""
    return _key if tokenizer is None else str


def _located(columns, places):
    """Return where the phrases of a text are, given the columns of those that begin at its words, length by length."""
    located = []
    for length, begin in np.argwhere(columns >= 0).tolist():  # of length + 1 words
        start, end = places[begin][0], places[begin + length][1]
        if 0 <= start < end:
            located.append((start, end, int(columns[length, begin])))
    return sorted(located)


def _is_word(word, tokenizer):
    """Return whether a word counts: a tokenizer's always does, of ours all except a single underscore or mark."""
    return bool(word) and (tokenizer is not None or len(word) > 1 or category(word)[0] in "LNS")


def _pairs(begins, columns, rows, length, base):
    """Return the places where a known word of the same text follows a known phrase, and a number for every pair."""
    ends = length - 1
    both = (begins[:-ends] >= 0) & (columns[ends:] >= 0) & (rows[:-ends] == rows[ends:])
    at = np.flatnonzero(both)
    return at, begins[at].astype(np.int64) * base + columns[at + ends]


def _frequent(rows, codes, kinds, n, min_texts):
    """Return which kinds occur in enough of n texts, in ascending order, and how often every kind occurs in every text."""
    table = _table(rows, codes, (n, len(kinds)))
    enough = np.flatnonzero(np.diff(table.indptr) >= min_texts)
    return enough[np.argsort(kinds[enough])], table


def _renumber(kept, kinds, first=0):
    """Return the new number of every old one: those kept count from ``first``, the others are -1."""
    places = np.full(kinds, -1)
    places[kept] = first + np.arange(len(kept))
    return places


def _table(rows, columns, shape):
    """Return how often every column occurs in every row; by columns, so that nothing has to be sorted."""
    ones = np.ones(len(rows), np.int32)
    return sparse.coo_array((ones, (rows, columns.astype(np.int32))), shape=shape).tocsc()
