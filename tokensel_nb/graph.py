"""Products and sums that torch can differentiate; this module alone imports torch when it is loaded."""

import torch


class Product(torch.autograd.Function):
    """``counts @ x`` with its graph: the gradient in x is another product, with the transpose."""

    # The backward pass of torch's own sparse products takes ninety times as long, because it sorts the matrix again.

    @staticmethod
    def forward(ctx, x, counts):
        """Multiply."""
        ctx.counts = counts
        return counts.times(x)

    @staticmethod
    def backward(ctx, upstream):
        """Multiply by the transpose, with a graph of its own."""
        return Product.apply(upstream, ctx.counts.T), None


def summed(of_entries, places, number):
    """Return the sums of the rows that belong to the places 0 ... number - 1."""
    sums = of_entries.new_zeros(number, of_entries.shape[1])
    return sums.index_add(0, places, of_entries)


def sparse_tensor(matrix, reference):
    """Return a scipy matrix as torch's, on the device and in the dtype of a reference."""
    matrix = matrix.tocsr()
    parts = (torch.as_tensor(array, device=reference.device) for array in (matrix.indptr, matrix.indices, matrix.data))
    return torch.sparse_csr_tensor(*parts, matrix.shape, dtype=reference.dtype, check_invariants=False)
