"""What a data set is: how often each word occurs in each text, and the label of each text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

BINARY = ("-1", "+1")


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Labelled texts, reduced to the counts of their words.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (n, vocab_size), not negative
        ``counts[i, s]`` is c_s(X_i), how often token s occurs in text i; whole numbers where texts were counted.
    labels : ndarray of int, shape (n,)
        -1 or +1 for two classes; 0 ... K-1 for K > 2 classes.
    vocabulary : sequence of str, length vocab_size
        The word of every column.
    class_names : tuple of str, optional
        Names in the order of the labels. They also fix the number of classes where a slice of a corpus misses some.
    weights : ndarray of float64, shape (n,), optional
        How much each text counts in every mean Ê; only their ratios matter. By default all count alike.

    Raises
    ------
    ValueError
        If the three parts do not fit together, a count is negative, or a label is none of the allowed ones.
    """

    counts: sparse.csr_array
    labels: np.ndarray
    vocabulary: np.ndarray
    class_names: tuple[str, ...] = ()
    weights: np.ndarray | None = None

    def __post_init__(self):
        counts = sparse.csr_array(self.counts)
        counts.sum_duplicates()
        vocabulary = np.asarray(self.vocabulary, dtype=object)
        labels = _whole_numbers(self.labels)
        if counts.shape != (len(labels), len(vocabulary)):
            raise ValueError(
                f"counts has shape {counts.shape}, but there are {len(labels)} labels and {len(vocabulary)} words; "
                "give one row a text and one column a word"
            )
        if counts.nnz and counts.data.min() < 0:
            raise ValueError("counts holds a negative number; give how often each word occurs")
        names = tuple(map(str, self.class_names)) or _default_names(labels)
        allowed = [-1, 1] if len(names) == 2 else list(range(len(names)))
        strange = ~np.isin(labels, allowed)
        if strange.any():
            row = int(strange.argmax())
            raise ValueError(f"labels[{row}] is {labels[row]}; with {len(names)} classes a label is one of {allowed}")
        weights = None if self.weights is None else _checked_weights(self.weights, len(labels))
        parts = dict(counts=counts, labels=labels, vocabulary=vocabulary, class_names=names, weights=weights)
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __len__(self):
        """Return the number of texts n."""
        return len(self.labels)

    def __getitem__(self, rows):
        """Return the texts that a slice, a mask or an array of indices picks, as a corpus of the same words."""
        if np.isscalar(rows):
            rows = [rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, counts=self.counts[rows], labels=self.labels[rows], weights=weights)

    def __repr__(self):
        """Name sizes and classes, as in ``Corpus(3 texts, 5 words, 9 tokens; -1: 1, +1: 2)``."""
        sizes = ", ".join(f"{name}: {(self.labels == label).sum():,}" for label, name in self._label_names())
        empty = int((self.lengths == 0).sum())
        note = f"; {empty:,} without a known word" if empty else ""
        return f"Corpus({len(self):,} texts, {self.vocab_size:,} words, {round(self.lengths.sum()):,} tokens; {sizes}{note})"

    @property
    def vocab_size(self):
        """The number of words |S|."""
        return len(self.vocabulary)

    @property
    def num_classes(self):
        """The number of classes K."""
        return len(self.class_names)

    @cached_property
    def mean_weights(self):
        """What each text contributes to a mean Ê, ndarray of shape (n,), float64, with the sum 1."""
        return self._weights / self._weights.sum()

    @cached_property
    def lengths(self):
        """The number of tokens T(X) of every text, ndarray of shape (n,): int64, or float64 for counts that are not whole."""
        lengths = np.asarray(self.counts.sum(axis=1)).ravel()
        return lengths.astype(np.result_type(lengths, np.int64))

    @cached_property
    def shares(self):
        """The share c_s(X)/T(X) of each word in each text, csr_array of float64; a text without words is a row of zeros."""
        rows = np.diff(self.counts.indptr)
        data = self.counts.data / np.repeat(np.where(self.lengths > 0, self.lengths, 1), rows)
        return sparse.csr_array((data, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def signed_frequency(self):
        """Return the average signed frequency α_s = Ê[y c_s(X)].

        Returns
        -------
        ndarray of float64
            Shape (vocab_size,) for two classes. For K classes, shape (vocab_size, K): Ê[(1{y=k} - 1/K) c_s(X)].
        """
        return self._mean_with_label(self.counts)

    def signed_share(self):
        """Return the average signed share ᾱ_s = Ê[y c_s(X)/T(X)], in the shapes of `signed_frequency`.

        It is α_s/T when all texts have T tokens, and what one gradient step really sees when they have not.

        Returns
        -------
        ndarray of float64, shape (vocab_size,) or (vocab_size, K)
        """
        return self._mean_with_label(self.shares)

    def label_skew(self):
        """Return δ_s = P(+1|s) - P(-1|s), from the labels of the texts in which each occurrence of s stands.

        Returns
        -------
        ndarray of float64, between -1 and 1
            Shape (vocab_size,) for two classes; shape (vocab_size, K) for K classes: P(k|s) - P(not k|s).
            NaN for a word that does not occur.
        """
        occurrences = self.counts.T @ (self._one_hot() * self._weights[:, None])
        with np.errstate(invalid="ignore"):
            share = occurrences / occurrences.sum(axis=1, keepdims=True)
        return share[:, 1] - share[:, 0] if self.num_classes == 2 else 2 * share - 1

    def column(self, word):
        """Return the column of a word.

        Parameters
        ----------
        word : str

        Returns
        -------
        int

        Raises
        ------
        KeyError
            If the vocabulary does not hold it.
        """
        found = np.flatnonzero(self.vocabulary == word)
        if not len(found):
            raise KeyError(f"{word!r} is not one of the {self.vocab_size:,} words of this corpus")
        return int(found[0])

    def split(self, fraction, seed):
        """Return two corpora of the same words: the rest, and a random ``fraction`` of the texts held out.

        Parameters
        ----------
        fraction : float, strictly between 0 and 1
        seed : int or numpy.random.Generator

        Returns
        -------
        (Corpus, Corpus)

        Raises
        ------
        ValueError
            If either part would be empty.
        """
        held_out = round(len(self) * fraction)
        if not 0 < held_out < len(self):
            raise ValueError(f"fraction={fraction} of {len(self)} texts leaves one part empty; choose it between 0 and 1")
        order = np.random.default_rng(seed).permutation(len(self))
        return self[np.sort(order[held_out:])], self[np.sort(order[:held_out])]

    def balanced(self, seed):
        """Return equally many texts of every class, as many as the rarest class has, drawn at random in their old order.

        Parameters
        ----------
        seed : int or numpy.random.Generator

        Returns
        -------
        Corpus

        Raises
        ------
        ValueError
            If a class has no text at all.
        """
        random = np.random.default_rng(seed)
        of_classes = [np.flatnonzero(self.labels == label) for label, _ in self._label_names()]
        rarest = int(np.argmin([len(rows) for rows in of_classes]))
        size = len(of_classes[rarest])
        if not size:
            raise ValueError(
                f"there is no text of the class {self.class_names[rarest]!r}; balance a corpus that has some of each"
            )
        return self[np.sort(np.concatenate([random.choice(rows, size, replace=False) for rows in of_classes]))]

    @property
    def _weights(self):
        return np.ones(len(self)) if self.weights is None else self.weights

    def _label_names(self):
        labels = (-1, 1) if self.num_classes == 2 else range(self.num_classes)
        return list(zip(labels, self.class_names))

    def _one_hot(self):
        return np.stack([self.labels == label for label, _ in self._label_names()], axis=1).astype(float)

    def _mean_with_label(self, matrix):
        # Divided last, so that counts that balance give an exact zero.
        weights = self._weights
        if self.num_classes == 2:
            return matrix.T @ (self.labels * weights) / weights.sum()
        return matrix.T @ ((self._one_hot() - 1 / self.num_classes) * weights[:, None]) / weights.sum()


def _whole_numbers(labels):
    labels = np.asarray(labels)
    if labels.ndim != 1 or labels.dtype.kind not in "iufb":
        raise ValueError(f"labels has dtype {labels.dtype} and {labels.ndim} dimensions; give one whole number a text")
    if labels.dtype.kind == "f":
        strange = ~(np.isfinite(labels) & (labels == np.round(labels)))
        if strange.any():
            row = int(strange.argmax())
            raise ValueError(f"labels[{row}] is {labels[row]}; give one whole number a text")
    return labels.astype(np.int64)


def _checked_weights(weights, texts):
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (texts,) or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError(f"weights must be {texts} finite numbers, none negative and not all zero")
    return weights


def _default_names(labels):
    if np.isin(labels, [-1, 1]).all():
        return BINARY
    return tuple(map(str, range(max(int(labels.max()) + 1, 3))))
