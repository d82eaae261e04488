"""The built pages, how a page is visited, and the rules that it keeps whatever a reader has done to it."""

import re
import unicodedata
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from bs4 import BeautifulSoup
from notebooks import code_cells, read
from pypdf import PdfReader

import tokensel_nb as ts

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
AXE = files("axe_playwright_python") / "axe.min.js"
PAGES = sorted(page for page in SITE.rglob("*.html") if page != SITE / "index.html")  # which only leads to the first page
CHAPTERS = [page for page in PAGES if page.stem[:2].isdigit()]
FRONT = SITE / "book" / "index.html"
IN_TEST = (FRONT, SITE / "book" / "01_model.html", SITE / "book" / "14_your_data.html")  # in a browser; `make long` opens all


def each_page(pages):
    """Return a mark: a test opens each of some pages, and `make test` only those that a change may break first."""
    marks = lambda page: [] if page in IN_TEST else pytest.mark.long
    return pytest.mark.parametrize("page", [pytest.param(page, id=page.stem, marks=marks(page)) for page in pages])


@cache
def page_of(plaything):
    """Return the first page that has a plaything."""
    pages = [*CHAPTERS, SITE / "book" / "cost.html"]
    return next(page for page in pages if f"plaything-{plaything}" in page.read_text("utf-8"))


@cache
def soup(page):
    """Return a page, parsed, without the colours of code, which would take most of the time."""
    return BeautifulSoup(re.sub(r'<span class="\w{1,3}">([^<]*)</span>', r"\1", page.read_text("utf-8")), "html.parser")


def shown(part):
    """Return the text of a part, without what a tap on a mark opens."""
    return "".join(text for text in part.find_all(string=True) if not text.find_parent(popover=True))


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
    """A tab that shares nothing with others, and what happened in it since it was last cleared."""

    def __init__(self, chromium, settings):
        context = chromium.new_context(**settings)
        context.set_default_timeout(120_000)  # ms: a busy machine is slow, not wrong
        self.tab, self.scripts, self.errors, self.requests = context.new_page(), settings["java_script_enabled"], [], []
        if self.scripts:
            self.tab.add_init_script(COUNT_WAITS)
        self.tab.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.errors.append("a dialog"), dialog.dismiss()))
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        """Load a page, and wait until its fonts are there and nothing moves any more."""
        self.tab.goto(address)
        if self.scripts:
            self.tab.add_style_tag(content="*, *::before, *::after { animation: none !important; transition: none !important }")
            self.tab.evaluate("() => document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        return self

    def clear(self):
        """Leave nothing of what was visited: no page, window or event, and nothing that pages remember."""
        for window in self.tab.context.pages[1:]:
            window.close()
        if self.scripts and self.tab.url.startswith("file:"):
            self.tab.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.tab.goto("about:blank")
        self.errors, self.requests = [], []

    def files(self):
        """Return the files that were loaded."""
        return {Path(unquote(urlsplit(url).path)) for url in self.requests if url.startswith("file:")}


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


# That some text lies within no landmark is of moderate impact. No rule here needs style sheets or films loaded first.
OPTIONS = "{ resultTypes: ['violations'], preload: false, rules: { region: { enabled: false } } }"
CODE_IS_TEXT = """() => document.querySelectorAll("pre").forEach((each) => { each.textContent = each.textContent; })"""


def violations(visit, within="document"):
    """The checker axe finds nothing serious or critical."""
    visit.tab.evaluate(AXE.read_text("utf-8"))
    for each in visit.tab.evaluate(f"() => axe.run({within}, {OPTIONS})")["violations"]:
        if each["impact"] in ("serious", "critical"):
            yield f"{each['id']} ({each['impact']}): {each['nodes'][0]['html'][:200]}"


def accessible(visit, within="document"):
    """The same where code is plain text, whose words would take most of the time. It changes the page: it runs last."""
    settle(visit.tab)  # the theme makes stops of the Tab key of what scrolls
    visit.tab.evaluate(CODE_IS_TEXT)
    yield from violations(visit, within)


def playthings_accessible(visit):
    """The same of what is played with alone, which takes a tenth of the time: test_pages.py checks the page about it."""
    yield from accessible(visit, "'.plaything'")


QUIET = (no_console_error, no_outside_request, no_sideways_scroll)
EVERY_STATE_OF_A_PLAYTHING = (*QUIET, playthings_accessible)


def problems(visit, rules):
    """Return all that a page breaks of some rules."""
    return [problem for rule in rules for problem in rule(visit)]


def printed(tab):
    """Return the letters of what a page prints: no ligatures, and a long word may break where a line ends."""
    tab.emulate_media(media="print")
    sheets = PdfReader(BytesIO(tab.pdf(format="A4"))).pages
    tab.emulate_media(media="screen")
    return letters(" ".join(sheet.extract_text() for sheet in sheets))


def letters(text):
    """Return the letters alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def numbers(text):
    """Return the numbers of a sentence, as people write them."""
    text = re.sub(r" × 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda power: f"e{power[1].translate(SUPERSCRIPTS)}", text)
    found = re.findall(r"[−-]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text)
    return [float(each.replace("−", "-").replace(",", "")) for each in found]


def told(place, part):
    """Return what parts of a plaything say, or what an attribute of theirs holds."""
    settle(place.page)
    selector, _, attribute = part.partition("@")
    read = "(all, of) => all.map((each) => of ? each.getAttribute(of) ?? each[of] : each.innerText ?? each.textContent)"
    return " ".join(filter(None, place.locator(selector).evaluate_all(read, attribute)))


def holds(place, found):
    """Hold what a plaything shows against what its numbers should be; no text has become HTML."""
    for part, wanted, *near in found:
        shown = told(place, part)
        if isinstance(wanted, str):
            assert wanted in shown, part
        else:
            off = np.abs(np.array(numbers(shown))[: len(wanted)] - wanted)
            assert len(off) == len(wanted)
            assert not (off > near[0]).any(), (part, shown, wanted)
    assert place.locator("[onclick], img").count() == 0


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
