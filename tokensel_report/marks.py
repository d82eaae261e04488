"""Marks of texts other than words: punctuation, spaces, numbers, links, capitals, scripts, languages, length, copies, order."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import xlogy

LENGTHS = np.sort([*np.linspace(0, 1, 21), 0.005, 0.01, 0.02, 0.98, 0.99, 0.995])  # shares of texts up to the bounds of parts
COPIES, LENGTH, ORDER = "copies of text", "words", "of the file"  # how the names of such marks begin or end
WRITTEN = "the entity", "the tag", "the number", "the sign", "a link to"  # how the names of marks begin that may have words
FILES = 49  # with permuted labels
TAG = re.compile(r"</?([A-Za-z]\w*)[^<>]*>")
DIGIT = re.compile(r"\d")
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
SIGNS = re.compile(r" ?[^\w\s]+")
PATTERNS = {
    "two spaces": re.compile(r"(?<! )  (?! )"),
    "three spaces or more": re.compile("   +"),
    "a tab": re.compile("\t"),
    "a line break": re.compile(r"[\n\r]"),
    "a space at the start": re.compile(r"\A\s+"),
    "a space at the end": re.compile(r"\s+\Z"),
    "no sign at the end": re.compile(r"\w(?=\s*\Z)"),
    "a word in capitals": re.compile(r"[A-Z]{3,}"),
    "a small letter at the start": re.compile(r"\A\W*[a-z]"),
    "a link": re.compile(r"(?:https?://|www\.)\S+"),
}
NAMED = {  # by what they match
    "the tag <{}>": TAG,
    "the entity {}": re.compile(r"(&#?\w+;)"),
    "a link to {}": re.compile(r"(?:https?://|www\.)([^\s/]+)"),
}
LANGUAGES = {
    "English": "the and of is that this it for you with",
    "Spanish": "el los las y muy una por pero lo más",
    "Portuguese": "não com uma os em muito mais dos da ao",
    "French": "le les des et est pas dans une très je",
    "Italian": "il che di per non è della sono gli molto",
    "German": "der die und das ist nicht mit ein sehr ich",
    "Dutch": "het een van niet zijn voor ik dat heel maar",
}
LANGUAGE_OF = {word: language for language, words in LANGUAGES.items() for word in words.split()}
SAID = 3  # words of a language that a text in it has


class Marks(NamedTuple):
    """The names of marks, and which texts have which mark: a sparse array of zeros and ones, shape (n, number of marks)."""

    names: np.ndarray
    texts: sparse.csr_array


def marks_of(texts, codes, least, copies=(), seed=0) -> Marks:
    """Return all marks that at least ``least`` texts have and as many don't have."""
    rows, lengths = defaultdict(list), [len(text.split()) for text in texts]
    for row, text in enumerate(texts):
        for name in (*places_of(text), f"{lengths[row]} words"):
            rows[name].append(row)
    # Of numbers, or signs, of the very same texts, keep the longest name: “ref ###” says more than “###”.
    kind = {name: name.split("“")[0] for name in rows}
    alike = {(tuple(rows[name]), kind[name]): name for name in sorted(rows, key=lambda name: (len(name), name))}
    rows = {name: list(own) for (own, _), name in alike.items()}
    rows |= _by_length(np.array(lengths)) | _by_place(codes, least, seed) | _by_copies(copies, least)
    kept = {name: own for name, own in rows.items() if least <= len(own) <= len(texts) - least}
    ends = np.cumsum([0, *map(len, kept.values())])
    places = np.array([row for own in kept.values() for row in own], np.int64)
    by_mark = sparse.csc_array((np.ones(len(places)), places, ends), (len(texts), len(kept)))
    return Marks(np.array(list(kept), dtype=object), by_mark.tocsr())


