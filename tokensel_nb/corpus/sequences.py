"""Texts with the order of their words, for models that know positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse

from ..support.arrays import to_numpy
from ..support.checks import checked, real, shaped, whole_number
from .corpus import Corpus


@dataclass(frozen=True, eq=False, repr=False)
class Sequences(Corpus):
    """Labelled texts as sequences of words: a `Corpus` of their counts that keeps the order as well.

    Parameters
    ----------
    counts, labels, vocabulary, class_names, weights
        As in `Corpus`; ``counts`` are those of ``tokens``.
    tokens : array of int, shape (n, length)
        The column of the word at each place of each text, and -1 behind its end.

    Raises
    ------
    ValueError
        If the parts do not fit together.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.Sequences([[0, 1, 1], [1, 1, 0]], ["up", "down"], ["bad", "film", "good"], tokens=[[2, 1], [0, 1]])
    >>> texts[1:].tokens.tolist(), ts.shuffle_labels(texts, seed=0).tokens.tolist()
    ([[0, 1]], [[2, 1], [0, 1]])
    """

    tokens: np.ndarray | None = None

    def __post_init__(self):
        """Refuse tokens that are not those of the counts."""
        super().__post_init__()
        tokens = np.array(to_numpy(shaped("tokens", real("tokens", self.tokens), (len(self), None))))
        if tokens.dtype.kind not in "iu":
            raise ValueError(f"tokens holds {tokens.dtype}; give a row of whole numbers for each text")
        if not ((tokens >= -1) & (tokens < self.vocab_size)).all() or (counted(tokens, self.vocab_size) != self.counts).nnz:
            raise ValueError("tokens are not those of counts; give the columns of the words that were counted")
        if (np.diff(tokens < 0, axis=1) & (tokens[:, 1:] >= 0)).any():
            raise ValueError("tokens holds a word behind the end of its text; put -1 behind all words")
        tokens.flags.writeable = False
        object.__setattr__(self, "tokens", tokens)

    def _others(self, rows):
        return (self.tokens[rows],)


@checked(longest=partial(whole_number, most=2**20))
def sequences_from_texts(texts, labels, *, longest: int, class_names: tuple[str, ...] = (), **options) -> Sequences:
    """Read the first words of labelled texts in their order.

    Parameters
    ----------
    texts, labels
        As in `corpus_from_texts`.
    longest : int
        How many words of a text are read at most.
    class_names : tuple of str, optional
        See `Corpus`.
    **options
        Of `corpus_from_texts`, which say what the words are and which are kept; the others leave no gap.

    Returns
    -------
    Sequences

    Raises
    ------
    ValueError
        As in `corpus_from_texts`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["Good, good film!", "A bad film"], ["pos", "neg"], longest=2)
    >>> texts, texts.tokens.tolist()
    (Sequences(2 texts, 3 words, 4 tokens; neg: 1, pos: 1), [[2, 2], [0, 1]])
    """
    from .text import read_columns  # here, since pyarrow takes half a second, and models need none

    lengths, columns, vocabulary = read_columns(texts, labels, **options)
    rows, known = np.repeat(np.arange(len(lengths)), lengths), columns >= 0
    rows, columns = rows[known], columns[known]
    places = np.arange(len(rows)) - np.searchsorted(rows, rows)  # of each word in its text
    tokens = np.full((len(lengths), longest), -1, np.int32)
    read = places < longest
    tokens[rows[read], places[read]] = columns[read]
    return Sequences(counted(tokens, len(vocabulary)), labels, vocabulary, class_names, tokens=tokens)


def counted(tokens, vocab_size) -> sparse.csr_array:
    """Return how often each word occurs in each sequence."""
    rows, _ = inside = np.nonzero(tokens >= 0)
    return sparse.coo_array((np.ones(len(rows), np.int32), (rows, tokens[inside])), (len(tokens), vocab_size)).tocsr()
