"""What a step on another device asks of it, counted on the processor: its operations, and how often it waits for a number."""

import pytest
import torch
from tokensel_nb.models import optimizers
from tokensel_nb.support import products
from torch.utils._python_dispatch import TorchDispatchMode

import tokensel_nb as ts
from tokensel_nb.corpus import counts

VIEWS = {
    *("alias", "detach", "expand", "permute", "reshape", "select", "slice", "squeeze", "t", "transpose", "unsqueeze", "view"),
    *("_unsafe_view", "_local_scalar_dense"),
}


class Dispatched(TorchDispatchMode):
    """Notes the name of every operation."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        """Note it, and do it."""
        self.names.append(str(operation).split(".")[1])
        return operation(*arguments, **(options or {}))


@pytest.fixture
def elsewhere(monkeypatch):
    """Let tensors take the way of those that NumPy can't reach."""
    for module in counts, optimizers, products:
        monkeypatch.setattr(module, "in_memory", lambda array: not isinstance(array, torch.Tensor))


@pytest.fixture
def corpus():
    return ts.corpus_from_texts(["a good film", "a bad film", "good and moving, good", "bad and long"], [1, 0, 1, 0])


def test_a_step_elsewhere_is_that_of_numpy(elsewhere, corpus):
    start = ts.init_parameters(corpus.vocab_size, 8, seed=0, dtype="float64")
    there = start.to("cpu").map(torch.clone)
    for _ in range(3):
        ts.descend_(start, corpus, 0.5)
        ts.descend_(there, corpus, 0.5)
    for name, array in start.arrays().items():
        torch.testing.assert_close(there.arrays()[name], torch.from_numpy(array), rtol=1e-12, atol=1e-14)


def test_a_step_waits_twice_and_copies_nothing(elsewhere, corpus):
    """Once for how far the scores are apart, and once for whether all is finite; labels and weights are there already."""
    parameters = ts.init_parameters(corpus.vocab_size, 8, seed=0).to("cpu")
    ts.descend_(parameters, corpus, 0.1)
    with Dispatched() as seen:
        ts.descend_(parameters, corpus, 0.1)
    assert seen.names.count("_local_scalar_dense") == 2
    assert not {"_to_copy", "copy_", "lift_fresh"} & set(seen.names)
    assert len([name for name in seen.names if name not in VIEWS]) <= 44


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_entry_takes_as_few_bytes_as_torch_multiplies(elsewhere, dtype):
    """A count and a word, in the order of texts and in that of words."""
    corpus = ts.corpus_from_texts([" ".join(map(str, range(1000)))] * 9, [1, 0] * 4 + [1])
    made = counts.CountMatrix.of(corpus, torch.zeros(1, dtype=getattr(torch, dtype)))
    tensors = [value for value in vars(made).values() if isinstance(value, torch.Tensor)]
    parts = [
        part for each in tensors for part in ([each] if each.layout == torch.strided else [each.col_indices(), each.values()])
    ]
    stored = {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in parts}
    wanted = 2 * (4 + torch.finfo(getattr(torch, dtype)).bits // 8)
    assert sum(stored.values()) / corpus.counts.nnz == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("optimizer", ["adam", "gradient descent"])
def test_a_gradient_is_written_out_in_parts(elsewhere, corpus, monkeypatch, optimizer):
    ends = []
    for numbers in (2**27, 24):
        monkeypatch.setattr(optimizers, "ELSEWHERE", numbers)
        ends.append(ts.train(corpus, dim=8, steps=3, device="cpu", optimizer=optimizer).parameters.embeddings)
    torch.testing.assert_close(*ends)
