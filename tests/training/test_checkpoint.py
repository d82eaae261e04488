import errno
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
import torch
from helpers import KINDS, alike, each_kind, equal, on, short_texts, start_of
from safetensors.numpy import load_file, save_file

from tokensel_nb import CheckpointError, Corpus, OneLayer, Options, TwoLayers, TwoLayersWithoutKeyQuery, WithMLP, train
from tokensel_nb.models.optimizers import OPTIMIZERS
from tokensel_nb.support import seals
from tokensel_nb.training import checkpoint

OPTIONS = dict(steps=24, dim=5, batch_size=48, evaluate_every=3, learning_rate=0.2, seed=3)


@pytest.fixture
def texts():
    return short_texts()


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.safetensors"


@pytest.fixture(autouse=True)
def checkpoints_at_every_evaluation(monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)


def same(one, other, kind=None):
    """Whether two runs, computed on that kind, ended alike, in every row of the history."""
    rows = all(alike(row, getattr(other.history, name), kind) for name, row in vars(one.history).items())
    return rows and equal(one.parameters, other.parameters, kind) and (one.step, one.stopped) == (other.step, other.stopped)


# ----------------------------------------------------------------------------------------- interrupted


@each_kind
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("killed_at", [0, 3, 12, 24])
def test_a_run_goes_on_where_it_was_interrupted(texts, file, killed_at, optimizer, kind):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, optimizer=optimizer, patience=7) | on(kind)

    def stop(step, _):
        if step == killed_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, checkpoint=file, watch=stop, **options)
    assert file.exists() == (killed_at > 0)
    through, resumed = train(corpus, **options), train(corpus, checkpoint=file, **options)
    assert same(resumed, through, kind)
    assert all(array.flags.writeable for array in resumed.parameters.arrays().values())


KILLED = """
import sys, time
from tokensel_nb import train
from tokensel_nb.training import checkpoint
from tokensel_nb.corpus.synthetic import independent_tokens
checkpoint.SECONDS = 0.0
corpus, _ = independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
device = None if sys.argv[2] == "numpy" else sys.argv[2]
options = dict(steps=3000, dim=5, evaluate_every=3, seed=3, device=device)
train(corpus, checkpoint=sys.argv[1], watch=lambda *_: time.sleep(0.003), **options)
"""


@pytest.mark.processes
@pytest.mark.parametrize("kind", ["numpy", "cpu"])  # 900 steps make of a GPU's other roundings another end
def test_a_killed_process_leaves_a_checkpoint_that_leads_to_the_same_end(texts, file, kind):
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(file), kind])
    deadline = time.monotonic() + 200
    while not file.exists() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)  # some checkpoints later, at any moment of one
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    options = dict(steps=900, dim=5, evaluate_every=3, seed=3) | on(kind)
    assert len(load_file(file)["history"]) < 300, "killed before its end"
    assert same(train(texts[0], checkpoint=file, **options), train(texts[0], **options))


@each_kind
def test_more_steps_go_on_from_a_finished_run(texts, file, kind):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, patience=50) | on(kind)
    train(corpus, checkpoint=file, **(options | dict(steps=10)))  # ends between two evaluations
    longer = train(corpus, checkpoint=file, **options)
    assert same(longer, train(corpus, **options), kind)
    assert longer.history.steps.tolist() == list(range(0, 25, 3))


@pytest.mark.parametrize("steps", [24, 22])
def test_a_finished_run_is_not_run_again(texts, file, monkeypatch, steps):
    corpus, _ = texts
    options = OPTIONS | dict(steps=steps)
    first = train(corpus, checkpoint=file, **options)
    monkeypatch.setattr(OneLayer, "step_gradients", None)
    assert same(train(corpus, checkpoint=file, **options), first)


def test_a_run_that_diverged_stays_ended(texts, file):
    corpus, _ = texts
    options = OPTIONS | dict(learning_rate=1e4, batch_size=None)
    with pytest.warns(RuntimeWarning, match="training diverged"):
        first = train(corpus, checkpoint=file, **options)
    assert same(train(corpus, checkpoint=file, **(options | dict(steps=100))), first)


