"""Compiled gradient descent: the numbers of the plain one, on any number of threads, and nothing that is kept changes."""

import sys
from importlib import import_module
from itertools import islice

import numpy as np
import pytest
from helpers import flat, kind_of, of_kind, random_parameters, short_texts

import tokensel_nb as ts
from tokensel_nb.arrays import to_numpy

DESCENT = import_module("tokensel_nb.descent")  # the package's name for it is that of the function
TEXTS = short_texts()[0]


@pytest.fixture
def fused(monkeypatch):
    module = pytest.importorskip("tokensel_nb.fused", reason="numba is not installed")
    monkeypatch.setattr(DESCENT, "LARGE", 1)
    monkeypatch.setattr(module, "BLOCK", 200)  # five of thirty words
    return module


def taken(kind="numpy", dtype="float64", texts=TEXTS, **settings):
    start = of_kind(random_parameters(texts, 40, 0, dtype=dtype), kind)
    return [
        each for _, each, _ in islice(ts.descent(start, texts, learning_rate=1, optimizer="gradient descent", **settings), 9)
    ]


@pytest.mark.parametrize(("kind", "dtype"), [("numpy", "float64"), ("cpu", "float32")])
@pytest.mark.parametrize("batch_size", [None, 30])
def test_steps_equal_the_plain_ones(kind, dtype, batch_size, fused, monkeypatch):
    used = []
    monkeypatch.setattr(fused, "_project", lambda *of_rows, project=fused._project: used.append(project(*of_rows)))
    found = taken(kind, dtype, batch_size=batch_size)
    assert len(used) == 8 * 6  # steps, blocks
    monkeypatch.setattr(DESCENT, "LARGE", np.inf)
    wanted = taken(kind, dtype, batch_size=batch_size)
    # Sums of at most 40 numbers below 1 are added in another order, in eight steps at rate 1.
    rounding = 8 * 40 * np.finfo(dtype).eps
    for ours, plain in zip(found, wanted, strict=True):
        assert kind_of(ours.embeddings) == kind
        np.testing.assert_allclose(flat(ours), flat(plain), rtol=rounding, atol=rounding)


def test_any_number_of_threads_gives_the_same_bits(fused, monkeypatch):
    bits = []
    for number in (1, 2, 5):
        monkeypatch.setattr(fused, "threads", lambda _, number=number: number)
        bits.append(flat(taken()[-1]))
    assert (bits[0] == bits[1]).all()
    assert (bits[0] == bits[2]).all()


@pytest.mark.parametrize("kind", ["numpy", "cpu"])
def test_memory_is_reused_only_where_nothing_holds_it(kind, fused):
    start = of_kind(random_parameters(TEXTS, 40, 0), kind)
    rows, places, before = {}, [], []
    for step, parameters, _ in islice(ts.descent(start, TEXTS, optimizer="gradient descent"), 12):
        places.append(to_numpy(parameters.embeddings).ctypes.data)
        if step in (1, 4):  # only a view, by a part of which nobody sees where it comes from
            rows[step] = parameters.embeddings[3:5].T
            before.append(to_numpy(rows[step]).copy())
        del parameters
    assert len(set(places)) < 7
    for kept, copied in zip(rows.values(), before, strict=True):
        assert (to_numpy(kept) == copied).all()


def test_without_numba_steps_are_the_plain_ones(fused, monkeypatch):
    monkeypatch.delitem(sys.modules, "tokensel_nb.fused")
    monkeypatch.setitem(sys.modules, "numba", None)
    found = taken()
    monkeypatch.setattr(DESCENT, "LARGE", np.inf)
    assert (flat(found[-1]) == flat(taken()[-1])).all()
