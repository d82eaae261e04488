"""The front page as a reader meets it: scenes beside one cloud, boxes that read as the package does, games, little to load."""

import re
from urllib.parse import quote, unquote, urlsplit

import browser as real_browser
import numpy as np
import pytest
from helpers import shipped, unpacked
from pages import FRONT, QUIET, numbers, problems, settle, shown, soup, told, violations

import tokensel_nb as ts
from tokensel_nb.chapters.recorded import recorded

FIRST_PAINT, BEFORE_THE_BOX = 45_000, 60_000  # bytes, as a server that compresses would send them
PHONE, LAPTOP = 390, 1280
SENTENCE, NOT_BAD = "The story is slow, but the music is wonderful.", "The film was not bad."
ROUNDS = (0, 0, 5, 20, 20, 20, 20, 20)  # that scenes end with


@pytest.fixture
def front(visit):
    """Return a function that opens the front page, and waits for the cloud."""

    def opened(**window):
        found = visit(FRONT, **window)
        found.tab.wait_for_function("() => tokensel.horns")
        return found

    return opened


def go(tab, scene):
    """Scroll to a scene, and wait until nothing moves any more."""
    tab.evaluate("(at) => document.querySelectorAll('.scene')[at].scrollIntoView({ behavior: 'instant' })", scene)
    tab.wait_for_function("(at) => document.getElementById('stage').dataset.scene === `${at}`", arg=scene)
    tab.wait_for_function("() => document.getElementById('stage').dataset.still === 'true'")


def drawn(tab):
    """Return how many pixels of the cloud are covered in the colours of blame and of praise."""
    return tab.evaluate("""() => {
        const canvas = document.querySelector(".cloud canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const more = (one, other) => data.filter((q, i) => i % 4 === 3 && q > 59 && data[i - one] > data[i - other] + 60);
        return [more(3, 1).length, more(1, 3).length];
    }""")


@pytest.mark.parametrize(("width", "theme"), [(PHONE, "dark"), pytest.param(LAPTOP, "light", marks=pytest.mark.long)])
def test_every_scene_is_reached_by_scrolling_and_breaks_no_rule(front, width, theme):
    opened = front(width=width, theme=theme)
    tab = opened.tab
    for scene, last in [*enumerate(ROUNDS), (2, 5)]:
        go(tab, scene)
        assert int(tab.locator(".controls input").input_value()) == last
        if scene in (1, 2, 3, 6, 7):  # on one spot, dots have no side yet; what is coloured then is the axis
            assert (min(drawn(tab)) > 1000) == (scene > 1)
        checked = scene == 5 or width == LAPTOP  # a box, and the cloud with its controls
        assert problems(opened, (*QUIET, violations) if checked else QUIET) == [], scene
    assert tab.locator("#stage").bounding_box()["height"] <= (400.5 if width == PHONE else 800)  # half of a phone's window


@pytest.mark.long
def test_it_is_light(front):
    """What is there before the first picture is painted, before the box, and never: the theme, formulas, stills."""
    opened = front(width=PHONE)
    page = soup(FRONT)
    needed = [page.select_one("link[rel=stylesheet]")["href"], *(each["src"] for each in page.select("script[src]"))]
    files = [FRONT, *((FRONT.parent / unquote(urlsplit(each).path)).resolve() for each in needed)]
    assert sum(map(real_browser.sent_bytes, files)) <= FIRST_PAINT
    go(opened.tab, 1)
    assert sum(map(real_browser.sent_bytes, opened.files())) <= BEFORE_THE_BOX
    assert "words.js" not in str(opened.requests)
    go(opened.tab, 4)
    opened.tab.wait_for_function("() => document.querySelector('.verdict strong')")
    assert "words.js" in str(opened.requests)
    assert "heads.js" not in str(opened.requests)
    unasked = r"formulas|fontawesome|bootstrap|theme|search|(?<!favicon|scene_0)\.svg"
    assert not [url for url in opened.requests if re.search(unasked, url)]


