"""The slides of the lessons in a real browser: by keys, with notes, on paper, light, and made of the chapters' own figures."""

import json
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from pages import QUIET, ROOT, SITE, accessible, address_of, problems, settle, soup
from pypdf import PdfReader

TEACHING = SITE / "book" / "teaching"
SLIDES = sorted(TEACHING.glob("slides-*.html"))
LESSONS = sorted(TEACHING.glob("*.html"))
BYTES = 5e6  # of all files that a lesson's slides load
ON = "(title) => document.querySelector('.current h2').textContent.startsWith(title)"
FONT_SIZES = "(all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
each_lesson = pytest.mark.parametrize("page", SLIDES, ids=lambda page: page.stem)
# `make test` opens the first deck; `make long` opens all.
first_lesson = pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem, marks=pytest.mark.long if at else []) for at, page in enumerate(SLIDES)]
)


def shown(tab):
    """Return the titles of the slides that can be seen."""
    return tab.evaluate("""() => [...document.querySelectorAll("article > section > section")]
        .filter((each) => each.checkVisibility()).map((each) => each.querySelector("h2").firstChild.textContent)""")


def presented(visit, page, **settings):
    """Open the slides of a lesson and present them."""
    opened = visit(page, **settings)
    opened.titles = shown(opened.tab)
    opened.tab.keyboard.press("p")
    return opened


@first_lesson
def test_keys_move_the_slides_and_the_address_keeps_them(visit, page):
    opened = presented(visit, page)
    tab, titles = opened.tab, opened.titles
    assert len(titles) > 5
    assert shown(tab) == titles[:1]
    for key, at in (("ArrowRight", 1), (" ", 2), ("PageDown", 3), ("ArrowLeft", 2), ("PageUp", 1), ("End", -1), ("Home", 0)):
        tab.keyboard.press(key)
        assert shown(tab) == [titles[at]], key
    tab.keyboard.press("PageUp")  # there is none before the first
    assert shown(tab) == titles[:1]
    tab.get_by_role("button", name="Notes", exact=True).click()
    tab.keyboard.press("ArrowRight")
    again = visit(page, fragment=f"#{urlsplit(address_of(tab)).fragment}")
    assert shown(tab) == shown(again.tab) == titles[1:2]
    tab.keyboard.press("Escape")
    assert shown(tab) == titles


@pytest.mark.long
@each_lesson
def test_a_plaything_keeps_its_arrow_keys_and_a_clicker_moves_on(visit, page):
    opened = presented(visit, page)
    tab, titles = opened.tab, opened.titles
    sliders = "section.current .plaything input[type=range]:visible"
    while not tab.locator(sliders).count():
        tab.keyboard.press("PageDown")
    here, slider = shown(tab), tab.locator(sliders).first
    slider.focus()
    values = {slider.input_value()}
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):  # wherever on its way it begins
        tab.keyboard.press(key)
        values.add(slider.input_value())
    assert len(values) > 1
    assert shown(tab) == here
    tab.keyboard.press("PageDown")
    assert shown(tab) == [titles[titles.index(here[0]) + 1]]


@pytest.mark.long
def test_who_writes_a_review_turns_no_page(visit):
    opened = presented(visit, SLIDES[0])
    box = opened.tab.locator("section.current textarea")
    while not box.count():
        opened.tab.keyboard.press("PageDown")
    here = shown(opened.tab)
    box.fill("")
    box.press_sequentially("no fun, when I wept ")
    assert box.input_value() == "no fun, when I wept "
    assert shown(opened.tab) == here
    assert not opened.tab.locator("section.current .admonition.notes").is_visible()


@first_lesson
def test_notes_are_shown_and_their_window_and_the_slides_follow_each_other(visit, page):
    opened = presented(visit, page)
    tab, notes = opened.tab, opened.tab.locator("section.current .admonition.notes")
    for seen in (True, False):
        tab.keyboard.press("n")
        assert notes.is_visible() == seen
    with tab.expect_popup() as popup:
        tab.keyboard.press("w")
    window = popup.value
    window.wait_for_selector("section.current .admonition.notes", state="visible")
    for turned, other, title in ((tab, window, opened.titles[1]), (window, tab, opened.titles[2])):
        turned.keyboard.press("PageDown")
        other.wait_for_function(ON, arg=title)
        assert shown(window) == [title]
    assert window.locator("section.current .plaything, section.current img").filter(visible=True).count() == 0
    assert window.locator(".clock").inner_text().startswith("0:")


