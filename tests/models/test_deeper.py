from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import corpora, each_dtype, each_kind, equal, flat, kind_of, of_kind, on, short_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tokensel_nb.models import autograd
from tokensel_nb.models.textbook import PADDING, tokens_of
from tokensel_nb.support.arrays import to_numpy

from tokensel_nb import (
    Corpus,
    KeyQueryParameters,
    MLPParameters,
    Parameters,
    TwoLayers,
    TwoLayersWithoutKeyQuery,
    WithMLP,
    accuracy,
    attention,
    binned,
    gradients,
    logits,
    loss,
    matched_correlation,
    most_frequent,
    negation,
    train,
    xor_of_pairs,
)

MODELS = [
    TwoLayers(),
    TwoLayers(residual=0.0, scale=0.7, spread=0.5),
    TwoLayersWithoutKeyQuery(scale=1.5),
    WithMLP(identity=0.5),
    WithMLP(activation="gelu", initial="pytorch"),
]
NAMES = [f"{type(model).__name__} {number}" for number, model in enumerate(MODELS)]
each_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)


@pytest.fixture
def texts():
    return short_texts()


def random_parameters(model, corpus, dim=6, seed=0, spread=1.0):
    """Parameters of the model's shapes, none of them zero."""
    start = model.start(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype="float64")
    random = np.random.default_rng(seed)
    return start.map(lambda array: spread * random.standard_normal(array.shape))


def by_positions(model, parameters, tokens):
    """The models as a textbook writes them, one text and one position after another: logits and attention, the oracle."""
    parts = {name: torch.as_tensor(value) for name, value in parameters.arrays().items()}
    identity = torch.eye(len(parts["cls_embedding"]), dtype=parts["embeddings"].dtype)
    output = torch.atleast_2d(parts["output_vector"])
    found, seen = [], torch.zeros((len(tokens), len(parts["embeddings"])), dtype=output.dtype)
    for row, of_words in zip(tokens, seen):
        words = row[row != PADDING]
        rows = parts["embeddings"][words]  # (T, d), a word as often as it occurs
        if not len(rows):
            found.append(torch.zeros(len(output), dtype=output.dtype))
            continue
        if isinstance(model, WithMLP):
            weights = torch.softmax(rows @ parts["cls_embedding"], dim=0)
            inner = parts["mlp_weights"] @ (weights @ rows) + parts["mlp_bias"]
            below = (1 + torch.erf(inner / 2**0.5)) / 2 if model.activation == "gelu" else (inner > 0).to(inner)
            found.append(output @ (inner * below))
        else:
            inner = rows @ parts.get("key_query_1", identity) @ rows.T
            hidden = model.residual * rows + torch.softmax(model.scale * inner, dim=1) @ rows
            weights = torch.softmax(hidden @ parts.get("key_query_2", identity) @ parts["cls_embedding"], dim=0)
            found.append(output @ hidden.T @ weights)
        of_words.index_add_(0, words, weights.detach())
    found = torch.stack(found)
    return found[:, 0] if parts["output_vector"].ndim == 1 else found, seen


# ------------------------------------------------------------------------------- counts instead of positions


@each_model
@each_kind
@given(
    corpus=corpora(), seed=st.integers(0, 99), pairs=st.sampled_from([1, 9, 30, 2**19]), spread=st.sampled_from([0.3, 1.0, 3.0])
)
@settings(max_examples=30)
def test_counts_replace_positions_exactly(model, kind, corpus, seed, pairs, spread):
    """In one batch of texts, in several, and in one a text."""
    parameters = random_parameters(model, corpus, seed=seed, spread=spread)
    placed = of_kind(parameters, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autograd, "AT_ONCE", pairs)
        found, weights = logits(placed, corpus, model), attention(placed, corpus, model)
    wanted, seen = by_positions(model, parameters, tokens_of(corpus))
    assert kind_of(found) == kind
    assert found.shape == wanted.shape
    np.testing.assert_allclose(to_numpy(found), wanted, atol=1e-10, rtol=1e-10)  # rows of up to 50: 1e-14 relative, with room
    np.testing.assert_allclose(weights.toarray(), seen, atol=1e-10)
    np.testing.assert_allclose(weights.sum(axis=1), corpus.lengths > 0, atol=1e-12)


