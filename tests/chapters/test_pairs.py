import pytest

from tokensel_nb import OneLayer, WithMLP
from tokensel_nb.chapters import pairs


@pytest.mark.parametrize("draw", pairs.TASKS.values())
def test_new_texts_are_others_of_the_same_words(draw):
    texts, new = draw(20)
    assert texts.vocabulary.tolist() == new.vocabulary.tolist()
    assert (texts.counts != new.counts).nnz
    assert texts.signs.sum() == new.signs.sum() == 0


def test_a_sum_over_words_gets_three_of_four_right_and_an_mlp_all():
    right = {model: pairs.shares_right(model, *pairs.xor(20), 20) for model in (OneLayer(), WithMLP())}
    assert max(right[OneLayer()]) <= 0.75
    assert right[WithMLP()] == [1, 1]
