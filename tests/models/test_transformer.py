from functools import partial

import numpy as np
import pytest
import torch
from helpers import flat, random_parameters
from scipy.special import softmax

import tokensel_nb as ts
from tokensel_nb.corpus import counted

TEXTS = ["a good film", "not a bad bad film at all", "bad", "", "film a good"]
SMALL = partial(ts.Transformer, layers=2, heads=2, hidden=5, longest=9, spread=0.7)


@pytest.fixture
def texts():
    return ts.sequences_from_texts(TEXTS, [1, 1, -1, -1, -1], longest=9)


def begin(model, texts, dim=4):
    """Return a start in which biases and LayerNorm's weights count, too."""
    random, start = np.random.default_rng(1), model.start(texts.vocab_size, dim, 0, dtype="float64")
    return type(start)(*(array + 0.3 * random.standard_normal(array.shape) for array in start))


def by_hand(parameters, model, tokens):
    """Return the logit of one text, and every head's attention at <cls>, from the formulas, one head after another."""

    def norm(x, number, layer):
        weight, bias = (getattr(parameters, f"norm{number}_{kind}") for kind in ("weight", "bias"))
        weight, bias = (weight, bias) if layer is None else (weight[layer], bias[layer])
        centred = x - x.mean(1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * weight + bias

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
@pytest.mark.parametrize("pairs", [1, 20, 2**19])
def test_logits_and_heads_are_those_of_the_formulas(texts, norm, pairs, monkeypatch):
    """In one group of texts, in several, and in one a text."""
    monkeypatch.setattr("tokensel_nb.deeper.AT_ONCE", pairs)
    model = SMALL(norm=norm)
    parameters = begin(model, texts)
    found, heads = ts.logits(parameters, texts, model), model.head_attention(parameters, texts)
    for row in (0, 1, 2, 4):
        tokens = texts.tokens[row][texts.tokens[row] >= 0]
        logit, attended = by_hand(parameters, model, tokens)
        assert found[row] == pytest.approx(logit, rel=1e-12)  # a hundred sums of float64
        entries = slice(*texts.counts.indptr[row : row + 2])
        is_word = texts.counts.indices[entries][:, None] == tokens
        np.testing.assert_allclose(heads[..., entries], np.array(attended)[..., 1:] @ is_word.T, rtol=1e-12)
    assert found[3] == 0, "a text without words"


@pytest.mark.parametrize("norm", ["before", "after", "none"])
def test_gradients_are_those_of_finite_differences(texts, norm):
    model, random = SMALL(norm=norm), np.random.default_rng(2)
    start = begin(model, texts)
    way = type(start)(*(random.standard_normal(array.shape) for array in start))
    along = lambda step: ts.loss(type(start)(*(a + step * b for a, b in zip(start, way))), texts, model)
    slope = flat(ts.gradients(start, texts, model)) @ flat(way)
    assert (along(1e-6) - along(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-5)  # LayerNorm bends by thousands


def test_attention_is_the_mean_of_the_first_layers_heads(texts):
    parameters = begin(SMALL(), texts)
    rows = ts.attention(parameters, texts, SMALL()).toarray()
    np.testing.assert_allclose(rows.sum(1), [1, 1, 1, 0, 1], rtol=1e-12)
    heads = SMALL().head_attention(parameters, texts)[0][:, slice(*texts.counts.indptr[:2])]
    expected = (heads / heads.sum(1, keepdims=True)).mean(0)
    np.testing.assert_allclose(rows[0][texts.counts.indices[: texts.counts.indptr[1]]], expected, rtol=1e-12)


def test_pytorchs_start_is_pytorchs():
    state, start = torch.get_rng_state(), SMALL(spread=None).start(3, 4, seed=0)
    assert (start.norm1_weight == 1).all()
    assert (start.in_proj_bias == 0).all()
    assert start.linear1_bias.any()
    assert abs(start.in_proj_weight).max() <= np.sqrt(6 / (4 + 12))  # Xavier's bound
    assert (flat(SMALL(spread=None).start(3, 4, seed=0)) == flat(start)).all()
    assert (torch.get_rng_state() == state).all(), "torch's own random numbers are left alone"


def test_what_it_cannot_read_is_refused(texts):
    start = begin(SMALL(), texts)
    with pytest.raises(TypeError, match="sequences_from_texts"):
        ts.logits(start, ts.corpus_from_texts(TEXTS, texts.labels), SMALL())
    with pytest.raises(ValueError, match="norm='middle'"):
        SMALL(norm="middle")
    with pytest.raises(ValueError, match="embeddings has 5 rows, but the corpus has 6 words"):
        ts.logits(start._replace(embeddings=start.embeddings[:5]), texts, SMALL())


def test_a_models_preferences_are_those_of_its_attention_place_by_place():
    random, labels = np.random.default_rng(0), np.arange(1600) % 2
    tokens = (400 * random.beta(2 + labels, 3 - labels, (30, 1600)).T).astype(int)
    corpus = ts.Corpus(counted(tokens, 400), labels, range(400), tokens=tokens)
    parameters, model = random_parameters(corpus, 8, 0), ts.Transformer(heads=2, hidden=4, longest=30)
    weights = ts.attention(parameters, corpus).toarray() / np.maximum(corpus.counts.toarray(), 1)
    places = np.take_along_axis(weights, tokens, axis=1)[:, None, None]
    found, wanted = ts.preferences_of_model(parameters, corpus), ts.head_preferences(places, tokens, labels)
    for of in (lambda each: np.array(each.words), lambda each: each.lean, lambda each: each.attention[0, 0]):
        np.testing.assert_allclose(*(of(each)[np.argsort(each.words)] for each in (found, wanted)), rtol=1e-10)
    assert ts.preferences_of_model(model.start(400, 8, 0), corpus, model).signed.shape == (1, 2)
