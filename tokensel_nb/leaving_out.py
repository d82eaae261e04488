"""What the logit of a text owes to each of its words: by how much it moves when the word is left out."""

from __future__ import annotations

import numpy as np

from .corpus import Corpus
from .counts import CountMatrix


class LeavingOut:
    """One layer of attention, ready to tell of every word of every text what it moves.

    With the weights w_s = c_s exp(a_s) of a text, their sum Z and values γ_s, leaving out all occurrences of s moves the logit
    f = Σ_s w_s γ_s / Z by::

        f(X) - f(X without s) = w_s (γ_s - f(X)) / (Z - w_s) = w_s (γ_s - f(X without s)) / Z.

    The first form is used where s is not the heaviest word of its text, so that Z - w_s is at least Z/2; the second for the
    heaviest, with a sum over the others that is made anew. So no digit is lost, whatever the scores. A text that is left
    empty has the logit zero.

    Parameters
    ----------
    scores : ndarray of float64, shape (vocab_size,)
        a_s = E_s·p.
    corpus : Corpus

    Attributes
    ----------
    rows, columns : ndarray of int, shape (nnz,)
        Text and word of every entry: of every word that occurs in a text.
    attention : ndarray of float64, shape (nnz,)
        What <cls> pays to all occurrences of the word together.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> found = LeavingOut(np.zeros(3), corpus)
    >>> values = np.array([-2.0, 0.0, 2.0])  # of "bad", "film", "good"
    >>> found.logits(values), found.moves(values)  # of "film", "good"; of "bad", "film"
    (array([ 1., -1.]), array([-1.,  1., -1.,  1.]))
    """

    def __init__(self, scores, corpus: Corpus):
        counts = CountMatrix.of(corpus, np.empty(0))
        self.rows, self.columns, self._texts = counts.rows, counts.columns, len(corpus)
        heights = np.log(counts.entries) + scores[counts.columns]
        tops = counts.reduce(heights, "max", -np.inf)[self.rows]
        candidates = np.flatnonzero(heights == tops)
        self._heaviest = np.zeros(len(heights), bool)  # one word of every text
        self._heaviest[candidates[np.diff(self.rows[candidates], prepend=-1) > 0]] = True
        self._weights = np.exp(heights - tops)
        others = np.where(self._heaviest, -np.inf, heights)
        self._others = np.exp(others - counts.reduce(others, "max", np.finfo(float).min)[self.rows])
        self._totals = self._sum(self._weights)[self.rows]
        self.attention = self._weights / self._totals

    def logits(self, values):
        """Return f(X) of every text.

        Parameters
        ----------
        values : ndarray, shape (vocab_size,)
            γ_s, of one class.

        Returns
        -------
        ndarray of float64, shape (n,)
        """
        return self._sum(self.attention * values[self.columns])

    def moves(self, values):
        """Return f(X) - f(X without s) of every entry.

        Parameters
        ----------
        values : ndarray, shape (vocab_size,)
            γ_s, of one class.

        Returns
        -------
        ndarray of float64, shape (nnz,)
        """
        of_words = values[self.columns]
        found = self.logits(values)[self.rows]
        with np.errstate(invalid="ignore"):
            rest = np.nan_to_num(self._sum(self._others * of_words) / self._sum(self._others))[self.rows]
        left = np.where(self._heaviest, self._totals, self._totals - self._weights)
        return self._weights * (of_words - np.where(self._heaviest, rest, found)) / left

    def _sum(self, of_entries):
        return np.bincount(self.rows, of_entries, self._texts)
