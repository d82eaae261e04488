"""What a new model has to say, and what it gets for that: the example of CONTRIBUTING.md, as it stands there; and GPUs."""

import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers import corpora, each_dtype, each_kind, equal, flat, kind_of, of_kind, on, short_texts
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.models import parameters as of_parameters
from tokensel_nb.models.base import loss_of_logits
from tokensel_nb.support.arrays import to_numpy
from torch.utils._python_dispatch import TorchDispatchMode

import tokensel_nb as ts
from tokensel_nb.training import checkpoint

GUIDE = Path(__file__).parents[2] / "CONTRIBUTING.md"
CODE = re.search(r"\*\*A model\*\*.*?```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[1]
DEFINED = {"__name__": "guide"}
exec(compile(CODE, GUIDE, "exec"), DEFINED)
Head, MeanOfEmbeddings = DEFINED["Head"], DEFINED["MeanOfEmbeddings"]


def random_head(corpus, seed, dtype="float64"):
    random = np.random.default_rng(seed)
    start = MeanOfEmbeddings().start(corpus.vocab_size, 5, seed, num_classes=corpus.num_classes, dtype=dtype)
    return start.map(lambda array: random.standard_normal(array.shape).astype(dtype))


def test_the_example_is_short():
    assert len([line for line in CODE.splitlines() if line.strip()]) <= 22


@each_kind
@each_dtype
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_logits_are_those_of_the_mean_row(kind, dtype, corpus, seed):
    parameters = random_head(corpus, seed, dtype)
    found = ts.logits(of_kind(parameters, kind), corpus, MeanOfEmbeddings())
    wanted = corpus.shares @ parameters.embeddings @ np.atleast_2d(parameters.output_vector).T
    assert kind_of(found) == kind
    assert to_numpy(found).dtype == dtype
    assert found.shape == ((len(corpus),) if corpus.num_classes == 2 else wanted.shape)
    wanted = wanted.reshape(found.shape)
    np.testing.assert_allclose(to_numpy(found), wanted, atol=200 * np.finfo(dtype).eps)


@each_kind
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_gradients_equal_finite_differences(kind, corpus, seed):
    model, parameters, way = MeanOfEmbeddings(), random_head(corpus, seed), random_head(corpus, seed + 1000)

    def along(step):
        pairs = zip(parameters.arrays().values(), way.arrays().values())
        return ts.loss(Head(*(start + step * each for start, each in pairs)), corpus, model)

    found = ts.gradients(of_kind(parameters, kind), corpus, model)
    assert type(found) is Head
    assert {kind_of(array) for array in found.arrays().values()} == {kind}
    # The central difference of step h errs by h² f'''/6, with a third derivative of some thousands, and by 1e-16/h.
    assert (along(1e-5) - along(-1e-5)) / 2e-5 == pytest.approx(flat(found) @ flat(way), abs=1e-6)


@each_kind
def test_it_trains_and_goes_on_where_it_was_killed(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    (corpus, held_out), file = short_texts(), tmp_path / "run.safetensors"
    options = dict(dim=8, steps=60, learning_rate=0.05, evaluate_every=20, held_out=held_out, patience=3) | on(kind)

    def stop(step, _):
        if step == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ts.train(corpus, MeanOfEmbeddings(), checkpoint=file, watch=stop, **options)
    resumed = ts.train(corpus, MeanOfEmbeddings(), checkpoint=file, **options)
    through = ts.train(corpus, MeanOfEmbeddings(), **options)
    assert type(resumed.parameters) is Head
    assert equal(resumed.parameters, through.parameters)
    np.testing.assert_array_equal(resumed.history.losses, through.history.losses)
    assert through.history.losses[-1] < 0.5 * through.history.losses[0]
    assert ts.accuracy(through.parameters, held_out, MeanOfEmbeddings()) > 0.8
    with pytest.raises(ts.CheckpointError, match="made with model='MeanOfEmbeddings', not 'Renamed'"):
        ts.train(corpus, type("Renamed", (MeanOfEmbeddings,), {})(), checkpoint=file, **options)


@dataclass(frozen=True)
class Reshaped(MeanOfEmbeddings):
    """The same, with its logits in another shape."""

    shape: Callable = torch.Tensor.ravel

    def forward(self, parameters, texts):
        return self.shape(super().forward(parameters, texts))

    def forward_attention(self, parameters, texts):
        return self.shape(texts.log_counts.softmax(dim=1))


def test_logits_of_two_classes_may_be_flat(tiny):
    start = MeanOfEmbeddings().start(3, 4, 0, dtype="float64")
    for of in (ts.logits, lambda *given: ts.gradients(*given).embeddings):
        np.testing.assert_array_equal(of(start, tiny, Reshaped()), of(start, tiny, MeanOfEmbeddings()))


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (lambda logits: logits[:1], r"returns has shape \(1, 1\); give shape \({n}, 1\)"),
        (lambda logits: torch.hstack([logits, logits]), r"returns has shape \({n}, 2\); give shape \({n}, 1\)"),
        (lambda logits: logits[:, :, None], r"returns has shape \({n}, 1, 1\); give shape \({n}, 1\)"),
        (lambda logits: logits.sum(), r"returns has shape \(\); give shape \({n}, 1\)"),
        (lambda logits: logits.detach().numpy(), "returns=array.*; give a Tensor"),
        (lambda logits: None, "returns=None; give a Tensor"),
    ],
)
def test_logits_of_any_other_shape_are_told_in_one_sentence(tiny, shape, told):
    start, model = MeanOfEmbeddings().start(3, 4, 0), Reshaped(shape)
    for call in (ts.logits, ts.loss, ts.accuracy, ts.gradients):
        with pytest.raises((ValueError, TypeError), match="what Reshaped.forward " + told.format(n=len(tiny))):
            call(start, tiny, model)
    with pytest.raises((ValueError, TypeError), match=r"what Reshaped.forward returns"):
        ts.train(tiny, model, steps=1)
    with pytest.raises((ValueError, TypeError), match=r"what Reshaped.forward_attention returns"):
        ts.attention(start, tiny, Reshaped(lambda weights: shape(torch.hstack([weights] * 3))))


