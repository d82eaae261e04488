import os
import pickle
import subprocess
import sys
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tokensel_nb import Corpus, logits
from tokensel_report import AttentionClassifier

TEXTS = [
    "a good film and a moving one",
    "good actors and a good story",
    "a story that is moving",
    "a bad film and a dull one",
    "bad actors and a dull story",
    "a film that is dull",
] * 4
LABELS = ["up", "up", "up", "down", "down", "down"] * 4


ALONE = """
import sys
from sklearn.utils.estimator_checks import estimator_checks_generator
from tokensel_report import AttentionClassifier
checks = {check.func.__name__: check for _, check in estimator_checks_generator(AttentionClassifier())}
assert len(checks) > 50
checks[sys.argv[1]](AttentionClassifier())
"""


@parametrize_with_checks([AttentionClassifier()])
def test_scikit_learns_own_checks(estimator, check):
    """None is skipped: array API dispatch, which one needs, is set before SciPy is imported, so in a process of its own."""
    name, environment = check.func.__name__, os.environ | {"SCIPY_ARRAY_API": "1"}
    if name == "check_array_api_input":
        subprocess.run([sys.executable, "-W", "ignore", "-c", ALONE, name], env=environment, check=True)
        return
    try:
        check(estimator)
    except SkipTest as reason:
        pytest.fail(f"skipped: {reason}")


