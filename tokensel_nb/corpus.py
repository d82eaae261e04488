"""A data set: how often every word occurs in every text, and the texts' labels."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from .arrays import like, to_numpy
from .counts import Counts


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Labelled texts, reduced to the counts of their words.

    Parameters
    ----------
    counts : scipy.sparse.csr_array or array, shape (n, vocab_size), not negative
        ``counts[i, s]`` is c_s(X_i), how often word s occurs in text i.
    labels : sequence, length n
        Numbers or names of classes, kept as 0 ... K-1 in ascending order, ndarray of int64. Where classes are named, numbers
        are such codes, or -1 and +1 for two classes.
    vocabulary : sequence of str, length vocab_size
        The word of every column.
    class_names : tuple of str, optional
        Names of the K classes in the order of their codes; by default what the labels are.
    weights : array, shape (n,), not negative, optional
        How much every text counts in a mean Ê; only the ratios matter. By default all count the same.
    tokens : array of int, shape (n, length), optional
        The order of the words, for models that use it: the column at every place of a text, and -1 after its end.

    Raises
    ------
    ValueError
        If the shapes do not match, a count or weight is negative or not finite, a word occurs twice in the vocabulary, or
        there are fewer than two classes.

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
    tokens: np.ndarray | None = None

    rank = 0  # of this process among those that share the texts; see `distributed`

    def __post_init__(self):
        counts = sparse.csr_array(self.counts if sparse.issparse(self.counts) else to_numpy(self.counts), copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        vocabulary = np.array(list(self.vocabulary), dtype=object)
        labels, names = _coded(self.labels, tuple(map(str, self.class_names)))
        if counts.shape != (len(labels), len(vocabulary)):
            sizes = f"{len(labels)} labels and {len(vocabulary)} words"
            raise ValueError(f"counts has shape {counts.shape}, but there are {sizes}; give a row per text, a column per word")
        if not (np.isfinite(counts.data) & (counts.data > 0)).all():
            raise ValueError("counts contains a number that is negative or not finite; give the words' numbers of occurrences")
        if len(set(vocabulary)) < len(vocabulary):
            raise ValueError("vocabulary contains a word twice; give every word one column")
        weights = None if self.weights is None else _checked_weights(self.weights, len(labels))
        tokens = None if self.tokens is None else _checked_tokens(self.tokens, counts)
        self._set(counts, labels, vocabulary, names, weights, tokens)

    def _set(self, *parts):
        for array in (parts[0].data, parts[0].indices, parts[0].indptr, *parts[1:]):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # so that cached results stay valid
        vars(self).update(zip(self.__dataclass_fields__, parts), _placed={})

    def __len__(self):
        """Return the number of texts n."""
        return len(self.labels)

    def __getitem__(self, rows):
        """Return the texts that a slice, a mask or an array of indices selects, as a corpus of the same words."""
        rows = np.atleast_1d(np.arange(len(self))[rows])
        weights, tokens = (None if part is None else part[rows] for part in (self.weights, self.tokens))
        part = object.__new__(Corpus)  # without the checks, which have passed
        part._set(self.counts[rows], self.labels[rows], self.vocabulary, self.class_names, weights, tokens)
        return part

    def __repr__(self):
        """Return sizes and classes, as in ``Corpus(3 texts, 5 words, 9 tokens; -1: 1, +1: 2)``."""
        empty = int((self.lengths == 0).sum())
        note = f"; {empty:,} without a known word" if empty else ""
        sizes = f"{len(self):,} texts, {self.vocab_size:,} words, {round(self.lengths.sum()):,} tokens"
        classes = zip(self.class_names, np.bincount(self.labels, minlength=self.num_classes))
        return f"Corpus({sizes}; {', '.join(f'{name}: {texts:,}' for name, texts in classes)}{note})"

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
            raise ValueError(f"the corpus has {self.num_classes} classes; signs are only defined for two")
        return 2.0 * self.labels - 1

    @property
    def one_hot(self):
        """The labels as rows of the identity, ndarray of float64, shape (n, K)."""
        return np.eye(self.num_classes)[self.labels]

    @cached_property
    def mean_weights(self):
        """The weight of every text in a mean Ê, ndarray of float64, shape (n,), with the sum 1."""
        return self._weights / self._weights.sum()

    @property
    def _weights(self):
        return np.ones(len(self)) if self.weights is None else self.weights

    def placed(self, name, reference):
        """Return one of these arrays as `like` does; it is kept, so that the next step need not wait for a device."""
        key = name, reference.dtype, getattr(reference, "device", None)
        if key not in self._placed:
            self._placed[key] = like(getattr(self, name), reference)
        return self._placed[key]

    @cached_property
    def operator(self):
        """The counts as a factor of arrays and tensors, `Counts`."""
        return Counts(self.counts, self.tokens)

    @cached_property
    def lengths(self):
        """The number of tokens T(X) of every text, ndarray of shape (n,): int64, or float64 for counts that are not whole."""
        lengths = self.counts.sum(axis=1)
        return lengths.astype(np.result_type(lengths, np.int64))

    @cached_property
    def shares(self):
        """The shares c_s(X)/T(X), csr_array of float64, shape (n, vocab_size); a text without words is a row of zeros."""
        lengths = np.repeat(self.lengths, np.diff(self.counts.indptr))
        return sparse.csr_array((self.counts.data / lengths, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

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

        It is α_s/T if all texts have T tokens. If they don't, it is what a gradient step depends on.

        Returns
        -------
        ndarray of float64, shape (vocab_size,) or (vocab_size, K)
        """
        return self._mean_with_label(self.shares)

    def _mean_with_label(self, matrix):
        centred = self.signs[:, None] if self.num_classes == 2 else self.one_hot - 1 / self.num_classes
        # Divide last, so that balanced counts give an exact zero.
        mean = matrix.T @ (centred * self._weights[:, None]) / self._weights.sum()
        return mean[:, 0] if self.num_classes == 2 else mean

    def label_skew(self):
        """Return δ_s = P(+1|s) - P(-1|s): the share of the occurrences of s in positive texts, minus that in negative ones.

        Returns
        -------
        ndarray of float64, between -1 and 1
            Shape (vocab_size,) for two classes; shape (vocab_size, K) for K classes: P(k|s) - P(not k|s).
            NaN for a word that doesn't occur.
        """
        occurrences = self.counts.T @ (self.one_hot * self._weights[:, None])
        with np.errstate(invalid="ignore"):
            share = occurrences / occurrences.sum(axis=1, keepdims=True)
        return share[:, 1] - share[:, 0] if self.num_classes == 2 else 2 * share - 1

    def column(self, word):
        """Return the column of a word, int; a KeyError if it isn't in the vocabulary."""
        return self._columns[word]

    @cached_property
    def _columns(self):
        return {word: column for column, word in enumerate(self.vocabulary)}

    def split(self, fraction, seed):
        """Split off a random ``fraction`` of the texts, and return two corpora: the rest, and these.

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
            raise ValueError(f"fraction={fraction} of {len(self)} texts leaves one part empty; choose one between 0 and 1")
        order = np.random.default_rng(seed).permutation(len(self))
        return self[np.sort(order[held_out:])], self[np.sort(order[:held_out])]

    def balanced(self, seed):
        """Draw as many texts of every class as the rarest class has, and return them in their original order.

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
            raise ValueError(f"the class {name!r} has no text; balance a corpus that has texts of all classes")
        return self[np.sort(np.concatenate([random.choice(rows, fewest, replace=False) for rows in rows_of]))]

    def mean_over(self, function):
        """Return a function's means over the texts; `Shards` and `Shared` combine those of their parts."""
        return function(self)

    def digest(self):
        """Return a digest of the whole corpus, str, by which checkpoints tell corpora apart."""
        counts, words = self.counts, "\n".join(map(str, self.vocabulary)).encode()
        parts = [counts.indptr, counts.indices, counts.data, self.labels, self.mean_weights, words]
        return digest(*parts, *([] if self.tokens is None else [self.tokens]))


