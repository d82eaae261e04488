"""The counts of a corpus as arrays of one kind, and their products: what every model computes with.

`C` is the n × |S| matrix of counts. Its entries (one a text and word that occurs in it) can be given other values, such as
attention: the functions that take ``entries`` then multiply by that matrix instead.
"""

from __future__ import annotations

import warnings
import weakref
from functools import cached_property, partial

import numpy as np
from scipy import sparse

from ..support.arrays import dtype_name, in_memory, is_torch, like, to_numpy
from ..support.threads import by_blocks
from .corpus import Corpus

BLOCK = 2**18  # entries that are multiplied by one thread at a time: they fit in its cache


class CountMatrix:
    """The counts of a corpus as numpy arrays; `TensorCounts` has them as tensors, `DeviceCounts` on another device."""

    def __init__(self, corpus: Corpus, reference):
        self.shape, self._counts, self._reference = corpus.counts.shape, corpus.counts, reference[:0]
        self.entries = like(corpus.counts.data, reference)  # the counts that are not zero, text by text

    @staticmethod
    def of(corpus: Corpus, reference) -> CountMatrix:
        """Return the counts of a corpus as arrays like another one; made once, and kept as long as the corpus."""
        dtype = dtype_name(reference)
        if dtype not in ("float32", "float64"):
            raise ValueError(f"the parameters are {dtype}; give float32 or float64")
        in_torch = TensorCounts if in_memory(reference) else DeviceCounts
        return _kept(corpus, in_torch if is_torch(reference) else CountMatrix, reference)

    @cached_property
    def columns(self):
        """The word of every entry, int32."""
        return like(self._counts.indices, self._reference, "int32")

    @cached_property
    def row_ends(self):
        """Where the entries of each text begin, and where the last ones end, int64."""
        return like(self._counts.indptr, self._reference, "int64")

    @property
    def rows(self):
        """The text of every entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.row_ends))

    def times(self, x, entries=None):
        """Return C @ x, or the product with other entries in the place of the counts."""
        return like((self._whole if entries is None else self._with(entries)).times(to_numpy(x)), x)

    def transposed_times(self, x, entries=None):
        """Return Cᵀ @ x, or the product with other entries in the place of the counts."""
        return like((self._whole if entries is None else self._with(entries)).transposed_times(to_numpy(x)), x)

    def reduce(self, of_entries, how, initial=0.0):
        """Return the sum or the largest of the entries of every text; ``initial`` is that of a text without entries."""
        join, filled = {"sum": np.add, "max": np.maximum}[how], np.diff(self.row_ends) > 0
        of_all = np.full(self.shape[0], initial, of_entries.dtype)
        if filled.any():
            of_all[filled] = join(join.reduceat(of_entries, self.row_ends[:-1][filled]), of_entries.dtype.type(initial))
        return of_all

    def sum_by_token(self, of_entries):
        """Return the sum of the entries of every word, over all texts."""
        return np.bincount(self.columns, of_entries, self.shape[1]).astype(of_entries.dtype)

    def _with(self, entries):
        return Blocks(to_numpy(entries), self._counts.indices, self._counts.indptr, self.shape[1])

    @cached_property
    def _whole(self):
        return self._with(self.entries)


class Blocks:
    """A sparse matrix in blocks of some rows, which SciPy multiplies and threads share."""

    def __init__(self, entries, columns, row_ends, width):
        size = max(BLOCK, 4 * width)  # the product of a transposed block has `width` rows, however few its entries
        begins = np.searchsorted(row_ends, np.arange(size, row_ends[-1], size), "right") - 1
        self.cuts = np.unique([0, *begins, len(row_ends) - 1]).tolist()
        self.width, self.rows, self.transposed = width, {}, {}
        for first, last in zip(self.cuts[:-1], self.cuts[1:]):
            ends = row_ends[first : last + 1]
            arrays = entries[ends[0] : ends[-1]], columns[ends[0] : ends[-1]], (ends - ends[0]).astype(columns.dtype)
            self.rows[first] = _unchecked(sparse.csr_array((last - first, width), dtype=entries.dtype), *arrays)
            self.transposed[first] = _unchecked(sparse.csc_array((width, last - first), dtype=entries.dtype), *arrays)

    def times(self, x):
        """Return the product with the matrix."""
        products = self._each(lambda rows: _product(self.rows[rows.start], x))
        return np.concatenate([np.zeros_like(x, shape=(0, x.shape[1])), *products])

    def transposed_times(self, x):
        """Return the product with its transpose."""
        products = self._each(lambda rows: _product(self.transposed[rows.start], x[rows]))
        return sum(products, np.zeros_like(x, shape=(self.width, x.shape[1])))

    def _each(self, product):
        return [product(slice(*self.cuts))] if len(self.cuts) == 2 else by_blocks(product, self.cuts)


def _unchecked(matrix, entries, indices, ends):
    """Fill an empty sparse matrix; made whole, it would check its arrays each time, and copy them as parts of larger ones."""
    matrix.data, matrix.indices, matrix.indptr = entries, indices, ends
    return matrix


def _product(matrix, x):
    """Return a sparse product; of a few columns, one by one takes SciPy half the time of all at once."""
    return matrix @ x if x.shape[1] > 8 else np.stack([matrix @ column for column in np.ascontiguousarray(x.T)], axis=1)


class TensorCounts(CountMatrix):
    """A `CountMatrix` of tensors; NumPy and SciPy multiply them, in their own memory."""

    @property
    def rows(self):
        """The text of every entry."""
        import torch

        return torch.repeat_interleave(torch.arange(self.shape[0], device=self.row_ends.device), self.row_ends.diff())

    def reduce(self, of_entries, how, initial=0.0):
        """Return the sum or the largest of the entries of every text; see `CountMatrix.reduce`."""
        import torch

        return torch.segment_reduce(of_entries, how, offsets=self.row_ends, initial=initial)

    def sum_by_token(self, of_entries):
        """Return the sum of the entries of every word; see `CountMatrix.sum_by_token`."""
        return self.transposed_times(of_entries.new_ones((self.shape[0], 1)), of_entries)[:, 0]


class DeviceCounts(TensorCounts):
    """A `TensorCounts` on another device, which multiplies them; for speed the transposed matrix has rows of its own."""

    def __init__(self, corpus, reference):
        super().__init__(corpus, reference)
        order = self.columns.argsort(stable=True)
        self._whole = self._csr(self.row_ends, self.columns, self.entries, self.shape)
        ends = like(np.append(0, np.cumsum(np.bincount(corpus.counts.indices, minlength=self.shape[1]))), reference, "int64")
        self._transposed = self._csr(ends, self.rows[order], self.entries[order], self.shape[::-1])

    def times(self, x, entries=None):
        """Return the product with C, or with other entries in the place of the counts; see `CountMatrix.times`."""
        matrix = self._whole if entries is None else self._csr(self.row_ends, self.columns, entries, self.shape)
        return matrix @ x

    def transposed_times(self, x, entries=None):
        """Return the product with Cᵀ; see `CountMatrix.transposed_times`."""
        if entries is None:
            return self._transposed @ x
        return x.new_zeros((self.shape[1], x.shape[1])).index_add_(0, self.columns, entries[:, None] * x[self.rows])

    @staticmethod
    def _csr(row_ends, columns, entries, shape):
        import torch

        kind = torch.int32 if len(entries) < 2**31 else torch.int64
        with warnings.catch_warnings():  # torch calls its CSR tensors a beta; these products have been there since 1.10
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(row_ends.to(kind), columns.to(kind), entries, shape, check_invariants=False)


def placed(corpus: Corpus, name: str, reference):
    """Return an attribute of a corpus, such as its weights, as an array like another one; kept as long as the corpus."""
    return _kept(corpus, partial(_attribute, name=name), reference, name)


def _attribute(corpus, reference, name):
    return like(getattr(corpus, name), reference)


def _kept(corpus, make, reference, name="counts"):
    """Return what is made of a corpus for arrays like another one, once for each dtype and device."""
    made = _prepared.setdefault(corpus, {})
    key = (name, dtype_name(reference), reference.device if is_torch(reference) else None)
    if key not in made:
        made[key] = make(corpus, reference)
    return made[key]


_prepared: weakref.WeakKeyDictionary[Corpus, dict] = weakref.WeakKeyDictionary()
