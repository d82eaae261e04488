"""Texts that several processes share: the same counts and the same run, whatever their number, and whoever dies."""

import json
import os
import pickle
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import shared_counts
import torch
from helpers import corpora, random_parameters
from hypothesis import given
from hypothesis import strategies as st
from shared_runs import RUNS, run

import tokensel_nb as ts
from tokensel_nb.scale import processes, stored
from tokensel_nb.scale.distributed import Parts
from tokensel_nb.scale.processes import ALONE, Processes
from tokensel_nb.support.files import PART
from tokensel_nb.training.state import State

TESTS = Path(__file__).parents[1]
SHORT = [name for name in RUNS if "broken" not in name]

ONE_GPU = (
    "two of the {} processes would compute on the same GPU; "
    "start at most one for each (torchrun --nproc-per-node), or give device='cpu'"
)

# What torchrun's processes need is imported once: they are forked from it.
FORKING = "import datasets, tokensel_nb.training.train, torch.distributed.run as torchrun; torchrun.main()"


def torchrun(processes, script, *arguments, options=(), dies=None, seconds=600):
    """Run a script by so many processes of torchrun; return what they write to standard error."""
    engine = [sys.executable, "-c", FORKING, "--standalone", "--monitor-interval", "0.05"]
    engine += ["--start-method", "fork", "--run-path", *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "error::UserWarning:tokensel_nb"}
    done = subprocess.run(
        [*engine, "--nproc-per-node", str(processes), str(TESTS / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=environment | ({"TOKENSEL_DIES": dies} if dies else {}),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def trained(folder, processes, names, **how):
    """Return what each process of torchrun found, by its rank."""
    log = torchrun(processes, "shared_runs.py", folder, *names, **how)
    return [pickle.loads((folder / f"{rank}.pickle").read_bytes()) for rank in range(processes)], log


@pytest.fixture(scope="module")
def undivided():
    return {name: run(name) for name in SHORT}


@pytest.mark.processes
@pytest.mark.parametrize("processes", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(4, marks=pytest.mark.long)])
def test_any_number_of_processes_ends_with_the_same_parameters(tmp_path, undivided, processes):
    """Of two processes the second is killed, too, at the 200th exchange of another run: torchrun starts both anew."""
    killed = processes == 2
    names, how = SHORT, {}
    if killed:  # at once, so that little is done twice
        names, how = ["broken", "unbroken", *SHORT], dict(options=["--max-restarts", "1"], dies="1 200")
    found, log = trained(tmp_path, processes, names, **how)
    assert log.count("one is killed") == killed
    assert {each["restarts"] for each in found} == {int(killed)}, "for no other reason"
    assert [each["gpus"] for each in found] == [[0], *[[]] * (processes - 1)], "the others compute on the processor"
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
        wanted = "process 1 has seed=1, but process 0 has 0; give all processes the same"
        assert found[0]["its own seed"].startswith(wanted)
        assert {each["one GPU"] for each in found} == {ONE_GPU.format(processes)}
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


@pytest.mark.processes
@pytest.mark.long
def test_200_kills_cost_nothing_but_time(tmp_path):
    """One of two processes is killed at a random moment of each attempt, often while a checkpoint is written, to the end."""
    unbroken, _ = trained(tmp_path, 2, ["unbroken"])
    kills = []
    while sum(kills) < 200:
        (folder := tmp_path / str(len(kills))).mkdir()
        found, log = trained(folder, 2, ["broken"], options=["--max-restarts", "100"], dies="random 100", seconds=3000)
        kills.append(log.count("one is killed"))
        assert found[0]["restarts"] == kills[-1], "for no other reason"
        assert kills[-1] >= 5, "killed again and again before the end"
        for process, wanted in zip(found, unbroken):
            assert_bitwise(process["broken"], wanted["unbroken"])
        print(f"{sum(kills)} kills in {len(kills)} runs, each of which ends as the unbroken one", flush=True)


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


# ------------------------------------------------------------------------------------------------ counting


@pytest.fixture(scope="module")
def undivided_counts(tmp_path_factory):
    """Each of `shared_counts.ROWS` stored by one process."""
    folder = tmp_path_factory.mktemp("undivided")
    for name in shared_counts.ROWS:
        shared_counts.store(folder, name)
    return folder


def files_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.processes
@pytest.mark.parametrize("processes", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(3, marks=pytest.mark.long)])
def test_any_number_of_processes_stores_the_same_corpus(tmp_path, undivided_counts, processes):
    """To the last bit; of two, one is killed while it counts, and both count again."""
    killed = processes == 2
    shared_counts.stream(tmp_path)
    how = dict(options=["--max-restarts", "1"], dies="counting") if killed else {}
    log = torchrun(processes, "shared_counts.py", tmp_path, **how)
    assert log.count("one is killed") == killed
    names = {name: name for name in shared_counts.ROWS}
    names |= dict.fromkeys(["streamed", "read one by one", "after all that"], "plain")
    names |= dict.fromkeys(["slowly", *(["killed"] if killed else [])], "a tokenizer")
    for name, wanted in names.items():
        assert files_of(tmp_path / name) == files_of(undivided_counts / wanted), name
    left = {path.name for path in tmp_path.iterdir()} - {*names}
    assert sum(map(bool, map(PART.fullmatch, left))) <= killed
    found = [json.loads((tmp_path / f"{rank}.json").read_text()) for rank in range(processes)]
    assert {each["restarts"] for each in found} == {int(killed)}, "for no other reason"
    check_what_each_said(found)


def check_what_each_said(found):
    processes, number = len(found), len(shared_counts.TEXTS)
    assert [row for each in found for row in each["read"]] == list(range(number)), "each reads its part alone"
    for name, kind, reason in (
        ("a bad text", "ValueError", r"row \d+ is .*None, 'up'.*; give a text and a label"),
        ("a full disk", "OSError", r".*File too large"),
    ):
        *others, failed = (each[name] for each in found)
        assert re.match(f"{kind}: {reason}", failed)
        assert all(re.match(f"RuntimeError: process {processes - 1} failed: {kind}: {reason}", each) for each in others), name
    if processes > 1:
        for each in found:
            assert each["other rows"].startswith("ValueError: process 1 has rows=11, but process 0 has 10; give all")
            assert each["another option"].startswith("ValueError: process 1 has vocabulary=")
            assert "which 2 processes cannot share; give" in each["an iterator"].replace("3 processes", "2 processes")
    for each in found:
        assert each["no rows"] == "ValueError: there are no rows; give at least one text and its label"
        assert each["there already"].startswith("FileExistsError: ")


class InThreads(Processes):
    """One of several processes that are threads, which tell each other values by a list."""

    def __init__(self, rank, said, barrier):
        super().__init__(rank, len(said))
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "barrier", barrier)

    def each(self, value):
        self.barrier.wait()
        self.said[self.rank] = pickle.dumps(value)
        self.barrier.wait()
        return iter([pickle.loads(each) for each in self.said])


