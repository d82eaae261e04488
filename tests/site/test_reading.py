"""What a reader does with the pages: search, open a solution, move a slider by the keyboard."""

from itertools import pairwise

import pytest
from pages import PAGES, each_page

SLIDERS = [page for page in PAGES if 'type="range"' in page.read_text("utf-8")]


@pytest.mark.long
def test_search_by_the_keyboard(chapter):
    """From the disk: Sphinx would fetch every page it found for an excerpt, which browsers forbid there."""
    opened = chapter("notation")
    opened.tab.keyboard.press("Control+K")
    opened.tab.keyboard.type("conservation law")
    opened.tab.keyboard.press("Enter")
    opened.tab.locator("ul.search li", has_text="Gradient flow").first.wait_for()  # results come one by one
    assert opened.errors == []


def open_folds(tab, within):
    """Open by the keyboard what something lies folded in, from the outside in."""
    for fold in tab.locator("details.fold").filter(has=within).all():
        fold.locator("summary").first.press("Enter")


def test_a_solution_and_a_proof_open_by_the_keyboard(chapter):
    tab = chapter("01_model").tab
    open_folds(tab, tab.locator(".solution"))
    solution, proof = tab.locator("article .solution").first, tab.locator("article details.proof").first
    body = solution.locator("section, p:not(.admonition-title)").last
    assert not body.is_visible()
    solution.locator("button").first.press("Enter")
    assert body.is_visible()
    open_folds(tab, tab.locator("details.proof"))
    proof.locator("summary").press("Enter")
    assert proof.evaluate("(each) => each.open")


@each_page(SLIDERS)
def test_a_slider_answers_to_the_keyboard_and_without_scripts_is_a_picture(visit, page):
    """One picture is to be seen at a time, another one after every key; the slider says which."""
    for scripts in (False, True):
        tab = visit(page, scripts=scripts, width=360).tab
        tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
        figure = tab.locator("figure:has(.frame-slider)").first
        assert [image.is_visible() for image in figure.locator("img").all()].count(True) == 1
        assert figure.locator("figcaption").is_visible()
        assert figure.locator("input").is_visible() == scripts
    slider, said = figure.get_by_role("slider"), []
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        slider.press(key)
        (visible,) = [image for image in figure.locator("img").all() if image.is_visible()]
        said.append((slider.get_attribute("aria-valuetext"), visible.get_attribute("alt")))
    assert all(one[0] != other[0] and one[1] != other[1] for one, other in pairwise(said))
    assert slider.bounding_box()["height"] >= 24  # the least that a thumb can hit