@each_model
@pytest.mark.parametrize(
    "counts",
    [[[0, 0, 0]], [[0, 7, 0]], [[0, 0, 0], [1, 2, 3]], [[1, 0, 0], [0, 0, 0], [900, 1, 0]], np.zeros((3, 0), int)],
    ids=["empty", "one word", "empty among others", "many repeats", "no vocabulary"],
)
def test_odd_texts(model, counts):
    counts = np.array(counts)
    corpus = Corpus(counts, np.resize([1, -1], len(counts)), [f"word{s}" for s in range(counts.shape[1])])
    if not corpus.vocab_size:
        with pytest.raises(ValueError, match="give a whole number of at least 1"):
            model.start(0, 6, 0)
        return
    parameters = random_parameters(model, corpus)
    found = logits(parameters, corpus, model)
    np.testing.assert_allclose(found, by_positions(model, parameters, tokens_of(corpus))[0], atol=1e-10)
    assert (found[corpus.lengths == 0] == 0).all()


def test_stored_zeros_are_no_words(tiny):
    counts = sparse.csr_array(
        (np.array([0, 1, 1, 2, 1, 1]), tiny.counts.indices[[2, 0, 1, 2, 3, 4]], [0, 3, 5, 6]), shape=(3, 3)
    )
    counts.data[0], counts.indices[0] = 0, 0
    with_zeros = Corpus(counts, tiny.labels, tiny.vocabulary)
    plain = Corpus(counts.toarray(), tiny.labels, tiny.vocabulary)
    assert with_zeros.counts.nnz == plain.counts.nnz < counts.nnz
    for model in MODELS:
        parameters = random_parameters(model, tiny)
        np.testing.assert_array_equal(logits(parameters, with_zeros, model), logits(parameters, plain, model))


def test_a_layer_that_looks_nowhere_is_the_base_model(tiny):
    """With W₁ = 0 and no residual, H is the mean row at all positions: f is the mean of E_s·v."""
    model = TwoLayers(residual=0.0)
    parameters = replace(random_parameters(model, tiny), key_query_1=np.zeros((6, 6)))
    np.testing.assert_allclose(logits(parameters, tiny, model), tiny.shares @ parameters.token_values, atol=1e-12)


def test_an_mlp_that_does_nothing_is_the_base_model(tiny):
    """With M = 1 and a bias so large that all units are on, f is that of one layer, and the bias' share."""
    parameters = random_parameters(WithMLP(), tiny)
    parameters = replace(parameters, mlp_weights=np.eye(6), mlp_bias=np.full(6, 100.0))
    base = Parameters(parameters.embeddings, parameters.cls_embedding, parameters.output_vector)
    moved = logits(parameters, tiny, WithMLP()) - 100 * parameters.output_vector.sum()
    np.testing.assert_allclose(moved, logits(base, tiny), atol=1e-11)
    np.testing.assert_allclose(attention(parameters, tiny, WithMLP()).toarray(), attention(base, tiny).toarray(), atol=1e-14)


@each_model
def test_scores_and_values(model, tiny):
    parameters = random_parameters(model, tiny)
    inner = getattr(parameters, "key_query_2", np.eye(6))
    np.testing.assert_allclose(parameters.token_scores, parameters.embeddings @ inner @ parameters.cls_embedding)
    np.testing.assert_allclose(parameters.token_values, parameters.embeddings @ parameters.output_vector)
    heads = replace(parameters, output_vector=np.ones((4, 6)))
    assert heads.token_values.shape == (3, 4)
    assert isinstance(parameters.to("cpu").token_scores, torch.Tensor)
    assert isinstance(parameters.to("cpu").numpy().token_scores, np.ndarray)
    kinds = {WithMLP: MLPParameters, TwoLayers: KeyQueryParameters, TwoLayersWithoutKeyQuery: Parameters}
    assert type(parameters) is kinds[type(model)]
    assert repr(parameters).startswith(f"{type(parameters).__name__}(embeddings (3, 6), cls_embedding (6,), output_vector (6,)")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_starts_are_those_of_the_base_model_and_what_the_model_says(dtype):
    for model in MODELS:
        start, again, other = (model.start(9, 4, seed, num_classes=3, dtype=dtype) for seed in (5, 5, 6))
        assert equal(start, again)
        assert not np.array_equal(start.embeddings, other.embeddings)
        assert {array.dtype.name for array in start.arrays().values()} == {dtype}
        assert start.output_vector.shape == (3, 4)
    square = TwoLayers(identity=2.0, spread=0.5).start(9, 400, 0, dtype="float64").key_query_1
    assert np.diag(square).mean() == pytest.approx(2, abs=0.01)
    assert (square - 2 * np.eye(400)).var() * 400 == pytest.approx(0.25, rel=0.02)  # 160,000 draws: 0.35% is one error
    assert not MODELS[3].start(9, 4, 0).mlp_bias.any()


