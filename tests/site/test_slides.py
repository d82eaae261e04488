"""The slides of the lessons in a real browser: by keys, with notes, on paper, light, and made of the chapters' own figures."""

import json
from io import BytesIO
from urllib.parse import parse_qsl, urlsplit

import pytest
from pages import QUIET, ROOT, SITE, accessible, address_of, problems, settle, soup
from pypdf import PdfReader

TEACHING = SITE / "book" / "teaching"
SLIDES = sorted(TEACHING.glob("slides-*.html"))
BYTES = 5e6  # of all files that a lesson's slides load
ON = "(title) => document.querySelector('.current h2').textContent.startsWith(title)"
each_lesson = pytest.mark.parametrize("page", SLIDES, ids=lambda page: page.stem)


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


def test_keys_move_the_slides_and_the_address_keeps_them(visit, site):
    opened = presented(visit, SLIDES[0])
    tab, titles = opened.tab, opened.titles
    assert shown(tab) == titles[:1]
    for key, at in (("ArrowRight", 1), (" ", 2), ("PageDown", 3), ("ArrowLeft", 2), ("PageUp", 1), ("End", -1), ("Home", 0)):
        tab.keyboard.press(key)
        assert shown(tab) == [titles[at]], key
    tab.get_by_role("button", name="Notes", exact=True).click()
    tab.keyboard.press("ArrowRight")
    again = visit(SLIDES[0], fragment=f"#{urlsplit(address_of(tab)).fragment}")
    assert shown(tab) == shown(again.tab) == titles[1:2]
    tab.keyboard.press("Escape")
    assert shown(tab) == titles


@pytest.mark.long
@pytest.mark.parametrize(
    ("control", "keys"),
    [("textarea", ["n", "w", " "]), (".plaything input[type=range]", ["End", "ArrowLeft", " ", "ArrowLeft"])],
)
def test_what_one_writes_or_moves_turns_no_page(visit, site, control, keys):
    opened = presented(visit, SLIDES[0])
    tab, titles = opened.tab, opened.titles
    while not tab.locator(f"section.current {control}:visible").count():
        tab.keyboard.press("PageDown")
    here, field = shown(tab), tab.locator(f"section.current {control}:visible").first
    before = field.input_value()
    for key in keys:
        field.press(key)
    assert field.input_value() != before
    assert shown(tab) == here
    if control != "textarea":
        tab.keyboard.press("PageDown")  # of a clicker
        assert shown(tab) == [titles[titles.index(here[0]) + 1]]


@pytest.mark.long
def test_notes_are_shown_and_their_window_and_the_slides_follow_each_other(visit, site):
    opened = presented(visit, SLIDES[0])
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
    assert window.locator("section.current .plaything, section.current img").filter(visible=True).count() == 0


# What a slide needs beyond its room: downwards, in its own box, and below the bar with the buttons; and letters of code and
# playthings smaller than can be read from the last row, in pixels of the screen.
NEEDS = """(least) => {
    const slide = document.querySelector("section.current");
    const seen = [...slide.querySelectorAll("*")].filter((each) => each.checkVisibility({ visibilityProperty: true }));
    const bottom = Math.max(...seen.filter((each) => !each.ownerSVGElement && each.clientWidth > 1)
        .map((each) => each.getBoundingClientRect().bottom));
    const size = (each) => parseFloat(getComputedStyle(each).fontSize) * (each.ownerSVGElement?.getScreenCTM().a ?? 1);
    const small = seen.filter((each) => each.matches(".plaything text, .plaything p, pre") && size(each) < least - 0.05);
    return {
        "has to be scrolled": [slide, document.documentElement].some((each) => each.scrollHeight - each.clientHeight > 1),
        "lies under the buttons": bottom > document.querySelector(".slides-controls").getBoundingClientRect().top + 1,
        "too small to be read": small.map((each) => `${each.textContent}: ${size(each)}`),
    };
}"""
SMALLEST = 16  # pixels
# What a class presses, of what changes how much is seen.
PLAYED = {
    "a long one": 1,
    "Pulls": 1,
    "Leads / length": 1,
    "Depth": 1,
    "Run 20": 1,
    "Reveal": 1,
    "size 3,000": 1,
    "shuffled": 1,
}


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
def test_every_slide_keeps_the_rules_of_a_page_and_all_are_light(visit, page):
    """In the place of a picture is its plaything."""
    opened = presented(visit, page, width=1280)
    tab, found = opened.tab, {}
    for title in opened.titles:
        figures = tab.locator("section.current figure.shared")
        seen = figures.locator("img").filter(visible=True).count() + figures.locator(".plaything").count()
        assert seen == figures.count()
        for theme in ("light", "dark"):
            tab.emulate_media(color_scheme=theme)
            tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
            found[f"{title}, {theme}"] = problems(opened, (*QUIET, accessible))
            opened.errors.clear()  # the checker may not read style sheets of pages on a disk, and says so
        tab.keyboard.press("PageDown")
    assert not any(found.values()), json.dumps(found, indent=1)
    assert BYTES > sum(file.stat().st_size for file in opened.files()) > 0


