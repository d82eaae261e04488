"""The book as one PDF: all chapters, bookmarks that lead to them, links that stay inside. It is printed once, so one test."""

import json
import unicodedata

import print_book
from pages import SITE, soup
from pypdf import PdfReader

PDF_BYTES = 25e6  # what most mail servers take


def plain(text):
    """Undo ligatures and leave out all space: where a heading breaks, its bookmark has none."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def titles(outline):
    """Yield the titles of all bookmarks."""
    for each in outline:
        yield from titles(each) if isinstance(each, list) else [plain(each.title)]


# Each rule yields what is wrong with a PDF.


def bookmarks(pdf):
    """Every page of the site has a bookmark, but the entries of the API."""
    found = set(titles(pdf.outline))
    for page in (SITE / "book").rglob("*.html"):
        heading = soup(page).select_one("article h1").get_text().removesuffix("#")  # which is a link to it
        if page.parent.name != "api" and plain(heading) not in found:
            yield heading


def links(pdf):
    """Links lead to places in the book, many of them, or to other hosts."""
    notes = [each.get_object() for page in pdf.pages for each in page.get("/Annots", [])]
    places = [str(note["/Dest"]) for note in notes if "/Dest" in note]
    yield from set(places) - pdf.named_destinations.keys()
    addresses = [note["/A"]["/URI"] for note in notes if "/URI" in note.get("/A", {})]
    yield from (address for address in addresses if not address.startswith(("https:", "mailto:")))
    if len(places) < 300:
        yield f"only {len(places)} links inside the book"


def whole(pdf):
    """The text is there, and what only a screen needs is not."""
    text = plain(" ".join(page.extract_text() for page in pdf.pages[:30]))
    if len(pdf.pages) < 100 or plain("One step aligns the embeddings") not in text:
        yield f"{len(pdf.pages)} pages"
    yield from (button for button in ("Show the first cell", "Click to hide") if plain(button) in text)


def light(pdf):
    """It can be sent by mail."""
    size = pdf.stream.seek(0, 2)
    if size > PDF_BYTES:
        yield f"{size:,} bytes"


def tagged(pdf):
    """Screen readers find its structure and its language."""
    root = pdf.root_object
    if not root.get("/MarkInfo", {}).get("/Marked") or not str(root.get("/Lang")).startswith("en"):
        yield "no tags or no language"


RULES = (bookmarks, links, whole, light, tagged)


def test_the_printed_book(site, chromium, tmp_path):
    target = tmp_path / "book.pdf"
    print_book.print_page(print_book.one_page(), target, chromium)
    pdf = PdfReader(target)
    problems = {rule.__name__: found for rule in RULES if (found := list(rule(pdf)))}
    assert not problems, json.dumps(problems, indent=1)


def test_a_poor_pdf_breaks_every_rule_but_one(chromium, site, tmp_path):
    tab = chromium.new_page()
    tab.set_content('<a href="http://127.0.0.1/">One link, no heading, one page</a>')
    tab.pdf(path=tmp_path / "poor.pdf")
    pdf = PdfReader(tmp_path / "poor.pdf")
    assert [rule for rule in RULES if not list(rule(pdf))] == [light]
