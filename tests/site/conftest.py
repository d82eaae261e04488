"""The built pages, and a real browser to read them with. Under CI both must be there; elsewhere what is missing is named."""

import os
from collections import defaultdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import browser as real_browser
import pytest
from pages import PAGES, SITE, Visit


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


@pytest.fixture(scope="session")
def tabs():
    """Visits that are over, with scripts and without: to open a page in a new tab takes twice as long."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium, tabs):
    """Return a function that opens a page from the disk, as from a USB stick, in a window of some width, in a theme."""
    opened = []

    def open_page(path, width=1200, theme="light", fragment="", scripts=True):
        found = tabs[scripts].pop() if tabs[scripts] else Visit(new_tab(chromium, scripts), scripts)
        opened.append(found)
        found.tab.set_viewport_size({"width": width, "height": 800})
        found.tab.emulate_media(media="screen", color_scheme=theme)
        return found.open(Path(path).as_uri() + fragment)

    yield open_page
    for found in opened:
        found.clear()
        tabs[found.scripts].append(found)


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens a chapter, with what its address asks for."""
    return lambda name, fragment="", **window: visit(site / "book" / f"{name}.html", fragment=fragment, **window)


def new_tab(chromium, scripts):
    """Return a tab that shares nothing with others."""
    context = chromium.new_context(java_script_enabled=scripts)
    context.set_default_timeout(120_000)  # ms: a busy machine is slow, not wrong
    return context.new_page()


class Quiet(SimpleHTTPRequestHandler):
    """Sends files, and tells nobody."""

    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="session")
def address():
    """Serve the pages as the web does: from the disk all is there at once, and pages may share no storage."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