def test_pytorchs_start_is_that_of_its_layers():
    """Compared by the largest entry and the variance: of 160,000 uniform draws, known to 0.3%."""
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(400, 400), torch.nn.GELU(), torch.nn.Linear(400, 1, bias=False)).double()
    start = WithMLP(activation="gelu", initial="pytorch").start(9, 400, 0, dtype="float64")
    for found, wanted in zip((start.mlp_weights, start.mlp_bias, start.output_vector), layers.parameters()):
        wanted = wanted.detach().numpy()
        assert np.abs(found).max() == pytest.approx(np.abs(wanted).max(), rel=0.02)
        assert found.mean() == pytest.approx(0, abs=5 * wanted.std() / np.sqrt(found.size))
        assert found.std() == pytest.approx(wanted.std(), rel=0.01 if found.size > 400 else 0.15)
    assert start.cls_embedding.var() * 400 == pytest.approx(1, rel=0.25)  # 400 draws: 7% is one error
    np.testing.assert_array_equal(start.embeddings, WithMLP().start(9, 400, 0, dtype="float64").embeddings)


def test_the_hidden_layer_is_that_of_pytorch(tiny):
    """Behind the attended mean stands what torch.nn computes with the same weights."""
    model = WithMLP(activation="gelu")
    parameters = random_parameters(model, tiny)
    layers = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.GELU(), torch.nn.Linear(6, 1, bias=False)).double()
    with torch.no_grad():
        for layer, value in zip(layers.parameters(), (parameters.mlp_weights, parameters.mlp_bias, parameters.output_vector)):
            layer.copy_(torch.as_tensor(value).reshape(layer.shape))
        wanted = layers(torch.as_tensor(attention(parameters, tiny, model) @ parameters.embeddings))[:, 0]
    np.testing.assert_allclose(logits(parameters, tiny, model), wanted, atol=1e-12)


@pytest.mark.parametrize("setting", [dict(activation="tanh"), dict(initial="zero")], ids=["activation", "initial"])
def test_an_mlp_of_unknown_settings_is_refused(setting):
    ((name, value),) = setting.items()
    with pytest.raises(ValueError, match=rf"{name}='{value}'; choose one of '\w+', '\w+'"):
        WithMLP(**setting)


# ------------------------------------------------------------------------------------------------- gradients


