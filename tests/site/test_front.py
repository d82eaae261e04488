"""The front page as a reader meets it: nine scenes beside one cloud, boxes that read as the package does, little to load."""

import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import browser as real_browser
import numpy as np
import pytest
from helpers import shipped, unpacked
from pages import FRONT, QUIET, numbers, problems, settle, soup, violations

import tokensel_nb as ts
from experiments import front_page
from tokensel_nb.chapters.recorded import recorded

FIRST_PAINT, BEFORE_THE_BOX = 45_000, 120_000  # bytes, as a server that compresses would send them
PHONE, LAPTOP = 390, 1280
SENTENCE, NOT_BAD = "The story is slow, but the music is wonderful.", "The film was not bad."
ROUNDS = (0, 0, 5, 20, 20, 20, 20, 20, 20)  # that scenes end with


@pytest.fixture
def front(visit):
    """Return a function that opens the front page, and waits for the cloud."""

    def opened(**window):
        found = visit(FRONT, **window)
        if window.get("scripts", True):
            found.tab.wait_for_function("() => tokensel.horns")
        return found

    return opened


@pytest.fixture
def other_tab(chromium):
    """Return a function that opens the front page in a tab with settings of its own; scripts run, and requests are kept."""
    contexts = []

    def opened(width=PHONE, **settings):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 844}, **settings))
        tab, asked = contexts[-1].new_page(), []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(FRONT.as_uri())
        tab.wait_for_function("() => tokensel.horns")
        return tab, asked

    yield opened
    for context in contexts:
        context.close()


def go(tab, scene):
    """Scroll to a scene, and wait until nothing moves any more."""
    tab.evaluate("(at) => document.querySelectorAll('.scene')[at].scrollIntoView({ behavior: 'instant' })", scene)
    tab.wait_for_function("(at) => document.getElementById('stage').dataset.scene === `${at}`", arg=scene)
    tab.wait_for_function("() => document.getElementById('stage').dataset.still === 'true'")


def rounds(tab):
    return int(tab.locator(".controls input").input_value())


def drawn(tab):
    """Return how many pixels of the cloud are covered in the colours of blame and of praise."""
    return tab.evaluate("""() => {
        const canvas = document.querySelector(".cloud canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let [red, blue] = [0, 0];
        for (let at = 0; at < data.length; at += 4) {
            if (data[at + 3] < 60) continue;
            if (data[at] > data[at + 2] + 60) red++;
            if (data[at + 2] > data[at] + 60) blue++;
        }
        return [red, blue];
    }""")


@pytest.mark.parametrize(
    ("width", "theme", "checked"),
    [
        (PHONE, "dark", (3, 5, 7)),  # a cloud with its controls, a box, the grid
        *(pytest.param(*window, range(9), marks=pytest.mark.long) for window in ((PHONE, "dark"), (LAPTOP, "light"))),
    ],
    ids=str,
)
def test_every_scene_is_reached_by_scrolling_and_breaks_no_rule(front, width, theme, checked):
    opened = front(width=width, theme=theme)
    tab = opened.tab
    for scene, last in enumerate(ROUNDS):
        go(tab, scene)
        assert rounds(tab) == last
        if scene in (1, 2, 3, 6, 8):  # on one spot, dots have no side yet; what is coloured then is the axis
            assert (min(drawn(tab)) > 1000) == (scene > 1)
        found = problems(opened, (*QUIET, violations) if scene in checked else QUIET)
        assert found == [], scene
    stage = tab.locator("#stage").bounding_box()
    assert stage["height"] <= (400.5 if width == PHONE else 800)  # half of a phone's window
    go(tab, 3)
    assert rounds(tab) == 20
    go(tab, 2)
    assert rounds(tab) == 5


@pytest.mark.long
def test_it_is_light(other_tab):
    """What is there before the first picture is painted, before the box, and never: the theme, formulas, stills."""
    tab, asked = other_tab()

    def sent():
        files = {Path(unquote(urlsplit(url).path)) for url in asked if url.startswith("file:")}
        return sum(map(real_browser.sent_bytes, files))

    page = soup(FRONT)
    needed = [page.select_one("link[rel=stylesheet]")["href"], *(each["src"] for each in page.select("script[src]"))]
    files = [FRONT, *((FRONT.parent / unquote(urlsplit(each).path)).resolve() for each in needed)]
    assert sum(map(real_browser.sent_bytes, files)) <= FIRST_PAINT
    go(tab, 1)
    assert sent() <= BEFORE_THE_BOX
    assert not [url for url in asked if "words.js" in url]
    go(tab, 4)
    tab.wait_for_function("() => document.querySelector('.verdict strong')")
    assert [url for url in asked if "words.js" in url]
    assert not [url for url in asked if re.search("formulas|fontawesome|bootstrap|theme|search", url)]
    assert not [url for url in asked if url.endswith(".svg") and "favicon" not in url]  # no still where there is a cloud


