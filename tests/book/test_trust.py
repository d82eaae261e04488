"""*How far to trust this*: every promise names a test that keeps it, and the tests are there."""

import re
import sys

import pytest
from notebooks import ROOT

PAGE = (ROOT / "book" / "trust.md").read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in re.findall(r"^\|(?! Promised|---).*\|$", PAGE.replace("\\|", "/"), re.M)]
NUMBERS = dict(zip(range(4, 14), "Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen".split()))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:50])
def test_every_promise_links_to_a_test_that_is_there(row):
    promised, tested, found = row
    assert promised.strip()
    assert found.strip()
    links = [link for link in re.findall(r"\{repo\}`([^`]+)`", tested) if link.startswith("tests/")]
    tests = [link for link in links if "def test_" in (ROOT / link).read_text("utf-8")]
    assert tests, "no test is named that keeps it"


def test_every_link_of_the_page_leads_to_a_file():
    for link in re.findall(r"\{repo\}`([^`]+)`", PAGE):
        assert (ROOT / link).exists(), link


def test_promises_are_counted():
    titles = re.findall(r"^::::\{dropdown\} (\w+) promises", PAGE, re.M)
    parts = PAGE.split("::::{dropdown}")[1:]
    sizes = [len(re.findall(r"^\|(?! Promised|---)", part, re.M)) for part in parts]
    assert titles == [NUMBERS[size] for size in sizes]
    assert sum(sizes) == len(ROWS)


def test_numbers_of_cases_are_those_of_the_tests(monkeypatch):
    for folder in ("training", "yourdata", "faults"):
        monkeypatch.syspath_prepend(str(ROOT / "tests" / folder))
    import test_checkpoint
    import test_classifier
    import test_damage

    assert f"; {len(test_checkpoint.EDITS)} and {len(test_classifier.EDITS)} edits: " in PAGE
    assert f"blocks exchanged: {sum(test_damage.CASES.values()):,} in " in PAGE
    for name in ("test_checkpoint", "test_classifier", "test_damage"):
        sys.modules.pop(name)
