"""What one plays with in 06_your_data: the list into which one plants a leak, of recorded reports, and the shaded text."""

import numpy as np
import pytest
from helpers import shipped
from pages import EVERY_STATE_OF_A_PLAYTHING, ROOT, address_of, numbers, problems, settle

import tokensel_nb as ts
from experiments.playthings import planted
from experiments.your_data import MARK, TEN
from tokensel_nb.chapters.your_data import shaded

PLAYTHING = ".tag_plaything-plant .plaything"
WIDTHS = """(all) => all.map((each) => [each.offsetWidth, each.parentElement.offsetWidth])"""
MOVING = """(list) => document.querySelector(`${list} tbody`).getAnimations({ subtree: true })
    .map((each) => each.effect.target.innerText)"""


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 06_your_data."""
    return lambda **window: visit(site / "book" / "06_your_data.html", **window)


def state(bad, good, shuffle=0):
    """Return what asks for a state in the address."""
    return f"#plant.bad={bad}&plant.good={good}&plant.shuffle={shuffle}"


def listed(tab):
    """Return the rows that are shown: words, and their places, suspicions as they are told, texts of their class and all."""
    rows = tab.locator(f"{PLAYTHING} tbody tr:has(th)").all()
    suspicions = [numbers(row.get_by_role("img").get_attribute("aria-label")) for row in rows]
    places, counts = ([numbers(row.locator(kind).inner_text()) for row in rows] for kind in (".place", ".count"))
    return [row.locator("th").inner_text() for row in rows], np.hstack([places, suspicions, counts])


def same(shown, run):
    """Check what is shown against a recorded report."""
    rows = [*enumerate(run["first"], 1)]
    if run["mark"] and run["mark"]["place"] > TEN:
        rows.append((run["mark"]["place"], run["mark"]["row"]))
    words, numbers_shown = shown
    assert words == [row[0] for _, row in rows]
    wanted = [(place, row[-1], round(row[3] * row[1]), row[1]) for place, row in rows]
    np.testing.assert_allclose(numbers_shown, wanted, atol=0.0051)


def test_the_data_are_what_is_recorded():
    assert shipped("plant_data") == planted() | {key: list(planted()[key]) for key in ("bad", "good")}
    assert len(shipped("plant_data")["runs"]) == 28


@pytest.mark.parametrize(("bad", "good"), [(0, 0), (5, 3), (20, 0), (30, 1), (40, 0), (60, 0), (60, 6)])
def test_the_list_is_that_of_the_report(chapter, bad, good):
    tab, run = chapter(fragment=state(bad, good)).tab, shipped("plant_data")["runs"][f"{bad} {good}"]
    same(listed(tab), run)
    for (filled, room), (*_, suspicion) in zip(tab.locator(f"{PLAYTHING} i").evaluate_all(WIDTHS), run["first"]):
        assert filled / room == pytest.approx(suspicion, abs=0.02)
    readout = tab.locator(f"{PLAYTHING} .readout").inner_text()
    if run["mark"]:
        place, suspicion = numbers(readout)[2:4]
        assert place == run["mark"]["place"]
        assert suspicion == pytest.approx(run["mark"]["row"][-1], abs=0.0051)
        assert readout.endswith("not named.") == (run["mark"]["row"][-1] <= 0.5)
    else:
        assert ("too rare" in readout) == (bad + good > 0)


def test_the_mark_and_what_reviewers_gave_stand_out(chapter):
    tab = chapter(fragment=state(60, 0)).tab
    bold = tab.locator(f"{PLAYTHING} tbody th").evaluate_all(
        "(all) => all.filter((each) => getComputedStyle(each).fontWeight > 600).map((each) => each.innerText)"
    )
    words = [word for word, *_ in shipped("plant_data")["runs"]["60 0"]["first"]]
    assert bold == [word for word in words if word == MARK or word.endswith((" 10", " out"))]
    assert len(bold) > 1


def test_labels_are_shuffled_again_and_again(chapter):
    tab = chapter().tab
    place = tab.locator(PLAYTHING)
    for number, run in enumerate(shipped("plant_data")["shuffled"], 1):
        place.get_by_role("button", name="Shuffle labels").press("Enter")
        readout = f"Shuffle {number} of 5, without {MARK}: the highest suspicion is {run['first'][0][-1]:.2f}."
        tab.wait_for_function(f"(told) => document.querySelector('{PLAYTHING} .readout').innerText === told", arg=readout)
        same(listed(tab), run)
    assert all(slider.is_disabled() for slider in place.get_by_role("slider").all())
    place.get_by_role("button", name="True labels").click()
    tab.wait_for_function(f"() => document.querySelector('{PLAYTHING} .readout').innerText.startsWith('{MARK} in 20')")


def test_it_is_used_by_keys_and_the_address_keeps_it(chapter):
    opened = chapter()
    tab = opened.tab
    place, readout = tab.locator(PLAYTHING), tab.locator(f"{PLAYTHING} .readout")
    first = readout.inner_text()
    assert first.startswith(f"{MARK} in 20 bad and 0 good reviews: place")
    assert "#" not in address_of(tab)
    for name, times in (("bad", 2), ("good", 1)):
        place.get_by_role("slider", name=name).focus()
        for _ in range(times):
            tab.keyboard.press("ArrowRight")
    settle(tab)
    told = readout.inner_text()
    assert told.startswith(f"{MARK} in 40 bad and 1 good review: place")
    tab.wait_for_function(f"(told) => document.querySelector('{PLAYTHING} [role=status]').textContent === told", arg=told)
    assert "plant.bad=40" in address_of(tab)
    tab.reload()
    settle(tab)
    assert readout.inner_text() == told
    place.get_by_role("button", name="Reset").click()
    settle(tab)
    assert readout.inner_text() == first
    assert "plant." not in address_of(tab)
    assert opened.errors == []


def test_words_move_to_their_places_unless_nothing_should(chapter):
    tab = chapter().tab
    bad = tab.locator(PLAYTHING).get_by_role("slider", name="bad")
    bad.press("End")
    tab.wait_for_function(f"(list) => ({MOVING})(list).some((text) => text.includes('{MARK}'))", arg=PLAYTHING)
    tab.wait_for_function(f"(list) => ({MOVING})(list).length === 0", arg=PLAYTHING)
    tab.emulate_media(reduced_motion="reduce")
    bad.press("Home")
    tab.wait_for_function(f"() => document.querySelector('{PLAYTHING} .readout').innerText.startsWith('No review')")
    assert tab.evaluate(MOVING, PLAYTHING) == []


@pytest.mark.parametrize(
    ("theme", "width", "fragment"),
    [("light", 1280, ""), ("dark", 360, state(30, 3)), ("light", 390, state(60, 0, 2)), ("dark", 1280, state(60, 0))],
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    inner, outer = opened.tab.evaluate(
        f"() => ['table', ''].map((part) => document.querySelector('{PLAYTHING} ' + part).offsetWidth)"
    )
    assert inner < outer
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


def test_without_scripts_the_picture_stays(chapter):
    tab = chapter(scripts=False).tab
    assert tab.locator(".tag_plaything-plant img").is_visible()
    assert tab.locator(".plaything").count() == 0


# The shaded text


def without(model, text, starts):
    """Return the logit of a text in which words that begin there are unknown."""
    letters = list(text)
    for at in sorted(starts, reverse=True):
        letters[at : at + len(text[at:].split()[0])] = "zqxv"
    return model.logits(["".join(letters)])[0]


def test_a_word_is_taken_out_of_the_sum(visit, tmp_path):
    """By a tap and by a key; of a word that stands there twice, one place at a time."""
    model = ts.TextClassifier(min_texts=1).fit(
        ["a good film", "good and moving", "a bad film", "bad and long"] * 10, [1, 1, 0, 0] * 10
    )
    text = "a good good film and unseen bad"
    scripts = [(ROOT / "book/_static/playthings" / f"{name}.js").as_uri() for name in ("engine", "ui", "leave")]
    page = tmp_path / "page.html"
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)
    page.write_text(f'<meta charset="utf-8">{shaded(ts.explain(model, text)).data}{tags}', "utf-8")
    opened = visit(page)
    words, verdict = opened.tab.get_by_role("button"), opened.tab.get_by_role("status")
    assert words.all_inner_texts() == [word for word in text.split() if word != "unseen"]
    told, out = verdict.inner_text(), []
    for place, start, press in ((1, 2, "Enter"), (2, 7, " "), (5, 28, None), (1, 2, None)):
        words.nth(place).press(press) if press else words.nth(place).click()
        out = sorted({start} ^ {*out})
        assert words.nth(place).get_attribute("aria-pressed") == str(start in out).lower()
        logit = without(model, text, out)
        assert verdict.inner_text().startswith(f"{int(logit > 0)}: without ")
        assert numbers(verdict.inner_text())[-1] == pytest.approx(abs(logit), abs=0.015)
    for place in (2, 5):
        words.nth(place).click()
    assert verdict.inner_text() == told
    assert opened.errors == []


def test_the_chapter_opens_with_a_mark_that_can_be_taken_out(chapter):
    opened = chapter(width=390)
    text, verdict = opened.tab.locator("[data-terms]"), opened.tab.get_by_role("status").first
    assert verdict.inner_text().startswith("negative: ")
    text.get_by_role("button", name="4", exact=True).click()
    assert verdict.inner_text().startswith("positive: ")
    assert all(
        min(box["width"], box["height"]) >= 24
        for box in map(lambda word: word.bounding_box(), text.get_by_role("button").all())
    )
