"""From a small start, in 12_transformers, as a reader meets it; what its layer learns is what the package makes of it."""

import re

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, address_of, numbers, problems, settle

import tokensel_nb as ts

PLAYTHING = ".tag_plaything-start .plaything"
SIZES, END, EACH, WAITS, LEFT = (1, 0.1, 0.01, 0.001), 800, 4, 0.68, 0.6
DONE = (
    f"() => document.querySelectorAll('{PLAYTHING} path.horns')[0]?.getAttribute('d').split('L').length === {END // EACH + 1}"
)


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 12_transformers and waits until all is computed."""

    def opened(**window):
        found = visit(site / "book" / "12_transformers.html", **window)
        found.tab.wait_for_function(DONE)
        return found

    return opened


def of_page(tab, size, dim):
    """Return the texts and the start that the page has, as the package takes them."""
    leans, texts, start = tab.evaluate(
        "([size, dim]) => [tokensel.leaning.leans, tokensel.leaning.texts, tokensel.leaning.start(size, dim)]", [size, dim]
    )
    counts = [np.bincount(text["tokens"], minlength=len(leans)) for text in texts]
    corpus = ts.Corpus(counts, [text["label"] for text in texts], [f"w{s}" for s in range(len(leans))])
    arrays = [np.array(start["E"], float), np.array(start["p"], float), np.array(start["v"][0], float)]
    return np.array(leans), corpus, ts.Parameters(*arrays)


def followed(leans, corpus, parameters):
    """Return what the package makes of them, every four units of time: the correlations with lean and size, and the loss."""
    rows, loss = [], 1.0
    for _ in range(END // EACH + 1):
        scores, rate = parameters.token_scores, 2 if loss > WAITS else 0.5
        rows.append([np.corrcoef(scores, each)[0, 1] for each in (leans, np.abs(leans))])
        for _ in range(int(EACH / rate)):
            loss = ts.loss(parameters, corpus)
            ts.descend_(parameters, corpus, rate)
        rows[-1].append(loss)
    return np.array(rows)


def heights(tab, kind):
    """Return a line of the picture, in its units."""
    path = tab.locator(f"{PLAYTHING} path.{kind}").get_attribute("d")
    down = np.array([float(y) for _, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)])
    top, bottom = 14, 220 - 24
    return 1.15 - 1.45 * (down - top) / (bottom - top)


@pytest.mark.parametrize(("size", "line"), [(1, 0), (0.01, 0), (0.001, 0), (0.01, 1)])
def test_it_learns_as_the_package_does(chapter, size, line):
    tab = chapter(fragment=f"#start.size={size}&start.line={line}&start.time=240").tab
    leans, corpus, start = of_page(tab, size, 1 if line else 8)
    rows = followed(leans, corpus, start)
    np.testing.assert_allclose(heights(tab, "tilt"), np.abs(rows[:, 0]), atol=0.006)
    np.testing.assert_allclose(heights(tab, "horns"), rows[:, 1], atol=0.006)
    time, signed, sized, left, later, theory = numbers(tab.locator(f"{PLAYTHING} .readout").inner_text())
    assert (time, signed, sized) == (240, *(pytest.approx(each, abs=0.006) for each in rows[240 // EACH, :2]))
    slowness = 2 / np.linalg.norm(corpus.signed_share())
    assert theory == pytest.approx(np.log(1 / size) * slowness, abs=0.51)
    assert left == EACH * np.flatnonzero(rows[:, 2] < LEFT)[0]
    assert later == pytest.approx(left - theory, abs=1)


def test_a_smaller_start_waits_longer_and_tilts_more_purely_and_a_line_has_no_horns(chapter):
    leaves, tilts = [], []
    for size in SIZES:
        tab = chapter(fragment=f"#start.size={size}&start.time=800").tab
        leaves.append(numbers(tab.locator(f"{PLAYTHING} .readout").inner_text())[3:5])
        tilts.append(heights(tab, "tilt").max())
        assert heights(tab, "horns").max() > 0.6
        tab = chapter(fragment=f"#start.size={size}&start.line=1").tab
        assert heights(tab, "tilt")[-1] > 0.9
        assert heights(tab, "horns").max() < 0.4
    left, later = np.transpose(leaves)
    assert np.diff(left).min() > 80
    assert np.ptp(later[1:]) <= 8  # a constant, whatever the start, if it is small
    assert tilts[0] < 0.35 < 0.9 < tilts[1] < tilts[2] + 0.01


def test_time_moves_by_keys_and_the_address_keeps_it(chapter):
    opened = chapter()
    tab = opened.tab
    place, readout = tab.locator(PLAYTHING), tab.locator(f"{PLAYTHING} .readout")
    first = readout.inner_text()
    assert "a tilt" in readout.inner_text()
    assert "start." not in address_of(tab)
    place.get_by_role("slider").focus()
    tab.keyboard.press("End")
    settle(tab)
    assert "Time 800: horns." in readout.inner_text()
    tab.keyboard.press("Home")
    settle(tab)
    assert "Time 0: near zero." in readout.inner_text()
    place.get_by_role("button", name="on a line").press("Enter")
    place.get_by_role("button", name="0.001").press("Enter")
    tab.keyboard.press("Tab")
    tab.wait_for_function(DONE)
    settle(tab)
    assert "start.line=1" in address_of(tab)
    told = readout.inner_text()
    tab.wait_for_function(f"(told) => document.querySelector('{PLAYTHING} [role=status]').textContent === told", arg=told)
    tab.reload()
    tab.wait_for_function(DONE)
    assert readout.inner_text() == told
    place.get_by_role("button", name="Reset").click()
    settle(tab)
    tab.wait_for_function(DONE)
    assert readout.inner_text() == first
    assert "start." not in address_of(tab)
    assert opened.errors == []


def test_it_answers_within_a_second(chapter):
    tab = chapter().tab
    began = tab.evaluate("() => performance.now()")
    tab.locator(PLAYTHING).get_by_role("button", name="0.1").click()
    settle(tab)
    tab.wait_for_function(DONE)
    assert tab.evaluate("() => performance.now()") - began < 3000  # on a busy machine; alone, a third of a second


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#start.size=0.001&start.line=1&start.time=700")]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    assert problems(chapter(theme=theme, width=width, fragment=fragment), EVERY_STATE_OF_A_PLAYTHING) == []


def test_the_picture_stays_above_it(visit, site):
    tab = visit(site / "book" / "12_transformers.html", scripts=False).tab
    assert tab.locator(".tag_plaything-start img").is_visible()
    assert tab.locator(".plaything").count() == 0
    assert visit(site / "book" / "12_transformers.html").tab.locator(".tag_plaything-start img").is_visible()
