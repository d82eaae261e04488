import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

import tokensel_nb as ts
from tokensel_report import TextClassifier
from tokensel_report.objective import every_tenth

GOOD = ["a good film", "good actors, a moving story", "it isn't bad", "so good and moving"]
BAD = ["a bad film", "bad actors, a dull story", "it isn't good", "so bad and dull"]
SPORT = ["the team won the match", "a goal in the last minute", "the match was lost", "the team and its goal"]
TEXTS, LABELS = (GOOD + BAD) * 8, (["up"] * 4 + ["down"] * 4) * 8
MORE_TEXTS, MORE_LABELS = (GOOD + BAD + SPORT) * 6, (["up"] * 4 + ["down"] * 4 + ["sport"] * 4) * 6
# Beside words: what changes its length in lower case, marks, no words at all, tags, quotes.
ODD = ["", " ", "İ ẞ ß", "isn’t GOOD", "नहीं है", "<br /><br>good<script>", "😀❤️", "a" * 500, "\x00\ud800", "film " * 200]


@pytest.fixture(scope="module", params=[2, 3], ids=["two classes", "three classes"])
def fitted(request):
    return TextClassifier().fit(*((TEXTS, LABELS) if request.param == 2 else (MORE_TEXTS, MORE_LABELS)))


def test_it_learns_negation():
    model = TextClassifier().fit(TEXTS, LABELS)
    assert model.predict(["it isn't good", "it isn't bad", "good", "dull"]).tolist() == ["down", "up", "up", "down"]
    assert {"n't good", "n't bad", "n't", "is n't"} <= set(model.vocabulary_)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(st.sampled_from(TEXTS + SPORT + ODD) | st.text(max_size=40), min_size=1, max_size=5))
def test_logits_are_attention_times_values(fitted, texts):
    shares, logits = fitted.attention(texts), fitted.logits(texts)
    assert shares.shape == (len(texts), len(fitted.vocabulary_) + 1)
    # Both sides are the same sum of at most a few hundred products of numbers of size ten.
    np.testing.assert_allclose(logits, shares @ fitted.values_, atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    counts = fitted.read(texts).counts.toarray()
    weights = counts * np.exp(fitted.scores_)
    np.testing.assert_allclose(weights / weights.sum(axis=1, keepdims=True), shares.toarray(), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(text=st.sampled_from(TEXTS + SPORT + ODD) | st.text(max_size=40))
def test_words_stand_where_it_says(fitted, text):
    counts = np.zeros(len(fitted.vocabulary_))
    for start, end, column in fitted.words(text):
        assert 0 <= start < end <= len(text)
        assert fitted.read([text[start:end]]).counts[0, column] > 0
        counts[column] += 1
    damped = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    np.testing.assert_allclose(fitted.read([text]).counts.toarray()[0, :-1], damped, rtol=1e-14)


def test_it_is_one_layer_of_softmax_attention(fitted):
    """The model of the book with these parameters, beside nothing."""
    corpus, rows = fitted.read(TEXTS), np.column_stack([fitted.scores_, fitted.values_])
    p, *v = np.eye(rows.shape[1])
    parameters = ts.Parameters(rows, p, np.array(v) if len(v) > 1 else v[0])
    np.testing.assert_allclose(ts.logits(parameters, corpus), fitted.logits(TEXTS), atol=1e-12)
    np.testing.assert_allclose(ts.attention(parameters, corpus).toarray(), fitted.attention(TEXTS).toarray(), atol=1e-14)
    assert corpus.vocabulary[-1] == "<cls>"
    assert corpus.vocabulary[:-1].tolist() == fitted.vocabulary_.tolist()


def test_probabilities_are_those_of_the_logits(fitted):
    logits, found = fitted.logits(MORE_TEXTS), fitted.predict_proba(MORE_TEXTS)
    wanted = np.stack([expit(-logits), expit(logits)], axis=1) if logits.ndim == 1 else softmax(logits, axis=1)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    np.testing.assert_array_equal(fitted.predict(MORE_TEXTS), fitted.classes_[found.argmax(axis=1)])


def test_a_fit_is_the_same_each_time_and_another_seed_holds_out_others():
    first, again = (TextClassifier(random_state=3).fit(TEXTS, LABELS) for _ in range(2))
    np.testing.assert_array_equal(first.logits(ODD), again.logits(ODD))
    np.testing.assert_array_equal(first.scores_, again.scores_)
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(["a", "b", "c", "d", "e", "f"], 5)) for _ in range(80)]
    labels = ["a" in text for text in texts]
    losses = {TextClassifier(random_state=seed).fit(texts, labels).held_out_["loss"] for seed in range(3)}
    assert len(losses) == 3


