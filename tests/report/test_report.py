"""The report's figures against counts by hand, its protocol, and a planted mark that it finds and takes out."""

import re

import numpy as np
import pandas as pd
import pytest
import torch
from plain_model import PlainModel
from scipy.special import expit, logsumexp
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import normalize

import tokensel_report as tr
from tokensel_report.marks import places_of
from tokensel_report.words import log_odds

GOOD, BAD = ["fine", "good", "great", "moving"], ["awful", "bad", "dull", "weak"]
PLAIN = [f"word{i}" for i in range(40)]


def drawn(n=1200, seed=0, mark=0, rare=0.5):
    """Texts of plain words with a few that lean to a side; `mark` texts of class "up" hold "zqx"."""
    random = np.random.default_rng(seed)
    labels = np.where(random.random(n) < rare, "up", "down")
    texts = []
    for label in labels:
        own, other = (GOOD, BAD) if label == "up" else (BAD, GOOD)
        words = [
            *random.choice(PLAIN, 8),
            *random.choice(own, random.integers(0, 3)),
            *random.choice(other, random.integers(0, 2)),
        ]
        texts.append(" ".join(random.permutation(words)))
    for row in np.flatnonzero(labels == "up")[:mark]:
        texts[row] += " zqx"
    return texts, labels


@pytest.fixture(scope="module")
def marked():
    return tr.report(tr.TextClassifier(), *drawn(mark=30), seed=1)


class Fitted(PlainModel):
    """One that scikit-learn takes to be fitted."""

    def fit(self):
        raise NotImplementedError

    def predict(self, texts):
        return self.classes_[(self.logits(texts) > 0).astype(int)]


def by_hand():
    model = Fitted(["bad", "film", "good", "not good"], [0.0, -1.0, 1.0, 0.5, 0.2], [-2.0, 0.1, 2.0, -4.0, 0.3])
    texts = ["good film", "Good good", "bad film", "not good", "bad bad good", "film"]
    return model, texts, np.array(["up", "up", "down", "down", "down", "up"])


def test_every_column_is_what_texts_really_without_the_word_show():
    model, texts, labels = by_hand()
    table = tr.report(model, texts, labels, least=1, quotes=0).table.set_index("word")
    counts = model.read(texts).counts.toarray()
    logits = model.logits(texts)
    for column, word in enumerate(model.vocabulary_):
        row, rows = table.loc[word], np.flatnonzero(counts[:, column])
        assert row.texts == len(rows)
        share = np.mean(labels[rows] == "up")
        assert row["skew"] == pytest.approx(2 * share - 1)
        assert row["class"] == ("up" if share > 0.5 else "down")
        without = counts.copy()
        without[:, column] = 0
        left = without * np.exp(model.scores_)
        rest = left @ model.values_ / left.sum(axis=1)
        assert row.importance == pytest.approx((logits - rest).mean(), abs=1e-12)


def test_a_model_that_is_fitted_judges_as_it_is():
    texts, labels = drawn()
    model = tr.TextClassifier(l2=1.0).fit(texts[:800], labels[:800])
    found = tr.report(model, texts[800:], labels[800:], quotes=0)
    assert found.model is model
    assert found.accuracy == model.score(texts[800:], labels[800:])
    assert "assumed to be new to the model" in str(found)


@pytest.mark.filterwarnings("ignore:on held-out texts")
def test_a_model_that_is_not_fitted_is_judged_in_parts_that_it_has_not_seen():
    """With labels that mean nothing, a model tells those that it has seen far better than others."""
    texts, labels = drawn()
    shuffled = np.random.default_rng(0).permutation(labels)
    found = tr.report(tr.TextClassifier(l2=0.01), texts, shuffled, quotes=0)
    assert abs(found.accuracy - 0.5) < 0.06  # four standard errors of 1,200 texts
    assert found.model.score(texts, shuffled) > 0.6
    assert found.suspicious == []


