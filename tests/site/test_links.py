"""Every link and every anchor leads somewhere, and the pages are light; read from the files, without a browser."""

import html
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pages import PAGES, ROOT

SITE_BYTES = 40e6


@cache
def named(page, names):
    """Return the values of attributes of a page."""
    return [html.unescape(each) for each in re.findall(rf'<[^>]*\s(?:{names})="([^"]*)"', page.read_text("utf-8"))]


def dead_links(page):
    """Yield what a page refers to and is not there; addresses on other hosts and states of playthings are not followed."""
    for link in named(page, "href") + named(page, "src"):
        parts = urlsplit(link)
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if parts.scheme or parts.netloc:
            continue
        if not target.is_file():
            yield link
        elif parts.fragment and "=" not in parts.fragment and target.suffix == ".html":
            if unquote(parts.fragment) not in named(target, "id") + named(target, "name"):
                yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_link_is_dead_and_an_id_names_one_element(page):
    assert not list(dead_links(page))
    assert len(named(page, "id")) == len(set(named(page, "id"))) > 5


def test_no_page_names_a_machine(site):
    place = re.compile(rf"file://|/tmp/\w|{re.escape(str(Path.home()))}/|{re.escape(str(ROOT))}")
    assert not {page.name: match.group() for page in PAGES if (match := place.search(page.read_text("utf-8")))}


def test_the_site_is_small_and_its_first_address_leads_to_the_first_page(site):
    assert sum(file.stat().st_size for file in site.rglob("*")) < SITE_BYTES
    target = re.search(r"url=([^\"]+)", (site / "index.html").read_text("utf-8"))[1]
    assert (site / target).is_file()