@pytest.mark.parametrize("model", [TwoLayers(), WithMLP()])
@pytest.mark.parametrize("killed_at", [0, 8])
def test_deeper_models_go_on_where_they_were_interrupted(texts, file, model, killed_at):
    corpus, held_out = texts
    options = dict(dim=5, steps=16, batch_size=32, evaluate_every=4, held_out=held_out, patience=9, learning_rate=0.02)

    def stop(step, _):
        if step == killed_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, model, checkpoint=file, watch=stop, **options)
    assert same(train(corpus, model, checkpoint=file, **options), train(corpus, model, **options))


# ---------------------------------------------------------------------------------------- another run's


REFUSED = {
    "dim": (6, r"made with embeddings=\('float32', \(30, 5\)\), not \('float32', \(30, 6\)\); name another file"),
    "learning_rate": (0.1, "made with learning_rate=0.2, not 0.1; name another file"),
    "optimizer": ("gradient descent", "made with optimizer='adam', not 'gradient descent'"),
    "trained": (
        ["output_vector"],
        r"made with trained=\['embeddings', 'cls_embedding', 'output_vector'\], not \['output_vector'\]",
    ),
    "batch_size": (32, "made with batch_size=48, not 32"),
    "patience": (5, "made with patience=50, not 5"),
    "evaluate_every": (4, "made with evaluate_every=3, not 4"),
    "seed": (4, "made with seed=3, not 4"),
}
WELCOME = {
    "steps": 30,
    "device": "cpu",
    "checkpoint": "the other file",
    "watch": lambda *_: None,
    "verbose": False,
    "distributed": False,
}


def test_each_option_is_refused_or_welcome():
    assert {*REFUSED, *WELCOME} == {field.name for field in fields(Options)}


@pytest.mark.parametrize("name", REFUSED)
def test_a_checkpoint_of_other_options_is_refused(texts, file, name):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, patience=50, checkpoint=file)
    train(corpus, **options)
    before, (value, message) = file.read_bytes(), REFUSED[name]
    with pytest.raises(CheckpointError, match=rf"run\.safetensors: {message}"):
        train(corpus, **(options | {name: value}))
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", WELCOME)
def test_a_checkpoint_goes_on_with_what_changes_no_step(texts, file, name):
    corpus, _ = texts
    first = train(corpus, checkpoint=file, **(OPTIONS | dict(steps=12)))
    if name == "checkpoint":
        file = file.rename(file.with_stem("moved"))
    resumed = train(corpus, **(OPTIONS | {name: WELCOME[name], "checkpoint": file}))
    through = train(corpus, **(OPTIONS | dict(steps=resumed.step)))
    assert resumed.step == (30 if name == "steps" else 24)
    np.testing.assert_array_equal(resumed.history.losses[:5], first.history.losses)
    if name != "device":
        assert same(resumed, through)
    # Another device rounds otherwise; Adam at a rate of 0.2 makes of 1e-7 in a small gradient 1e-4 in a dozen steps.
    np.testing.assert_allclose(resumed.parameters.embeddings, through.parameters.embeddings, atol=5e-3)


def test_the_same_names_in_another_order_are_the_same(texts, file):
    """A set has another order in every process."""
    corpus, _ = texts
    for trained in (["output_vector", "embeddings"], ["embeddings", "output_vector"]):
        assert train(corpus, checkpoint=file, trained=trained, **OPTIONS).step == 24
    for trained in (["output_vector", "cls_embedding", "embeddings"], None):
        assert train(corpus, checkpoint=file.with_stem("all"), trained=trained, **OPTIONS).step == 24


@pytest.mark.parametrize("kinds", list(itertools.permutations(KINDS, 2)))
def test_from_one_device_to_another(texts, file, kinds):
    """In float64, where the roundings of two devices stay far below 1e-9."""
    corpus, _ = texts
    start = start_of(corpus)
    options = dict(start=start, learning_rate=0.05, evaluate_every=3, checkpoint=file)
    train(corpus, steps=9, **options, **on(kinds[0]))
    found = train(corpus, steps=18, **options, **on(kinds[1])).parameters
    wanted = train(corpus, steps=18, **(options | dict(checkpoint=None))).parameters
    np.testing.assert_allclose(found.embeddings, wanted.embeddings, atol=1e-9)