def test_classes_are_in_the_order_of_their_numbers():
    texts = [f"word{rating} film" for rating in range(1, 11)] * 4
    assert TextClassifier().fit(texts, [str(rating) for rating in range(1, 11)] * 4).classes_.tolist()[-2:] == ["9", "10"]


@pytest.mark.parametrize(
    "labels",
    [[1, 2], [-1, 1], [1.0, 2.0], [False, True], ["no", "yes"], ["ä b", ""], np.array(["x", "y"], object)],
    ids=str,
)
def test_labels_of_any_kind_come_back_also_from_a_folder(labels, tmp_path):
    labels = np.asarray(labels)
    given = labels[(np.array(LABELS) == "up").astype(int)]
    model = TextClassifier().fit(TEXTS, given)
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model")
    for one in (model, loaded):
        assert one.classes_.dtype == np.unique(given).dtype
        np.testing.assert_array_equal(one.classes_, np.unique(labels))
        np.testing.assert_array_equal(one.predict(TEXTS), given)
        assert {type(label) for label in one.classes_.tolist()} == {type(label) for label in labels.tolist()}


def test_a_saved_model_is_the_same_to_the_last_bit(fitted, tmp_path):
    fitted.save(tmp_path / "a" / "model")
    loaded = TextClassifier.load(tmp_path / "a" / "model")
    texts = TEXTS + SPORT + ODD
    np.testing.assert_array_equal(loaded.logits(texts), fitted.logits(texts))
    np.testing.assert_array_equal(loaded.vocabulary_, fitted.vocabulary_)
    assert loaded.words(texts[0]) == fitted.words(texts[0])
    assert loaded.get_params() == fitted.get_params()
    assert (loaded.held_out_, loaded.l2_, loaded.balance_) == (fitted.held_out_, fitted.l2_, fitted.balance_)


def test_saving_again_replaces_all(tmp_path):
    for texts, labels in ((TEXTS, LABELS), (MORE_TEXTS, MORE_LABELS)):
        model = TextClassifier(balance=None, without=["film"]).fit(texts, labels)
        model.save(tmp_path)
        assert TextClassifier.load(tmp_path).classes_.tolist() == model.classes_.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
    assert TextClassifier.load(tmp_path).get_params()["without"] == ("film",)


def test_settings_that_are_no_plain_values_come_back(tmp_path):
    model = TextClassifier(balance=np.float64(0.5), random_state=np.random.RandomState(0))
    model.fit(TEXTS, np.array(LABELS) == "up")
    model.save(tmp_path)
    assert TextClassifier.load(tmp_path).balance == 0.5


def test_a_folder_without_a_whole_model_is_refused(fitted, tmp_path):
    with pytest.raises(ValueError, match=r"does not contain a complete model .*No such file"):
        TextClassifier.load(tmp_path)
    fitted.save(tmp_path)
    file = tmp_path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(ValueError, match="does not contain a complete model"):
        TextClassifier.load(tmp_path)


def test_words_and_labels_that_are_no_text_come_back(tmp_path):
    """Half a pair of surrogates, as what reads files of no known encoding leaves it."""
    model = TextClassifier(tokenizer=str.split, without=("\udce9",)).fit(TEXTS, [f"{label}\udce9" for label in LABELS])
    model.save(tmp_path)
    loaded = TextClassifier.load(tmp_path, tokenizer=str.split)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.get_params() == model.get_params()


def test_a_tokenizer_must_be_given_again(tmp_path):
    model = TextClassifier(tokenizer=str.split).fit(TEXTS, LABELS)
    model.save(tmp_path)
    with pytest.raises(ValueError, match=r"trained with the tokenizer str.split; give it"):
        TextClassifier.load(tmp_path)
    loaded = TextClassifier.load(tmp_path, tokenizer=str.split)
    np.testing.assert_array_equal(loaded.logits(TEXTS), model.logits(TEXTS))