@each_model
@each_kind
@pytest.mark.parametrize("num_classes", [2, 4])
def test_gradients_equal_finite_differences(model, kind, num_classes):
    """Of all parameters at once, with repeats, texts of unequal length and an empty one."""
    random = np.random.default_rng(1)
    counts = random.poisson(1.0, (6, 5))
    counts[2] = 0
    labels = np.resize([-1, 1] if num_classes == 2 else range(4), 6)
    corpus = Corpus(counts, labels, list("abcde"), tuple("wxyz")[:num_classes], random.exponential(size=6))
    parameters = random_parameters(model, corpus, dim=4)
    names = list(parameters.arrays())

    def mean_loss(*leaves):
        """The oracle's: position by position, with the loss written down anew."""
        outputs, _ = by_positions(model, type(parameters)(*leaves), tokens_of(corpus))
        if num_classes == 2:
            losses = torch.nn.functional.softplus(-torch.tensor(corpus.signs) * outputs)
        else:
            losses = torch.nn.functional.cross_entropy(outputs, torch.tensor(corpus.labels), reduction="none")
        return losses @ torch.tensor(corpus.mean_weights)

    leaves = tuple(torch.tensor(array).requires_grad_() for array in parameters.arrays().values())
    assert torch.autograd.gradcheck(mean_loss, leaves)
    assert loss(of_kind(parameters, kind), corpus, model) == pytest.approx(mean_loss(*leaves).item(), rel=1e-12)
    wanted = dict(zip(names, torch.autograd.grad(mean_loss(*leaves), leaves)))
    found = gradients(of_kind(parameters, kind), corpus, model)
    assert type(found) is type(parameters)
    for name, array in found.arrays().items():
        assert kind_of(array) == kind
        np.testing.assert_allclose(to_numpy(array), wanted[name], atol=1e-14)
    some = model.step_gradients(parameters, corpus, ["cls_embedding", names[-1]])
    assert list(some) == ["cls_embedding", names[-1]]
    np.testing.assert_allclose(some["cls_embedding"], wanted["cls_embedding"], atol=1e-14)


@each_model
@each_kind
@each_dtype
def test_rows_of_words_that_do_not_occur_have_no_gradient(model, kind, dtype):
    corpus = Corpus([[1, 0, 2, 0], [0, 0, 1, 0]], [1, -1], list("abcd"))
    parameters = of_kind(random_parameters(model, corpus).map(lambda array: array.astype(dtype)), kind)
    found = to_numpy(gradients(parameters, corpus, model).embeddings)
    assert found.dtype == dtype
    assert not found[[1, 3]].any()
    assert found[[0, 2]].all()


@each_model
def test_a_batch_of_empty_texts_pulls_nowhere(model):
    corpus = Corpus(np.zeros((2, 3), int), [1, -1], list("abc"))
    parameters = random_parameters(model, corpus)
    assert not flat(gradients(parameters, corpus, model)).any()
    assert loss(parameters, corpus, model) == pytest.approx(np.log(2))


# -------------------------------------------------------------------------------------------------- cut texts


