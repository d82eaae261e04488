from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from strategies import corpora

from tokensel_nb import (
    CheckpointError,
    Corpus,
    DeeperParameters,
    TwoLayers,
    TwoLayersWithoutKeyQuery,
    WithMLP,
    accuracy,
    binned,
    deeper,
    deeper_logits,
    most_frequent,
    negation,
    train,
    train_deeper,
    xor_of_pairs,
)
from tokensel_nb.synthetic import independent_tokens
from tokensel_nb.textbook import PADDING, tokens_of

MODELS = [
    TwoLayers(),
    TwoLayers(residual=0.0, scale=0.7, spread=0.5),
    TwoLayersWithoutKeyQuery(scale=1.5),
    WithMLP(identity=0.5),
]
NAMES = [f"{type(model).__name__} {number}" for number, model in enumerate(MODELS)]
each_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)


def random_parameters(model, corpus, dim=6, seed=0, spread=1.0):
    """Parameters of the model's shapes, none of them zero."""
    start = model.start(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype="float64")
    random = np.random.default_rng(seed)
    return replace(start, **{name: spread * random.standard_normal(value.shape) for name, value in start.parts.items()})


def by_positions(model, parameters, tokens):
    """The models as a textbook writes them, one text and one position after another: the oracle."""
    parts = {name: torch.as_tensor(value) for name, value in parameters.parts.items()}
    identity = torch.eye(len(parts["cls_embedding"]), dtype=torch.float64)
    output = torch.atleast_2d(parts["output_vector"])
    found = []
    for row in tokens:
        rows = parts["embeddings"][row[row != PADDING]]  # (T, d), a word as often as it occurs
        if not len(rows):
            found.append(torch.zeros(len(output), dtype=torch.float64))
        elif isinstance(model, WithMLP):
            attended = torch.softmax(rows @ parts["cls_embedding"], dim=0) @ rows
            found.append(output @ torch.relu(parts["mlp_weights"] @ attended + parts["mlp_bias"]))
        else:
            inner = rows @ parts.get("key_query_1", identity) @ rows.T
            hidden = model.residual * rows + torch.softmax(model.scale * inner, dim=1) @ rows
            attention = torch.softmax(hidden @ parts.get("key_query_2", identity) @ parts["cls_embedding"], dim=0)
            found.append(output @ hidden.T @ attention)
    found = torch.stack(found)
    return found[:, 0] if parts["output_vector"].ndim == 1 else found


# ------------------------------------------------------------------------------- counts instead of positions


@each_model
@given(corpus=corpora(), seed=st.integers(0, 99), batch_size=st.integers(1, 8), spread=st.sampled_from([0.3, 1.0, 3.0]))
@settings(max_examples=30)
def test_counts_replace_positions_exactly(model, corpus, seed, batch_size, spread):
    parameters = random_parameters(model, corpus, seed=seed, spread=spread)
    found = deeper_logits(model, parameters, corpus, batch_size=batch_size)
    wanted = by_positions(model, parameters, tokens_of(corpus)).numpy()
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, atol=1e-10, rtol=1e-10)  # hidden rows of up to 50: 1e-14 relative, with room


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
        with pytest.raises(ValueError, match="must be at least 1"):
            model.start(0, 6, 0)
        return
    parameters = random_parameters(model, corpus)
    found = deeper_logits(model, parameters, corpus)
    np.testing.assert_allclose(found, by_positions(model, parameters, tokens_of(corpus)), atol=1e-10)
    assert (found[corpus.lengths == 0] == 0).all()


def test_stored_zeros_are_no_words(tiny):
    parameters = random_parameters(WithMLP(), tiny)
    counts = sparse.csr_array(
        (np.array([0, 1, 1, 2, 1, 1]), tiny.counts.indices[[2, 0, 1, 2, 3, 4]], [0, 3, 5, 6]), shape=(3, 3)
    )
    counts.data[0], counts.indices[0] = 0, 0
    with_zeros = Corpus(counts, tiny.labels, tiny.vocabulary)
    plain = Corpus(counts.toarray(), tiny.labels, tiny.vocabulary)
    for model in MODELS:
        parameters = random_parameters(model, tiny)
        np.testing.assert_array_equal(deeper_logits(model, parameters, with_zeros), deeper_logits(model, parameters, plain))