@pytest.mark.long
@each_lesson
def test_every_slide_keeps_the_rules_of_a_page_and_all_are_light(visit, page):
    """In the place of a picture is its plaything, and code can be read from afar."""
    opened = presented(visit, page, width=1280)
    tab, found, played = opened.tab, {}, 0
    for title in opened.titles:
        figures = tab.locator("section.current figure.shared")
        seen = figures.locator("img").filter(visible=True).count() + figures.locator(".plaything").count()
        assert seen == figures.count()
        played += figures.locator(".plaything").count()
        assert all(size >= SMALLEST for size in tab.locator("section.current pre").evaluate_all(FONT_SIZES))
        for theme in ("light", "dark"):
            tab.emulate_media(color_scheme=theme)
            tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
            broken = problems(opened, (*QUIET, accessible))
            found |= {f"{title}, {theme}": broken} if broken else {}
            opened.errors.clear()  # the checker may not read style sheets of pages on a disk, and says so
        tab.keyboard.press("PageDown")
    assert played
    assert not found, json.dumps(found, indent=1)
    files = {Path(unquote(urlsplit(url).path)) for url in opened.requests if url.startswith("file:")}
    assert page in files
    assert sum(file.stat().st_size for file in files) < BYTES


@pytest.mark.long
@each_lesson
def test_on_paper_every_slide_is_there(visit, page):
    """From the page that is read, with the notes; while they are presented, without, and each on a sheet that lies.

    Of a plaything stands the picture.
    """
    tab = visit(page).tab
    titles = shown(tab)
    tab.emulate_media(media="print")
    assert shown(tab) == titles
    assert tab.locator(".admonition.notes").filter(visible=True).count() == len(titles)
    assert tab.locator(".plaything").filter(visible=True).count() == 0
    tab.emulate_media(media="screen")
    tab.keyboard.press("p")
    tab.emulate_media(media="print")
    assert shown(tab) == titles
    rest = ".admonition.notes, .slides-controls, .plaything, #jb-print-docs-body"
    assert tab.locator(rest).filter(visible=True).count() == 0
    sheets = PdfReader(BytesIO(tab.pdf(prefer_css_page_size=True))).pages
    assert len(sheets) == len(titles)
    assert all(sheet.mediabox.width > sheet.mediabox.height for sheet in sheets)


# What a slide needs beyond its room: downwards, in its own box, and below the bar with the buttons; and letters of playthings
# smaller than can be read from the last row, in pixels of the screen.
NEEDS = """(least) => {
    const slide = document.querySelector("section.current");
    const seen = [...slide.querySelectorAll("*")].filter((each) => each.checkVisibility({ visibilityProperty: true }));
    const bottom = Math.max(...seen.filter((each) => !each.ownerSVGElement && each.clientWidth > 1)
        .map((each) => each.getBoundingClientRect().bottom));
    const size = (each) => parseFloat(getComputedStyle(each).fontSize) * (each.ownerSVGElement?.getScreenCTM().a ?? 1);
    const says = (each) => [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    const above = (each) => parseFloat(each.dataset.label ? getComputedStyle(each, "::after").fontSize : Infinity);
    const little = (each) => says(each) && Math.min(size(each), above(each)) < least - 0.05;
    const small = seen.filter((each) => each.closest(".plaything") && little(each));
    return {
        "has to be scrolled": [slide, document.documentElement].some((each) => each.scrollHeight - each.clientHeight > 1),
        "lies under the buttons": bottom > document.querySelector(".slides-controls").getBoundingClientRect().top + 1,
        "too small to be read": small.map((each) => `${each.textContent}: ${size(each)}`),
    };
}"""
SMALLEST = 16  # pixels
# What a class presses, of what changes how much is seen.
PLAYED = {"a long one": 1, "Show more": 2, "Run 20": 1, "Reveal": 1, "size 3,000": 1, "shuffled": 1}


def broken(tab):
    """Return what is wrong with how a slide fills the screen."""
    settle(tab)
    return [what for what, found in tab.evaluate(NEEDS, SMALLEST).items() if found]


@pytest.mark.long
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=["laptop", "projector"])
@each_lesson
def test_every_slide_fits_and_can_be_read_also_after_it_was_played_with(visit, page, size):
    opened = presented(visit, page)
    tab, found = opened.tab, {}
    tab.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    for title in opened.titles:
        found[title] = broken(tab)
        for name, times in PLAYED.items():
            for _ in range(times):
                for button in tab.locator("section.current .plaything").get_by_role("button", name=name, exact=True).all():
                    button.click()
                    found[f"{title}, {name}"] = broken(tab)
        tab.keyboard.press("PageDown")
    assert any(", " in name for name in found)
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.long
@each_lesson
def test_a_plaything_opens_before_the_answer(visit, page):
    """Of those that the class predicts: nothing has been trained, or shown, yet."""
    tab = presented(visit, page).tab
    before = {"train": "After 0 steps", "step": "0 (before)", "flow": "Draw its path", "not": "You say"}
    for name, says in before.items():
        for plaything in tab.locator(f".plaything-{name}.unanswered .plaything").all():
            assert says in plaything.evaluate("(each) => each.textContent")