def shuffle_labels(corpus: Corpus, seed, within=None) -> Corpus:
    """Permute the labels at random, so that words say something about labels only by chance.

    Use it as a control for figures over the label skew. Shuffled labels have a skew, too, and a model memorises them.

    Parameters
    ----------
    corpus : Corpus
    seed : int or numpy.random.Generator
    within : sequence of int, length K, optional
        A number for every class: labels are permuted only among classes with the same number.

    Returns
    -------
    Corpus
        The same texts, with as many of every class as before. Weights stay with their texts.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "good", "bad film", "bad"], [1, 1, -1, -1])
    >>> ts.shuffle_labels(corpus, seed=0).labels.tolist()
    [0, 1, 1, 0]
    """
    random, labels = np.random.default_rng(seed), corpus.labels.copy()
    groups = np.zeros(len(corpus)) if within is None else np.asarray(within)[labels]
    for group in np.unique(groups):
        labels[groups == group] = random.permutation(labels[groups == group])
    return relabelled(corpus, labels)


def relabelled(corpus: Corpus, labels) -> Corpus:
    """Return the same texts with other labels 0 ... K-1."""
    other = copy.copy(corpus)  # with all cached results that depend on the counts alone
    other._set(corpus.counts, labels, corpus.vocabulary, corpus.class_names, corpus.weights, corpus.tokens)
    return other


