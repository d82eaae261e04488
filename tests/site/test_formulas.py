"""Formulas on the pages: MathML that browsers set with the book's font alone, and numbers that links lead to."""

import re

import pytest
from pages import PAGES, SITE

LEAF = re.compile(r"<m[ions](?: [^>]*)?>[^<]*</m[ions]>|<mtext>[^<]*</mtext>")
BRACKETS = 2.1  # em: the largest that the font has, for \bigg; book/_tools/formula_font.py


@pytest.fixture(scope="module")
def formulas(site):
    """Return the formulas of all pages."""
    return "".join(formula for page in PAGES for formula in re.findall(r"<math.*?</math>", page.read_text("utf-8"), re.DOTALL))


@pytest.mark.long
def test_the_font_has_every_sign_of_every_formula(visit, tmp_path, formulas):
    """No text is drawn, all or in part, with a font of the system."""
    leaves = "".join(dict.fromkeys(LEAF.findall(formulas)))
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="{(SITE / "_static" / "book.css").as_uri()}">'
    (tmp_path / "page.html").write_text(f"<!doctype html>{head}<math>{leaves}</math>", "utf-8")
    tab = visit(tmp_path / "page.html").tab
    session = tab.context.new_cdp_session(tab)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    found = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "mi, mo, mn, mtext"})["nodeIds"]
    fonts = [session.send("CSS.getPlatformFontsForNode", {"nodeId": leaf})["fonts"] for leaf in found]
    session.detach()
    assert sum(map(bool, fonts)) > 100  # all but those without ink
    texts = zip(tab.locator("mi, mo, mn, mtext").all_text_contents(), fonts, strict=True)
    foreign = [text for text, used in texts if not all(font["isCustomFont"] for font in used)]
    assert foreign == [], "run book/_tools/formula_font.py"


def test_no_bracket_is_larger_than_those_of_the_font(formulas):
    assert max(map(float, re.findall(r'minsize="([\d.]+)em"', formulas))) <= BRACKETS


@pytest.mark.long
def test_a_formula_has_its_number_and_links_lead_there(chapter):
    tab = chapter("03_flow").tab
    numbers = tab.locator(".math .eqno").all_text_contents()
    assert [number.rstrip("#") for number in numbers] == [f"(3.{i})" for i in range(1, len(numbers) + 1)]
    link = tab.locator("article a.reference[href^='#equation-']:visible").first
    link.click()
    assert tab.locator(":target.math .eqno").inner_text().startswith(link.inner_text())
