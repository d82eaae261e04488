import functools
import io
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from helpers import KINDS, corpora, each_dtype, each_kind, equal, kind_of, of_kind, on, short_texts, start_of
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tqdm import tqdm

from tokensel_nb import (
    Corpus,
    OneLayer,
    Parameters,
    WithMLP,
    accuracy,
    descend_,
    init_parameters,
    logits,
    loss,
    train,
    xor_of_pairs,
)
from tokensel_nb.models import textbook
from tokensel_nb.models.optimizers import OPTIMIZERS
from tokensel_nb.training import train as training

NAMES = ("embeddings", "cls_embedding", "output_vector")


@pytest.fixture
def texts():
    return short_texts()


def by_autograd(corpus, start, trained, steps, rate, optimizer=torch.optim.Adam):
    """The same training as textbooks write it: every position looked up, every gradient automatic."""
    leaves = {name: torch.from_numpy(value).clone() for name, value in start.arrays().items()}
    optimizer = optimizer([leaves[name].requires_grad_() for name in trained], lr=rate)
    tokens, labels = textbook.tokens_of(corpus), torch.tensor(corpus.labels)
    for _ in range(steps):
        outputs = textbook.textbook_logits(*leaves.values(), tokens)
        if corpus.num_classes == 2:
            losses = torch.nn.functional.softplus((1 - 2 * labels) * outputs)
        else:
            losses = torch.nn.functional.cross_entropy(outputs, labels, reduction="none")
        optimizer.zero_grad()
        (losses @ torch.tensor(corpus.mean_weights)).backward()
        optimizer.step()
    return {name: value.detach().numpy() for name, value in leaves.items()}


# ------------------------------------------------------------------------------------ the right steps


@each_kind
@given(corpus=corpora(min_texts=2), trained=st.sets(st.sampled_from(NAMES), min_size=1), seed=st.integers(0, 9))
def test_gradient_descent_equals_automatic_differentiation(kind, corpus, trained, seed):
    if len(set(corpus.labels)) < corpus.num_classes or not corpus.counts.nnz:
        return  # refused, see below
    start = replace(start_of(corpus), cls_embedding=np.random.default_rng(seed).standard_normal(6))
    options = dict(start=start, steps=4, learning_rate=0.3, trained=tuple(trained), **on(kind))
    found = train(corpus, optimizer="gradient descent", **options).parameters
    wanted = by_autograd(corpus, start, trained, 4, 0.3, torch.optim.SGD)
    for name in NAMES:  # four steps of order one: rounding stays far below 1e-10
        np.testing.assert_allclose(getattr(found, name), wanted[name], atol=1e-10)
        if name not in trained:
            assert np.array_equal(getattr(found, name), getattr(start, name))


@each_kind
@pytest.mark.parametrize("num_classes", [2, 4])
def test_adam_equals_automatic_differentiation(texts, kind, num_classes):
    corpus, _ = texts
    if num_classes > 2:
        corpus = replace(corpus, labels=np.resize(range(num_classes), len(corpus)), class_names=tuple("abcd"))
    start = start_of(corpus)
    found = train(corpus, start=start, steps=12, learning_rate=0.1, **on(kind)).parameters
    wanted = by_autograd(corpus, start, NAMES, 12, 0.1)
    for name in NAMES:  # Adam divides by |g| at the first step, so that a gradient's rounding of 1e-16 grows to 1e-12 or so
        np.testing.assert_allclose(getattr(found, name), wanted[name], atol=1e-9)


@each_kind
def test_gradient_descent_is_the_full_step_in_place(texts, kind):
    corpus, _ = texts
    start = start_of(corpus)
    found = train(corpus, start=start, steps=1, optimizer="gradient descent", learning_rate=2.0, **on(kind)).parameters
    stepped = start_of(corpus)
    descend_(stepped, corpus, 2.0)
    for name in NAMES:
        np.testing.assert_allclose(getattr(found, name), getattr(stepped, name), atol=1e-14)
    assert equal(start, start_of(corpus)), "the start is left as it was"


@each_kind
def test_float32_follows_float64(texts, kind):
    corpus, _ = texts
    start = start_of(corpus)
    rough = start.map(lambda value: value.astype("float32"))
    fine, coarse = (train(corpus, start=begin, steps=10, **on(kind)).parameters for begin in (start, rough))
    assert coarse.embeddings.dtype == np.float32
    np.testing.assert_allclose(coarse.embeddings, fine.embeddings, atol=1e-3)


