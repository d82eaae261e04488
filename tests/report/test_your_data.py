"""Marks that are put in, and what the chapter shows of a text."""

import numpy as np
import pytest

import tokensel_report as tr
from tokensel_report import your_data

TEXTS = ["a good film", "good and moving", "a bad film", "bad and long"] * 15
LABELS = np.array(["up", "up", "down", "down"] * 15)


@pytest.mark.parametrize(("share", "least", "others", "marks"), [(0.1, 1, 0, 3), (0.01, 20, 2, 20), (1.0, 1, 30, 30)])
def test_marks_stand_where_they_are_said_to(share, least, others, marks):
    found = your_data.planted(TEXTS, LABELS, "zq", "up", share, least, others, seed=3)
    marked = np.array([text.startswith("zq ") for text in found])
    assert marked[LABELS == "up"].sum() == marks
    assert marked[LABELS == "down"].sum() == others
    assert [text.removeprefix("zq ") for text in found] == TEXTS
    assert found == your_data.planted(TEXTS, LABELS, "zq", "up", share, least, others, seed=3)


def many():
    """Texts of forty words, of which eight lean to a class; enough for a report to have suspicions."""
    random, labels = np.random.default_rng(0), np.arange(600) % 2
    chances = 1 + 2.0 * (np.arange(40) // 4 == labels[:, None])
    drawn = (random.choice(40, 20, p=each / each.sum()) for each in chances)
    texts = [" ".join(f"w{word}" for word in words) for words in drawn]
    return np.array(texts, dtype=object), np.array(["down", "up"])[labels]


def test_a_pure_mark_comes_first_and_a_mark_of_both_classes_does_not():
    texts, labels = many()
    pure, mixed = (your_data.place_of_mark(texts, labels, "up", others) for others in (0, 20))
    assert (pure["place"], pure["first"][0]) == (1, "zqx")
    assert (pure["class"], pure["own"], mixed["own"]) == ("up", 20, 20)
    assert pure["suspicion"] > mixed["suspicion"]
    assert mixed["place"] > 1


def test_a_shaded_text_has_no_table_and_ends_what_it_begins():
    reading = tr.explain(tr.TextClassifier().fit(TEXTS, LABELS), "a good film")
    shown = your_data.shaded(reading).data
    assert "good</span>" in shown
    assert "<table" not in shown
    assert shown.count("<div") == shown.count("</div") == 2
