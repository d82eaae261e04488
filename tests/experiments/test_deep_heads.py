import numpy as np
import pytest

import tokensel_nb as ts
from experiments import what_heads_do

TEXTS = [
    "good film",
    "bad film bad",
    "the good good day",
    "the bad day",
    "good film film day",
    "bad the day",
    "bad",
    "good the",
]
WORDS = np.arange(5)


@pytest.fixture(scope="module")
def texts():
    return ts.sequences_from_texts(TEXTS, [1, -1, 1, -1, -1, 1, 1, -1], longest=4)


def of(layers, texts):
    model = ts.Transformer(layers=layers, heads=2, longest=4, spread=0.6)
    return model, model.start(texts.vocab_size, 8, 0, dtype="float64")


def logits_of(model, parameters, texts):
    return ts.logits(parameters, texts, model)


def without_queries(parameters, layer, rows):
    changed = type(parameters)(*map(np.copy, parameters))
    changed.in_proj_weight[layer, rows] = 0
    changed.in_proj_bias[layer, rows] = 0
    return changed


def test_in_the_last_layer_a_blind_head_is_one_without_queries(texts):
    for layers in (1, 2):
        model, parameters = of(layers, texts)
        changed = without_queries(parameters, layers - 1, slice(4, 8))
        uniform = texts.counts.data / (1 + np.repeat(texts.lengths, np.diff(texts.counts.indptr)))
        assert model.head_attention(changed, texts)[-1, 1] == pytest.approx(uniform)
        blind = what_heads_do.blind(model, parameters, [(layers - 1, 1)], texts)
        assert logits_of(blind, parameters, texts) == pytest.approx(logits_of(model, changed, texts))


def test_below_it_is_blind_for_cls_alone(texts):
    model, parameters = of(2, texts)
    blind = what_heads_do.blind(model, parameters, [(0, 1)], texts)
    everywhere = logits_of(model, without_queries(parameters, 0, slice(4, 8)), texts)
    whole, seen = logits_of(model, parameters, texts), logits_of(blind, parameters, texts)
    assert np.abs(seen - everywhere).max() > 1e-4 < np.abs(seen - whole).max()
    assert logits_of(blind, parameters, texts[:1]) == pytest.approx(seen[:1])
    same = what_heads_do.changed_to(model, parameters)
    assert logits_of(same, parameters, texts) == pytest.approx(whole)


def test_what_all_heads_hand_on_on_average_says_nothing_of_a_text(texts):
    model, parameters = of(1, texts)
    deaf = what_heads_do.averaged(model, parameters, [(0, 0), (0, 1)], texts)
    deaf = logits_of(deaf, parameters, texts)
    assert deaf == pytest.approx(deaf[0])
    one = what_heads_do.averaged(model, parameters, [(0, 1)], texts[2:3])
    one = logits_of(one, parameters, texts)
    whole = logits_of(model, parameters, texts)
    assert one[2] == pytest.approx(whole[2])  # the mean of one text is its own
    assert np.abs(one - whole).max() > 1e-4


def test_words_are_left_out_of_texts_that_hold_others(texts, monkeypatch):
    rows, gone, rest = what_heads_do.without(texts, WORDS)
    left = [[word for word in tokens if word >= 0] for tokens in rest.tokens.tolist()]
    wanted = [[word for word in texts.tokens[row] if word not in (-1, out)] for row, out in zip(rows, gone)]
    assert left == wanted
    assert all(left)
    assert len(left) == sum(len(set(text.split())) for text in TEXTS if len(set(text.split())) > 1)
    monkeypatch.setattr(what_heads_do, "PER_CLASS", 1)
    rows, gone, _ = what_heads_do.without(texts, WORDS)
    assert np.unique(2 * gone + texts.labels[rows], return_counts=True)[1].max() == 1


def test_effects_and_one_word_logits_are_those_of_plain_texts(texts):
    model, parameters = of(1, texts)
    again = lambda *lines: logits_of(model, parameters, ts.sequences_from_texts([*lines, *TEXTS], [1, -1] * 5, longest=4))[:2]
    words = list(texts.vocabulary)
    assert what_heads_do.one_word_logits(model, parameters, texts)[[words.index("bad"), words.index("film")]] == pytest.approx(
        again("bad", "film")
    )
    whole = logits_of(model, parameters, texts)
    effects = what_heads_do.effects(model, parameters, whole, what_heads_do.without(texts, WORDS))
    (praised, blamed), film = again("good", "bad bad"), words.index("film")
    mixed = again("good day", "the day")[0]
    assert effects[film] == pytest.approx(np.mean([whole[0] - praised, np.mean([whole[1] - blamed, whole[4] - mixed])]))