def counted(tokens, vocab_size) -> sparse.csr_array:
    """Return how often every word occurs in sequences of columns; -1 is no word."""
    rows, _ = inside = np.nonzero(tokens >= 0)
    return sparse.coo_array((np.ones(len(rows), np.int32), (rows, tokens[inside])), (len(tokens), vocab_size)).tocsr()


def digest(*parts) -> str:
    """Return a digest of the bytes of arrays."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part if isinstance(part, bytes) else np.ascontiguousarray(part))
    return hashed.hexdigest()[:16]


def _coded(labels, names):
    """Return labels as 0 ... K-1, and the names of the K classes."""
    labels = to_numpy(labels)
    if labels.dtype.kind == "f" and (labels % 1 == 0).all():
        labels = labels.astype(np.int64)
    if labels.ndim != 1 or labels.dtype.kind == "f":
        raise ValueError(f"labels has shape {labels.shape} and dtype {labels.dtype}; give an integer or a name per text")
    numbers = labels.dtype.kind in "biu"
    if not names:
        signs = numbers and np.isin(labels, [-1, 1]).all()
        known = [-1, 1] if signs else np.unique(labels).tolist()
        names = ("-1", "+1") if signs else tuple(map(str, known))
    elif numbers:
        known = range(len(names))
    else:
        known = names
    code_of = ({-1: 0} if len(names) == 2 else {}) | {label: code for code, label in enumerate(known)}
    codes = np.array([code_of.get(label, -1) for label in labels.tolist()], np.int64)
    if strange := np.flatnonzero(codes < 0).tolist():
        raise ValueError(f"labels[{strange[0]}] is {labels[strange[0]]!r}, not one of the classes {', '.join(names)}")
    if len(set(names)) < max(len(names), 2):
        raise ValueError(f"the classes are {', '.join(names) or 'none'}; give two or more, or name them in class_names")
    return codes, names


def _checked_weights(weights, texts):
    weights = np.array(to_numpy(weights), dtype=float)
    if weights.shape != (texts,) or not (np.isfinite(weights) & (weights >= 0)).all() or not weights.sum() > 0:
        raise ValueError(f"weights must be {texts} finite numbers of at least 0, and not all zero")
    return weights


def _checked_tokens(tokens, counts):
    tokens = np.array(to_numpy(tokens))
    inside = tokens.ndim == 2 and tokens.dtype.kind in "iu" and ((tokens >= -1) & (tokens < counts.shape[1])).all()
    if not inside or len(tokens) != counts.shape[0] or (counted(tokens, counts.shape[1]) != counts).nnz:
        raise ValueError("tokens and counts disagree; give the columns of the words that were counted")
    if (np.diff(tokens < 0, axis=1) & (tokens[:, 1:] >= 0)).any():
        raise ValueError("tokens contains a word after a -1; put all -1 at the end of a text")
    return tokens
