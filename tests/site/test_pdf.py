"""The book as one PDF: all chapters, bookmarks that lead to them, links that stay inside.

To set the one page that holds all takes as long as to build the book, and to print it takes minutes: `make long` does both.
"""

import unicodedata
from io import BytesIO

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


@pytest.mark.long
def test_one_page_holds_every_page_and_is_printed(site, chromium, tmp_path):
    one_page = print_book.one_page()
    text = one_page.read_text("utf-8")
    starts = [f'id="document-{page.relative_to(site).with_suffix("").as_posix()}"' for page in BOOK if page.stem != "index"]
    assert [start for start in starts if start not in text] == []
    print_book.print_page(one_page, tmp_path / "book.pdf", chromium)
    pdf = PdfReader(tmp_path / "book.pdf")
    headings = {plain(soup(page).select_one("article h1").get_text().removesuffix("#")) for page in BOOK}
    assert headings - set(titles(pdf.outline)) == set()
    assert len(pdf.pages) >= 3 * len(BOOK)
    assert pdf.stream.seek(0, 2) <= PDF_BYTES
    notes = [each.get_object() for page in pdf.pages for each in page.get("/Annots", [])]
    places = [str(note["/Dest"]) for note in notes if "/Dest" in note]
    assert set(places) - pdf.named_destinations.keys() == set()
    assert len(places) >= 7 * len(BOOK)
    addresses = {note["/A"]["/URI"].partition(":")[0] for note in notes if "/URI" in note.get("/A", {})}
    assert addresses <= {"https", "mailto"}
    assert pdf.root_object["/MarkInfo"]["/Marked"]  # screen readers find its structure, and its language
    assert str(pdf.root_object["/Lang"]).startswith("en")


def test_the_derivation_sheet_is_one_page_of_nine_points(visit, site):
    tab = visit(SITE / "book" / "teaching" / "sheet.html").tab
    tab.emulate_media(media="print")
    (page,) = PdfReader(BytesIO(tab.pdf(prefer_css_page_size=True))).pages
    assert [round(side / 72 * 25.4) for side in page.mediabox[2:]] == [210, 297]
    sizes = tab.evaluate("""() => [...document.querySelectorAll(".sheet *")].filter((each) => !each.children.length)
        .map((each) => parseFloat(getComputedStyle(each).fontSize))""")
    assert min(sizes) >= 9 / 72 * 96 - 0.01