def states():
    """Return every state of a plaything that a lesson leads to."""
    links = {link["href"] for page in LESSONS for link in soup(page).select("article a[href]")}
    return sorted(link for link in links if "=" in urlsplit(link).fragment)


def takes(opened, link):
    """Assert that a page has taken a state: it writes what it shows into the address; what it does not take, it leaves out."""
    fragment = urlsplit(link).fragment
    settle(opened.tab)
    kept = dict(parse_qsl(urlsplit(address_of(opened.tab)).fragment))
    name = fragment.partition(".")[0]
    defaults = opened.tab.evaluate("(name) => tokensel.settings.defaults?.[name] ?? {}", name)
    asked = {key: value for key, value in parse_qsl(fragment) if value != str(defaults.get(key.partition(".")[2]))}
    assert kept == asked, link  # what is the default needs no place in the address
    place = opened.tab.locator(f".plaything-{name} .plaything, .tag_plaything-{name} .plaything").first
    top = place.evaluate("(each) => each.getBoundingClientRect().top")
    assert -5 < top < 800 / 2, link


# What lessons say that a plaything shows, and where: (state, what it is to show, what pages or slides say).
SAID = [
    ("01_model.html#plane.p=0_0", r"logit is −0\.18\.", "-0.18"),
    ("01_model.html#plane.v=0_-1", r"logit is 1\.06\.", "+1.06"),
    (
        "02_one_step.html#step.eta=300",
        r"value −0\.200;.*line: 0\.419",
        "correlation of all words with the line 0.42",
    ),
    ("02_one_step.html#step.eta=3000&step.d=32", r"line: 0\.488", "falls from 0.98 to 0.49"),
    ("03_flow.html#flow.length=10", r"pulls together 0\.00051", "0.0005 at length 10"),
    ("03_flow.html#border.step=306", r"lone wakes", "306 (it wakes)"),
    ("03_flow.html#border.step=312", r"lone still sleeps, but is rising", "312 (it is rising when the picture ends)"),
    ("03_flow.html#border.step=330", r"lone sleeps on", "330 (it sleeps on)"),
    ("03_flow.html#border.step=330&border.k=1", r"lone wakes", "330 with one ally (it wakes"),
    ("04_reviews.html#map.word=good", r"value 24\.0", "its value is 24.0, beside 26.5 of *excellent*"),
    ("04_reviews.html#map.word=excellent", r"value 26\.5", "its value is 24.0, beside 26.5 of *excellent*"),
    ("04_reviews.html#map.word=inclusion", r"value 0\.6, score 6\.9", "(score 6.9) and says next to nothing (value 0.6)"),
    (
        "04_reviews.html#map.word=the",
        r"value 12\.2, score −4\.0",
        "says something (12.2), and gets next to none (score",
    ),
    ("04_reviews.html#map.word=worst&map.labels=shuffled", r"value 21\.7", "*worst*, value 21.7, speaks for praise"),
    ("04_reviews.html#map.word=today&map.labels=shuffled", r"score −3\.5", "after shuffled labels (there it is silent)"),
    ("05_beyond.html#not.word=good&not.seen=1", r"lands at −0\.52", "$-0.52$ and $-0.35$"),
    ("05_beyond.html#not.word=bad&not.seen=1", r"lands at −0\.35", "$-0.52$ and $-0.35$"),
]


@pytest.mark.long
@pytest.mark.parametrize(("state", "shows", "told"), SAID, ids=[state.partition("#")[2] for state, *_ in SAID])
def test_lessons_say_what_playthings_show(visit, state, shows, told):
    assert any(told in path.read_text("utf-8") for path in (ROOT / "book" / "teaching").glob("*.md")), told
    path, _, fragment = state.partition("#")
    name = fragment.partition(".")[0]
    tab = visit(SITE / "book" / path, fragment=f"#{fragment}").tab
    there = f"""(pattern) => [...document.querySelectorAll("[class*=plaything-{name}] .plaything")]
        .some((each) => new RegExp(pattern, "s").test(each.textContent))"""
    tab.wait_for_function(there, arg=shows, timeout=10_000)


@pytest.mark.long
@pytest.mark.parametrize("link", states())
def test_a_plaything_takes_the_state_that_a_lesson_asks_for(visit, link):
    takes(visit((TEACHING / urlsplit(link).path).resolve(), fragment=f"#{urlsplit(link).fragment}"), link)
