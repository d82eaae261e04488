import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import tokensel_nb as ts
from tokensel_nb.chapters import your_data
from tokensel_nb.chapters.recorded import recorded

TEXTS = ["a good film", "good and moving", "a bad film", "bad and long"] * 15
LABELS = np.array(["up", "up", "down", "down"] * 15)


@given(st.integers(1, 300), st.integers(1, 12), st.integers(0, 99))
def test_the_calibration_error_is_the_mean_distance_of_the_bins(n, bins, seed):
    random = np.random.default_rng(seed)
    chances, right = random.random(n), random.random(n) < 0.7
    _, share, error = your_data.calibration(chances, right, bins)
    order = np.argsort(chances, kind="stable")
    each = [abs(sum(chances[i] - right[i] for i in part)) for part in np.array_split(order, bins)]
    assert error == pytest.approx(sum(each) / n, abs=1e-12)  # a sum of n numbers below one
    assert len(share) == min(n, bins)


def test_a_classifier_that_knows_its_chances_is_calibrated():
    random = np.random.default_rng(0)
    chances = random.uniform(0.5, 1, 100_000)
    right = random.random(len(chances)) < chances
    # A bin's share has a standard error of 0.005 at most.
    assert your_data.calibration(chances, right)[2] < 0.01
    assert your_data.calibration(chances, random.permutation(right))[2] > 0.1


@pytest.mark.parametrize(("share", "least", "others", "marks"), [(0.1, 1, 0, 3), (0.01, 20, 2, 20), (1.0, 1, 30, 30)])
def test_marks_stand_where_they_are_said_to(share, least, others, marks):
    found = your_data.planted(TEXTS, LABELS, "zq", "up", share, least, others, seed=3)
    marked = np.array([text.startswith("zq ") for text in found])
    assert marked[LABELS == "up"].sum() == marks
    assert marked[LABELS == "down"].sum() == others
    assert [text.removeprefix("zq ") for text in found] == TEXTS
    assert found == your_data.planted(TEXTS, LABELS, "zq", "up", share, least, others, seed=3)


NEW = np.arange(len(TEXTS)) % 3 == 0


def test_the_rival_learns_what_there_is_to_learn_and_no_more():
    model = ts.TextClassifier().fit(TEXTS, LABELS)
    rival = your_data.logistic_regression(model.read(TEXTS, LABELS), NEW)
    assert rival.accuracy == 1
    assert rival.strength in your_data.STRENGTHS
    shuffled = np.random.default_rng(0).permutation(LABELS)
    assert your_data.logistic_regression(model.read(TEXTS, shuffled), NEW).accuracy < 1


@pytest.mark.parametrize("number", [39, 50])
def test_the_rival_is_what_scikit_learn_makes_of_the_same_words(number):
    """Its own counting, by the classifier's words, and regression from zero; without a tenth, of fewer than 40, C is 1."""
    texts, labels = [f"{text} {i % 7}" for i, text in enumerate(TEXTS)], np.where(np.arange(60) % 5, LABELS, "up")
    new = np.random.default_rng(0).permutation(60) >= number
    found = ts.report(ts.TextClassifier(), texts, labels, folds=2)
    rival = your_data.logistic_regression(found.corpus, new)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"\w+")
    weighed = words.fit_transform([text for text, out in zip(texts, new) if not out])
    assert number > 40 or rival.strength == 1
    regression = LogisticRegression(C=rival.strength).fit(weighed, labels[~new])
    others = words.transform([text for text, out in zip(texts, new) if out])
    assert rival.accuracy == pytest.approx(regression.score(others, labels[new]))


def test_a_class_of_one_text_does_not_stop_the_rival():
    labels = np.where(np.arange(60) == 30, "rare", LABELS)
    corpus = ts.TextClassifier().fit(TEXTS, labels).read(TEXTS, labels)
    strengths = [your_data.logistic_regression(corpus, np.arange(60) >= number).strength for number in (45, 54)]
    assert strengths[0] != 1
    assert strengths[1] == 1  # of 54 texts, sorted by class, it is the 26th, and so in the tenth


def test_side_by_side_each_is_what_it_is_alone():
    found = ts.report(ts.TextClassifier(), TEXTS, LABELS, folds=2)
    tried = your_data.compared(found, NEW)
    alone = found.trial(NEW), found.trial(NEW, attend=False), your_data.logistic_regression(found.corpus, NEW)
    assert [each.accuracy for each in tried.values()] == [each.accuracy for each in alone]
    for each, other in zip(list(tried.values())[:2], alone):
        np.testing.assert_array_equal(each.chances, other.chances)
    assert not tried["mean of values, p = 0"].model.attend


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
    assert pure["class"] == "up"
    assert mixed["place"] > 1


def test_a_line_is_suspicious_where_one_class_has_it():
    texts, labels = many()
    before = texts.copy()
    own, both = (your_data.suspicion_of_line(texts, labels, *classes) for classes in (["up"], ["up", "down"]))
    assert own["together"] > 0.5 > both["together"]
    assert own["classes"] == ("up",)
    assert (texts == before).all()


def test_what_the_chapter_does_not_put_in_itself_is_recorded():
    found = recorded("planted")
    assert [(each["class"], each["others"]) for each in found["marks"]] == [("positive", 0), ("negative", 3), ("positive", 3)]
    assert found["control line"]["classes"] == ["positive", "negative"]


def test_in_the_book_a_report_shows_no_more_digits_than_every_processor_has():
    found = your_data.judged(*many(), seed=0)
    shown = your_data.corners(found).data
    assert all(f"<b>{name}</b>" in shown for name in found.corners)
    assert not re.search(r"<th>(value|score)</th>", shown)
    assert max(len(digits) for digits in re.findall(r"<td>-?\d+\.(\d+)</td>", shown)) == 3


def test_a_shaded_text_has_no_table_and_ends_what_it_begins():
    reading = ts.explain(ts.TextClassifier().fit(TEXTS, LABELS), "a good film")
    shown = your_data.shaded(reading).data
    assert "good</span>" in shown
    assert "<table" not in shown
    assert shown.count("<div") == shown.count("</div") == 1
