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


def dead_links(page):
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


def test_no_page_names_a_machine(site):
    place = re.compile(rf"file://|/tmp/\w|{re.escape(str(Path.home()))}/|{re.escape(str(ROOT))}")
    found = {page.name: match.group() for page in PAGES if (match := place.search(page.read_text("utf-8")))}
    assert not found


def test_the_site_is_small(site):
    assert sum(file.stat().st_size for file in site.rglob("*")) < SITE_BYTES