@each_kind
@each_dtype
@pytest.mark.parametrize("device", [None, "auto", *KINDS[1:]])
def test_the_result_is_of_the_kind_of_the_start_wherever_it_is_computed(texts, kind, dtype, device):
    corpus, _ = texts
    start = of_kind(start_of(corpus, dtype=dtype), kind)
    seen = []
    watch = lambda step, parameters: seen.append(kind_of(parameters.embeddings))
    done = train(corpus, start=start, steps=3, device=device, watch=watch)
    assert type(done.parameters) is Parameters
    for name, array in done.parameters.arrays().items():
        assert kind_of(array) == kind
        assert array.dtype == getattr(start, name).dtype
        assert not array.requires_grad if kind != "numpy" else array.flags.writeable
    assert set(seen) == {{None: kind, "auto": KINDS[-1]}.get(device, device)}
    assert equal(start, start_of(corpus, dtype=dtype)), "the start is left as it was"


def test_training_learns_and_says_so(texts):
    corpus, held_out = texts
    done = train(corpus, held_out=held_out, steps=22, dim=8, evaluate_every=5)
    history = done.history
    assert history.steps.tolist() == [0, 5, 10, 15, 20, 22]
    assert len(history) == 6
    assert history.losses[-1] < 0.5 * history.losses[0]
    assert history.losses[-1] == pytest.approx(loss(done.parameters, corpus), rel=1e-6)
    assert history.accuracies[-1] == pytest.approx(accuracy(done.parameters, corpus))
    assert history.held_out_losses[-1] == pytest.approx(loss(done.parameters, held_out), rel=1e-6)
    assert history.held_out_accuracies[-1] == pytest.approx(accuracy(done.parameters, held_out))
    assert accuracy(done.parameters, held_out) == np.mean((logits(done.parameters, held_out) > 0) == held_out.labels)
    assert repr(done).startswith("Training(22 steps, loss 0.")
    assert repr(done).endswith(f", held-out accuracy {history.held_out_accuracies[-1]:.3f}; all steps)")
    alone = train(corpus, steps=2)
    assert np.isnan(alone.history.held_out_losses).all()
    assert np.isnan(alone.history.held_out_accuracies).all()
    assert "held-out" not in repr(alone)


@each_kind
def test_the_same_seed_gives_the_same_parameters(texts, kind):
    corpus, _ = texts
    one, same, other = (train(corpus, steps=6, batch_size=32, seed=seed, **on(kind)).parameters for seed in (1, 1, 2))
    assert equal(one, same, kind)
    assert not equal(one, other, kind)


def test_the_seed_draws_the_start(texts):
    corpus, _ = texts
    begun = []
    train(corpus, steps=1, dim=5, seed=3, watch=lambda step, parameters: begun.append(parameters.map(np.copy)))
    assert equal(begun[0], init_parameters(corpus.vocab_size, 5, 3))


def test_texts_that_weigh_nothing_are_in_no_batch(texts):
    corpus, _ = texts
    weights = np.zeros(len(corpus))
    weights[::20] = 1
    corpus = replace(corpus, weights=weights)
    done = train(corpus, steps=30, batch_size=2, dim=4)
    assert done.stopped == "all steps"
    batches = training._batches(corpus, 2, seed=0, skip=0)
    assert all((weights[next(batches)] == 1).all() for _ in range(30))


def test_every_epoch_takes_every_text_once(texts):
    corpus, _ = texts
    batches = training._batches(corpus, 64, seed=0, skip=0)
    epochs = [[next(batches) for _ in range(4)] for _ in range(2)]
    assert [len(batch) for batch in epochs[0]] == [64, 64, 64, 8]
    taken = [np.concatenate(epoch) for epoch in epochs]
    assert all(sorted(rows) == list(range(len(corpus))) for rows in taken)
    assert not np.array_equal(*taken)


def test_a_batch_of_all_texts_is_the_corpus(texts):
    corpus, _ = texts
    assert next(training._batches(corpus, 200, seed=0, skip=0)) is None, "all of it, without a copy"
    assert equal(train(corpus, steps=4, batch_size=500).parameters, train(corpus, steps=4).parameters)


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


@each_kind
def test_the_names_of_what_is_trained_may_come_in_any_order(texts, kind):
    corpus, _ = texts
    wanted = train(corpus, steps=4, trained=["embeddings", "output_vector"], **on(kind)).parameters
    for names in (["output_vector", "embeddings"], {"output_vector", "embeddings"}, ("embeddings", "output_vector") * 2):
        assert equal(train(corpus, steps=4, trained=names, **on(kind)).parameters, wanted, kind)
    assert not wanted.cls_embedding.any()
    assert equal(train(corpus, steps=4, trained=NAMES[::-1]).parameters, train(corpus, steps=4).parameters)


# ------------------------------------------------------------------- steps between two evaluations, divergence