def places_of(text) -> dict[str, tuple[int, int]]:
    """Return the marks that a text has, and where each of them first begins and ends."""
    whole, places = (0, len(text)), {}
    for name, pattern in PATTERNS.items():
        if found := pattern.search(text):
            places[name] = found.span()
    for name, pattern in NAMED.items():
        for found in pattern.finditer(text):
            places.setdefault(name.format(found[1]), found.span())
    blank = lambda found: "\n" * len(found[0])  # so that nothing moves
    text = NAMED["the entity {}"].sub(blank, TAG.sub(blank, text))
    signs = list(SIGNS.finditer(text))
    for sign in signs:
        places.setdefault(f"the sign “{_printable(sign[0])}”", sign.span())
    for sign in signs[-1:]:
        if not text[sign.end() :].strip():
            places[f"the sign “{_printable(sign[0])}” at the end"] = sign.span()
    places |= {"capitals alone": whole} if text.isupper() else {"no capitals": whole} if text.islower() else {}
    for found in BEYOND_ASCII.finditer(text):
        if name := _unusual(found[0]):
            places.setdefault(name, found.span())
    return places | _numbers(text) | _languages(text)


def is_whole(name):
    """Return whether a mark is the whole text, so that a classifier that reads it sees nothing else: a copy, or a language."""
    return name.startswith(COPIES) or name in {f"{language} words" for language in LANGUAGES}


def _numbers(text):
    """Return the shapes of numbers, alone and with the word before them."""
    places, before = {}, ""
    for found in re.finditer(r"\S+", text) if DIGIT.search(text) else ():
        word = found[0]
        if not word.isalpha() and (shape := DIGIT.sub("#", word)) != word:
            shape = shape.strip(".,;:!?\"'()")
            places.setdefault(f"the number “{shape}”", found.span())
            places.setdefault(f"the number “{before} {shape}”".replace("“ ", "“"), found.span())
        before = word.lower()
    return places


def _languages(text):
    """Return the languages of which a text has common words that others on the list lack."""
    lower, words = text.lower(), defaultdict(list)
    for word in sorted(LANGUAGE_OF.keys() & set(lower.split())):
        words[LANGUAGE_OF[word]].append(word)
    found = {name: re.search(rf"(?<!\S){own[0]}(?!\S)", lower) for name, own in words.items() if len(own) >= SAID}
    return {f"{name} words": place.span() for name, place in found.items()}


def _printable(sign):
    """Return a sign with code points in place of invisible characters."""
    return "".join(letter if letter.isprintable() else f"U+{ord(letter):04X}" for letter in sign)


@cache
def _unusual(character):
    """Return the script of a letter that isn't Latin, or the number of an unusual space; else an empty string."""
    if character.isspace() and not character.isascii():
        return f"the space U+{ord(character):04X}"
    script = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
    return "" if script in ("", "LATIN", "FEMININE", "MASCULINE", "MICRO") else f"{script.capitalize()} letters"


def _by_length(lengths):
    """Return parts of the texts by length, named by their bounds; the shortest and the longest have small parts."""
    bounds = np.unique(np.quantile(lengths, LENGTHS, method="lower"))
    parts = pd.Series(lengths).groupby(np.searchsorted(bounds, lengths, side="right"))
    names = parts.agg(lambda own: f"{own.min()} words" if own.min() == own.max() else f"{own.min()} to {own.max()} words")
    return {name: parts.indices[part].tolist() for part, name in names.items()}


def _by_copies(copies, least):
    """Return groups of copies, named by the number of their first text."""
    first, number = np.unique(copies, return_counts=True)
    return {f"{COPIES} {row + 1:,}": np.flatnonzero(copies == row).tolist() for row in first[number >= least].tolist()}


def _by_place(codes, least, seed):
    """Return the run of texts in which one class is densest, if it is denser than in any of the files with permuted labels."""
    random, (height, start, end) = np.random.default_rng(seed), _densest(codes, least)
    if any(_densest(random.permutation(codes), least)[0] >= height for _ in range(FILES)):
        return {}
    return {f"texts {start + 1:,} to {end:,} {ORDER}": list(range(start, end))}


def _densest(codes, least):
    """Return the log-likelihood ratio, start and end of the window of the file that is fullest of one class."""
    n, best = len(codes), (0.0, 0, 0)
    widths = [width for width in (least * 2**i for i in range(20)) if 2 * width <= n]
    for k, share in enumerate(np.bincount(codes) / n):
        sums = np.append(0, np.cumsum(codes == k, dtype=np.int32))
        for width in widths:
            inside = sums[width:] - sums[:-width]
            at = int(inside.argmax())
            p = inside[at] / width
            height = width * (xlogy(p, p / share) + xlogy(1 - p, (1 - p) / (1 - share))) if p > share else 0.0
            best = max(best, (float(height), at, at + width))
    return best