def test_several_classes_have_a_logit_each():
    texts = ts.Corpus(np.eye(3), [0, 1, 2], ["a", "b", "c"])
    start = MeanOfEmbeddings().start(3, 4, 0, num_classes=3)
    with pytest.raises(ValueError, match=r"what Reshaped.forward returns has shape \(9,\); give shape \(3, 3\)"):
        ts.logits(start, texts, Reshaped())


OF_MODELS = [ts.OneLayer(), ts.TwoLayersWithoutKeyQuery(), ts.TwoLayers(), ts.WithMLP(), ts.Transformer(heads=2)]


@pytest.mark.parametrize("model", OF_MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("other", OF_MODELS, ids=lambda model: type(model).__name__)
def test_parameters_of_another_model_are_refused_by_both_names(model, other):
    texts = ts.sequences_from_texts(["good film", "bad film"], ["up", "down"], longest=2)
    start = other.start(texts.vocab_size, 4, 0)
    calls = [ts.logits, ts.loss, ts.gradients, ts.attention, lambda start, *given: ts.train(*given, start=start, steps=1)]
    told = f"{type(model).__name__} learns {model.learns[0].__name__}, but the parameters are {type(start).__name__}; give the"
    for call in calls:
        with nullcontext() if model.learns == other.learns else pytest.raises(TypeError, match=told):
            call(start, texts, model)
    if not isinstance(start, ts.Parameters) or model != ts.OneLayer() or other.learns == model.learns:
        return
    with pytest.raises(TypeError, match="OneLayer learns Parameters, but the parameters are"):
        ts.joint_flow(start, texts, [0.0, 1.0])


def test_what_it_does_not_have_is_said(tiny):
    start = MeanOfEmbeddings().start(3, 4, 0)
    with pytest.raises(TypeError, match="MeanOfEmbeddings has no attention"):
        ts.attention(start, tiny, MeanOfEmbeddings())
    with pytest.raises(TypeError, match="OneLayer has no attention"):
        ts.Model.attention(ts.OneLayer(), start, tiny)
    with pytest.raises(ValueError, match="trained names cls_embedding; the model has embeddings, output_vector"):
        ts.train(tiny, MeanOfEmbeddings(), trained=["cls_embedding"])
    with pytest.raises(TypeError, match="abstract method"):
        type("Nothing", (ts.AutogradModel,), {})()


# ------------------------------------------------------------------------------------------------- on a GPU


class Copies(TorchDispatchMode):
    """Counts what is copied from the processor to a device."""

    number = 0

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        found = operation(*arguments, **(options or {}))
        places = [each.device.type for each in (found, *arguments) if isinstance(each, torch.Tensor)]
        self.number += len(set(places)) > 1
        return found


def copies(work):
    with Copies() as counted:
        work()
    return counted.number


@pytest.fixture
def on_meta(monkeypatch):
    """Move parameters to torch's device without numbers: whatever waits for a number there raises an error."""
    monkeypatch.setattr(of_parameters, "real", lambda name, values: values)
    return lambda arrays: arrays.map(lambda array: torch.as_tensor(array).to("meta"))


ORDERED = ts.sequences_from_texts(["a good film", "not a bad bad film", "bad", ""] * 5, [1, 1, -1, -1] * 5, longest=6)
ON_A_DEVICE = {
    "MLP": (ts.WithMLP(), ts.xor_of_pairs(num_texts=20, vocab_size=8, length=4, seed=0)),
    "two layers": (ts.TwoLayers(), ts.xor_of_pairs(num_texts=20, vocab_size=8, length=4, seed=0)),
    "transformer": (ts.Transformer(layers=2, heads=2, hidden=8, longest=6), ORDERED),
}


@pytest.mark.parametrize("name", ON_A_DEVICE)
def test_a_step_waits_for_no_number_and_copies_texts_once(name, on_meta):
    model, texts = ON_A_DEVICE[name]
    texts, others = texts[:], texts[:]  # of which nothing is kept yet
    start = on_meta(model.start(texts.vocab_size, 4, seed=0))
    step = lambda texts: model.step_gradients(start, texts, list(start.arrays()))
    loss = lambda: loss_of_logits(torch.empty(len(others), device="meta"), others)
    of_the_loss, again = copies(loss), copies(loss)
    of_texts = 4 + (name == "transformer")  # words, places, counts, who has words; the words' order
    assert copies(lambda: step(texts)) == of_texts + of_the_loss
    assert copies(lambda: step(texts)) == again
    assert copies(lambda: step(texts[:7])) >= of_texts, "other texts"


@pytest.mark.parametrize(
    "wait",
    [
        lambda logits: logits * logits.sum().item(),
        lambda logits: logits if (logits > 0).any() else -logits,
        lambda logits: logits + logits[logits > 0].sum(),
        lambda logits: logits + logits.detach().cpu().mean(),
    ],
    ids=["a number", "a truth", "a mask", "a copy"],
)
def test_a_step_that_waits_would_be_seen(wait, on_meta):
    class Waiting(ts.WithMLP):
        def forward(self, parameters, texts):
            return wait(super().forward(parameters, texts))

    texts = ts.xor_of_pairs(num_texts=20, vocab_size=8, length=4, seed=0)
    start = Waiting().start(texts.vocab_size, 4, seed=0)
    Waiting().step_gradients(start, texts, list(start.arrays()))
    with pytest.raises((RuntimeError, NotImplementedError)):
        Waiting().step_gradients(on_meta(start), texts, list(start.arrays()))


def test_texts_are_made_ready_for_each_dtype():
    texts = ts.xor_of_pairs(num_texts=20, vocab_size=8, length=4, seed=0)
    for dtype in ("float32", "float64", "float32"):
        start = ts.WithMLP().start(texts.vocab_size, 4, seed=0, dtype=dtype)
        assert ts.logits(start, texts, ts.WithMLP()).dtype == dtype
        assert ts.gradients(start, texts, ts.WithMLP()).embeddings.dtype == dtype