@pytest.mark.filterwarnings("ignore:on held-out texts")
def test_parts_are_what_models_fitted_on_their_texts_alone_find():
    """Texts are counted once; a model of a part knows no more than one that is given its texts."""
    texts, labels = drawn(400)
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2, seed=3, quotes=0)
    right = []
    for rows, others in StratifiedKFold(2, shuffle=True, random_state=3).split(labels, labels):
        model = tr.TextClassifier(l2=found.model.l2_).fit([texts[row] for row in rows], labels[rows])
        right.append(model.predict([texts[row] for row in others]) == labels[others])
    assert found.accuracy == np.concatenate(right).mean()
    alone = tr.TextClassifier().fit(texts, labels)
    np.testing.assert_array_equal(found.model.values_, alone.values_)


@pytest.mark.parametrize("attend", [True, False])
def test_a_trial_is_what_a_model_of_the_other_texts_alone_finds(attend):
    texts, labels = drawn(400)
    held_out = np.random.default_rng(1).random(400) < 0.3
    alone = tr.TextClassifier(attend=attend).fit([text for text, out in zip(texts, held_out) if not out], labels[~held_out])
    new = [text for text, out in zip(texts, held_out) if out]
    for model in (tr.TextClassifier(), tr.TextClassifier().fit(texts[:300], labels[:300])):
        trial = tr.report(model, texts, labels, folds=2, quotes=0).trial(held_out, attend=attend)
        assert trial.model.vocabulary_.tolist() == alone.vocabulary_.tolist()
        np.testing.assert_array_equal(trial.model.values_, alone.values_)
        np.testing.assert_array_equal(trial.chances, alone.predict_proba(new))
        assert trial.accuracy == pytest.approx(alone.score(new, labels[held_out]))


def test_a_trial_says_which_texts_it_takes(marked):
    for wrong in (np.zeros(1200, bool), np.ones(1200, bool), np.arange(1200), np.zeros(3, bool)):
        with pytest.raises(ValueError, match="held_out"):
            marked.trial(wrong)


def test_a_class_of_which_all_texts_are_held_out_is_a_class_never_found():
    texts, labels = drawn(400)
    labels = labels.astype("<U5")
    labels[:4] = "other"
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2, quotes=0)
    trial = found.trial(np.arange(400) < 100)
    assert trial.model.classes_.tolist() == ["down", "up"]
    assert 0.5 < trial.accuracy <= 0.96


def test_a_planted_mark_is_found_and_taken_out(marked):
    assert marked.suspicious == ["zqx"]
    assert marked.suspects.word.iloc[0] == "zqx"
    again = tr.report(clone(marked.model).set_params(without=["zqx"]), *drawn(mark=30), seed=1)
    assert "zqx" not in again.model.vocabulary_
    assert again.suspicious == []


def with_template(words, of, n=30, common=0):
    """Texts of which some, of one class or of any, end with a template, and others with one of its words."""
    texts, labels = drawn()
    random = np.random.default_rng(3)
    rows = random.choice(np.flatnonzero(np.isin(labels, of)), n, replace=False)
    others = np.setdiff1d(np.arange(len(texts)), rows)
    for row in rows:
        texts[row] += f" {words}"
    for word in words.split():
        for row in random.choice(others, common, replace=False):
            texts[row] += f" {word}"
    return tr.report(tr.TextClassifier(), texts, labels, seed=1)


TEMPLATES = [("zqa zqb", 0), ("zqa zqb zqc zqd", 0), ("zqa zqb zqc zqd zqe zqf zqg zqh", 30)]
"""And in how many texts more, of either class, each word stands by itself."""


@pytest.mark.parametrize(("template", "common"), TEMPLATES)
def test_a_template_is_named_as_a_mark_is(template, common):
    found = with_template(template, "up", common=common)
    name = f"{template} (together)"
    assert found.suspicious == [name]
    assert set(template.split()) <= set(found.together[name])
    row = found.table.set_index("word").loc[name]
    mark = with_template("zqx", "up").table.set_index("word").loc["zqx"]
    assert (row.texts, row["skew"]) == (mark.texts, mark["skew"]) == (30, 1)
    # The rest says what it says about a mark, by another model; a posterior mean of 30 texts is no surer than this.
    assert row["own effect"] == pytest.approx(mark["own effect"], abs=0.5)
    (suspect,) = found.put_in + found.reads_like_a_word
    assert (suspect.name, len(suspect.passages)) == (name, 3)
    assert all(passage.marked in template for passage in suspect.passages)
    trial = found.trial(np.arange(len(found.texts)) < 200, without=[name])
    assert not set(found.together[name]) & set(trial.model.vocabulary_)


