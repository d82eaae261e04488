"""Which tokens are relevant, and whether a corpus satisfies Assumption 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .corpus import Corpus


@dataclass(frozen=True)
class Answer:
    """Whether a corpus satisfies Assumption 1; true in a condition if it does.

    Parameters
    ----------
    counter_example : str
        The first text or token that breaks it, in one sentence; empty if there is none.
    text, token : int or None
        The row of that text, the column of that token.
    """

    counter_example: str = ""
    text: int | None = None
    token: int | None = None

    def __bool__(self):
        """Whether the assumption holds."""
        return not self.counter_example

    def __repr__(self):
        """Say so in words."""
        return "Assumption 1 holds" if self else f"Assumption 1 does not hold: {self.counter_example}"


def complete_tokens(corpus: Corpus) -> np.ndarray:
    """Tell which tokens are completely positive (+1), which completely negative (-1), and which neither (0).

    A token is completely positive if it occurs, and only in texts labelled +1. The weights of the texts do not matter.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    ndarray of int64, shape (vocab_size,)

    Raises
    ------
    ValueError
        If the corpus has more than two classes.
    """
    if corpus.num_classes != 2:
        raise ValueError(f"the corpus has {corpus.num_classes} classes; relevant tokens are defined for two, -1 and +1")
    holds = sparse.csr_array(corpus.counts > 0)
    texts = [holds[corpus.labels == label].sum(axis=0) for label in (-1, 1)]
    negative, positive = (np.asarray(number).ravel() > 0 for number in texts)
    return positive.astype(np.int64) * ~negative - negative.astype(np.int64) * ~positive


def relevant_tokens(corpus: Corpus) -> sparse.csr_array:
    """Mark the relevant tokens of every text: those that are completely positive or completely negative.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    scipy.sparse.csr_array of bool, shape (n, vocab_size)
        Entry (i, s) is true where text i holds the relevant token s; a row may be empty, or hold several.

    Raises
    ------
    ValueError
        If the corpus has more than two classes.
    """
    counts = corpus.counts
    data = (counts.data > 0) & (complete_tokens(corpus) != 0)[counts.indices]
    marks = sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape, copy=True)
    marks.eliminate_zeros()
    return marks


def check_assumption_1(corpus: Corpus) -> Answer:
    """Tell whether every text has exactly one relevant token and all its others are irrelevant (Assumption 1 of the paper).

    Relevant: completely positive or completely negative; one token that stands in a text twice is one token.
    Irrelevant: a signed frequency Ê[y c_s(X)] of exactly zero, where all texts weigh alike, whatever their weights.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    Answer
        With the first counter-example: first the texts in their order, then the tokens.

    Raises
    ------
    ValueError
        If the corpus has more than two classes.
    """
    complete = complete_tokens(corpus)
    relevant = relevant_tokens(corpus)
    numbers = np.diff(relevant.indptr)
    if (numbers != 1).any():
        text = int((numbers != 1).argmax())
        words = [
            repr(corpus.vocabulary[token]) for token in relevant.indices[relevant.indptr[text] : relevant.indptr[text + 1]]
        ]
        found = f"{len(words)} relevant tokens, {' and '.join(words[:2])}{' and others' if len(words) > 2 else ''}"
        return Answer(f"text {text} holds {found if words else 'no relevant token'}", text=text)
    balance = corpus.counts.T @ corpus.labels  # whole numbers, so that zero is zero
    skewed = (balance != 0) & (complete == 0)
    if skewed.any():
        token = int(skewed.argmax())
        more, other = ("+1", "-1") if balance[token] > 0 else ("-1", "+1")
        sentence = (
            f"token {corpus.vocabulary[token]!r} is neither relevant nor irrelevant: it occurs {abs(int(balance[token]))} "
            f"times more often in texts labelled {more}, but in texts labelled {other} as well"
        )
        return Answer(sentence, token=token)
    return Answer()
