"""Every button at the top of a page, and of the front page: what it opens, it closes again, and the page answers afterwards."""

import pytest
from pages import PAGES, Visit, each_page, middle

WIDTHS = {390: True, 768: False, 1280: False}  # pixels: whether it is touched
LARGE = 40  # pixels, each way: less is nothing that opens
CONTROLS = ":is(.article-header-buttons, .bar, body > main #essay, #stage) button:not([popover] *)"
IS_LARGE = f"""(id) => {{
    const {{ width, height }} = document.getElementById(id).getBoundingClientRect();
    return Math.min(width, height) > {LARGE} && document.getElementById(id).checkVisibility({{ visibilityProperty: true }});
}}"""
ANSWERS = """(control) => {
    const { x, y, width, height } = control.getBoundingClientRect();
    return control.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
INTO_VIEW = "(control) => control.scrollIntoView({ block: 'end', behavior: 'instant' })"
UNFOLDED = "() => document.querySelectorAll('article details[open]').length"


@pytest.fixture(params=[390, pytest.param(768, marks=pytest.mark.long), 1280])
def window(request, chromium):
    """Return a tab of some width."""
    context = chromium.new_context(viewport={"width": request.param, "height": 800}, has_touch=WIDTHS[request.param])
    context.set_default_timeout(120_000)  # ms: a busy machine is slow, not wrong
    yield Visit(context.new_page())
    context.close()


def press(visit, place):
    """Press a place, by what the window is used with."""
    touched = WIDTHS[visit.tab.viewport_size["width"]]
    (visit.tab.touchscreen.tap if touched else visit.tab.mouse.click)(*place)


def faults(visit, page):
    """Yield what is wrong with the controls of a page."""
    visit.tab.goto(page.as_uri())
    for control in visit.tab.locator(CONTROLS).all():
        if control.is_visible():
            name = control.evaluate("(each) => each.outerHTML.slice(0, 120)")
            yield from (f"{name}: {fault}" for fault in unanswered(visit, control))
    visit.tab.evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    visit.tab.mouse.wheel(0, 100)
    visit.tab.wait_for_function("() => scrollY > 0 || document.documentElement.scrollHeight <= innerHeight")
    yield from visit.errors


def unanswered(visit, button):
    """Yield what a button does not do when it is pressed, and pressed again."""
    tab, opened = visit.tab, button.get_attribute("aria-controls")
    button.evaluate(INTO_VIEW)
    if not button.evaluate(ANSWERS):
        yield "something else lies on it"
        return
    place, kind, unfolded = middle(button), button.get_attribute("data-kind"), tab.evaluate(UNFOLDED)
    press(visit, place)
    if opened and not tab.evaluate(IS_LARGE, opened):
        yield "opens nothing"
    if kind and tab.evaluate(UNFOLDED) <= unfolded:
        yield "unfolds nothing"
    if opened or kind or not button.is_visible():
        press(visit, place if opened else middle(button))
    if opened and tab.evaluate(IS_LARGE, opened):
        yield "does not close"
    if opened and not button.evaluate(ANSWERS):
        yield "the page is frozen"
        tab.reload()


@each_page(PAGES)
def test_every_control_answers(window, page):
    assert list(faults(window, page)) == []


WAYS = {
    "Escape": lambda window, place: window.tab.keyboard.press("Escape"),
    "a press beside it": lambda window, place: press(window, (10, 500)),
    "a second press": press,
    "a link in it": lambda window, place: window.tab.locator("#pst-secondary-sidebar a").last.click(),
}


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_the_contents_of_a_page_close(window, site, way):
    window.tab.goto((site / "book" / "03_flow.html").as_uri())
    place = middle(window.tab.get_by_role("button", name="On this page"))
    press(window, place)
    assert window.tab.evaluate(IS_LARGE, "pst-secondary-sidebar")
    WAYS[way](window, place)
    window.tab.wait_for_function(f"(id) => !({IS_LARGE})(id)", arg="pst-secondary-sidebar", timeout=10_000)


@pytest.mark.long
def test_the_bar_of_a_phone_leaves_and_returns(window, site):
    """A chapter's name is in it; all that is pressed is 24 pixels large, the ticks in the text included."""
    tab = window.tab
    tab.goto((site / "book" / "04_reviews.html").as_uri())
    phone = tab.viewport_size["width"] < 600
    there = "() => document.querySelector('.modes button').getBoundingClientRect().bottom > 0"
    tab.mouse.wheel(0, 1500)
    tab.wait_for_function("() => scrollY > 1400")
    tab.wait_for_function(f"(phone) => ({there})() !== phone", arg=phone)
    tab.mouse.wheel(0, -200)
    tab.wait_for_function(there)
    tab.wait_for_function("() => document.querySelector('.where').checkVisibility()")
    assert tab.locator(".where").inner_text() == "4. Twenty thousand reviews"
    small = """() => [...document.querySelectorAll(".bd-header-article :is(a, button), .checked button")]
        .filter((each) => each.checkVisibility() && !each.closest("[popover]"))
        .filter((each) => Math.min(each.getBoundingClientRect().width, each.getBoundingClientRect().height) < 24)
        .map((each) => each.outerHTML)"""
    assert tab.evaluate(small) == []
