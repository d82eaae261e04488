"""What stands open to a reader, and what a page weighs: the book explains first, and fits on a phone and into an evening."""

import re

import browser as real_browser
import pytest
from pages import CHAPTERS, FRONT, each_page, shown, soup

READ = [FRONT, *CHAPTERS]
WORDS = 25_000  # in all
CHAPTER_BYTES = 440_000  # what a server that compresses would send for a chapter, cold, to a phone that has not scrolled
WORD = re.compile(r"[\w’-]+")


def words(page):
    """Count the words that stand open in paragraphs, lists, headings and captions: those that are shown without a click."""
    found = [each for each in soup(page).select("article :is(p, li, h1, h2, h3, figcaption)") if not each.find(["p", "li"])]
    return sum(len(WORD.findall(shown(each))) for each in found if not each.find_parent("details", open=False))


def test_the_book_can_be_read_in_an_evening():
    assert len(READ) >= 15
    counted = {page.stem: words(page) for page in READ}
    assert sum(counted.values()) <= WORDS, counted


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_code_and_proofs_are_folded_and_a_fold_says_which_button_opens_it(page):
    """A chapter has the buttons of what it holds. One cell may stand open, and each fold has a title."""
    found = soup(page).select(".cell_input pre, .cell_output pre, p.claim")
    outside = [each for each in found if not each.find_parent("details")]
    assert all(each.find_parent(class_="tag_show-code") for each in outside)
    folds = [each for each in soup(page).select("details.fold") if each["data-kind"] != "exercises"]
    for each in folds:
        title = each.summary.get_text().strip()
        assert title
        assert ("code" in each["data-kind"]) == bool(each.select(".cell_input")), title
        derives = each.select(".math") and not each.select(".cell_input") and title != "Before you start"
        proves = each.select("details.proof, div.proof, div.math")
        assert ("proofs" in each["data-kind"]) == bool(proves or derives), title
    kinds = " ".join(each["data-kind"] for each in folds) + " proofs" * len(soup(page).select("details.proof"))
    buttons = [each["data-kind"] for each in soup(page).select(".modes button")]
    assert buttons == [kind for kind in ("code", "proofs") if kind in kinds]


@each_page(READ)
def test_a_chapter_is_light(visit, page):
    weights = {file.name: real_browser.sent_bytes(file) for file in visit(page, width=390).files()}
    assert CHAPTER_BYTES >= sum(weights.values()) > 0, sorted(weights.items(), key=lambda each: -each[1])[:12]
