"""What stands open to a reader, and what a page weighs: the book explains first, and fits on a phone and into an evening."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import browser as real_browser
import pytest
from pages import CHAPTERS, FRONT, SITE, Visit, each_page, soup

READ = [FRONT, *CHAPTERS]
WORDS = 24_000  # in all
CHAPTER_BYTES = 440_000  # what a server that compresses would send for a chapter, cold, to a phone that has not scrolled
SHIFT = 0.02  # what may move by itself on a page; up to 0.1, search engines call it good
WORD = re.compile(r"[\w’-]+")


def stands_open(element):
    """Say whether an element is shown without a click."""
    return not any(each.name == "details" and not each.has_attr("open") for each in element.parents)


def words(page):
    """Count the words that stand open in paragraphs, lists, headings and captions."""
    found = [each for each in soup(page).select("article :is(p, li, h1, h2, h3, figcaption)") if not each.select("p, li")]
    return sum(len(WORD.findall(each.get_text())) for each in found if stands_open(each))


def test_the_book_can_be_read_in_an_evening():
    assert len(READ) >= 15
    counted = {page.stem: words(page) for page in READ}
    assert sum(counted.values()) <= WORDS, counted


@each_page(READ)
def test_a_chapter_is_light(chromium, page):
    opened = Visit(chromium.new_page(viewport={"width": 390, "height": 844}))
    opened.open(page.as_uri())
    files = {Path(unquote(urlsplit(url).path)) for url in opened.requests if url.startswith("file:")}
    weights = {file.name: real_browser.sent_bytes(file) for file in files}
    opened.tab.close()
    assert sum(weights.values()) <= CHAPTER_BYTES, sorted(weights.items(), key=lambda each: -each[1])[:12]


# All that moves although nobody touched it, from the first moment on, while the page is scrolled to its end.
WATCH = """window.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (!hadRecentInput) shifts.push([value, ...sources.map(({ node }) => node?.cloneNode().outerHTML ?? node?.data)]);
    }
}).observe({ type: "layout-shift", buffered: true });"""
SCROLL = """async () => {
    const moment = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
    await moment(300);
    for (let y = 0; y < document.documentElement.scrollHeight; y += 200) {
        scrollTo({ top: y, behavior: "instant" });
        await moment(60);
    }
    await moment(300);
    return shifts;
}"""


@pytest.mark.long
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "laptop"])
@each_page(READ)
def test_nothing_moves_by_itself(chromium, address, page, size):
    tab = chromium.new_page(viewport=dict(zip(("width", "height"), size, strict=True)))
    tab.add_init_script(WATCH)
    tab.goto(address + page.relative_to(SITE).as_posix())
    shifts = tab.evaluate(SCROLL)
    tab.close()
    assert sum(value for value, *_ in shifts) <= SHIFT, sorted(shifts, reverse=True)[:3]
