"""What a head sees, in 12_transformers, as a reader meets it; curves and looks are those of the recorded networks."""

import re

import numpy as np
import pytest
from helpers import shipped
from pages import EVERY_STATE_OF_A_PLAYTHING, address_of, numbers, problems, settle

from experiments.playthings import FINE, LETTERS, NETWORKS
from tokensel_nb.chapters.recorded import recorded

PLAYTHING = ".tag_plaything-heads .plaything"
EMPHASIS = "#heads.network=free 4&heads.layer=3&heads.head=2&heads.step=100&heads.text=zqx <b>amazing</b> flight " + "zqx" * 30


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 12_transformers."""
    return lambda **window: visit(site / "book" / "12_transformers.html", **window)


def look(word, network, moment, layer, head):
    """Return how much a head looks at a word, over the average, as the data have it."""
    data = shipped("heads_data")
    letter = data["looks"][network][moment][layer][head][data["vocabulary"].index(word)]
    return 2 ** ((ord(letter) - sum(LETTERS) // 2) / FINE)


def sizes(tab):
    """Return the words of the sentence and how large each is drawn."""
    spans = tab.locator(f"{PLAYTHING} .reading span").all()
    return {each.inner_text().lower(): float((numbers(each.get_attribute("style") or "") or [1])[0]) for each in spans}


def curve(tab, kind="chosen"):
    """Return the heights of a line of the picture, upwards."""
    path = tab.locator(f"{PLAYTHING} path.{kind}").first.get_attribute("d")
    return -np.array([float(y) for _, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)])


def test_the_curves_are_those_that_are_recorded():
    data = shipped("heads_data")
    runs = recorded("heads_tweets") | recorded("deep_heads_tweets")
    assert data["moments"] == runs["moments"]
    assert list(data["curves"]) == list(data["looks"]) == list(NETWORKS)
    for network, curves in data["curves"].items():
        groups = np.array(runs[network]["curves"])
        wanted = groups.reshape(*groups.shape[:3], -1, 2).mean(axis=-1)
        np.testing.assert_allclose(curves, wanted, atol=0.06)  # another processor rounds otherwise
        np.testing.assert_array_less(np.abs(np.log2(curves)), 2.3)  # the picture has no more room
        assert {len(head) for moment in data["looks"][network] for layer in moment for head in layer} == {
            len(data["vocabulary"])
        }


def test_a_u_looks_at_both_sides_and_a_head_on_a_line_at_one():
    assert look("amazing", "free 1", 3, 0, 2) > 4
    assert look("lost", "free 1", 3, 0, 2) > 2
    assert look("amazing", "line 1", 3, 0, 0) > 4
    assert look("lost", "line 1", 3, 0, 0) < 0.25
    assert look("lost", "free 1", 1, 0, 2) < 1.3 < 2.5 < look("amazing", "free 1", 1, 0, 2)  # a tilt on the way


@pytest.mark.parametrize(
    ("network", "layer", "head", "step"), [("free 1", 1, 3, 750), ("line 1", 1, 1, 750), ("free 4", 4, 4, 250)]
)
def test_a_sentence_is_as_large_as_the_head_looks_at_it(chapter, network, layer, head, step):
    tab = chapter(fragment=f"#heads.network={network}&heads.layer={layer}&heads.head={head}&heads.step={step}").tab
    moment = shipped("heads_data")["moments"].index(step)
    seen = {word: look(word, network, moment, layer - 1, head - 1) for word in sizes(tab)}
    assert len(seen) == 10
    for word, size in sizes(tab).items():
        assert size == pytest.approx(np.clip(seen[word] ** 0.5, 0.7, 2.2), abs=0.006)
    most = max(seen, key=seen.get)
    readout = tab.locator(f"{PLAYTHING} .readout").inner_text()
    assert f"“{most}” {seen[most]:.1f} times" in readout
    heights = curve(tab)
    wanted = np.log2(shipped("heads_data")["curves"][network][moment][layer - 1][head - 1])
    said = numbers(tab.locator(f"{PLAYTHING} .chart").get_attribute("aria-label"))
    np.testing.assert_allclose(said, 2**wanted, atol=0.051)
    assert np.ptp(heights) == pytest.approx(np.ptp(wanted) * (220 - 24 - 14) / 4.6, abs=0.3)


def test_praise_is_blue_and_what_is_rare_is_said_to_be_so(chapter):
    tab = chapter(fragment="#heads.text=Amazing <b>zqx</b>, lost the bag").tab
    kinds = {each.inner_text(): each.get_attribute("class") for each in tab.locator(f"{PLAYTHING} .reading span").all()}
    assert kinds == {"Amazing": "praise", "b": "unknown", "zqx": "unknown", "lost": "blame", "the": None, "bag": "blame"}
    assert tab.locator(f"{PLAYTHING} b").count() == 0
    assert "Dotted words are not counted." in tab.locator(f"{PLAYTHING} .readout").inner_text()
    tab.get_by_role("textbox", name="your own sentence").fill("zqx")
    settle(tab)
    assert tab.locator(f"{PLAYTHING} .readout").inner_text().endswith("these words are too rare.")


def test_it_is_used_by_keys_and_the_address_keeps_it(chapter):
    opened = chapter()
    tab = opened.tab
    place, readout = tab.locator(PLAYTHING), tab.locator(f"{PLAYTHING} .readout")
    first = readout.inner_text()
    assert first.startswith("After 750 steps, head 3 of layer 1 gives “amazing”")
    assert "#" not in address_of(tab)
    slider = place.get_by_role("slider")
    slider.focus()
    for _ in range(2):
        tab.keyboard.press("ArrowLeft")
    place.get_by_role("button", name="2 layers").press("Enter")
    place.get_by_role("group", name="layer").get_by_role("button", name="2", exact=True).press("Enter")
    place.get_by_role("group", name="head").get_by_role("button", name="4", exact=True).press("Enter")
    settle(tab)
    assert "After 100 steps, head 4 of layer 2" in readout.inner_text()
    assert place.get_by_role("group", name="layer").get_by_role("button", name="3", exact=True).is_disabled()
    told = readout.inner_text()
    tab.wait_for_function(f"(told) => document.querySelector('{PLAYTHING} [role=status]').textContent === told", arg=told)
    assert "heads.network=free+2" in address_of(tab)
    tab.reload()
    settle(tab)
    assert readout.inner_text() == told
    place.get_by_role("button", name="1 layer", exact=True).click()
    place.get_by_role("button", name="Why is").click()
    settle(tab)
    assert "worst" in sizes(tab)
    assert "of layer 1" in readout.inner_text()
    place.get_by_role("button", name="Reset").click()
    settle(tab)
    assert readout.inner_text() == first
    assert "heads." not in address_of(tab)
    assert opened.errors == []


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, EMPHASIS), ("light", 390, EMPHASIS)]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    assert problems(chapter(theme=theme, width=width, fragment=fragment), EVERY_STATE_OF_A_PLAYTHING) == []


def test_without_scripts_the_picture_stays(chapter):
    tab = chapter(scripts=False).tab
    assert tab.locator(".tag_plaything-heads img").is_visible()
    assert tab.locator(".plaything").count() == 0
