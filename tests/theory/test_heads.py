"""What heads look for, held against plain loops, and the output of a BERT imitated."""

import numpy as np
import pytest
import torch
from scipy import stats

import tokensel_nb as ts

WORDS = 400


@pytest.fixture(scope="module")
def drawn():
    """Texts of 20 to 40 words, of which high numbers speak for the second class, and attention of two layers of three heads."""
    random, labels = np.random.default_rng(5), np.arange(1600) % 2
    texts = [(WORDS * random.beta(2 + label, 3 - label, random.integers(20, 41))).astype(int) for label in labels]
    shapes = [lambda w: w / 100, lambda w: -w / 100, lambda w: abs(w - 200) / 50, lambda w: 0 * w, np.sin, np.cos]
    attention = []
    for words in texts:
        heads = np.exp([shape(words) for shape in shapes] + 0.1 * random.standard_normal((6, len(words))))
        attention.append((0.6 * heads / heads.sum(axis=1, keepdims=True)).reshape(2, 3, -1))
    return attention, texts, labels


def of_loops(attention, texts, labels, lean_texts, lean_labels, words):
    """A word's lean and attention, one place after another; classes have equal weight by their numbers of texts."""
    uses = {word: [0, 0] for word in words}
    for text, label in zip(lean_texts, lean_labels):
        for word in text:
            if word in uses:
                uses[word][label] += 1 / list(lean_labels).count(label)
    lean = np.array([(uses[word][1] - uses[word][0]) / sum(uses[word]) for word in words])
    found = {word: ([], []) for word in words}
    for heads, text, label in zip(attention, texts, labels):
        for place, word in enumerate(text):
            if word in found:
                found[word][label].append(heads[..., place] / heads.sum(axis=2) * len(text))
    look = np.stack([np.mean([np.mean(of_class, axis=0) for of_class in found[word]], axis=0) for word in words], axis=2)
    return lean, look


def test_it_is_what_plain_loops_find(drawn):
    attention, texts, labels = drawn
    found = ts.head_preferences(attention[:800], texts[:800], labels[:800], others=(texts[800:], labels[800:]))
    lean, look = of_loops(attention[:800], texts[:800], labels[:800], texts[800:], labels[800:], found.words)
    np.testing.assert_allclose(found.lean, lean, atol=1e-12)
    np.testing.assert_allclose(found.attention, look, rtol=1e-10)
    every = np.concatenate(texts)
    frequency = np.array([(every == word).sum() for word in found.words])
    groups = np.argsort(np.argsort(-frequency, kind="stable"), kind="stable") // 50
    centred = []
    for amounts in (np.abs(lean.round(12)), look[1, 2]):
        ranks = stats.rankdata(amounts)
        centred.append(ranks - np.array([ranks[groups == group].mean() for group in groups]))
    assert found.unsigned[1, 2] == pytest.approx(np.corrcoef(*centred)[0, 1])
    order = np.argsort(found.lean)
    end, middle = len(order) // 20, order[len(order) // 4 : -(len(order) // 4)]
    wanted = [look[..., part].mean(axis=2) / look[..., middle].mean(axis=2) for part in (order[:end], order[-end:])]
    np.testing.assert_allclose(found.ends, wanted)


def test_tilts_and_horns_are_told_from_heads_that_prefer_nothing(drawn):
    found = ts.head_preferences(*drawn)
    assert found.tilts.tolist() == [[True, True, False], [False] * 3]
    assert found.horns.tolist() == [[False, False, True], [False] * 3]
    assert np.sign(found.signed[0, :2]).tolist() == [1, -1]
    assert (found.chance < found.ceiling.min()).all()
    assert "2 × 3 heads" in repr(found)


def test_only_labels_that_tell_something_make_a_preference(drawn):
    attention, texts, labels = drawn
    found = ts.head_preferences(attention, texts, np.random.default_rng(0).permutation(labels))
    assert np.abs(found.signed).max() < 0.3
    assert not (found.tilts | found.horns).any()
    assert np.abs(found.ceiling).max() < 0.3


def test_the_classes_need_not_be_of_one_size(drawn):
    attention, texts, labels = drawn
    few = np.flatnonzero((labels == 0) | (np.arange(len(labels)) % 4 == 1))
    found = ts.head_preferences([attention[i] for i in few], [texts[i] for i in few], labels[few], min_texts=10)
    assert abs(np.median(found.lean)) < 0.1
    assert found.horns.tolist() == [[False, False, True], [False] * 3]


def test_the_output_of_a_transformers_model_is_read(drawn):
    """`outputs.attentions` has, for every layer, an array (texts, heads, T, T), and `tokens` come with [PAD]."""
    attention, texts, labels = drawn
    places = 2 + max(map(len, texts))
    attentions = torch.zeros(2, len(texts), 3, places, places, requires_grad=True)
    with torch.no_grad():
        for text, heads in enumerate(attention):
            attentions[:, text, :, 0, 1 : 1 + heads.shape[2]] = torch.tensor(heads)
            attentions[:, text, :, 0, [0, 1 + heads.shape[2]]] = 0.2
    tokens = [["[CLS]", *(f"w{word}" for word in text), "[SEP]", *["[PAD]"] * (places - 2 - len(text))] for text in texts]
    outputs = tuple(attentions)
    found = ts.head_preferences(torch.stack(outputs, 1)[:, :, :, 0], tokens, np.array(["blame", "praise"])[labels])
    wanted = ts.head_preferences(attention, texts, labels)
    assert found.words == [f"w{word}" for word in wanted.words]
    np.testing.assert_allclose(found.signed, wanted.signed, atol=1e-4)  # of float32
    np.testing.assert_allclose(found.ceiling, wanted.ceiling)
    numbers = [[0 if word == "[PAD]" else 1 if word[0] == "[" else 2 + int(word[1:]) for word in text] for text in tokens]
    again = ts.head_preferences(torch.stack(outputs, 1)[:, :, :, 0], torch.tensor(numbers), labels, ignore=[0, 1])
    np.testing.assert_array_equal(again.signed, found.signed)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, t, y: ts.head_preferences(a, t, np.arange(len(y)) % 3), "3 classes"),
        (lambda a, t, y: ts.head_preferences(a[1:], t, y), "1599 arrays for 1600 texts"),
        (lambda a, t, y: ts.head_preferences(a, t, y[1:]), "1599 labels"),
        (lambda a, t, y: ts.head_preferences(a[:90], t[:90], y[:90]), "min_texts=20 leaves 0 words .*, of 300 needed"),
        (lambda a, t, y: ts.head_preferences([each[..., :9] for each in a], t, y), "has 9 places for .* tokens"),
        (lambda a, t, y: ts.head_preferences([0 * each for each in a], t, y), "is zero at .*padding, add it to ignore"),
    ],
)
def test_what_would_give_wrong_preferences_is_refused(drawn, call, message):
    with pytest.raises(ValueError, match=message):
        call(*drawn)
