"""Every recorded part in its smallest form, on a few texts: what it makes has the form of what is stored."""

import json
import re
from importlib import import_module

import pytest
from small_world import SMALL, WORDS, made_small

from experiments.__main__ import MODULES, parts
from tokensel_nb.chapters.recorded import recorded

APART = {"scale", "encoder_heads", "others"}  # time; more words than a few texts have; tools that are not here
OF = {name: module for module in MODULES.split() for name in import_module(f"experiments.{module}").RECORDS}


def assert_fits(found, stored, place=""):
    """Numbers stand for numbers, lists for lists that may be longer, and no name is new but those that data give."""
    if found is None or stored is None:
        return
    assert any(isinstance(found, kind) and isinstance(stored, kind) for kind in (dict, list, str, int | float)), place
    if isinstance(found, dict):
        new = {name for name in found.keys() - stored.keys() - set(WORDS) if not re.fullmatch(r"[\d.]+|##.*", name)}
        assert not new or not found.keys() & stored.keys(), (place, new)
        for name, other in zip(found, stored):
            assert_fits(found[name], stored.get(name, stored[other]), f"{place} > {name}")
    elif isinstance(found, list):
        for one, other in zip(found, stored):
            assert_fits(one, other, place)


def test_every_part_has_a_small_form():
    assert set(MODULES.split()) - APART == SMALL.keys()


@pytest.mark.filterwarnings("ignore")  # so few texts warn of much
@pytest.mark.parametrize("name", [name for name, module in OF.items() if module not in APART])
def test_the_smallest_form_of_a_part_has_the_form_of_its_record(name, monkeypatch):
    made_small(monkeypatch, import_module(f"experiments.{OF[name]}"))
    stored = recorded(name)
    assert stored.pop("machine")["date"]
    found = json.loads(json.dumps(parts()[name]()))
    if name == "deeper_matched":  # an older record, without them
        found = {model: {"stopped": of["stopped"]} for model, of in found.items()}
    assert_fits(found, stored)
