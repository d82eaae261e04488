"""Which tokens are relevant, and whether a corpus satisfies Assumption 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Answer:
    """Whether a corpus satisfies Assumption 1 (its truth value), and otherwise the first text or token that breaks it."""

    counter_example: str = ""

    def __bool__(self):
        """Whether the assumption holds."""
        return not self.counter_example

    def __repr__(self):
        """Show the answer as a sentence."""
        return "Assumption 1 holds" if self else f"Assumption 1 does not hold: {self.counter_example}"


def complete_tokens(corpus) -> np.ndarray:
    """Return for every token whether it is completely positive (+1), completely negative (-1), or neither (0).

    A token is completely positive if it occurs in texts of the second class only. Weights of texts don't matter.

    Parameters
    ----------
    corpus : Corpus
        Two classes.

    Returns
    -------
    ndarray of int64, shape (vocab_size,)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.complete_tokens(corpus)
    array([ 1, -1,  0])
    """
    positive, negative = ((corpus.counts > 0).T @ (corpus.signs == sign) for sign in (1, -1))
    return positive.astype(np.int64) - negative


def relevant_tokens(corpus) -> sparse.csr_array:
    """Mark the relevant tokens of every text: those that are completely positive or completely negative.

    Parameters
    ----------
    corpus : Corpus
        Two classes.

    Returns
    -------
    scipy.sparse.csr_array of bool, shape (n, vocab_size)
        Entry (i, s) is true where text i contains the relevant token s. A row may be empty, or have several such entries.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.relevant_tokens(corpus).toarray().tolist()
    [[True, False, False], [False, True, False]]
    """
    marks = sparse.csr_array((corpus.counts > 0).multiply(complete_tokens(corpus) != 0))
    marks.eliminate_zeros()
    return marks


def check_assumption_1(corpus) -> Answer:
    """Check Assumption 1 of the paper: every text has exactly one relevant token, and all its others are irrelevant.

    A token is relevant if it is completely positive or completely negative; if it occurs twice in a text, it counts once.
    It is irrelevant if its signed frequency Ê[y c_s(X)] is exactly zero. For this, all texts have the same weight.

    Parameters
    ----------
    corpus : Corpus
        Two classes.

    Returns
    -------
    Answer
        True in a condition if the assumption holds. Otherwise ``counter_example`` names the first text that breaks it, or else
        the first token.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> ts.check_assumption_1(corpus)
    Assumption 1 holds
    >>> ts.check_assumption_1(ts.Corpus([[1, 1], [0, 2]], [1, -1], ["good", "film"]))
    Assumption 1 does not hold: text 1 has no relevant token
    """
    relevant = relevant_tokens(corpus)
    numbers = np.diff(relevant.indptr)
    if (numbers != 1).any():
        text = int((numbers != 1).argmax())
        words = [repr(word) for word in corpus.vocabulary[relevant[[text]].indices]]
        several = f"{len(words)} relevant tokens, {' and '.join(words[:2])}{' and others' if len(words) > 2 else ''}"
        return Answer(f"text {text} has {several if words else 'no relevant token'}")
    balance = corpus.counts.T @ corpus.signs  # sums of whole numbers, so that zero is zero
    if (skewed := (balance != 0) & (complete_tokens(corpus) == 0)).any():
        token = int(skewed.argmax())
        other, more = corpus.class_names if balance[token] > 0 else corpus.class_names[::-1]
        surplus = f"it occurs in texts labelled {other}, but {abs(int(balance[token]))} times more in those labelled {more}"
        return Answer(f"token {corpus.vocabulary[token]!r} is neither relevant nor irrelevant: {surplus}")
    return Answer()
