"""The built pages, and how a page is visited."""

from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_build" / "html"
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