def test_a_start_of_tensors_is_the_same_start(texts, file):
    corpus, _ = texts
    start = start_of(corpus)
    train(corpus, start=start, steps=6, checkpoint=file)
    resumed = train(corpus, start=start.to("cpu"), steps=9, checkpoint=file)
    assert isinstance(resumed.parameters.embeddings, torch.Tensor)
    assert resumed.step == 9


def test_a_checkpoint_of_another_start_is_refused(texts, file):
    corpus, _ = texts
    start = start_of(corpus)
    train(corpus, start=start, steps=6, checkpoint=file)
    other = replace(start, cls_embedding=start.cls_embedding + 1e-9)
    with pytest.raises(CheckpointError, match=r"made with start='[0-9a-f]{16}', not"):
        train(corpus, start=other, steps=6, checkpoint=file)
    with pytest.raises(CheckpointError, match=r"made with embeddings=.'float64'.*, not .'float32'"):
        train(corpus, start=start.map(lambda array: array.astype("float32")), steps=6, checkpoint=file)


def test_a_checkpoint_of_another_corpus_is_refused_and_both_are_named(texts, file):
    corpus, held_out = texts
    train(corpus, held_out=held_out, checkpoint=file, **OPTIONS)
    with pytest.raises(CheckpointError, match=r"made with corpus='Corpus\(200 texts.*not 'Corpus\(50 texts"):
        train(held_out, held_out=held_out, checkpoint=file, **OPTIONS)
    counts = corpus.counts.toarray()
    counts[0] = counts[0, ::-1]
    others = dict(counts=counts, vocabulary=corpus.vocabulary[::-1], class_names=("no", "yes"))
    others |= dict(labels=1 - corpus.labels, weights=np.arange(1, 201))
    for name, value in others.items():  # of the same sizes
        other = replace(corpus, **{name: value})
        beside = replace(held_out, vocabulary=other.vocabulary, class_names=other.class_names)
        with pytest.raises(CheckpointError, match=r"made with corpus='Corpus\(200.*\(digest [0-9a-f]{16}\)', not 'Corpus\(200"):
            train(other, held_out=beside, checkpoint=file, **OPTIONS)
    for other in (None, held_out[:40]):
        with pytest.raises(CheckpointError, match=r"made with held_out='Corpus\(50 texts.*, not '(none|Corpus\(40 texts)"):
            train(corpus, held_out=other, checkpoint=file, **OPTIONS)
    again = Corpus(corpus.counts.tocoo(), corpus.labels.tolist(), corpus.vocabulary.tolist(), corpus.class_names)
    assert train(again, held_out=held_out, checkpoint=file, **OPTIONS).step == 24, "the same corpus, made anew, is the same"


def test_a_checkpoint_of_another_model_is_refused(texts, file):
    corpus, _ = texts
    options = dict(dim=5, steps=4, batch_size=50, learning_rate=0.01, checkpoint=file)
    train(corpus, TwoLayers(), **options)
    with pytest.raises(CheckpointError, match="it holds no mlp_bias, mlp_weights; it is of another model"):
        train(corpus, WithMLP(), **options)
    with pytest.raises(CheckpointError, match=r"made with model.bfloat16=False, not True"):
        train(corpus, TwoLayers(bfloat16=True), **options)
    with pytest.raises(CheckpointError, match=r"made with model.residual=1.0, not 0.0"):
        train(corpus, TwoLayers(residual=0.0), **options)
    with pytest.raises(CheckpointError, match="made with model='TwoLayers', not 'TwoLayersWithoutKeyQuery'"):
        train(corpus, TwoLayersWithoutKeyQuery(), **options)


