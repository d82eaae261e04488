"""Texts that several processes share: the same run, whatever their number, and whoever dies."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import corpora, random_parameters
from hypothesis import given
from hypothesis import strategies as st
from shared_runs import RUNS, run

import tokensel_nb as ts
from tokensel_nb.distributed import Parts, Processes

SCRIPT = Path(__file__).with_name("shared_runs.py")
SHORT = [name for name in RUNS if "broken" not in name]


def torchrun(folder, processes, names, *options, dies="none 0", seconds=200):
    """Return what each process of torchrun found, by its rank."""
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--monitor-interval", "0.05", *options]
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "TOKENSEL_DIES": dies,
        "PYTHONWARNINGS": "error::UserWarning:tokensel_nb",
    }
    done = subprocess.run(
        [*engine, "--nproc-per-node", str(processes), str(SCRIPT), str(folder), *names],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [pickle.loads((folder / f"{rank}.pickle").read_bytes()) for rank in range(processes)], done.stderr


@pytest.fixture(scope="module")
def undivided():
    return {name: run(name) for name in SHORT}


@pytest.mark.parametrize("processes", [pytest.param(1, marks=pytest.mark.long), 2, 4])
def test_any_number_of_processes_ends_with_the_same_parameters(tmp_path, undivided, processes):
    """Of two processes the second is killed, too, at the 200th exchange of another run: torchrun starts both anew."""
    killed = processes == 2
    names, options = ([*RUNS], ["--max-restarts", "1"]) if killed else (SHORT, [])
    found, log = torchrun(tmp_path, processes, names, *options, dies="1 200" if killed else "none 0")
    assert ("exitcode: -9" in log) == killed
    for name, wanted in undivided.items():
        first = found[0][name]
        for arrays, history, step, _ in (each[name] for each in found):
            assert step == wanted.step, name
            for array_name, array in wanted.parameters.arrays().items():
                # Sums in another order differ by some 1e-16, which Adam divides by |g| + 1e-8 at its first step.
                np.testing.assert_allclose(arrays[array_name], array, rtol=0, atol=1e-10, err_msg=name)
                assert np.array_equal(arrays[array_name], first[0][array_name]), f"{name}: no process drifts from another"
            for column, value in vars(wanted.history).items():
                np.testing.assert_allclose(vars(history)[column], value, rtol=0, atol=1e-10, err_msg=name)
    if processes > 1:
        assert found[0]["refused"].startswith("process 1 has seed=1, but process 0 has 0; give all processes the same")
        assert_bytes(found, undivided)
    if killed:
        for process in found:
            assert_bitwise(process["broken"], process["unbroken"])
            assert process["broken"][3] < process["unbroken"][3], "some steps were not taken again"


def assert_bytes(found, undivided):
    """Two numbers of 8 bytes a word and step, K + 1 for K classes, and two numbers a split and evaluation."""
    checked = 0
    for name, wanted in undivided.items():
        if name == "a model that torch differentiates":
            continue
        columns = 2 if wanted.parameters.output_vector.ndim == 1 else len(wanted.parameters.output_vector) + 1
        steps, evaluations = int(wanted.history.steps[-1]), len(wanted.history)
        formula = steps * columns * len(wanted.parameters.embeddings) * 8 + evaluations * 2 * 2 * 8
        assert [each[name][3] for each in found] == [formula] * len(found), name
        checked += 1
    assert checked == len(SHORT) - 1


@pytest.mark.long
def test_twenty_kills_cost_nothing_but_time(tmp_path):
    """One of two processes is killed at a random moment of each of twenty attempts, often while a checkpoint is written."""
    names = ["unbroken", "broken"]
    found, log = torchrun(tmp_path, 2, names, "--max-restarts", "20", dies="random 20", seconds=3000)
    assert log.count("exitcode: -9") >= 10, "killed again and again before the end"
    for process in found:
        assert_bitwise(process["broken"], process["unbroken"])


def assert_bitwise(found, wanted):
    for array_name, array in wanted[0].items():
        assert np.array_equal(found[0][array_name], array)
    for column, value in vars(wanted[1]).items():
        assert np.array_equal(vars(found[1])[column], value)


class Listed(Processes):
    """One of several processes whose sums are made by the test."""

    def summed(self, array):
        return array


@given(corpus=corpora(), size=st.integers(1, 5), data=st.data())
def test_the_parts_of_several_processes_add_up(corpus, size, data):
    """Corpora of every odd shape, fewer texts than processes among them."""
    parameters = random_parameters(corpus, 6, seed=0)
    scores, values = parameters.token_scores, parameters.token_values
    rows = data.draw(st.none() | st.sets(st.integers(0, len(corpus) - 1), min_size=1).map(sorted).map(np.array))
    texts = corpus if rows is None else corpus[rows]
    wanted = ts.score_gradients(scores, values, texts)
    all_parts = [Parts(corpus, rows, Listed(rank, size)) for rank in range(size)]
    assert sum(sum(parts.shares) for parts in all_parts) == pytest.approx(1)
    found = [parts.mean(lambda part: ts.score_gradients(scores, values, part)) for parts in all_parts]
    for each, of_all in zip(zip(*found), wanted):  # of order one: rounding stays far below
        np.testing.assert_allclose(sum(each), of_all, atol=1e-12)
    evaluated = sum(np.array(ts.OneLayer().evaluate(parameters, parts)) for parts in all_parts)
    np.testing.assert_allclose(evaluated, ts.OneLayer().evaluate(parameters, texts), atol=1e-12)


def test_one_process_alone_trains_as_ever():
    for name in ("2 classes, adam, whole", "2 classes, adam, batches"):
        one, other = run(name), run(name, distributed=True)
        for array, same in zip(one.parameters.arrays().values(), other.parameters.arrays().values()):
            assert np.array_equal(array, same)


def test_a_group_of_ones_own_is_used():
    from torch import distributed

    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        assert Processes.joined() == Processes(0, 1)
    finally:
        distributed.destroy_process_group()