# ---- the boxes


def check(tab, text, verdict, box=0):
    """Hold what a box says of a text against the verdict it should have, and the attention of its words against the package."""
    words, stopped = shipped("words"), shipped("stopped")
    scores, values = (unpacked(stopped[kind]) for kind in ("scores", "values"))
    model = ts.Parameters(np.stack([scores, values], axis=1), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    corpus = ts.corpus_from_texts([text], [1], vocabulary=words, class_names=["blame", "praise"])
    attention = ts.attention(model, corpus).tocoo()
    of_words = {words[s]: q for s, q in zip(attention.col, attention.data, strict=True)}
    assert tab.get_by_label("A sentence of your own").nth(box).input_value() == text
    assert tab.locator(".verdict").nth(box).inner_text().startswith(verdict)
    mirror = tab.locator(".mirror").nth(box)
    assert mirror.evaluate("(each) => each.textContent").rstrip("\u200b") == text
    read = "(all) => all.map((each) => [each.textContent.toLowerCase(), each.style.getPropertyValue('--q')])"
    for word, share in mirror.locator("span").evaluate_all(read):
        count = len(re.findall(rf"\b{word}\b", text.lower()))
        assert float(share) == pytest.approx(of_words.get(word, 0) / count, abs=6e-4)


@pytest.fixture
def box(front):
    """Return the page at the box, with all that it needs."""
    opened = front(width=PHONE)
    go(opened.tab, 4)
    opened.tab.wait_for_function("() => document.querySelector('.verdict strong')")
    return opened


# Verdicts are the recorded fit's: test_engine.py holds every one of them against the package.
VERDICTS = {
    SENTENCE: "Praise. Verdicts this clear on short texts are right about 8 times in 10.",
    "Not a BAD film: zzyzx, dull dull but wonderful!": "Blame. ",
    "today": "Praise. ",
    "the the the the": "No clear word here.",
    "zzyzx quux": "None of these words is in its vocabulary.",
    "der Film war gut": "It knows only 2 of 4 words well: too few for a verdict.",
    "": "Type a sentence.",
}


def test_it_reads_as_the_package_does(box):
    for text, verdict in VERDICTS.items():
        box.tab.get_by_label("A sentence of your own").first.fill(text)
        check(box.tab, text, verdict)
    assert box.errors == []


@pytest.mark.long
def test_a_chip_fills_its_own_box(box):
    go(box.tab, 5)
    check(box.tab, NOT_BAD, "Blame. ", 1)
    box.tab.get_by_role("button", name="today", exact=True).click()
    go(box.tab, 4)
    check(box.tab, SENTENCE, "Praise. ")  # the boxes are two: what fools the network isn't told before
    check(box.tab, "today", VERDICTS["today"], 1)


@pytest.mark.long
def test_the_address_brings_a_sentence(front):
    """Also what would be a tag, were it not put in as text."""
    text = "<b onclick='x'>so dull</b> & <img src=x> it was slow, dull and 100% boring"
    opened = front(fragment=f"#front.text={quote(text)}")
    tab = opened.tab
    tab.wait_for_function("() => document.querySelector('.verdict strong')")
    check(tab, text, "Blame. ")
    assert tab.locator(".mirror :is(b, img)").count() == 0
    tab.wait_for_function("() => document.getElementById('stage').dataset.scene === '4'")
    tab.get_by_label("A sentence of your own").first.fill("A dull film")
    tab.wait_for_function("() => location.hash.includes('A+dull+film')")
    assert opened.errors == []


@pytest.mark.long
def test_the_verdict_is_seen_above_a_keyboard(box):
    """Which leaves 400 pixels of a phone's window; the window says so as an iPhone's does."""
    box.tab.get_by_label("A sentence of your own").first.focus()
    box.tab.evaluate("""() => {
        Object.defineProperty(visualViewport, "height", { value: 400 });
        visualViewport.dispatchEvent(new Event("resize"));
    }""")
    settle(box.tab)
    verdict = box.tab.locator(".verdict").first.bounding_box()
    assert verdict["y"] + verdict["height"] <= 400


# ---- keys, fingers, scripts, paper, themes


@pytest.mark.parametrize(("width", "theme"), [(PHONE, "dark"), pytest.param(LAPTOP, "light", marks=pytest.mark.long)])
def test_the_games_at_the_end_are_played_on_the_page(front, width, theme):
    opened = front(width=width, theme=theme)
    tab = opened.tab
    luck, heads = (tab.locator(f".plaything.{name}") for name in ("luck", "heads"))
    tab.locator("#learnt-or-luck").scroll_into_view_if_needed()
    luck.wait_for()
    for guess in range(1, 5):
        assert told(luck, ".readout") == f"Guess {guess} of 4"
        luck.locator("button:enabled:text-is('A')").click()
    assert "of 4 right" in told(luck, ".readout")
    heads.get_by_label("your own sentence").fill("an awful delay")
    assert "awful" in told(heads, ".readout")
    assert problems(opened, (*QUIET, violations)) == []


@pytest.mark.long
def test_all_of_it_by_the_keyboard(front):
    tab = front(width=LAPTOP).tab
    go(tab, 3)
    slider, cloud = tab.get_by_role("slider", name="Step of training"), tab.locator(".cloud")
    slider.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "step 19"
    slider.press("Home")
    tab.get_by_role("button", name="Play").press("Enter")
    assert tab.get_by_role("button", name="Pause").count() == 1
    tab.wait_for_function("() => document.querySelector('.controls input').valueAsNumber === 20")
    cloud.press("ArrowRight")
    assert re.fullmatch(r"\w+: speaks for (blame|praise), score -?\d\.\d", cloud.get_attribute("aria-valuetext"))
    go(tab, 6)
    tab.get_by_role("button", name="True labels").press("Enter")
    assert tab.locator("button[aria-pressed=true]").inner_text() == "True labels"


@pytest.mark.long
def test_a_finger_finds_a_word(front):
    tab = front(width=PHONE, has_touch=True).tab
    go(tab, 3)
    box = tab.locator(".cloud").bounding_box()
    tab.touchscreen.tap(box["x"] + 0.06 * box["width"], box["y"] + 0.16 * box["height"])
    assert tab.locator(".cloud").get_attribute("aria-valuetext").startswith(("worst", "waste", "awful"))


@pytest.mark.parametrize("scripts", [False, pytest.param(True, marks=pytest.mark.long)])
def test_without_scripts_and_on_paper_the_essay_reads_in_full(visit, scripts):
    tab = visit(FRONT, width=PHONE, scripts=scripts).tab
    if scripts:
        tab.emulate_media(media="print")
    stills = tab.locator(":is(.scene, figure) img").all()
    assert len(stills) == len(ROUNDS) + 2
    assert all(each.is_visible() for each in stills)
    assert [each.get_attribute("loading") for each in stills] == [None, *["lazy"] * (len(stills) - 1)]
    assert not tab.locator("#stage").is_visible()


def test_the_essay_has_the_recorded_numbers():
    found, page = recorded("front_page"), soup(FRONT)
    essay = " ".join(page.select_one("article").get_text().split())
    assert f"all {found['words']} that appear" in essay
    assert f"appears in {found['the']:.0%} of reviews" in essay
    assert f"right on at least {min(found['right']):.0%} of new reviews, from each of five starts" in essay
    assert f"bad takes {found['sentences'][NOT_BAD]['attention']['bad']:.0%} of the attention" in essay
    assert f"scores {found['control']['own'][0]:.0%}" in essay
    sides = recorded("ablations_sides")
    runs = ([run["test_accuracy"] for run in sides[kind]["runs"]] for kind in ("bag", "all"))
    wanted = [[round(100 * np.mean(right))] for right in (sides["linear"]["shares"]["test_accuracies"], *runs)]
    assert [numbers(shown(row.select("td")[1])) for row in page.select("article tbody tr")] == wanted