@pytest.mark.long
@each_lesson
def test_on_paper_every_slide_is_there(visit, page):
    """From the page that is read, with the notes; while they are presented, without, and each on a sheet that lies."""
    tab = visit(page).tab
    titles = shown(tab)
    for notes in (len(titles), 0):
        tab.emulate_media(media="print")
        assert shown(tab) == titles
        assert tab.locator(".admonition.notes").filter(visible=True).count() == notes
        assert tab.locator(".plaything").filter(visible=True).count() == 0  # of a plaything stands the picture
        sheets = PdfReader(BytesIO(tab.pdf(prefer_css_page_size=True))).pages
        tab.emulate_media(media="screen")
        tab.keyboard.press("p")
    assert len(sheets) == len(titles)
    assert all(sheet.mediabox.width > sheet.mediabox.height for sheet in sheets)


@pytest.mark.long
@each_lesson
def test_a_plaything_opens_before_the_answer(visit, page):
    """Of those that the class predicts: nothing has been trained, or shown, yet."""
    tab = presented(visit, page).tab
    before = {"train": "After 0 steps", "step": "0 (before)", "flow": "2 of 4 texts", "not": "You say"}
    for name, says in before.items():
        for plaything in tab.locator(f".plaything-{name}.unanswered .plaything").all():
            assert says in plaything.evaluate("(each) => each.textContent")


def states():
    """Return every state of a plaything that a lesson leads to."""
    links = {link["href"] for page in TEACHING.glob("*.html") for link in soup(page).select("article a[href]")}
    return sorted(link for link in links if "=" in urlsplit(link).fragment)


@pytest.mark.long
@pytest.mark.parametrize("link", states())
def test_a_plaything_takes_the_state_that_a_lesson_asks_for(visit, link):
    """It is in sight then."""
    fragment = urlsplit(link).fragment
    tab = visit((TEACHING / urlsplit(link).path).resolve(), fragment=f"#{fragment}").tab
    settle(tab)
    kept = dict(parse_qsl(urlsplit(address_of(tab)).fragment))
    name = fragment.partition(".")[0]
    defaults = tab.evaluate("(name) => tokensel.settings.made?.[name]?.defaults ?? {}", name)
    # What is the default needs no place in the address.
    assert kept == {key: value for key, value in parse_qsl(fragment) if value != str(defaults.get(key.partition(".")[2]))}
    place = tab.locator(f".plaything-{name} .plaything, .tag_plaything-{name} .plaything").first
    assert -5 < place.evaluate("(each) => each.getBoundingClientRect().top") < 800 / 2


# What lessons say that a plaything shows, and where: its page, state, and what it is to show, which pages or slides say.
SAID = [
    ("01_model", "plane.p=0_0", "logit is −0.18.", "-0.18"),
    ("02_one_step", "step.show=reviews&step.d=32", "line: 0.488", "falls from 0.98 to 0.49"),
    ("03_flow", "flow.show=race&flow.length=60", "1.26, of at most 1.27", "smallest lead is 1.26, of at most 1.27"),
    ("03_flow", "seesaw.show=depth&seesaw.kappa=1.3", "sinks 1.12 notches", "at 1.3 it sinks 1.12 notches"),
    ("04_reviews", "map.word=excellent", "value 26.5", "its value is 24.0, beside 26.5 of *excellent*"),
    ("04_reviews", "map.word=worst&map.labels=shuffled", "value 21.7", "*worst*, value 21.7, speaks for praise"),
    ("05_beyond", "not.word=good&not.seen=1", "lands at −0.52", "$-0.52$ and $-0.35$"),
]


@pytest.mark.long
@pytest.mark.parametrize(("page", "state", "shows", "told"), SAID, ids=[state for _, state, *_ in SAID])
def test_lessons_say_what_playthings_show(chapter, page, state, shows, told):
    assert any(told in path.read_text("utf-8") for path in (ROOT / "book" / "teaching").glob("*.md")), told
    tab = chapter(page, f"#{state}").tab
    tab.locator(f"[class*=plaything-{state.partition('.')[0]}] .plaything").filter(has_text=shows).first.wait_for(
        timeout=10_000
    )
