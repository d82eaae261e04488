"""The built pages, and a real browser to read them with. Under CI both must be there; elsewhere what is missing is named."""

import os
from collections import defaultdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import browser as real_browser
import pytest
from pages import PAGES, SITE, Visit, page_of, settle


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
    """Visits that are over, by their settings: to open a page in a new tab takes twice as long."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium, tabs):
    """Return a function that opens a page from the disk, as from a USB stick, or from an address, in a window of some width."""
    opened = []

    def open_page(page, width=1200, theme="light", fragment="", scripts=True, **settings):
        settings["java_script_enabled"] = scripts
        used = tabs[repr(settings)]
        opened.append((used, found := used.pop() if used else Visit(chromium, settings)))
        found.tab.set_viewport_size({"width": width, "height": 800})
        found.tab.emulate_media(media="screen", color_scheme=theme)
        return found.open((page.as_uri() if isinstance(page, Path) else page) + fragment)

    yield open_page
    for used, found in opened:
        found.clear()
        used.append(found)


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens a chapter, with what its address asks for."""
    return lambda name, fragment="", **window: visit(site / "book" / f"{name}.html", fragment=fragment, **window)


@pytest.fixture
def play(visit):
    """Return a function that opens the first chapter with a plaything, in a state: the plaything, when all is computed."""

    def opened(name, state="", **window):
        tab = visit(page_of(name), fragment=state and f"#{state}", **window).tab
        if not state:  # where scenes take turns, its first one
            tab.evaluate("(name) => document.querySelector(`[data-scene^=${name}]`)?.scrollIntoView()", name)
        settle(tab)
        return tab.locator(f"[class*=plaything-{name}] .plaything")

    return opened


@pytest.fixture(scope="session")
def address():
    """Serve the pages as the web does: from the disk all is there at once, and pages may share no storage."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *args: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
