import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file
from scipy import sparse
from strategies import corpora

from tokensel_nb import Corpus, Parameters, accuracy, descend_, init_parameters, logits, loss, textbook, training
from tokensel_nb.synthetic import independent_tokens
from tokensel_nb.training import NAMES, CheckpointError, train

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@pytest.fixture
def texts():
    """200 short texts whose words tell the labels, to train on, and 50 others."""
    return independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)


@pytest.fixture(autouse=True)
def checkpoints_at_every_evaluation(monkeypatch):
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)


def start_of(corpus, dim=6, dtype="float64"):
    return init_parameters(corpus.vocab_size, dim, 0, num_classes=corpus.num_classes, dtype=dtype)


def equal(one, other):
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in NAMES)


def by_autograd(corpus, start, trained, steps, rate, optimiser=torch.optim.Adam):
    """The same training as textbooks write it: every position looked up, every gradient automatic."""
    leaves = {name: torch.from_numpy(value).clone() for name, value in vars(start).items()}
    optimiser = optimiser([leaves[name].requires_grad_() for name in trained], lr=rate)
    tokens, labels = textbook.tokens_of(corpus), torch.from_numpy(corpus.labels)
    for _ in range(steps):
        outputs = textbook.textbook_logits(*leaves.values(), tokens)
        if corpus.num_classes == 2:
            losses = torch.nn.functional.softplus(-labels * outputs)
        else:
            losses = torch.nn.functional.cross_entropy(outputs, labels, reduction="none")
        optimiser.zero_grad()
        (losses @ torch.from_numpy(corpus.mean_weights)).backward()
        optimiser.step()
    return {name: value.detach().numpy() for name, value in leaves.items()}


# ------------------------------------------------------------------------------------ the right steps


@pytest.mark.parametrize("device", DEVICES)
@given(corpus=corpora(min_texts=2), trained=st.sets(st.sampled_from(NAMES), min_size=1), seed=st.integers(0, 9))
def test_gradient_descent_equals_automatic_differentiation(device, corpus, trained, seed):
    if len(set(corpus.labels)) < corpus.num_classes or not corpus.counts.nnz:
        return  # refused, see below
    start = replace(start_of(corpus), cls_embedding=np.random.default_rng(seed).standard_normal(6))
    options = dict(start=start, steps=4, learning_rate=0.3, trained=tuple(trained), device=device)
    found = train(corpus, optimiser="gradient descent", **options).parameters
    wanted = by_autograd(corpus, start, trained, 4, 0.3, torch.optim.SGD)
    for name in NAMES:  # four steps of order one: rounding stays far below 1e-10
        np.testing.assert_allclose(getattr(found, name), wanted[name], atol=1e-10)
        if name not in trained:
            assert np.array_equal(getattr(found, name), getattr(start, name))


def test_adam_equals_automatic_differentiation(texts):
    corpus, _ = texts
    start = start_of(corpus)
    found = train(corpus, start=start, steps=12, learning_rate=0.1).parameters
    wanted = by_autograd(corpus, start, NAMES, 12, 0.1)
    for name in NAMES:  # Adam divides by |g| at the first step, so that a gradient's rounding of 1e-16 grows to 1e-12 or so
        np.testing.assert_allclose(getattr(found, name), wanted[name], atol=1e-9)


def test_gradient_descent_is_the_full_step_in_place(texts):
    corpus, _ = texts
    start = start_of(corpus)
    found = train(corpus, start=start, steps=1, optimiser="gradient descent", learning_rate=2.0).parameters
    stepped = start_of(corpus)
    descend_(stepped, corpus, 2.0)
    for name in NAMES:
        np.testing.assert_allclose(getattr(found, name), getattr(stepped, name), atol=1e-14)
    assert equal(start, start_of(corpus)), "the start is left as it was"


def test_float32_follows_float64(texts):
    corpus, _ = texts
    start = start_of(corpus)
    rough = Parameters(*(value.astype("float32") for value in vars(start).values()))
    fine, coarse = (train(corpus, start=begin, steps=10).parameters for begin in (start, rough))
    assert coarse.embeddings.dtype == np.float32
    np.testing.assert_allclose(coarse.embeddings, fine.embeddings, atol=1e-3)


