import numpy as np
import pytest
import torch
from helpers import each_dtype, each_kind, kind_of, of_kind
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.support import products
from tokensel_nb.support.arrays import dtype_name, to_numpy
from tokensel_nb.support.products import add_few_, few_times, times_few


@pytest.fixture(params=["by blocks", "on another device"], scope="module")
def place(request):
    """Small blocks, of which there are several; or the way of tensors that NumPy can't reach, which all can take."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(products, "BLOCK", 20)
        if request.param == "on another device":
            patch.setattr(products, "in_memory", lambda array: False)
        yield


@each_kind
@each_dtype
@given(n=st.integers(0, 30), m=st.integers(1, 6), dim=st.integers(1, 30))
def test_products_with_few_rows(place, kind, dtype, n, m, dim):
    """Of every height: less than a block, whole blocks, blocks and a rest."""
    random = np.random.default_rng(n + 1000 * m)
    shapes = ((n, dim), (m, dim), (m, n))
    matrix, rows, wide = (of_kind(random.standard_normal(shape).astype(dtype), kind) for shape in shapes)
    pairs = [(times_few(matrix, rows), matrix @ rows.T), (few_times(wide, matrix), wide @ matrix)]
    if kind != "numpy":
        moved = matrix.clone()
        add_few_(moved, wide.T, rows)
        pairs.append((moved, matrix + wide.T @ rows))
    rounding = (dim + n + m) * np.finfo(dtype).eps * 10  # sums of so many products of normal numbers
    for found, wanted in pairs:
        assert kind_of(found) == kind
        assert dtype_name(found) == dtype
        np.testing.assert_allclose(to_numpy(found), to_numpy(wanted), atol=rounding)


def test_rows_that_lie_apart(place):
    """Strides of a transposed matrix, and of every other column."""
    for matrix in (torch.randn(9, 50).T, torch.randn(50, 18)[:, ::2]):
        rows, wide = torch.randn(2, 9), torch.randn(2, 50)
        torch.testing.assert_close(times_few(matrix, rows), matrix @ rows.T)
        torch.testing.assert_close(few_times(wide, matrix), wide @ matrix)
        wanted = matrix + wide.T @ rows
        add_few_(matrix, wide.T, rows)
        torch.testing.assert_close(matrix, wanted)
