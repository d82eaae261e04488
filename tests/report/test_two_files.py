"""Training and test texts beside each other: copies, suspects that hold in one of them, and words that only one has."""

import numpy as np
import pytest

import tokensel_report as tr

PLAIN, OWN = [f"word{number}" for number in range(60)], {"up": ["good", "fine"], "down": ["bad", "dull"]}


def drawn(number, seed):
    """Return texts of plain words and of some that lean to a class, and their labels."""
    random, labels = np.random.default_rng(seed), np.where(np.arange(number) % 2, "up", "down")
    kinds = np.where(random.random(number) < 0.8, labels, labels[::-1])
    return [" ".join([*random.choice(PLAIN, 8), *random.choice(OWN[kind], 2)]) for kind in kinds], labels


@pytest.fixture(scope="module")
def found():
    (texts, labels), (new, of_new) = drawn(1000, 0), drawn(400, 1)
    texts = [text + " zqx" * (row < 120 and row % 2) for row, text in enumerate(texts)] + ["bad"]
    new = [f"{text}{' zqy' * (row % 4 == 0)}{' zqx' * (row < 40)}" for row, text in enumerate(new)]
    new[:2] = [texts[300], f"{texts[301]} indeed"]
    return tr.report(tr.TextClassifier(), texts, [*labels, "down"], test=([*new, "bad"], [*of_new, "down"]), quotes=0)


def test_copies_are_named_by_both_rows_even_one_of_a_single_word(found):
    assert found.beside.copies.to_numpy().tolist() == [[0, 300], [1, 301], [400, 1000]]


def test_scores_are_those_of_the_model_of_all_training_texts(found):
    verdicts = found.model.predict(found.test.texts)
    assert found.beside.accuracy == np.mean(verdicts == found.test.labels) > 0.7


def test_what_was_put_in_holds_where_its_texts_lean_the_same_way(found):
    holds = found.beside.suspects.set_index("word").holds
    assert holds["zqx"] == "no"  # half of its test texts are of the other class
    new, labels = found.test.texts, found.test.labels
    new = [text.replace(" zqx", "") + " zqx" * (labels[row] == "up" and row < 80) for row, text in enumerate(new)]
    again = tr.report(tr.TextClassifier(), found.texts, found.labels, test=(new, labels), quotes=0)
    assert again.beside.suspects.set_index("word").holds["zqx"] == "yes"


def test_words_of_one_file_are_named_and_counted_as_unknown(found):
    first = found.beside.words.iloc[0]
    assert (first.word, first.training, round(first.test, 2)) == ("zqy", 0, 0.25)
    assert found.beside.unknown[0] > 0.01 > found.beside.unknown[1]


def test_without_labels_there_are_no_scores(found):
    plain = tr.report(tr.TextClassifier(), found.texts, found.labels, test=(found.test.texts, None), quotes=0)
    assert np.isnan(plain.beside.accuracy)
    assert plain.beside.suspects.empty
    assert plain.beside.copies.equals(found.beside.copies)
    assert tr.report(plain.model, found.texts[:50], found.labels[:50], quotes=0).beside is None
