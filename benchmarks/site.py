"""How long a reader waits for the first chapter, cold: a new browser, an empty cache, a server on this machine."""

import sys
import time
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread
from urllib.parse import unquote, urlsplit

from benchmarks.timing import row

ROOT = Path(__file__).parents[1]
SITE = ROOT / "_build" / "html"
ROUNDS = 7
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"

if not (SITE / "index.html").exists():
    raise SystemExit("there are no built pages; run `make html`")
sys.path.insert(0, str(ROOT / "book" / "_tools"))
from browser import browser, sent_bytes  # noqa: E402 - it stands among the book's tools


class Quiet(SimpleHTTPRequestHandler):
    """A server that keeps its log to itself."""

    def log_message(self, *_):
        pass


@contextmanager
def serve():
    """Serve the pages; yield their address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def visit(address):
    """Open a page in a new browser; return the seconds until text is seen, and formulas in their font; and all requests."""
    with browser() as chromium:
        tab = chromium.new_page()
        asked = []
        tab.on("request", lambda request: asked.append(request.url))
        began = time.perf_counter()
        tab.goto(address)
        tab.evaluate("() => document.fonts.ready")
        finished = time.perf_counter() - began
        return tab.evaluate(PAINTED) / 1000, finished, asked


def measure():
    with serve() as address:
        seen, finished, asked = zip(*(visit(f"{address}/book/01_model.html") for _ in range(ROUNDS)))
    files = {unquote(urlsplit(url).path).lstrip("/") for url in asked[0] if url.startswith(address)}
    weight = sum(sent_bytes(SITE / file) for file in files)
    whole = sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file())
    return [
        row("01_model, cold: text is seen", median(seen), "s", "1.5 s to a readable page"),
        row("01_model, cold: every formula has its font", median(finished), "s", "1.5 s to a readable page"),
        row("01_model: all that it loads, compressed", weight / 1e6, "MB", "1.2"),
        row("the whole site, with the PDF if it was made", whole / 1e6, "MB", "40"),
    ]