def test_the_most_frequent_words_are_kept():
    counts = np.array([[3, 1, 0, 2, 1], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    corpus = Corpus(counts, [1, -1, 1], list("abcde"), weights=[1, 2, 3])
    with pytest.warns(UserWarning, match="1 of 3 texts have more than 2 distinct words; they keep the most frequent ones"):
        cut = most_frequent(corpus, 2)
    assert cut.counts.toarray().tolist() == [[3, 0, 0, 2, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert cut.weights.tolist() == [1, 2, 3]
    assert most_frequent(corpus, 4) is corpus
    with pytest.raises(ValueError, match="max_tokens=0"):
        most_frequent(corpus, 0)


def test_ties_are_cut_without_regard_to_the_alphabet():
    corpus = Corpus(np.ones((50, 200), int), np.resize([1, -1], 50), [f"word{s:03}" for s in range(200)])
    with pytest.warns(UserWarning, match="50 of 50 texts"):
        kept = most_frequent(corpus, 100).counts.toarray()
    assert (kept.sum(axis=1) == 100).all()
    assert 30 < kept[0, :100].sum() < 70  # of the first half of the alphabet: 50 ± 3.5 by chance
    assert (kept == kept[0]).all(), "the same words in all texts"


def test_a_corpus_is_cut_before_training_and_so_are_the_held_out_texts(texts):
    corpus, held_out = texts
    with pytest.warns(UserWarning, match="more than 3 distinct words") as caught:
        shorter = [most_frequent(part, 3) for part in (corpus, held_out)]
    assert [str(warning.message).split(" texts")[0] for warning in caught] == ["200 of 200", "50 of 50"]
    assert caught[0].filename == __file__, "the warning points at the caller"
    done = train(shorter[0], WithMLP(), dim=4, steps=2, held_out=shorter[1], seed=1)
    found = logits(done.parameters, shorter[1], WithMLP())
    assert done.history.held_out_accuracies[-1] == np.mean((found > 0) == shorter[1].labels)


# --------------------------------------------------------------------------------------------------- training


@each_model
@each_kind
def test_training_learns_and_the_seed_decides(texts, model, kind):
    corpus, held_out = texts
    options = dict(dim=8, steps=40, learning_rate=0.02, batch_size=50, **on(kind))
    one, same, other = (train(corpus, model, seed=seed, **options) for seed in (1, 1, 2))
    assert one.history.losses[-1] < 0.5 * one.history.losses[0]
    assert equal(one.parameters, same.parameters)
    assert not equal(one.parameters, other.parameters)
    assert one.parameters.embeddings.dtype == np.float32
    assert accuracy(one.parameters, held_out, model) == np.mean(
        (logits(one.parameters, held_out, model) > 0) == held_out.labels
    )
    assert accuracy(one.parameters, held_out, model) > 0.8


@each_model
@each_kind
def test_adam_equals_automatic_differentiation_of_positions(texts, model, kind):
    corpus = texts[0][::3]
    start = random_parameters(model, corpus, spread=0.4)
    found = train(corpus, model, start=start, steps=5, batch_size=67, learning_rate=0.05, **on(kind)).parameters
    leaves = {name: torch.from_numpy(value).clone().requires_grad_() for name, value in start.arrays().items()}
    optimizer, tokens = torch.optim.Adam(leaves.values(), lr=0.05), tokens_of(corpus)
    for _ in range(5):
        optimizer.zero_grad()
        outputs, _ = by_positions(model, type(start)(**leaves), tokens)
        torch.nn.functional.softplus(-torch.from_numpy(corpus.signs) * outputs).mean().backward()
        optimizer.step()
    for name, value in leaves.items():  # Adam divides by |g|, which turns rounding of 1e-16 into 1e-12 or more
        np.testing.assert_allclose(getattr(found, name), value.detach(), atol=1e-8)


def test_four_classes(texts):
    corpus, _ = texts
    more = Corpus(corpus.counts, np.resize(range(4), len(corpus)), corpus.vocabulary, tuple("abcd"))
    for model in MODELS:
        done = train(more, model, dim=8, steps=60, learning_rate=0.03, seed=0)
        assert done.parameters.output_vector.shape == (4, 8)
        assert done.history.losses[-1] < done.history.losses[0]
        found = logits(done.parameters, more, model)
        assert done.history.accuracies[-1] == np.mean(found.argmax(axis=1) == more.labels)


def test_the_watcher_the_history_and_patience_are_those_of_the_base_model(texts):
    corpus, held_out = texts
    seen = []
    done = train(
        corpus,
        WithMLP(),
        dim=8,
        steps=400,
        learning_rate=0.05,
        held_out=held_out,
        patience=2,
        evaluate_every=10,
        watch=lambda step, parameters: seen.append((step, tuple(parameters.token_scores.shape))),
    )
    assert done.stopped == "patience"
    assert done.step == done.history.steps[done.history.held_out_losses.argmin()]
    assert seen == [(step, (30,)) for step in done.history.steps]


def test_only_some_parameters_are_trained(texts):
    start = TwoLayers().start(30, 5, 0)
    done = train(texts[0], TwoLayers(), start=start, steps=3, trained=["cls_embedding", "key_query_1"]).parameters
    for name, value in start.arrays().items():
        assert np.array_equal(getattr(done, name), value) == (name not in ("cls_embedding", "key_query_1"))
    assert np.array_equal(start.key_query_1, np.eye(5)), "the start is left as it was"


@each_model
@each_kind
def test_results_come_back_in_the_kind_of_the_start(texts, model, kind):
    start = of_kind(model.start(30, 5, 0), kind)
    done = train(texts[0], model, start=start, steps=2)
    assert type(done.parameters) is type(start)
    assert {kind_of(array) for array in done.parameters.arrays().values()} == {kind}
    assert kind_of(logits(start, texts[0], model)) == kind
    assert equal(start, model.start(30, 5, 0)), "the start is left as it was"


# -------------------------------------------------------------------------------------- precision and memory


@each_model
@each_kind
def test_precision_is_that_of_the_parameters_unless_bfloat16_is_asked_for(texts, model, kind):
    corpus, start = texts[0], model.start(30, 16, 0)
    placed, mixed = of_kind(start, kind), replace(model, bfloat16=True)
    exact = logits(start.map(np.float64), corpus, model)
    fine, coarse = (to_numpy(logits(placed, corpus, each)) for each in (model, mixed))
    np.testing.assert_allclose(fine, exact, atol=1e-5)  # 24 bits: 1e-7 of numbers of order one, added up
    assert coarse.dtype == np.float32
    assert abs(coarse - exact).max() > 1e-4
    np.testing.assert_allclose(coarse, exact, atol=0.05)  # 8 bits: 0.4%
    done = train(corpus, mixed, start=start, steps=40, learning_rate=0.02, **on(kind))
    assert done.history.losses[-1] < 0.6 * done.history.losses[0]
    assert np.array_equal(logits(start.map(np.float64), corpus, mixed), exact), "float64 stays"


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"),
        torch.cuda.OutOfMemoryError("CUDA out of memory"),
    ],
    ids=["numpy", "cpu", "cuda"],
)
def test_too_large_a_batch_is_told_in_one_sentence(texts, monkeypatch, error):
    corpus, _ = texts

    def fails(*_):
        raise error

    monkeypatch.setattr(WithMLP, "forward", fails)
    longest = np.diff(corpus.counts.indptr).max()
    start = WithMLP().start(30, 4, 0)
    sentence = (
        r"no memory for 50 texts of up to \d+ distinct words at once; try batch_size=25, or shorter texts \(most_frequent\)"
    )
    with pytest.raises(MemoryError, match=sentence):
        WithMLP().step_gradients(start, corpus[:50], ["embeddings"])
    with pytest.raises(MemoryError, match=r"no memory for 200 texts of up to \d+ distinct words at once; try shorter texts"):
        train(corpus, WithMLP(), dim=4, steps=2)
    with pytest.raises(MemoryError, match=rf"1 texts of up to {longest} distinct words at once; try shorter texts"):
        logits(start, corpus[[np.diff(corpus.counts.indptr).argmax()]], WithMLP())
    with pytest.raises(MemoryError, match=r"no memory for 200 texts of .*; try shorter texts"):
        attention(start, corpus, type("Attending", (WithMLP,), {"forward_attention": fails})())


def test_other_errors_are_left_alone(texts, monkeypatch):
    def fails(*_):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(WithMLP, "forward", fails)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        train(texts[0], WithMLP(), dim=4, steps=2)


def test_texts_of_like_lengths_share_a_batch_of_bounded_size(monkeypatch):
    random = np.random.default_rng(0)
    lengths = random.integers(0, 40, 100)
    counts = (np.arange(40) < lengths[:, None]).astype(int)
    corpus = Corpus(counts, np.resize([1, -1], 100), [f"word{s}" for s in range(40)])
    monkeypatch.setattr(autograd, "AT_ONCE", 2000)
    batches = list(autograd._batches(corpus))
    assert sorted(np.concatenate([rows for rows, _ in batches])) == list(range(100))
    assert 1 < len(batches) < 100
    for rows, batch in batches:
        assert len(rows) * max(lengths[rows].max(), 1) ** 2 <= 2000
        np.testing.assert_array_equal(batch.counts.toarray(), counts[rows])
    monkeypatch.setattr(autograd, "AT_ONCE", 1)
    assert [len(rows) for rows, _ in autograd._batches(corpus)][-1] == 1, "a text longer than the bound is a batch of its own"


# ------------------------------------------------------------------------------------------------- bad input


def test_fewer_texts_than_classes(tiny):
    corpus = Corpus(tiny.counts, [0, 1, 3], tiny.vocabulary, tuple("abcd"))
    with pytest.raises(ValueError, match="there are 3 texts of 4 classes; give at least one text per class"):
        train(corpus, TwoLayers())


def test_a_class_that_never_occurs(texts):
    corpus = Corpus(texts[0].counts, np.resize([0, 1, 3], 200), texts[0].vocabulary, tuple("abcd"))
    with pytest.warns(RuntimeWarning, match="no text is of the class c; it will never be predicted"):
        train(corpus, WithMLP(), dim=4, steps=2)


def test_one_class_is_refused(tiny):
    with pytest.raises(ValueError, match="every one of the 2 texts has the same label"):
        train(tiny[[0, 2]], TwoLayers())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(batch_size=0), "batch_size=0; give a whole number of at least 1"),
        (dict(steps=0), "steps=0"),
        (dict(trained=["mlp_weights"]), "trained names mlp_weights; the model has embeddings, .*, key_query_2$"),
        (dict(trained=[]), "name at least one of"),
        (dict(start=TwoLayers().start(4, 2, 0)), "embeddings has 4 rows, but the corpus has 3 words"),
        (
            dict(start=TwoLayers().start(3, 4, 0, num_classes=3)),
            r"output_vector has shape \(3, 4\); this corpus and E need \(4,\)",
        ),
    ],
)
def test_arguments_out_of_range(tiny, options, message):
    with pytest.raises(ValueError, match=message):
        train(tiny, TwoLayers(), **(dict(dim=4) | options))