def test_training_learns_and_says_so(texts):
    corpus, held_out = texts
    done = train(corpus, held_out=held_out, steps=22, dim=8, evaluate_every=5)
    history = done.history
    assert history.steps.tolist() == [0, 5, 10, 15, 20, 22]
    assert history.losses[-1] < 0.5 * history.losses[0]
    assert history.losses[-1] == pytest.approx(loss(done.parameters, corpus), rel=1e-6)
    assert history.held_out_losses[-1] == pytest.approx(loss(done.parameters, held_out), rel=1e-6)
    assert history.held_out_accuracies[-1] == pytest.approx(accuracy(done.parameters, held_out))
    assert accuracy(done.parameters, held_out) == np.mean((logits(done.parameters, held_out) > 0) == (held_out.labels > 0))
    assert repr(done).startswith("Training(22 steps, loss 0.")


def test_the_same_seed_gives_the_same_parameters(texts):
    corpus, _ = texts
    one, same, other = (train(corpus, steps=6, batch_size=32, seed=seed).parameters for seed in (1, 1, 2))
    assert equal(one, same)
    assert not equal(one, other)


def test_texts_that_weigh_nothing_are_in_no_batch(texts):
    corpus, _ = texts
    weights = np.zeros(len(corpus))
    weights[::20] = 1
    corpus = replace(corpus, weights=weights)
    done = train(corpus, steps=30, batch_size=2, dim=4)
    assert done.stopped == "all steps"
    batches = training._batches(corpus, 2, seed=0, skip=0)
    assert all((next(batches).weights == 1).all() for _ in range(30))


def test_every_epoch_takes_every_text_once(texts):
    corpus, _ = texts
    corpus = replace(corpus, weights=np.arange(1, len(corpus) + 1))
    batches = training._batches(corpus, 64, seed=0, skip=0)
    epochs = [[next(batches) for _ in range(4)] for _ in range(2)]
    assert [len(batch) for batch in epochs[0]] == [64, 64, 64, 8]
    taken = [np.concatenate([batch.weights for batch in epoch]) for epoch in epochs]
    assert all(sorted(weights) == corpus.weights.tolist() for weights in taken)
    assert not np.array_equal(*taken)


def test_patience_keeps_the_best(texts):
    corpus, held_out = texts
    done = train(corpus, held_out=held_out, steps=2000, learning_rate=0.2, dim=8, patience=3, evaluate_every=2)
    assert done.stopped == "patience"
    best = done.history.held_out_losses.argmin()
    assert done.step == done.history.steps[best]
    assert best == len(done.history) - 4
    assert loss(done.parameters, held_out) == pytest.approx(done.history.held_out_losses[best], rel=1e-6)


def test_the_watcher_sees_every_evaluation(texts):
    corpus, _ = texts
    seen = []
    train(corpus, steps=10, evaluate_every=4, watch=lambda step, parameters: seen.append((step, loss(parameters, corpus))))
    assert [step for step, _ in seen] == [0, 4, 8, 10]
    assert seen[-1][1] < seen[0][1]


# ----------------------------------------------------------------------------------------- interrupted


OPTIONS = dict(steps=24, dim=5, batch_size=48, evaluate_every=3, learning_rate=0.2, seed=3)


@pytest.mark.parametrize("optimiser", training.OPTIMISERS)
@pytest.mark.parametrize("killed_at", [0, 3, 12, 24])
def test_a_run_goes_on_where_it_was_interrupted(texts, tmp_path, killed_at, optimiser):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, optimiser=optimiser, patience=7)
    file = tmp_path / "run.safetensors"

    def stop(step, _):
        if step == killed_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus, checkpoint=file, watch=stop, **options)
    through, resumed = train(corpus, **options), train(corpus, checkpoint=file, **options)
    assert equal(resumed.parameters, through.parameters)
    for name, values in vars(through.history).items():
        np.testing.assert_array_equal(getattr(resumed.history, name), values)
    assert (resumed.step, resumed.stopped) == (through.step, through.stopped)


