"""What a reader does with the pages: search, and open a solution."""

import pytest


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
