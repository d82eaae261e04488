"""Products of a tall matrix with a few vectors, at the speed at which memory hands the matrix over.

On a processor they go through the matrix by blocks of rows that fit in its cache, so that memory is read once however many
vectors there are. Tensors are computed with by NumPy, in their own memory: its products of a matrix and a vector, and torch's
sums of products, are fast on every maker's processors, where MKL's products with two or three rows are not.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import in_memory, like, to_numpy
from .threads import by_blocks

BLOCK = 2**19  # numbers; twice or four times as many bytes fit in the cache of a core


def times_few(matrix, rows):
    """Return ``matrix @ rows.T`` for few rows."""
    if not in_memory(matrix):
        return matrix @ rows.T
    tall, vectors = to_numpy(matrix), to_numpy(rows)
    products = np.empty((len(vectors), len(tall)), tall.dtype)

    def multiply(block):
        for vector, product in zip(vectors, products):
            np.dot(tall[block], vector, out=product[block])

    by_blocks(multiply, cuts(tall))
    return like(products, matrix).T


def few_times(rows, matrix):
    """Return ``rows @ matrix`` for few rows and a tall matrix."""
    if not in_memory(matrix):
        return rows @ matrix
    tall, vectors = to_numpy(matrix), np.ascontiguousarray(to_numpy(rows))
    parts = by_blocks(lambda block: np.stack([np.dot(vector[block], tall[block]) for vector in vectors]), cuts(tall))
    return like(sum(parts, np.zeros_like(tall, shape=(len(vectors), tall.shape[1]))), matrix)


def add_few_(matrix, factors, rows):
    """Add ``factors @ rows``, for few rows, to a tall tensor in place."""
    if not in_memory(matrix):
        return matrix.addmm_(factors, rows)

    def add(block):
        for column, row in zip(factors[block].split(1, dim=1), rows):
            matrix[block].addcmul_(column, row)

    by_blocks(add, cuts(matrix))


def cuts(array, numbers=None):
    """Return where blocks of rows begin that hold so many numbers, and where the last one ends."""
    height = (numbers or BLOCK) // max(math.prod(array.shape[1:]), 1)
    return [*range(0, len(array), max(height, 1)), len(array)]
