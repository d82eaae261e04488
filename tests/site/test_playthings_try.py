"""The text box of the chapters as a reader meets it; its numbers are those of the package, from the shipped data."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from helpers import shipped, unpacked
from nbformat import read as read_notebook
from pages import EVERY_STATE_OF_A_PLAYTHING, problems

import tokensel_nb as ts
from experiments import playthings

BOOK = Path(__file__).parents[2] / "book"
SENTENCE = "The story is slow, but the music is wonderful."
MIXED = "Not a BAD film: zzyzx quux, dull dull but wonderful!"


@pytest.fixture
def front(visit, site):
    """Return a function that opens the first page with the box."""
    return lambda **window: visit(site / "book" / "01_model.html", **window)


@pytest.fixture(scope="module")
def package():
    """Return a function: logit, and attention and value of each word, of a text at a step of training, by the package."""
    words, data = shipped("words"), shipped("reviews")

    def reading(text, step):
        stage = data["stages"].index(step)
        scores, values = (unpacked(data[key][stage]) for key in ("scores", "values"))
        model = ts.Parameters(np.stack([scores, values], axis=1), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
        corpus = ts.corpus_from_texts([text], [1], vocabulary=words)
        attention = ts.attention(model, corpus).tocoo()
        of_words = {words[s]: (q, values[s]) for s, q in zip(attention.col, attention.data, strict=True)}
        return ts.logits(model, corpus)[0], of_words

    return reading


def number(text):
    return float(text.replace("−", "-"))


def logit(tab):
    """Return the logit that the page states."""
    return number(re.search(r"Logit (\S+)", tab.locator(".try .verdict").inner_text())[1])


def check(tab, package, text, step):
    """Hold what the page says of a text against the package."""
    wanted, of_words = package(text, step)
    assert logit(tab) == pytest.approx(wanted, abs=0.006)
    for shown in tab.locator(".try .word:not(.unknown)").all():
        word = shown.inner_text().lower()
        attention, value = of_words[word]
        count = len(re.findall(rf"\b{word}\b", text.lower()))
        percent, said = re.fullmatch(r"attention (\S+)%, value (\S+)", shown.get_attribute("title")).groups()
        assert float(percent) == pytest.approx(100 * attention / count, abs=0.51)
        assert number(said) == pytest.approx(value, abs=0.006)


def test_the_default_says_what_the_package_finds(front, package):
    opened = front()
    tab = opened.tab
    assert tab.get_by_label("Write a review").input_value() == SENTENCE
    check(tab, package, SENTENCE, 20)
    said = "Praise. Verdicts this clear on short texts are right about 8 times in 10."
    assert tab.locator(".try .verdict").inner_text().startswith(said)
    assert opened.errors == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in opened.requests)


def test_typing_and_training(front, package):
    """A reader's own text stays in view as it was typed; what is not known is marked; the slider goes through training."""
    tab = front().tab
    tab.get_by_label("Write a review").fill(MIXED)
    assert tab.locator(".try .reading").inner_text() == MIXED
    assert tab.locator(".try .unknown").all_inner_texts() == ["a", "zzyzx", "quux"]
    slider = tab.get_by_role("slider", name="Steps of training")
    slider.focus()
    for key, step in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 5), ("ArrowRight", 20), ("ArrowRight", 150)):
        tab.keyboard.press(key)
        check(tab, package, MIXED, step)
    assert slider.get_attribute("aria-valuetext").startswith("after 150 steps; right on 8")
    assert "It claims to be over 99.9% sure." in tab.locator(".try .verdict").inner_text()
    assert tab.locator(".try .stops span").all_inner_texts() == ["0", "1", "5", "20", "150"]


def test_an_example_is_read_where_training_is_best_stopped(front, package):
    tab = front().tab
    slider = tab.get_by_role("slider", name="Steps of training")
    slider.press("Home")
    tab.get_by_role("button", name="not bad").click()
    assert slider.input_value() == "3"
    check(tab, package, "The film was not bad.", 20)


@pytest.mark.parametrize("width", [1200, 390])
def test_a_word_can_be_watched_while_the_training_changes(front, width):
    """Nothing lies over the slider, the words or what is said of one; a panel that opens is seen whole."""
    tab = front(width=width).tab
    tab.locator(".try .word").nth(3).click()
    parts = [tab.locator(f".try {part}").last.bounding_box() for part in (".word", ".slider", ".panel")]
    ends = [part["y"] + part["height"] for part in parts]
    assert all(part["y"] >= end for part, end in zip(parts[1:], ends, strict=False))
    assert tab.locator(".try .word").first.bounding_box()["y"] >= 0
    assert ends[-1] < tab.viewport_size["height"] + 1  # part of a pixel is not seen


