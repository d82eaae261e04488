"""Read, + Code, + Proofs: what is folded on a chapter's page, and how a reader opens it."""

import pytest
from pages import letters, printed, soup

OPEN = "(q) => [...document.querySelectorAll(q)].filter((each) => each.checkVisibility()).length"
SOME = f"(q) => ({OPEN})(q) > 1"  # waited for: a busy machine takes its time to lay out what was opened
PROOFS = "() => [...document.querySelectorAll('details.proof')].every((each) => each.open && each.checkVisibility())"


def test_code_opens_in_two_steps_and_is_remembered(visit, address):
    """On the web: pages from the disk may be shown by processes that hear late of what another has stored."""
    code, claims, button = ".cell_input pre", "p.claim", ".modes [data-kind=code]"
    tab = visit(f"{address}book/01_model.html").tab
    assert tab.evaluate(OPEN, code) <= 1  # the one that a chapter may show
    for opened, pressed in ((code, "mixed"), (claims, "true")):
        assert tab.evaluate(OPEN, claims) == 0
        tab.locator(button).press("Enter")
        tab.wait_for_function(SOME, arg=opened)
        assert (tab.locator(button).inner_text(), tab.locator(button).get_attribute("aria-pressed")) == ("All code", pressed)
    tab.goto(f"{address}book/14_your_data.html")
    tab.wait_for_function(SOME, arg=claims)
    tab.locator(button).click()
    assert tab.evaluate(OPEN, code) <= 1


@pytest.mark.long
def test_a_button_opens_proofs_and_an_address_opens_a_fold_or_all_of_a_kind(chapter):
    tab = chapter("01_model", "#cell-counts-identity").tab
    assert tab.locator("#cell-counts-identity").is_visible()
    tab.locator(".modes [data-kind=proofs]").click()
    assert tab.evaluate(PROOFS)
    tab.locator(".modes [data-kind=proofs]").click()
    assert tab.evaluate(OPEN, "details.proof") == 0
    tab = chapter("01_model", "?show=code,all,proofs").tab
    tab.wait_for_function(SOME, arg="p.claim")
    assert tab.evaluate(PROOFS)


@pytest.mark.long
@pytest.mark.parametrize("name", ["01_model", "claims"])
def test_paper_has_no_folds(chapter, site, name):
    sheets = printed(chapter(name).tab)
    folded = soup(site / "book" / f"{name}.html").select("article details p:not(details .plaything *)")
    texts = [each.get_text() for each in folded if not each.select(".math, button, svg")]
    assert sum(letters(text) in sheets for text in texts) >= 0.95 * len(texts) > 0
