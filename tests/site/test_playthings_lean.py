"""Words in space, in 08_classes, as a reader meets them; their numbers are those of the package."""

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, address_of, numbers, problems, settle

import tokensel_nb as ts
from experiments import playthings
from tokensel_nb.chapters import classes

PLAYTHING = ".tag_plaything-lean .plaything"


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 08_classes."""
    return lambda **window: visit(site / "book" / "08_classes.html", **window)


@pytest.fixture(scope="module")
def films():
    """Return the four classes that the chapter trains on, and how far a step of either kind moves each word."""
    corpus, _ = classes.film_reviews()
    start = ts.init_parameters(corpus.vocab_size, classes.DIM, 0, num_classes=4)
    return corpus, {"plain": corpus.signed_share(), "Adam": ts.adam_values(start, corpus, 0.01) - start.token_values}


def spots(tab):
    """Return where the points are seen, and how clearly."""
    dots = tab.locator(f"{PLAYTHING} circle:not(.chosen)")
    return np.array(dots.evaluate_all("dots => dots.map(d => ['cx', 'cy', 'opacity'].map(k => Number(d.getAttribute(k))))"))


def test_the_data_are_those_that_the_package_finds(films):
    corpus, moves = films
    data = playthings.lean()
    assert len(data["words"]) == pytest.approx(600, abs=10)
    for word, count in zip(data["words"], data["counts"], strict=True):
        assert count == corpus.counts[:, [corpus.column(word)]].sum()
    for step, packed in data["moves"].items():
        assert np.abs(moves[step]).max() >= packed["step"]


@pytest.mark.parametrize("step", ["plain", "Adam"])
def test_a_word_has_the_numbers_of_the_package(chapter, films, step):
    corpus, moves = films
    tab = chapter(fragment=f"#lean.step={step}&lean.word=wonderful").tab
    count, far, *lean = numbers(tab.locator(f"{PLAYTHING} .of-word").inner_text())
    column = corpus.column("wonderful")
    lengths = np.linalg.norm(moves[step][[column, corpus.column("the")]], axis=1)
    assert count == corpus.counts[:, [column]].sum()
    assert far == pytest.approx(lengths[0] / lengths[1], rel=0.01, abs=0.001)
    np.testing.assert_allclose(lean, ts.class_profile(corpus)[column], atol=0.011)


def test_adam_puts_words_on_a_sphere_and_a_plain_step_leaves_rare_ones_in_the_middle(chapter):
    tab = chapter(width=390, fragment="#lean.yaw=0&lean.pitch=0").tab
    button = tab.locator(PLAYTHING).get_by_role("button", name="plain gradient step")
    outside = np.hypot(*(spots(tab)[:, :2] - 180).T)
    button.click()
    settle(tab)
    inside = np.hypot(*(spots(tab)[:, :2] - 180).T)
    assert (outside > 60).mean() > 0.8
    assert (inside < 20).mean() > 0.8
    assert "lean.step=plain" in address_of(tab)


def test_rare_words_alone_a_turn_by_keys_and_a_reset(chapter):
    opened = chapter()
    tab = opened.tab
    before = spots(tab)
    tab.locator(PLAYTHING).get_by_role("button", name="rare").click()
    settle(tab)
    shown = spots(tab)[:, 2] > 0
    assert shown.sum() == sum(count < playthings.RARE for count in playthings.lean()["counts"])
    tab.locator(f"{PLAYTHING} svg[role=slider]").press("ArrowRight")
    settle(tab)
    assert np.abs(spots(tab) - before)[:, 0].max() > 10
    assert "lean.yaw=-10" in address_of(tab)
    tab.locator(PLAYTHING).get_by_role("button", name="Reset").click()
    settle(tab)
    np.testing.assert_allclose(spots(tab), before, atol=0.11)
    assert opened.errors == []


def test_a_drag_turns_and_a_click_picks_a_word(chapter):
    tab = chapter().tab
    box = tab.locator(f"{PLAYTHING} svg").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(*middle)
    tab.mouse.down()
    tab.mouse.move(middle[0] + 60, middle[1], steps=4)
    tab.mouse.up()
    settle(tab)
    said = tab.locator(f"{PLAYTHING} .of-word")
    assert said.inner_text().startswith("“worst” occurs")
    assert "lean.yaw=5" in address_of(tab)
    dot = tab.locator(f"{PLAYTHING} circle.common").first.bounding_box()
    tab.mouse.click(dot["x"] + 3, dot["y"] + 3)
    settle(tab)
    assert not said.inner_text().startswith("“worst” occurs")


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#lean.only=rare&lean.step=plain")]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