def test_a_layer_that_looks_nowhere_is_the_base_model(tiny):
    """With W₁ = 0 and no residual, H is the mean row at all positions: f is the mean of E_s·v."""
    model = TwoLayers(residual=0.0)
    parameters = replace(random_parameters(model, tiny), key_query_1=np.zeros((6, 6)))
    np.testing.assert_allclose(deeper_logits(model, parameters, tiny), tiny.shares @ parameters.values, atol=1e-12)


@each_model
def test_scores_and_values(model, tiny):
    parameters = random_parameters(model, tiny)
    inner = np.eye(6) if parameters.key_query_2 is None else parameters.key_query_2
    np.testing.assert_allclose(parameters.scores, parameters.embeddings @ inner @ parameters.cls_embedding)
    np.testing.assert_allclose(parameters.values, parameters.embeddings @ parameters.output_vector)
    heads = replace(parameters, output_vector=np.ones((4, 6)))
    assert heads.values.shape == (3, 4)
    assert isinstance(parameters.to("cpu").scores, torch.Tensor)
    assert isinstance(parameters.to("cpu").numpy().scores, np.ndarray)
    assert repr(parameters).startswith("DeeperParameters(embeddings (3, 6), cls_embedding (6,), output_vector (6,)")


# ------------------------------------------------------------------------------------------------- gradients


@each_model
@pytest.mark.parametrize("num_classes", [2, 4])
def test_gradients_equal_finite_differences(model, num_classes):
    """Of all parameters at once, with repeats, texts of unequal length and an empty one."""
    random = np.random.default_rng(1)
    counts = random.poisson(1.0, (6, 5))
    counts[2] = 0
    labels = np.resize([-1, 1] if num_classes == 2 else range(4), 6)
    corpus = Corpus(counts, labels, list("abcde"), tuple("wxyz")[:num_classes], random.exponential(size=6))
    tensors = random_parameters(model, corpus, dim=4).to("cpu")
    leaves = {name: value.requires_grad_() for name, value in tensors.parts.items()}

    def mean_loss(*values):
        parameters = replace(tensors, **dict(zip(leaves, values)))
        texts = deeper._padded(corpus, parameters.embeddings)
        logits = deeper._logits(model, parameters, parameters.embeddings[texts.words], texts)
        return deeper._loss_of_logits(logits, deeper._targets(corpus, logits))

    assert torch.autograd.gradcheck(mean_loss, tuple(leaves.values()))
    wanted = dict(zip(leaves, torch.autograd.grad(mean_loss(*leaves.values()), list(leaves.values()))))
    plain = replace(tensors, **{name: value.detach() for name, value in leaves.items()})
    found = {name: torch.full_like(value, np.nan) for name, value in plain.parts.items()}
    deeper._ByAutograd(model, 8).fill_gradients_(found, plain, corpus)  # what training uses: rows of the batch's words only
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, atol=1e-14)


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


def test_training_cuts_the_held_out_texts_as_well(texts):
    corpus, held_out = texts
    with pytest.warns(UserWarning, match="more than 3 distinct words") as caught:
        done = train_deeper(corpus, WithMLP(), dim=4, steps=2, max_tokens=3, held_out=held_out, seed=1)
    assert [str(warning.message).split(" texts")[0] for warning in caught] == ["200 of 200", "50 of 50"]
    with pytest.warns(UserWarning, match="50 of 50 texts"):
        shorter = most_frequent(held_out, 3)
    logits = deeper_logits(WithMLP(), done.parameters, shorter)
    assert done.history.held_out_accuracies[-1] == np.mean((logits > 0) == (held_out.labels > 0))


