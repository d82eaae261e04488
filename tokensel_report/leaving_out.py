r"""Leaving words out: by how much the logit of a text moves without one of its words, or without several.

With the weights w_s of a text (`Counts.weights`), their sum Z and values γ_s, leaving out all occurrences of the words of a
set S moves the logit f = Σ_s w_s γ_s / Z by::

    f(X) - f(X without S) = Σ_S w_s (γ_s - f(X)) / (Z - Σ_S w_s) = Σ_S w_s (γ_s - f(X without S)) / Z.

The first form is used if S has at most half of the weight; otherwise the second, with a new sum over the other words. So no
digit is lost, whatever the scores. An empty text has the logit zero.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tokensel_nb.corpus import Corpus


class LeavingOut:
    """How the logits of one layer of attention move without every word of every text, and without sets of words.

    An entry is a word in a text, or a set in a text that contains all of it; the columns of sets follow those of words.
    """

    def __init__(self, scores, corpus: Corpus, together=()):
        counts = corpus.operator
        self._counts, number = counts, len(counts.columns)
        sets, texts, self._sets, self._places = _occurrences(counts, together)
        self.rows = np.concatenate([counts.rows, texts])
        self.columns = np.concatenate([counts.columns, counts.shape[1] + sets])
        self._weights = counts.weights(scores)
        self._left_out, self._totals = self.summed(self._weights), self._sum(self._weights)[self.rows]
        self.attention = self._left_out / self._totals  # to all occurrences of a word, or of a set
        self._heavy = np.flatnonzero(2 * self._left_out > self._totals)
        self._of, self._others = self._rest(number)
        of_others = scores[counts.columns[self._others]]
        highest = np.full(len(self._heavy), -np.inf)
        np.maximum.at(highest, self._of, of_others)
        self._rescaled = counts.matrix.data[self._others] * np.exp(of_others - highest[self._of])

    def logits(self, values):
        """Return f(X) of every text."""
        return self._sum(self.attention[: len(self._weights)] * values[self._counts.columns])

    def moves(self, values):
        """Return f(X) - f(X without s) of every entry."""
        of_words, kept = values[self._counts.columns], self._totals - self._left_out
        remains = self.logits(values)[self.rows]
        of_others = self._rescaled * of_words[self._others]
        sums = (np.bincount(self._of, terms, len(self._heavy)) for terms in (of_others, self._rescaled))
        with np.errstate(invalid="ignore"):
            remains[self._heavy], kept[self._heavy] = np.nan_to_num(np.divide(*sums)), self._totals[self._heavy]
        return (self.summed(self._weights * of_words) - self._left_out * remains) / kept

    def summed(self, of_words):
        """Return amounts of the words of texts, followed by their sums over the sets."""
        of_sets = np.bincount(self._sets, of_words[self._places], len(self.rows) - len(of_words))
        return np.concatenate([of_words, of_sets])

    def _sum(self, of_words):
        return np.bincount(self._counts.rows, of_words, self._counts.shape[0])

    def _rest(self, number):
        """Return the places of all words beside a heavy entry, and the number of that entry."""
        begins = self._counts.matrix.indptr[self.rows[self._heavy]].astype(np.int64)
        sizes = self._counts.sizes[self.rows[self._heavy]]
        of = np.repeat(np.arange(len(sizes)), sizes)
        shifts = begins - (np.cumsum(sizes) - sizes)
        places = np.arange(len(of)) + shifts[of]
        slots = np.full(len(self.rows), -1)
        slots[self._heavy] = np.arange(len(self._heavy))
        kept = np.ones(len(of), bool)
        for entries, members in ((np.arange(number), np.arange(number)), (number + self._sets, self._places)):
            heavy = slots[entries] >= 0
            kept[members[heavy] - shifts[slots[entries[heavy]]]] = False
        return of[kept], places[kept]


def _occurrences(counts, together):
    """Return the sets and the texts that contain them, pair by pair; and for all their words the pair and the place."""
    pairs = [(np.empty((0, 0), np.int64), np.empty(0, np.int64))]
    number = np.arange(1, len(counts.columns) + 1)  # of every entry; from one, because zeros are not stored
    by_word = sparse.csr_array((number, counts.columns, counts.matrix.indptr), counts.shape).tocsc() if len(together) else None
    for words in together:
        of_words = by_word[:, words].tocsr()
        rows = np.flatnonzero(np.diff(of_words.indptr) == len(words))
        pairs.append((of_words[rows].toarray() - 1, rows))
    places, texts = zip(*pairs)
    sets = np.repeat(np.arange(-1, len(together)), list(map(len, texts)))
    sizes = np.concatenate([np.full(len(of_set), of_set.shape[1]) for of_set in places])
    entries = np.repeat(np.arange(len(sizes)), sizes)
    return sets, np.concatenate(texts), entries, np.concatenate([of_set.ravel() for of_set in places])
