"""The encoder's pieces on a small one made here, whose layers are written out once more; the real one is too large to fetch."""

import numpy as np
import pytest
import torch
from scipy.special import erf, softmax
from small_world import DIM, EPS, HEADS, LAYERS, bert

from experiments import encoder_heads
from experiments.encoder import Reading, fine_tune, windows_of


@pytest.fixture(scope="module")
def small():
    return bert()


def as_bert_does(pretrained, ids):
    """One text without padding through BERT's own formulas, in numpy."""
    w = {name: each.double().numpy() for name, each in pretrained.weights.items()}

    def norm(x, name):
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPS) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        of = f"encoder.layer.{layer}."
        q, k, v = (
            dense(x, f"{of}attention.self.{name}").reshape(len(ids), HEADS, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        mixed = softmax(q @ k.swapaxes(1, 2) / np.sqrt(DIM / HEADS), axis=2) @ v
        mixed = mixed.swapaxes(0, 1).reshape(len(ids), DIM)
        x = norm(x + dense(mixed, f"{of}attention.output.dense"), f"{of}attention.output.LayerNorm")
        inner = dense(x, f"{of}intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(x + dense(inner, f"{of}output.dense"), f"{of}output.LayerNorm")
    return x


def test_the_layers_are_berts(small):
    ids = np.array([101, 7, 9, 7, 102])
    padded = torch.tensor([[*ids, 0, 0], [101, 3, 102, 0, 0, 0, 0]])
    found = Reading(small, seed=0).vectors(padded).detach().numpy()
    np.testing.assert_allclose(found[0, :5], as_bert_does(small, ids), atol=1e-5)  # computed in float32
    np.testing.assert_allclose(found[1, :3], as_bert_does(small, padded[1, :3].numpy()), atol=1e-5)


def test_fine_tuning_moves_all_that_is_read_and_lowers_the_loss(small):
    labels = np.random.default_rng(0).integers(0, 2, 96)
    windows = windows_of([np.array([10 + label, 12]) for label in labels], 2)
    model = fine_tune(Reading(small, 3), windows, labels, 3, rate=1e-2, head_rate=3e-2, batch=2)
    assert np.mean((model(windows) > 0).numpy() == labels) > 0.9
    assert not any(torch.equal(a, b) for a, b in zip(model.parameters(), Reading(small, 3).parameters()))


def test_windows_are_the_last_pieces_between_what_bert_puts_around():
    assert windows_of([np.array([7, 8, 9]), np.array([5])], 2).tolist() == [[101, 8, 9, 102], [101, 5, 102, 0]]


def test_the_logit_is_read_off_the_last_vector_of_cls(small):
    model, ids = Reading(small, seed=1), np.array([101, 5, 6, 102])
    with torch.no_grad():
        model.bias += 0.5
    wanted = as_bert_does(small, ids)[0] @ model.output_vector.detach().numpy() + 0.5
    assert model(torch.tensor([[*ids, 0]])).item() == pytest.approx(wanted, abs=1e-5)  # float32


def test_attention_is_what_cls_pays_in_every_layer_and_head(small):
    ids = np.array([101, 7, 9, 7, 102])
    found = Reading(small, seed=0).looks(torch.tensor([[*ids, 0, 0], [101, 3, 102, 0, 0, 0, 0]]))[0].numpy()
    assert found.shape == (2, LAYERS, HEADS, 7)
    assert not found[0, ..., 5:].any()
    assert not found[1, ..., 3:].any()
    first = {name.removeprefix("encoder.layer.0.attention.self."): each.numpy() for name, each in small.weights.items()}
    weights = (
        small.weights["embeddings.word_embeddings.weight"][ids] + small.weights["embeddings.position_embeddings.weight"][:5]
    )
    states = torch.nn.functional.layer_norm(
        weights + small.weights["embeddings.token_type_embeddings.weight"][0],
        (DIM,),
        small.weights["embeddings.LayerNorm.weight"],
        small.weights["embeddings.LayerNorm.bias"],
        1e-12,
    ).numpy()
    of_head = slice(DIM // HEADS, 2 * DIM // HEADS)
    query = (states @ first["query.weight"].T + first["query.bias"])[0, of_head]
    keys = (states @ first["key.weight"].T + first["key.bias"])[:, of_head]
    np.testing.assert_allclose(found[0, 0, 1, :5], softmax(keys @ query / (DIM / HEADS) ** 0.5), atol=1e-5)


def test_only_pieces_that_are_whole_words_are_words(small):
    numbers = dict(zip(small.vocabulary, range(len(small.vocabulary))))
    pieces = [piece for piece in small.vocabulary if not piece.startswith(("[", "##"))]
    part, special = (next(piece for piece in small.vocabulary if piece.startswith(mark)) for mark in ("##", "["))
    text = np.array([numbers[each] for each in (special, pieces[0], pieces[1], part, pieces[2], special)])
    assert encoder_heads.whole_words(small, [text])[0].tolist() == [-1, numbers[pieces[0]], -1, -1, numbers[pieces[2]], -1]
