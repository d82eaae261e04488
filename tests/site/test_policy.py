"""What a page may load, and where it may send something: only its own files, and nowhere."""

import re

import pytest
from pages import PAGES, soup


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_that_it_takes_nothing_from_elsewhere(path):
    page = soup(path)
    policies = [each["content"] for each in page.select("meta[http-equiv=Content-Security-Policy]")]
    assert [policy.split(";")[0] for policy in policies] == ["default-src 'self' 'unsafe-inline' data: blob:"]
    assert not [each for each in page.select("a[target=_blank]") if "noopener" not in each.get("rel", ())]


def test_what_gets_into_a_page_later_can_send_nothing(chapter):
    opened = chapter("01_model")
    sent = "() => fetch('http://127.0.0.1:9/').then(() => 'sent', (error) => error.name)"
    assert opened.tab.evaluate(sent) == "TypeError"
    assert re.search("Content Security Policy|Content-Security-Policy", "".join(opened.errors))
