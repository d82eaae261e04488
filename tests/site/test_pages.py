"""Every page in a real browser, on a phone and on a laptop, in both themes."""

import json
from itertools import product

import pytest
from pages import IN_TEST, PAGES, accessible, no_console_error, no_outside_request, no_sideways_scroll, violations

PHONE, LAPTOP = 320, 1200  # the first is a laptop at 400%, too
ALT = 30  # characters: fewer cannot say what a figure shows


# Each rule yields what is wrong with an opened page; those that a page keeps in every state are in pages.py.


def unique_ids(visit):
    """An id names one element."""
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll("[id]")].map((each) => each.id)
        .filter((id, i, all) => all.indexOf(id) < i)""")


def formulas_set(visit):
    """No formula is left as it was typed."""
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll(".math")]
        .filter((each) => !each.querySelector("math") || each.textContent.includes("\\\\")).map((each) => each.textContent)""")


def nothing_cut_off(visit):
    """Prose, captions, code and what it prints wrap: nothing scrolls sideways. Formulas may; their numbers stay."""
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll("article :is(p, li, figcaption, pre, .output)")]
        .filter((each) => each.scrollWidth > each.clientWidth + 1 && !each.querySelector("table"))
        .filter((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX))
        .map((each) => `scrolls: ${each.textContent.trim().slice(0, 80)}`)""")
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll("article .eqno")]
        .filter((each) => each.offsetParent && each.getBoundingClientRect().right > window.innerWidth)
        .map((each) => `out of sight: the number ${each.textContent}`)""")


def something_to_see(visit):
    """A page with code opens with a good part of a picture or plaything: before code that is not folded, in time to be seen."""
    if visit.tab.locator("article .cell_input").count():
        picture, code, width = visit.tab.evaluate("""() => {
            const least = (each) => each.localName === "p" ? 25 : 100; // px; a text whose words are coloured may be a line
            const visible = (each) => each.checkVisibility() && each.getBoundingClientRect().height > least(each);
            const first = (what) => [...document.querySelectorAll(what)].find(visible)?.getBoundingClientRect().top ?? Infinity;
            const picture = first("article :is(figure img, .cell_output img, .cell_output p:has(> span[title]), .plaything)");
            return [picture, first("article .cell_input pre"), innerWidth];
        }""")
        if picture > code or picture + 150 > (900 if width > 600 else 2 * 844):  # a laptop's first screen, a phone's first two
            yield f"a picture at {picture}, code at {code}"


def solutions_closed(visit):
    """Proofs, hints and solutions are closed until a reader opens them; what a cell shows may be open."""
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll("article details")]
        .filter((each) => each.open && !each.closest(".cell_output")).map((each) => each.textContent.slice(0, 80))""")
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll("article .dropdown.admonition, article .solution")]
        .filter((each) => !each.classList.contains("toggle-hidden")).map((each) => each.textContent.slice(0, 80))""")


def described(visit):
    """Every image has an alternative text; that of a figure says what it shows."""
    for alt, figure, source in visit.tab.evaluate("""() => [...document.querySelectorAll("main img")]
            .map((each) => [each.alt, each.closest("figure, .cell_output") !== null, each.src.slice(-60)])"""):
        if not alt or (figure and len(alt) < ALT):
            yield f"{source}: {alt!r}"


RULES = (
    no_console_error,
    no_outside_request,
    unique_ids,
    formulas_set,
    no_sideways_scroll,
    nothing_cut_off,
    something_to_see,
    solutions_closed,
    described,
    accessible,  # the last: it changes the page
)


def turn(opened, theme, width):
    """Change the window's width, and the theme, as a reader may."""
    opened.tab.set_viewport_size({"width": width, "height": 800})
    opened.tab.emulate_media(color_scheme=theme)
    opened.tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)


def broken_in(opened, settings):
    """Return all that a page breaks, by rule and setting; it is opened in the first."""
    problems = {}
    for rules, order in ((RULES[:-1], settings), (RULES[-1:], settings[::-1])):
        for setting in order:
            turn(opened, *setting)
            problems |= {f"{rule.__name__}, {setting}": found for rule in rules if (found := list(rule(opened)))}
    return problems


@pytest.mark.parametrize("page", IN_TEST, ids=lambda page: page.stem)
def test_page(visit, page):
    """Phones are where a page breaks."""
    problems = broken_in(visit(page, theme="dark", width=PHONE), [("dark", PHONE), ("light", LAPTOP)])
    assert not problems, json.dumps(problems, indent=1)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_in_every_setting(visit, page):
    problems = broken_in(visit(page, theme="dark", width=PHONE), [*product(("dark", "light"), (PHONE, LAPTOP))])
    assert not problems, json.dumps(problems, indent=1)


@pytest.mark.long
def test_formulas_are_accessible(visit, site):
    """And every word of code: the rule that all pages keep leaves out what looks alike."""
    opened = visit(site / "book" / "notation.html")
    assert opened.tab.locator("math").count() > 20
    assert list(violations(opened)) == []


@pytest.mark.long
@pytest.mark.parametrize("page", ["claims", "notation"])
def test_a_page_without_scripts_shows_its_text_and_its_figures(visit, site, page):
    tab = visit(site / "book" / f"{page}.html", scripts=False).tab
    assert len(tab.locator("article").inner_text().split()) > 200
    assert all(image.is_visible() for image in tab.locator("article figure:not(details *) img").all())
