"""The text box of the chapters as a reader meets it; its numbers are those of the package, from the shipped data."""

import ast
import re

import numpy as np
import pytest
from helpers import shipped, unpacked
from notebooks import ROOT, read
from pages import EVERY_STATE_OF_A_PLAYTHING, problems

import tokensel_nb as ts

SENTENCE, NOT_BAD = "The story is slow, but the music is wonderful.", "The film was not bad."
MIXED = "Not a BAD film: zzyzx quux, dull dull but wonderful!"
HARMFUL = "<b onclick='x'>dull</b> & <img src=x onerror=alert(1)> 100% wonderful"


@pytest.fixture
def box(chapter):
    """Return a function that opens the first page with the box."""
    return lambda **window: chapter("01_model", **window).tab


@pytest.fixture(scope="module")
def package():
    """Return a function: logit, and attention and value of each word, of a text at a step of training, by the package."""
    words, data = shipped("words"), shipped("reviews")

    def reading(text, step):
        stage = data["stages"].index(step)
        scores, values = (unpacked(data[key][stage]) for key in ("scores", "values"))
        model = ts.Parameters(np.stack([scores, values], axis=1), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        corpus = ts.corpus_from_texts([text], [1], vocabulary=words, class_names=["blame", "praise"])
        attention = ts.attention(model, corpus).tocoo()
        of_words = {words[s]: (q, values[s]) for s, q in zip(attention.col, attention.data, strict=True)}
        return ts.logits(model, corpus)[0], of_words

    return reading


def number(text):
    return float(text.replace("−", "-"))


def logit(tab):
    """Return the logit that the page states."""
    return number(re.search(r"Logit (\S+)", tab.locator(".try .verdict").inner_text())[1])


def check(tab, package, text, step=20):
    """Hold what the page says of a text against the package."""
    assert tab.get_by_label("Write a review").input_value() == text
    wanted, of_words = package(text, step)
    assert logit(tab) == pytest.approx(wanted, abs=0.006)
    for shown in tab.locator(".try .word:not(.unknown)").all():
        word = shown.inner_text().lower()
        attention, value = of_words[word]
        count = len(re.findall(rf"\b{word}\b", text.lower()))
        percent, said = re.fullmatch(r"attention (\S+)%, value (\S+)", shown.get_attribute("title")).groups()
        assert float(percent) == pytest.approx(100 * attention / count, abs=0.51)
        assert number(said) == pytest.approx(value, abs=0.006)


def test_it_says_what_the_package_finds_at_every_step_of_training(box, package):
    """A reader's own text stays in view as it was typed; what is not known is marked; an example is read where one stops."""
    tab = box()
    assert not tab.locator(".tag_plaything-try img").is_visible()
    check(tab, package, SENTENCE)
    said = "Praise. Verdicts this clear on short texts are right about 8 times in 10."
    assert tab.locator(".try .verdict").inner_text().startswith(said)
    tab.get_by_label("Write a review").fill(MIXED)
    assert tab.locator(".try .reading").inner_text() == MIXED
    assert tab.locator(".try .unknown").all_inner_texts() == ["a", "zzyzx", "quux"]
    slider = tab.get_by_role("slider", name="Steps of training")
    for key, step in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 5), ("ArrowRight", 20), ("ArrowRight", 150)):
        slider.press(key)
        check(tab, package, MIXED, step)
    assert slider.get_attribute("aria-valuetext").startswith("after 150 steps; right on 8")
    assert "It claims to be over 99.9% sure." in tab.locator(".try .verdict").inner_text()
    tab.get_by_role("button", name="not bad").click()
    check(tab, package, NOT_BAD)


@pytest.mark.long
@pytest.mark.parametrize("width", [1200, 390])
def test_a_word_can_be_watched_while_the_training_changes(box, width):
    """Nothing lies over the slider, the words or what is said of one; a panel that opens is seen whole."""
    tab = box(width=width)
    tab.locator(".try .word").nth(3).click()
    parts = [tab.locator(f".try {part}").last.bounding_box() for part in (".word", ".slider", ".panel")]
    ends = [part["y"] + part["height"] for part in parts]
    assert all(part["y"] >= end for part, end in zip(parts[1:], ends, strict=False))
    assert tab.locator(".try .word").first.bounding_box()["y"] >= 0
    assert ends[-1] < tab.viewport_size["height"] + 1  # part of a pixel is not seen