def test_clone_pipeline_grid_search_and_cross_validation():
    model = clone(TextClassifier(ngrams=1, balance=None))
    assert (model.ngrams, model.balance) == (1, None)
    upper = FunctionTransformer(lambda texts: [text.upper() for text in texts])
    assert make_pipeline(upper, TextClassifier()).fit(TEXTS, LABELS).score(TEXTS, LABELS) == 1
    search = GridSearchCV(TextClassifier(), {"ngrams": [1, 2], "l2": [None, 0.1]}, cv=2, scoring="roc_auc").fit(TEXTS, LABELS)
    assert search.best_score_ == 1
    assert cross_val_score(TextClassifier(), np.array(TEXTS, object), LABELS, cv=3).mean() == 1
    assert TextClassifier().fit(pd.Series(TEXTS), pd.Series(LABELS)).score(pd.Series(TEXTS), LABELS) == 1


# Of the checks that scikit-learn has for classifiers, these ten need no matrix of numbers.
CHECKS = """
    check_estimator_cloneable check_estimator_tags_renamed check_valid_tag_types check_estimator_repr
    check_no_attributes_set_in_init check_parameters_default_constructible check_get_params_invariance check_set_params
    check_mixin_order check_do_not_raise_errors_in_init_or_set_params
    """.split()


@pytest.mark.parametrize("check", CHECKS)
def test_scikit_learns_checks_that_need_no_numbers(check):
    getattr(estimator_checks, check)("TextClassifier", TextClassifier())


def test_balance_helps_the_rare_class_by_one_number_for_all_texts():
    random = np.random.default_rng(0)
    rare = random.random(600) < 0.1
    words = np.where(random.random((600, 4)) < np.where(rare, 0.55, 0.4)[:, None], "ja", "nein")
    texts = [" ".join(row) for row in words]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # no better than the majority: so it is meant
        models = [TextClassifier(balance=share).fit(texts, rare) for share in (0, None, 1)]
    recalls = [np.mean(model.predict(texts)[rare]) for model in models]
    assert recalls[0] < 0.1 < 0.4 < recalls[1] <= recalls[2]
    for model in models:
        moved = models[0].logits(texts) - model.logits(texts)
        np.testing.assert_allclose(moved, model.balance_ * np.log(rare.sum() / (~rare).sum()), rtol=1e-9, atol=1e-12)


def test_weights_of_texts_count():
    texts, labels = ["ja", "ja", "nein", "nein"] * 20, [0, 1, 0, 1] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = TextClassifier().fit(texts, labels, sample_weight=[3, 1, 1, 3] * 20)
    assert model.predict(["ja", "nein"]).tolist() == [0, 1]


def test_texts_without_weight_are_never_held_out():
    corpus = ts.Corpus(np.ones((120, 1)), [0, 1] * 60, ["film"], weights=[0, 0, 1, 1] * 30)
    held_out = every_tenth(corpus, np.random.RandomState(0))
    assert held_out.any()
    assert corpus.weights[held_out].all()


def test_without_attention_all_scores_are_zero():
    model = TextClassifier(attend=False).fit(TEXTS, LABELS)
    np.testing.assert_array_equal(model.scores_, 0)
    assert model.held_out_["accuracy"] == model.held_out_["without_attention"]
    assert np.abs(TextClassifier().fit(TEXTS, LABELS).scores_).max() > 0


def test_a_text_without_a_known_word_has_about_the_shares_of_the_classes():
    texts, labels = TEXTS + GOOD * 16, LABELS + ["up"] * 64
    found = TextClassifier().fit(texts, labels).predict_proba(["", "unbekannt"])
    # Held at them by the penalty, and drawn away by what helps other texts.
    np.testing.assert_allclose(found, [[0.25, 0.75]] * 2, atol=0.1)


def test_words_left_out_are_left_out():
    names = set(TextClassifier(without=["good", "a bad"]).fit(TEXTS, LABELS).vocabulary_)
    assert not {name for name in names if "good" in name.split()}
    assert "a bad" not in names
    assert {"a", "bad", "bad film"} <= names


