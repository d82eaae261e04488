"""Formulas on the pages: MathML that browsers set with the book's font alone, and numbers that links lead to."""

import io
import re

import numpy as np
import pytest
import tokensel_formulas
from docutils import nodes
from pages import PAGES, SITE
from PIL import Image

FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
LEAF = re.compile(r"<m[ions](?: [^>]*)?>[^<]*</m[ions]>|<mtext>[^<]*</mtext>")
BRACKETS = 2.1  # em: the largest that the font has, for \bigg; book/_tools/formula_font.py


@pytest.fixture(scope="module")
def formulas():
    """Return the formulas of all pages."""
    return [formula for page in PAGES for formula in FORMULA.findall(page.read_text("utf-8"))]


def from_other_fonts(tab):
    """Return the texts of a page's formulas that are drawn, all or in part, with a font of the system."""
    session = tab.context.new_cdp_session(tab)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    leaves = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": "mi, mo, mn, mtext"})["nodeIds"]
    found = [session.send("CSS.getPlatformFontsForNode", {"nodeId": leaf})["fonts"] for leaf in leaves]
    session.detach()
    assert sum(map(bool, found)) > 100  # all but those without ink
    texts = tab.locator("mi, mo, mn, mtext").all_text_contents()
    return [text for text, used in zip(texts, found, strict=True) if not all(font["isCustomFont"] for font in used)]


@pytest.mark.long
def test_the_font_has_every_sign_of_every_formula(visit, tmp_path, formulas):
    leaves = "".join(dict.fromkeys(leaf for formula in formulas for leaf in LEAF.findall(formula)))
    head = f'<meta charset="utf-8"><link rel="stylesheet" href="{(SITE / "_static" / "book.css").as_uri()}">'
    (tmp_path / "page.html").write_text(f"<!doctype html>{head}<math>{leaves}</math>", "utf-8")
    assert from_other_fonts(visit(tmp_path / "page.html").tab) == [], "run book/_tools/formula_font.py"


def test_no_bracket_is_larger_than_those_of_the_font(formulas):
    sizes = [float(size) for formula in formulas for size in re.findall(r'minsize="([\d.]+)em"', formula)]
    assert len(sizes) > 100
    assert max(sizes) <= BRACKETS


@pytest.mark.long
def test_a_formula_has_its_number_and_links_lead_there(visit, site):
    tab = visit(site / "book" / "14_proved.html").tab
    numbers = tab.locator(".math .eqno").all_text_contents()
    assert [number.rstrip("#") for number in numbers] == [f"(14.{i})" for i in range(1, len(numbers) + 1)]
    link = tab.locator("article a.reference[href^='#equation-']:visible").first
    link.click()
    assert tab.locator(":target.math .eqno").inner_text().startswith(link.inner_text())


def test_what_the_converter_does_not_know_is_a_warning_which_ends_a_build(caplog):
    assert tokensel_formulas.mathml(nodes.math(text=r"\frac{x}{2}")).startswith("<math><mfrac>")
    assert caplog.messages == []
    assert tokensel_formulas.mathml(nodes.math(text=r"\unheard{x}")) == ""
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert r"\unheard" in caplog.text


@pytest.fixture
def shown(visit, tmp_path):
    """Return a function that opens a page of one formula."""

    def show(text):
        head = f'<meta charset="utf-8"><link rel="stylesheet" href="{(SITE / "_static" / "book.css").as_uri()}">'
        formula = tokensel_formulas.mathml(nodes.math_block(text=text))
        (tmp_path / "page.html").write_text(f"<!doctype html>{head}<body style='font-size: 40px'>{formula}", "utf-8")
        return visit(tmp_path / "page.html").tab

    return show


@pytest.mark.long
def test_a_bracket_with_an_index_grows(shown):
    heights = [each.bounding_box()["height"] for each in shown(r"\Bigl(x\Bigr)_+(x)").locator("mo").all()]
    large, closing, _, small, _ = heights
    assert large == closing > 1.4 * small


@pytest.mark.long
@pytest.mark.parametrize("text", [r"\underbrace{xxxxxxxxxxxxxxx}", r"\overline{xxxxxxxx}"], ids=["brace", "line"])
def test_what_grows_is_drawn_from_end_to_end(shown, text):
    tab = shown(text)
    term = tab.locator("math :is(mrow, mi):first-child").first.bounding_box()
    sign = tab.locator("math mo").bounding_box()
    band = {"x": term["x"] - 50, "y": sign["y"], "width": term["width"] + 100, "height": sign["height"] - 1}
    ink = np.asarray(Image.open(io.BytesIO(tab.screenshot(clip=band))).convert("L")) < 128
    columns = np.flatnonzero(ink.any(0))
    assert np.ptp(columns) >= 0.97 * term["width"]
    assert np.diff(columns).max() == 1


@pytest.mark.long
@pytest.mark.parametrize(("page", "number"), [("08_classes", 4), ("09_deeper", 7)])
def test_numbered_formulas_are_whole_on_a_phone(visit, site, page, number):
    tab = visit(site / "book" / f"{page}.html", width=390).tab
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    room = tab.evaluate("""() => [...document.querySelectorAll(".math:has(.eqno) > .formula")]
        .map((each) => [each.scrollWidth, each.clientWidth])""")
    assert len(room) == number
    assert all(0 < wide <= shown for wide, shown in room), room