def counts_of(num_classes, seed=0, texts=120, words=12):
    """Counts whose words 0 ... K-1 each stand in the texts of one class only; all other words mean nothing."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, num_classes, texts)
    counts = random.poisson(0.6, (texts, words))
    counts[:, :num_classes] = 0
    counts[np.arange(texts), labels] = 1 + random.poisson(0.5, texts)
    return counts, labels


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def fitted(request):
    counts, labels = counts_of(request.param)
    return AttentionClassifier(random_state=0).fit(counts, labels), counts, labels


def test_probabilities_are_those_of_the_decision(fitted):
    model, counts, labels = fitted
    decisions, probabilities = model.logits(counts), model.predict_proba(counts)
    wanted = softmax(decisions, axis=1) if decisions.ndim == 2 else np.stack([expit(-decisions), expit(decisions)], axis=1)
    # Two ways to the same number in float64: a few roundings of 1e-16 each.
    np.testing.assert_allclose(probabilities, wanted, rtol=1e-13)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-15)
    np.testing.assert_array_equal(model.predict(counts), model.classes_[probabilities.argmax(axis=1)])
    assert model.score(counts, labels) == 1


def test_the_decision_is_the_models_logit_with_a_column_for_cls(fitted):
    model, counts, labels = fitted
    with_cls = np.column_stack([counts, np.ones(len(counts))])
    wanted = logits(model.parameters_, Corpus(with_cls, labels, [*map(str, range(counts.shape[1])), "<cls>"]))
    np.testing.assert_array_equal(model.logits(counts), wanted)


def test_attention_and_values_give_the_decision(fitted):
    model, counts, _ = fitted
    weights = model.attention(sparse.csr_array(counts))
    assert weights.shape == counts.shape
    values = model.parameters_.token_values
    to_cls = 1 - weights.sum(axis=1)
    assert (to_cls > 0).all()
    found = weights @ values[:-1] + np.multiply.outer(to_cls, values[-1])
    np.testing.assert_allclose(found, model.logits(counts), atol=1e-13)


@pytest.mark.parametrize("num_classes", [2, 3])
def test_importance_is_what_taking_a_word_out_changes(num_classes):
    counts, labels = counts_of(num_classes)
    weights = np.random.default_rng(1).integers(0, 4, len(labels))
    model = AttentionClassifier(random_state=0).fit(counts, labels, sample_weight=weights)
    before = model.logits(counts)
    for s in range(counts.shape[1]):
        without = counts.copy()
        without[:, s] = 0
        change = np.average(before - model.logits(without), axis=0, weights=weights)
        # Both are sums of some hundred float64 numbers of size 10 at most.
        np.testing.assert_allclose(model.token_importance_[s], change - (change.mean() if num_classes > 2 else 0), atol=1e-12)


def test_importance_points_to_the_class_of_the_word():
    counts, labels = counts_of(2)
    importance = AttentionClassifier(random_state=0).fit(counts, labels).token_importance_
    assert importance[0] < 0 < importance[1]
    assert np.abs(importance[2:]).max() < np.abs(importance[:2]).min()
    counts, labels = counts_of(3)
    importance = AttentionClassifier(random_state=0).fit(counts, labels).token_importance_
    np.testing.assert_array_equal(importance[:3].argmax(axis=1), range(3))
    np.testing.assert_array_equal(importance.argmax(axis=0), range(3))


@pytest.mark.parametrize("vectoriser", [CountVectorizer(), TfidfVectorizer()])
def test_texts_in_a_pipeline(vectoriser):
    model = make_pipeline(vectoriser, AttentionClassifier(random_state=0)).fit(TEXTS, LABELS)
    assert model.predict(["a good and moving story", "a dull and bad story"]).tolist() == ["up", "down"]
    assert model.classes_.tolist() == ["down", "up"]
    importance = dict(zip(model[0].get_feature_names_out(), model[1].token_importance_))
    assert min(importance["good"], importance["moving"]) > max(importance["bad"], importance["dull"])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_grid_search():
    model = make_pipeline(CountVectorizer(), AttentionClassifier(random_state=0))
    grid = {"attentionclassifier__max_iter": [1, 20], "attentionclassifier__dim": [2, 8]}
    search = GridSearchCV(model, grid, cv=3, scoring="roc_auc").fit(TEXTS, np.array(LABELS) == "up")
    assert search.best_score_ == 1
    assert search.predict_proba(TEXTS).shape == (len(TEXTS), 2)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix", "list", "frame"])
def test_every_kind_of_matrix_gives_the_same(kind):
    counts, labels = counts_of(2)
    wanted = AttentionClassifier(random_state=0).fit(counts, labels)
    names = [f"word {s}" for s in range(counts.shape[1])]
    given = {"list": counts.tolist(), "frame": pd.DataFrame(counts, columns=names)}.get(kind)
    given = getattr(sparse, kind)(counts) if given is None else given
    model = AttentionClassifier(random_state=0).fit(given, labels)
    np.testing.assert_array_equal(model.logits(given), wanted.logits(counts))
    assert model.n_features_in_ == counts.shape[1]
    assert hasattr(model, "feature_names_in_") == (kind == "frame")


@pytest.mark.parametrize("num_classes", [2, 3])
def test_a_weight_is_a_number_of_repetitions_in_any_order(num_classes):
    counts, labels = counts_of(num_classes)
    random = np.random.default_rng(1)
    weights = random.integers(0, 4, len(labels))
    order = random.permutation(np.repeat(np.arange(len(labels)), weights))
    weighted = AttentionClassifier(random_state=0).fit(counts, labels, sample_weight=weights)
    repeated = AttentionClassifier(random_state=0).fit(counts[order], labels[order])
    # Sums in another order differ by 1e-16 at each step; Adam divides by the gradient's size and so keeps the relative error.
    np.testing.assert_allclose(weighted.logits(counts), repeated.logits(counts), atol=1e-9)


@pytest.mark.parametrize("shares", [(0.25, 0.75), (0.2, 0.3, 0.5)])
def test_an_empty_text_gets_the_prior(shares):
    """No text of training is empty, and one word tells the class."""
    random = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(shares)), np.round(400 * np.array(shares)).astype(int))
    counts = 1 + random.poisson(3, (400, 8))
    counts[np.arange(400), labels] += 20
    model = AttentionClassifier(random_state=0).fit(counts, labels)
    assert model.score(counts, labels) > 0.9
    # Twenty steps find it to a few hundredths.
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 8)))[0], shares, atol=0.1)
    np.testing.assert_allclose(model.logits(np.zeros((1, 8)))[0], model.parameters_.token_values[-1], atol=1e-14)


def test_more_classes_than_dimensions():
    counts, labels = counts_of(7, texts=200)
    names = np.array(list("abcdefg"))[labels]
    model = AttentionClassifier(dim=2, max_iter=60, random_state=0).fit(counts, names)
    assert model.parameters_.output_vector.shape == (7, 7)
    assert model.score(counts, names) == 1


def test_smoothing_softens_rare_words():
    """One word stands in a single text: the less smoothing, the further that text moves it."""
    counts, labels = counts_of(2)
    counts = np.column_stack([counts, np.zeros(len(counts), int)])
    counts[labels.argmax(), -1] = 1
    alone = np.eye(counts.shape[1])[-1:]
    found = [AttentionClassifier(alpha=a, random_state=0).fit(counts, labels).logits(alone)[0] for a in (0, 1, 10)]
    assert found[0] > found[1] > abs(found[2])


def test_the_seed():
    counts, labels = counts_of(2)
    model = AttentionClassifier(random_state=3)
    first = model.fit(counts, labels).logits(counts)
    np.testing.assert_array_equal(clone(model).fit(counts, labels).logits(counts), first)
    np.testing.assert_array_equal(
        model.set_params(random_state=np.random.RandomState(3)).fit(counts, labels).logits(counts), first
    )
    assert (model.set_params(random_state=4).fit(counts, labels).logits(counts) != first).any()


def test_what_would_be_wrong_in_silence_is_refused():
    counts, labels = counts_of(2)
    model, other = AttentionClassifier(random_state=0), np.arange(len(labels)) == 0
    for X, y, options in (
        (-counts, labels, {}),
        (np.where(counts == 0, np.nan, counts), labels, {}),
        (counts, ["a"] * len(counts), {}),
        (counts, labels + 0.5, {}),
        (counts, labels, dict(sample_weight=labels)),  # one class has no weight
        (counts, labels, dict(sample_weight=np.where(other, -1, 1))),
        (counts, labels, dict(sample_weight=np.where(other, np.nan, 1))),
        (counts, labels, dict(sample_weight=np.ones(3))),
    ):
        with pytest.raises(ValueError, match=r"Negative|NaN|one class|label type|weights must|sample_weight.shape"):
            model.fit(X, y, **options)
    for settings in (dict(dim=0), dict(max_iter=0), dict(learning_rate=0), dict(alpha=-1), dict(alpha=np.nan)):
        with pytest.raises(ValueError, match=r"at least 1|learning_rate=0|weights must be"):
            model.set_params(**settings).fit(counts, labels)
        model = AttentionClassifier(random_state=0)
    model.fit(counts, labels)
    for X, message in ((counts[:, 1:], "has 11 features, but AttentionClassifier is expecting 12"), (-counts, "Negative")):
        with pytest.raises(ValueError, match=message):
            model.predict(X)


def test_a_diverging_fit_warns():
    counts, labels = counts_of(2)
    with pytest.warns(RuntimeWarning, match="choose a smaller learning_rate"):
        model = AttentionClassifier(learning_rate=1e6, random_state=0).fit(counts, labels)
    assert np.isfinite(model.predict_proba(counts)).all()


def test_imdb(imdb):
    trained, held_out = imdb.split(0.2, 0)
    model = AttentionClassifier(random_state=0).fit(trained.counts, trained.labels)
    assert model.score(held_out.counts, held_out.labels) >= 0.885
    order = np.argsort(model.token_importance_)
    assert {"bad", "worst", "waste", "awful"} <= set(imdb.vocabulary[order[:20]])
    assert {"great", "excellent", "wonderful"} <= set(imdb.vocabulary[order[-20:]])
