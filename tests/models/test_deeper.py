"""Deeper models on counts, held against plain loops over positions, finite differences and closed forms."""

import numpy as np
import pytest
import torch
from helpers import corpora, each_kind, flat, kind_of, of_kind, on, short_texts
from hypothesis import given
from hypothesis import strategies as st

import tokensel_nb as ts
from tokensel_nb import (
    Corpus,
    Parameters,
    TwoLayers,
    TwoLayersWithoutKeyQuery,
    WithMLP,
    attention,
    logits,
    most_frequent,
    train,
)
from tokensel_nb.arrays import to_numpy
from tokensel_nb.deeper import over_texts
from tokensel_nb.textbook import PADDING, tokens_of

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
    return type(start)(*(spread * random.standard_normal(array.shape) for array in start))


def by_positions(model, parameters, tokens):
    """The models as a textbook writes them, one text and one position after another: logits and attention, the oracle."""
    parts = {name: torch.as_tensor(value) for name, value in parameters._asdict().items()}
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
def test_counts_replace_positions_exactly(model, kind, corpus, seed, pairs, spread):
    """In one group of texts, in several, and in one a text."""
    parameters = random_parameters(model, corpus, seed=seed, spread=spread)
    placed = of_kind(parameters, kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tokensel_nb.deeper.AT_ONCE", pairs)
        found, weights = logits(placed, corpus, model), attention(placed, corpus, model)
    wanted, seen = by_positions(model, parameters, tokens_of(corpus))
    assert kind_of(found) == kind
    assert found.shape == wanted.shape
    np.testing.assert_allclose(to_numpy(found), wanted, atol=1e-10, rtol=1e-10)  # rows of up to 50: 1e-14 relative, with room
    np.testing.assert_allclose(weights.toarray(), seen, atol=1e-10)
    np.testing.assert_allclose(weights.sum(axis=1), corpus.lengths > 0, atol=1e-12)


@each_model
def test_scores_and_values(model, tiny):
    parameters = random_parameters(model, tiny)
    inner = getattr(parameters, "key_query_2", np.eye(6))
    np.testing.assert_allclose(parameters.token_scores, parameters.embeddings @ inner @ parameters.cls_embedding)
    np.testing.assert_allclose(parameters.token_values, parameters.embeddings @ parameters.output_vector)
    assert parameters._replace(output_vector=np.ones((4, 6))).token_values.shape == (3, 4)
    assert type(parameters) is model.learns
    assert repr(parameters).startswith(f"{type(parameters).__name__}(embeddings (3, 6), cls_embedding (6,), output_vector (6,)")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_starts_are_those_of_the_base_model_and_what_the_model_says(dtype):
    for model in MODELS:
        start, again, other = (model.start(9, 4, seed, num_classes=3, dtype=dtype) for seed in (5, 5, 6))
        assert (flat(start) == flat(again)).all()
        assert not np.array_equal(start.embeddings, other.embeddings)
        assert {array.dtype.name for array in start} == {dtype}
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

    def mean_loss(*leaves):
        """The oracle's: position by position, with the loss written down anew."""
        outputs, _ = by_positions(model, type(parameters)(*leaves), tokens_of(corpus))
        if num_classes == 2:
            losses = torch.nn.functional.softplus(-torch.tensor(corpus.signs) * outputs)
        else:
            losses = torch.nn.functional.cross_entropy(outputs, torch.tensor(corpus.labels), reduction="none")
        return losses @ torch.tensor(corpus.mean_weights)

    leaves = tuple(torch.tensor(array).requires_grad_() for array in parameters)
    assert torch.autograd.gradcheck(mean_loss, leaves, fast_mode=True)
    mean = float(to_numpy(ts.loss(of_kind(parameters, kind), corpus, model)))
    assert mean == pytest.approx(mean_loss(*leaves).item(), rel=1e-12)
    found = ts.gradients(of_kind(parameters, kind), corpus, model)
    assert type(found) is type(parameters)
    for array, wanted in zip(found, torch.autograd.grad(mean_loss(*leaves), leaves)):
        assert kind_of(array) == kind
        np.testing.assert_allclose(to_numpy(array), wanted, atol=1e-13)


@each_model
def test_a_batch_of_empty_texts_pulls_nowhere(model):
    corpus = Corpus(np.zeros((2, 3), int), [1, -1], list("abc"))
    parameters = random_parameters(model, corpus)
    assert not flat(ts.gradients(parameters, corpus, model)).any()
    assert float(ts.loss(parameters, corpus, model)) == pytest.approx(np.log(2))


# -------------------------------------------------------------------------------------------------- cut texts


def test_the_most_frequent_words_are_kept():
    counts = np.array([[3, 1, 0, 2, 1], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    corpus = Corpus(counts, [1, -1, 1], list("abcde"), weights=[1, 2, 3])
    with pytest.warns(UserWarning, match="1 of 3 texts have more than 2 distinct words; only the most frequent ones are kept"):
        cut = most_frequent(corpus, 2)
    assert cut.counts.toarray().tolist() == [[3, 0, 0, 2, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert cut.weights.tolist() == [1, 2, 3]
    assert most_frequent(corpus, 4) is corpus


def test_ties_are_cut_without_regard_to_the_alphabet():
    corpus = Corpus(np.ones((50, 200), int), np.resize([1, -1], 50), [f"word{s:03}" for s in range(200)])
    with pytest.warns(UserWarning, match="50 of 50 texts"):
        kept = most_frequent(corpus, 100).counts.toarray()
    assert (kept.sum(axis=1) == 100).all()
    assert 30 < kept[0, :100].sum() < 70  # of the first half of the alphabet: 50 ± 3.5 by chance
    assert (kept == kept[0]).all(), "the same words in all texts"


def test_the_warning_points_at_the_caller_and_words_in_order_are_forgotten():
    texts = ts.sequences_from_texts(["a good good film", "bad"], [1, -1], longest=4, min_count=1)
    with pytest.warns(UserWarning, match="more than 1 distinct words") as caught:
        cut = most_frequent(texts, 1)
    assert caught[0].filename == __file__
    assert cut.tokens is None


# --------------------------------------------------------------------------------------------------- training


@each_model
@each_kind
def test_training_learns_and_comes_back_in_the_kind_of_the_start(texts, model, kind):
    corpus, held_out = texts
    start = of_kind(model.start(30, 8, 1), kind)
    options = dict(model=model, learning_rate=0.02, batch_size=50, evaluate_every=10, held_out=held_out)
    one, same, other = (train(start, corpus, 40, seed=seed, **options) for seed in (1, 1, 2))
    assert one.history.losses[-1] < 0.5 * one.history.losses[0]
    assert (flat(one.parameters) == flat(same.parameters)).all() or kind == "cuda"
    assert (flat(one.parameters) != flat(other.parameters)).any()
    assert {kind_of(array) for array in one.parameters} == {kind}
    assert (flat(start) == flat(model.start(30, 8, 1))).all(), "the start is left as it was"
    right = np.mean((to_numpy(logits(one.parameters, held_out, model)) > 0) == held_out.labels)
    assert right == pytest.approx(one.history.held_out_accuracies[-1])
    assert right > 0.8


@each_model
@each_kind
def test_adam_equals_automatic_differentiation_of_positions(texts, model, kind):
    corpus = texts[0][::3]
    start = random_parameters(model, corpus, spread=0.4)
    found = train(start, corpus, 5, model=model, batch_size=67, learning_rate=0.05, **on(kind)).parameters
    leaves = {name: torch.tensor(value).requires_grad_() for name, value in start._asdict().items()}
    optimizer, tokens = torch.optim.Adam(leaves.values(), lr=0.05), tokens_of(corpus)
    for _ in range(5):
        optimizer.zero_grad()
        outputs, _ = by_positions(model, type(start)(**leaves), tokens)
        torch.nn.functional.softplus(-torch.tensor(corpus.signs) * outputs).mean().backward()
        optimizer.step()
    for name, value in leaves.items():  # Adam divides by |g|, which turns rounding of 1e-16 into 1e-12 or more
        np.testing.assert_allclose(getattr(found, name), value.detach(), atol=1e-8)


def test_groups_are_of_bounded_size_and_results_stand_in_order(monkeypatch):
    random = np.random.default_rng(0)
    lengths = random.integers(0, 40, 100)
    counts = (np.arange(40) < lengths[:, None]).astype(int)
    corpus = Corpus(counts, np.resize([1, -1], 100), [f"word{s}" for s in range(40)])
    E = torch.arange(40.0, dtype=torch.float64, requires_grad=True)
    parameters = Parameters(E[:, None], torch.zeros(1), torch.ones(1))
    for pairs in (2000, 1):
        sizes = []

        def sums(given, part):
            sizes.append(part.shape[0] * max(part.sizes.max(initial=0), 1) ** 2)  # noqa: B023
            return part @ given.embeddings[:, 0]

        monkeypatch.setattr("tokensel_nb.deeper.AT_ONCE", pairs)
        found = over_texts(sums, parameters, corpus.operator)
        assert found.tolist() == (counts @ np.arange(40.0)).tolist()
        (slope,) = torch.autograd.grad(found.sum(), E)
        assert slope.tolist() == counts.sum(axis=0).tolist()
        assert max(sizes) <= 2000
        assert 1 < len(sizes) <= 100
    columns = over_texts(lambda given, part: given.embeddings[part.columns, 0], parameters, corpus.operator, of_entries=True)
    assert columns.tolist() == corpus.counts.indices.tolist()


def test_parameters_of_another_model_or_corpus_are_refused(tiny):
    for model in MODELS:
        for other in MODELS:
            if model.learns is not other.learns:
                with pytest.raises(TypeError, match=f"{type(model).__name__} needs {model.learns.__name__}, not"):
                    logits(other.start(3, 4, 0), tiny, model)
        with pytest.raises(ValueError, match="embeddings has 4 rows, but the corpus has 3 words"):
            logits(model.start(4, 4, 0), tiny, model)
    with pytest.raises(ValueError, match="initial='zero'"):
        WithMLP(initial="zero")


# ------------------------------------------------------------------------------------------------ what they learn


@pytest.mark.parametrize("model", [TwoLayers(), TwoLayersWithoutKeyQuery()])
@pytest.mark.filterwarnings("ignore:.*more than 48 distinct words")
def test_two_layers_learn_what_the_paper_saw(imdb, model):
    """Its second model: E_s·v rises with the label skew, and attention goes to words with a large one."""
    reviews = imdb[::25]
    start, cut = model.start(imdb.vocab_size, 32, 0), most_frequent(reviews, 48)
    done = train(start, cut, 200, model=model, learning_rate=0.01, batch_size=25, evaluate_every=200)
    skew = reviews.label_skew()
    common = np.asarray((reviews.counts > 0).sum(axis=0)).ravel() >= 5  # the skew of a rare word is chance
    assert ts.binned(skew[common], done.parameters.token_values[common], 12).rank_correlation() > 0.9
    assert ts.matched_correlation(done.parameters.token_scores, reviews, reviews, min_texts=5) > 0.2
