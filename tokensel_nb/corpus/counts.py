"""The counts of a corpus as arrays of one kind, and their products: what every model computes with.

`C` is the n × |S| matrix of counts. Its entries (one a text and word that occurs in it) can be given other values, such as
attention: the functions that take ``entries`` then multiply by that matrix instead.
"""

from __future__ import annotations

import warnings
import weakref

import numpy as np
from scipy import sparse

from ..support.arrays import dtype_name, is_torch, like
from ..support.runtime import side_by_side
from .corpus import Corpus

LARGE = 1_000_000  # entries from which on a product takes longer than to start a thread for it


class CountMatrix:
    """The counts of a corpus as numpy arrays; `TorchCountMatrix` has them as tensors."""

    def __init__(self, corpus: Corpus, reference):
        self.shape = corpus.counts.shape
        self.entries = like(corpus.counts.data, reference)  # the counts that are not zero, text by text
        self.columns = like(corpus.counts.indices, reference, "int32")  # the word of every entry
        self.row_ends = like(corpus.counts.indptr, reference, "int64")  # where the entries of each text begin, and the last end
        self._ends = like(corpus.counts.indptr, reference, "int32")
        self._filled = np.diff(corpus.counts.indptr) > 0
        self._starts = corpus.counts.indptr[:-1][self._filled]

    @staticmethod
    def of(corpus: Corpus, reference) -> CountMatrix:
        """Return the counts of a corpus as arrays like another one; made once, and kept as long as the corpus."""
        dtype = dtype_name(reference)
        if dtype not in ("float32", "float64"):
            raise ValueError(f"the parameters are {dtype}; give float32 or float64")
        made = _prepared.setdefault(corpus, {})
        key = (dtype, reference.device if is_torch(reference) else None)
        if key not in made:
            made[key] = (TorchCountMatrix if is_torch(reference) else CountMatrix)(corpus, reference)
        return made[key]

    @property
    def rows(self):
        """The text of every entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_ends))

    def times(self, x, entries=None):
        """Return C @ x, or the product with other entries in the place of the counts."""
        return _product(self._matrix(entries), x)

    def transposed_times(self, x, entries=None):
        """Return Cᵀ @ x, or the product with other entries in the place of the counts."""
        return _product(self._matrix(entries).T, x)

    def reduce(self, of_entries, how, initial=0.0):
        """Return the sum or the largest of the entries of every text; ``initial`` is that of a text without entries."""
        join, initial = {"sum": np.add, "max": np.maximum}[how], of_entries.dtype.type(initial)
        if not len(self._starts):
            return np.full(self.shape[0], initial)
        joined = join(join.reduceat(of_entries, self._starts), initial)
        if len(joined) == self.shape[0]:  # as in most corpora, no text is empty
            return joined
        of_all = np.full(self.shape[0], initial)
        of_all[self._filled] = joined
        return of_all

    def sum_by_token(self, of_entries):
        """Return the sum of the entries of every word, over all texts."""
        return np.bincount(self.columns, of_entries, self.shape[1]).astype(of_entries.dtype)

    def _matrix(self, entries):
        made = sparse.csr_array(self.shape, dtype=self.entries.dtype)  # made whole, it would be checked each time
        made.data, made.indices, made.indptr = self.entries if entries is None else entries, self.columns, self._ends
        return made


def _product(matrix, x):
    """Return a sparse product; of a few columns, one by one takes SciPy half the time of all at once."""
    if x.shape[1] > 8:
        return matrix @ x
    columns = np.ascontiguousarray(x.T)
    if matrix.nnz < LARGE:
        joined = list(map(matrix.__matmul__, columns))
    else:  # side by side, as SciPy lets go of Python's lock
        joined = list(side_by_side(matrix.__matmul__, columns))
    return np.stack(joined, axis=1)


class TorchCountMatrix(CountMatrix):
    """A `CountMatrix` of tensors, on any device; the transposed matrix has rows of its own, for speed."""

    def __init__(self, corpus, reference):
        super().__init__(corpus, reference)
        counts = corpus.counts
        # The places of the transposed matrix's entries among those of the matrix.
        order = sparse.csr_array((np.arange(counts.nnz), counts.indices, counts.indptr), shape=counts.shape).tocsc()
        self._order = like(order.data, reference, "int64")
        self._transposed_ends = like(order.indptr, reference, "int32")
        self._transposed_rows = like(order.indices, reference, "int32")
        self._whole = self._matrix(self.entries)
        self._whole_transposed = self._transposed(self.entries)

    @property
    def rows(self):
        """The text of every entry."""
        import torch

        lengths = self.row_ends.diff()
        return torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)

    def times(self, x, entries=None):
        """Return the product with C, or with other entries in the place of the counts; see `CountMatrix.times`."""
        return (self._whole if entries is None else self._matrix(entries)) @ x

    def transposed_times(self, x, entries=None):
        """Return the product with Cᵀ; see `CountMatrix.transposed_times`."""
        return (self._whole_transposed if entries is None else self._transposed(entries)) @ x

    def reduce(self, of_entries, how, initial=0.0):
        """Return the sum or the largest of the entries of every text; see `CountMatrix.reduce`."""
        import torch

        return torch.segment_reduce(of_entries, how, offsets=self.row_ends, initial=initial)

    def sum_by_token(self, of_entries):
        """Return the sum of the entries of every word; see `CountMatrix.sum_by_token`."""
        ones = of_entries.new_ones((self.shape[0], 1))
        return self.transposed_times(ones, of_entries)[:, 0]

    def _matrix(self, entries):
        return self._csr(self._ends, self.columns, entries, self.shape)

    def _transposed(self, entries):
        return self._csr(self._transposed_ends, self._transposed_rows, entries[self._order], self.shape[::-1])

    @staticmethod
    def _csr(row_ends, columns, entries, shape):
        import torch

        with warnings.catch_warnings():  # torch calls its CSR tensors a beta; these products have been there since 1.10
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(row_ends, columns, entries, shape, check_invariants=False)


_prepared: weakref.WeakKeyDictionary[Corpus, dict] = weakref.WeakKeyDictionary()