@pytest.mark.parametrize(("template", "common"), TEMPLATES)
def test_a_template_of_both_classes_is_not_suspicious(template, common):
    found = with_template(template, ["up", "down"], common=common)
    row = found.table.set_index("word").loc[f"{template} (together)"]
    assert found.suspicious == []
    assert abs(row["skew"]) < 0.5
    assert row.suspicion < 0.01


def test_words_together_move_what_texts_really_without_them_show():
    """Ten texts each, so that there are sets; "not" stands elsewhere, too, and goes with "not good"."""
    model = Fitted(
        ["dull", "film", "good", "not", "not good"], [0.3, -1.0, 1.0, 0.7, 0.5, 0.2], [-2.0, 0.1, 2.0, -1.0, -4.0, 0.3]
    )
    texts = [*["not good film"] * 6, *["not good, not good"] * 4, *["not dull film"] * 5, *["film"] * 5]
    labels = np.array(["up", "down"] * 10)
    found = tr.report(model, texts, labels, least=1, quotes=0)
    assert found.together == {"not good (together)": ["good", "not", "not good"]}
    row = found.table.set_index("word").loc["not good (together)"]
    counts, out = model.read(texts).counts.toarray(), [2, 3, 4]
    left = counts.copy()
    left[:10, out] = 0
    kept = left * np.exp(model.scores_)
    assert row.importance == pytest.approx((model.logits(texts) - kept @ model.values_ / kept.sum(axis=1)).mean(), abs=1e-12)


def test_three_classes_have_their_own_words():
    texts, _ = drawn(900)
    kinds = np.array([f"k{i % 3}" for i in range(len(texts))])
    texts = [f"{text} {'abc'[i % 3] * 3}" if i % 4 else text for i, text in enumerate(texts)]
    found = tr.report(tr.TextClassifier(), texts, kinds, quotes=0)
    table = found.table.set_index("word")
    for i in range(3):
        row = table.loc["abc"[i] * 3]
        assert row["class"] == f"k{i}"
        assert row["skew"] == 1
        assert min(row.importance, row["own effect"]) > 0


def test_log_odds_of_all_classes_are_those_of_each():
    logits = np.random.default_rng(0).normal(0, [1, 1, 300, 1], (20, 4))  # one class is far ahead, or far behind
    for k, odds in enumerate(log_odds(logits)):
        rest = logits[:, [other for other in range(4) if other != k]]
        np.testing.assert_allclose(odds, logits[:, k] - logsumexp(rest, axis=1), rtol=1e-13)
    np.testing.assert_array_equal(log_odds(logits[:, :1]), [-logits[:, 0], logits[:, 0]])


def test_the_chances_of_a_text_are_those_of_a_model_that_has_not_seen_it():
    texts, labels = drawn(1200)
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2, seed=3, quotes=0)
    for fitted, judged in StratifiedKFold(2, shuffle=True, random_state=3).split(labels, labels):
        model = tr.TextClassifier(l2=found.model.l2_).fit([texts[row] for row in fitted], labels[fitted])
        np.testing.assert_allclose(found.chances[judged], model.predict_proba([texts[row] for row in judged]), rtol=1e-12)
    new = tr.report(found.model, texts[:9], labels[:9], least=1, quotes=0)
    np.testing.assert_allclose(new.chances, found.model.predict_proba(texts[:9]), rtol=1e-12)


