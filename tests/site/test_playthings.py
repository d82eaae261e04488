"""What every plaything does, a row each: keys move it, it is said aloud, the address keeps it, a button takes it back.

What it shows is that of the package: test_playthings_*.py.
"""

import re

import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, IN_TEST, address_of, problems, settle

PARTS = "svg, table, .readout, .verdict, .told, .of-word, button, input"
SHOWN = """(all) => all.map((each) => each.matches("button") ? each.ariaPressed : each.value ?? each.textContent).join()"""
BACK = re.compile("^(Reset|Back to the start)$")
FIRST, SECOND, SLIDER, PRESSED = "input >> nth=0", "input >> nth=1", "[role=slider]", "[aria-pressed=true]"


def button(name):
    """Name a button of a plaything, as a selector."""
    return f"button:text-is('{name}') >> nth=-1"


# Plaything: its page, what is pressed and by which keys, what it then says, and what the address then has.
PLAYED = {
    "plane": ("01_model", [("[aria-label^='bad: ']", "Shift+ArrowUp ArrowRight")], "logit −0.65: blame", "plane.bad=2.1_-1"),
    "step": ("02_one_step", [(FIRST, "Home PageUp"), (SECOND, "Home")], "moves words as far as the noise", "step.d=16"),
    "flow": ("03_flow", [("[type=range]", "End")], "4 of 4", "flow.length="),
    "border": ("03_flow", [(FIRST, "End")], "sleeps on, after", "border.step=500"),
    "map": ("04_reviews", [("[type=range]", "Home"), (button("5"), "Enter")], "worst: ", "map.step=5"),
    "not": ("05_beyond", [("[type=range]", "ArrowLeft"), (button("Reveal"), "Enter")], "not good", "not.seen=1"),
    "plant": ("06_your_data", [(FIRST, "ArrowRight ArrowRight"), (SECOND, "ArrowRight")], "40 bad and 1 good", "plant.bad=40"),
    "stop": ("07_ablations", [(".chart", "ArrowRight ArrowRight ArrowRight")], "learns from", "stop.step="),
    "lean": ("08_classes", [(button("rare"), "Enter"), (SLIDER, "ArrowRight")], "worst", "lean.yaw=-10"),
    "lose": ("10_synthetic", [(PRESSED, "ArrowRight"), (PRESSED, "ArrowDown")], "step 32, start 6", "lose.start=6"),
    "cost": ("11_scale", [("[type=range]", "End"), (FIRST, "ArrowUp")], "A step takes", "cost.units=1000"),
    "heads": (
        "12_transformers",
        [("[type=range]", "ArrowLeft ArrowLeft"), (button("2 layers"), "Enter"), (button("4"), "Enter")],
        "100 steps, head 4",
        "heads.network=free+2",
    ),
    "start": ("12_transformers", [(button("0.001"), "Enter"), ("[type=range]", "End")], "Time 800: horns", "start.size=0.001"),
    "rope": ("15_tug_of_war", [(FIRST, "End")], "sleeps on, after", "border.step=500"),
}


def rows(table):
    """Return the rows of a table for each chapter or plaything; `make long` tries those that `make test` does not."""
    quick = lambda row: any(page.stem in row[:2] for page in IN_TEST)
    return [pytest.param(*row, marks=[] if quick(row) else pytest.mark.long, id=row[0]) for row in table]


@pytest.mark.parametrize(("name", "page", "presses", "says", "kept"), rows((name, *row) for name, row in PLAYED.items()))
def test_keys_move_it_the_address_keeps_it_and_a_button_takes_it_back(chapter, name, page, presses, says, kept):
    opened = chapter(page)
    tab = opened.tab
    place = tab.locator(f".tag_plaything-{kept.partition('.')[0]} .plaything")
    shown = lambda: settle(tab) or place.locator(PARTS).evaluate_all(SHOWN)
    first = shown()
    assert "#" not in address_of(tab)
    for selector, keys in presses:
        for key in keys.split():
            place.locator(selector).first.press(key)
    told = shown()
    assert says in told
    assert kept in address_of(tab)
    assert place.get_by_role("status").first.text_content()
    tab.reload()
    assert shown() == told
    if place.get_by_role("button", name=BACK).count():
        place.get_by_role("button", name=BACK).click()
        assert shown() == first
        assert kept not in address_of(tab)
    assert opened.errors == []


# States of the playthings of a page, odd ones too: what an address says may be nonsense.
STATES = {
    "01_model": ["plane.p=-3_1.5&plane.bad=3_1.6&train.steps=20&train.labels=0111010010", "plane.p=0_0&plane.v=nonsense"],
    "02_one_step": ["step.eta=0&step.d=16&step.middle=1"],
    "03_flow": ["flow.p=99_99&flow.length=-1&border.step=400&border.k=8"],
    "04_reviews": ["map.step=1&map.least=18&map.word=inclusion"],
    "05_beyond": ["not.word=recommended&not.guess=-0.7&not.seen=1"],
    "06_your_data": ["plant.bad=30&plant.good=3", "plant.bad=60&plant.shuffle=2"],
    "07_ablations": ["stop.model=shuffled"],
    "08_classes": ["lean.only=rare&lean.step=plain"],
    "09_deeper": ["luck.guessed=0101&luck.others=1"],
    "10_synthetic": ["lose.step=7&lose.start=nowhere"],
    "11_scale": ["cost.units=1000", "cost.texts=0.025&cost.memory=-5"],
    "12_transformers": [
        "heads.network=free 4&heads.layer=3&heads.head=2&heads.step=100&heads.text=zqx <b>amazing</b> " + "zqx" * 30,
        "start.size=0.001&start.line=1&start.time=700",
    ],
    "15_tug_of_war": ["border.step=330&border.k=2"],
}


@pytest.mark.long  # as they open, test_pages.py looks at them, too
@pytest.mark.parametrize(
    ("page", "state", "theme", "width"),
    [
        (page, state, *look)
        for page, states in STATES.items()
        for state, look in (("", ("light", 1280)), *((state, ("dark", 360)) for state in states))
    ],
)
def test_it_is_accessible_and_as_wide_as_the_window(chapter, page, state, theme, width):
    opened = chapter(page, f"#{state}", theme=theme, width=width)
    settle(opened.tab)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


@pytest.mark.parametrize(("page", "states"), rows(STATES.items()))
def test_without_scripts_the_pictures_stay(chapter, page, states):
    tab = chapter(page, scripts=False).tab
    stills = tab.locator("[class*=tag_plaything-] img").all()
    assert stills
    assert all(each.is_visible() or each.locator("xpath=ancestor::details").count() for each in stills)
    assert tab.locator(".plaything").count() == 0