# --------------------------------------------------------------------------------------------------- training


@pytest.fixture
def texts():
    """200 short texts whose words tell the labels, to train on, and 50 others."""
    return independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)


def equal(one, other):
    return all(np.array_equal(value, other.parts[name]) for name, value in one.parts.items())


@each_model
def test_training_learns_and_the_seed_decides(texts, model):
    corpus, held_out = texts
    one, same, other = (train_deeper(corpus, model, dim=8, steps=40, learning_rate=0.02, seed=seed) for seed in (1, 1, 2))
    assert one.history.losses[-1] < 0.5 * one.history.losses[0]
    assert equal(one.parameters, same.parameters)
    assert not equal(one.parameters, other.parameters)
    assert one.parameters.embeddings.dtype == np.float32
    assert np.mean((deeper_logits(model, one.parameters, held_out) > 0) == (held_out.labels > 0)) > 0.8


@each_model
def test_adam_equals_automatic_differentiation_of_positions(texts, model):
    corpus = texts[0][::3]
    start = random_parameters(model, corpus, spread=0.4)
    found = train_deeper(corpus, model, start=start, steps=5, batch_size=67, learning_rate=0.05).parameters
    leaves = {name: torch.from_numpy(value).clone().requires_grad_() for name, value in start.parts.items()}
    optimiser, tokens = torch.optim.Adam(leaves.values(), lr=0.05), tokens_of(corpus)
    for _ in range(5):
        optimiser.zero_grad()
        logits = by_positions(model, DeeperParameters(**leaves), tokens)
        torch.nn.functional.softplus(-torch.from_numpy(corpus.labels) * logits).mean().backward()
        optimiser.step()
    for name, value in leaves.items():  # Adam divides by |g|, which turns rounding of 1e-16 into 1e-12 or more
        np.testing.assert_allclose(found.parts[name], value.detach(), atol=1e-8)


def test_four_classes(texts):
    corpus, _ = texts
    more = Corpus(corpus.counts, np.resize(range(4), len(corpus)), corpus.vocabulary, tuple("abcd"))
    for model in MODELS:
        done = train_deeper(more, model, dim=8, steps=60, learning_rate=0.03, seed=0)
        assert done.parameters.output_vector.shape == (4, 8)
        assert done.history.losses[-1] < done.history.losses[0]


@each_model
@pytest.mark.parametrize("killed_at", [0, 8])
def test_a_run_goes_on_where_it_was_interrupted(texts, tmp_path, model, killed_at):
    corpus, held_out = texts
    options = dict(dim=5, steps=16, batch_size=32, evaluate_every=4, held_out=held_out, patience=9, learning_rate=0.02)
    file = tmp_path / "run.safetensors"

    def stop(step, _):
        if step == killed_at:
            raise KeyboardInterrupt

    through = train_deeper(corpus, model, **options)
    if killed_at:
        train_deeper(corpus, model, checkpoint=file, **(options | dict(steps=killed_at)))
    with pytest.raises(KeyboardInterrupt):
        train_deeper(corpus, model, checkpoint=tmp_path / "other.safetensors", watch=stop, **options)
    resumed = train_deeper(corpus, model, checkpoint=file, **options)
    assert equal(resumed.parameters, through.parameters)
    np.testing.assert_array_equal(resumed.history.losses, through.history.losses)


def test_a_checkpoint_of_another_model_is_refused(texts, tmp_path):
    corpus, _ = texts
    options = dict(dim=5, steps=4, checkpoint=tmp_path / "run.safetensors")
    train_deeper(corpus, TwoLayers(), **options)
    with pytest.raises(CheckpointError, match="it holds no mlp_bias, mlp_weights; it is of another model"):
        train_deeper(corpus, WithMLP(), **options)
    with pytest.raises(CheckpointError, match=r"made with residual=1.0, not 0.0"):
        train_deeper(corpus, TwoLayers(residual=0.0), **options)
    with pytest.raises(CheckpointError, match="made with model='TwoLayers', not 'TwoLayersWithoutKeyQuery'"):
        train_deeper(corpus, TwoLayersWithoutKeyQuery(), **options)


