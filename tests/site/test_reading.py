"""What a reader does with the pages: search, open a solution, move a slider by the keyboard, go from page to page."""

import pytest
from pages import PAGES, each_page, no_sideways_scroll

SLIDERS = [page for page in PAGES if 'type="range"' in page.read_text("utf-8")]


@pytest.mark.long
def test_search_finds_the_signed_frequency(visit, site):
    """From the disk: Sphinx would fetch every page it found for an excerpt, which browsers forbid there."""
    opened = visit(site / "search.html", fragment="?q=signed+frequency")
    results = opened.tab.locator("ul.search li")
    results.first.wait_for()
    assert any("Two numbers per word" in text for text in results.all_inner_texts())
    assert opened.errors == []


@pytest.mark.long
def test_search_by_the_keyboard(chapter):
    tab = chapter("notation").tab
    tab.keyboard.press("Control+K")
    tab.keyboard.type("conservation law")
    tab.keyboard.press("Enter")
    tab.locator("ul.search li", has_text="Gradient flow").first.wait_for()  # results come one by one


def open_folds(tab, within):
    """Open by the keyboard what something lies folded in, from the outside in."""
    for fold in tab.locator("details.fold").filter(has=within).all():
        fold.locator("summary").first.focus()
        tab.keyboard.press("Enter")


def test_a_solution_and_a_proof_open_by_the_keyboard(chapter):
    tab = chapter("01_model").tab
    open_folds(tab, tab.locator(".solution"))
    solution = tab.locator("article .solution").first
    body = solution.locator("section, p:not(.admonition-title)").last
    assert not body.is_visible()
    solution.locator("button").first.press("Enter")
    assert body.is_visible()
    proof = tab.locator("article details.proof").first
    assert not proof.is_visible()
    open_folds(tab, tab.locator("details.proof"))
    proof.locator("summary").press("Enter")
    assert proof.evaluate("(each) => each.open")


@pytest.mark.long
def test_only_formulas_that_scroll_are_stops_of_the_tab_key(chapter):
    opened = chapter("15_tug_of_war", width=360)
    tab = opened.tab
    stops = tab.locator('.wide[tabindex="0"]:has(> math)')
    before = stops.count()
    assert tab.locator(".math[tabindex], .math [tabindex]").count() == before
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    tab.wait_for_function("(before) => document.querySelectorAll('.formula.wide').length > before", arg=before)
    tab.locator("span.math.wide").first.wait_for()  # within a line, too
    assert list(no_sideways_scroll(opened)) == []


@pytest.mark.parametrize("width", [360, 1200])
@each_page(SLIDERS)
def test_a_slider_answers_to_the_keyboard(visit, page, width):
    """One picture is to be seen at a time, another one after every key; the slider says which."""
    tab = visit(page, width=width).tab
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    figure = tab.locator("figure:has(.frame-slider)").first
    slider = figure.get_by_role("slider")
    slider.focus()
    said, shown = [], []
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        tab.keyboard.press(key)
        (visible,) = [image for image in figure.locator("img").all() if image.is_visible()]
        shown.append(visible.get_attribute("alt"))
        said.append(slider.get_attribute("aria-valuetext"))
    assert shown[0] != shown[1] != shown[2] != shown[3] != shown[4] != shown[0]
    assert all(said)
    assert len(set(said)) == len(set(shown))
    assert slider.evaluate("(each) => each.labels.length") == 1
    assert slider.bounding_box()["height"] >= 24  # the least that a thumb can hit


@each_page(SLIDERS)
def test_without_a_script_a_slider_is_a_picture_with_its_caption(visit, page):
    tab = visit(page, scripts=False).tab
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    figure = tab.locator("figure:has(.frame-slider)").first
    assert [image.is_visible() for image in figure.locator("img").all()].count(True) == 1
    assert figure.locator("figcaption").is_visible()
    assert not figure.locator("input").is_visible()
