"""The book as one PDF: all chapters, bookmarks that lead to them, links that stay inside."""

import unicodedata

import print_book
import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

pytestmark = pytest.mark.xdist_group("pdf")  # printed once, by one worker
PDF_BYTES = 20e6


@pytest.fixture(scope="module")
def pdf(tmp_path_factory, site, chromium):
    """Print the book."""
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    print_book.print_page(print_book.one_page(), target, chromium)
    return PdfReader(target)


@pytest.fixture(scope="module")
def links(pdf):
    """Return what every link of the PDF leads to: an address, or the name of a place in it."""
    actions = [each.get_object().get("/A", {}) for page in pdf.pages for each in page.get("/Annots", [])]
    places = [each.get_object().get("/Dest") for page in pdf.pages for each in page.get("/Annots", [])]
    return [action["/URI"] for action in actions if "/URI" in action], [place for place in places if place is not None]


def plain(text):
    """Undo ligatures and leave out all space: where a heading breaks, its bookmark has none."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def titles(outline):
    """Yield the titles of all bookmarks."""
    for each in outline:
        yield from titles(each) if isinstance(each, list) else [plain(each.title)]


def test_every_page_has_a_bookmark(pdf, site):
    found = set(titles(pdf.outline))
    for page in (site / "book").glob("*.html"):
        heading = BeautifulSoup(page.read_text("utf-8"), "html.parser").select_one("article h1")
        for link in heading.select("a.headerlink"):
            link.decompose()
        assert plain(heading.get_text()) in found


def test_links_lead_to_places_in_the_book_or_to_other_hosts(pdf, links):
    addresses, places = links
    assert {address.split(":")[0] for address in addresses} <= {"https", "mailto"}
    assert len(places) > 300
    assert {str(place) for place in places} <= pdf.named_destinations.keys()


def test_it_is_whole_and_light(pdf):
    text = plain(" ".join(page.extract_text() for page in pdf.pages[:30]))
    assert len(pdf.pages) > 100
    assert plain("One step aligns the embeddings") in text
    assert plain("Show code cell source") not in text
    assert pdf.stream.seek(0, 2) < PDF_BYTES


def test_screen_readers_find_its_structure(pdf):
    assert pdf.root_object["/MarkInfo"]["/Marked"]
    assert pdf.root_object["/Lang"].startswith("en")
