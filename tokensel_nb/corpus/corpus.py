"""A data set: how often each word occurs in each text, and the label of each text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from functools import cached_property, partial
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from ..support import checks
from ..support.arrays import to_numpy
from ..support.checks import LARGEST, checked, cut, generator, instance, listed, number, real, shortened, whole_matrix
from ..support.threads import numbers_in

BINARY = ("-1", "+1")  # the names of two classes that came as signs


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Labelled texts, reduced to the counts of their words.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, shape (n, vocab_size), not negative
        ``counts[i, s]`` is c_s(X_i), how often token s occurs in text i; whole numbers where texts were counted.
    labels : sequence, length n
        Given as 0 ... K-1, for two classes as -1 and +1, or as the names of the classes; kept as 0 ... K-1, ndarray of int64.
    vocabulary : sequence of str, length vocab_size
        The word of every column.
    class_names : tuple of str, optional
        Names in the order of the labels. They also fix the number of classes where a corpus lacks texts of some. By default
        "-1" and "+1" for signs, the words themselves in alphabetical order for words, "0" ... "K-1" for numbers.
    weights : ndarray of float64, shape (n,), optional
        How much each text counts in every mean Ê; only the ratios matter. By default all count the same.

    Raises
    ------
    ValueError
        If the parts do not fit together, a count is negative, or it is not clear which class a label names.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[0, 1, 1], [1, 1, 0]], ["up", "down"], ["bad", "film", "good"])
    >>> corpus, corpus.column("film")
    (Corpus(2 texts, 3 words, 4 tokens; down: 1, up: 1), 1)
    >>> print(corpus.signed_frequency(), corpus.signed_share(), corpus.label_skew())
    [-0.5  0.   0.5] [-0.25  0.    0.25] [-1.  0.  1.]
    >>> corpus[:1], corpus.balanced(seed=0), len(corpus.split(0.5, seed=0)[1])
    (Corpus(1 texts, 3 words, 2 tokens; down: 0, up: 1), Corpus(2 texts, 3 words, 4 tokens; down: 1, up: 1), 1)
    """

    counts: sparse.csr_array
    labels: np.ndarray
    vocabulary: np.ndarray
    class_names: tuple[str, ...] = ()
    weights: np.ndarray | None = None

    def __post_init__(self):
        counts = _checked_counts(self.counts)
        vocabulary = _checked_words(self.vocabulary)
        labels, names = code_labels(self.labels, tuple(map(str, listed("class_names", self.class_names))))
        if counts.shape != (len(labels), len(vocabulary)):
            sizes = f"counts has shape {counts.shape}, but there are {len(labels)} labels and {len(vocabulary)} words"
            raise ValueError(f"{sizes}; give one row per text and one column per word")
        weights = None if self.weights is None else _checked_weights(self.weights, len(labels))
        self._keep(counts, labels, vocabulary, names, weights)

    def _keep(self, *parts):
        """Set the parts, which nobody else holds, so that nothing prepared of them can go stale."""
        counts = parts[0]
        for array in (counts.data, counts.indices, counts.indptr, *parts[1:]):
            if isinstance(array, np.ndarray):
                _read_only(array)
        for field, part in zip(fields(self), parts):
            object.__setattr__(self, field.name, part)

    def __len__(self):
        """Return the number of texts n."""
        return len(self.labels)

    def __getitem__(self, rows):
        """Return the texts that a slice, a mask or an array of indices picks, as a corpus of the same words."""
        rows = checked_rows(rows, len(self))
        weights = None if self.weights is None else _checked_weights(self.weights[rows], len(self.labels[rows]))
        parts = (self.counts[rows], self.labels[rows].copy(), self.vocabulary, self.class_names, weights)
        return unchecked(type(self), *parts, *self._others(rows))

    def __repr__(self):
        """Return sizes and classes, as in ``Corpus(3 texts, 5 words, 9 tokens; -1: 1, +1: 2)``."""
        empty = int((self.lengths == 0).sum())
        note = f"; {empty:,} without a known word" if empty else ""
        sizes = f"{len(self):,} texts, {self.vocab_size:,} words, {round(self.lengths.sum()):,} tokens"
        return f"{type(self).__name__}({sizes}; {class_sizes(self)}{note})"

    @property
    def vocab_size(self):
        """The number of words |S|."""
        return len(self.vocabulary)

    @property
    def num_classes(self):
        """The number of classes K."""
        return len(self.class_names)

    @property
    def signs(self):
        """The labels of two classes as y = -1 or +1, ndarray of float64, shape (n,); a ValueError for more classes."""
        if self.num_classes != 2:
            raise ValueError(f"the corpus has {self.num_classes} classes; signs are defined for two")
        return 2.0 * self.labels - 1

    @cached_property
    def mean_weights(self):
        """The weight of each text in a mean Ê, ndarray of shape (n,), float64, with the sum 1."""
        return _read_only(self._weights / self._weights.sum())

    @cached_property
    def lengths(self):
        """The number of tokens T(X) of every text, ndarray of shape (n,): int64, or float64 for counts that are not whole."""
        lengths = self.counts.sum(axis=1)
        return _read_only(lengths.astype(np.result_type(lengths, np.int64)))

    @cached_property
    def shares(self):
        """The share c_s(X)/T(X) of each word in each text, csr_array of float64; a text without words is a row of zeros."""
        rows = np.diff(self.counts.indptr)
        data = _read_only(self.counts.data / np.repeat(np.where(self.lengths > 0, self.lengths, 1), rows))
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

        It is α_s/T if all texts have T tokens. If they haven't, it is what a gradient step sees.

        Returns
        -------
        ndarray of float64, shape (vocab_size,) or (vocab_size, K)
        """
        return self._mean_with_label(self.shares)

    def label_skew(self):
        """Return δ_s = P(+1|s) - P(-1|s): the share of the occurrences of s in positive texts, minus that in negative ones.

        Returns
        -------
        ndarray of float64, between -1 and 1
            Shape (vocab_size,) for two classes; shape (vocab_size, K) for K classes: P(k|s) - P(not k|s).
            NaN for a word that doesn't occur.
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
            If the word isn't in the vocabulary.
        """
        for column, known in enumerate(self.vocabulary):
            if isinstance(known, type(word)) and known == word:
                return column
        raise KeyError(f"{shortened(word)} is not one of the {self.vocab_size:,} words of this corpus")

    @checked(fraction=partial(number, least=0, most=1, open_below=True, open_above=True), seed=generator)
    def split(self, fraction, seed):
        """Split off a random ``fraction`` of the texts, and return two corpora: the rest, and these.

        Parameters
        ----------
        fraction : float, strictly between 0 and 1
            The number of texts held out is rounded to the nearest whole one, a half to the even one.
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

    @checked(seed=generator)
    def balanced(self, seed):
        """Draw as many texts of every class as the rarest class has, and return them in their old order.

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
        rows_of = [np.flatnonzero(self.labels == label) for label in range(self.num_classes)]
        fewest, name = min(zip(map(len, rows_of), self.class_names))
        if not fewest:
            raise ValueError(f"there is no text of the class {name!r}; balance a corpus that has some of each")
        return self[np.sort(np.concatenate([random.choice(rows, fewest, replace=False) for rows in rows_of]))]

    def _others(self, rows):
        """Return what a subclass keeps of some texts beside the fields of a corpus."""
        return ()

    @property
    def _weights(self):
        return np.ones(len(self)) if self.weights is None else self.weights

    def _one_hot(self):
        return np.eye(self.num_classes)[self.labels]

    def _mean_with_label(self, matrix):
        # Divided last, so that counts that balance give an exact zero.
        weights = self._weights
        if self.num_classes == 2:
            return matrix.T @ (self.signs * weights) / weights.sum()
        return matrix.T @ ((self._one_hot() - 1 / self.num_classes) * weights[:, None]) / weights.sum()


def class_sizes(corpus):
    """Return how many texts each class of a corpus has, as its ``repr`` says it."""
    sizes = np.bincount(corpus.labels, minlength=corpus.num_classes)
    return ", ".join(f"{name}: {size:,}" for name, size in zip(corpus.class_names, sizes))


def unchecked(kind: type[Corpus], *parts) -> Corpus:
    """Return a corpus without checks, which is safe for parts of one that was checked: nobody can have changed them since."""
    corpus = object.__new__(kind)
    corpus._keep(*parts)
    return corpus


@numbers_in.register
def _(corpus: Corpus):
    return 4 * corpus.counts.nnz  # each is multiplied with a score and a value, on the way forth and on the way back


def some_texts(name, corpus) -> Corpus:
    """Return an argument that is a corpus of at least one text: no texts have no mean."""
    if not len(instance(name, corpus, Corpus)):
        raise ValueError(f"{name} holds no text; give at least one")
    return corpus


@checked(corpus=Corpus, seed=generator)
def shuffle_labels(corpus: Corpus, seed) -> Corpus:
    """Permute the labels at random, so that whatever words say about labels is chance.

    Use it as a control for figures over the label skew. Shuffled labels have a skew, too, and a model memorises them.

    Parameters
    ----------
    corpus : Corpus
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus
        The same texts, with as many of each class as before. Weights stay with their texts.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "good", "bad film", "bad"], [1, 1, -1, -1])
    >>> ts.shuffle_labels(corpus, seed=0).labels.tolist()
    [0, 1, 1, 0]
    """
    labels = np.random.default_rng(seed).permutation(corpus.labels.copy())
    return relabelled(corpus, labels)


def relabelled(corpus: Corpus, labels) -> Corpus:
    """Return the same texts with other labels 0 ... K-1."""
    parts = (corpus.counts, labels, corpus.vocabulary, corpus.class_names, corpus.weights)
    return unchecked(type(corpus), *parts, *corpus._others(slice(None)))


def _checked_counts(counts):
    """Return counts as a CSR array that nobody else holds: entries sorted, each once, none zero, wide enough for their sum."""
    if not (packed := sparse.issparse(counts)):
        counts = to_numpy(real("counts", counts, truths=True))
    if counts.ndim != 2 or counts.dtype.kind not in "biuf":
        given = f"{counts.ndim} dimensions of {counts.dtype}"
        raise ValueError(f"counts has {given}; give numbers, one row per text and one column per word")
    counts = whole_matrix("counts", counts) if packed else counts
    data = counts.data if packed else counts
    if not (np.isfinite(data) & (data >= 0)).all():
        raise ValueError("counts holds a number that is negative or not finite; give how often each word occurs")
    total = data.sum(dtype=np.float64)
    if not total <= LARGEST:
        raise ValueError(f"counts has the sum {total:.3g}; give a sum of at most 2**53, up to which float64 is exact")
    wide = np.float64 if counts.dtype.kind == "f" else np.int64
    keeps = counts.dtype in (np.int64, np.float32, np.float64) or (counts.dtype == np.int32 and total < 2**31)
    dtype = counts.dtype.newbyteorder("=") if keeps else wide
    counts = sparse.csr_array(counts, dtype=dtype, copy=True)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts


def _checked_words(vocabulary):
    """Return a vocabulary as an array of objects, each once."""
    words = listed("vocabulary", vocabulary)
    if len(checks.different("vocabulary", words)) < len(words):
        twice, _ = Counter(words).most_common(1)[0]
        raise ValueError(f"vocabulary holds {shortened(twice)} twice; give every word one column")
    return np.fromiter(words, dtype=object, count=len(words))


def checked_rows(rows, texts):
    """Return rows as a slice, or as an array of indices."""
    if isinstance(rows, slice):
        return rows
    array = np.atleast_1d(rows)
    array = checks.unmasked("rows", array if array.size else array.astype(np.int64))
    if array.ndim != 1 or array.dtype.kind not in "biu" or (array.dtype.kind == "b" and len(array) != texts):
        raise TypeError(f"rows={shortened(rows)}; pick texts by a slice, by {texts} truth values, or by whole numbers")
    if array.dtype.kind == "b":
        return np.flatnonzero(array)
    if len(array) and not (-texts <= array.min() and array.max() < texts):
        raise IndexError(f"rows={shortened(rows)}; there are {texts} texts")
    return array


def code_labels(labels, names):
    """Return labels as 0 ... K-1, and the names of the K classes; ``names`` is empty where none were given."""
    if len(set(names)) < len(names):
        raise ValueError(f"class_names holds a name twice: {cut(', '.join(names))}; give every class a different one")
    labels, words = _of_one_kind(labels)
    if words:
        known = names or tuple(sorted(set(labels)))
        code_of = {name: code for code, name in enumerate(known)}
        codes = np.array([code_of.get(label, -1) for label in labels], np.int64)
        allowed = f"one of {cut(', '.join(map(repr, known)))}"
    else:
        codes, known, allowed = _coded_numbers(labels, names)
    if (codes < 0).any():
        row = int(codes.argmin())
        raise ValueError(f"labels[{row}] is {shortened(labels[row])}; with {len(known)} classes a label is {allowed}")
    if len(known) < 2:
        raise ValueError(f"every label is {shortened(known[0])}; two classes are needed, name them in class_names")
    return codes, known


def _of_one_kind(labels):
    """Return labels as a list of words, or as an array of whole numbers, and whether they are words."""
    array = checks.row_of("labels", labels)
    if array.dtype.kind in "mM":
        raise ValueError(f"labels holds {array.dtype}; give whole numbers or names")
    if array.dtype.kind in "iu" and not (array.size and array.max() > LARGEST):
        return array.astype(np.int64), False
    given = array.tolist() if isinstance(labels, np.ndarray) else list(labels)
    words = any(isinstance(label, str) for label in given)
    for row, label in enumerate(given):
        whole = isinstance(label, Integral) or (isinstance(label, Real) and float(label).is_integer())
        if not (isinstance(label, str) if words else whole and abs(label) <= LARGEST):
            kind = "word" if words else "whole number"
            raise ValueError(f"labels[{row}] is {shortened(label)}; give a {kind} for every text")
    return (list(map(str, given)) if words else np.array(given, np.int64)), words


def _coded_numbers(labels, names):
    """Return codes (negative for what names no class, least for what never does), the classes' names, and what is allowed."""
    if np.isin(labels, [-1, 1]).all() and (not names or len(names) == 2):
        return (labels > 0).astype(np.int64), names or BINARY, "-1 or 1"
    classes = len(names) or max(int(labels.max()) + 1, 2)
    present = np.unique(labels[labels >= 0])
    if not names and classes > 2 and len(present) < classes:
        absent = int(np.argmax(np.append(present, -1) != np.arange(len(present) + 1)))
        largest = f"no label is {absent}, but one is {classes - 1}"
        raise ValueError(f"{largest}; name all classes in class_names, or renumber them")
    codes = np.where((labels >= 0) & (labels < classes), labels, np.where(abs(labels) > 1, -2, -1))
    allowed = f"one of 0 to {classes - 1}{', or -1 and 1' if classes == 2 else ''}"
    return codes, names or tuple(map(str, range(classes))), allowed


def _read_only(array):
    array.flags.writeable = False
    return array


def _checked_weights(weights, texts):
    weights = checks.weights_of("weights", weights, texts)
    if not 0 < weights.sum() < np.inf:
        raise ValueError("weights must have a sum that is positive and finite")
    return weights
