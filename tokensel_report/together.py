"""Words that occur in the very same texts, such as those of a template: one alone hides behind the others."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import NamedTuple

import numpy as np

LONGEST = 8  # words of a name


class InseparableWords(NamedTuple):
    """Words and n-grams of the very same texts, which are left out together."""

    name: str
    same: np.ndarray  # their columns
    # The columns that are left out: `same`; words of all these texts and of at most as many others, which would give the label
    # away, too; and the parts of their n-grams, in however many texts: "from" in "sent from".
    left_out: np.ndarray


def inseparable_words(counts, names, least) -> list[InseparableWords]:
    """Return all sets of two or more words and n-grams that occur in the same texts."""
    by_word, sets = counts.tocsc(), {}
    number = np.diff(by_word.indptr)
    for column in np.flatnonzero(number >= least).tolist():
        texts = by_word.indices[by_word.indptr[column] : by_word.indptr[column + 1]]
        sets.setdefault(texts.tobytes(), []).append(column)
    sets = [same for same in sets.values() if len(same) > 1]
    column_of = {name: column for column, name in enumerate(names)} if sets else {}
    times_named, result = Counter(), []
    for same in sets:
        texts = by_word.indices[by_word.indptr[same[0]] : by_word.indptr[same[0] + 1]]
        columns, times = np.unique(counts[texts].indices, return_counts=True)
        own = columns[(times == len(texts)) & (number[columns] <= 2 * len(texts))]
        parts = {column_of[part] for name in names[own] for part in _parts(name) if part in column_of}
        times_named[phrase := _phrase(names[own])] += 1
        again = f", {times_named[phrase]}" if times_named[phrase] > 1 else ""  # two names may be cut to the same one
        left_out = np.array(sorted({*own.tolist(), *parts}))
        result.append(InseparableWords(f"{phrase} (together{again})", np.array(same), left_out))
    return result


def _parts(name):
    """Return an n-gram, its words, and the shorter n-grams in it."""
    words = name.split(" ")
    return [" ".join(words[i:j]) for i, j in combinations(range(len(words) + 1), 2)]


def _phrase(names):
    """Write words and n-grams as one phrase: the longest n-grams joined where they overlap, then all other words."""
    grams = [tuple(name.split(" ")) for name in names]
    longest = max(map(len, grams))
    follows = {gram[:-1]: gram[-1] for gram in grams if len(gram) == longest > 1}
    begins = [gram for gram in follows if gram not in {(*gram[1:], last) for gram, last in follows.items()}]
    phrases = []
    for begin in [*begins, *follows]:  # the latter for a circular phrase
        phrase = list(begin)
        while (last := follows.pop(tuple(phrase[1 - longest :]), None)) is not None:
            phrase.append(last)
        phrases += [phrase] * (len(phrase) >= longest)
    written = {word for phrase in phrases for word in phrase}
    words = [word for phrase in phrases for word in (*phrase, "…")]
    words += [word for gram in grams for word in (*gram, "…") if not written.issuperset(gram)]
    return " ".join([*words[:-1][:LONGEST], *["…"] * (len(words) - 1 > LONGEST)])
