"""Marks of texts other than words: punctuation, spaces, numbers, capitals, scripts, length, and place in the file."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

PARTS = 20  # of about equally many texts, by length and by place in the file
PARTED = ("words", "of the file")  # how the names of these parts end
COPIES = "copies of text"
TAG = re.compile(r"</?([A-Za-z]\w*)[^<>]*>")
DIGIT = re.compile(r"\d")
SIGNS = re.compile(r" ?[^\w\s]+")
PATTERNS = {
    "two spaces": re.compile("  (?<!   )(?! )"),
    "three spaces or more": re.compile("   "),
    "a tab": re.compile("\t"),
    "a line break": re.compile(r"[\n\r]"),
    "a space at the start": re.compile(r"\A\s"),
    "a word in capitals": re.compile(r"[A-Z]{3}"),
    "a small letter at the start": re.compile(r"\A\W*[a-z]"),
}


class Marks(NamedTuple):
    """The names of marks, and which texts have which mark: a sparse array of zeros and ones, shape (n, number of marks)."""

    names: np.ndarray
    texts: sparse.csr_array


def marks_of(texts, least, copies=()) -> Marks:
    """Return all marks that at least ``least`` texts have and as many don't have."""
    rows, lengths = defaultdict(list), [len(text.split()) for text in texts]
    for row, text in enumerate(texts):
        for name in (*sorted(names_of(text)), f"{lengths[row]} words"):  # the order of a set differs between processes
            rows[name].append(row)
    # Of numbers, or signs, of the very same texts, keep the longest name: “ref ###” says more than “###”.
    kind = {name: name.split("“")[0] for name in rows}
    alike = {(tuple(rows[name]), kind[name]): name for name in sorted(rows, key=len)}
    rows = {name: list(own) for (own, _), name in alike.items()}
    rows |= _by_length(np.array(lengths)) | _by_place(len(texts)) | _by_copies(copies, least)
    kept = {name: own for name, own in rows.items() if least <= len(own) <= len(texts) - least}
    ends = np.cumsum([0, *map(len, kept.values())])
    places = np.array([row for own in kept.values() for row in own], np.int64)
    by_mark = sparse.csc_array((np.ones(len(places)), places, ends), (len(texts), len(kept)))
    return Marks(np.array(list(kept), dtype=object), by_mark.tocsr())


def names_of(text):
    """Return the names of the marks that a text has."""
    names = {name for name, pattern in PATTERNS.items() if pattern.search(text)}
    names |= {"a space at the end"} if text[-1:].isspace() else set()
    names |= {"no sign at the end"} if re.match(r"\w", text.rstrip()[-1:]) else set()
    names |= {f"the tag <{tag}>" for tag in set(TAG.findall(text))}
    text = TAG.sub("\n", text)
    signs = SIGNS.findall(text)
    names |= {f"the sign “{_printable(sign)}”" for sign in set(signs)}
    names |= {f"the sign “{_printable(sign)}” at the end" for sign in signs[-1:] if text.rstrip().endswith(sign)}
    if text.isupper() or text.islower():
        names.add("capitals alone" if text.isupper() else "no capitals")
    before = ""
    for word in text.split():
        if not word.isalpha() and (shape := DIGIT.sub("#", word)) != word:
            shape = shape.strip(".,;:!?\"'()")
            names |= {f"the number “{shape}”", f"the number “{before} {shape}”".replace("“ ", "“")}
        before = word.lower()
    return names if text.isascii() else names | {f"{script} letters" for script in map(_script, set(text)) if script}


def _printable(sign):
    """Return a sign with code points in place of invisible characters."""
    return "".join(letter if letter.isprintable() else f"U+{ord(letter):04X}" for letter in sign)


@cache
def _script(character):
    """Return the script of a letter that isn't Latin, such as “Cyrillic”; an empty string for other characters."""
    script = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
    return "" if script in ("LATIN", "FEMININE", "MASCULINE", "MICRO") else script.capitalize()


def _by_length(lengths):
    """Return parts of about equally many texts by length, named by their bounds."""
    bounds = np.unique(np.quantile(lengths, np.linspace(0, 1, PARTS + 1), method="lower"))
    parts = pd.Series(lengths).groupby(np.searchsorted(bounds, lengths, side="right"))
    names = parts.agg(lambda own: f"{own.min()} words" if own.min() == own.max() else f"{own.min()} to {own.max()} words")
    return {name: parts.indices[part].tolist() for part, name in names.items()}


def _by_copies(copies, least):
    """Return groups of copies, named by the number of their first text."""
    first, number = np.unique(copies, return_counts=True)
    return {f"{COPIES} {row + 1:,}": np.flatnonzero(copies == row).tolist() for row in first[number >= least].tolist()}


def _by_place(number):
    """Return parts of equally many texts, in their order."""
    parts = np.array_split(np.arange(number), PARTS)
    return {f"texts {part[0] + 1:,} to {part[-1] + 1:,} of the file": part.tolist() for part in parts if len(part)}
