"""Checkpoints: a run that was stopped or killed ends as one that was not, and another run's file is refused."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from helpers import Scored, each_kind, equal, of_kind, short_texts, sigmoids, start_of
from safetensors.numpy import load_file

import tokensel_nb as ts
from tokensel_nb import training


def uniform(parameters, counts):
    return counts @ parameters.token_values


OPTIONS = dict(batch_size=48, evaluate_every=3, learning_rate=0.2, seed=3)


@pytest.fixture
def texts():
    return short_texts()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.safetensors"


@pytest.fixture(autouse=True)
def checkpoints_at_every_step(monkeypatch):
    monkeypatch.setattr(training, "SECONDS", 0.0)


def same(one, other, kind=None):
    """Whether two runs ended alike, in every row of the history."""
    rows = all(np.array_equal(*pair, equal_nan=True) for pair in zip(one.history, other.history)) or kind == "cuda"
    return rows and equal(one.parameters, other.parameters, kind) and (one.step, one.stopped) == (other.step, other.stopped)


def interrupted(at):
    def watch(step, _):
        if step == at:
            raise KeyboardInterrupt

    return watch


@each_kind
@pytest.mark.parametrize("optimizer", ["adam", "gradient descent"])
@pytest.mark.parametrize("own", [False, True])
def test_a_run_goes_on_where_it_was_interrupted(texts, file, optimizer, own, kind):
    corpus, held_out = texts
    start = start_of(corpus, 5, "float32")
    model, start = (sigmoids, Scored(start.embeddings, np.ones(5, "f"), np.zeros((), "f"))) if own else (ts.one_layer, start)
    start = of_kind(start, kind)
    options = OPTIONS | dict(held_out=held_out, optimizer=optimizer, patience=7, model=model, keep=[1])
    for at in (0, 3, 12, 24):
        with pytest.raises(KeyboardInterrupt):
            ts.train(start, corpus, 24, checkpoint=file, watch=interrupted(at), **options)
        assert file.exists() == (at > 0)
    assert same(ts.train(start, corpus, 24, checkpoint=file, **options), ts.train(start, corpus, 24, **options), kind)
    found = ts.load(file, start)
    assert type(found.last) is type(start)
    again = ts.train(found, corpus, 24, **options | {"keep": []})
    assert all(map(np.array_equal, *(ts.as_numpy(run.parameters) for run in (found, again))))


@pytest.mark.parametrize("steps", [22, 24])
def test_more_steps_go_on_from_a_finished_run(texts, file, steps, monkeypatch):
    corpus, start = texts[0], start_of(texts[0])
    first = ts.train(start, corpus, steps, checkpoint=file, **OPTIONS)
    longer = ts.train(start, corpus, 30, checkpoint=file, **OPTIONS)
    assert same(longer, ts.train(start, corpus, 30, **OPTIONS))
    ts.save(file, first)
    assert same(ts.load(file), first)


def test_a_loaded_run_goes_on_as_one_from_memory(texts, file):
    corpus, start = texts[0], start_of(texts[0])
    for settings in (OPTIONS, OPTIONS | dict(optimizer="gradient descent", trained={"embeddings"}, batch_size=np.int64(32))):
        half = ts.train(start, corpus, 10, **settings)
        ts.save(file, half)
        assert same(ts.train(ts.load(file), corpus, 25), ts.train(half, corpus, 25))
    assert not same(ts.train(half, corpus, 25, seed=4), ts.train(half, corpus, 25)), "the second half has batches"


def test_what_a_file_cannot_hold_has_to_be_given_again(texts, file):
    """A model of the book's parameters, and an optimizer with Adam's number of moments: else both would pass for the usual."""
    corpus, start = texts[0], start_of(texts[0])
    given = {"model": uniform, "optimizer": ts.Optimizer("halves", 2, lambda slope, moments, step: (slope / 2, moments))}
    half, whole = (ts.train(start, corpus, steps, **given) for steps in (10, 25))
    ts.save(file, half)
    ts.save(file, ts.load(file))  # which loses nothing
    for name, message in (("model", "its model, uniform; give the model"), ("optimizer", "optimizer='halves'; give one of")):
        with pytest.raises(ValueError, match=message):
            ts.train(ts.load(file), corpus, 25, **{other: given[other] for other in given if other != name})
    assert same(ts.train(ts.load(file), corpus, 25, **given), whole)


def test_a_run_that_diverges_after_it_was_resumed_keeps_the_best_of_all(texts, file, monkeypatch):
    corpus, start = texts[0], start_of(texts[0])
    losses = [0.6, 0.2, 0.5, 0.5, 0.5, 0.5, 500.0]
    monkeypatch.setattr(training, "evaluate", lambda parameters, *_: (losses[round(parameters.cls_embedding[0])], 0.5))
    count = ts.Optimizer("count", 0, lambda slope, moments, step: (-1 + 0 * slope, ()))
    options = dict(optimizer=count, learning_rate=1.0, evaluate_every=1)
    ts.train(start, corpus, 4, checkpoint=file, **options)
    with pytest.warns(RuntimeWarning, match="training diverged"):
        resumed = ts.train(start, corpus, 50, checkpoint=file, **options)
    assert (resumed.stopped, resumed.step, resumed.parameters.cls_embedding[0]) == ("divergence", 1, 1)
    assert same(ts.train(start, corpus, 60, checkpoint=file, **options), resumed), "and stays ended"


KILLED = """
import os, signal, sys
import tokensel_nb as ts
from tokensel_nb import training

