"""The built pages, and a real browser to read them with. Under CI both must be there; elsewhere what is missing is named."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"
PAGES = sorted(page for page in SITE.rglob("*.html") if page != SITE / "index.html")  # that one only leads to the first page

sys.path.insert(0, str(ROOT / "book" / "_tools"))
import browser as real_browser  # noqa: E402 - it stands among the book's tools


def missing(what):
    """Fail under CI, where a skipped test would be taken for a passed one; skip elsewhere."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


@pytest.fixture(scope="session")
def site():
    """Return the folder of the built pages."""
    if not PAGES:
        missing("there are no built pages; run `make html`")
    return SITE


@pytest.fixture(scope="session")
def chromium():
    """Return an open browser."""
    if real_browser.find() is None:
        missing(real_browser.HOW)
    with real_browser.browser() as opened:
        yield opened


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
        return self


@pytest.fixture
def visit(chromium):
    """Return a function that opens a page from the disk, as from a USB stick, in a window of some width, in a theme."""
    opened = []

    def open_page(path, width=1200, theme="light", fragment="", scripts=True):
        window = {"width": width, "height": 800}
        context = chromium.new_context(viewport=window, color_scheme=theme, java_script_enabled=scripts)
        opened.append(context)
        return Visit(context.new_page(), scripts).open(Path(path).as_uri() + fragment)

    yield open_page
    for context in opened:
        context.close()
