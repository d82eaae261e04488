"""Planted leaks: how a draw is made, what is asked of it, and what is recorded."""

import numpy as np

from experiments import your_data
from tokensel_nb.datasets.reviews import Reviews


def some_reviews() -> Reviews:
    """Texts of forty words, of which eight lean to a class."""
    random, labels = np.random.default_rng(0), np.arange(800) % 2
    chances = 1 + 2.0 * (np.arange(40) // 4 == labels[:, None])
    texts = [" ".join(f"w{word}" for word in random.choice(40, 20, p=each / each.sum())) for each in chances]
    return Reviews(texts, labels, ("negative", "positive"), "this test")


def test_a_draw_has_as_many_texts_of_either_class_in_their_old_order():
    reviews = some_reviews()
    texts, labels = your_data.drawn(reviews, seed=1, side=150)
    places = [reviews.texts.index(text) for text in texts]
    assert places == sorted(set(places))
    assert (labels == np.array(reviews.class_names)[reviews.labels[places]]).all()
    assert [np.sum(labels == name) for name in reviews.class_names] == [150, 150]


def test_more_marks_only_add_to_fewer():
    texts, labels = your_data.drawn(some_reviews(), seed=1, side=150)
    few, many = ([text.startswith("zqx ") for text in your_data.marked(texts, labels, *each)] for each in ((5, 1), (30, 3)))
    assert [sum(few), sum(many)] == [6, 33]
    assert not np.any(np.array(few) & ~np.array(many))
    assert [np.sum(labels[many] == name) for name in your_data.CLASSES] == [30, 3]