@dataclass(frozen=True)
class Scripted(OneLayer):
    """A model whose held-out loss after every step is written down, and whose p counts the steps."""

    losses: tuple = ()

    def step_gradients(self, parameters, texts, names):
        found = {name: np.zeros_like(array) for name, array in parameters.arrays().items()}
        found["cls_embedding"][0] = -1
        return {name: found[name] for name in names}

    def evaluate(self, parameters, corpus):
        return self.losses[round(float(parameters.cls_embedding[0]))], 0.5


COUNTED = dict(optimizer="gradient descent", learning_rate=1.0, evaluate_every=3)
#         0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
LOSSES = (9, 9, 9, 8, 9, 9, 7, 9, 9, 6, 1, 9, 5, 9, 9, 5.5, *[5.5] * 20)


@pytest.mark.parametrize("patience", [1, 2])
def test_a_last_step_out_of_turn_is_shown_but_not_judged(texts, tmp_path, patience):
    """A run of more steps is not evaluated at step 10, so a run of 10 may not call it the best, nor lose patience over it."""
    corpus, held_out = texts
    options = COUNTED | dict(held_out=held_out, patience=patience)
    model, file = Scripted(LOSSES), tmp_path / "run.safetensors"
    short = train(corpus, model, steps=10, checkpoint=file, **options)
    assert short.history.steps.tolist() == [0, 3, 6, 9, 10]
    assert short.history.held_out_losses.tolist() == [9, 8, 7, 6, 1]
    assert (short.step, short.stopped, short.parameters.cls_embedding[0]) == (9, "all steps", 9)
    longer, through = train(corpus, model, steps=30, checkpoint=file, **options), train(corpus, model, steps=30, **options)
    assert through.history.steps.tolist() == list(range(0, 13 + 3 * patience, 3))
    assert (longer.step, longer.stopped) == (through.step, through.stopped) == (12, "patience")
    assert equal(longer.parameters, through.parameters)
    np.testing.assert_array_equal(longer.history.held_out_losses, through.history.held_out_losses)


def test_patience_is_not_lost_at_a_step_out_of_turn(texts):
    corpus, held_out = texts
    losses = (5, 5, 5, 6, 7, *[4] * 10)
    done = train(corpus, Scripted(losses), held_out=held_out, patience=2, steps=4, **COUNTED)
    assert (done.step, done.stopped) == (0, "all steps")


@each_kind
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_diverging_run_stops_and_keeps_the_best(texts, optimizer, kind):
    corpus, _ = texts
    options = dict(learning_rate=1e4, steps=50, evaluate_every=1)
    with pytest.warns(RuntimeWarning, match=r"training diverged: .* at step \d+; the parameters of step \d+ .*kept") as caught:
        done = train(corpus, optimizer=optimizer, **options, **on(kind))
    assert len(caught) == 1, "numpy says nothing of its own about what overflows"
    assert caught[0].filename == __file__, "the warning points at the caller"
    assert done.stopped == "divergence"
    assert done.history.steps[-1] < 50
    assert np.isfinite(done.parameters.embeddings).all()
    assert loss(done.parameters, corpus) == pytest.approx(done.history.losses[:-1].min(), rel=1e-5)
    assert done.step == done.history.steps[done.history.losses[:-1].argmin()]


@each_kind
def test_a_held_out_loss_that_diverges_stops_the_run(kind):
    """The texts trained on are learnt better and better; the held-out ones say the opposite, and cost a hundred bits each."""
    corpus, held_out = (Corpus(np.eye(2, dtype=int), labels, ["good", "bad"]) for labels in ([1, -1], [-1, 1]))
    with pytest.warns(RuntimeWarning, match=r"the loss is \d\d\.?\d? at step \d+; the parameters of step 0 \(loss .*are kept"):
        done = train(corpus, held_out=held_out, learning_rate=1.0, dim=8, steps=200, evaluate_every=1, **on(kind))
    assert done.stopped == "divergence"
    assert done.history.losses[-1] < 1e-6
    assert done.history.held_out_losses[-1] > training.DIVERGED * np.log(2) >= done.history.held_out_losses[-2]
    assert done.step == done.history.held_out_losses.argmin() == 0
    assert loss(done.parameters, held_out) == pytest.approx(done.history.held_out_losses.min(), rel=1e-6)


def test_the_message_names_the_loss_that_diverged(texts):
    """The held-out texts lack the words whose embeddings are gone: their loss is as sane as ever."""
    corpus, held_out = texts
    start = start_of(corpus)
    start.embeddings[0] = np.nan
    without = held_out[held_out.counts[:, [0]].toarray()[:, 0] == 0]
    with pytest.raises(ValueError, match="the loss at the start is nan; begin from smaller, finite parameters"):
        train(corpus, held_out=without, start=start)