def test_a_word_is_exchanged_by_the_keyboard_and_left_out(box, package):
    tab = box()
    tab.locator(".try .word").first.focus()
    for key in (*["ArrowRight"] * 3, "Enter"):
        tab.keyboard.press(key)
    panel = tab.locator(".try .panel")
    assert "slow: score" in panel.inner_text()
    panel.get_by_role("textbox").fill("Perfect")
    check(tab, package, SENTENCE.replace("slow", "Perfect"))
    assert f"The logit was +{package(SENTENCE, 20)[0]:.2f}" in panel.inner_text()
    panel.get_by_role("button", name="leave it out").click()
    check(tab, package, SENTENCE.replace(" slow", ""))
    assert "In its place:" in panel.inner_text()
    panel.get_by_role("button", name="good").click()
    check(tab, package, SENTENCE.replace("slow", "good"))
    tab.keyboard.press("Escape")
    assert not panel.is_visible()


@pytest.mark.long
def test_the_address_keeps_it(box, package):
    """Also what would be a tag, were it not put in as text."""
    tab = box()
    tab.get_by_label("Write a review").fill(HARMFUL)
    tab.get_by_role("slider", name="Steps of training").press("ArrowLeft")
    tab.wait_for_function("() => location.hash.includes('try.step=5')")
    tab.reload()
    check(tab, package, HARMFUL, 5)
    assert tab.locator(".try .reading").inner_text() == HARMFUL
    assert tab.locator(".try .reading :is(b, img)").count() == 0
    tab.goto(f"{tab.url.split('#')[0]}#try.text=dull&try.step=7")
    tab.wait_for_function("() => document.querySelector('.try textarea').value === 'dull'")
    assert "after 20 steps" in tab.get_by_role("slider", name="Steps of training").get_attribute("aria-valuetext")


@pytest.mark.long
def test_a_finger_on_a_word_and_the_numbers(chromium, site, package):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    tab = context.new_page()
    tab.goto((site / "book" / "01_model.html").as_uri())
    tab.get_by_role("button", name="not bad").tap()
    tab.locator(".try .word", has_text="bad").tap()
    assert "bad: score" in tab.locator(".try .panel").inner_text()
    tab.get_by_text("All numbers").tap()
    tab.locator(".try tbody tr").first.wait_for()
    rows = [row.locator("td").all_inner_texts() for row in tab.locator(".try tbody tr").all()]
    assert rows[0][0] == "bad"
    assert sum(number(row[-1]) for row in rows) == pytest.approx(logit(tab), abs=0.03)
    assert float(rows[0][2].rstrip("%")) == pytest.approx(100 * package(NOT_BAD, 20)[1]["bad"][0], abs=0.51)
    context.close()


@pytest.mark.long
@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 360)])
def test_accessible_in_every_state(chapter, theme, width):
    opened = chapter("01_model", theme=theme, width=width)
    tab, text = opened.tab, opened.tab.get_by_label("Write a review")
    tab.locator(".try .word").nth(3).click()
    tab.get_by_text("All numbers").click()
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
    for act in (tab.get_by_role("button", name="a long one").click, lambda: text.fill("zzyzx"), lambda: text.fill("")):
        act()
        assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


def test_chapter_1_quotes_the_same_numbers():
    (cell,) = (cell for cell in read(ROOT / "book" / "01_model.ipynb").cells if "trained = {" in cell.source)
    trained = next(ast.literal_eval(node.value) for node in ast.parse(cell.source).body if isinstance(node, ast.Assign))
    words, data = shipped("words"), shipped("reviews")
    for at, key, rounding in ((0, "scores", 0.006), (1, "values", 0.06)):
        found = unpacked(data[key][data["stages"].index(20)])
        for word, quoted in trained.items():
            assert quoted[at] == pytest.approx(found[words.index(word)], abs=rounding), (word, key)


@pytest.mark.long
def test_a_later_chapter_opens_with_another_sentence_so_that_the_first_example_does_something(chapter):
    place = chapter("04_reviews").tab.locator(".try")
    for verdict in ("Blame", "Praise"):
        assert place.locator(".verdict").inner_text().startswith(verdict)
        place.get_by_role("button", name="both at once").click()
