"""The built pages, how a page is visited, and the rules that it keeps whatever a reader has done to it."""

import re
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import TimeoutError

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
AXE = files("axe_playwright_python") / "axe.min.js"
PAGES = sorted(page for page in SITE.rglob("*.html") if page != SITE / "index.html")  # that one only leads to the first page


@cache
def soup(page):
    """Return a page, parsed."""
    return BeautifulSoup(page.read_text("utf-8"), "html.parser")


class Visit:
    """A tab, and what happened in it."""

    def __init__(self, tab, scripts):
        self.tab, self.scripts, self.errors, self.requests = tab, scripts, [], []
        tab.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        """Load a page, and wait until its formulas are set and nothing moves any more."""
        self.tab.goto(address)
        if self.scripts:
            self.tab.add_style_tag(content="*, *::before, *::after { animation: none !important; transition: none !important }")
            self.tab.evaluate("() => window.MathJax?.startup?.promise")
            self.tab.evaluate("() => new Promise(requestAnimationFrame)")
        return self


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


# Most of a page is code, a span for every word of it, and formulas, an element for every sign. The checker would look up what
# lies behind each. Of words of one kind and colour one is kept, and the others join the text about them; of a formula two
# letters, as far from each other as it is wide, so that it still scrolls.
SAID_ONCE = """() => {
    const formulas = [...document.querySelectorAll("mjx-math, mjx-assistive-mml")];
    const sizes = formulas.map((each) => each.getBoundingClientRect());
    formulas.forEach((each, i) => {
        const box = document.createElement("span");
        box.style = `display: inline-block; width: ${sizes[i].width}px; text-align-last: justify; white-space: normal`;
        box.textContent = "x x";
        each.replaceChildren(box);
    });
    const place = (each) => each && [each.className, getComputedStyle(each).backgroundColor, place(each.parentElement)].join();
    const seen = new Set();
    const again = (each) => {
        const { color, fontSize, fontWeight, opacity } = getComputedStyle(each);
        const look = [color, fontSize, fontWeight, opacity, place(each)].join();
        return seen.has(look) || !seen.add(look);
    };
    const words = [...document.querySelectorAll("pre span, dt.sig span")];
    words.filter((each) => each.attributes.length < 2 && again(each)).forEach((each) => each.replaceWith(...each.childNodes));
    document.querySelectorAll("pre, dt.sig").forEach((each) => each.normalize());
}"""


# Some 300 ms after a page has changed, the theme makes a stop of the Tab key of each box that scrolls.
STOPS_ARE_SET = """() => [...document.querySelectorAll("pre, .cell_output > .output")]
    .every((each) => each.tabIndex === 0 || (each.scrollWidth <= each.clientWidth && each.scrollHeight <= each.clientHeight))"""


def violations(visit, within="document, {resultTypes: ['violations']}"):
    """The checker axe finds nothing serious or critical."""
    visit.tab.evaluate(AXE.read_text("utf-8"))
    for each in visit.tab.evaluate(f"() => axe.run({within})")["violations"]:
        if each["impact"] in ("serious", "critical"):
            yield f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:200]}"


def accessible(visit):
    """The checker axe finds nothing serious or critical. It sees each colour of the code once: this rule is the last to run."""
    visit.tab.evaluate(SAID_ONCE)
    with suppress(TimeoutError):  # then the checker says which box it is
        visit.tab.wait_for_function(STOPS_ARE_SET, timeout=5000)
    yield from violations(visit)


def playthings_accessible(visit):
    """The same of what is played with alone, which takes a tenth of the time: test_pages.py checks the page about it."""
    yield from violations(visit, "'.plaything', {resultTypes: ['violations'], preload: false}")


EVERY_STATE_OF_A_PLAYTHING = (no_console_error, no_outside_request, no_sideways_scroll, playthings_accessible)


def problems(visit, rules):
    """Return all that a page breaks of some rules."""
    return [problem for rule in rules for problem in rule(visit)]


def numbers(text):
    """Return the numbers of a sentence, as people write them."""
    return [float(each.replace("−", "-").replace(",", "")) for each in re.findall(r"[−-]?\d[\d,]*(?:\.\d+)?", text)]
