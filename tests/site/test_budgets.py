"""What stands open to a reader, and what a page weighs: the book explains first, and fits on a phone and into an evening."""

import re

import browser as real_browser
from pages import CHAPTERS, FRONT, each_page, soup

READ = [FRONT, *CHAPTERS]
WORDS = 24_000  # in all
CHAPTER_BYTES = 440_000  # what a server that compresses would send for a chapter, cold, to a phone that has not scrolled
WORD = re.compile(r"[\w’-]+")


def words(page):
    """Count the words that stand open in paragraphs, lists, headings and captions: those that are shown without a click."""
    found = [each for each in soup(page).select("article :is(p, li, h1, h2, h3, figcaption)") if not each.select("p, li")]
    return sum(len(WORD.findall(each.get_text())) for each in found if not each.find_parent("details", open=False))


def test_the_book_can_be_read_in_an_evening():
    assert len(READ) >= 15
    counted = {page.stem: words(page) for page in READ}
    assert sum(counted.values()) <= WORDS, counted


@each_page(READ)
def test_a_chapter_is_light(visit, page):
    weights = {file.name: real_browser.sent_bytes(file) for file in visit(page, width=390).files()}
    assert CHAPTER_BYTES >= sum(weights.values()) > 0, sorted(weights.items(), key=lambda each: -each[1])[:12]