def test_a_models_own_seed_is_not_taken_for_that_of_the_options(texts, file):
    @dataclass(frozen=True)
    class Seeded(OneLayer):
        seed: int = 0

    train(texts[0], Seeded(), steps=3, checkpoint=file)
    with pytest.raises(CheckpointError, match=r"made with model.seed=0, not 1"):
        train(texts[0], Seeded(1), steps=3, checkpoint=file)
    begun = OneLayer().start(30, 64, seed=0)
    with pytest.raises(CheckpointError, match=r"made with seed=0, not 1"):
        train(texts[0], Seeded(), start=begun, seed=1, steps=3, checkpoint=file)


# ------------------------------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_checkpoint_that_was_cut_short_is_refused(texts, file, share):
    corpus, _ = texts
    train(corpus, checkpoint=file, **OPTIONS)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(CheckpointError, match=r"run.safetensors: no whole checkpoint .*; remove it, or name another file"):
        train(corpus, checkpoint=file, **OPTIONS)


@pytest.mark.parametrize("metadata", [None, {"tokensel_nb": "no JSON"}, {"tokensel_nb": "[]"}, {"tokensel_nb": "{}"}])
def test_a_file_of_someone_else_is_refused(texts, tmp_path, metadata):
    save_file({"weights": np.ones(3)}, tmp_path / "other.safetensors", metadata)
    with pytest.raises(CheckpointError, match="no whole checkpoint of this package"):
        train(texts[0], checkpoint=tmp_path / "other.safetensors", **OPTIONS)


