import numpy as np
import pytest
import torch
from helpers import each_dtype, each_kind, kind_of, of_kind
from scipy import special
from tokensel_nb.support.arrays import (
    dtype_name,
    is_torch,
    like,
    log_softmax,
    namespace,
    sigmoid,
    softplus,
    to_numpy,
)

NUMBERS = np.concatenate([np.linspace(-800, 800, 201), np.linspace(-45, 45, 181), [0.0, 1e-9, -1e-9]])
ROUNDING = {"float32": 4e-7, "float64": 4e-15}  # relative: a few roundings, one of them of the argument 45 in an exponent
# exp(-x) of a rounded x errs by x times the rounding; and below the smallest normal number nothing relative holds.


@each_kind
@each_dtype
@pytest.mark.parametrize(
    ("function", "exact"),
    [(softplus, lambda x: np.logaddexp(x, 0)), (sigmoid, special.expit)],
    ids=["softplus", "sigmoid"],
)
def test_functions_of_numbers_near_and_far(kind, dtype, function, exact):
    x = NUMBERS.astype(dtype)
    found = function(of_kind(x, kind))
    assert kind_of(found) == kind
    assert dtype_name(found) == dtype
    wanted = exact(x.astype(np.float64))
    tiny = np.finfo(dtype).tiny
    np.testing.assert_allclose(to_numpy(found), wanted, rtol=50 * ROUNDING[dtype], atol=tiny)


@each_kind
@each_dtype
def test_log_softmax_neither_overflows_nor_loses_small_results(kind, dtype):
    x = np.array([[0.0, 0.0, 0.0], [1000.0, 0.0, -1000.0], [3.0, 3.0 - 1e-3, -50.0]], dtype)
    found = log_softmax(of_kind(x, kind))
    assert kind_of(found) == kind
    assert dtype_name(found) == dtype
    np.testing.assert_allclose(to_numpy(found), special.log_softmax(x.astype(np.float64), axis=1), rtol=ROUNDING[dtype])


@each_kind
def test_like_takes_kind_place_and_dtype(kind):
    reference = of_kind(np.zeros(1, "float32"), kind)
    for values in ([1, 2], np.array([1, 2]), torch.tensor([1.0, 2.0], dtype=torch.float64), np.array([2, 1])[::-1]):
        found = like(values, reference)
        assert kind_of(found) == kind
        assert dtype_name(found) == "float32"
        assert found.tolist() == [1, 2]
        assert dtype_name(like(values, reference, "int64")) == "int64"


def test_like_goes_where_the_reference_is():
    """A device that every machine has, and that holds no numbers."""
    assert like(torch.ones(2), torch.zeros(1, device="meta")).device.type == "meta"


@each_kind
def test_like_never_hands_out_what_is_read_only(kind):
    """A corpus' labels and weights are read-only; torch would warn, and then write into them all the same."""
    values = np.ones(2)
    values.flags.writeable = False
    found = like(values, of_kind(np.zeros(1), kind))
    if is_torch(found):
        found += 1
        assert values.tolist() == [1, 1]
    else:
        with pytest.raises(ValueError, match="read-only"):
            found += 1


def test_kinds_are_not_mixed():
    assert not is_torch(np.zeros(1))
    assert is_torch(torch.zeros(1))
    assert namespace(np.zeros(1)).exp(np.zeros(1)).tolist() == [1]
    for arrays in ((np.zeros(1), torch.zeros(1)), ([1.0],), ("text",)):
        with pytest.raises(TypeError):
            namespace(*arrays)


def test_to_numpy_of_a_leaf():
    assert to_numpy(torch.ones(2, requires_grad=True)).tolist() == [1, 1]
    array = np.ones(2)
    assert to_numpy(array) is array


def test_to_numpy_of_a_list_and_of_a_dtype_that_numpy_lacks():
    assert to_numpy([1, 2]).tolist() == to_numpy(torch.tensor([1, 2], dtype=torch.bfloat16)).tolist() == [1, 2]