# -------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("rows", [slice(0, 1), slice(0, 0)])
def test_one_review_or_one_class_is_refused(tiny, rows):
    with pytest.raises(ValueError, match=r"every one of the \d texts has the same label; training needs at least two classes"):
        train(tiny[rows])
    with pytest.raises(ValueError, match="every one of the 2 texts has the same label"):
        train(tiny[[0, 2]])


def test_a_class_that_never_occurs_is_named(tiny):
    corpus = Corpus(tiny.counts, [0, 2, 0], tiny.vocabulary, ("a", "b", "c"))
    with pytest.warns(RuntimeWarning, match="no text is of the class b; it will never be predicted") as caught:
        train(corpus, steps=2)
    assert caught[0].filename == __file__, "the warning points at the caller"
    with pytest.raises(ValueError, match="there are 2 texts of 3 classes; give at least one text per class"):
        train(corpus[:2])


def test_empty_reviews_are_refused_but_some_among_others_are_not(tiny):
    empty = Corpus(sparse.csr_array((2, 3), dtype=int), [-1, 1], tiny.vocabulary)
    with pytest.raises(ValueError, match="none of the 2 texts holds a known word"):
        train(empty)
    mixed = Corpus(sparse.csr_array(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 1]])), [1, -1, 1], tiny.vocabulary)
    for kind in KINDS:
        assert np.isfinite(train(mixed, steps=5, **on(kind)).history.losses).all()
        assert np.isfinite(train(mixed, steps=5, batch_size=1, **on(kind)).history.losses).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(steps=0), "steps=0; give a whole number of at least 1"),
        (dict(batch_size=0), "batch_size=0"),
        (dict(learning_rate=-1.0), "learning_rate=-1.0; give a positive number"),
        (dict(learning_rate=np.nan), "learning_rate=nan"),
        (dict(optimizer="lbfgs"), "optimizer='lbfgs'; choose one of 'adam', 'gradient descent'"),
        (dict(trained=["weights"]), "trained names weights; the model has embeddings, cls_embedding, output_vector"),
        (dict(trained=[]), "trained is empty; name at least one"),
        (dict(patience=2), "patience needs held_out"),
        (dict(start=init_parameters(4, 2, 0)), "embeddings has 4 rows, but the corpus has 3 words"),
        (dict(start=init_parameters(3, 2, 0).map(lambda array: array.astype("int64"))), "are int64; give float32 or float64"),
    ],
)
def test_arguments_out_of_range(tiny, options, message):
    with pytest.raises(ValueError, match=message):
        train(tiny, **options)


def test_held_out_texts_of_other_words_or_classes_are_refused(tiny):
    with pytest.raises(ValueError, match="held_out and the corpus have different words"):
        train(tiny, held_out=replace(tiny, vocabulary=["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"held_out has the classes \('no', 'yes'\), but the corpus \('-1', '\+1'\)"):
        train(tiny, held_out=replace(tiny, class_names=("no", "yes")))


@each_kind
def test_a_start_that_is_not_finite_is_refused(tiny, kind):
    start = init_parameters(3, 2, 0)
    start.embeddings[0] = np.nan
    with pytest.raises(ValueError, match="the loss at the start is nan"):
        train(tiny, start=of_kind(start, kind))


# ------------------------------------------------------------------------------------------ the progress bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("model", [OneLayer(), WithMLP()])
def test_a_bar_shows_on_a_terminal_after_two_seconds_and_nothing_if_not_wanted(tiny, monkeypatch, model):
    delays = []

    def impatient(delay, **options):
        delays.append(delay)
        return tqdm(**options, delay=1e-9, mininterval=0)

    monkeypatch.setattr(training, "tqdm", impatient)
    shown = []
    for terminal, verbose in ((Terminal(), True), (Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr("sys.stderr", terminal)
        train(tiny, model, dim=4, steps=9, batch_size=2, verbose=verbose)
        shown.append(terminal.getvalue())
    assert "Training: 100%" in shown[0]
    assert "9/9" in shown[0]
    assert "loss=0." in shown[0]
    assert shown[1:] == ["", ""]
    assert delays == [2, 2, 2]


def test_a_short_run_shows_nothing(tiny, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(training, "tqdm", functools.partial(tqdm, mininterval=0))
    train(tiny, steps=20, evaluate_every=1)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("optimizer", ["adam", "gradient descent"])
def test_steps_keep_no_history_of_a_start_that_learns(optimizer):
    corpus = xor_of_pairs(num_texts=40, vocab_size=8, length=4, seed=0)
    start = init_parameters(corpus.vocab_size, 4, seed=0).to("cpu").map(lambda array: array.requires_grad_())
    found = train(corpus, start=start, steps=3, optimizer=optimizer).parameters
    assert not any(array.requires_grad for array in found.arrays().values())
    assert all(array.requires_grad for array in start.arrays().values())
