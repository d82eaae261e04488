"""What one plays with in 06_your_data: the list into which one plants a leak, of recorded reports, and the shaded text."""

import numpy as np
import pytest
from helpers import shipped
from pages import ROOT, numbers, settle

import tokensel_report as tr
from tokensel_report.your_data import shaded

PLAYTHING = ".tag_plaything-plant .plaything"
DATA = shipped("plant_data")
MARK, TEN = DATA["mark"], 10
WIDTHS = """(all) => all.map((each) => [each.offsetWidth, each.parentElement.offsetWidth])"""
MOVING = """(list) => document.querySelector(`${list} tbody`).getAnimations({ subtree: true })
    .map((each) => each.effect.target.innerText)"""


@pytest.fixture
def played(chapter):
    """Return a function that opens 06_your_data with so many reviews marked: the list."""
    return lambda bad=20, good=0: chapter("06_your_data", f"#plant.bad={bad}&plant.good={good}").tab.locator(PLAYTHING)


def same(place, run):
    """Check the rows that are shown against a recorded report: words, places, suspicions, texts of their class and all."""
    rows = [*enumerate(run["first"], 1)]
    if run["mark"] and run["mark"]["place"] > TEN:
        rows.append((run["mark"]["place"], run["mark"]["row"]))
    shown = place.locator("tbody tr:has(th)").all()
    assert [row.locator("th").inner_text() for row in shown] == [row[0] for _, row in rows]
    for row, (at, wanted) in zip(shown, rows):
        suspicion = row.get_by_role("img").get_attribute("aria-label")
        told = [*numbers(row.locator(".place").inner_text()), *numbers(suspicion), *numbers(row.locator(".count").inner_text())]
        np.testing.assert_allclose(told, [at, wanted[-1], round(wanted[3] * wanted[1]), wanted[1]], atol=0.0051)


LISTS = [(60, 0), *(pytest.param(*each, marks=pytest.mark.long) for each in [(0, 0), (5, 3), (20, 0), (30, 1), (60, 6)])]


@pytest.mark.parametrize(("bad", "good"), LISTS)
def test_the_list_is_that_of_the_report(played, bad, good):
    place, run = played(bad, good), DATA["runs"][f"{bad} {good}"]
    same(place, run)
    for (filled, room), (*_, suspicion) in zip(place.locator("i").evaluate_all(WIDTHS), run["first"]):
        assert filled / room == pytest.approx(suspicion, abs=0.02)
    readout = place.locator(".readout").inner_text()
    if run["mark"]:
        at, suspicion = numbers(readout)[2:4]
        assert at == run["mark"]["place"]
        assert suspicion == pytest.approx(run["mark"]["row"][-1], abs=0.0051)
        assert readout.endswith("not named.") == (run["mark"]["row"][-1] <= 0.5)
    else:
        assert ("too rare" in readout) == (bad + good > 0)
    bold = place.locator("tbody th").evaluate_all(
        "(all) => all.filter((each) => getComputedStyle(each).fontWeight > 600).map((each) => each.innerText)"
    )  # the mark and what reviewers gave stand out
    words = place.locator("tbody th").all_inner_texts()
    assert bold == [word for word in words if word == MARK or word.endswith((" 10", " out"))]


@pytest.mark.long
def test_labels_are_shuffled_again_and_again(played):
    place = played()
    says = "(told) => document.querySelector('.tag_plaything-plant .readout').innerText.startsWith(told)"
    for number, run in enumerate(DATA["shuffled"], 1):
        place.get_by_role("button", name="Shuffle labels").press("Enter")
        told = f"Shuffle {number} of 5, without {MARK}: the highest suspicion is {run['first'][0][-1]:.2f}."
        place.page.wait_for_function(says, arg=told)
        same(place, run)
    assert all(slider.is_disabled() for slider in place.get_by_role("slider").all())
    place.get_by_role("button", name="True labels").click()
    place.page.wait_for_function(says, arg=f"{MARK} in 20")


@pytest.mark.long
def test_words_move_to_their_places_unless_nothing_should(played):
    place = played()
    tab, bad = place.page, place.get_by_role("slider", name="bad")
    bad.press("End")
    tab.wait_for_function(f"(list) => ({MOVING})(list).some((text) => text.includes('{MARK}'))", arg=PLAYTHING)
    tab.wait_for_function(f"(list) => ({MOVING})(list).length === 0", arg=PLAYTHING)
    tab.emulate_media(reduced_motion="reduce")
    bad.press("Home")
    tab.wait_for_function(f"() => document.querySelector('{PLAYTHING} .readout').innerText.startsWith('No review')")
    assert tab.evaluate(MOVING, PLAYTHING) == []
    tab.emulate_media(reduced_motion="no-preference")


# The shaded text


def without(model, text, starts):
    """Return the logit of a text in which words that begin there are unknown."""
    letters = list(text)
    for at in sorted(starts, reverse=True):
        letters[at : at + len(text[at:].split()[0])] = "zqxv"
    return model.logits(["".join(letters)])[0]


def test_a_word_is_taken_out_of_the_sum(visit, tmp_path):
    """By a tap and by a key; of a word that stands there twice, one place at a time."""
    texts, text = ["a good film", "good and moving", "a bad film", "bad and long", "a film"], "a good good film and unseen bad"
    model = tr.TextClassifier(min_texts=1).fit(texts * 10, [1, 1, 0, 0, 0] * 10)  # the last: else what is left would tie
    scripts = [(ROOT / "book/_static/playthings" / f"{name}.js").as_uri() for name in ("engine", "ui", "leave")]
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)
    page = tmp_path / "page.html"
    page.write_text(f'<meta charset="utf-8">{shaded(tr.explain(model, text)).data}{tags}', "utf-8")
    opened = visit(page)
    words, verdict = opened.tab.get_by_role("button"), opened.tab.get_by_role("status")
    assert words.all_inner_texts() == [word for word in text.split() if word != "unseen"]
    told, out = verdict.inner_text(), set()
    for place, start, press in ((1, 2, "Enter"), (2, 7, " "), (5, 28, None), (1, 2, None)):
        words.nth(place).press(press) if press else words.nth(place).click()
        out ^= {start}
        assert words.nth(place).get_attribute("aria-pressed") == str(start in out).lower()
        logit = without(model, text, out)
        assert verdict.inner_text().startswith(f"{int(logit > 0)}: without ")
        assert numbers(verdict.inner_text())[-1] == pytest.approx(abs(logit), abs=0.015)
    for place in (2, 5):
        words.nth(place).click()
    assert verdict.inner_text() == told
    assert opened.errors == []


def test_the_chapter_opens_with_a_mark_that_can_be_taken_out(chapter):
    tab = chapter("06_your_data", width=390).tab
    text, verdict = tab.locator("[data-terms]"), tab.get_by_role("status").first
    settle(tab)
    assert verdict.inner_text().startswith("negative: ")
    text.get_by_role("button", name="4", exact=True).click()
    assert verdict.inner_text().startswith("positive: ")
    boxes = [word.bounding_box() for word in text.get_by_role("button").all()]
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes)
