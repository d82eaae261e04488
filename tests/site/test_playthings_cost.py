"""The page on which one fills in one's numbers, 11_scale, as a reader meets it: what it says is what the package computes."""

import numpy as np
import pytest
from helpers import shipped
from pages import EVERY_STATE_OF_A_PLAYTHING, address_of, numbers, problems, settle

from experiments.playthings import costs
from tokensel_nb.chapters import scale

PLAYTHING = ".tag_plaything-cost .plaything"
UNITS = {"days": 86400, "h": 3600, "min": 60, "s": 1, "ms": 1e-3, "µs": 1e-6, "TB": 1e12, "GB": 1e9, "MB": 1e6}
PARTS = ("disk", "preparing", "counts", "embeddings", "network")
NAMES = {"disk": "reading"}


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 11_scale."""
    return lambda **window: visit(site / "book" / "11_scale.html", **window)


def wanted(machine, millions=5000, tokens=200, words=10**6, dim=64, entry=None, **changed):
    """Return what the package makes of a machine that the page knows, and of numbers as they are typed."""
    data = shipped("cost_data")
    known = data["machines"][machine] | changed
    share = known.pop("share")
    size = scale.Size(millions * 1e6, 0, data["entries"] * tokens * millions * 1e6, words, dim)
    entry = entry or data["begin"]["entry"]
    return scale.on_paper(size, scale.Machine(**known), share, entry, data["preparing"])


def quantity(text):
    """Return a number with its unit, as it is said, to half its last digit; a machine has four digits, too."""
    if text == "none":
        return 0
    said, unit = text.split(" ")
    number, digit = float(said.replace(",", "")), 10.0 ** -len(said.partition(".")[2])
    return pytest.approx(number * UNITS[unit], abs=(digit / 2 + 3e-4 * number) * UNITS[unit])


def same(tab, found):
    """Check all that is shown against what the package computes."""
    drawn = tab.locator(f"{PLAYTHING} .chart text").all_text_contents()
    drawn.pop(2)  # as much memory as it has
    bars = {name: quantity(words) for name, words in zip(drawn[::2], drawn[1::2], strict=True)}
    assert {NAMES.get(part, part): found[part] for part in ("memory", *PARTS)} == bars
    readout = tab.locator(f"{PLAYTHING} .readout").inner_text()
    longest = max(PARTS, key=found.get)
    assert f"the longest part is {NAMES.get(longest, longest)}." in readout
    assert found["step"] == quantity(readout.removeprefix("A step takes ").split(";")[0])
    assert ("runs out first" in readout) == (found["disk"] > 0)
    if np.isfinite(found["enough"]):
        assert found["enough"] in numbers(readout)
    return readout


def test_the_data_are_what_is_recorded():
    assert shipped("cost_data") == costs()


@pytest.mark.parametrize("machine", shipped("cost_data")["machines"])
def test_each_machine_costs_what_the_package_computes(chapter, machine):
    tab = chapter().tab
    button = tab.locator(PLAYTHING).get_by_role("button", name=machine, exact=True)
    button.click()
    tab.wait_for_function(f"() => document.querySelector('{PLAYTHING} [aria-pressed=true]').innerText === '{machine}'")
    same(tab, wanted(machine))


def test_one_more_holds_all_and_each_then_has_more_than_32_bits_can_number(chapter):
    enough = wanted("8 H200")["enough"]
    for units, holds in ((enough - 1, False), (enough, True)):
        tab = chapter(fragment=f"#cost.units={units}").tab
        readout = same(tab, wanted("8 H200", units=units))
        assert ("Memory holds all counts" in readout) == holds
        assert readout.endswith("so row ends need 64 bits.")
    tab = chapter(fragment="#cost.texts=1000").tab
    assert "64 bits" in same(tab, wanted("8 H200", millions=1000))
    tab = chapter(fragment="#cost.texts=100").tab
    assert "64 bits" not in same(tab, wanted("8 H200", millions=100))
    tab = chapter(fragment="#cost.dim=1000000").tab
    assert "the embeddings alone are too large" in same(tab, wanted("8 H200", dim=10**6))


def test_numbers_are_typed_and_the_address_keeps_them(chapter):
    opened = chapter()
    tab, place = opened.tab, opened.tab.locator(PLAYTHING)
    readout = place.locator(".readout")
    first = readout.inner_text()
    assert "#" not in address_of(tab)
    for name, value in (("million texts", "2e3"), ("tokens a text", "1,000"), ("words", "250000"), ("bytes an entry", "8")):
        place.get_by_label(name, exact=True).fill(value)
    place.get_by_label("dimension").press("ArrowUp")
    settle(tab)
    found = wanted("8 H200", 2000, 1000, 250_000, 128, 8)
    told = same(tab, found)
    tab.wait_for_function(f"(told) => document.querySelector('{PLAYTHING} [role=status]').textContent === told", arg=told)
    assert "cost.texts=2000" in address_of(tab)
    tab.reload()
    settle(tab)
    assert same(tab, found) == told
    place.get_by_role("slider").focus()
    tab.keyboard.press("End")
    settle(tab)
    same(tab, wanted("8 H200", 2000, 1000, 250_000, 128, 8, units=1000))
    place.get_by_role("button", name="Reset").click()
    settle(tab)
    assert readout.inner_text() == first
    assert "cost." not in address_of(tab)
    assert opened.errors == []


@pytest.mark.parametrize("nonsense", ["", "-3", "many", "1e99", "<b>1</b>"])
def test_what_is_no_number_changes_nothing(chapter, nonsense):
    opened = chapter(fragment="#cost.memory=-5")
    tab = opened.tab
    field, readout = tab.locator(PLAYTHING).get_by_label("million texts"), tab.locator(f"{PLAYTHING} .readout")
    before = same(tab, wanted("8 H200"))
    field.fill(nonsense)
    assert field.get_attribute("aria-invalid") == "true"
    field.blur()
    settle(tab)
    assert (field.input_value(), field.get_attribute("aria-invalid"), readout.inner_text()) == ("5,000", None, before)
    assert opened.errors == []


@pytest.mark.parametrize(
    ("theme", "width", "fragment"),
    [("light", 1280, ""), ("dark", 360, "#cost.units=1000"), ("light", 390, "#cost.texts=0.025")],
)
def test_accessible_and_as_wide_as_the_window(chapter, theme, width, fragment):
    opened = chapter(theme=theme, width=width, fragment=fragment)
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


def test_without_scripts_the_picture_stays(chapter):
    tab = chapter(scripts=False).tab
    assert tab.locator(".tag_plaything-cost img").is_visible()
    assert tab.locator(".plaything").count() == 0