def test_what_is_no_file_or_has_no_possible_name_is_refused_at_once(texts, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, message in {
        tmp_path: r"it cannot be read \(Is a directory\); name another file",
        pipe: r"it cannot be read \(it is a pipe or a device, not a file\)",
        "/dev/zero": r"it cannot be read \(it is a pipe or a device",
        tmp_path / ("x" * 256): r"it cannot be read \(File name too long\)",
        tmp_path / "a\0b": r"a\\x00b: it cannot be read \(no file can have this name\)",
        tmp_path / "\ud800": r"ud800: it cannot be read \(no file can have this name\)",
        tmp_path / "\udce9": None,  # a byte that is no UTF-8, as the system hands it on
    }.items():
        if message is None:
            assert train(texts[0], checkpoint=path, **OPTIONS).step == 24
            continue
        with pytest.raises(CheckpointError, match=message) as caught:
            train(texts[0], checkpoint=path, **OPTIONS)
        assert len(str(caught.value)) < 400


def test_a_checkpoint_of_before_there_was_a_digest_is_refused(texts, file):
    train(texts[0], checkpoint=file, **OPTIONS)
    arrays, notes = seals.unsealed(file.read_bytes())
    save_file(arrays, file, {"tokensel_nb": json.dumps(notes)})
    with pytest.raises(
        CheckpointError, match=r"it carries no digest: an earlier version wrote it, .* remove it, or name another"
    ):
        train(texts[0], checkpoint=file, **OPTIONS)


def edited(file, edit):
    """Change a checkpoint with care, as who also writes its digest anew."""
    arrays, notes = seals.unsealed(file.read_bytes())
    edit(arrays, notes)
    file.write_bytes(seals.sealed(arrays, notes))


def with_row(place, value):
    def edit(arrays, _):
        arrays["history"] = arrays["history"].copy()
        arrays["history"][place] = value

    return edit


EDITS = {  # what is changed, and what is said of it
    "no history": (lambda arrays, _: arrays.pop("history"), "its history is no table of five columns"),
    "empty history": (lambda arrays, _: arrays.update(history=arrays["history"][:0]), "its history is no table"),
    "narrow history": (lambda arrays, _: arrays.update(history=arrays["history"][:, :4]), "its history is no table"),
    "history of one number": (lambda arrays, _: arrays.update(history=np.array(1.0)), "its history is no table"),
    "history of whole numbers": (lambda arrays, _: arrays.update(history=np.ones((9, 5), int)), "its history is no table"),
    "short history": (lambda arrays, _: arrays.update(history=arrays["history"][:-1]), "ends at step 21, but it has taken 24"),
    "NaN loss": (with_row((3, 1), np.nan), "its history holds numbers that are not finite"),
    "NaN held out": (with_row((3, 3), np.nan), "its history holds numbers that are not finite"),
    "infinite accuracy": (with_row((0, 2), np.inf), "its history holds numbers that are not finite"),
    "half a step": (with_row((3, 0), 9.5), "the steps of its history do not rise from 0"),
    "NaN step": (with_row((3, 0), np.nan), "the steps of its history do not rise from 0"),
    "backwards": (with_row((3, 0), 3), "the steps of its history do not rise from 0"),
    "late": (with_row((0, 0), 1), "the steps of its history do not rise from 0"),
    "no step": (lambda _, notes: notes.pop("step"), "its step is None"),
    "negative step": (lambda _, notes: notes.update(step=-3), "its step is -3"),
    "true step": (lambda _, notes: notes.update(step=True), "its step is True"),
    "step in words": (lambda _, notes: notes.update(step="24" * 500), "its step is '2424.*\\.\\.\\."),
    "another step": (lambda _, notes: notes.update(step=12), "its history ends at step 24, but it has taken 12"),
    "no best_row": (lambda _, notes: notes.pop("best_row"), "its best_row is None"),
    "negative best_row": (lambda _, notes: notes.update(best_row=-1), "its best_row is -1"),
    "best_row beyond": (lambda _, notes: notes.update(best_row=9), "its best_row is 9, but its history has 9 rows"),
    "no stopped": (lambda _, notes: notes.pop("stopped"), "its stopped is ''"),
    "unknown stopped": (lambda _, notes: notes.update(stopped="because"), "its stopped is 'because'"),
    "stopped of a list": (lambda _, notes: notes.update(stopped=[]), "its stopped is \\[\\]"),
    "no identity": (lambda _, notes: notes.pop("identity"), "it does not say what it was made of"),
    "identity of a list": (lambda _, notes: notes.update(identity=[]), "it does not say what it was made of"),
    "empty identity": (lambda _, notes: notes.update(identity={}), "made with model=None, not 'OneLayer'"),
    "seed of 3.0": (lambda _, notes: notes["identity"].update(seed=3.0), "made with seed=3.0, not 3"),
    "NaN parameters": (
        lambda arrays, _: arrays.update(embeddings=arrays["embeddings"] * np.float32("nan")),
        "its arrays hold numbers that are not finite",
    ),
    "negative squares": (
        lambda arrays, _: arrays.update({"optimizer.mean_square.embeddings": -arrays["optimizer.mean_square.embeddings"]}),
        "its mean squares are negative",
    ),
    "another dtype": (
        lambda arrays, _: arrays.update(embeddings=arrays["embeddings"].astype("float16")),
        "made with embeddings=\\('float16', \\(30, 5\\)\\), not \\('float32', \\(30, 5\\)\\)",
    ),
    **{
        f"no {name}": (lambda arrays, _, name=name: arrays.pop(name), f"it holds no {name}; it is of another model")
        for name in ("embeddings", "best.output_vector", "optimizer.mean.embeddings")
    },
    **{
        f"{name} of another shape": (
            lambda arrays, _, name=name: arrays.update({name: arrays[name][:1]}),
            f"made with {name}=\\('float32', \\(1,\\)\\), not \\('float32', \\(5,\\)\\)",
        )
        for name in ("cls_embedding", "best.cls_embedding", "optimizer.mean_square.cls_embedding")
    },
}


@pytest.mark.parametrize("name", EDITS)
def test_a_well_formed_file_that_no_run_leaves_is_refused(texts, file, name):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, optimizer="adam", checkpoint=file)
    train(corpus, **options)
    edit, message = EDITS[name]
    edited(file, edit)
    with pytest.raises(CheckpointError, match=f"run.safetensors: .*{message}"):
        train(corpus, **(options | dict(steps=30)))