training.SECONDS, move, moves = 0.0, os.replace, []

def mortal(*paths):
    moves.append(paths)
    if len(moves) < 40:
        move(*paths)
    else:  # the new file is written, but not in its place
        os.kill(os.getpid(), signal.SIGKILL)

os.replace = mortal
corpus, held_out = ts.independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
start = ts.init_parameters(30, 5, 0)
ts.train(start, corpus, 130, checkpoint=sys.argv[1], held_out=held_out, patience=90, batch_size=48)
"""


def test_three_kills_lead_to_the_same_bits(texts, file):
    corpus, held_out = texts
    for _ in range(3):
        died = subprocess.run([sys.executable, "-c", KILLED, str(file)])
        assert died.returncode == -signal.SIGKILL
    options = dict(held_out=held_out, patience=90, batch_size=48)
    start = start_of(corpus, 5, "float32")
    assert 100 < ts.load(file).state.step < 130, "killed before its end"
    assert same(ts.train(start, corpus, 130, checkpoint=file, **options), ts.train(start, corpus, 130, **options))


OTHERS = {
    "learning_rate": (dict(learning_rate=0.1), "made with learning_rate=0.2, not 0.1; choose another file"),
    "optimizer": (dict(optimizer="gradient descent"), "made with optimizer=adam, not gradient descent"),
    "trained": (dict(trained=["output_vector"]), r"made with trained=None, not \['output_vector'\]"),
    "batch_size": (dict(batch_size=32), "made with batch_size=48, not 32"),
    "patience": (dict(patience=5), "made with patience=50, not 5"),
    "evaluate_every": (dict(evaluate_every=4), "made with evaluate_every=3, not 4"),
    "seed": (dict(seed=4), "made with seed=3, not 4"),
    "model": (dict(model=sigmoids), "made with model=one_layer, not sigmoids"),
}


@pytest.mark.parametrize("name", [*OTHERS, "shapes", "start", "corpus", "held_out"])
def test_a_checkpoint_of_another_run_is_refused(texts, file, name):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, patience=50)
    ts.train(start_of(corpus, 5), corpus, 6, checkpoint=file, **options)
    before = file.read_bytes()
    changes, message = OTHERS.get(name, ({}, rf"made with {name}=.*, not .*; choose another file"))
    start = {"shapes": start_of(corpus, 6), "start": start_of(corpus[1:], 5, "float32")}.get(name, start_of(corpus, 5))
    relabelled = replace(corpus, labels=1 - corpus.labels)
    options |= changes | ({"held_out": held_out[1:]} if name == "held_out" else {})
    with pytest.raises(ValueError, match=message):
        ts.train(start, relabelled if name == "corpus" else corpus, 9, checkpoint=file, **options)
    assert file.read_bytes() == before


def test_a_file_that_is_cut_short_or_of_another_kind_is_refused(texts, file):
    run = ts.train(start_of(texts[0]), texts[0], 3, checkpoint=file)
    for data in (file.read_bytes()[:-1], b"", b"PK"):
        file.write_bytes(data)
        with pytest.raises(ValueError, match="not a complete file of this package"):
            ts.train(start_of(texts[0]), texts[0], 3, checkpoint=file)
    ts.save(file, run)
    assert set(load_file(file)) >= {"embeddings", "best.embeddings", "embeddings.0", "embeddings.1"}
    assert os.listdir(file.parent) == [file.name], "nothing else is left behind"
