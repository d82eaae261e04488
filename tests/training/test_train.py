"""Training against torch's optimizers and closed forms; its history, patience, divergence, snapshots, and going on."""

import io
import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import KINDS, Scored, each_dtype, each_kind, equal, kind_of, of_kind, short_texts, sigmoids, start_of
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb import training

RATE = 0.05


def heavy_ball(slope, moments, step):
    velocity = 0.9 * moments[0] + slope
    return velocity, [velocity]


@pytest.fixture(scope="module")
def texts():
    return short_texts()


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setitem(ts.descent.__globals__, "BLOCK", 12)


def starts(texts, kind, dtype="float64"):
    """The book's model and somebody's, with their starts."""
    start = start_of(texts, dtype=dtype)
    own = Scored(start.embeddings, np.ones(6, dtype), np.zeros((), dtype))
    return {ts.one_layer: of_kind(start, kind), sigmoids: of_kind(own, kind)}


ORACLES = {
    "adam": torch.optim.Adam,
    "gradient descent": torch.optim.SGD,
    ts.Optimizer("heavy ball", 1, heavy_ball): lambda leaves, lr: torch.optim.SGD(leaves, lr, momentum=0.9),
}


@each_kind
@pytest.mark.parametrize("optimizer", ORACLES, ids=["adam", "gradient descent", "heavy ball"])
@pytest.mark.parametrize("model", [ts.one_layer, sigmoids])
@pytest.mark.usefixtures("small_blocks")
def test_many_steps_equal_those_of_torch(texts, kind, optimizer, model):
    corpus, start = texts[0], starts(texts[0], "cpu")[model]
    leaves = type(start)(*(array.clone().requires_grad_() for array in start))
    oracle = ORACLES[optimizer](leaves, lr=RATE)
    for _ in range(40):
        oracle.zero_grad()
        ts.loss(leaves, corpus, model).backward()
        oracle.step()
    found = ts.train(of_kind(start, kind), corpus, 40, model=model, optimizer=optimizer).parameters
    assert {kind_of(array) for array in found} == {kind}
    for ours, theirs in zip(ts.as_numpy(found), ts.as_numpy(leaves)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_adams_first_step_is_that_of_the_formula(texts, classes):
    corpus = texts[0]
    if classes > 2:
        corpus = replace(corpus, labels=np.resize(range(4), len(corpus)), class_names=tuple("abcd"))
    start = start_of(corpus)
    after = ts.train(start, corpus, 1, trained=["embeddings"]).parameters
    np.testing.assert_allclose(after.token_values, ts.adam_values(start, corpus, RATE), rtol=1e-10)
    assert not after.cls_embedding.any()


@each_kind
@each_dtype
@pytest.mark.parametrize("device", [None, "auto", *KINDS[1:]])
def test_the_result_is_of_the_kind_of_the_start_wherever_it_is_computed(texts, kind, dtype, device):
    corpus, seen = texts[0], []
    start = of_kind(start_of(corpus, dtype=dtype), kind)
    run = ts.train(start, corpus, 3, device=device, keep=[2], watch=lambda _, parameters: seen.append(kind_of(parameters[0])))
    further = ts.train(run, corpus, 6, device=device)
    for found in (run.parameters, run.last, run.snapshots[2], further.parameters, *further.state.moments.values()):
        assert {(kind_of(array), str(array.dtype).removeprefix("torch.")) for array in found} == {(kind, dtype)}
    assert set(seen) == {{None: kind, "auto": "cuda" if "cuda" in KINDS else kind}.get(device, device)}
    assert equal(further.parameters, ts.train(start, corpus, 6, device=device).parameters, kind)


# ---------------------------------------------------------------------------------- history and batches


def test_training_learns_and_says_so(texts):
    corpus, held_out = texts
    run = ts.train(start_of(corpus, 8), corpus, 22, held_out=held_out)
    history, p = run.history, run.parameters
    assert history.steps.tolist() == [0, 5, 10, 15, 20, 22]
    assert history.losses[-1] < 0.5 * history.losses[0]
    measured = [measure(p, of) for of in (corpus, held_out) for measure in (ts.loss, ts.accuracy)]
    assert [column[-1] for column in history[1:]] == pytest.approx(measured, rel=1e-12)
    assert repr(run).startswith("Training(22 steps, loss 0.")
    assert repr(run).endswith(f", held-out accuracy {history.held_out_accuracies[-1]:.3f}; all steps)")
    alone = ts.train(start_of(corpus), corpus, 2)
    assert np.isnan(alone.history.held_out_losses).all()
    assert "held-out" not in repr(alone)


def test_every_epoch_takes_every_text_that_weighs_once(texts):
    weights = np.arange(200) % 20 > 0
    corpus = replace(texts[0], weights=weights)
    batches = ts.descent.__globals__["_batches"](corpus, 64, 0, 0)
    epochs = [[next(batches) for _ in range(3)] for _ in range(2)]
    assert [len(batch) for batch in epochs[0]] == [64, 64, 62]
    taken = [np.concatenate(epoch) for epoch in epochs]
    assert all(np.array_equal(np.sort(rows), np.flatnonzero(weights)) for rows in taken)
    assert not np.array_equal(*taken)


def test_the_seed_draws_the_batches_and_a_batch_of_all_texts_is_the_corpus(texts):
    corpus, start = texts[0], start_of(texts[0])
    one, same, other = (ts.train(start, corpus, 6, batch_size=32, seed=seed).parameters for seed in (1, 1, 2))
    assert equal(one, same)
    assert not equal(one, other)
    assert equal(ts.train(start, corpus, 4, batch_size=500).parameters, ts.train(start, corpus, 4).parameters)


def test_texts_without_words_are_trained_on_as_well(tiny):
    mixed = ts.Corpus([[0, 0, 0], [2, 1, 0], [0, 1, 1]], [1, -1, 1], tiny.vocabulary)
    for (model, start), batch_size in itertools.product(starts(mixed, "numpy").items(), (None, 1)):
        assert np.isfinite(ts.train(start, mixed, 5, model=model, batch_size=batch_size).history.losses).all()


# ----------------------------------------------------------------------------- patience and divergence


def test_patience_keeps_the_best(texts):
    corpus, held_out = texts
    run = ts.train(start_of(corpus, 8), corpus, 2000, held_out=held_out, learning_rate=0.2, patience=3, evaluate_every=2)
    best = run.history.held_out_losses.argmin()
    assert (run.stopped, run.step, best) == ("patience", run.history.steps[best], len(run.history.steps) - 4)
    assert float(ts.loss(run.parameters, held_out)) == pytest.approx(run.history.held_out_losses[best], rel=1e-12)


#         0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
LOSSES = (9, 9, 9, 8, 9, 9, 7, 9, 9, 6, 1, 9, 5, 9, 9, 5.5, *[5.5] * 20)
COUNTED = dict(optimizer=ts.Optimizer("count", 0, lambda slope, moments, step: (-1 + 0 * slope, ())), learning_rate=1.0)
COUNTED |= dict(evaluate_every=3)


@pytest.mark.parametrize("patience", [1, 2])
def test_a_last_step_out_of_turn_is_shown_but_not_judged(texts, tmp_path, patience, monkeypatch):
    """A run of more steps is not evaluated at step 10, so a run of 10 may not call it the best, nor lose patience over it."""
    corpus, held_out = texts
    monkeypatch.setattr(training, "evaluate", lambda parameters, *_: (LOSSES[round(parameters.cls_embedding[0])], 0.5))
    options = COUNTED | dict(held_out=held_out, patience=patience)
    start, file = start_of(corpus), tmp_path / "run.safetensors"
    short = ts.train(start, corpus, 10, checkpoint=file, **options)
    assert short.history.steps.tolist() == [0, 3, 6, 9, 10]
    assert short.history.held_out_losses.tolist() == [9, 8, 7, 6, 1]
    assert (short.step, short.stopped, short.parameters.cls_embedding[0]) == (9, "all steps", 9)
    longer, through = ts.train(start, corpus, 30, checkpoint=file, **options), ts.train(start, corpus, 30, **options)
    assert through.history.steps.tolist() == longer.history.steps.tolist() == list(range(0, 13 + 3 * patience, 3))
    assert (longer.step, longer.stopped) == (through.step, through.stopped) == (12, "patience")
    assert equal(longer.parameters, through.parameters)


def test_patience_that_begins_later_judges_by_the_held_out_texts(texts):
    corpus, held_out = texts
    half = ts.train(start_of(corpus), corpus, 20)
    run = ts.train(half, corpus, 60, held_out=held_out, patience=2)
    assert run.step == run.history.steps[np.nanargmin(run.history.held_out_losses)] > 20


@each_kind
@pytest.mark.parametrize("optimizer", ["adam", "gradient descent"])
def test_a_diverging_run_stops_and_keeps_the_best(texts, optimizer, kind):
    corpus, _ = texts
    start = of_kind(start_of(corpus), kind)
    with pytest.warns(RuntimeWarning, match=r"training diverged: .* at step \d+; the parameters of step \d+ .*kept") as caught:
        run = ts.train(start, corpus, 50, optimizer=optimizer, learning_rate=1e4, evaluate_every=1)
    assert [warning.filename for warning in caught] == [__file__], "one warning, at the caller"
    assert run.stopped == "divergence"
    assert run.step == run.history.losses[:-1].argmin() < run.history.steps[-1] < 50
    assert float(ts.loss(run.parameters, corpus)) == pytest.approx(run.history.losses[run.step], rel=1e-9)
    assert ts.train(run, corpus, 100, optimizer=optimizer).step == run.step, "it stays ended"


@pytest.mark.parametrize("beyond", [500.0, np.nan, np.inf])
def test_a_held_out_loss_that_diverges_stops_the_run(texts, beyond, monkeypatch):
    corpus, held_out = texts
    losses = iter([0.5, 0.6, 0.4, beyond])
    monkeypatch.setattr(training, "evaluate", lambda *_: (next(losses), 0.5))
    with pytest.warns(RuntimeWarning, match=rf"the loss is {beyond:.3g} at step 5; .* step 0 \(loss 0.6\) are kept"):
        assert ts.train(start_of(corpus), corpus, held_out=held_out).step == 0


# ------------------------------------------------------------------------- what is kept, and going on


@each_kind
@pytest.mark.parametrize("options", [{}, dict(trained=["output_vector"])])
def test_what_is_handed_out_never_changes(texts, kind, options):
    corpus, seen, copies = texts[0], {}, {}
    start = of_kind(start_of(corpus), kind)

    def watch(step, parameters):
        seen[step], copies[step] = parameters, of_kind(type(parameters)(*map(np.array, ts.as_numpy(parameters))), kind)

    run = ts.train(start, corpus, 10, keep=[0, 5], watch=watch, **options)
    assert equal(start, start_of(corpus)), "nor does the start"
    start.embeddings[:] = start.output_vector[:] = 7
    assert list(seen) == [0, 5, 10]
    assert all(equal(seen[step], copies[step], kind) for step in seen)
    assert not equal(seen[0], seen[10], kind)
    assert all(equal(run.snapshots[step], seen[step], kind) for step in (0, 5))
    assert equal(run.parameters, seen[10], kind)


@each_kind
@pytest.mark.parametrize("model", [ts.one_layer, sigmoids])
@pytest.mark.parametrize("options", [{}, dict(batch_size=32), dict(batch_size=32, optimizer="gradient descent")])
def test_a_run_goes_on_as_if_it_had_not_stopped(texts, kind, model, options):
    corpus, start = texts[0], starts(texts[0], kind)[model]
    half = ts.train(start, corpus, 10, model=model, **options)
    whole = ts.train(start, corpus, 25, model=model, **options)
    for _ in range(2):  # which leaves it as it is
        further = ts.train(half, corpus, 25, model=model, **options)
        assert equal(further.parameters, whole.parameters, kind)
        assert further.rows == whole.rows or kind == "cuda"


def test_a_run_goes_on_at_another_rate_with_its_moments(texts):
    corpus = texts[0]
    leaves = [torch.tensor(array, requires_grad=True) for array in start_of(corpus)]
    oracle = torch.optim.Adam(leaves, lr=RATE)
    for step in range(20):
        oracle.param_groups[0]["lr"] = RATE if step < 10 else 0.01
        oracle.zero_grad()
        ts.loss(ts.Parameters(*leaves), corpus).backward()
        oracle.step()
    half = ts.train(start_of(corpus), corpus, 10)
    for ours, theirs in zip(ts.train(half, corpus, 20, learning_rate=0.01).parameters, leaves):
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------ the progress bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_shows_on_a_terminal_after_two_seconds_and_nothing_if_not_wanted(texts, monkeypatch):
    delays, shown = [], []

    def impatient(delay, **options):
        delays.append(delay)
        return tqdm(**options, delay=1e-9, mininterval=0)

    monkeypatch.setattr(training, "tqdm", impatient)
    for terminal, verbose in ((Terminal(), True), (Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr("sys.stderr", terminal)
        ts.train(start_of(texts[0]), texts[0], 9, verbose=verbose)
        shown.append(terminal.getvalue())
    assert all(part in shown[0] for part in ("Training: 100%", "9/9", "loss=0."))
    assert (shown[1:], delays) == (["", ""], [2, 2, 2])


def test_a_snapshot_of_a_step_that_is_never_taken_is_refused(texts):
    with pytest.raises(ValueError, match="keep names step 6"):
        ts.train(start_of(texts[0]), texts[0], 5, keep=[0, 6])
    run = ts.train(start_of(texts[0]), texts[0], 5, keep=[2])
    with pytest.raises(ValueError, match="keep names step 4, but training goes from step 5"):
        ts.train(run, texts[0], 9, keep=[4, 7])
    assert list(ts.train(run, texts[0], 9, keep=[2, 5, 9]).snapshots) == [2, 5, 9]
