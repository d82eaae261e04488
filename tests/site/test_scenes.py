"""Scenes: what is pinned follows the text that is read, and covers none of it."""

import pytest
from pages import address_of

IN_STATE = """([name, wanted]) => Object.entries(wanted).every(([key, value]) =>
    String(tokensel.settings.made[name].now[key]) === value)"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", ["02_one_step", "03_flow"])
def test_the_pinned_figure_is_in_the_state_of_the_scene_that_is_read(chapter, page, width):
    tab = chapter(page, width=width).tab
    for scene in tab.locator(".scenes > section").all():
        scene.evaluate("(each) => each.scrollIntoView({ behavior: 'instant' })")
        name, *wanted = scene.locator("[data-scene]").get_attribute("data-scene").split()
        tab.wait_for_selector(f".pinned.tag_plaything-{name}:not([hidden])")
        tab.wait_for_function(IN_STATE, arg=[name, dict(each.split("=") for each in wanted)], timeout=5_000)
        stage, inside = tab.locator(".stage").bounding_box(), tab.locator(".pinned:not([hidden]) .plaything")
        assert inside.evaluate("(each) => each.scrollHeight <= each.clientHeight + 1"), name
        for part in (scene.locator("h3"), scene.locator("p").first):
            box = part.bounding_box()
            beside, below = box["x"] + box["width"] <= stage["x"], box["y"] >= stage["y"] + stage["height"] - 1
            assert below if width == 390 else beside
        assert width == 1280 or stage["height"] <= 400
    assert "#" not in address_of(tab)  # a reader has moved nothing
