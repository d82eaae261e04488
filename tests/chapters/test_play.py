"""Playthings as a notebook's Python sees them; tests/site/test_widgets.py looks at them in a browser."""

from itertools import pairwise

import matplotlib.figure
import numpy as np
import pytest
from notebooks import NOTEBOOKS, code_cells, read

import tokensel_nb as ts
from tokensel_nb.chapters import play

CORPUS = ts.Corpus([[1, 0, 2], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
OF_PAGES = {kind.name: kind.__name__ for kind in play.Plaything.__subclasses__()} | {"map": "Cloud"}
PAGE_ALONE = {("01_model", "try")}  # the chapter has the numbers of seven words; the page's box reads thousands
MINE = ts.Parameters(np.array([[1, 0.5], [-1, 0.5], [0, 0]]), np.array([1, -0.5]), np.array([1.0, 0]))


def test_settings_are_kept_as_in_the_address_of_a_page():
    flow = play.Flow(MINE, CORPUS, start=(-6, 3))
    assert (flow.address, flow.length) == ("flow.p=-6_3", None)  # nobody has set it
    assert play.Try({0: MINE}, CORPUS, text="a = b & c").text == "a = b & c"
    with pytest.raises(TypeError, match="Flow has no setting 'strat'"):
        play.Flow(MINE, CORPUS, strat=(1, 1))


def test_a_flow_has_the_right_words_first_and_the_limit_direction():
    (given,) = play.Flow(MINE, CORPUS).given.values()
    assert [text["tokens"] for text in given["texts"]] == [[0, 2, 2], [1, 2]]
    assert given["best"] == ts.max_margin(MINE, CORPUS).direction.tolist()


@pytest.mark.parametrize("words", [["a", "p", "b"], ["a", "b"]])
def test_words_that_the_plane_cannot_show_are_refused(words):
    with pytest.raises(ValueError, match="different names"):
        play.Plane(MINE, words)


def test_a_watched_cloud_sends_its_words_once():
    cloud = play.Cloud(MINE, CORPUS)
    sent = []
    cloud.observe(lambda change: sent.append(change.name))
    cloud.show(MINE._replace(embeddings=-MINE.embeddings))
    assert sent == ["frame"]
    assert "good" not in str(cloud.frame)


def test_a_notebook_gets_the_picture_beside_the_widget_and_the_same_text_on_every_machine():
    data, _ = play.Cloud(MINE, CORPUS, picture=matplotlib.figure.Figure())._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == "Cloud: run this cell to play"


def widgets_and_cells():
    """Yield a chapter's name, a plaything of its page, the cell of the picture, and the cell with the widget."""
    for path in NOTEBOOKS:
        for cell, following in pairwise(code_cells(read(path))):
            tags = cell.metadata.get("tags", ())
            for name in OF_PAGES.keys() & {tag.removeprefix("plaything-") for tag in tags}:
                yield path.stem, name, cell, following if "played-below" in tags else cell


def test_figures_that_pages_bring_to_life_end_in_their_widget_and_store_the_picture():
    found = [each for each in widgets_and_cells() if each[:2] not in PAGE_ALONE]
    assert {name for _, name, *_ in found} == OF_PAGES.keys() - {"cloud"}
    for chapter, name, pictured, played in found:
        assert played.source.splitlines()[-1].startswith(f"play.{OF_PAGES[name]}("), (chapter, name)
        assert "image/png" in pictured.outputs[-1].data
        assert not [kind for kind in played.outputs[-1].data if "widget" in kind]