def test_texts_without_known_words_are_refused_but_some_among_others_are_not(tiny):
    with pytest.raises(ValueError, match="none of the 2 texts holds a known word"):
        train(Corpus(sparse.csr_array((2, 3), dtype=int), [-1, 1], tiny.vocabulary), TwoLayers(), dim=4)
    mixed = Corpus(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 1]]), [1, -1, 1], tiny.vocabulary)
    for model in MODELS:
        done = train(mixed, model, dim=4, steps=4, batch_size=1)  # one batch is an empty text alone
        assert np.isfinite(done.history.losses).all()
        assert np.isfinite(done.parameters.embeddings).all()


# ------------------------------------------------------------------------------------------------ what they learn


@pytest.mark.parametrize("model", [TwoLayers(), TwoLayersWithoutKeyQuery()])
def test_two_layers_learn_what_the_paper_saw(imdb, model):
    """Its second model: E_s·v rises with the label skew, and attention goes to words with a large one."""
    with pytest.warns(UserWarning, match="have more than 48 distinct words"):
        reviews = most_frequent(imdb[::25], 48)
    done = train(reviews, model, dim=32, steps=200, learning_rate=0.01, batch_size=25)
    reviews = imdb[::25]
    skew = reviews.label_skew()
    common = np.asarray((reviews.counts > 0).sum(axis=0)).ravel() >= 5  # the skew of a rare word is chance
    assert binned(skew[common], done.parameters.token_values[common], 12).rank_correlation() > 0.9
    assert matched_correlation(reviews, reviews, done.parameters.token_scores, min_texts=5) > 0.2


