import numpy as np
import pytest
import torch
from helpers import each_dtype, each_kind, kind_of, of_kind
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.models import optimizers
from tokensel_nb.models.optimizers import OPTIMIZERS, Adam, GradientDescent, LowRank
from tokensel_nb.support.arrays import dtype_name, to_numpy

ORACLES = {"adam": torch.optim.Adam, "gradient descent": torch.optim.SGD}
each_optimizer = pytest.mark.parametrize("optimizer", OPTIMIZERS)
SHAPES = {"embeddings": (23, 5), "cls_embedding": (5,), "heads": (3, 5), "bias": (), "stack": (4, 3, 2)}


def drawn(random, dtype, scale=1.0):
    return {name: np.asarray(scale * random.standard_normal(shape), dtype) for name, shape in SHAPES.items()}


@each_kind
@each_dtype
@each_optimizer
@pytest.mark.parametrize("block", [1, 12, 10**9])
def test_many_steps_equal_those_of_torch(kind, dtype, optimizer, block, monkeypatch):
    """Gradients of sizes from 1e-6 to 1e3, one of them zero, over matrices that blocks of rows do not divide."""
    monkeypatch.setattr(optimizers, "BLOCK", block)
    random = np.random.default_rng(0)
    start = drawn(random, dtype)
    found = {name: of_kind(value.copy(), kind) for name, value in start.items()}
    leaves = {name: torch.from_numpy(value.copy()).requires_grad_() for name, value in start.items()}
    ours, oracle = OPTIMIZERS[optimizer](found, 0.03), ORACLES[optimizer](leaves.values(), lr=0.03)
    for step in range(60):
        gradients = drawn(random, dtype, scale=10.0 ** (step % 10 - 6))
        gradients["embeddings"][::2] = 0  # words that no text of the batch holds
        ours.step({name: of_kind(value, kind) for name, value in gradients.items()})
        for name, leaf in leaves.items():
            leaf.grad = torch.from_numpy(gradients[name])
        oracle.step()
    assert ours.steps == 60
    rounding = 60 * 10 * np.finfo(dtype).eps  # some ten roundings a step, of numbers of the size of those that are moved
    for name, leaf in leaves.items():
        assert kind_of(found[name]) == kind
        assert dtype_name(found[name]) == dtype
        wanted = leaf.detach().numpy()
        np.testing.assert_allclose(to_numpy(found[name]), wanted, rtol=rounding, atol=rounding * np.abs(wanted).max())


@each_kind
@each_dtype
@each_optimizer
@given(rows=st.integers(1, 40), dim=st.integers(1, 7), rank=st.integers(1, 4), block=st.sampled_from([1, 9, 16, 2**16]))
def test_a_gradient_in_factors_is_the_gradient_written_out(kind, dtype, optimizer, rows, dim, rank, block):
    random = np.random.default_rng(rows)
    start, factors, right = (random.standard_normal(shape).astype(dtype) for shape in ((rows, dim), (rows, rank), (rank, dim)))
    low_rank = LowRank(of_kind(factors, kind), of_kind(right, kind))
    np.testing.assert_allclose(to_numpy(low_rank.written_out()), factors @ right, atol=20 * np.finfo(dtype).eps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimizers, "BLOCK", block)
        found = []
        for gradient in (low_rank, low_rank.written_out()):
            array = of_kind(start.copy(), kind)
            each = OPTIMIZERS[optimizer]({"embeddings": array}, 0.1)
            for _ in range(3):
                each.step({"embeddings": gradient})
            found.append(array)
    # Adam divides by |g|: a rounding of 1e-16 (1e-7) in a sum that cancels to a thousandth of its terms becomes 1e-13 (1e-4).
    np.testing.assert_allclose(to_numpy(found[0]), to_numpy(found[1]), atol=1e4 * np.finfo(dtype).eps)


@each_kind
@each_optimizer
@pytest.mark.parametrize("block", [3, 2**16])
def test_memory_in_another_order_changes_no_step(kind, optimizer, block, monkeypatch):
    """Output vectors out of a QR decomposition lie in memory column by column; a batch's gradient lies row by row."""
    monkeypatch.setattr(optimizers, "BLOCK", block)
    random = np.random.default_rng(0)
    start, gradients = random.standard_normal((7, 3)), random.standard_normal((2, 7, 3))
    by_rows, by_columns = of_kind(start.copy(), kind), of_kind(start.T.copy(), kind).T
    for array in (by_rows, by_columns):
        each = OPTIMIZERS[optimizer]({"embeddings": array}, 0.1)
        for gradient in gradients:
            each.step({"embeddings": of_kind(gradient, kind)})
    np.testing.assert_allclose(to_numpy(by_columns), to_numpy(by_rows), rtol=1e-13)


@each_kind
@each_optimizer
def test_steps_are_taken_in_place_and_the_gradient_is_left_alone(kind, optimizer):
    array, gradient = (of_kind(np.full((3, 2), value), kind) for value in (1.0, 2.0))
    each = OPTIMIZERS[optimizer]({"embeddings": array}, 0.5)
    each.step({"embeddings": gradient})
    np.testing.assert_allclose(to_numpy(array), 0.0 if optimizer == "gradient descent" else 0.5, atol=1e-7)
    assert (to_numpy(gradient) == 2).all()


@each_kind
def test_the_state_is_all_that_the_next_step_depends_on(kind):
    """Copied into another optimizer between two steps, it leads to the same bits: what a checkpoint relies on."""
    random = np.random.default_rng(0)
    arrays = {name: of_kind(value, kind) for name, value in drawn(random, "float32").items()}
    gradients = [{name: of_kind(value, kind) for name, value in drawn(random, "float32").items()} for _ in range(5)]
    through = Adam(arrays, 0.1)
    assert set(through.state) == {f"{moment}.{name}" for moment in ("mean", "mean_square") for name in SHAPES}
    assert not any(to_numpy(value).any() for value in through.state.values())
    for gradient in gradients[:2]:
        through.step(gradient)
    resumed = Adam({name: of_kind(to_numpy(value).copy(), kind) for name, value in arrays.items()}, 0.1)
    resumed.steps = through.steps
    for name, value in resumed.state.items():
        value[...] = through.state[name]
    for gradient in gradients[2:]:
        through.step(gradient)
        resumed.step(gradient)
    for name, value in arrays.items():
        np.testing.assert_array_equal(to_numpy(resumed.arrays[name]), to_numpy(value))


def test_gradient_descent_has_no_state():
    assert GradientDescent({"p": np.zeros(2)}, 0.1).state == {}
