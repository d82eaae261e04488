"""Guess the "not", in 05_beyond, as a reader meets it; its numbers are those that the chapter finds."""

import json
from itertools import pairwise

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, ROOT, address_of, numbers, problems, settle

import tokensel_nb as ts
from experiments import playthings
from tokensel_nb.chapters.pairs import skews_behind, words_and_pairs

PLAYTHING = ".tag_plaything-not .plaything"
CAPTION = ".tag_plaything-not figcaption .caption-text"


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 05_beyond."""
    return lambda **window: visit(site / "book" / "05_beyond.html", **window)


@pytest.fixture(scope="module")
def data():
    """Return what the plaything knows."""
    written = (ROOT / playthings.FOLDER / "not_data.js").read_text("utf-8")
    return json.loads(written.removeprefix("tokensel.pairs = ").removesuffix(";\n"))


def test_the_data_are_those_that_the_chapter_finds(data):
    found = skews_behind(ts.load_imdb(tokenizer=words_and_pairs), "not")
    assert data["words"] == found["words"]
    assert len(data["words"]) == 194
    np.testing.assert_array_equal(data["often"], found["often"])
    for kind in ("elsewhere", "behind"):
        np.testing.assert_allclose(np.array(data[kind]) / 100, found[kind], atol=0.00501)
    clear = [found["elsewhere"][s] for s in data["asked"][1:]]
    assert data["words"][data["asked"][0]] == "good"
    assert len(clear) == sum(np.abs(found["elsewhere"]) > playthings.LEANS)  # all, not those that suit
    assert all(abs(one) >= abs(other) for one, other in pairwise(clear))
    # The line, fitted another way: by its normal equations.
    x, y, often = (np.asarray(found[kind], float) for kind in ("elsewhere", "behind", "often"))
    across, up = (np.average(each, weights=often) for each in (x, y))
    slope = np.sum(often * (x - across) * (y - up)) / np.sum(often * (x - across) ** 2)
    np.testing.assert_allclose(data["line"], [up - slope * across, slope], atol=0.00051)


def test_a_guess_by_keys_and_by_hand_a_reveal_the_next_word_and_a_reset(chapter, data):
    opened = chapter()
    tab = opened.tab
    plaything, verdict = tab.locator(PLAYTHING), tab.locator(f"{PLAYTHING} .verdict")
    slider = plaything.get_by_role("slider")
    assert not tab.locator(CAPTION).is_visible()  # it would give the answer away
    slider.press("ArrowLeft")
    settle(tab)
    assert numbers(verdict.inner_text()) == [0.03, -0.01]
    box = plaything.locator("svg .hold").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y + 50, steps=5)
    tab.mouse.up()
    settle(tab)
    drawn = plaything.locator("svg").bounding_box()["height"] / 340 * 144  # pixels from 0 to 1
    guess = numbers(verdict.inner_text())[1]
    assert guess == pytest.approx(-0.01 - 50 / drawn, abs=0.02)
    assert f"not.guess={guess:g}" in address_of(tab)
    plaything.get_by_role("button", name="Reveal").click()
    settle(tab)
    level, slope = data["line"]
    for row in data["asked"][:4]:
        word, alone, after = data["words"][row], data["elsewhere"][row] / 100, data["behind"][row] / 100
        if word != "good":
            plaything.get_by_role("button", name="Next word").click()
            plaything.get_by_role("button", name="Reveal").click()
            settle(tab)
            guess = 0
        assert f"not {word}" in verdict.inner_text()
        told = [after, guess, -alone, len(data["words"]), level + slope * alone]
        np.testing.assert_allclose(numbers(verdict.inner_text()), told, atol=0.00501)
    assert tab.locator(CAPTION).is_visible()
    assert plaything.locator("circle.other").count() == len(data["words"])
    plaything.get_by_role("button", name="Reset").click()
    settle(tab)
    assert plaything.get_by_role("combobox").input_value() == "good"
    assert "not." not in address_of(tab)
    assert opened.errors == []


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#not.word=recommended&not.guess=-0.7&not.seen=1")]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
