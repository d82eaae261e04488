"""An explanation is the logit, word by word: held against the textbook's form, and against texts that are really changed."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_model import PlainModel

import tokensel_report as tr
from tokensel_report.explanation import explain

VOCABULARY = ["a", "and", "bad", "film", "good", "long", "not", "good film", "not bad", "not good"]
WORDS = [word for word in VOCABULARY if " " not in word]


def drawn(seed, spread=1.0, classes=("down", "up")):
    random = np.random.default_rng(seed)
    size = len(VOCABULARY) + 1
    shape = (size,) if len(classes) == 2 else (size, len(classes))
    return PlainModel(VOCABULARY, spread * random.normal(size=size), 3 * random.normal(size=shape), classes)


MODELS = st.builds(
    drawn, st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 10.0, 1000.0]), st.sampled_from([("-", "+"), ("a", "b", "c")])
)
TEXTS = st.lists(st.sampled_from([*WORDS, "Good", "unknown", "<b>", "&amp;", "'", '"', "\n"]), max_size=15).map(" ".join)


@given(MODELS, TEXTS)
def test_contributions_sum_to_the_logit(model, text):
    found = explain(model, text)
    np.testing.assert_allclose(found.contributions.sum(axis=0), model.logits([text])[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.logit, model.logits([text])[0], rtol=0, atol=1e-12)
    assert found.words[-1] == "<cls>"
    assert found.attention.sum() == pytest.approx(1, abs=1e-14)
    assert found.table().contribution.sum() == pytest.approx(np.max(found.logit), abs=1e-12)


def test_the_table_names_words_occurrences_attention_values():
    model = PlainModel(["bad", "good", "not good"], [0, np.log(2), 0, 0], [-1.0, 1.0, -3.0, 0.5])
    table = explain(model, "Good, not good").table()
    assert table.word.tolist() == ["good", "not good", "<cls>"]
    assert table.occurrences.tolist() == [2, 1, 1]
    np.testing.assert_allclose(table.attention, [4 / 6, 1 / 6, 1 / 6])
    np.testing.assert_allclose(table.value, [1, -3, 0.5])
    np.testing.assert_allclose(table.contribution, [4 / 6, -3 / 6, 0.5 / 6])


@pytest.mark.parametrize("classes", [("-", "+"), ("a", "b", "c")])
@pytest.mark.parametrize("seed", range(8))
def test_changes_are_the_models_own_answers(seed, classes):
    """Every word is tried in every place."""
    model = drawn(seed, classes=classes)
    text = "film unknown bad unknown long"
    found, verdict = explain(model, text), explain(model, text).verdict
    chosen = list(model.classes_).index(verdict)

    def lead(changed):
        logits = model.logits([changed])[0]
        if len(classes) == 2:
            return logits if chosen else -logits
        return logits[chosen] - max(np.delete(logits, chosen))

    table = found.changes(most=999)
    assert sorted(table.word) == ["bad", "film", "long"]
    assert table.lead.is_monotonic_increasing
    for row in table.itertuples(name=None, index=False):
        word, left, new = row
        assert left == pytest.approx(lead(text.replace(word, "")), abs=1e-12)
        assert (new == verdict) == (left > 0)


@pytest.mark.parametrize("classes", [2, 3])
def test_of_a_long_text_the_words_that_promise_most_are_tried(classes, monkeypatch):
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice([f"w{i}" for i in range(300)], 60)) for _ in range(39)]
    model = tr.TextClassifier(l2=0.01).fit(texts, random.integers(0, classes, 39))
    found, read, logits = explain(model, " ".join(texts[:5])), [], model.logits
    whole = found.changes(most=999)
    monkeypatch.setattr(model, "logits", lambda texts: read.append(len(texts)) or logits(texts))
    monkeypatch.setattr("tokensel_report.explanation.READ", 20 * len(found.text))
    pd.testing.assert_frame_equal(found.changes(most=3), whole.head(3))
    assert max(read) == 20 < len(whole)
    assert found.words is found.words  # a page asks for them at every character


class Reader(HTMLParser):
    """Every tag, attribute and piece of text of a piece of HTML."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.shown = [], set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.shown.append(data)


TAGS = {"div", "p", "span", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"}
EVIL = [
    "<script>alert(1)</script>",
    "' onmouseover='alert(1)",
    '"><img src=x onerror=alert(1)>',
    "</p></div><iframe>",
    "{{7*7}}",
    "$x$",
]


@given(MODELS, st.lists(st.sampled_from([*WORDS, *EVIL]), max_size=8).map(" ".join) | st.text(max_size=40))
def test_html_shows_the_text_and_no_tag_of_it(model, text):
    found = Reader(explain(model, text)._repr_html_())
    assert set(found.tags) <= TAGS
    assert found.attributes <= {"class", "dir", "scope", "style", "title"}
    # A parser of HTML drops no character of the text; \r and NUL are the two it may change.
    assert re.sub("[\r\x00]", "", text) in re.sub("[\r\x00]", "", "".join(found.shown))


def test_class_names_and_words_are_escaped_too():
    model = PlainModel(["<i>", "good"], [0, 0, 0], [5.0, 1.0, 0.0], ["<b>", "<u>"], pattern=r"\S+")
    html = explain(model, "<i> good")._repr_html_()
    assert "&lt;i&gt;" in html
    assert "&lt;u&gt;" in html
    assert not re.findall("<[biu]>", html)


def test_shades_of_overlapping_words_add_up():
    model = PlainModel(["film", "good", "good film"], [0, 0, 0, 0], [1.0, 1.0, -1.0, 0.0])
    stretches = explain(model, "good film")._stretches()
    assert [(letters, title) for letters, title, _ in stretches] == [
        ("good", "good +0.25; good film -0.25"),
        (" ", "good film -0.25"),
        ("film", "good film -0.25; film +0.25"),
    ]
    # Over "good" and "film" the two cancel; the gap between belongs to the n-gram alone.
    assert [shade for *_, shade in stretches] == [0, -1, 0]
    drawn = re.findall(r"border-bottom: 2px dotted rgba\(213, 94, 0, ([\d.]+)\)", explain(model, "good film").html())
    assert drawn == ["0.00", "1.00", "0.00", "1.00"]  # the last is that of the legend


def test_a_text_without_a_known_word_is_judged_as_an_empty_one():
    for model in (drawn(0), tr.TextClassifier().fit(["good", "bad"] * 9, [1, 0] * 9)):
        found = explain(model, "unknown")
        assert found.logit == model.values_[-1]
        assert "knows no word" in str(found)
        assert len(found.changes()) == 0
        assert "unknown" in found._repr_html_()


def test_a_text_is_one_string():
    with pytest.raises(ValueError, match=r"not a string"):
        explain(tr.TextClassifier().fit(["good", "bad"] * 9, [1, 0] * 9), ["good"])