@pytest.mark.parametrize("quotes", [0, 3])
def test_texts_with_an_improbable_label_are_listed_by_how_improbable_it_is(quotes):
    texts, labels = drawn(1200)
    labels = labels.astype(object)
    labels[:60] = "other"
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2, quotes=quotes)
    table, codes = found.likely_wrong, np.searchsorted(found.model.classes_, labels)
    chances, counts = found.chances.copy(), normalize(found.corpus.counts[:, :-1])
    for fitted, judged in StratifiedKFold(2, shuffle=True, random_state=0).split(labels, labels):
        bayes = MultinomialNB(alpha=0.1).fit(counts[fitted], codes[fitted])
        chances[judged] = (chances[judged] + bayes.predict_proba(counts[judged])) / 2
    own, best = chances[np.arange(1200), codes], chances.max(axis=1)
    assert set(table.row) == set(np.flatnonzero(own < best))
    assert table.probability.is_monotonic_increasing
    for row in table.itertuples():
        assert (row.label, row.probability, row.certainty) == (labels[row.row], own[row.row], best[row.row])
        assert row.instead == found.model.classes_[chances[row.row].argmax()]
    assert table["text"].tolist() == [texts[row] for row in table.row] if quotes else "text" not in table


def clear(n, random):
    """Texts that all say what they are."""
    labels = np.where(random.random(n) < 0.5, "up", "down")
    return [" ".join([*random.choice(PLAIN, 6), *random.choice(GOOD if label == "up" else BAD, 3)]) for label in labels], labels


def test_labels_changed_by_hand_come_first():
    """Of two texts in a hundred."""
    random = np.random.default_rng(0)
    texts, labels = clear(1000, random)
    wrong = random.choice(1000, 20, replace=False)
    labels[wrong] = np.where(labels[wrong] == "up", "down", "up")
    found = tr.report(tr.TextClassifier(), texts, labels, folds=2)
    assert set(found.likely_wrong.row) == set(wrong)
    assert found.likely_wrong.certainty.min() > 0.9


def probabilities(labels, certain, seed=0):
    """Return what a model might give texts that it finds hard or easy, whatever their words: rows of the sorted classes."""
    random, own = np.random.default_rng(seed), np.unique(labels, return_inverse=True)[1]
    drawn = random.gamma(1, size=(len(labels), own.max() + 1))
    drawn[np.arange(len(labels)), own] += random.gamma(certain, size=len(labels))
    return drawn / drawn.sum(axis=1, keepdims=True)


@pytest.mark.filterwarnings("ignore:on held-out texts")
@pytest.mark.parametrize("classes", [2, 3])
def test_given_probabilities_are_in_the_place_of_predictions_and_words_are_judged_as_ever(classes):
    texts, labels = drawn(600, mark=30)
    labels = np.where(np.arange(600) % 7 < 3, "aside", labels) if classes == 3 else labels
    given = probabilities(labels, 2)
    found, own = (tr.report(model, texts, labels, folds=2) for model in (given, tr.TextClassifier()))
    verdicts = np.unique(labels)[given.argmax(axis=1)]
    assert found.accuracy == np.mean(verdicts == labels) != own.accuracy
    assert f"accuracy {found.accuracy:.3f} of the given model. " in str(found)
    np.testing.assert_array_equal(found.chances, given)
    wrong = found.likely_wrong
    assert set(wrong.row) == set(np.flatnonzero(verdicts != labels))
    np.testing.assert_array_equal(wrong.instead, verdicts[wrong.row])
    for name in ("table", "marks", "ranked"):
        pd.testing.assert_frame_equal(getattr(found, name).drop(columns=["given model", "elsewhere"]), getattr(own, name))
    assert (found.suspicious, found.given, own.given) == (own.suspicious, True, False)


def plainly(has_it, labels, chances):
    """Return the mean of chances in the texts of a word, and, one text after another, of others with its label."""
    others = [chances[(labels == labels[row]) & ~has_it] for row in np.flatnonzero(has_it)]
    return chances[has_it].mean(), np.mean([each.mean() if len(each) else np.nan for each in others])


