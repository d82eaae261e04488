"""The built pages, how a page is visited, and the rules that it keeps whatever a reader has done to it."""

import re
import unicodedata
from contextlib import suppress
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup
from notebooks import code_cells, read
from playwright.sync_api import TimeoutError
from pypdf import PdfReader

import tokensel_nb as ts

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
AXE = files("axe_playwright_python") / "axe.min.js"
# The index only leads to the first page. What was right on one page is not looked at again: those that are checked in one
# theme alone come last.
PAGES = [page for page in SITE.rglob("*.html") if page != SITE / "index.html"]
PAGES.sort(key=lambda page: (page.parent.name == "api", page))
CHAPTERS = [page for page in PAGES if page.stem[:2].isdigit()]
FRONT = SITE / "book" / "index.html"
IN_TEST = (FRONT, SITE / "book" / "01_model.html", SITE / "book" / "06_your_data.html")  # in a browser; `make long` opens all


def each_page(pages):
    """Return a mark: a test opens each of some pages, and `make test` only those that a change may break first."""
    marks = lambda page: [] if page in IN_TEST else pytest.mark.long
    return pytest.mark.parametrize("page", [pytest.param(page, id=page.stem, marks=marks(page)) for page in pages])


@cache
def soup(page):
    """Return a page, parsed."""
    return BeautifulSoup(page.read_text("utf-8"), "html.parser")


# Timers that go off once and pictures of the screen that a page waits for; `settled` waits for them.
COUNT_WAITS = """(() => {
    const waits = new Set(), { setTimeout } = window;
    for (const [ask, drop] of [["setTimeout", "clearTimeout"], ["requestAnimationFrame", "cancelAnimationFrame"]]) {
        const [asked, dropped] = [window[ask], window[drop]];
        window[ask] = (call, ...rest) => {
            const wait = asked((...given) => { waits.delete(ask + wait); call(...given); }, ...rest);
            waits.add(ask + wait);
            return wait;
        };
        window[drop] = (wait) => { waits.delete(ask + wait); dropped(wait); };
    }
    window.settled = async () => { do await new Promise((then) => setTimeout(then, 20)); while (waits.size); };
})()"""


def settle(tab):
    """Wait until what was asked for is drawn, in the address and said, however slow the machine."""
    tab.evaluate("() => settled()")


def address_of(tab):
    """Return the address that a page has now: what the tab knows of it may be older."""
    return tab.evaluate("() => location.href")


class Visit:
    """A tab, and what happened in it since it was last cleared."""

    def __init__(self, tab, scripts=True):
        if scripts:
            tab.add_init_script(COUNT_WAITS)
        self.tab, self.scripts, self.errors, self.requests = tab, scripts, [], []
        tab.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        """Load a page, and wait until its fonts are there and nothing moves any more."""
        self.tab.goto(address)
        if self.scripts:
            self.tab.add_style_tag(content="*, *::before, *::after { animation: none !important; transition: none !important }")
            self.tab.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        return self

    def clear(self):
        """Leave nothing of what was visited: no page, window or event, and nothing that pages remember."""
        for window in self.tab.context.pages:
            if window != self.tab:
                window.close()
        if self.scripts:
            self.tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.tab.goto("about:blank")
        self.errors, self.requests = [], []


TEXTS = """(what) => {
    const NOT_READ = "math, script, style, svg, button, .headerlink, .plaything, .tag_nbval-ignore-output.tag_hide-cell";
    const walk = document.createTreeWalker(document.querySelector(what), NodeFilter.SHOW_TEXT), texts = [];
    while (walk.nextNode())
        if (!walk.currentNode.parentElement.closest(NOT_READ)) texts.push(walk.currentNode.data);
    return texts;
}"""


# Each rule yields what is wrong with a visited page.


def no_console_error(visit):
    """The browser has nothing to complain of."""
    yield from visit.errors


def no_outside_request(visit):
    """Everything comes from the same place as the page."""
    yield from (url for url in visit.requests if not url.startswith(("file:", "data:", "blob:")))


def no_sideways_scroll(visit):
    """The page is as wide as the window; what is wider scrolls in a box of its own."""
    width, window = visit.tab.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
    if width > window:
        yield f"{width} pixels wide in a window of {window}"


