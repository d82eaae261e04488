"""Rivals tuned alike, calibration against counts by hand, and what is told of the texts that were judged wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, f1_score

import tokensel_report as tr
from tokensel_report.evaluation import STRENGTHS, calibration_error, evaluate, logistic_regression, text_sizes

TEXTS = ["a good film", "good and moving", "a bad film", "bad and long"] * 15
LABELS = np.array(["up", "up", "down", "down"] * 15)


@given(st.integers(1, 300), st.integers(1, 12), st.integers(0, 99))
def test_the_calibration_error_is_the_mean_distance_of_the_bins(n, bins, seed):
    random = np.random.default_rng(seed)
    chances, right = random.random(n), random.random(n) < 0.7
    error = calibration_error(chances, right, bins)
    order = np.argsort(chances, kind="stable")
    each = [abs(sum(chances[i] - right[i] for i in part)) for part in np.array_split(order, bins)]
    assert error == pytest.approx(sum(each) / n, abs=1e-12)  # a sum of n numbers below one


def test_a_classifier_that_knows_its_chances_is_calibrated():
    random = np.random.default_rng(0)
    chances = random.uniform(0.5, 1, 100_000)
    right = random.random(len(chances)) < chances
    # A bin's share has a standard error of 0.005 at most.
    assert calibration_error(chances, right) < 0.01
    assert calibration_error(chances, random.permutation(right)) > 0.1


NEW = np.arange(len(TEXTS)) % 3 == 0


def test_the_rival_learns_what_there_is_to_learn_and_no_more():
    model = tr.TextClassifier().fit(TEXTS, LABELS)
    rival = logistic_regression(model.read(TEXTS, LABELS), NEW)
    assert rival.accuracy == 1
    assert rival.strength in STRENGTHS
    shuffled = np.random.default_rng(0).permutation(LABELS)
    assert logistic_regression(model.read(TEXTS, shuffled), NEW).accuracy < 1


@pytest.mark.parametrize("number", [39, 50])
def test_the_rival_is_what_scikit_learn_makes_of_the_same_words(number):
    """Its own counting, by the classifier's words, and regression from zero; without a tenth, of fewer than 40, C is 1."""
    texts, labels = [f"{text} {i % 7}" for i, text in enumerate(TEXTS)], np.where(np.arange(60) % 5, LABELS, "up")
    new = np.random.default_rng(0).permutation(60) >= number
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2)
    rival = logistic_regression(found.corpus, new)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"\w+")
    weighed = words.fit_transform([text for text, out in zip(texts, new) if not out])
    assert number > 40 or rival.strength == 1
    regression = LogisticRegression(C=rival.strength).fit(weighed, labels[~new])
    others = words.transform([text for text, out in zip(texts, new) if out])
    assert rival.accuracy == pytest.approx(regression.score(others, labels[new]))


def test_a_class_of_one_text_does_not_stop_the_rival():
    labels = np.where(np.arange(60) == 30, "rare", LABELS)
    corpus = tr.TextClassifier().fit(TEXTS, labels).read(TEXTS, labels)
    strengths = [logistic_regression(corpus, np.arange(60) >= number).strength for number in (45, 54)]
    assert strengths[0] != 1
    assert strengths[1] == 1  # of 54 texts, sorted by class, it is the 26th, and so in the tenth


def noisy(seed=0):
    """Texts of forty words that lean to three classes, too little for all verdicts to be right."""
    random, labels = np.random.default_rng(seed), np.arange(300) % 3
    chances = 1 + 2.0 * (np.arange(40) // 4 == labels[:, None])
    drawn = (random.choice(40, 8, p=each / each.sum()) for each in chances)
    return [" ".join(f"w{word}" for word in words) for words in drawn], np.array(["down", "so so", "up"])[labels]


@pytest.fixture(scope="module")
def evaluated():
    return evaluate(tr.report(tr.TextClassifier(), *noisy(), folds=2), seed=3)


def test_side_by_side_each_is_what_it_is_alone(evaluated):
    judged, held_out = evaluated.report, evaluated.held_out
    np.testing.assert_array_equal(held_out, np.random.default_rng(3).permutation(300) < 60)
    alone = judged.trial(held_out), logistic_regression(judged.corpus, held_out, 3)
    largest = np.unique(judged.labels[held_out], return_counts=True)[1].max() / 60
    assert list(evaluated.accuracies.values()) == [*(each.accuracy for each in alone), largest]
    np.testing.assert_array_equal(evaluated.trial.chances, alone[0].chances)
    assert evaluated.right.mean() == evaluated.accuracies["attention"]


def test_given_probabilities_are_scored_on_all_texts_and_beside_others_on_theirs(evaluated):
    texts, labels = noisy()
    given = np.random.default_rng(1).dirichlet([1, 1, 1], 300)
    given[np.arange(300) % 5 > 0] = np.eye(3)[np.unique(labels, return_inverse=True)[1]][np.arange(300) % 5 > 0]
    found = evaluate(tr.report(given, texts, labels, folds=2), seed=3)
    verdicts = np.unique(labels)[given.argmax(axis=1)]
    np.testing.assert_array_equal(found.predicted, verdicts)
    np.testing.assert_array_equal(found.confusion, confusion_matrix(labels, verdicts))
    assert found.by_class.F1.mean() == pytest.approx(f1_score(labels, verdicts, average="macro"))
    assert found.calibration_error == calibration_error(given.max(axis=1), verdicts == labels)
    accuracies = dict(found.accuracies)
    assert accuracies.pop("given model") == np.mean(verdicts == labels, where=evaluated.held_out)
    assert accuracies == evaluated.accuracies


def test_the_fewest_texts_of_which_one_can_be_held_out():
    found = tr.report(tr.TextClassifier(), ["good film", "bad film"] * 2, ["up", "down"] * 2, folds=2, least=1)
    assert evaluate(found).held_out.sum() == 1


def test_sizes_of_texts_are_told_of_all_and_of_each_class():
    assert text_sizes(["a b", "a"], None, ["down", "up"]) == [("all", 2, 1.0, 1.5)]
    everything, down, up = text_sizes(["a b c", "a", "a b"], np.array(["up", "down", "up"]), ["down", "up"])
    assert everything == ("all", 3, 1.0, 2.0)
    assert down == ("down", 1, pytest.approx(1 / 3), 1.0)
    assert up == ("up", 2, pytest.approx(2 / 3), 2.5)
