"""The step that one plays with, in 02_one_step, as a reader meets it; its numbers are those of the package."""

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, address_of, numbers, problems, settle

import tokensel_nb as ts
from experiments import playthings

PLAYTHING = ".tag_plaything-step .plaything"
ROUNDING = 0.001  # three decimals of the correlation, with what the data files round


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 02_one_step."""
    return lambda **window: visit(site / "book" / "02_one_step.html", **window)


@pytest.fixture(scope="module")
def package(imdb):
    """Return a function: values after a step in some dimension, of the draw that the page has, by the package alone."""
    share, draw = imdb.signed_share(), playthings.first_step()["draw"]

    def values(step, dim):
        start = ts.Parameters((draw / np.sqrt(dim))[:, None], np.zeros(1), np.ones(1))
        return (ts.embedding_step(start, imdb, step) if step else start).token_values

    return share, values


def more(tab):
    """Open what waits until it is asked for: the search and the zoom."""
    fold = tab.locator(f"{PLAYTHING} details")
    fold.locator("summary").press("Enter")
    return fold


def test_it_says_what_the_package_finds(chapter, package, imdb):
    share, values = package
    tab = chapter(fragment="#step.eta=3000").tab
    found, expected, equal = numbers(tab.locator(f"{PLAYTHING} .readout").inner_text())
    assert found == pytest.approx(np.corrcoef(values(3_000, 2048), share)[0, 1], abs=ROUNDING)
    assert expected == pytest.approx((1 + 4 / (3_000**2 * 2048 * share.var())) ** -0.5, abs=ROUNDING)
    assert equal == pytest.approx(2 / np.sqrt(2048 * share.var()), abs=1)
    bad = imdb.column("bad")
    of_bad = numbers(tab.locator(f"{PLAYTHING} .of-word").inner_text())
    wanted = [1e4 * share[bad], values(3_000, 2048)[bad], 1_500 * share[bad], values(0, 2048)[bad]]
    np.testing.assert_allclose(of_bad, wanted, rtol=0.005, atol=1e-4)


def test_sliders_answer_to_the_keyboard_and_the_address_keeps_it(chapter, package):
    share, values = package
    opened = chapter()
    tab = opened.tab
    eta, dim = (tab.locator(f"{PLAYTHING} input[type=range]").nth(i) for i in range(2))
    eta.focus()
    tab.keyboard.press("Home")
    settle(tab)  # it is drawn with the next picture of the screen
    assert eta.get_attribute("aria-valuetext") == "0 (before)"
    for _ in range(2):
        tab.keyboard.press("PageUp")
    dim.focus()
    tab.keyboard.press("Home")
    settle(tab)
    step, dimension = (numbers(each.get_attribute("aria-valuetext"))[0] for each in (eta, dim))
    assert step > 0
    assert dimension == 16
    said = tab.locator(f"{PLAYTHING} .readout").inner_text()
    assert numbers(said)[0] == pytest.approx(np.corrcoef(values(step, 16), share)[0, 1], abs=2 * ROUNDING)
    tab.reload()
    settle(tab)
    assert tab.locator(f"{PLAYTHING} .readout").inner_text() == said
    assert opened.errors == []


def test_a_slider_is_dragged(chapter):
    tab = chapter(width=390).tab
    eta = tab.locator(f"{PLAYTHING} input[type=range]").first
    eta.scroll_into_view_if_needed()
    box = eta.bounding_box()
    middle = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + 0.6 * box["width"], middle)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 2, middle, steps=5)
    tab.mouse.up()
    settle(tab)
    assert eta.get_attribute("aria-valuetext") == "0 (before)"
    assert abs(numbers(tab.locator(f"{PLAYTHING} .readout").inner_text())[0]) < 0.05


def test_a_word_is_found_by_name_by_keys_and_by_a_click(chapter, imdb):
    tab = chapter().tab
    said = tab.locator(f"{PLAYTHING} .of-word")
    field = more(tab).locator("input[type=search]")
    field.fill("Great")
    settle(tab)
    assert said.inner_text().startswith("great: ")
    field.fill("qqq")
    assert "no “qqq” among the 7,780 words" in tab.locator(f"{PLAYTHING} .finder").inner_text()
    cloud = tab.locator(f"{PLAYTHING} .scatter")
    cloud.focus()
    tab.keyboard.press("ArrowRight")
    settle(tab)
    right = said.inner_text()
    assert not right.startswith("great: ")
    assert cloud.get_attribute("aria-valuetext") == right
    circle = tab.locator(f"{PLAYTHING} .scatter circle.name").first.bounding_box()
    tab.mouse.click(circle["x"] + 3, circle["y"] + 3)
    settle(tab)
    assert said.inner_text() != right


def test_it_starts_after_the_step_a_preset_goes_elsewhere_and_what_is_said_is_said(chapter):
    tab = chapter().tab
    assert tab.get_by_role("button", name="size 3,000", exact=True).get_attribute("aria-pressed") == "true"
    tab.get_by_role("button", name="size 300", exact=True).click()
    settle(tab)
    assert tab.get_by_role("button", name="size 300", exact=True).get_attribute("aria-pressed") == "true"
    assert "step.eta=300" in address_of(tab)
    assert "step of size 300, dimension 2,048" in tab.locator(f"{PLAYTHING} [role=status]").inner_text()


def heights(tab):
    """Return the numbers beside the upright axis of the cloud, from the lowest."""
    return [
        numbers(text)[0] for text in tab.locator(f'{PLAYTHING} .scatter text[text-anchor="end"][x="40"]').all_text_contents()
    ]


def test_the_zoom_says_when_the_word_is_outside_and_a_word_that_is_found_is_seen(chapter):
    tab = chapter(fragment="#step.eta=3000").tab
    said, zoom = tab.locator(f"{PLAYTHING} .of-word"), tab.locator(f"{PLAYTHING} .zoom")
    assert "outside" not in said.inner_text()
    before = heights(tab)
    more(tab)
    zoom.get_by_role("button", name="words near zero").click()
    settle(tab)
    assert said.inner_text().endswith("(outside the zoom)")
    near = heights(tab)
    assert before[0] < near[0] < 0 < near[-1] < before[-1]
    field = tab.locator(f"{PLAYTHING} input[type=search]")
    field.fill("great")
    settle(tab)
    assert said.inner_text().startswith("great: ")
    assert said.inner_text().endswith("(outside the zoom)")
    assert heights(tab) == near
    field.press("Enter")
    settle(tab)
    assert "outside" not in said.inner_text()
    assert heights(tab) == before


def test_who_types_letter_by_letter_keeps_the_picture_and_gets_the_word(chapter):
    """On the way to *hero* lies *he*, outside the zoom; heavier words begin as *hero* does."""
    tab = chapter(fragment="#step.eta=3000&step.middle=1").tab
    said, field = tab.locator(f"{PLAYTHING} .of-word"), tab.locator(f"{PLAYTHING} input[type=search]")
    near = heights(tab)
    for letter in "hero":
        field.press_sequentially(letter)
        settle(tab)
        assert heights(tab) == near
    for _ in range(2):
        assert said.inner_text().startswith("hero: ")
        field.press("Enter")
        settle(tab)
        assert field.input_value() == "hero"
        assert heights(tab) == near
    field.fill("wonderfu")
    field.press("Enter")
    settle(tab)
    assert field.input_value() == "wonderful"
    assert said.inner_text().startswith("wonderful: ")


def test_another_state_in_the_address_of_an_open_page_is_shown(chapter):
    opened = chapter(fragment="#step.eta=300&step.word=the")
    tab = opened.tab
    for address, step, word in (("step.eta=3000&step.word=great", 3_000, "great"), ("step.d=16", 3_000, "bad")):
        tab.evaluate("(address) => { location.hash = address; }", address)
        settle(tab)
        size = tab.locator(f"{PLAYTHING} input[type=range]").first.get_attribute("aria-valuetext")
        assert numbers(size)[0] == step
        assert tab.locator(f"{PLAYTHING} .of-word").inner_text().startswith(f"{word}: ")
    tab.evaluate("() => { location.hash = 'why-bad'; }")  # a place of the page: nothing is asked of the plaything
    settle(tab)
    assert tab.locator(f"{PLAYTHING} input[type=range]").nth(1).get_attribute("aria-valuetext") == "16"
    assert opened.errors == []


def test_the_frame_stays_up_to_a_step_of_3000(chapter):
    frames = [heights(chapter(fragment=f"#step.eta={step}").tab) for step in (0, 300, 3_000, 30_000)]
    assert frames[0] == frames[1] == frames[2]
    assert frames[3][-1] > 5 * frames[2][-1]


@pytest.mark.parametrize(("width", "numbered"), [(360, False), (480, True)])
def test_what_is_said_at_a_point_stays_in_the_frame(chapter, width, numbered):
    """On a narrow screen the word and its numbers fit on neither side of a point in the middle, or nowhere."""
    tab = chapter(width=width, fragment="#step.eta=3000&step.word=all").tab
    cloud = tab.locator(f"{PLAYTHING} .scatter")
    cloud.locator("circle.chosen").hover(force=True)
    label = cloud.locator("text.chosen").bounding_box()
    frame = cloud.bounding_box()
    assert ("signed share" in cloud.locator("text.chosen").text_content()) == numbered
    assert frame["x"] <= label["x"]
    assert label["x"] + label["width"] <= frame["x"] + frame["width"]


@pytest.mark.parametrize(
    ("theme", "width", "fragment"), [("light", 1280, ""), ("dark", 360, "#step.eta=0&step.d=16&step.middle=1")]
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
