"""The curves of which one guesses which were learnt, in 09_deeper, as a reader meets them; they are those of the data."""

import re

import numpy as np
import pytest
from helpers import shipped
from pages import EVERY_STATE_OF_A_PLAYTHING, numbers, problems

from tokensel_nb.chapters.recorded import recorded

PLAYTHING = ".tag_plaything-luck .plaything"
GUESSED = "#luck.guessed=0101"
UNIT = (130 - 24 - 14) / 240  # of the drawing, for a hundredth: chart.js leaves so much of its height


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 09_deeper."""
    return lambda **window: visit(site / "book" / "09_deeper.html", **window)


def of_record(run):
    """Return curves as the data have them, from a record."""
    rows = np.array([run["values"], run["values_by_others"]], float)
    return 100 * rows / np.nanmax(np.abs(rows[0]))


def test_the_curves_are_those_that_are_recorded():
    """A run of 600 steps differs a little from one processor to another; a bin of a single word does so most."""
    data, second = shipped("luck_data"), recorded("deeper_second")
    shuffled = recorded("deeper_shuffled")["two layers, shuffled labels"]
    of_two = [(data["two layers"]["true"][1], second["two layers"]), *zip(data["two layers"]["shuffled"], shuffled)]
    for curves, run in of_two:
        np.testing.assert_allclose(np.array(curves, float)[:, 4:16], of_record(run)[:, 4:16], atol=6)
    ours = np.array(data["an MLP"]["true"][1][1], float)
    assert np.corrcoef(ours, np.array(second["MLP"]["alone_by_others"], float))[0, 1] > 0.995


def test_by_its_own_reviews_nothing_shows_and_by_others_true_labels_do():
    for models in shipped("luck_data").values():
        for kind, runs in models.items():
            for own, others in runs:
                assert np.corrcoef(range(20), own)[0, 1] > 0.95
                rise = others[14] - others[5]  # further out, few words are left to shuffled labels
                assert rise > 55 if kind == "true" else rise < 30


def heights(tab, kind):
    """Return the heights of the points of the four curves of a kind, upwards, in the drawing's units."""
    paths = tab.locator(f"{PLAYTHING} .chart path.{kind}").evaluate_all("(all) => all.map((each) => each.getAttribute('d'))")
    return [-np.array([float(y) for _, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)]) for path in paths]


@pytest.mark.parametrize("others", [0, 1])
def test_what_is_drawn_are_the_data(chapter, others):
    tab = chapter(fragment=f"{GUESSED}&luck.others={others}").tab
    titles = tab.locator(f"{PLAYTHING} .pairs p").all_inner_texts()
    assert titles == ["Two layers", "An MLP", "One layer", "Two layers"]
    models = {name.lower(): runs for name, runs in shipped("luck_data").items()}
    for kind in ("true", "shuffled"):
        for title, drawn in zip(titles, heights(tab, kind)):
            curves = [[each for each in run[others] if each is not None] for run in models[title.lower()][kind]]
            apart = [np.ptp(drawn - UNIT * np.array(run)) for run in curves if len(run) == len(drawn)]
            assert min(apart) < 0.2


def test_four_guesses_then_one_switch(chapter):
    opened = chapter()
    tab = opened.tab
    place, readout = tab.locator(PLAYTHING), tab.locator(f"{PLAYTHING} .readout")
    switch = place.get_by_role("button", name="other reviews")
    assert switch.is_disabled()
    for guess in range(4):
        assert readout.inner_text() == f"Guess {guess + 1} of 4"
        button = place.locator(".pairs .buttons").nth(guess).get_by_role("button", name="AB"[guess % 2], exact=True)
        button.focus()
        tab.keyboard.press("Enter")
    right = sum("✓" in text for text in place.locator(".verdict").all_inner_texts())
    assert numbers(readout.inner_text())[:2] == [right, 4]
    switch.click()
    assert "only true labels keep the rise" in readout.inner_text()
    assert all(curve[-1] > curve[0] + 20 for curve in heights(tab, "true"))
    status = f"() => document.querySelector('{PLAYTHING} [role=status]')?.textContent.includes('true labels keep')"
    tab.wait_for_function(status)  # it is said some time after the last change
    tab.wait_for_function("() => location.hash.includes('luck.others')")
    text = place.inner_text()
    tab.reload()
    tab.wait_for_function(status)
    assert place.inner_text() == text
    place.get_by_role("button", name="New pairs").click()
    assert readout.inner_text() == "Guess 1 of 4"
    place.get_by_role("button", name="Reset").click()
    assert readout.inner_text() == "Guess 1 of 4"
    assert opened.errors == []


@pytest.mark.parametrize(("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, f"{GUESSED}&luck.others=1")])
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    assert problems(chapter(theme=theme, width=width, fragment=fragment), EVERY_STATE_OF_A_PLAYTHING) == []
