"""The line at which one stops, in 07_ablations, as a reader meets it; its numbers are those that are recorded."""

import numpy as np
import pytest
from helpers import shipped
from pages import EVERY_STATE_OF_A_PLAYTHING, numbers, problems, settle

from experiments.curves import KINDS, RUNS, along
from tokensel_nb.chapters.recorded import recorded

PLAYTHING = ".tag_plaything-stop .plaything"


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 07_ablations."""
    return lambda **window: visit(site / "book" / "07_ablations.html", **window)


def said(tab):
    """Return what is said below the picture: the step, and how much is right of new reviews and of known ones."""
    return numbers(tab.locator(f"{PLAYTHING} .readout").inner_text())


def test_the_curves_are_those_that_are_recorded():
    data, sides = shipped("stop_data"), recorded("ablations_sides")
    assert {name: curves for name, curves in data.items() if name != "shuffled"} == {
        side: along(sides[side]["runs"][:RUNS]) for side in ("all", "bag", "frozen", "one_step")
    }
    assert data["shuffled"]["steps"] == data["all"]["steps"]
    assert 480 < np.mean(data["shuffled"]["new"]) < 510  # a coin flip
    assert min(run[-1] for run in data["shuffled"]["own"]) > 750  # by heart


@pytest.mark.parametrize(("model", "step"), [("all", 24), ("one_step", 540), ("frozen", 100), ("bag", 145)])
def test_it_says_what_is_recorded(chapter, model, step):
    step_said, *found = said(chapter(fragment=f"#stop.model={model}&stop.step={step}").tab)
    runs = recorded("ablations_sides")[model]["runs"][:RUNS]
    assert step_said == pytest.approx(step, rel=0.04)  # the line stands at steps that differ by some percent
    for percent, name in zip(found, (KINDS["new"], KINDS["own"])):
        means = np.mean([np.interp(step_said, run["steps"], run[name]) for run in runs])
        assert percent == pytest.approx(100 * means, abs=0.6)


@pytest.mark.parametrize(
    ("model", "step", "level", "place"),
    [("frozen", 29, 72, 1), ("all", 22, 88, 1), ("all", 31, 95, 2), ("shuffled", 31, 50, 1)],
)
def test_each_level_lies_on_an_honest_curve(chapter, model, step, level, place):
    tab = chapter(fragment=f"#stop.model={model}&stop.step={step}").tab
    assert said(tab)[place] == pytest.approx(level, abs=1 if level == 50 else 0)
    assert bool(tab.locator(f"{PLAYTHING} .level.hit").count()) == (level != 50)


def test_it_moves_by_keys_and_the_address_keeps_it(chapter):
    opened = chapter()
    tab = opened.tab
    chart = tab.locator(f"{PLAYTHING} .chart")
    chart.focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    settle(tab)
    assert said(tab)[0] > 8
    assert chart.get_attribute("aria-valuetext").endswith("of those it learns from.")
    tab.keyboard.press("End")
    settle(tab)
    last = said(tab)
    assert last[0] == pytest.approx(34, rel=0.04)  # where its runs end
    assert last[2] == 96
    tab.reload()
    settle(tab)
    assert said(tab) == last
    tab.locator(PLAYTHING).get_by_role("button", name="Reset").click()
    settle(tab)
    assert said(tab)[0] == 8
    assert opened.errors == []


def test_it_is_dragged_and_another_network_chosen(chapter):
    tab = chapter(width=390).tab
    chart = tab.locator(f"{PLAYTHING} .chart")
    tab.locator(PLAYTHING).get_by_role("button", name="no attention").click()
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    tab.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 80)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 2, box["y"] + 80, steps=5)
    tab.mouse.up()
    settle(tab)
    assert said(tab)[0] == pytest.approx(165, rel=0.04)
    assert tab.locator(f"{PLAYTHING} .readout").inner_text().startswith("No attention")


@pytest.mark.parametrize(("model", "step"), [("all", 24), ("all", 34), ("one_step", 34), ("frozen", 700), ("shuffled", 34)])
def test_on_a_phone_its_labels_are_whole(chapter, model, step):
    chart = chapter(width=390, fragment=f"#stop.model={model}&stop.step={step}").tab.locator(f"{PLAYTHING} .chart")
    box = chart.bounding_box()
    for label in ("known", "new"):
        told = chart.locator("text", has_text=label).bounding_box()
        assert box["x"] <= told["x"]
        assert told["x"] + told["width"] <= box["x"] + box["width"]


@pytest.mark.parametrize(("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#stop.model=shuffled")])
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    assert problems(chapter(theme=theme, width=width, fragment=fragment), EVERY_STATE_OF_A_PLAYTHING) == []
