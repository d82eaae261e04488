"""Read, + Code, + Proofs: what is folded on a chapter's page, and how a reader opens it."""

import pytest
from pages import CHAPTERS, printed_share, soup

OPEN = "(q) => [...document.querySelectorAll(q)].filter((each) => each.checkVisibility()).length"
PRINTED = 0.98  # of the words
MANY = f"(q) => ({OPEN})(q) > 5"  # waited for: a busy machine takes its time to lay out what was opened


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_neither_code_nor_what_it_prints_nor_a_claim_stands_open(page):
    """Nor a title that says nothing: each fold has one."""
    found = soup(page).select(".cell_input pre, .cell_output pre, p.claim")
    outside = [each.get_text()[:60] for each in found if not each.find_parent("details")]
    assert outside == [] or (all(each.find_parent(class_="tag_show-code") for each in found if not each.find_parent("details")))
    assert all(each.summary.get_text().strip() for each in soup(page).select("details.fold"))


def test_a_toggle_opens_all_code_and_is_remembered(visit, site, address):
    """On the web: pages from the disk may be shown by processes that hear late of what another has stored."""
    tab = visit(site / "book" / "01_model.html").tab
    tab.goto(f"{address}book/01_model.html")
    code = ".cell_input pre"
    assert tab.evaluate(OPEN, code) <= 1  # the one that a chapter may show
    button = tab.locator(".modes [data-kind=code]")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    tab.wait_for_function(MANY, arg=code)
    tab.goto(f"{address}book/06_your_data.html")
    tab.wait_for_function(MANY, arg=code)
    tab.locator(".modes [data-kind=code]").click()
    assert tab.evaluate(OPEN, code) <= 1


@pytest.mark.long
def test_an_address_may_ask_for_code_and_proofs(chapter):
    tab = chapter("01_model", "?show=code,proofs").tab
    tab.wait_for_function(MANY, arg=".cell_input pre")
    assert tab.evaluate("() => [...document.querySelectorAll('details.proof')].every((each) => each.open)")
    assert tab.evaluate("() => localStorage.getItem('show')") != "code,proofs"


@pytest.mark.long
def test_proofs_are_seen_also_those_within_a_fold(chapter):
    tab = chapter("01_model").tab
    tab.locator(".modes [data-kind=proofs]").click()
    assert tab.evaluate(
        "() => [...document.querySelectorAll('details.proof')].every((each) => each.open && each.checkVisibility())"
    )
    tab.locator(".modes [data-kind=proofs]").click()
    assert tab.evaluate(OPEN, "details.proof") == 0


@pytest.mark.long
def test_a_link_opens_the_fold_of_what_it_names(chapter):
    tab = chapter("01_model", "#cell-counts-identity").tab
    assert tab.locator("#cell-counts-identity").is_visible()


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_what_a_fold_holds_says_which_button_opens_it(page):
    """And a chapter has the buttons of what it holds."""
    folds = [each for each in soup(page).select("details.fold") if each["data-kind"] != "exercises"]
    for each in folds:
        assert ("code" in each["data-kind"]) == bool(each.select(".cell_input")), each.summary
        proves = each.select("details.proof, div.proof")
        derives = each.select(".math") and not each.select(".cell_input") and each.summary.get_text() != "Before you start"
        assert ("proofs" in each["data-kind"]) == bool(proves or derives or each.select("div.math")), each.summary
    counted = {
        "code": sum("code" in each["data-kind"] for each in folds),
        "proofs": sum("proofs" in each["data-kind"] for each in folds) + len(soup(page).select("details.proof")),
    }
    buttons = [each["data-kind"] for each in soup(page).select(".modes button")]
    assert buttons == [kind for kind, count in counted.items() if count]


@pytest.mark.long
@pytest.mark.parametrize("name", ["01_model", "claims", "trust", "differences", "known"])
def test_paper_has_no_folds(chapter, name):
    tab = chapter(name).tab
    assert printed_share(tab, "article") >= PRINTED