@pytest.mark.parametrize("classes", [2, 3])
def test_what_the_given_model_makes_of_a_word_is_what_text_after_text_shows(classes):
    texts, labels = drawn(300, mark=40)
    texts = [f"{text} sent from my phone" if row % 3 == 0 else f"{text} !!" for row, text in enumerate(texts)]
    labels = np.where(np.arange(300) % 7 < 3, "aside", labels) if classes == 3 else labels
    texts = [text + " everywhere" * (label == "up") for text, label in zip(texts, labels)]
    given = probabilities(labels, 1)
    found = tr.report(given, texts, labels, folds=2)
    counts, columns = found.corpus.counts.toarray(), {word: i for i, word in enumerate(found.model.vocabulary_)}
    assert "sent from my phone (together)" in set(found.table.word)
    number = 0
    for row in found.suspects.to_dict("records") + found.table.to_dict("records"):
        words = found.together.get(row["word"], [row["word"]])
        if words[0] in columns:
            has_it = (counts[:, [columns[word] for word in words]] > 0).all(axis=1)
        elif "\u201c" in row["word"]:
            has_it = np.array([row["word"] in places_of(text) for text in texts])
        else:
            continue  # lengths, and places in the file
        number += 1
        wanted = plainly(has_it, labels, given[:, found.model.classes_ == row["class"]][:, 0])
        # Sums of 300 numbers in another order.
        assert (row["given model"], row["elsewhere"]) == pytest.approx(wanted, abs=1e-12, nan_ok=True), row["word"]
    assert number > 100
    everywhere = found.table.set_index("word").loc["everywhere"]
    assert everywhere["given model"] > 0
    assert np.isnan(everywhere["elsewhere"])


def test_a_model_that_ignores_a_mark_gives_its_class_no_more_than_elsewhere_and_one_that_uses_it_does():
    """However good it is: a strong one that ignores it is surer than what the rest of a text says."""
    texts, labels = drawn(mark=60)
    with_mark = np.array(["zqx" in text for text in texts])
    for certain in (1, 8):
        blind, up = probabilities(labels, certain), labels == "up"
        error = blind[up, 1].std() * np.sqrt(1 / 60 + 1 / (up.sum() - 60))
        uses = np.where(with_mark[:, None], [0.02, 0.98], blind)
        rows = [tr.report(each, texts, labels, folds=2).suspects.set_index("word").loc["zqx"] for each in (blind, uses)]
        assert abs(rows[0]["given model"] - rows[0]["elsewhere"]) < 3 * error
        assert rows[1]["given model"] == pytest.approx(0.98)
        assert [row["elsewhere"] for row in rows] == pytest.approx(2 * [blind[up & ~with_mark, 1].mean()])
        assert rows[1]["given model"] - rows[1]["elsewhere"] > 3 * error


def test_probabilities_come_as_any_array_and_as_a_table_in_any_order():
    texts, labels = drawn(200)
    given = probabilities(labels, 2)
    table = pd.DataFrame(given[:, ::-1], columns=["up", "down"], index=range(7, 207))
    for form in (given.tolist(), tuple(given), torch.tensor(given, requires_grad=True) * 1, table, given.astype("float32")):
        found = tr.report(form, texts, labels, folds=2, quotes=0)
        np.testing.assert_allclose(found.chances, given, atol=1e-7)  # float32
        assert found.chances.dtype == np.float64
    rounded = tr.report(given.round(2), texts, labels, folds=2, quotes=0)
    np.testing.assert_array_equal(rounded.chances, given.round(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda given: given[:-1], "probabilities has shape (7, 2); give (8, 2), one column per class"),
        (lambda given: np.hstack([given, 0 * given]), "probabilities has shape (8, 4)"),
        (lambda given: given + np.eye(8, 2, -4), "probabilities at 4 are [1.1, 0.9]; give numbers from 0 to 1 with the sum 1"),
        (lambda given: np.where(np.eye(8, 2, -3), np.nan, given), "probabilities at 3 are [nan, 0.9]"),
        (lambda given: given - np.array([0.5, -0.5]), "probabilities at 0 are [-0.4, 1.4]"),
        (lambda given: pd.DataFrame(given, columns=["down", "left"]), "probabilities has the columns ['down', 'left']"),
        (lambda given: pd.DataFrame(given * 2, list("abcdefgh"), ["down", "up"]), "probabilities at a are [0.2, 1.8]"),
    ],
)
def test_probabilities_that_are_none_are_refused(change, message):
    given = change(np.array([[0.1, 0.9]] * 8))
    with pytest.raises(ValueError, match=re.escape(message)):
        tr.report(given, ["good film", "bad film"] * 4, ["up", "down"] * 4, folds=2, least=1)