@pytest.mark.parametrize(
    ("device", "gpus", "shared"),
    [
        ("cuda", [0, 1, 2], False),
        ("cuda", [0, 1, 0], True),
        ("cuda:1", [0, 1, 2], True),
        ("auto", [0, 1, 1], True),
        ("cpu", [0, 0, 0], False),
        (None, [0, 0, 0], False),
    ],
)
def test_processes_that_would_share_a_gpu_all_say_so_before_anything_is_placed(device, gpus, shared, monkeypatch):
    of_thread, said, barrier = threading.local(), [None] * len(gpus), threading.Barrier(len(gpus), timeout=60)
    corpus, reached = ts.independent_tokens(20, 8, 6, 0.7, seed=0), []

    def train(rank):
        of_thread.rank = rank
        with pytest.raises(ValueError, match=re.escape(ONE_GPU.format(3)) if shared else "^begun$"):
            ts.train(corpus, dim=3, steps=2, device=device, distributed=True)

    def begun(*_):
        reached.append(of_thread.rank)
        raise ValueError("begun")

    monkeypatch.setattr(Processes, "joined", lambda: InThreads(of_thread.rank, said, barrier))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: gpus[of_thread.rank])
    monkeypatch.setattr(processes, "default_device", lambda: "cuda")
    monkeypatch.setattr(State, "begun", begun)
    with ThreadPoolExecutor(len(gpus)) as threads:
        list(threads.map(train, range(len(gpus))))
    assert sorted(reached) == ([] if shared else [0, 1, 2])


ANY_TEXT = st.text(max_size=12) | st.sampled_from(shared_counts.TEXTS + shared_counts.ODD)
ROWS = st.lists(st.tuples(ANY_TEXT, st.integers(0, 1)), min_size=1, max_size=30)
CHOICES = st.fixed_dictionaries(dict(min_count=st.integers(1, 2), max_words=st.none() | st.just(2), lowercase=st.booleans()))


@given(rows=ROWS, size=st.integers(2, 6), at_once=st.integers(1, 5), choices=CHOICES)
def test_whatever_is_counted_by_several_is_counted_by_one(rows, size, at_once, choices):
    """Texts of every script, fewer than processes among them; or else the same sentence."""
    of_thread, said, barrier = threading.local(), [None] * size, threading.Barrier(size, timeout=60)

    def store(folder, processes=ALONE):
        of_thread.processes = processes
        try:
            ts.store_corpus(rows, folder / "all", distributed=True, class_names=("down", "up"), **choices)
        except ValueError as error:
            return str(error)

    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder, ThreadPoolExecutor(size) as threads:
        patch.setattr(Processes, "joined", lambda _: of_thread.processes)
        patch.setattr(stored, "AT_ONCE", at_once)
        one, several = Path(folder, "one"), Path(folder, "several")
        wanted = store(one)
        found = set(threads.map(lambda rank: store(several, InThreads(rank, said, barrier)), range(size)))
        assert found == {wanted}
        if wanted is None:
            assert files_of(several / "all") == files_of(one / "all")


def test_a_group_for_gpus_alone_sums_arrays_of_numpy_too(monkeypatch):
    """They go to the GPU and back; here a clone stands for the GPU."""
    monkeypatch.setattr(torch.distributed, "get_backend", lambda: "nccl")
    monkeypatch.setattr(torch.Tensor, "cuda", torch.Tensor.clone)
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda tensor: tensor.mul_(2))
    array = np.arange(3.0)
    assert Processes(0, 2).summed(array).tolist() == array.tolist() == [0, 2, 4]
