"""Every button at the top of a page, and of the front page: what it opens, it closes again, and the page answers afterwards."""

import pytest
from pages import PAGES, each_page, middle

CONTROLS = ":is(.article-header-buttons, .bar, body > main #essay, #stage) button:not([popover] *)"
# At least 40 pixels, each way: less is nothing that opens.
IS_LARGE = """(id) => {
    const { width, height } = document.getElementById(id).getBoundingClientRect();
    return Math.min(width, height) > 40 && document.getElementById(id).checkVisibility({ visibilityProperty: true });
}"""
ANSWERS = """(control) => {
    const { x, y, width, height } = control.getBoundingClientRect();
    return control.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
INTO_VIEW = "(control) => control.scrollIntoView({ block: 'end', behavior: 'instant' })"
UNFOLDED = "() => document.querySelectorAll('article details[open]').length"


@pytest.fixture(params=[390, pytest.param(1280, marks=pytest.mark.long)])
def window(request, visit):
    """Return a function that opens a page in a window of some width, and presses places, by what the window is used with."""

    def opened(page):
        found = visit(page, width=request.param, has_touch=request.param == 390)
        found.press = found.tab.touchscreen.tap if request.param == 390 else found.tab.mouse.click
        return found

    return opened


def faults(visit, button):
    """Yield what a button does not do when it is pressed, and pressed again."""
    tab, opened = visit.tab, button.get_attribute("aria-controls") or button.get_attribute("popovertarget")
    button.evaluate(INTO_VIEW)
    if not button.evaluate(ANSWERS):
        yield "something else lies on it"
        return
    place, kind, unfolded = middle(button), button.get_attribute("data-kind"), tab.evaluate(UNFOLDED)
    visit.press(*place)
    if opened and not tab.evaluate(IS_LARGE, opened):
        yield "opens nothing"
    if kind and tab.evaluate(UNFOLDED) <= unfolded:
        yield "unfolds nothing"
    if opened or kind or not button.is_visible():
        visit.press(*(place if opened else middle(button)))
    if opened and tab.evaluate(IS_LARGE, opened):
        yield "does not close"
    if opened and not button.evaluate(ANSWERS):
        yield "the page is frozen"
        tab.reload()


@each_page(PAGES)
def test_every_control_answers(window, page):
    visit = window(page)
    for control in visit.tab.locator(CONTROLS).all():
        if control.is_visible():
            assert list(faults(visit, control)) == [], control.evaluate("(each) => each.outerHTML.slice(0, 120)")
    visit.tab.evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    visit.tab.mouse.wheel(0, 100)
    visit.tab.wait_for_function("() => scrollY > 0 || document.documentElement.scrollHeight <= innerHeight")
    assert visit.errors == []


@pytest.mark.long
def test_what_is_pressed_is_large_enough_for_a_thumb(window, site):
    """The ticks in the text included."""
    small = """() => [...document.querySelectorAll(":is(.bd-header-article, .checked) :is(a, button), button.checked")]
        .filter((each) => each.checkVisibility() && !each.closest("[popover]"))
        .filter((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 24)
        .map((each) => each.outerHTML)"""
    assert window(site / "book" / "04_reviews.html").tab.evaluate(small) == []
