"""How long a text box takes from a key stroke to the picture it changes, on a phone: the processor slowed four times."""

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
FILES = ("playthings.css", "engine.js", "ui.js", "words.js", "reviews.js", "verdict.js", "try.js")
PAGES = {
    "chapter 1": ("01_model.html", "Write a review"),
    "front page": ("index.html#front.text=A+film", "A sentence of your own"),
}


def strokes(chromium, page="chapter 1", example=None):
    """Open a page anew and type a word into its box; return the milliseconds of its key strokes."""
    place, label = PAGES[page]
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    tab = context.new_page()
    tab.goto(f"{(SITE / 'book').as_uri()}/{place}")
    if example:
        tab.get_by_role("button", name=example).press("Enter")  # no mouse, as on a phone
    context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    tab.get_by_label(label).first.press("End")
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
        short, long, front = zip(
            *((strokes(chromium), strokes(chromium, example=LONG), strokes(chromium, "front page")) for _ in range(ROUNDS))
        )
    weight = sum(sent_bytes(SITE / "_static" / "playthings" / file) for file in FILES)
    rows = [row("chapter 1: the text box, compressed", weight / 1e3, "kB", "200 kB")]
    for what, taken in {"": short, ", a review of 130 words": long, ", front page": front}.items():
        rows += [
            row(f"first key stroke to redrawn attention, slowed 4 times{what}", median(t[0] for t in taken), "ms", GOAL),
            row(f"later key strokes{what}", median(one for t in taken for one in t[1:]), "ms", GOAL),
        ]
    return rows
