"""The map of runs of 10_synthetic: what is lost, and from where on a run is certain, is what the package finds."""

import re
from dataclasses import replace
from itertools import product

import pytest

import tokensel_nb as ts
from tokensel_nb.corpus import synthetic

STEPS, STARTS = (8, 12, 18, 24, 28, 32, 40), (0, 3, 6, 9, 12)
FURTHER = 0.88  # of the length at which the page looks, its look before is less


@pytest.fixture
def plaything(visit, site):
    """Return a function that opens the map."""

    def opened(state="", **window):
        tab = visit(site / "book" / "10_synthetic.html", fragment=state, **window).tab
        return tab.locator(".plaything").first

    return opened


def ends(step, start, length=1_500):
    """Say, by the package, what becomes of a run within a length."""
    corpus = synthetic.one_against_many(32, 11, 4, 4, seed=10)
    begin = ts.limit_parameters(corpus, step)
    begin = replace(begin, embeddings=begin.embeddings.round(12), cls_embedding=start * begin.output_vector)
    query = ts.gradient_flow(begin, corpus, length, records=8, tolerance=1e-5).cls_embedding
    scores = begin.embeddings @ query
    certain = ts.selection_certificate(begin, corpus).room(query) > 0
    return "Certified" if certain else "Lost" if scores[4] < scores[5:].max() else "Undecided"


def run(root, step, start):
    """Return the button of a run."""
    return root.get_by_role("button", name=f"Step {step}, start {start}", exact=True)


def test_every_run_ends_as_by_the_package(plaything):
    root, found = plaything(), {}
    for place in product(STEPS, STARTS):
        run(root, *place).click()
        found[place] = root.locator(".verdict strong").inner_text()
    assert found == {place: ends(*place) for place in found}
    assert list(found.values()).count("Lost") == 8
    marks = {place: run(root, *place).inner_text() for place in found}
    assert {found[place] for place, mark in marks.items() if mark == "✕"} == {"Lost"}


@pytest.mark.parametrize(("step", "start"), [(28, 9), (8, 12)])
def test_a_run_is_certain_from_where_the_package_says(plaything, step, start):
    verdict = plaything(f"#lose.step={step}&lose.start={start}").locator(".verdict").inner_text()
    length = int(re.search(r"length of (\d+)", verdict)[1])
    assert ends(step, start, length) == "Certified"
    assert ends(step, start, FURTHER * (length - 1)) != "Certified"


def test_arrows_go_from_run_to_run_and_reset_goes_back(plaything):
    root = plaything()
    cell = root.locator("[aria-pressed=true]")
    assert cell.get_attribute("aria-label") == "Step 28, start 9"
    cell.focus()
    root.page.keyboard.press("ArrowRight")
    root.page.keyboard.press("ArrowDown")
    assert root.locator("[aria-pressed=true]").get_attribute("aria-label") == "Step 32, start 6"
    assert root.locator("[aria-pressed=true]").evaluate("(each) => each === document.activeElement")
    root.get_by_role("button", name="Reset").click()
    assert root.locator("[aria-pressed=true]").get_attribute("aria-label") == "Step 28, start 9"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_map_is_a_map_whose_cells_a_finger_meets(plaything, width, theme):
    root = plaything(width=width, theme=theme)
    boxes = {place: run(root, *place).bounding_box() for place in product(STEPS, STARTS)}
    assert min(min(box["width"], box["height"] - 8) for box in boxes.values()) >= 32
    for (step, start), box in boxes.items():
        assert box["x"] == pytest.approx(boxes[step, 0]["x"], abs=1)
        assert box["y"] == pytest.approx(boxes[8, start]["y"], abs=1)
    run(root, 40, 9).click()
    lost, won = (run(root, *place).evaluate("(each) => getComputedStyle(each).color") for place in ((40, 9), (28, 9)))
    assert lost != won


def test_a_race_is_drawn_only_after_a_tap(plaything):
    root = plaything()
    assert root.locator(".race").count() == 0
    run(root, 32, 3).click()
    assert root.locator(".race").count() == 5


def test_a_wrong_address_is_no_error(plaything):
    assert plaything("#lose.step=7&lose.start=nowhere").locator("[aria-pressed=true]").count() == 1
