"""What stands open to a reader, and what a page weighs: the book explains first, and fits on a phone and into an evening."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import browser as real_browser
import pytest
from pages import PAGES, Visit, soup

READ = [page for page in PAGES if (page.stem == "index" and page.parent.name == "book") or page.name[:2].isdigit()]
WORDS, CODE, SCREENS = 24_000, 60, 155  # in all; screens of a laptop
CHAPTER_BYTES = 600_000  # what a server that compresses would send for a chapter, cold, to a phone that has not scrolled
WORD = re.compile(r"[\w’-]+")


def stands_open(element):
    """Say whether an element is shown without a click."""
    return not any(each.name == "details" and not each.has_attr("open") for each in element.parents)


def words(page):
    """Count the words that stand open in paragraphs, lists, headings and captions."""
    found = [each for each in soup(page).select("article :is(p, li, h1, h2, h3, figcaption)") if not each.select("p, li")]
    return sum(len(WORD.findall(each.get_text())) for each in found if stands_open(each))


def lines(page, what):
    """Count the lines of text that stand open in blocks."""
    return sum(len(each.get_text().strip().splitlines()) for each in soup(page).select(what) if stands_open(each))


def test_the_book_can_be_read_in_an_evening():
    assert len(READ) >= 15
    counted = {page.stem: words(page) for page in READ}
    assert sum(counted.values()) <= WORDS, counted


def test_code_numbers_and_claims_wait_until_they_are_asked_for():
    assert sum(lines(page, ".cell_input pre") for page in READ) <= CODE
    assert [page.stem for page in READ if lines(page, ".cell_output pre")] == []
    assert [page.stem for page in READ if lines(page, ".claim")] == []


@pytest.mark.long
def test_the_book_has_few_screens(visit):
    height = "() => document.documentElement.scrollHeight / innerHeight"
    screens = {}
    for page in READ:
        tab = visit(page, width=1280).tab
        tab.set_viewport_size({"width": 1280, "height": 800})
        screens[page.stem] = tab.evaluate(height)
    assert sum(screens.values()) <= SCREENS, screens


@pytest.mark.parametrize("page", READ, ids=lambda page: page.stem)
def test_a_chapter_is_light(chromium, page):
    opened = Visit(chromium.new_page(viewport={"width": 390, "height": 844}))
    opened.open(page.as_uri())
    files = {Path(unquote(urlsplit(url).path)) for url in opened.requests if url.startswith("file:")}
    weights = {file.name: real_browser.sent_bytes(file) for file in files}
    opened.tab.close()
    assert sum(weights.values()) <= CHAPTER_BYTES, sorted(weights.items(), key=lambda each: -each[1])[:12]
