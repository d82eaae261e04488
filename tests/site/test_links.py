"""Every link and every anchor leads somewhere, and the pages are light; read from the files, without a browser."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pages import PAGES, ROOT, soup

SITE_BYTES = 40e6


@cache
def anchors(page):
    """Return all places of a page that a link may lead to."""
    return {each.get("id") or each.get("name") for each in soup(page).select("[id], a[name]")}


def place(fragment):
    """Return the place that a fragment names, if any: the state of a plaything is none; test_slides.py follows those."""
    return "" if "=" in fragment else unquote(fragment)


def dead_links(page, anchors=anchors):
    """Yield what a page refers to and is not there; addresses on other hosts are not followed."""
    for each in soup(page).select("[href], [src]"):
        link = each.get("href") or each.get("src") or ""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.is_file():
            yield link
        elif place(parts.fragment) and target.suffix == ".html" and place(parts.fragment) not in anchors(target):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_link_is_dead(page):
    assert not list(dead_links(page))


def test_the_first_address_leads_to_the_first_page(site):
    target = re.search(r"url=([^\"]+)", (site / "index.html").read_text("utf-8"))[1]
    assert (site / target).is_file()


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.html"
    links = '<a href="#here">1</a><a href="#gone">2</a><a href="gone.html">3</a><img src="gone.png">'
    page.write_text(f'<p id="here">{links}', "utf-8")
    assert list(dead_links(page)) == ["#gone", "gone.html", "gone.png"]


def test_no_page_names_a_machine(site):
    place = re.compile(rf"file://|/tmp/\w|{re.escape(str(Path.home()))}/|{re.escape(str(ROOT))}")
    found = {page.name: match.group() for page in PAGES if (match := place.search(page.read_text("utf-8")))}
    assert not found


def test_the_site_is_small(site):
    assert sum(file.stat().st_size for file in site.rglob("*")) < SITE_BYTES


def test_nothing_that_readers_do_not_need_is_published(site):
    assert not [file.name for file in site.rglob("*") if file.suffix == ".map" or "thebe" in file.name]


def test_a_page_is_stored_without_all_that_is_known_of_the_book(site):
    """Else each page of the API has four megabytes, which every build writes once and reads three times."""
    trees = [site.parent / ".doctrees" / page.relative_to(site).with_suffix(".doctree") for page in PAGES]
    found = {tree.stem: b"BuildEnvironment" in tree.read_bytes() for tree in trees if tree.exists()}
    assert "api" in found
    assert not [name for name, too_much in found.items() if too_much]
