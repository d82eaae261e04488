"""Small work runs on one thread, larger work on as many as the user has set, and the settings are the user's own afterwards."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event, local
from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.linalg  # noqa: F401 (it brings a BLAS of its own)
import torch
from scipy import sparse
from threadpoolctl import ThreadpoolController, threadpool_limits
from tokensel_nb.models import optimizers
from tokensel_nb.models.base import loss_of_logits
from tokensel_nb.support import products, threads
from tokensel_nb.support.threads import LARGE, threads_for

import tokensel_nb as ts
from tokensel_nb.corpus import counts
from tokensel_nb.yourdata import fit

HERS = 3  # threads that the user has set


BLAS = ThreadpoolController().select(user_api="blas").lib_controllers


def of_blas():
    return {each.num_threads for each in BLAS}


def seen():
    """How many threads torch and BLAS use here and now."""
    return torch.get_num_threads(), of_blas()


def exactness():
    """What torch multiplies float32 in, on GPUs and on processors."""
    return torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision


ONE, ALL = (1, {1}), (HERS, {HERS})


@pytest.fixture(autouse=True)
def hers():
    before = torch.get_num_threads(), [(each, each.num_threads) for each in BLAS]
    torch.set_num_threads(HERS)
    for each in BLAS:
        threads.set_threads(each, HERS)
    yield
    assert seen() == ALL
    torch.set_num_threads(before[0])
    for each in before[1]:
        threads.set_threads(*each)


@pytest.fixture
def corpus():
    return ts.xor_of_pairs(num_texts=40, vocab_size=8, length=4, seed=0)


class Watching(ts.AutogradModel):
    """A model that notes how many threads it is computed with."""

    noted = ()

    def forward(self, parameters, texts):
        type(self).noted = [*self.noted, seen()]
        return texts.log_counts.softmax(dim=1)[:, :1] * parameters.output_vector.sum() + parameters.embeddings.sum()


class Wide(Watching):
    """The same, and so wide that two texts are large."""

    def widest(self, tokens, dim):
        return LARGE // 2


def noted_by(model, work):
    type(model).noted = []
    work(model)
    return set(map(repr, type(model).noted))


def test_small_work_runs_on_one_thread_and_large_work_on_all():
    for numbers, wanted in (0, ONE), (LARGE - 1, ONE), (LARGE, ALL):
        with threads_for(numbers):
            assert seen() == wanted
        assert seen() == ALL


def test_the_number_is_the_users_own_after_an_error():
    for numbers in 1, LARGE:
        with pytest.raises(KeyError), threads_for(numbers):
            raise KeyError
        assert seen() == ALL


def test_a_lower_number_of_the_user_stays():
    torch.set_num_threads(1)
    with threadpool_limits(1, user_api="blas"):
        for numbers in 1, LARGE:
            with threads_for(numbers):
                assert seen() == ONE
            assert seen() == ONE
    torch.set_num_threads(2)
    with threadpool_limits(2, user_api="blas"), threads_for(LARGE):
        assert seen() == (2, {2})
    torch.set_num_threads(HERS)


def test_nested_the_innermost_decides_for_torch_and_any_small_work_for_blas():
    with threads_for(1):
        with threads_for(LARGE):
            assert seen() == (HERS, {1})
            with threads_for(1):
                assert seen() == ONE
            assert seen() == (HERS, {1})
        assert seen() == ONE
    with threads_for(LARGE):
        with threads_for(1):
            assert seen() == ONE
        assert seen() == ALL


def test_two_python_threads_that_end_in_any_order():
    both_in, first_out = Barrier(2, timeout=60), Event()

    def work(first):
        torch.set_num_threads(HERS)
        with threads_for(1):
            both_in.wait()
            if not first:
                assert first_out.wait(60)
            found = seen()
        after = torch.get_num_threads()
        if first:
            first_out.set()
        return found, after

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, [True, False])) == [(ONE, HERS), (ONE, HERS)]
    assert seen() == ALL


def test_another_python_thread_limits_blas_after_this_one_did():
    with threads_for(1):
        pass
    with ThreadPoolExecutor(1) as pool:

        def work():
            with threads_for(1):
                return of_blas()

        assert pool.submit(work).result() == {1}


def test_a_model_is_trained_and_asked_on_one_thread(corpus):
    assert noted_by(Watching(), lambda model: ts.train(corpus, model, dim=4, steps=2)) == {repr(ONE)}
    start = Watching().start(corpus.vocab_size, 4, seed=0)
    for ask in ts.logits, ts.loss, ts.accuracy, ts.gradients:
        assert noted_by(Watching(), lambda model, ask=ask: ask(start, corpus, model)) == {repr(ONE)}


def test_a_large_batch_keeps_all_of_torchs_threads(corpus):
    found = noted_by(Wide(), lambda model: ts.train(corpus, model, dim=4, steps=2))
    assert found == {repr((HERS, {1}))}  # BLAS has little to do with it
    start = Wide().start(corpus.vocab_size, 4, seed=0)
    assert noted_by(Wide(), lambda model: model.logits(start, corpus[:1])) == {repr(ONE)}  # one text is half as large


def test_large_parameters_keep_all_threads(corpus, monkeypatch):
    monkeypatch.setattr(threads, "LARGE", 8 * 4)
    found = []
    ts.train(corpus, dim=4, steps=1, watch=lambda *_: found.append(seen()))
    assert found == [ALL, ALL]
    ts.train(corpus, dim=3, steps=1, batch_size=2, watch=lambda *_: found.append(seen()))
    assert found[2:] == [ONE, ONE]


def test_a_step_of_pairs_of_tokens_is_larger_than_its_rows():
    assert ts.TwoLayers().widest(9, 128) == ts.WithMLP().widest(9, 128) == 9 * 128
    assert ts.TwoLayers().widest(500, 128) == 4 * 500**2
    assert ts.WithMLP().widest(500, 128) == 500 * 128


def test_the_blocks_of_an_optimizer_are_small_however_large_the_array(monkeypatch):
    found = []
    monkeypatch.setattr(optimizers.Adam, "move", lambda *_: found.append(seen()))
    large = np.zeros((LARGE // 1000 + 1, 1000), np.float32)
    for each in large, torch.from_numpy(large):
        with threads_for(large.size):
            optimizers.Adam({"embeddings": each}, 0.1).step({"embeddings": each})
    assert len(found) > 2
    assert set(map(repr, found)) == {repr(ONE)}


@pytest.mark.parametrize("kind", ["numpy", "cpu"])
@pytest.mark.parametrize("optimizer", ["adam", "gradient descent"])
def test_any_number_of_threads_ends_with_the_same_bits(kind, optimizer, monkeypatch):
    """Blocks are shared out among threads, and do not depend on how many these are."""
    used = []
    monkeypatch.setattr(threads, "LARGE", 0)
    monkeypatch.setattr(products, "BLOCK", 100)
    monkeypatch.setattr(counts, "BLOCK", 30)
    monkeypatch.setattr(optimizers, "BLOCK", 50)
    pool = threads._pool
    monkeypatch.setattr(threads, "_pool", lambda: (used.append(number), pool())[1])
    ends = set()
    for number in 1, 2, 4:
        torch.set_num_threads(number)
        corpus = ts.xor_of_pairs(num_texts=200, vocab_size=50, length=9, seed=0)
        start = ts.init_parameters(corpus.vocab_size, 16, seed=0)
        start = start if kind == "numpy" else start.to(kind)
        found = ts.train(corpus, start=start, steps=5, optimizer=optimizer, learning_rate=0.1).parameters
        ends.add(b"".join(array.tobytes() for array in found.numpy().arrays().values()))
    torch.set_num_threads(HERS)
    assert set(used) == {2, 4}, "one thread needs no other"
    assert len(ends) == 1


def test_blocks_come_in_order_and_without_threads_too(monkeypatch):
    cuts = [0, 2, 3, 9]
    wanted = [slice(0, 2), slice(2, 3), slice(3, 9)]
    assert threads.by_blocks(lambda block: block, cuts) == wanted
    assert set(map(str, threads.by_blocks(lambda block: seen(), cuts))) == {str(ONE)}
    with pytest.raises(ZeroDivisionError):
        threads.by_blocks(lambda block: 1 / block.start, cuts)
    with np.errstate(divide="ignore"):  # said here, it holds for all threads
        assert len(threads.by_blocks(lambda block: np.ones(1) / np.zeros(1), cuts)) == 3
    monkeypatch.setattr(threads, "HAS_THREADS", False)
    assert threads.by_blocks(lambda block: block, cuts) == wanted


def test_only_blocks_may_use_several_threads(monkeypatch):
    asked = []
    pool = threads._pool
    monkeypatch.setattr(threads, "_pool", lambda: (asked.append(seen()[0]), pool())[1])

    def begun():
        asked.clear()
        threads.by_blocks(lambda block: block, [0, 1, 2, 3, 4])
        return len(asked) + 1

    with threads.blocks_alone():
        assert (torch.get_num_threads(), begun()) == (1, HERS)
        with threads.blocks_alone():
            assert (torch.get_num_threads(), begun()) == (1, HERS)
        with threads_for(0):
            assert begun() == 1
        with threads_for(LARGE):
            assert (torch.get_num_threads(), begun()) == (1, HERS)
        assert begun() == HERS
    assert (torch.get_num_threads(), begun()) == (HERS, HERS)
    with pytest.raises(KeyError), threads.blocks_alone():
        raise KeyError
    with threads_for(0), threads.blocks_alone():
        assert begun() == 1


def test_where_no_thread_can_start_one_does_all(monkeypatch):
    def refused(*_):
        raise RuntimeError("cannot schedule new futures after shutdown")

    monkeypatch.setattr(threads, "_pool", lambda: SimpleNamespace(submit=refused))
    assert threads.by_blocks(lambda block: block.start, [0, 1, 2, 3]) == [0, 1, 2]


def test_after_an_error_nobody_begins_another_block():
    begun, failed = [], Event()

    def function(block):
        begun.append(block.start)
        if block.start == 0:
            failed.set()
            raise KeyError
        assert failed.wait(60)
        sleep(0.2)  # until that error has been told

    with pytest.raises(KeyError):
        threads.by_blocks(function, list(range(100)))
    assert len(begun) <= 2 * HERS


def test_a_number_that_each_thread_has_of_its_own_is_set_in_each(monkeypatch):
    """As some builds of OpenBLAS have it, those that share OpenMP's threads."""
    own, noted, all_here = local(), [], Barrier(HERS, timeout=60)

    def of_blas():
        return [(partial(setattr, own, "number"), getattr(own, "number", HERS), 1)]

    def function(block):
        noted.append(own.number)
        all_here.wait()

    monkeypatch.setattr(threads, "_of_blas", of_blas)
    own.number = HERS
    threads.by_blocks(function, list(range(HERS + 1)))
    assert noted == [1] * HERS
    assert own.number == HERS