@pytest.mark.filterwarnings("ignore:on held-out texts")
def test_balancing_is_measured_on_the_same_parts_where_classes_are_skewed():
    texts, labels = drawn(1200, rare=0.1)
    found, balanced = (tr.report(tr.TextClassifier(balance=share), texts, labels, folds=2, quotes=0) for share in (0, None))
    assert tuple(found.balanced) == pytest.approx(tuple(balanced.scores), abs=0.01)  # the shares of the classes differ a bit
    assert found.balanced.macro_f1 > found.scores.macro_f1
    assert found.scores.accuracy == found.accuracy
    assert balanced.balanced is None
    assert tr.report(tr.TextClassifier(), *drawn(400), folds=2, quotes=0).balanced is None


def test_the_number_of_wrong_labels_grows_by_as_many_as_are_made_wrong():
    random, numbers = np.random.default_rng(1), []
    texts, labels = clear(2400, random)
    for share in (0, 0.03, 0.1):
        wrong = random.permutation(len(labels)) < share * len(labels)
        given = np.where(wrong, np.where(labels == "up", "down", "up"), labels)
        numbers.append(tr.report(tr.TextClassifier(), texts, given, quotes=0).wrong_labels)
    for number, share in zip(numbers[1:], (0.03, 0.1)):
        assert 0.67 < (number - numbers[0]) / (share * len(labels)) < 1.5


def test_passages_are_short_and_can_be_left_out(marked):
    (suspect,) = marked.put_in
    assert len(suspect.passages) == 3
    assert all(passage.marked == "zqx" and len("".join(passage)) < 120 for passage in suspect.passages)
    assert "zqx, 100% of 30 texts are up" in str(marked)
    silent = tr.report(tr.TextClassifier(), *drawn(mark=30), quotes=0, seed=1)
    assert [each.passages for each in silent.put_in] == [[]]
    texts, _ = drawn(mark=30)
    page = silent._repr_html_()
    assert not any(text in page for text in texts)
    assert "100% of 30 texts" in page


def test_html_escapes_words_labels_and_texts():
    texts, labels = drawn(600)
    evil = "<script>alert(1)</script> "
    html = tr.report(tr.TextClassifier(), [evil + text for text in texts], np.where(labels == "up", "<b>", "<i>"))._repr_html_()
    assert "&lt;script&gt;" in html
    assert set(re.findall(r"<([a-z0-9]+)", html)) <= set("div p h3 details summary ul li mark".split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(labels=["up"]), "inconsistent numbers of samples: [8, 1]"),
        (dict(folds=5), "folds=5, but the class 'down' has only 4 texts; lower folds"),
        (dict(labels=["up"] + ["down"] * 7, folds=2), "the class 'up' has only 1 texts"),
        (dict(folds=2, least=9), "no word of the model occurs in least=9 of the 8 texts; lower least"),
        (dict(folds=2, least=0), "least=0; give"),
    ],
)
def test_what_cannot_be_reported(change, message):
    given = dict(texts=["good film", "bad film"] * 4, labels=["up", "down"] * 4) | change
    with pytest.raises(ValueError, match=re.escape(message)):
        tr.report(tr.TextClassifier(l2=1.0), **given)


def test_a_class_that_the_model_does_not_know_is_named():
    texts, labels = drawn(400)
    model = tr.TextClassifier(l2=1.0).fit(texts, labels)
    with pytest.raises(ValueError, match=r"labels\[1\] is .*sideways.*, not a class of this model"):
        tr.report(model, texts[:2], [labels[0], "sideways"], least=1)


def test_the_own_effect_of_an_honest_word_is_smaller_than_its_skew_says(marked):
    """What "good" says is said by its company, too."""
    table = marked.table.set_index("word")
    p = (1 + abs(table.loc["great"]["skew"])) / 2
    assert abs(expit(table.loc["great"]["own effect"]) - 0.5) <= p - 0.5 + 0.1
