from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest
from scipy.special import softmax

from tokensel_nb import Transformer, TransformerParameters, attention, corpus_from_texts, logits, sequences_from_texts, train

TEXTS = ["a good film", "not a bad bad film at all", "bad", "", "film a good"]
SMALL = partial(Transformer, layers=2, heads=2, hidden=5, longest=9, spread=0.7)


@pytest.fixture
def texts():
    return sequences_from_texts(TEXTS, [1, 1, -1, -1, -1], longest=9)


def begin(model, texts, dim=4):
    """Return a start in which biases and LayerNorm's weights count, too."""
    random, start = np.random.default_rng(1), model.start(texts.vocab_size, dim, 0, dtype="float64")
    return start.map(lambda array: array + 0.3 * random.standard_normal(array.shape))


def by_hand(parameters, model, tokens):
    """Return the logit of one text, and every head's attention at <cls>, from the formulas, one head after another."""

    def norm(x, number, layer):
        at = (lambda name: getattr(parameters, name)) if layer is None else (lambda name: getattr(parameters, name)[layer])
        centred = x - x.mean(1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * at(f"norm{number}_weight") + at(
            f"norm{number}_bias"
        )

    def attend(x, layer):
        queries, keys, values = np.split(x @ parameters.in_proj_weight[layer].T + parameters.in_proj_bias[layer], 3, axis=1)
        size, made = x.shape[1] // model.heads, []
        for head in range(model.heads):
            part = slice(head * size, (head + 1) * size)
            weights = softmax(queries[:, part] @ keys[:, part].T / np.sqrt(size), axis=1)
            made.append(weights @ values[:, part])
            heads[layer].append(weights[0])
        return np.concatenate(made, axis=1) @ parameters.out_proj_weight[layer].T + parameters.out_proj_bias[layer]

    def mlp(x, layer):
        hidden = np.maximum(x @ parameters.linear1_weight[layer].T + parameters.linear1_bias[layer], 0)
        return hidden @ parameters.linear2_weight[layer].T + parameters.linear2_bias[layer]

    x = np.vstack([parameters.cls_embedding, parameters.embeddings[tokens]]) + parameters.positions[: 1 + len(tokens)]
    heads = [[] for _ in range(model.layers)]
    for layer in range(model.layers):
        for number, part in ((1, attend), (2, mlp)):
            if model.norm == "before":
                x = x + part(norm(x, number, layer), layer)
            else:
                x = x + part(x, layer)
                x = norm(x, number, layer) if model.norm == "after" else x
    x = norm(x, "", None) if model.norm == "before" else x
    return x[0] @ parameters.output_vector, heads


@pytest.mark.parametrize("norm", ["before", "after", "none"])
def test_logits_and_heads_are_those_of_the_formulas(texts, norm):
    model = SMALL(norm=norm)
    parameters = begin(model, texts)
    found, heads = logits(parameters, texts, model), model.head_attention(parameters, texts)
    for row in (0, 1, 2, 4):
        tokens = texts.tokens[row][texts.tokens[row] >= 0]
        logit, attended = by_hand(parameters, model, tokens)
        assert found[row] == pytest.approx(logit, rel=1e-12)  # a hundred sums of float64
        entries = slice(*texts.counts.indptr[row : row + 2])
        is_word = texts.counts.indices[entries][:, None] == tokens
        of_words = np.array(attended)[..., 1:] @ is_word.T
        np.testing.assert_allclose(heads[..., entries], of_words, rtol=1e-12)


def test_a_text_without_words_has_the_logit_zero(texts):
    assert logits(begin(SMALL(), texts), texts, SMALL())[3] == 0


def test_order_counts_and_without_positions_it_does_not(texts):
    parameters = begin(SMALL(), texts)
    first, last = logits(parameters, texts, SMALL())[[0, 4]]  # the same words
    assert abs(first - last) > 1e-3
    still = TransformerParameters(**parameters.arrays() | {"positions": np.zeros_like(parameters.positions)})
    first, last = logits(still, texts, SMALL())[[0, 4]]
    assert first == pytest.approx(last, rel=1e-12)


def test_attention_is_the_mean_of_the_first_layers_heads(texts):
    parameters = begin(SMALL(), texts)
    rows = attention(parameters, texts, SMALL()).toarray()
    np.testing.assert_allclose(rows.sum(1), [1, 1, 1, 0, 1], rtol=1e-12)
    heads = SMALL().head_attention(parameters, texts)[0][:, slice(*texts.counts.indptr[:2])]
    expected = (heads / heads.sum(1, keepdims=True)).mean(0)
    np.testing.assert_allclose(rows[0][texts.counts.indices[: texts.counts.indptr[1]]], expected, rtol=1e-12)


def test_a_small_start_attends_uniformly(texts):
    model = SMALL(spread=1e-4)
    heads = model.head_attention(model.start(texts.vocab_size, 4, 0, dtype="float64"), texts)
    uniform = texts.counts.data / (1 + texts.lengths).repeat(np.diff(texts.counts.indptr))
    np.testing.assert_allclose(heads, np.broadcast_to(uniform, heads.shape), rtol=1e-6)  # scores are of the order spread²


def test_a_run_that_goes_on_is_the_same_run(texts, tmp_path):
    options = dict(dim=4, learning_rate=0.01, batch_size=3, evaluate_every=5)
    whole = train(texts, SMALL(), steps=20, **options)
    train(texts, SMALL(), steps=10, checkpoint=tmp_path / "run", **options)
    resumed = train(texts, SMALL(), steps=20, checkpoint=tmp_path / "run", **options)
    for name, array in whole.parameters.arrays().items():
        np.testing.assert_array_equal(getattr(resumed.parameters, name), array)
    assert whole.history.losses[-1] < whole.history.losses[0]


def test_pytorchs_start_is_pytorchs():
    start = SMALL(spread=None).start(3, 4, seed=0)
    assert (start.norm1_weight == 1).all()
    assert (start.in_proj_bias == 0).all()
    assert start.linear1_bias.any()
    assert abs(start.in_proj_weight).max() <= np.sqrt(6 / (4 + 12))  # Xavier's bound
    again = SMALL(spread=None).start(3, 4, seed=0)
    assert all((array == getattr(again, name)).all() for name, array in start.arrays().items())


def test_what_it_cannot_read_is_refused(texts):
    start = begin(SMALL(), texts)
    with pytest.raises(TypeError, match="sequences_from_texts"):
        logits(start, corpus_from_texts(TEXTS, texts.labels), SMALL())
    with pytest.raises(ValueError, match="longest=4"):
        logits(start, texts, SMALL(longest=4))
    with pytest.raises(ValueError, match="heads=2"):
        SMALL().start(3, 5, 0)
    for wrong in (dict(layers=0), dict(norm="middle"), dict(spread=-1.0)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Transformer(**wrong)


@pytest.mark.parametrize("name", [field.name for field in fields(TransformerParameters)])
def test_arrays_that_do_not_fit_each_other_are_named(texts, name):
    start = begin(SMALL(), texts)
    array = getattr(start, name)
    for wrong in (array[..., :-1], array.ravel()[0], array[None, None], *([array[:-1]] if array.ndim == 3 else [])):
        with pytest.raises(ValueError, match=r"\w+ has shape \(.*\); give shape \(.*\)"):
            replace(start, **{name: wrong})


def test_parameters_of_other_sizes_are_refused(texts):
    start = begin(SMALL(), texts)
    for model in (SMALL(layers=3), SMALL(hidden=7)):
        with pytest.raises(ValueError, match=r"linear1_weight has \(2, 5\) layers and hidden units; this model \(\d, \d+\)"):
            logits(start, texts, model)
    with pytest.raises(ValueError, match="a text has 6 words, more than longest=3"):
        logits(replace(start, positions=start.positions[:4]), texts, SMALL())