def test_read_knows_labels(fitted):
    corpus = fitted.read(["good", "bad"], ["down", "up"])
    assert corpus.labels.tolist() == [0, len(fitted.classes_) - 1]
    assert corpus.class_names == tuple(fitted.classes_)
    for labels in (["down", "sideways"], ["down", 3]):
        with pytest.raises(ValueError, match=r"labels\[1\] is .*, not a class of this model: "):
            fitted.read(["good", "bad"], labels)


def test_few_texts_are_enough():
    model = TextClassifier(min_texts=1).fit(["good", "bad"], [1, 0])
    assert model.held_out_ == {}
    assert model.predict(["good", "bad"]).tolist() == [1, 0]


def test_it_warns_where_the_majority_is_as_good():
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(list("abcdefgh"), 6)) for _ in range(200)]
    with pytest.warns(UserWarning, match=r"on held-out texts .*%, which is no better than the majority"):
        TextClassifier().fit(texts, random.random(200) < 0.2)


def test_it_warns_once_where_words_are_not_spaced():
    texts = ["这部电影很好看", "这部电影不好看"] * 10
    with pytest.warns(UserWarning, match="without spaces, so every character counts as a word") as caught:
        TextClassifier().fit(texts, [1, 0] * 10)
    assert len(caught) == 1
    for model in (TextClassifier(tokenizer=list), TextClassifier()):
        with warnings.catch_warnings(action="ignore"):
            assert model.fit(texts, [1, 0] * 10).score(texts, [1, 0] * 10) == 1


def test_emoji_speak():
    texts = ["food 😀", "food😡", "❤️ #food", "👎 #food"] * 10
    assert TextClassifier().fit(texts, [1, 0] * 20).predict(["😀!", "😡", "❤"]).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        ("a good film", ["up"], "texts is a str; give a list of str"),
        (["good", None], ["up", "down"], "text 1 is None, not a string"),
        (["good", 3.5], ["up", "down"], "text 1 is 3.5, not a string"),
        (["good", "bad"], ["up"], "inconsistent numbers of samples"),
        (["good", "bad"], ["up", "up"], "give texts of at least two classes"),
        (["good", "bad"], ["up", None], r"labels\[1\] is missing"),
        (["good", "bad"], [1.0, np.nan], r"labels\[1\] is missing"),
        (["good", "bad"], [[1, 0], [0, 1]], "should be a 1d array"),
        (["good", "bad"], pd.Series(["up", None], dtype="string"), r"labels\[1\] is missing"),
        (["good", "bad"], [1, 3.5], "Unknown label type: continuous"),
        ([], [], "give texts of at least two classes"),
        (["", "..."], ["up", "down"], r"no word occurs in min_texts=2 of the 2 texts; lower min_texts"),
    ],
)
def test_what_cannot_be_learnt_is_said_plainly(texts, labels, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TextClassifier().fit(texts, labels)


def test_a_table_is_no_list_of_texts():
    frame = pd.DataFrame({"text": ["good", "bad"], "label": [1, 0]})
    for table in (frame, frame[["text"]], frame[["text"]].to_numpy()):
        with pytest.raises(TypeError, match=r"texts is a (DataFrame|ndarray); give a list of str"):
            TextClassifier().fit(table, frame.label)
    assert TextClassifier(min_texts=1).fit(frame.text, frame.label).predict(frame.text).tolist() == [1, 0]


@pytest.mark.parametrize("wrong", [{"l2": -1.0}, {"l2": np.nan}, {"without": "good"}], ids=str)
def test_settings_that_would_be_wrong_in_silence_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))}="):
        TextClassifier(**wrong).fit(TEXTS, LABELS)


def test_weights_are_checked():
    for weights in ([1.0, 2.0], [-1.0] * 64, [np.nan] * 64, np.array(LABELS) == "up"):
        with pytest.raises(ValueError, match=r"weights|broadcast|only one class"):
            TextClassifier().fit(TEXTS, LABELS, sample_weight=weights)


def test_it_must_be_fitted_first():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        TextClassifier().predict(["good"])
    with pytest.raises(TypeError, match="texts is a str; give a list of str"):
        TextClassifier().fit(TEXTS, LABELS).predict("good")
