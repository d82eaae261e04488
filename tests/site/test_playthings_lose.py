"""The map of runs of 10_synthetic, as a reader meets it; where a word is lost is what the package finds."""

from dataclasses import replace

import pytest

import tokensel_nb as ts
from tokensel_nb.corpus import synthetic


@pytest.fixture
def plaything(visit, site):
    """Return a function that opens the map."""

    def opened(state="", **window):
        tab = visit(site / "book" / "10_synthetic.html", fragment=state, formulas=False, **window).tab
        return tab.locator(".plaything").first

    return opened


def is_lost(step, start):
    """Say, by the package, whether the word of blame ends below the filler."""
    corpus = synthetic.one_against_many(32, 11, 4, 4, seed=10)
    begin = ts.limit_parameters(corpus, step)
    begin = replace(begin, embeddings=begin.embeddings.round(12), cls_embedding=start * begin.output_vector)
    end = ts.gradient_flow(begin, corpus, 1_500, records=8, tolerance=1e-5).cls_embeddings[-1]
    scores = begin.embeddings @ end
    return bool(scores[4] < scores[5:].max())


@pytest.mark.parametrize(("step", "start"), [(8, 12), (28, 12), (32, 0), (32, 3), (40, 0), (40, 12)])
def test_a_run_ends_as_by_the_package(plaything, step, start):
    lost = is_lost(step, start)
    shown = plaything(f"#lose.step={step}&lose.start={start}").locator(".verdict strong").inner_text()
    assert shown == ("The word of blame is lost" if lost else "Every decisive word wins")


def test_arrows_go_from_run_to_run_and_reset_goes_back(plaything):
    root = plaything()
    cell = root.locator("[aria-pressed=true]")
    assert cell.get_attribute("aria-label") == "Step 40, start 6"
    cell.focus()
    root.page.keyboard.press("ArrowLeft")
    root.page.keyboard.press("ArrowDown")
    assert root.locator("[aria-pressed=true]").get_attribute("aria-label") == "Step 32, start 3"
    assert root.locator("[aria-pressed=true]").evaluate("(each) => each === document.activeElement")
    root.get_by_role("button", name="Reset").click()
    assert root.locator("[aria-pressed=true]").get_attribute("aria-label") == "Step 40, start 6"


def test_a_wrong_address_is_no_error(plaything):
    assert plaything("#lose.step=7&lose.start=nowhere").locator("[aria-pressed=true]").count() == 1