KILLED = """
import sys, time
from tokensel_nb import training
from tokensel_nb.synthetic import independent_tokens
training.CHECKPOINT_SECONDS = 0.0
corpus, _ = independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
training.train(corpus, checkpoint=sys.argv[1], watch=lambda *_: time.sleep(0.003), steps=3000, dim=5, evaluate_every=3, seed=3)
"""


def test_a_killed_process_leaves_a_checkpoint_that_leads_to_the_same_end(texts, tmp_path):
    file = tmp_path / "run.safetensors"
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(file)])
    deadline = time.monotonic() + 60
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.2)  # some checkpoints later, at any moment of one
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    options = dict(steps=400, dim=5, evaluate_every=3, seed=3)
    through = train(texts[0], **options)
    assert equal(train(texts[0], checkpoint=file, **options).parameters, through.parameters)


def test_more_steps_go_on_from_a_finished_run(texts, tmp_path):
    corpus, held_out = texts
    options = OPTIONS | dict(held_out=held_out, patience=50)
    file = tmp_path / "run.safetensors"
    train(corpus, checkpoint=file, **(options | dict(steps=10)))  # ends between two evaluations
    longer = train(corpus, checkpoint=file, **options)
    assert equal(longer.parameters, train(corpus, **options).parameters)
    assert longer.history.steps.tolist() == list(range(0, 25, 3))


def test_a_finished_run_is_not_run_again(texts, tmp_path, monkeypatch):
    corpus, _ = texts
    first = train(corpus, checkpoint=tmp_path / "a.safetensors", **OPTIONS)
    monkeypatch.setattr(training, "fill_gradients_", None)
    assert equal(train(corpus, checkpoint=tmp_path / "a.safetensors", **OPTIONS).parameters, first.parameters)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_checkpoint_that_was_cut_short_is_refused(texts, tmp_path, share):
    corpus, _ = texts
    file = tmp_path / "run.safetensors"
    train(corpus, checkpoint=file, **OPTIONS)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(CheckpointError, match=r"run.safetensors: no whole checkpoint .*; remove it, or name another file"):
        train(corpus, checkpoint=file, **OPTIONS)


def test_a_file_of_someone_else_is_refused(texts, tmp_path):
    save_file({"weights": torch.ones(3)}, tmp_path / "other.safetensors")
    with pytest.raises(CheckpointError, match="no whole checkpoint of this package"):
        train(texts[0], checkpoint=tmp_path / "other.safetensors", **OPTIONS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(dim=6), r"its embeddings is torch.float32 of shape \(30, 5\), but this run's is .*\(30, 6\)"),
        (dict(learning_rate=0.1), "made with learning_rate=0.2, not 0.1"),
        (dict(optimiser="gradient descent"), "made with optimiser='adam', not 'gradient descent'"),
        (dict(trained=["output_vector"]), "made with trained="),
        (dict(seed=4), "made with seed=3, not 4"),
    ],
)
def test_a_checkpoint_of_other_settings_is_refused(texts, tmp_path, change, message):
    train(texts[0], checkpoint=tmp_path / "run.safetensors", **OPTIONS)
    with pytest.raises(CheckpointError, match=message):
        train(texts[0], checkpoint=tmp_path / "run.safetensors", **(OPTIONS | change))


def test_a_checkpoint_of_another_corpus_is_refused_and_both_are_named(texts, tmp_path):
    corpus, held_out = texts
    train(corpus, checkpoint=tmp_path / "run.safetensors", **OPTIONS)
    with pytest.raises(CheckpointError, match=r"made with Corpus\(200 texts.*but this run is on Corpus\(50 texts"):
        train(held_out, checkpoint=tmp_path / "run.safetensors", **OPTIONS)
    swapped = replace(corpus, labels=-corpus.labels)  # of the same sizes
    with pytest.raises(CheckpointError, match="digest"):
        train(swapped, checkpoint=tmp_path / "run.safetensors", **OPTIONS)


