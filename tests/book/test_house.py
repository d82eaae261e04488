"""The map of the house is drawn from the code, and the house stays small enough to hold in one's head."""

import house
import pytest


def test_the_map_is_that_of_the_code():
    of_rooms = house.rooms()
    pairs = house.arrows(of_rooms)
    drawn = house.drawing(of_rooms, pairs, house.floors(of_rooms, pairs))
    assert house.MAP.read_text("utf-8") == drawn, "run python book/_tools/house.py"


def test_the_house_is_small():
    of_rooms = house.rooms()
    pairs = house.arrows(of_rooms)
    assert len(of_rooms) <= 17
    assert max(house.floors(of_rooms, pairs).values()) <= 9
    assert len(pairs) <= 60


def test_imports_are_arrows(tmp_path, monkeypatch):
    """Absolute and relative ones, of modules and of names in them, but not those for types alone."""
    files = {
        "tokensel_nb/corpus/text.py": "if TYPE_CHECKING:\n    from ..models.base import Model\n",
        "tokensel_nb/models/base.py": "import numpy\nfrom ..corpus.text import read\n",
        "course/one.py": "def late():\n    from tokensel_nb.models import base\n",
    }
    for name, code in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True)
        file.write_text(code)
    monkeypatch.setattr(house, "ROOT", tmp_path)
    of_rooms = house.rooms()
    assert house.arrows(of_rooms) == {("models", "corpus"), ("course", "models")}
    assert house.floors(of_rooms, house.arrows(of_rooms)) == {"corpus": 1, "models": 2, "course": 3}


def test_a_circle_is_told():
    with pytest.raises(ValueError, match="rooms that import one another: a, b"):
        house.floors({"a": [], "b": [], "c": []}, {("a", "b"), ("b", "a"), ("a", "c")})