# What lies behind a word takes the checker a while to find, and thousands of words look alike. So all that shows text is sorted
# by its look: colour, size and weight, within elements of the same names, classes and backgrounds. A few of every look are
# marked, unless one as it was found right before, on this page or another; of code, where every word is an element, the others
# join the text about them.
ALIKE = 2
SORT_BY_LOOK = """() => {
    const places = new Map([[null, ""]]);
    const place = (each) => {
        if (!places.has(each)) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(each);
            const own = [each.localName, each.className, backgroundColor, backgroundImage, opacity];
            places.set(each, [place(each.parentElement), ...own].join());
        }
        return places.get(each);
    };
    const shows = (each) => each.checkVisibility({ visibilityProperty: true }) && (each.matches("input, select, textarea")
        || [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim()));
    window.looks = new Map();
    for (const each of [...document.querySelectorAll("body *")].filter(shows)) {
        const { color, fontSize, fontWeight } = getComputedStyle(each);
        const look = [color, fontSize, fontWeight, place(each)].join();
        if (!looks.has(look)) looks.set(look, []);
        looks.get(look).push(each);
    }
    return [...looks.keys()];
}"""
MARK = """([looks, alike]) => {
    document.querySelectorAll("[data-look]").forEach((each) => each.removeAttribute("data-look"));
    const marked = looks.flatMap((look) => window.looks.get(look).slice(0, alike));
    marked.forEach((each) => each.toggleAttribute("data-look"));
    const kept = new Set(marked.flatMap((each) => [each, each.previousElementSibling])); // which may give it its colour
    const words = [...document.querySelectorAll("pre span, dt.sig span")].filter((each) => !kept.has(each));
    words.filter((each) => each.attributes.length < 2).forEach((each) => each.replaceWith(...each.childNodes));
    document.querySelectorAll("pre, dt.sig").forEach((each) => each.normalize());
}"""
found_right = set()

# Some 300 ms after a page has changed, the theme makes a stop of the Tab key of each box that scrolls.
STOPS_ARE_SET = """() => [...document.querySelectorAll(
        "pre, .formula, .cell_output > .output, .pst-scrollable-table-container"
    )]
    .every((each) => each.tabIndex === 0 || (each.scrollWidth <= each.clientWidth && each.scrollHeight <= each.clientHeight))"""


# That some text lies within no landmark is of moderate impact. No rule here needs style sheets or films loaded first.
OPTIONS = "{ resultTypes: ['violations'], preload: false, rules: { region: { enabled: false } } }"


def violations(visit, within="document", words="*"):
    """The checker axe finds nothing serious or critical; the contrast of some elements alone is looked at."""
    visit.tab.evaluate(AXE.read_text("utf-8"))
    visit.tab.evaluate("(words) => axe.configure({ rules: [{ id: 'color-contrast', selector: words }] })", words)
    for each in visit.tab.evaluate(f"() => axe.run({within}, {OPTIONS})")["violations"]:
        if each["impact"] in ("serious", "critical"):
            yield f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:200]}"


def accessible(visit):
    """The checker axe finds nothing serious or critical. It changes the page: it runs last."""
    with suppress(TimeoutError):  # then the checker says which box it is
        visit.tab.wait_for_function(STOPS_ARE_SET, timeout=5000)
    looks = set(visit.tab.evaluate(SORT_BY_LOOK)) - found_right
    visit.tab.evaluate(MARK, [list(looks), ALIKE])
    found = list(violations(visit, words="[data-look]"))
    if not found:
        found_right.update(looks)
    yield from found


CODE_IS_TEXT = """() => document.querySelectorAll("pre").forEach((each) => { each.textContent = each.textContent; })"""


def playthings_accessible(visit):
    """The same of what is played with alone, which takes a tenth of the time: test_pages.py checks the page about it."""
    visit.tab.evaluate(CODE_IS_TEXT)
    yield from violations(visit, "'.plaything'")


QUIET = (no_console_error, no_outside_request, no_sideways_scroll)
EVERY_STATE_OF_A_PLAYTHING = (*QUIET, playthings_accessible)


def problems(visit, rules):
    """Return all that a page breaks of some rules."""
    return [problem for rule in rules for problem in rule(visit)]


def printed_share(tab, what):
    """Return the share of an element's words that stand in what its page prints; those of formulas are not looked at."""
    texts = tab.evaluate(TEXTS, what)
    tab.emulate_media(media="print")
    sheets = PdfReader(BytesIO(tab.pdf(format="A4"))).pages
    tab.emulate_media(media="screen")
    printed = letters(" ".join(sheet.extract_text() for sheet in sheets))
    found = [text for text in texts if letters(text) in printed]
    return sum(len(text.split()) for text in found) / sum(len(text.split()) for text in texts)


def letters(text):
    """Return the letters alone, and no ligatures: a long word may break where a line ends."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def numbers(text):
    """Return the numbers of a sentence, as people write them."""
    return [float(each.replace("−", "-").replace(",", "")) for each in re.findall(r"[−-]?\d[\d,]*(?:\.\d+)?", text)]


def heights(path):
    """Return how high the points of a drawn line lie, upwards, in the drawing's units."""
    return -np.array([float(y) for _, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path.get_attribute("d"))])


def drag(tab, start, end):
    """Drag with the mouse from one place of the window to another."""
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(*end, steps=5)
    tab.mouse.up()
    settle(tab)


def middle(control):
    """Return the middle of what a page shows."""
    box = control.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def assigned(chapter, *names):
    """Return what the first lines of a notebook assign to some names: the page's numbers are to be the chapter's."""
    cells = code_cells(read(ROOT / "book" / f"{chapter}.ipynb"))[:6]
    found = {"np": np, "ts": ts}
    lines = "\n".join(cell.source for cell in cells).splitlines()
    exec("\n".join(line for line in lines if line.split(" = ")[0] in names), found)
    return [found[name] for name in names]