def test_a_word_is_exchanged_by_the_keyboard_and_left_out(front, package):
    tab = front().tab
    tab.locator(".try .word").first.focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    panel = tab.locator(".try .panel")
    assert "slow: score" in panel.inner_text()
    panel.get_by_role("textbox").fill("Perfect")
    changed = SENTENCE.replace("slow", "Perfect")
    assert tab.get_by_label("Write a review").input_value() == changed
    assert logit(tab) == pytest.approx(package(changed, 20)[0], abs=0.006)
    assert f"The logit was +{package(SENTENCE, 20)[0]:.2f}" in panel.inner_text()
    panel.get_by_role("button", name="leave it out").click()
    assert tab.get_by_label("Write a review").input_value() == SENTENCE.replace(" slow", "")
    assert "In its place:" in panel.inner_text()
    panel.get_by_role("button", name="good").click()
    assert tab.get_by_label("Write a review").input_value() == SENTENCE.replace("slow", "good")
    tab.keyboard.press("Escape")
    assert not panel.is_visible()


def test_the_address_keeps_it(front, package):
    """Also what would be a tag, were it not put in as text."""
    tab = front().tab
    text = "<b onclick='x'>dull</b> & <img src=x onerror=alert(1)> 100% wonderful"
    tab.get_by_label("Write a review").fill(text)
    tab.get_by_role("slider", name="Steps of training").press("ArrowLeft")
    tab.wait_for_function("() => location.hash.includes('try.step=5')")
    tab.reload()
    assert tab.get_by_label("Write a review").input_value() == text
    assert tab.locator(".try .reading").inner_text() == text
    assert tab.locator(".try .reading :is(b, img)").count() == 0
    check(tab, package, text, 5)
    tab.goto(f"{tab.url.split('#')[0]}#try.text=dull&try.step=7")
    tab.wait_for_function("() => document.querySelector('.try textarea').value === 'dull'")
    assert "after 20 steps" in tab.get_by_role("slider", name="Steps of training").get_attribute("aria-valuetext")


def test_a_finger_on_a_word_and_the_numbers(chromium, site, package):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    tab = context.new_page()
    tab.goto((site / "book" / "01_model.html").as_uri())
    tab.get_by_role("button", name="not bad").tap()
    tab.locator(".try .word", has_text="bad").tap()
    assert "bad: score" in tab.locator(".try .panel").inner_text()
    tab.get_by_text("All numbers").tap()
    tab.locator(".try tbody tr").first.wait_for()
    rows = [[cell.inner_text() for cell in row.locator("td").all()] for row in tab.locator(".try tbody tr").all()]
    _, of_words = package("The film was not bad.", 20)
    assert rows[0][0] == "bad"
    assert sum(number(row[-1]) for row in rows) == pytest.approx(logit(tab), abs=0.03)
    assert float(rows[0][2].rstrip("%")) == pytest.approx(100 * of_words["bad"][0], abs=0.51)
    context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 360)])
def test_accessible_in_every_state(front, theme, width):
    opened = front(theme=theme, width=width)
    tab = opened.tab

    def check_state(name):
        assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == [], name

    check_state("default")
    tab.locator(".try .word").nth(3).click()
    tab.get_by_text("All numbers").click()
    check_state("a word, and the numbers")
    tab.get_by_role("button", name="a long one").click()
    check_state("the long review")
    tab.get_by_label("Write a review").fill("zzyzx")
    check_state("an unknown word")
    tab.get_by_label("Write a review").fill("")
    check_state("nothing")
    assert opened.errors == []


def test_without_scripts_there_is_a_picture(front):
    tab = front(scripts=False).tab
    still = tab.locator(".tag_plaything-try img")
    assert still.is_visible()
    assert len(still.get_attribute("alt")) > 100
    assert tab.locator(".plaything").count() == 0


def test_the_picture_shows_the_default(front):
    tab = front().tab
    assert not tab.locator(".tag_plaything-try img").is_visible()
    assert [word.lower() for word in tab.locator(".try .word").all_inner_texts()] == SENTENCE.lower().replace(",", "").rstrip(
        "."
    ).split()


def test_chapter_1_quotes_the_same_numbers():
    (cell,) = (cell for cell in read_notebook(BOOK / "01_model.ipynb", as_version=4).cells if "trained = {" in cell.source)
    trained = next(ast.literal_eval(node.value) for node in ast.parse(cell.source).body if isinstance(node, ast.Assign))
    words, data = shipped("words"), shipped("reviews")
    for at, key, rounding in ((0, "scores", 0.006), (1, "values", 0.06)):
        numbers = unpacked(data[key][playthings.STAGES.index(20)])
        for word, quoted in trained.items():
            assert quoted[at] == pytest.approx(numbers[words.index(word)], abs=rounding), (word, key)


@pytest.mark.parametrize(("chapter", "verdict"), [("01_model", "Praise"), ("04_reviews", "Blame")])
def test_it_stands_in_the_chapters_too(visit, site, chapter, verdict):
    """In the place of its picture; the later chapter opens with another sentence, so that the first example does something."""
    tab = visit(site / "book" / f"{chapter}.html").tab
    assert tab.locator(".try .verdict").inner_text().startswith(verdict)
    tab.locator(".try").get_by_role("button", name="both at once").click()
    assert tab.locator(".try .verdict").inner_text().startswith("Praise")
    assert not tab.locator(".tag_plaything-try img").is_visible()
