"""What a reader does with the pages: search, open a solution, move a slider by the keyboard, go from page to page."""

import pytest
from pages import PAGES, no_sideways_scroll, soup

import tokensel_nb as ts

SLIDERS = [page for page in PAGES if 'type="range"' in page.read_text("utf-8")]


def test_search_finds_the_signed_frequency(visit, site):
    """From the disk: Sphinx would fetch every page it found for an excerpt, which browsers forbid there."""
    opened = visit(site / "search.html", fragment="?q=signed+frequency")
    results = opened.tab.locator("ul.search li")
    results.first.wait_for()
    assert any("Two numbers per word" in text for text in results.all_inner_texts())
    assert opened.errors == []


def test_search_by_the_keyboard(visit, site):
    tab = visit(site / "book" / "notation.html").tab
    tab.keyboard.press("Control+K")
    tab.keyboard.type("conservation law")
    tab.keyboard.press("Enter")
    tab.locator("ul.search li", has_text="Gradient flow").first.wait_for()  # results come one by one


def open_folds(tab, within):
    """Open by the keyboard what something lies folded in, from the outside in."""
    for fold in tab.locator("details.fold").filter(has=within).all():
        fold.locator("summary").first.focus()
        tab.keyboard.press("Enter")


def test_a_solution_opens_by_the_keyboard(visit, site):
    tab = visit(site / "book" / "01_model.html").tab
    open_folds(tab, tab.locator(".solution"))
    solution = tab.locator("article .solution").first
    button = solution.locator("button").first
    body = solution.locator("section, p:not(.admonition-title)").last
    assert not body.is_visible()
    button.focus()
    tab.keyboard.press("Enter")
    assert body.is_visible()


def test_only_formulas_that_scroll_are_stops_of_the_tab_key(visit, site):
    opened = visit(site / "book" / "15_tug_of_war.html", width=360)
    tab = opened.tab
    stops = tab.locator('.wide[tabindex="0"]:has(> math)')
    stops.first.wait_for()
    before = stops.count()
    assert tab.locator(".math[tabindex], .math [tabindex]").count() == before
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    tab.wait_for_function("(before) => document.querySelectorAll('.formula.wide').length > before", arg=before)
    tab.locator("span.math.wide").first.wait_for()  # within a line, too
    assert list(no_sideways_scroll(opened)) == []


def test_a_proof_opens_by_the_keyboard(visit, site):
    tab = visit(site / "book" / "01_model.html").tab
    proof = tab.locator("article details.proof").first
    assert not proof.is_visible()
    open_folds(tab, tab.locator("details.proof"))
    proof.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert proof.evaluate("(each) => each.open")


def test_the_theme_can_be_chosen(visit, site):
    tab = visit(site / "book" / "01_model.html").tab
    chosen = []
    for _ in range(3):
        tab.locator(".theme-switch-button:visible").first.click()
        chosen.append(tab.evaluate("() => document.documentElement.dataset.theme"))
    assert set(chosen) == {"light", "dark"}


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("page", SLIDERS, ids=lambda page: page.stem)
def test_a_slider_answers_to_the_keyboard(visit, page, width):
    """One picture is to be seen at a time, another one after every key; the slider says which."""
    tab = visit(page, width=width).tab
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    figure = tab.locator("figure:has(.frame-slider)").first
    slider = figure.get_by_role("slider")
    slider.focus()
    said, shown = [], []
    for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        tab.keyboard.press(key)
        (visible,) = [image for image in figure.locator("img").all() if image.is_visible()]
        shown.append(visible.get_attribute("alt"))
        said.append(slider.get_attribute("aria-valuetext"))
    assert shown[0] != shown[1] != shown[2] != shown[3] != shown[4] != shown[0]
    assert all(said)
    assert len(set(said)) == len(set(shown))
    assert slider.evaluate("(each) => each.labels.length") == 1
    assert slider.bounding_box()["height"] >= 24  # the least that a thumb can hit


@pytest.mark.parametrize("page", SLIDERS, ids=lambda page: page.stem)
def test_without_a_script_a_slider_is_a_picture_with_its_caption(visit, page):
    tab = visit(page, scripts=False).tab
    tab.evaluate("() => document.querySelectorAll('article details').forEach((each) => { each.open = true; })")
    figure = tab.locator("figure:has(.frame-slider)").first
    assert [image.is_visible() for image in figure.locator("img").all()].count(True) == 1
    assert figure.locator("figcaption").is_visible()
    assert not figure.locator("input").is_visible()


def test_the_overview_of_the_api_has_every_exported_name(site):
    links = soup(site / "book" / "api.html").select(".overview a")
    assert {f"ts.{name}" for name in ts.__all__} <= {link.get_text() for link in links}


@pytest.mark.parametrize(
    ("old", "page", "new"),
    [
        ("tokensel_nb.training.train", "training", "tokensel_nb.training.train.train"),
        ("tokensel_nb.train", "training", "tokensel_nb.training.train.train"),
        ("tokensel_nb.corpus.Corpus.split", "data", "tokensel_nb.corpus.corpus.Corpus.split"),
        ("tokensel_nb.verbs.accuracy", "training", "tokensel_nb.models.verbs.accuracy"),
        ("module-tokensel_nb.theory.max_margin", "theory", "module-tokensel_nb.theory.max_margin"),
        ("models-one-layer", "models", "module-tokensel_nb.models.one_layer"),
    ],
)
def test_old_links_lead_to_the_entries_on_the_pages_that_they_have_now(visit, site, old, page, new):
    for start in ("api.html", f"api/{page}.html"):
        tab = visit(site / "book" / start, fragment=f"#{old}").tab
        if not tab.locator(f"[id='{old}']").count():  # where the old name is still there, it stays
            tab.wait_for_url(f"**/api/{page}.html#{new}", timeout=10_000)
        assert tab.evaluate("() => document.getElementById(location.hash.slice(1)) !== null")
