import numpy as np
import pytest

from tokensel_nb import WithMLP, corpus_from_texts, one_layer
from tokensel_nb.chapters import pairs


@pytest.mark.parametrize("draw", pairs.TASKS.values())
def test_new_texts_are_others_of_the_same_words(draw):
    texts, new = draw(20)
    assert texts.vocabulary.tolist() == new.vocabulary.tolist()
    assert (texts.counts != new.counts).nnz
    assert texts.signs.sum() == new.signs.sum() == 0


def test_a_sum_over_words_gets_three_of_four_right_and_an_mlp_all():
    right = {model: pairs.shares_right(model, *pairs.xor(20), 20) for model in (one_layer, WithMLP())}
    assert max(right[one_layer]) <= 0.75
    assert right[WithMLP()] == [1, 1]


def test_pairs_are_counted_beside_their_words():
    found = " ".join(pairs.words_and_pairs("It isn't<br />very good"))
    assert found == "It isn t very not_very not_ good very_good very_"


def test_skews_behind_a_word_by_hand():
    texts = ["not good", "not good", "good day", "good day", "good day", "bad day"]
    corpus = corpus_from_texts(texts, [0, 1, 1, 1, 0, 0], tokenizer=pairs.words_and_pairs)
    found = pairs.skews_behind(corpus, "not", least=2)
    assert found["words"] == ["good"]
    assert found["often"].tolist() == [2]
    assert found["behind"].tolist() == [0]  # one text of either label
    np.testing.assert_allclose([found["elsewhere"], found["summed"]], 1 / 3)  # two of three; "not" says nothing
    assert pairs.off_the_sum(found) == 0


def test_the_slope_is_that_of_all_pairs_and_then_of_pairs_drawn_again():
    x = np.array([-0.5, 0.0, 0.3, 0.6])
    found = {"elsewhere": x, "behind": 0.5 * x + 0.1, "often": np.array([10, 20, 30, 40])}
    slopes = pairs.slopes_behind(found, np.random.default_rng(0), draws=5)
    assert slopes.shape == (6,)
    np.testing.assert_allclose(slopes, 0.5)


def test_an_answer_is_of_every_new_text_and_only_keeps_some_words():
    texts, new = pairs.xor(20)
    assert pairs.only(texts, [0, 2]).vocabulary.tolist() == texts.vocabulary[[0, 2]].tolist()
    assert pairs.answers(texts, new, 20, dim=8, learning_rate=0.1).shape == (len(new),)
