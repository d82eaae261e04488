"""The map of all words, in 04_reviews, as a reader meets it; its numbers are those of the package."""

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, numbers, problems, settle

from experiments import playthings
from tokensel_nb.chapters import reviews

PLAYTHING = ".tag_plaything-map .plaything"


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 04_reviews."""
    return lambda **window: visit(site / "book" / "04_reviews.html", **window)


@pytest.fixture(scope="module")
def training(imdb):
    """Return what 04_reviews's reviews know of every word, and what five steps of training make of it, by the package."""
    corpus, _ = imdb.split(reviews.HELD_OUT, seed=0)
    return corpus, playthings.trained_words((5,))


def test_a_word_has_the_numbers_of_the_package(chapter, training):
    corpus, trained = training
    tab = chapter().tab
    tab.locator(PLAYTHING).get_by_role("button", name="5", exact=True).click()
    for word in ("worst", "and", "excellent"):
        tab.locator(f"{PLAYTHING} input[type=search]").fill(word)
        settle(tab)
        text = tab.locator(f"{PLAYTHING} .of-word").inner_text()
        column = corpus.column(word)
        value, score, in_negative, in_positive, skew = numbers(text)[:5]
        assert text.startswith(f"{word}: ")
        assert value == pytest.approx(trained["values"][0][column], abs=0.008)
        assert score == pytest.approx(trained["scores"][0][column], abs=0.008)
        assert [in_negative, in_positive] == trained["counts"][:, column].tolist()
        assert skew == pytest.approx(corpus.label_skew()[column], abs=0.006)


def test_as_many_words_as_occur_so_often(chapter, training):
    corpus, _ = training
    tab = chapter().tab
    slider = tab.locator(f"{PLAYTHING} input[type=range]")
    occurrences = np.asarray(corpus.counts.sum(axis=0)).ravel()
    slider.focus()
    for key in ("ArrowLeft", "End", "Home"):
        tab.keyboard.press(key)
        settle(tab)
        least, words = numbers(slider.get_attribute("aria-valuetext"))
        assert words == (occurrences >= least).sum()
    assert words == corpus.vocab_size


def test_a_rare_word_is_shown_when_it_is_asked_for_and_the_address_keeps_it(chapter):
    opened = chapter()
    tab = opened.tab
    field = tab.locator(f"{PLAYTHING} input[type=search]")
    field.fill("capote")
    settle(tab)
    assert "too rare for the picture" in tab.locator(f"{PLAYTHING} .of-word").inner_text()
    field.press("Enter")
    settle(tab)
    assert "too rare" not in tab.locator(f"{PLAYTHING} .of-word").inner_text()
    assert tab.locator(f"{PLAYTHING} text.chosen").text_content() == "capote"
    tab.reload()
    settle(tab)
    assert tab.locator(f"{PLAYTHING} text.chosen").text_content() == "capote"
    assert "capote" in tab.locator(f"{PLAYTHING} .of-word").inner_text()
    assert opened.errors == []


def test_arrow_keys_and_a_click(chapter):
    tab = chapter(width=390).tab
    cloud, of_word = tab.locator(f"{PLAYTHING} .scatter"), tab.locator(f"{PLAYTHING} .of-word")
    assert "“The worst film" in of_word.inner_text()
    cloud.focus()
    tab.keyboard.press("ArrowDown")
    settle(tab)
    below = of_word.inner_text()
    assert not below.startswith("worst: ")
    assert cloud.get_attribute("aria-valuetext").startswith(below.split(",")[0])
    circle = tab.locator(f"{PLAYTHING} circle.name").first.bounding_box()
    tab.mouse.click(circle["x"] + 3, circle["y"] + 3)
    settle(tab)
    assert of_word.inner_text() != below


def test_shuffled_labels_are_loaded_when_asked_for_and_drawn_in_the_same_frame(chapter):
    opened = chapter()
    tab = opened.tab
    frame = tab.locator(f"{PLAYTHING} .scatter").get_attribute("aria-valuemax")
    true = numbers(tab.locator(f"{PLAYTHING} .of-word").inner_text())
    assert not tab.locator("script[src*=map_shuffled]").count()
    tab.locator(PLAYTHING).get_by_role("button", name="shuffled").click()
    tab.wait_for_function("() => tokensel.mapShuffled")
    settle(tab)
    shuffled = numbers(tab.locator(f"{PLAYTHING} .of-word").inner_text())
    assert shuffled[:2] != true[:2]
    assert shuffled[2:] == true[2:]  # how often it occurs, and the skew
    assert tab.locator(f"{PLAYTHING} .scatter").get_attribute("aria-valuemax") == frame
    assert tab.locator(PLAYTHING).get_by_role("button", name="5", exact=True).is_disabled()
    assert tab.locator(PLAYTHING).get_by_text("only steps 20 and 150").is_visible()  # why it is
    tab.reload()
    tab.wait_for_function("() => tokensel.mapShuffled")
    settle(tab)
    assert numbers(tab.locator(f"{PLAYTHING} .of-word").inner_text()) == shuffled
    assert opened.errors == []


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#map.step=1&map.least=18&map.word=inclusion")]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
