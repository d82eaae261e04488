"""The book as one PDF: all chapters, bookmarks that lead to them, links that stay inside.

To set the one page that holds all takes as long as to build the book, and to print it takes minutes: `make long` does both.
"""

import json
import unicodedata

import print_book
import pytest
from pages import SITE, soup
from pypdf import PdfReader

BOOK = [page for page in (SITE / "book").rglob("*.html") if page.parent.name != "api"]  # all but the entries of the API
PDF_BYTES = 25e6  # what most mail servers take


def plain(text):
    """Undo ligatures and leave out all space: where a heading breaks, its bookmark has none."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def titles(outline):
    """Yield the titles of all bookmarks."""
    for each in outline:
        yield from titles(each) if isinstance(each, list) else [plain(each.title)]


def heading(page):
    """Return the heading of a page of the site, without the link to it."""
    return plain(soup(page).select_one("article h1").get_text().removesuffix("#"))


# Each rule yields what is wrong with a PDF of some pages of the site.


def bookmarks(pdf, pages):
    """Every page has a bookmark."""
    found = set(titles(pdf.outline))
    yield from (heading(page) for page in pages if heading(page) not in found)


def links(pdf, pages):
    """Links lead to places in the book, many of them, or to other hosts."""
    notes = [each.get_object() for page in pdf.pages for each in page.get("/Annots", [])]
    places = [str(note["/Dest"]) for note in notes if "/Dest" in note]
    yield from set(places) - pdf.named_destinations.keys()
    addresses = [note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})]
    yield from (address for address in addresses if not address.startswith(("https:", "mailto:")))
    if len(places) < 7 * len(pages):
        yield f"only {len(places)} links inside the book"


def whole(pdf, pages):
    """The text is there, and what only a screen needs is not."""
    text = plain(" ".join(page.extract_text() for page in pdf.pages[:30]))
    if len(pdf.pages) < 3 * len(pages) or heading(SITE / "book" / "01_model.html") not in text:
        yield f"{len(pdf.pages)} pages"
    yield from (button for button in ("Show the first cell", "Click to hide") if plain(button) in text)


def light(pdf, pages):
    """It can be sent by mail."""
    size = pdf.stream.seek(0, 2)
    if size > PDF_BYTES:
        yield f"{size:,} bytes"


def tagged(pdf, pages):
    """Screen readers find its structure and its language."""
    root = pdf.root_object
    if not root.get("/MarkInfo", {}).get("/Marked") or not str(root.get("/Lang")).startswith("en"):
        yield "no tags or no language"


RULES = (bookmarks, links, whole, light, tagged)


@pytest.mark.long
def test_one_page_holds_every_page_and_is_printed(site, chromium, tmp_path):
    one_page = print_book.one_page()
    text = one_page.read_text("utf-8")
    starts = [f'id="document-{page.relative_to(site).with_suffix("").as_posix()}"' for page in BOOK if page.stem != "index"]
    assert len(starts) > 20
    assert [start for start in starts if start not in text] == []
    print_book.print_page(one_page, tmp_path / "book.pdf", chromium)
    pdf = PdfReader(tmp_path / "book.pdf")
    problems = {rule.__name__: found for rule in RULES if (found := list(rule(pdf, BOOK)))}
    assert not problems, json.dumps(problems, indent=1)
