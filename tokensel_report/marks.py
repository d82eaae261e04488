"""What texts have beside their words: punctuation, spaces, numbers, capitals, scripts, length, and their place in the file."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

PARTS = 20  # of equally many texts, by length and by place in the file
PARTED = ("words", "of the file")  # how their names end
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
    """Marks by name, and which texts have which: a sparse array of zeros and ones, shape (n, number of marks)."""

    names: np.ndarray
    texts: sparse.csr_array


def marks_of(texts, least, copies=()) -> Marks:
    """Return all marks that at least so many texts have, and as many have not."""
    rows, lengths = defaultdict(list), [len(text.split()) for text in texts]
    for row, text in enumerate(texts):
        for name in (*sorted(names_of(text)), f"{lengths[row]} words"):  # a set has another order in every process
            rows[name].append(row)
    # Of numbers, or signs, that stand in the very same texts, the longest: “ref ###” tells more than “###”.
    kind = {name: name.split("“")[0] for name in rows}
    alike = {(tuple(rows[name]), kind[name]): name for name in sorted(rows, key=len)}
    rows = {name: list(found) for (found, _), name in alike.items()}
    rows |= _by_quantity("words", np.array(lengths)) | _by_place(len(texts)) | _by_copies(copies, least)
    kept = {name: found for name, found in rows.items() if least <= len(found) <= len(texts) - least}
    ends = np.cumsum([0, *map(len, kept.values())])
    places = np.array([row for found in kept.values() for row in found], np.int64)
    by_mark = sparse.csc_array((np.ones(len(places)), places, ends), (len(texts), len(kept)))
    return Marks(np.array(list(kept), dtype=object), by_mark.tocsr())


def names_of(text):
    """Return the names of the marks that a text has."""
    found = {name for name, pattern in PATTERNS.items() if pattern.search(text)}
    found |= {"a space at the end"} if text[-1:].isspace() else set()
    found |= {"no sign at the end"} if re.match(r"\w", text.rstrip()[-1:]) else set()
    found |= {f"the tag <{tag}>" for tag in set(TAG.findall(text))}
    text = TAG.sub("\n", text)
    signs = SIGNS.findall(text)
    found |= {f"the sign “{_printable(sign)}”" for sign in set(signs)}
    found |= {f"the sign “{_printable(sign)}” at the end" for sign in signs[-1:] if text.rstrip().endswith(sign)}
    if text.isupper() or text.islower():
        found.add("capitals alone" if text.isupper() else "no capitals")
    before = ""
    for word in text.split():
        if not word.isalpha() and (shape := DIGIT.sub("#", word)) != word:
            shape = shape.strip(".,;:!?\"'()")
            found |= {f"the number “{shape}”", f"the number “{before} {shape}”".replace("“ ", "“")}
        before = word.lower()
    return found if text.isascii() else found | {f"{script} letters" for script in map(_script, set(text)) if script}


def _printable(sign):
    """Return a sign with the numbers of characters that cannot be seen."""
    return "".join(each if each.isprintable() else f"U+{ord(each):04X}" for each in sign)


@cache
def _script(character):
    """Return the script of a letter that isn't Latin, as in “Cyrillic”; an empty string for all else."""
    script = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
    return "" if script in ("LATIN", "FEMININE", "MASCULINE", "MICRO") else script.capitalize()


def _by_quantity(what, amounts):
    """Return parts of about equally many texts by an amount, each named by its bounds."""
    bounds = np.unique(np.quantile(amounts, np.linspace(0, 1, PARTS + 1), method="lower"))
    part = np.searchsorted(bounds, amounts, side="right")
    found = pd.Series(amounts).groupby(part)
    names = found.agg(lambda own: f"{own.min()} {what}" if own.min() == own.max() else f"{own.min()} to {own.max()} {what}")
    return {name: found.indices[each].tolist() for each, name in names.items()}


def _by_copies(copies, least):
    """Return groups of copies by the number of the first text."""
    first, number = np.unique(copies, return_counts=True)
    return {f"{COPIES} {row + 1:,}": np.flatnonzero(copies == row).tolist() for row in first[number >= least].tolist()}


def _by_place(number):
    """Return parts of equally many texts, in their order."""
    parts = np.array_split(np.arange(number), PARTS)
    return {f"texts {part[0] + 1:,} to {part[-1] + 1:,} of the file": part.tolist() for part in parts if len(part)}