def test_the_watcher_the_history_and_patience_are_those_of_the_base_model(texts):
    corpus, held_out = texts
    seen = []
    done = train_deeper(
        corpus,
        WithMLP(),
        dim=8,
        steps=400,
        learning_rate=0.05,
        held_out=held_out,
        patience=2,
        evaluate_every=10,
        watch=lambda step, parameters: seen.append((step, parameters.scores.shape)),
    )
    assert done.stopped == "patience"
    assert done.step == done.history.steps[done.history.held_out_losses.argmin()]
    assert seen == [(step, (30,)) for step in done.history.steps]


def test_only_some_parameters_are_trained(texts):
    start = TwoLayers().start(30, 5, 0)
    done = train_deeper(texts[0], start=start, steps=3, trained=["cls_embedding", "key_query_1"]).parameters
    for name, value in start.parts.items():
        assert np.array_equal(done.parts[name], value) == (name not in ("cls_embedding", "key_query_1"))
    assert np.array_equal(start.key_query_1, np.eye(5)), "the start is left as it was"


# -------------------------------------------------------------------------------------- precision and memory


@each_model
def test_mixed_precision_stays_close(texts, model, monkeypatch):
    corpus, _ = texts
    start = model.start(30, 16, 0)
    fine = deeper_logits(model, start, corpus)
    exact = deeper_logits(model, start.to("cpu"), corpus)
    monkeypatch.setattr(deeper, "PRECISIONS", {"cpu": lambda: torch.autocast("cpu", torch.bfloat16)})
    coarse = deeper_logits(model, start, corpus)
    assert np.array_equal(fine, exact)
    assert coarse.dtype == np.float32
    assert not np.array_equal(fine, coarse)
    np.testing.assert_allclose(coarse, fine, atol=0.05)  # bfloat16 has 8 bits: 0.4% of numbers of order one, added up
    done = train_deeper(corpus, model, start=start, steps=40, learning_rate=0.02)
    assert done.history.losses[-1] < 0.6 * done.history.losses[0]


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

    monkeypatch.setattr(WithMLP, "logits", fails)
    longest = np.diff(corpus.counts.indptr).max()
    with pytest.raises(MemoryError, match=r"no memory for 50 texts of up to \d+ distinct words at once; try batch_size=25, or"):
        train_deeper(corpus, WithMLP(), dim=4, steps=2)
    with pytest.raises(MemoryError, match=f"1 texts of up to {longest} distinct words at once; try batch_size=1"):
        deeper_logits(WithMLP(), WithMLP().start(30, 4, 0), corpus[[np.diff(corpus.counts.indptr).argmax()]], batch_size=9)


def test_other_errors_are_left_alone(texts, monkeypatch):
    def fails(*_):
        raise RuntimeError("shapes do not fit")

    monkeypatch.setattr(WithMLP, "logits", fails)
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        train_deeper(texts[0], WithMLP(), dim=4, steps=2)


# ------------------------------------------------------------------------------------------------- bad input


def test_fewer_texts_than_classes(tiny):
    corpus = Corpus(tiny.counts, [0, 1, 3], tiny.vocabulary, tuple("abcd"))
    with pytest.raises(ValueError, match="there are 3 texts of 4 classes; give at least one text a class"):
        train_deeper(corpus)


def test_a_class_that_never_occurs(texts):
    corpus = Corpus(texts[0].counts, np.resize([0, 1, 3], 200), texts[0].vocabulary, tuple("abcd"))
    with pytest.warns(RuntimeWarning, match="no text is of the class c; it will never be predicted"):
        train_deeper(corpus, WithMLP(), dim=4, steps=2)