def test_a_disk_that_fills_costs_a_warning_and_the_last_good_checkpoint_stays(texts, tmp_path, monkeypatch):
    corpus, _ = texts
    file, writes, fsync = tmp_path / "run.safetensors", [], os.fsync

    def full(descriptor):
        writes.append(file.read_bytes() if file.exists() else None)
        if len(writes) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning) as caught:
        done = train(corpus, checkpoint=file, **OPTIONS)
    assert "step 9 could not be written (No space left on device); the last one stays" in str(caught[0].message)
    assert file.read_bytes() == writes[3]
    assert [path.name for path in tmp_path.iterdir()] == ["run.safetensors"], "nothing half written is left"
    monkeypatch.setattr(os, "fsync", fsync)
    assert equal(done.parameters, train(corpus, checkpoint=file, **OPTIONS).parameters)


# -------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("optimiser", ["gradient descent", "adam"])
def test_a_diverging_run_stops_and_keeps_the_best(texts, optimiser):
    corpus, _ = texts
    with pytest.warns(RuntimeWarning, match=r"training diverged: .* at step \d+; the parameters of step \d+ .*are kept"):
        done = train(corpus, optimiser=optimiser, learning_rate=1e4, steps=50, evaluate_every=1)
    assert done.stopped == "divergence"
    assert done.history.steps[-1] < 50
    assert np.isfinite(done.parameters.embeddings).all()
    assert loss(done.parameters, corpus) == pytest.approx(done.history.losses[:-1].min(), rel=1e-5)


@pytest.mark.parametrize("rows", [slice(0, 1), slice(0, 0)])
def test_one_review_or_one_class_is_refused(tiny, rows):
    with pytest.raises(ValueError, match=r"every one of the \d texts has the same label; training needs two classes"):
        train(tiny[rows])
    with pytest.raises(ValueError, match="every one of the 2 texts has the same label"):
        train(tiny[[0, 2]])


def test_a_class_that_never_occurs_is_named(tiny):
    corpus = Corpus(tiny.counts, [0, 2, 0], tiny.vocabulary, ("a", "b", "c"))
    with pytest.warns(RuntimeWarning, match="no text is of the class b; it will never be predicted"):
        train(corpus, steps=2)
    with pytest.raises(ValueError, match="there are 2 texts of 3 classes; give at least one text a class"):
        train(corpus[:2])


def test_empty_reviews_are_refused_but_some_among_others_are_not(tiny):
    empty = Corpus(sparse.csr_array((2, 3), dtype=int), [-1, 1], tiny.vocabulary)
    with pytest.raises(ValueError, match="none of the 2 texts holds a known word"):
        train(empty)
    mixed = Corpus(sparse.csr_array(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 1]])), [1, -1, 1], tiny.vocabulary)
    assert np.isfinite(train(mixed, steps=5).history.losses).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(steps=0), "steps=0; give a whole number of at least 1"),
        (dict(batch_size=0), "batch_size=0"),
        (dict(learning_rate=-1.0), "learning_rate=-1.0; give a positive number"),
        (dict(learning_rate=np.nan), "learning_rate=nan"),
        (dict(optimiser="lbfgs"), "optimiser='lbfgs'; choose one of 'adam', 'gradient descent'"),
        (dict(trained=["weights"]), "name at least one of 'embeddings'"),
        (dict(trained=[]), "name at least one of 'embeddings'"),
        (dict(patience=2), "patience needs held_out"),
        (dict(start=init_parameters(4, 2, 0)), "embeddings has 4 rows, but the corpus has 3 words"),
    ],
)
def test_arguments_out_of_range(tiny, options, message):
    with pytest.raises(ValueError, match=message):
        train(tiny, **options)


def test_held_out_texts_of_other_words_are_refused(tiny):
    with pytest.raises(ValueError, match="held_out has other words"):
        train(tiny, held_out=replace(tiny, vocabulary=["a", "b", "c"]))


def test_labels_as_strings_are_refused_by_the_corpus(tiny):
    with pytest.raises(ValueError, match="give one whole number a text"):
        Corpus(tiny.counts, ["good", "bad", "good"], tiny.vocabulary)


def test_a_start_that_is_not_finite_is_refused(tiny):
    start = init_parameters(3, 2, 0)
    start.embeddings[0] = np.nan
    with pytest.raises(ValueError, match="the loss at the start is nan"):
        train(tiny, start=start)