# ----------------------------------------------------------- what one layer cannot: words that turn each other's meaning


def test_one_layer_cannot_learn_an_exclusive_or_and_an_mlp_can():
    """Every token has signed frequency zero; a sum over tokens gets three of four combinations right at most."""
    corpus = xor_of_pairs(400, 24, 6, seed=0)
    one_layer = train(corpus, dim=16, steps=400, learning_rate=0.03, evaluate_every=400)
    with_mlp = train(corpus, WithMLP(), dim=16, steps=400, learning_rate=0.03)
    assert one_layer.history.accuracies[-1] < 0.8
    assert with_mlp.history.accuracies[-1] == 1


def test_two_layers_can_learn_an_exclusive_or_from_a_random_start():
    corpus = xor_of_pairs(400, 24, 6, seed=0)
    model = TwoLayers(residual=0.0, identity=0.0, spread=3.0)
    done = train(corpus, model, dim=16, steps=1000, learning_rate=0.01)
    assert done.history.accuracies[-1] == 1


def test_one_layer_cannot_learn_a_negation_and_an_mlp_can():
    """A sum over tokens shifts all texts with "not" alike: of the 30% that hold it about half is wrong, 15% of all."""
    corpus, held_out = negation(400, 40, 6, 3, 0.3, seed=0).split(0.25, seed=0)
    one_layer = train(corpus, dim=16, steps=400, learning_rate=0.03, evaluate_every=400)
    with_mlp = train(corpus, WithMLP(), dim=16, steps=400, learning_rate=0.03)
    assert accuracy(one_layer.parameters, held_out) < 0.9
    assert accuracy(with_mlp.parameters, held_out, WithMLP()) == 1
