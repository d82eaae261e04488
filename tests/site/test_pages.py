"""Every page in a real browser, on a phone and on a laptop, in both themes. The rules are tried on planted faults."""

import json
from itertools import product

import pytest
from pages import PAGES, accessible, no_console_error, no_outside_request, no_sideways_scroll, violations

PHONE, LAPTOP = 320, 1200  # the first is a laptop at 400%, too
ALL_SETTINGS = [*product(("dark", "light"), (PHONE, LAPTOP))]
MOST_ON_THEM = ("index", "01_model", "06_your_data")  # playthings and formulas, tables and sliders
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(visit, page):
    """Phones are where a page breaks: most pages are opened on one, every other page in the dark."""
    theme = ("dark", "light")[PAGES.index(page) % 2 and page.stem not in MOST_ON_THEM]
    settings = [(theme, PHONE), *([("light", LAPTOP)] if page.stem in MOST_ON_THEM else [])]
    problems = broken_in(visit(page, theme=theme, width=PHONE), settings)
    assert not problems, json.dumps(problems, indent=1)


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_in_every_setting(visit, page):
    problems = broken_in(visit(page, theme="dark", width=PHONE), ALL_SETTINGS)
    assert not problems, json.dumps(problems, indent=1)


def test_formulas_are_accessible(visit, site):
    """And every word of code: the rule that all pages keep leaves out what looks alike."""
    opened = visit(site / "book" / "notation.html")
    assert opened.tab.locator("math").count() > 20
    assert list(violations(opened)) == []


@pytest.mark.parametrize("page", ["01_model", "claims", "notation"])
def test_a_page_without_scripts_shows_its_text_and_its_figures(visit, site, page):
    tab = visit(site / "book" / f"{page}.html", scripts=False).tab
    assert len(tab.locator("article").inner_text().split()) > 200
    assert all(image.is_visible() for image in tab.locator("article figure:not(details *) img").all())


def test_there_are_pages(site):
    assert {"01_model", "claims", "notation", "differences", "running", "citing"} <= {page.stem for page in PAGES}


# The rules themselves.

GOOD = """<!doctype html><html lang="en"><head><title>A page</title></head><body><main><article><h1>A page</h1>
<p>Text.</p><figure><img alt="A line that rises from the left to the right." src="data:,"></figure>{}
</article></main></body></html>"""

FAULTS = {
    no_console_error: "<script>missing()</script>",
    no_outside_request: '<img alt="A picture from another host." src="http://127.0.0.1:9/picture.png">',
    unique_ids: '<p id="one">1</p><p id="one">2</p>',
    formulas_set: r'<span class="math">\(x\)</span>',
    no_sideways_scroll: '<p style="width: 3000px">wide</p>',
    nothing_cut_off: f'<pre style="overflow: auto" tabindex="0">{"long " * 100}</pre>',
    accessible: '<p style="color: #aaa; background: #fff">hardly to be seen</p>',
    something_to_see: f'<div class="cell_input"><pre>{"a line of code<br>" * 20}</pre></div>',
    solutions_closed: "<details open><summary>Solution</summary>42</details>",
    described: '<figure><img alt="A plot." src="data:,"></figure>',
}


def broken_rules(visit, path, html):
    """Return the rules that a page breaks."""
    path.write_text(html, "utf-8")
    opened = visit(path)
    return {rule for rule in RULES if list(rule(opened))}


def test_a_good_page_breaks_no_rule(visit, tmp_path):
    assert broken_rules(visit, tmp_path / "page.html", GOOD.format("")) == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_fault_is_found(visit, tmp_path, rule):
    broken = broken_rules(visit, tmp_path / "page.html", GOOD.format(FAULTS[rule]))
    # What cannot be fetched is an error in the console too.
    assert broken - ({no_console_error} if rule is no_outside_request else set()) == {rule}


@pytest.mark.parametrize("selector", ["pre span + span", "pre + pre, pre + pre span", "dt.sig .n", "p + p", "div p", "input"])
def test_a_pale_word_is_found(visit, tmp_path, selector):
    """Whatever its class, however many like it are not pale, and where one as pale cannot be seen."""
    prose = f'<div>{2 * "<p hidden>None</p>"}{3 * "<p>Of many</p>"}</div><input aria-label="A word" value="word">'
    code = '<pre><span class="n">some</span><span class="n">words</span> of code</pre>'
    entry = '<dl><dt class="sig"><span class="n">a name</span></dt><dd>Text.</dd></dl>'
    broken = {
        colour: broken_rules(
            visit,
            tmp_path / f"{colour}.html",
            GOOD.format(f"{prose}{code}{code}{entry}<style>{selector} {{ color: {colour}; background: white }}</style>"),
        )
        for colour in ("black", "silver")
    }
    assert broken == {"black": set(), "silver": {accessible}}


@pytest.mark.parametrize(("attribute", "broken"), [('tabindex="0"', set()), ("", {accessible})])
def test_a_formula_that_scrolls_and_that_no_key_reaches_is_found(visit, tmp_path, attribute, broken):
    formula = f"<math display='block'>{200 * '<mi>x</mi><mo>=</mo><mn>0</mn>'}</math>"
    box = f"<div {attribute} style='overflow: auto'>{formula}</div>"
    assert broken_rules(visit, tmp_path / "page.html", GOOD.format(box)) == broken
