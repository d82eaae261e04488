"""How long the front page takes from a key stroke to the picture it changes, on a phone: the processor slowed four times."""

from statistics import median

from .site import SITE, browser, row, sent_bytes

ROUNDS = 9
SLOWED = 4
GOAL = "50 ms"
# From the time of the stroke to the first task after the picture that follows it.
WATCH = """() => {
    window.taken = [];
    addEventListener("input", ({ timeStamp }) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => taken.push(performance.now() - timeStamp);
        requestAnimationFrame(() => port2.postMessage(null));
    }, true);
}"""
LONG = "a long one"
FILES = ("playthings.css", "engine.js", "ui.js", "words.js", "reviews.js", "try.js")


def strokes(chromium, example=None):
    """Open the front page anew and type a word; return the milliseconds of its key strokes."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    tab = context.new_page()
    tab.goto((SITE / "book" / "index.html").as_uri())
    if example:
        tab.get_by_role("button", name=example).press("Enter")  # no mouse, as on a phone
    context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    tab.get_by_label("Write a review").press("End")
    tab.wait_for_timeout(1000)  # a reader looks before typing
    tab.evaluate(WATCH)
    for letter in "great":
        tab.keyboard.press(letter)
        tab.wait_for_timeout(300)
    taken = tab.evaluate("() => taken")
    context.close()
    return taken


def measure():
    with browser() as chromium:
        short, long = zip(*((strokes(chromium), strokes(chromium, LONG)) for _ in range(ROUNDS)))
    weight = sum(sent_bytes(SITE / "_static" / "playthings" / file) for file in FILES)
    rows = [row("front page: what one plays with, compressed", weight / 1e3, "kB", "200 kB")]
    for what, taken in {"": short, ", a review of 130 words": long}.items():
        rows += [
            row(f"first key stroke to redrawn attention, slowed 4 times{what}", median(t[0] for t in taken), "ms", GOAL),
            row(f"later key strokes{what}", median(one for t in taken for one in t[1:]), "ms", GOAL),
        ]
    return rows
