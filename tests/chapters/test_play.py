"""Playthings as a notebook's Python sees them; tests/site/test_widgets.py looks at them in a browser."""

import re
import tomllib

import matplotlib.figure
import numpy as np
import pytest
from notebooks import ROOT

import tokensel_nb as ts
from tokensel_nb.chapters import play

CORPUS = ts.Corpus([[1, 0, 2], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
MINE = ts.Parameters(np.array([[1, 0.5], [-1, 0.5], [0, 0]]), np.array([1, -0.5]), np.array([1.0, 0]))


def test_settings_are_kept_as_in_the_address_of_a_page():
    flow = play.Flow(MINE, CORPUS, start=(-6, 3))
    assert (flow.address, flow.length) == ("flow.p=-6_3", None)  # nobody has set it
    flow.address = "flow.p=0.5_1&flow.length=20"
    assert (flow.start.tolist(), flow.length) == ([0.5, 1], 20)
    reader = play.Try({0: MINE}, CORPUS, text="a = b & c")
    assert reader.text == "a = b & c"
    reader.text = ""
    assert reader.text == ""
    with pytest.raises(TypeError, match="Flow has no setting 'strat'"):
        play.Flow(MINE, CORPUS, strat=(1, 1))


def test_a_flow_has_the_right_words_first_and_the_limit_direction_if_there_is_one():
    given = play.Flow(MINE, CORPUS).given["flowOf"]
    assert given["texts"] == [{"tokens": [0, 2, 2], "label": 1}, {"tokens": [1, 2], "label": 0}]
    assert given["best"] == ts.max_margin(MINE, CORPUS).direction.tolist()
    opposed = MINE._replace(embeddings=np.array([[1, 0], [-1, 0], [0, 0]]))
    assert play.Flow(opposed, CORPUS).given["flowOf"]["best"] is None


@pytest.mark.parametrize(
    ("words", "scale"), [(["a", "a", "b"], 1), (["a", "p", "b"], 1), (["a", "b"], 1), (["a", "b", "c"], 9)]
)
def test_words_that_the_plane_cannot_show_are_refused(words, scale):
    with pytest.raises(ValueError, match="different names|outside the picture"):
        play.Plane(MINE._replace(embeddings=scale * MINE.embeddings), words)


def test_a_notebook_gets_the_picture_beside_the_widget_and_the_same_text_on_every_machine():
    cloud = play.Cloud(MINE, CORPUS, picture=matplotlib.figure.Figure())
    data, _ = cloud._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == repr(cloud) == "Cloud: run this cell to play"


def test_the_wheel_holds_what_playthings_are_made_of():
    included = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"][
        "force-include"
    ]
    asked = re.findall(r'"(\w+\.(?:js|css))"', (ROOT / "tokensel_nb/chapters/play.py").read_text("utf-8"))
    for name in {*asked, *(f"{each.name}.js" for each in play.Plaything.__subclasses__())}:
        assert included[f"book/_static/playthings/{name}"] == f"tokensel_nb/chapters/playthings/{name}"