# ---- the boxes


@pytest.fixture(scope="module")
def package():
    """Return a function: the verdict on a text, and the attention of each of its words, by the package."""
    words, stopped, found = shipped("words"), shipped("stopped"), recorded("front_page")
    scores, values = (unpacked(stopped[kind]) for kind in ("scores", "values"))
    model = ts.Parameters(np.stack([scores, values], axis=1), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    learnt_from = front_page.parts()[0]
    skew, familiar = learnt_from.label_skew(), front_page.familiar(learnt_from)

    def reading(text):
        corpus = ts.corpus_from_texts([text], [1], vocabulary=words, class_names=["blame", "praise"])
        attention = ts.attention(model, corpus).tocoo()
        of_words = {words[s]: q for s, q in zip(attention.col, attention.data, strict=True)}
        if not of_words:
            return "None of these words is in its vocabulary.", of_words
        known_well = int(corpus.counts[:, familiar].sum())
        if 2 * known_well <= (many := len(re.findall(r"\w\w+", text))):
            return f"It knows only {known_well} of {many} words well: too few for a verdict.", of_words
        if attention.data[abs(skew[attention.col]) >= front_page.CLEAR].sum() < 0.5:
            return "No clear word here.", of_words
        long = corpus.lengths[0] > front_page.SHORT
        fit = found["long" if long else "short"]
        praise = 1 / (1 + np.exp(-(fit["slope"] * ts.logits(model, corpus)[0] + fit["intercept"])))
        (tenths,) = front_page.said(np.array([max(praise, 1 - praise)]))
        if tenths == 5:
            return "Too close to call.", of_words
        often = "more than 9" if tenths == 10 else f"about {tenths}"
        side, kind = "Praise" if praise > 0.5 else "Blame", "long" if long else "short"
        return f"{side}. Verdicts this clear on {kind} texts are right {often} times in 10.", of_words

    return reading


def check(tab, package, text, box=0):
    """Hold what a box says of a text against the package."""
    wanted, of_words = package(text)
    area = tab.get_by_label("A sentence of your own").nth(box)
    assert area.input_value() == text
    assert tab.locator(".verdict").nth(box).inner_text().startswith(wanted)  # a person may add what is wrong with it
    mirror = tab.locator(".mirror").nth(box)
    assert mirror.evaluate("(each) => each.textContent").rstrip("\u200b") == text
    for span in mirror.locator("span").all():
        word = span.evaluate("(each) => each.textContent").lower()
        count = len(re.findall(rf"\b{word}\b", text.lower()))
        shown = float(span.evaluate("(each) => each.style.getPropertyValue('--q')"))
        assert shown == pytest.approx(of_words.get(word, 0) / count, abs=6e-4)


@pytest.fixture
def box(front):
    """Return the page at the box, with all that it needs."""
    opened = front(width=PHONE)
    go(opened.tab, 4)
    opened.tab.wait_for_function("() => document.querySelector('.verdict strong')")
    return opened


LONG = (
    "I went to see it with my brother and we talked all the way home. " * 6 + "It is a great film, a wonderful story, perfect."
)
TEXTS = (
    SENTENCE, *front_page.SENTENCES, "zzyzx quux", "Not a BAD film: zzyzx, dull dull but wonderful!", LONG, "good", "slow",
    "fun, but slow", "der Film war gut", "Ce film est vraiment mauvais",
)  # fmt: skip


def test_it_reads_as_the_package_does(box, package):
    check(box.tab, package, SENTENCE)
    said = set()
    for text in TEXTS:
        box.tab.get_by_label("A sentence of your own").first.fill(text)
        check(box.tab, package, text)
        said.add(re.sub(r"short|long|about \d|more than 9", "…", package(text)[0]))
    assert len(said) >= 4
    assert any("too few" in each for each in said)
    box.tab.get_by_label("A sentence of your own").first.fill("")
    assert box.tab.locator(".verdict").first.inner_text() == "Type a sentence."
    assert box.errors == []


@pytest.mark.long
def test_chips_fill_the_box_and_by_themselves_scenes_have_their_sentences(box, package):
    tab = box.tab
    go(tab, 5)
    check(tab, package, NOT_BAD, 1)
    go(tab, 4)
    check(tab, package, SENTENCE)
    go(tab, 5)
    for chip in (*front_page.SENTENCES[2:], NOT_BAD, "today"):
        tab.get_by_role("button", name=chip, exact=True).click()
        check(tab, package, chip, 1)
    go(tab, 4)
    check(tab, package, SENTENCE)  # the boxes are two: what fools the network isn't told before
    go(tab, 5)
    check(tab, package, "today", 1)  # what the reader chose stays


@pytest.mark.long
def test_the_address_brings_a_sentence(front, package):
    """Also what would be a tag, were it not put in as text."""
    text = "<b onclick='x'>so dull</b> & <img src=x> it was slow, dull and 100% boring"
    opened = front(fragment=f"#front.text={quote(text)}")
    tab = opened.tab
    tab.wait_for_function("() => document.querySelector('.verdict strong')")
    check(tab, package, text)
    assert tab.locator(".mirror :is(b, img)").count() == 0
    assert tab.evaluate("() => document.getElementById('stage').dataset.scene") == "4"
    tab.get_by_label("A sentence of your own").first.fill("A dull film")
    tab.wait_for_function("() => location.hash.includes('A+dull+film')")
    assert opened.errors == []


KEYBOARD = 400  # pixels that a keyboard leaves of a phone's window
BY_ITSELF = """(height) => {
    Object.defineProperty(visualViewport, "height", { value: height });
    visualViewport.dispatchEvent(new Event("resize"));
}"""


@pytest.mark.long
@pytest.mark.parametrize("window_shrinks", [True, False])  # as on Android, as on an iPhone
def test_the_verdict_is_seen_above_a_keyboard(box, window_shrinks):
    tab = box.tab
    area = tab.get_by_label("A sentence of your own").first
    area.focus()
    if window_shrinks:
        tab.set_viewport_size({"width": PHONE, "height": KEYBOARD})
    else:
        tab.evaluate(BY_ITSELF, KEYBOARD)
    tab.keyboard.type(" good")
    settle(tab)
    stage, box, verdict = (tab.locator(each).first.bounding_box() for each in ("#stage", ".box", ".verdict"))
    assert box["y"] >= stage["y"] + stage["height"]
    assert verdict["y"] + verdict["height"] <= KEYBOARD
    assert tab.evaluate("() => document.getElementById('stage').dataset.scene") == "4"


# ---- keys, motion, scripts, paper, themes


@pytest.mark.long
def test_a_tap_on_the_grid_names_the_head(front):
    """At the middle of every cell of the large grid, by what is drawn there, and by the arrow keys from there."""
    tab = front(width=PHONE).tab
    go(tab, 7)
    note, cloud = tab.locator(".controls p"), tab.locator(".cloud")
    legend = note.inner_text()
    assert "words of both sides" in legend
    heads, frame = shipped("horns_data")["heads"], cloud.bounding_box()
    size = (frame["width"] - 60) / 12
    assert size >= 24
    for layer, head in ((1, 1), (4, 5), (6, 12)):
        at = 12 * (layer - 1) + head - 1
        cloud.click(position={"x": 58 + size * (head - 0.55), "y": 26 + size * (6.45 - layer)})
        assert note.inner_text().startswith(f"Layer {layer}, head {head} ")
        true, _, shuffled = numbers(note.inner_text())[2:]
        assert [true, shuffled] == [heads[kind][at] / 100 for kind in ("true", "shuffled")]
    cloud.press("ArrowDown")
    assert cloud.get_attribute("aria-valuetext").startswith("Layer 5, head 12 ")
    go(tab, 8)
    assert "Layer" not in note.inner_text()
    go(tab, 7)
    assert note.inner_text() == legend


@pytest.mark.long
def test_all_of_it_by_the_keyboard(front):
    tab = front(width=LAPTOP).tab
    go(tab, 3)
    slider = tab.get_by_role("slider", name="Step of training")
    slider.focus()
    tab.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "step 19"
    tab.keyboard.press("Home")
    tab.get_by_role("button", name="Play").press("Enter")
    assert tab.get_by_role("button", name="Pause").count() == 1
    tab.wait_for_function("() => document.querySelector('.controls input').valueAsNumber === 20")
    tab.wait_for_function("() => document.querySelector('.play').ariaLabel === 'Play'")
    cloud = tab.locator(".cloud")
    cloud.focus()
    heard = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        tab.keyboard.press(key)
        heard.append(cloud.get_attribute("aria-valuetext"))
    assert heard[0] == heard[2] != heard[1]
    assert re.fullmatch(r"\w+: speaks for (blame|praise), score -?\d\.\d", heard[0])
    go(tab, 6)
    tab.get_by_role("button", name="True labels").press("Enter")
    assert tab.locator("button[aria-pressed=true]").inner_text() == "True labels"


@pytest.mark.long
def test_a_finger_finds_a_word(other_tab):
    tab, _ = other_tab(has_touch=True)
    go(tab, 3)
    box = tab.locator(".cloud").bounding_box()
    tab.touchscreen.tap(box["x"] + 0.06 * box["width"], box["y"] + 0.16 * box["height"])
    assert tab.locator(".cloud").get_attribute("aria-valuetext").startswith(("worst", "waste", "awful"))


@pytest.mark.long
def test_frames_jump_where_motion_is_not_wanted(other_tab):
    tab, _ = other_tab(width=LAPTOP, reduced_motion="reduce")
    tab.evaluate("""() => {
        window.seen = new Set();
        const slider = document.querySelector(".controls output");
        const see = new MutationObserver(() => seen.add(slider.textContent));
        see.observe(slider, { childList: true, characterData: true, subtree: true });
    }""")
    go(tab, 3)
    assert tab.evaluate("[...seen]") == ["step 20"]
    assert tab.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_without_scripts_the_essay_reads_in_full(front):
    tab = front(width=PHONE, scripts=False).tab
    assert len(tab.locator("article").inner_text().split()) > 500
    stills = tab.locator(".scene img").all()
    assert len(stills) == len(ROUNDS)
    assert all(each.is_visible() and len(each.get_attribute("alt")) > 100 for each in stills)
    assert all(each.get_attribute("loading") == "lazy" for each in stills)
    assert not tab.locator("#stage").is_visible()


@pytest.mark.long
def test_paper_shows_the_stills(front):
    tab = front().tab
    tab.emulate_media(media="print")
    assert all(each.is_visible() for each in tab.locator(".scene img").all())
    assert not tab.locator("#stage").is_visible()


@pytest.mark.long
def test_the_theme_is_that_of_the_book(front, site):
    tab = front(theme="light").tab
    tab.get_by_role("button", name="Light or dark").click()
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    tab.goto((site / "book" / "notation.html").as_uri())
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"


# ---- what it says


def test_the_essay_has_the_recorded_numbers():
    found = recorded("front_page")
    page = soup(FRONT)
    essay = " ".join(page.select_one("article").get_text().split())
    assert f"all {found['words']} that appear" in essay
    assert f"appears in {found['the']:.0%} of reviews" in essay
    assert f"right on at least {min(found['right']):.0%} of new reviews, from each of five starts" in essay
    assert f"bad takes {found['sentences'][NOT_BAD]['attention']['bad']:.0%} of the attention" in essay
    assert f"scores {found['control']['own'][0]:.0%}" in essay
    assert f"scores {found['control']['new'][0]:.0%}" in essay or abs(found["control"]["new"][0] - 0.5) < 0.02
    assert abs(found["at step 150"]["certain"] - 0.8) < 0.02  # four in five
    assert 0.25 < found["at step 150"]["certain, wrong"] < 0.3  # more than a quarter
    sides = recorded("ablations_sides")
    tally = sides["linear"]["shares"]["test_accuracies"]
    runs = ([run["test_accuracy"] for run in sides[kind]["runs"]] for kind in ("bag", "all"))
    rows = [numbers(row.select("td")[1].get_text()) for row in page.select("article tbody tr")]
    assert rows == [[round(100 * np.mean(right))] for right in (tally, *runs)]
    for word, share in list(found["sentences"][SENTENCE]["attention"].items())[:2]:
        (span,) = (each for each in page.select(".sentence span") if each.get_text().startswith(word))
        assert numbers(span["style"].split(":")[1]) == [share]
