"""The matrix of counts C as a factor, with which all models compute, whatever their kind of array."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from .arrays import in_memory, is_torch, like, namespace, to_numpy


class Counts:
    """How often every word occurs in every text, for products: ``counts @ x`` and ``counts.T @ y``.

    SciPy multiplies numpy arrays and tensors, torch those on a GPU. The graph of tensors is kept. SciPy sums in float64, and
    the result has the dtype of the other factor.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array, shape (n, vocab_size)
    order : ndarray of int, shape (n, length), optional
        The column of the word at every place of a text, -1 after its end.

    Attributes
    ----------
    shape : (int, int)
    columns, rows : ndarray of int, shape (nnz,)
        The word and the text of every entry, text by text.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> counts = ts.Corpus([[0, 2, 1], [1, 0, 0]], ["up", "down"], ["bad", "film", "good"]).operator
    >>> counts @ np.ones(3), counts.T @ np.ones(2)
    (array([3., 1.]), array([1., 2., 1.]))
    """

    def __init__(self, matrix, order=None):
        # Sums over thousands of texts lose digits in float32, and save no time.
        self.matrix, self.order = matrix.astype(float, copy=False), order
        self.shape, self.columns = matrix.shape, matrix.indices
        self._on_devices = {}

    @cached_property
    def T(self) -> Counts:
        """The transpose, for products only."""
        return Counts(self.matrix.T)

    @cached_property
    def rows(self):
        """The text of every entry."""
        return np.repeat(np.arange(self.shape[0]), self.sizes)

    @cached_property
    def sizes(self):
        """The number of distinct words of every text."""
        return np.diff(self.matrix.indptr)

    @cached_property
    def _starts(self):
        """Where the entries of the texts with words begin."""
        return self.matrix.indptr[:-1][self.sizes > 0]

    def __matmul__(self, x):
        """Return the product with a vector or with a few columns."""
        if not is_torch(x):
            return self.times(x)
        from .graph import Product

        return Product.apply(x, self)

    def times(self, x):
        """Return the product, without a graph."""
        if not in_memory(x):
            return self._on_device(x) @ x
        dense = to_numpy(x).astype(float)
        if dense.ndim == 1 or dense.shape[1] > 8:
            return like(self.matrix @ dense, x)
        # SciPy takes half the time if a few columns are multiplied one by one.
        return like(np.stack([self.matrix @ column for column in np.ascontiguousarray(dense.T)], axis=1), x)

    def _on_device(self, x):
        """Return the matrix as torch's, cached by device and dtype."""
        from .graph import sparse_tensor

        key = x.device, x.dtype
        if key not in self._on_devices:
            self._on_devices[key] = sparse_tensor(self.matrix, x)
        return self._on_devices[key]

    def with_entries(self, entries) -> Counts:
        """Return the same matrix with other entries, ndarray of shape (nnz,)."""
        return Counts(sparse.csr_array((entries, self.columns, self.matrix.indptr), shape=self.shape))

    def entries(self, texts):
        """Return the numbers of the entries of some texts, in the order of the texts."""
        sizes = self.sizes[texts]
        return np.arange(sizes.sum()) + np.repeat(self.matrix.indptr[:-1][texts] - (sizes.cumsum() - sizes), sizes)

    def padded(self, reference):
        """Return the distinct words of every text, padded to the largest number of one text, for models that compare words.

        Parameters
        ----------
        reference : tensor
            With the device and dtype of the result, such as the embeddings.

        Returns
        -------
        words : tensor of int64, shape (n, T)
            Columns; 0 in the padding.
        log_counts : tensor, shape (n, T)
            To be added to the logits of a softmax over words; minus infinity in the padding.
        """
        inside = np.arange(self.sizes.max(initial=0)) < self.sizes[:, None]
        words, log_counts = np.zeros(inside.shape, np.int64), np.full(inside.shape, -np.inf)
        words[inside], log_counts[inside] = self.columns, np.log(self.matrix.data)
        return like(words, reference), like(log_counts, reference)

    def each(self, ufunc, of_entries, empty=0.0):
        """Return the sum, the maximum, ... (a ufunc) over the entries of every text; numpy only."""
        of_some = ufunc.reduceat(of_entries, self._starts)
        if len(of_some) == self.shape[0]:  # no text is empty, as usual
            return of_some
        of_texts = np.full(self.shape[0], empty, of_entries.dtype)
        of_texts[self.sizes > 0] = of_some
        return of_texts

    def weights(self, scores):
        """Return c_is exp(a_s - max_i a) of every entry, as the kind of the scores a, whose graph is kept."""
        of_entries = scores[like(self.columns, scores)]
        tops = self.each(np.maximum, to_numpy(of_entries))[self.rows]
        return like(self.matrix.data, scores) * namespace(scores).exp(of_entries - like(tops, scores))

    def weighted(self, scores):
        """Return the functions ``x -> W x`` and ``y -> Wᵀ y`` of the matrix with these `weights`; x and y are matrices."""
        weights = self.weights(scores)
        if not is_torch(scores):
            matrix = self.with_entries(weights)
            return matrix.times, matrix.T.times
        from .graph import summed

        columns, rows = (like(places.astype(np.int64), scores) for places in (self.columns, self.rows))
        return (
            lambda x: summed(weights[:, None] * x[columns], rows, self.shape[0]),
            lambda y: summed(weights[:, None] * y[rows], columns, self.shape[1]),
        )
