"""Compiled gradient descent: the numbers of the plain one, on any number of threads, and nothing that is kept changes."""

import sys
from importlib import import_module
from itertools import islice
from unittest.mock import Mock

import numpy as np
import pytest
from helpers import flat, kind_of, of_kind, random_parameters, short_texts

import tokensel_nb as ts

TEXTS = short_texts()[0]


@pytest.fixture
def steps(monkeypatch):
    """Return a function that takes steps: compiled ones on some threads, or plain ones on none."""
    fused = pytest.importorskip("tokensel_nb.fused", reason="numba is not installed")
    monkeypatch.setattr(fused, "BLOCK", 200)  # four of thirty words, and two are left
    monkeypatch.setattr(fused, "TEXTS", 30)

    def take(threads, kind="numpy", dtype="float64"):
        # The package's name for the module is that of the function.
        monkeypatch.setattr(import_module("tokensel_nb.descent"), "LARGE", 1 if threads else np.inf)
        monkeypatch.setattr(fused, "threads", lambda _: threads)
        start = of_kind(random_parameters(TEXTS, 40, 0, dtype=dtype), kind)
        for _, parameters, _ in islice(ts.descent(start, TEXTS, learning_rate=1, optimizer="gradient descent"), 9):
            yield parameters

    return take


@pytest.mark.parametrize(("kind", "dtype"), [("numpy", "float64"), ("cpu", "float32")])
def test_steps_equal_the_plain_ones(kind, dtype, steps, monkeypatch):
    monkeypatch.setattr("tokensel_nb.fused._move", move := Mock(wraps=import_module("tokensel_nb.fused")._move))
    rounding = 8 * 40 * np.finfo(dtype).eps  # eight steps at rate 1, in which 40 numbers below 1 are added in another order
    for ours, plain in zip(steps(1, kind, dtype), steps(0, kind, dtype), strict=True):
        assert kind_of(ours.embeddings) == kind
        np.testing.assert_allclose(flat(ours), flat(plain), rtol=rounding, atol=rounding)
    assert move.call_count == 8 * 7  # blocks in eight steps, of the compiled ones alone


@pytest.mark.parametrize("kind", ["numpy", "cpu"])
def test_any_number_of_threads_gives_the_same_bits_and_reuses_only_what_nobody_holds(kind, steps):
    copied = [flat(parameters) for parameters in steps(1, kind)]
    held = list(steps(2, kind))
    assert all((flat(parameters) == copy).all() for parameters, copy in zip(held, copied, strict=True))
    rows = [parameters.embeddings[3:5].T for parameters in steps(5, kind)]  # views, of which the rest is gone
    assert all((each == parameters.embeddings[3:5].T).all() for each, parameters in zip(rows, held, strict=True))
    held = None
    assert len({parameters.embeddings.__array_interface__["data"] for parameters in steps(2)}) < 6


def test_without_numba_steps_are_the_plain_ones(steps, monkeypatch):
    *_, plain = steps(0)
    monkeypatch.delitem(sys.modules, "tokensel_nb.fused")
    monkeypatch.setitem(sys.modules, "numba", None)
    *_, found = steps(1)
    assert (flat(found) == flat(plain)).all()