def test_a_checkpoint_that_is_ahead_of_what_is_asked_for_is_refused(texts, file):
    train(texts[0], checkpoint=file, **OPTIONS)
    with pytest.raises(CheckpointError, match="it has taken 24 steps, more than steps=10; give more, or name another file"):
        train(texts[0], checkpoint=file, **(OPTIONS | dict(steps=10)))


def test_settings_of_a_model_that_cannot_be_written_down_are_refused_before_the_first_step(texts, file):
    @dataclass(frozen=True)
    class Set(OneLayer):
        strength: object = None

    for plain in (np.float32(0.5), np.int64(3), float("nan"), (1, 2)):
        for _ in range(2):
            assert train(texts[0], Set(plain), checkpoint=file, **OPTIONS).step == 24
        file.unlink()
    for value in ({1, 2}, object(), np.ones(3)):
        with pytest.raises(CheckpointError, match=r"model.strength=.* cannot be written to it; give a number or a string"):
            train(texts[0], Set(value), checkpoint=file, **OPTIONS)


def test_arrays_of_any_shape_and_order_of_bytes_are_sealed_as_they_are():
    arrays = {"number": np.array(3.0), "none": np.zeros((0, 3)), "turned": np.eye(3)[:, :2].T, "big": np.arange(3, dtype=">f4")}
    found, notes = seals.unsealed(seals.sealed(arrays, {"words": "\udce9 \n"}))
    assert notes == {"words": "\udce9 \n"}
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)


def test_a_file_that_is_replaced_while_it_is_read_is_one_of_the_two(texts, file, monkeypatch):
    """It is opened once: what is put under its name between two readings of it does not come in."""
    corpus, _ = texts
    through = train(corpus, checkpoint=file, **OPTIONS)
    other = file.with_stem("other")
    train(corpus, checkpoint=other, **(OPTIONS | dict(steps=12)))
    read = checkpoint.read_once

    def replaced(path):
        data = read(path)
        os.replace(other, path)
        return data

    monkeypatch.setattr(checkpoint, "read_once", replaced)
    assert same(train(corpus, checkpoint=file, **OPTIONS), through)


def test_a_disk_that_fills_costs_a_warning_and_the_last_good_checkpoint_stays(texts, tmp_path, file, monkeypatch):
    corpus, _ = texts
    writes, fsync = [], os.fsync

    def full(descriptor):
        writes.append(file.read_bytes() if file.exists() else None)
        if len(writes) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning) as caught:
        done = train(corpus, checkpoint=file, **OPTIONS)
    assert str(caught[0].message) == f"{file}: not written (No space left on device); the last checkpoint stays"
    assert caught[0].filename == __file__, "the warning points at the caller"
    assert file.read_bytes() == writes[3]
    assert load_file(file)["history"][-1, 0] == 6, "the first that was lost is that of step 9"
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"], "nothing half written is left"
    monkeypatch.setattr(os, "fsync", fsync)
    assert equal(done.parameters, train(corpus, checkpoint=file, **OPTIONS).parameters)


def test_young_checkpoints_are_not_written_again_but_the_last_one_is(texts, file, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS", 1000.0)
    there = []
    train(texts[0], checkpoint=file, watch=lambda step, _: there.append(file.exists()), **OPTIONS)
    assert not any(there)
    assert load_file(file)["history"][-1, 0] == 24


def test_the_folder_is_made(texts, tmp_path):
    train(texts[0], checkpoint=str(tmp_path / "new" / "run.safetensors"), **OPTIONS)
    assert (tmp_path / "new" / "run.safetensors").exists()


def test_a_digest_is_of_dtypes_shapes_and_contents():
    arrays = [np.zeros(4), np.zeros((2, 2)), np.zeros(4, "float32"), np.ones(4), np.zeros(4, "int64"), np.zeros(5)]
    assert len({seals.digest(array) for array in arrays}) == 6
    assert seals.digest(np.eye(3)[:, :2]) == seals.digest(np.ascontiguousarray(np.eye(3)[:, :2]))
    assert seals.digest(arrays[0], arrays[3]) != seals.digest(arrays[3], arrays[0])
