"""Steps of `descent`, held against those of torch.optim, whatever the array, its blocks and its batch."""

import sys
from itertools import islice

import numpy as np
import pytest
import torch
from helpers import each_dtype, each_kind, flat, kind_of, of_kind, random_parameters, short_texts
from torch.utils._python_dispatch import TorchDispatchMode

import tokensel_nb as ts
from tokensel_nb.arrays import to_numpy
from tokensel_nb.descent import OPTIMIZERS, State, _moved

MODULE = sys.modules["tokensel_nb.descent"]  # the package's name for it is that of the function
ORACLES = {"adam": torch.optim.Adam, "gradient descent": torch.optim.SGD}
each_optimizer = pytest.mark.parametrize("optimizer", OPTIMIZERS)
SHAPES = {"embeddings": (23, 5), "cls_embedding": (5,), "heads": (3, 5), "stack": (4, 3, 2)}


@each_kind
@each_dtype
@each_optimizer
@pytest.mark.parametrize("block", [1, 12, 10**9])
def test_many_steps_equal_those_of_torch(kind, dtype, optimizer, block, monkeypatch):
    """Gradients of sizes from 1e-6 to 1e3, some of them zero, over matrices that blocks of rows do not divide."""
    monkeypatch.setattr(MODULE, "BLOCK", block)
    random = np.random.default_rng(0)
    for shape in SHAPES.values():
        start = random.standard_normal(shape).astype(dtype)
        found, leaf = of_kind(start.copy(), kind), torch.tensor(start).requires_grad_()
        moments = tuple(of_kind(np.zeros(shape, dtype), kind) for _ in range(OPTIMIZERS[optimizer].moments))
        oracle = ORACLES[optimizer]([leaf], lr=0.03)
        for step in range(60):
            slope = np.asarray(10.0 ** (step % 10 - 6) * random.standard_normal(shape), dtype)
            slope[::2] = 0  # words that no text of the batch holds
            before = found
            found = _moved(found, of_kind(slope, kind), moments, step + 1, 0.03, OPTIMIZERS[optimizer].direction)
            assert found is not before
            leaf.grad = torch.from_numpy(slope)
            oracle.step()
        rounding = 60 * 10 * np.finfo(dtype).eps  # some ten roundings a step, of numbers of the size of those that are moved
        wanted = leaf.detach().numpy()
        assert kind_of(found) == kind
        assert to_numpy(found).dtype == dtype
        np.testing.assert_allclose(to_numpy(found), wanted, rtol=rounding, atol=rounding * np.abs(wanted).max())


@each_kind
@each_optimizer
@pytest.mark.parametrize("batch_size", [None, 30])
def test_descent_takes_these_steps_with_the_models_gradient(kind, optimizer, batch_size, monkeypatch):
    """Batches of an epoch are a cut of all texts; factors of a gradient are written out block by block."""
    monkeypatch.setattr(MODULE, "BLOCK", 12)
    corpus = short_texts()[0][:100]
    start = random_parameters(corpus, 6, 0)
    leaves = [torch.tensor(array).requires_grad_() for array in start]
    oracle = ORACLES[optimizer](leaves, lr=0.1)
    settings = dict(learning_rate=0.1, optimizer=optimizer, batch_size=batch_size, seed=5)
    steps = ts.descent(of_kind(start, kind), corpus, **settings)
    found = [parameters for _, parameters, _ in islice(steps, 8)]
    for step in range(8):
        np.testing.assert_allclose(flat(found[step]), flat([leaf.detach() for leaf in leaves]), atol=1e-9)
        epoch, part = divmod(step, 4)
        rows = np.random.default_rng([5, epoch]).permutation(100)[30 * part : 30 * part + 30] if batch_size else slice(None)
        slopes = ts.gradients(ts.Parameters(*(leaf.detach().numpy() for leaf in leaves)), corpus[rows])
        for leaf, slope in zip(leaves, slopes):
            leaf.grad = torch.tensor(slope)
        oracle.step()


@each_kind
def test_the_state_is_all_that_the_next_step_depends_on(kind):
    corpus, _ = short_texts()
    start, settings = of_kind(random_parameters(corpus, 6, 0), kind), dict(batch_size=30, seed=1)
    *_, (_, through, _) = islice(ts.descent(start, corpus, **settings), 12)
    *_, (_, half, state) = islice(ts.descent(start, corpus, **settings), 6)
    copied = State(state.step, {name: tuple(moment + 0 for moment in moments) for name, moments in state.moments.items()})
    *_, (last, resumed, _) = islice(ts.descent(half, corpus, **settings, state=copied), 7)
    assert last == 11
    assert (flat(resumed) == flat(through)).all()


def test_an_optimizer_of_ones_own_is_a_direction():
    def heavy_ball(slope, moments, step):
        velocity = 0.9 * moments[0] + slope
        return velocity, [velocity]

    corpus, _ = short_texts()
    start = random_parameters(corpus, 6, 0)
    momentum = ts.Optimizer("heavy ball", 1, heavy_ball)
    *_, (_, found, _) = islice(ts.descent(start, corpus, learning_rate=0.5, optimizer=momentum), 11)
    leaves = [torch.tensor(array).requires_grad_() for array in start]
    oracle = torch.optim.SGD(leaves, lr=0.5, momentum=0.9)
    for _ in range(10):
        oracle.zero_grad()
        ts.loss(ts.Parameters(*leaves), corpus).backward()
        oracle.step()
    np.testing.assert_allclose(flat(found), flat([leaf.detach() for leaf in leaves]), atol=1e-12)


@each_optimizer
def test_a_step_on_a_device_waits_only_to_see_how_far_scores_lie_apart(optimizer, tiny, monkeypatch):
    """Tensors without data refuse to be read. Sparse products of such are not in torch, and stand here as one call."""
    seen, calls = [], []
    monkeypatch.setattr("tokensel_nb.model.to_numpy", lambda scores: seen.append(1) or np.zeros(len(scores), np.float32))
    monkeypatch.setattr("tokensel_nb.counts.Counts.times", lambda self, x: x.new_empty((self.shape[0], x.shape[1])))

    class Counting(TorchDispatchMode):
        def __torch_dispatch__(self, call, types, arguments=(), options=None):
            calls.append(call)
            return call(*arguments, **(options or {}))

    steps = ts.descent(of_kind(ts.init_parameters(3, 4, seed=0), "meta"), tiny, optimizer=optimizer)
    next(steps), next(steps)  # the second puts there what all need
    seen.clear()
    with Counting():
        next(steps)
    assert seen == [1]
    assert not {torch.ops.aten._to_copy.default, torch.ops.aten._local_scalar_dense.default} & set(calls)
    assert len(calls) <= 84  # with those that only look at an array in another shape


def test_what_is_not_trained_stays(tiny):
    start = random_parameters(tiny, 4, 0)
    _, (_, after, state) = islice(ts.descent(start, tiny, trained=["cls_embedding"]), 2)
    assert (after.embeddings == start.embeddings).all()
    assert (after.cls_embedding != start.cls_embedding).any()
    assert list(state.moments) == ["cls_embedding"]