def test_one_class_is_refused(tiny):
    with pytest.raises(ValueError, match="every one of the 2 texts has the same label"):
        train_deeper(tiny[[0, 2]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(batch_size=0), "batch_size=0; give a whole number of at least 1"),
        (dict(batch_size=None), "batch_size=None"),
        (dict(max_tokens=0), "max_tokens=0"),
        (dict(steps=0), "steps=0"),
        (dict(trained=["mlp_weights"]), "trained=.*name at least one of 'embeddings'.*'key_query_2'$"),
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
        train_deeper(tiny, **(dict(dim=4) | options))


def test_texts_without_known_words_are_refused_but_some_among_others_are_not(tiny):
    with pytest.raises(ValueError, match="none of the 2 texts holds a known word"):
        train_deeper(Corpus(sparse.csr_array((2, 3), dtype=int), [-1, 1], tiny.vocabulary), dim=4)
    mixed = Corpus(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 1]]), [1, -1, 1], tiny.vocabulary)
    for model in MODELS:
        done = train_deeper(mixed, model, dim=4, steps=4, batch_size=1)  # one batch is an empty text alone
        assert np.isfinite(done.history.losses).all()
        assert np.isfinite(done.parameters.embeddings).all()


# ------------------------------------------------------------------------------------------------ what they learn


@pytest.mark.parametrize("model", [TwoLayers(), TwoLayersWithoutKeyQuery()])
def test_two_layers_learn_what_the_paper_saw(imdb, model):
    """Its second model: E_s·v rises with the label skew, and attention goes to both ends of it."""
    reviews = imdb[::25]
    with pytest.warns(UserWarning, match="have more than 48 distinct words"):
        done = train_deeper(reviews, model, dim=32, steps=200, learning_rate=0.01, batch_size=25, max_tokens=48)
    skew = reviews.label_skew()
    common = np.asarray((reviews.counts > 0).sum(axis=0)).ravel() >= 5  # the skew of a rare word is chance
    assert binned(skew[common], done.parameters.values[common], 12).rank_correlation() > 0.9
    assert binned(skew[common], done.parameters.scores[common], 12).u_shape() > 3


# ----------------------------------------------------------- what one layer cannot: words that turn each other's meaning


def share_of_right_ones(logits, corpus):
    return np.mean((logits > 0) == (corpus.labels > 0))


def test_one_layer_cannot_learn_an_exclusive_or_and_an_mlp_can():
    """Every token has signed frequency zero; a sum over tokens gets three of four combinations right at most."""
    corpus = xor_of_pairs(400, 24, 6, seed=0)
    one_layer = train(corpus, dim=16, steps=400, learning_rate=0.03, evaluate_every=400)
    with_mlp = train_deeper(corpus, WithMLP(), dim=16, steps=400, learning_rate=0.03)
    assert one_layer.history.accuracies[-1] < 0.8
    assert with_mlp.history.accuracies[-1] == 1


def test_two_layers_can_learn_an_exclusive_or_from_a_random_start():
    corpus = xor_of_pairs(400, 24, 6, seed=0)
    model = TwoLayers(residual=0.0, identity=0.0, spread=3.0)
    done = train_deeper(corpus, model, dim=16, steps=1000, learning_rate=0.01)
    assert done.history.accuracies[-1] == 1


def test_one_layer_cannot_learn_a_negation_and_an_mlp_can():
    """A sum over tokens shifts all texts with "not" alike: of the 30% that hold it about half is wrong, 15% of all."""
    corpus, held_out = negation(400, 40, 6, 3, 0.3, seed=0).split(0.25, seed=0)
    one_layer = train(corpus, dim=16, steps=400, learning_rate=0.03, evaluate_every=400)
    with_mlp = train_deeper(corpus, WithMLP(), dim=16, steps=400, learning_rate=0.03)
    assert accuracy(one_layer.parameters, held_out) < 0.9
    assert share_of_right_ones(deeper_logits(WithMLP(), with_mlp.parameters, held_out), held_out) == 1
