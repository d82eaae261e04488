"""What a reader of the front page waits for on a slow phone: slow 4G, the processor slowed four times, nothing cached."""

import gzip
from functools import partial
from http.server import ThreadingHTTPServer
from statistics import median
from threading import Thread

from .site import SITE, Quiet, browser, row

ROUNDS, SLOWED = 5, 4
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
WATCH = """window.seen = { shift: 0 };
const see = (type, keep) =>
    new PerformanceObserver((list) => list.getEntries().forEach(keep)).observe({ type, buffered: true });
see("paint", ({ name, startTime }) => { if (name.startsWith("first-c")) seen.first = startTime; });
see("largest-contentful-paint", (each) => { seen.largest = each.startTime; });
see("layout-shift", (each) => { if (!each.hadRecentInput) seen.shift += each.value; });"""
READY = "() => document.querySelector('.verdict strong')"
PLAYED = "() => document.querySelectorAll('.plaything').length === 2"
GOALS = {"first": 1.0, "largest": 1.8, "box": 3.0}


class Compressed(Quiet):
    """A server that sends text compressed, as those on the net do."""

    def do_GET(self):
        """Send a file."""
        path = SITE / self.path.lstrip("/").split("?")[0]
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if path.suffix in (".html", ".css", ".js", ".svg", ".json"):
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def visit(chromium, address):
    """Open the page on a slow phone, and read on; return when what is seen, how far it shifts, and the bytes that came."""
    context = chromium.new_context(**PHONE)
    tab = context.new_page()
    network = context.new_cdp_session(tab)
    sent = []
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sent.append(event["encodedDataLength"]))
    network.send("Network.emulateNetworkConditions", SLOW_4G)
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    tab.add_init_script(WATCH)
    tab.goto(f"{address}/book/index.html")
    tab.wait_for_function("() => tokensel.horns")
    tab.wait_for_timeout(1000)
    before = sum(sent)
    for part in tab.locator(".scene, .games > section").all():
        part.evaluate("(part) => part.scrollIntoView({ behavior: 'instant' })")
        tab.wait_for_timeout(700)
    tab.wait_for_function(PLAYED)
    found = tab.evaluate("seen")
    context.close()
    return found | {"before": before, "all": sum(sent)}


def straight_to_the_box(chromium, address):
    """Follow a link to a sentence; return the seconds until its verdict is there."""
    context = chromium.new_context(**PHONE)
    tab = context.new_page()
    session = context.new_cdp_session(tab)
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    tab.goto(f"{address}/book/index.html#front.text=A+dull+film", wait_until="commit")
    tab.wait_for_function(READY)
    taken = tab.evaluate("performance.now()") / 1000
    context.close()
    return taken


def measure():
    with browser() as chromium, ThreadingHTTPServer(("127.0.0.1", 0), partial(Compressed, directory=SITE)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        visits = [visit(chromium, address) for _ in range(ROUNDS)]
        box = median(straight_to_the_box(chromium, address) for _ in range(ROUNDS))
        server.shutdown()
    first, largest = (median(each[key] for each in visits) / 1000 for key in ("first", "largest"))
    return [
        row("front page, slow 4G, slowed 4 times: something is seen", first, "s", f"{GOALS['first']} s"),
        row("front page, slow 4G, slowed 4 times: the largest part is seen", largest, "s", f"{GOALS['largest']} s"),
        row("front page, slow 4G, slowed 4 times: a linked sentence has its verdict", box, "s", f"{GOALS['box']} s"),
        row("front page: how far it shifts while it is read", max(each["shift"] for each in visits), "", "0.02"),
        row("front page: what comes before the box, compressed", max(each["before"] for each in visits) / 1e3, "kB", "60 kB"),
        row("front page: all that comes, compressed", max(each["all"] for each in visits) / 1e3, "kB"),
    ]