def test_other_threads_treat_tensors_as_this_one_does(corpus, monkeypatch):
    monkeypatch.setattr(threads, "LARGE", 0)
    monkeypatch.setattr(products, "BLOCK", 4)
    start = ts.init_parameters(corpus.vocab_size, 4, seed=0)
    ends = []
    for mode in True, False:
        with torch.inference_mode(mode):
            here = start.to("cpu").map(torch.clone)
            ts.descend_(here, corpus, 0.1)
            ends.append(here.embeddings.numpy().copy())
    np.testing.assert_array_equal(*ends)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_child_of_a_call_has_the_users_settings():
    code = """
import os, torch, numpy
from tokensel_nb.support import threads
torch.set_num_threads(3)
libraries = threads._libraries(0)
for each in libraries: threads.set_threads(each, 3)
with threads.threads_for(0), threads.threads_for.lock:
    child = os.fork()
    if not child:
        with threads.threads_for(0):
            inside = {each.num_threads for each in libraries}
        os._exit(0 if (inside, {each.num_threads for each in libraries}) == ({1}, {3}) else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_loss_has_the_same_bits_by_any_number_of_threads(classes):
    """Of so many texts that BLAS would share the sum among its threads."""
    random = np.random.default_rng(0)
    texts = sparse.csr_array(random.integers(1, 9, (40_000, 2)).astype(np.int32))
    corpus = ts.Corpus(texts, np.arange(40_000) % classes, ["one", "two"], list("abc"[:classes]))
    shape = (40_000,) if classes == 2 else (40_000, 3)
    logits = random.standard_normal(shape).astype(np.float32)
    for each in logits, torch.from_numpy(logits):
        found = set()
        for number in 1, 2, 4:
            torch.set_num_threads(number)
            with threadpool_limits(number, user_api="blas"):
                found.add(float(loss_of_logits(each, corpus)))
        assert len(found) == 1
    torch.set_num_threads(HERS)


def test_functions_are_measured_by_their_arguments(corpus, monkeypatch):
    found = []

    class Noting(ts.OneLayer):
        def logits(self, *arguments):
            found.append(seen())
            return super().logits(*arguments)

    start = ts.init_parameters(corpus.vocab_size, 4, seed=0)
    ts.logits(start, corpus, Noting())
    monkeypatch.setattr(threads, "LARGE", 4 * corpus.counts.nnz)
    ts.logits(start, corpus, Noting())
    ts.logits(start, corpus[:1], Noting())
    monkeypatch.setattr(threads, "LARGE", start.embeddings.size)
    ts.logits(start, corpus[:1], Noting())
    assert found == [ONE, ALL, ONE, ALL]


def test_the_number_is_the_users_own_after_arguments_are_refused(corpus):
    with pytest.raises(ValueError, match="embeddings"):
        ts.logits(ts.init_parameters(corpus.vocab_size, 4, seed=0).map(lambda array: array * np.nan), corpus)
    assert seen() == ALL


def test_a_classifier_is_fitted_on_one_thread(monkeypatch):
    found = []
    train = fit.train
    monkeypatch.setattr(fit, "train", lambda model, corpus: (found.append(of_blas()), train(model, corpus)))
    ts.TextClassifier().fit(["a good film", "a bad film"] * 9, ["up", "down"] * 9)
    assert found == [{1}]


def by_old_name(precision):
    torch.set_float32_matmul_precision(precision)


def by_new_name(precision):
    torch.backends.cuda.matmul.fp32_precision = torch.backends.mkldnn.matmul.fp32_precision = precision


@pytest.fixture
def inexact():
    """Settings of a user who would rather be fast, and what torch then says."""
    before = exactness()
    yield [(by_old_name, "high"), (by_old_name, "medium"), (by_new_name, "tf32")]
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision = before


def test_float32_is_multiplied_exactly_whatever_the_user_has_set(corpus, inexact):
    found = []

    class Noting(Watching):
        def forward(self, parameters, texts):
            found.append(exactness())
            return super().forward(parameters, texts)

    start = Noting().start(corpus.vocab_size, 4, seed=0)
    for put, precision in inexact:
        put(precision)
        hers = exactness()
        assert hers != ("ieee", "ieee")
        ts.train(corpus, Noting(), dim=4, steps=2)
        ts.train(corpus, dim=4, steps=2, device="cpu", watch=lambda *_: found.append(exactness()))
        ts.logits(start, corpus, Noting())
        ts.gradients(start, corpus, Noting())
        Noting().logits(start, corpus)
        with pytest.raises(KeyError), threads_for(LARGE):
            raise KeyError
        assert exactness() == hers
    assert set(found) == {("ieee", "ieee")}
    assert len(found) >= 8 * len(inexact)


@pytest.mark.skipif(not hasattr(torch.backends, "fp32_precision"), reason="before torch 2.9 nothing is inherited")
def test_what_was_set_for_all_products_can_be_set_anew(inexact):
    torch.backends.fp32_precision = "tf32"
    assert exactness() == ("tf32", "tf32")
    with threads_for(0):
        assert exactness() == ("ieee", "ieee")
    assert exactness() == ("tf32", "tf32")
    torch.backends.fp32_precision = "ieee"
    assert exactness() == ("ieee", "ieee")
    torch.backends.fp32_precision = "none"


def test_products_are_exact_until_the_last_python_thread_ends(inexact):
    torch.set_float32_matmul_precision("high")
    both_in, first_out = Barrier(2, timeout=60), Event()

    def work(first):
        with threads_for(LARGE):
            both_in.wait()
            if not first:
                assert first_out.wait(60)
            found = exactness()
        if first:
            first_out.set()
        return found

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(work, [True, False])) == 2 * [("ieee", "ieee")]
    assert torch.get_float32_matmul_precision() == "high"


def test_what_containers_for_gpus_set_is_set_back():
    code = "import torch, tokensel_nb.support.threads as t; said = lambda: torch.backends.cuda.matmul.fp32_precision"
    code += "\nprint(said())\nwith t.threads_for(1): print(said())\nprint(said())"
    environment = os.environ | {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE": "1"}
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert found.stdout.split() == ["tf32", "ieee", "tf32"]


def test_older_torch_has_one_switch(monkeypatch):
    switch = SimpleNamespace(allow_tf32=True)
    monkeypatch.setattr(torch, "backends", SimpleNamespace(cuda=SimpleNamespace(matmul=switch)))
    with threads_for(LARGE):
        assert switch.allow_tf32 is False
    assert switch.allow_tf32 is True


def test_torch_is_not_imported_for_it():
    code = "import sys, numpy, tokensel_nb.support.threads as t\nwith t.threads_for(1): pass\nprint('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_the_numbers_that_an_argument_brings():
    start = ts.init_parameters(5, 4, seed=0)
    assert list(map(threads.numbers_in, (np.zeros((3, 2)), torch.zeros(3, 2), start, "a text"))) == [6, 6, 20, 0]


def test_nobody_goes_on_when_an_error_is_raised():
    """Neither in this Python thread nor in the others, which may be in the middle of a block."""
    steps = []

    def work(block):
        steps.append(block)
        if block.start == 0:
            raise KeyError
        sleep(0.05)
        steps.append(block)

    with pytest.raises(KeyError):
        threads.by_blocks(work, range(8))
    before = len(steps)
    sleep(0.2)
    assert len(steps) == before
