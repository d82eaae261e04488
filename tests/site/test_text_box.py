"""The text box with a model of one's own, in a real browser: its numbers are the model's, and texts stay texts."""

import numpy as np
import pytest
from pages import no_console_error, problems, violations

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
EXAMPLES = ["good", "a bad film, it isn't good"]
TWO, FOUR = ["up", "up", "down", "down", "down"] * 8, ["up", "<b>mid</b>", "down", "bad", "bad"] * 8
NASTY = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>\u2028<!--<script>"


@pytest.fixture
def show(visit, tmp_path):
    """Return a function that puts boxes into a page: the visit, and a function from texts to the logits of the first box."""

    def opened(*boxes, theme="light"):
        page = tmp_path / "page.html"
        page.write_text(
            f"<!doctype html><html lang='en'><title>A box</title><main>{''.join(each._repr_html_() for each in boxes)}</main>",
            "utf-8",
        )
        found = visit(page, theme=theme)
        found.tab.wait_for_selector(".tokensel-live .verdict")
        read = "(texts) => texts.map((text) => document.querySelector('.tokensel-live').live.logits(text))"
        return found, lambda texts: np.array(found.tab.evaluate(read, texts))

    return opened


def random_texts(number=1000):
    random = np.random.default_rng(0)
    pieces = [random.choice(WORDS, random.integers(0, 15)) for _ in range(number)]
    return ["".join(f"{word}{random.choice([' ', '', '  '])}" for word in words) for words in pieces]


each_labelling = pytest.mark.parametrize("labels", [TWO, FOUR], ids=["two classes", "four"])


@each_labelling
@pytest.mark.parametrize("ngrams", [1, 3])
def test_its_logits_are_those_of_the_model(show, labels, ngrams):
    model = tr.TextClassifier(ngrams=ngrams, min_texts=1).fit(TEXTS, labels)
    texts = random_texts()
    wanted = model.logits(texts).reshape(len(texts), -1)
    assert wanted.std() > 0.5
    np.testing.assert_allclose(show(live(model))[1](texts), wanted, atol=SINGLE)


def test_words_that_may_not_be_shown_are_not_in_the_page(show):
    model = tr.TextClassifier().fit(TEXTS, TWO)
    box = live(model, shown=set(model.vocabulary_) - {"moving", "film"})
    assert "moving" not in box._repr_html_()
    hidden = {name for name in model.vocabulary_ if {"moving", "film"} & set(name.split())}
    _, logits = show(box)
    kept = np.array([name not in hidden for name in model.vocabulary_] + [True])
    weights = model.read(TEXTS).counts.toarray() * kept * np.exp(model.scores_)
    np.testing.assert_allclose(logits(TEXTS)[:, 0], weights @ model.values_ / weights.sum(1), atol=SINGLE)


@pytest.mark.parametrize(("labels", "theme"), [(TWO, "light"), (FOUR, "dark")], ids=["two classes", "four"])
def test_what_is_typed_is_read_and_shaded_and_accessible(show, labels, theme):
    model = tr.TextClassifier().fit(TEXTS, labels)
    opened, _ = show(live(model, EXAMPLES), theme=theme)
    tab, text = opened.tab, "A good film,\n isn't it?  Unknown!"
    tab.locator("textarea").fill(text)
    assert tab.locator(".reading").evaluate("(each) => each.textContent") == text
    assert tab.locator(".verdict").text_content().startswith(f"{model.predict([text])[0]}: probability ")
    shaded = tab.locator(".reading span").all_text_contents()
    assert "good" in shaded
    assert "Unknown" not in shaded
    tab.locator(".buttons button").nth(1).click()
    assert tab.locator("textarea").input_value() == EXAMPLES[1]
    rows = tab.locator("tbody tr").evaluate_all("(rows) => rows.map((row) => row.lastChild.textContent)")
    if labels == TWO:
        assert sum(float(each.replace("−", "-")) for each in rows) == pytest.approx(model.logits(EXAMPLES)[1], abs=0.05)
    opened.tab.add_style_tag(content=":root { color-scheme: light dark } body { background: Canvas; color: CanvasText }")
    opened.tab.locator("summary").click()
    assert problems(opened, (no_console_error, violations)) == []


def test_each_class_can_be_shaded_and_two_boxes_share_a_page(show):
    boxes = [live(tr.TextClassifier().fit(TEXTS, labels), ["a good film"]) for labels in (FOUR, TWO)]
    opened, _ = show(*boxes)
    tab = opened.tab
    assert tab.locator(".verdict").count() == 2
    tab.locator(".bars button").nth(3).press("Enter")
    pressed = tab.locator(".bars button[aria-pressed='true']").first
    assert pressed.text_content().split(" ")[0] in tab.locator(".legend").first.text_content()
    assert opened.errors == []


def test_no_text_or_label_becomes_html(show):
    labels = [NASTY if label == "up" else f"{label}<img src=x onerror=window.ran=3>" for label in FOUR]
    opened, _ = show(live(tr.TextClassifier().fit(TEXTS, labels), ["a good film", NASTY]))
    tab = opened.tab
    tab.locator(".buttons button").nth(1).click()
    tab.locator("textarea").fill(f"good {NASTY} film")
    assert NASTY in tab.locator(".bars").text_content()
    assert tab.evaluate("window.ran") is None
    assert tab.locator(".tokensel-live img, .reading script").count() == 0
    assert opened.errors == []
