"""Every page in a real browser, on a phone and on a laptop, in both themes."""

import json
from itertools import product

import pytest
from pages import IN_TEST, PAGES, QUIET, accessible, violations

PHONE, LAPTOP = 320, 1200  # the first is a laptop at 400%, too
ALT = 30  # characters: fewer cannot say what a figure shows


# Each rule yields what is wrong with an opened page; those that a page keeps in every state are in pages.py.


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


def solutions_closed(visit):
    """Proofs, hints and solutions are closed until a reader opens them; what a cell shows may be open."""
    yield from visit.tab.evaluate("""() => [...document.querySelectorAll(
        "article details[open]:not(.cell_output *), article :is(.dropdown.admonition, .solution):not(.toggle-hidden)"
    )].map((each) => each.textContent.slice(0, 80))""")


def described(visit):
    """Every image has an alternative text; that of a figure says what it shows."""
    for alt, figure, source in visit.tab.evaluate("""() => [...document.querySelectorAll("main img")]
            .map((each) => [each.alt, each.closest("figure, .cell_output") !== null, each.src.slice(-60)])"""):
        if not alt or (figure and len(alt) < ALT):
            yield f"{source}: {alt!r}"


RULES = (*QUIET, formulas_set, nothing_cut_off, solutions_closed, described)


def broken_in(opened, settings):
    """Return all that a page breaks, by rule and setting, as a reader may turn it; what changes the page comes last."""
    problems = {}
    for rules, order in ((RULES, settings), ((accessible,), settings[::-1])):
        for theme, width in order:
            opened.tab.set_viewport_size({"width": width, "height": 800})
            opened.tab.emulate_media(color_scheme=theme)
            opened.tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
            found = {f"{rule.__name__}, {theme}, {width}": list(rule(opened)) for rule in rules}
            problems |= {name: wrong for name, wrong in found.items() if wrong}
    return problems


@pytest.mark.parametrize(
    ("page", "settings"),
    [
        *((page, [("dark", PHONE)]) for page in IN_TEST),  # phones are where a page breaks
        *(pytest.param(page, [*product(("dark", "light"), (PHONE, LAPTOP))], marks=pytest.mark.long) for page in PAGES),
    ],
    ids=lambda each: getattr(each, "stem", ""),
)
def test_page(visit, page, settings):
    problems = broken_in(visit(page, theme="dark", width=PHONE), settings)
    assert not problems, json.dumps(problems, indent=1)


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_word_of_code_is_accessible(chapter, theme):
    """The rule that all pages keep leaves their colours out."""
    assert list(violations(chapter("01_model", "?show=code", theme=theme))) == []


@pytest.mark.long
@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name == "book"], ids=lambda page: page.stem)
def test_a_page_without_scripts_shows_its_text_and_its_pictures(visit, page):
    tab = visit(page, scripts=False).tab
    assert len(tab.locator("article").inner_text().split()) > 100
    assert all(image.is_visible() for image in tab.locator("article :is(figure, .cell_output):not(details *) > img").all())
