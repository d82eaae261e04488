"""The text box with a model of one's own, in a real browser: its numbers are the model's, and texts stay texts."""

import numpy as np
import pytest
from pages import Visit, violations

import tokensel_report as tr
from tokensel_report.text_box import live

pytestmark = pytest.mark.long
SINGLE = 1e-5  # scores and values travel as float32: seven digits, of logits of order ten
WORDS = "a , 👍 good BA\u00adD film it isn't N’T and long U\u0308NDER नमस्\u200dते ẞ <br> <br/>like n'té ΔΡΌΜΟΣ STRASSE".split()
PATTERN = [
    "a good film, δρόμος straße",
    "good and moving, isn't it",
    "a bad film",
    "bad ünder नमस्ते and long",
    "it isn't, and I don't like it",
]
TEXTS = PATTERN * 8
TWO, FOUR = ["up", "up", "down", "down", "down"] * 8, ["up", "<b>mid</b>", "down", "bad", "bad"] * 8
NASTY = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>\u2028<!--<script>"


@pytest.fixture(scope="module")
def tab(chromium):
    """Return an open page; each test puts its own box into it."""
    tab = chromium.new_page()
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("console", lambda said: tab.errors.append(said.text) if said.type == "error" else None)
    tab.on("dialog", lambda dialog: (tab.errors.append("a dialog"), dialog.dismiss()))
    yield tab
    tab.close()


def show(tab, box):
    """Put a box into a page, and return a function from texts to the logits of the box."""
    tab.set_content(f"<!doctype html><html lang='en'><title>A box</title><main>{box._repr_html_()}</main></html>")
    tab.wait_for_selector(".tokensel-live .verdict")
    read = "(texts) => texts.map((text) => document.querySelector('.tokensel-live').live.logits(text))"
    return lambda texts: np.array(tab.evaluate(read, texts))


def random_texts(number=1000):
    random = np.random.default_rng(0)
    pieces = [random.choice(WORDS, random.integers(0, 15)) for _ in range(number)]
    return ["".join(f"{word}{random.choice([' ', '', '  '])}" for word in words) for words in pieces]


@pytest.mark.parametrize("labels", [TWO, FOUR], ids=["two classes", "four"])
@pytest.mark.parametrize("ngrams", [1, 2, 3])
def test_its_logits_are_those_of_the_model(tab, labels, ngrams):
    model = tr.TextClassifier(ngrams=ngrams, min_texts=1).fit(TEXTS, labels)
    texts = random_texts()
    wanted = model.logits(texts).reshape(len(texts), -1)
    assert wanted.std() > 0.5
    np.testing.assert_allclose(show(tab, live(model))(texts), wanted, atol=SINGLE)
    assert not tab.errors


def test_words_that_may_not_be_shown_are_not_in_the_page(tab):
    model = tr.TextClassifier().fit(TEXTS, TWO)
    shown = set(model.vocabulary_) - {"moving", "film"}
    box = live(model, shown=shown)
    assert "moving" not in box._repr_html_()
    hidden = {"moving", "film", *(name for name in model.vocabulary_ if {"moving", "film"} & set(name.split()))}
    assert set(box.shown) & hidden - {"moving", "film"}  # n-grams of words that are not shown go with them
    logits = show(tab, box)(TEXTS)[:, 0]
    kept = np.array([name not in hidden for name in model.vocabulary_] + [True])
    counts = model.read(TEXTS).counts.toarray() * kept
    weights = counts * np.exp(model.scores_)
    np.testing.assert_allclose(logits, weights @ model.values_ / weights.sum(1), atol=SINGLE)
    assert f"{len(hidden)} of the model's words" in tab.locator(".tokensel-live .note").text_content()


@pytest.mark.parametrize("labels", [TWO, FOUR], ids=["two classes", "four"])
def test_what_is_typed_is_read_and_shaded(tab, labels):
    model = tr.TextClassifier().fit(TEXTS, labels)
    show(tab, live(model, ["good", "a bad film, it isn't good"]))
    tab.locator("textarea").fill(text := "A good film,\n isn't it?  Unknown!")
    assert tab.locator(".reading").evaluate("(each) => each.textContent") == text
    verdict = tab.locator(".verdict").text_content()
    assert verdict.startswith(f"{model.predict([text])[0]}: probability ")
    shaded = tab.locator(".reading span").all_text_contents()
    assert "good" in shaded
    assert "Unknown" not in shaded
    tab.locator(".buttons button").nth(1).click()
    assert tab.locator("textarea").input_value() == "a bad film, it isn't good"
    assert not tab.errors


def test_each_class_can_be_shaded(tab):
    show(tab, live(tr.TextClassifier().fit(TEXTS, FOUR), ["a good film"]))
    assert tab.locator(".legend").text_content().count("up;") == 1
    tab.locator(".bars button").nth(3).press("Enter")
    pressed = tab.locator(".bars button[aria-pressed='true']")
    assert pressed.evaluate("(each) => each === document.activeElement")
    assert pressed.text_content().split(" ")[0] in tab.locator(".legend").text_content()


def test_the_table_is_the_sum(tab):
    model = tr.TextClassifier().fit(TEXTS, TWO)
    show(tab, live(model, [text := "a good film, isn't it good"]))
    rows = tab.locator("tbody tr").evaluate_all("(rows) => rows.map((row) => row.lastChild.textContent)")
    assert sum(float(each.replace("−", "-")) for each in rows) == pytest.approx(model.logits([text])[0], abs=0.05)


def test_no_text_or_label_becomes_html(tab):
    labels = [NASTY if label == "up" else f"{label}<img src=x onerror=window.ran=3>" for label in FOUR]
    model = tr.TextClassifier().fit(TEXTS, labels)
    show(tab, live(model, ["a good film", NASTY]))
    tab.locator(".buttons button").nth(1).click()
    tab.locator("textarea").fill(f"good {NASTY} film")
    assert NASTY in tab.locator(".bars").text_content()
    assert tab.evaluate("window.ran") is None
    assert tab.locator(".tokensel-live img, .reading script").count() == 0
    assert not tab.errors


def test_two_boxes_share_a_page(tab):
    boxes = [live(tr.TextClassifier().fit(TEXTS, labels), ["good"]) for labels in (TWO, FOUR)]
    tab.set_content("<!doctype html>" + "".join(box._repr_html_() for box in boxes))
    assert tab.locator(".verdict").count() == 2
    assert tab.evaluate("typeof tokensel") == "undefined"
    assert not tab.errors


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_is_accessible(tab, theme):
    tab.emulate_media(color_scheme=theme)
    show(tab, live(tr.TextClassifier().fit(TEXTS, FOUR), ["a good film"]))
    tab.add_style_tag(content=":root { color-scheme: light dark } body { background: Canvas; color: CanvasText }")
    tab.locator("summary").click()
    assert list(violations(Visit(tab))) == []
