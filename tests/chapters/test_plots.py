import base64
import io
import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import tokensel_nb as ts
from tokensel_nb import binned
from tokensel_nb.chapters import plots
from tokensel_nb.chapters.plots import SLIDER_SCRIPT, slider


def frames(number):
    return [plt.figure(figsize=(1, 1.5)) for _ in range(number)]


class Elements(HTMLParser):
    """The elements of a page, as pairs of a name and its attributes; and whether all that were opened are closed."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open, self.texts = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("img", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def page():
    return slider(frames(3), ["a", "b", "<c>"], "Length", ["first", "second", 'the "third"'], shown=1).data


def test_without_a_script_there_is_one_picture_with_its_note_and_no_slider(page):
    elements = Elements(page)
    assert not elements.open
    assert ["display:none" in picture["style"] for picture in elements.all("img")] == [True, False, True]
    assert ["display:none" in note["style"] for note in elements.all("span")] == [True, False, True]
    assert ["display:none" in control["style"] for control in elements.all("input")] == [True]
    assert "display:none" not in elements.all("label")[0]["style"]
    assert " hidden" not in page.partition("<script")[0]  # JupyterLab drops it


def test_the_slider_begins_at_the_picture_that_is_seen_and_ends_at_the_last(page):
    (control,) = Elements(page).all("input")
    assert (control["type"], control["min"], control["value"], control["max"]) == ("range", "0", "1", "2")


def test_the_last_picture_is_seen_first_unless_another_is_chosen():
    page = slider(frames(3), "abc", "Length", "123").data
    assert ["display:none" in picture["style"] for picture in Elements(page).all("img")] == [True, True, False]
    assert 'value="2"' in page
    with pytest.raises(IndexError):
        slider(frames(3), "abc", "Length", "123", shown=3)
    plt.close("all")


def test_what_is_said_is_escaped(page):
    elements = Elements(page)
    assert [picture["alt"] for picture in elements.all("img")] == ["first", "second", 'the "third"']
    assert {"Length\n", "a", "b", "<c>"} <= set(elements.texts)
    assert "<c>" not in page


def test_a_picture_is_as_large_as_it_says_and_needs_no_network(page):
    assert "//" not in re.sub(r"base64,[^\"]*|^ *//.*", "", page, flags=re.MULTILINE)  # comments of the script
    for picture in Elements(page).all("img"):
        kind, data = picture["src"].split(",")
        assert kind == "data:image/webp;base64"
        with Image.open(io.BytesIO(base64.b64decode(data))) as image:
            assert image.size == (int(picture["width"]), int(picture["height"])) == (120, 180)


def test_the_script_is_the_file(page):
    assert page.count("<script") == 1
    assert SLIDER_SCRIPT.read_text("utf-8") in page
    assert "</script" not in SLIDER_SCRIPT.read_text("utf-8")


def test_figures_are_closed(page):
    assert not plt.get_fignums()


def test_every_picture_has_a_note_and_a_text_and_the_size_of_the_others():
    with pytest.raises(ValueError, match="2 notes for 3 figures"):
        slider(frames(3), ["a", "b"], "Length", ["1", "2", "3"])
    with pytest.raises(ValueError, match="zip"):
        slider(frames(2), ["a", "b"], "Length", ["1"])
    with pytest.raises(ValueError, match="differ in size"):
        slider([*frames(1), plt.figure(figsize=(2, 1.5))], "ab", "Length", "12")
    plt.close("all")


# ------------------------------------------------------------------------------------------------- pictures


@pytest.fixture
def ax():
    with plt.rc_context():
        plots.use_book_style()
        yield plt.figure().subplots()
    plt.close("all")


def test_words_are_points_and_some_have_names(ax):
    x, y = np.arange(5.0), np.arange(5.0) ** 2
    plots.plot_words(ax, x, y, color="black")
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), np.stack([x, y], axis=1))
    assert ax.collections[0].get_facecolor()[0, :3].tolist() == [0, 0, 0]
    plots.name_words(ax, x, y, np.array(list("abcde")), [1, 3], above="d")
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("b", (1, 1)), ("d", (3, 9))]
    assert [text.get_ha() for text in ax.texts] == ["left", "center"]


def test_bins_are_means_with_their_spread_and_empty_ones_stay_empty(ax):
    bins = binned(np.array([0.0, 0.1, 0.9, 1.0]), np.array([1.0, 3.0, 5.0, 9.0]), [0, 0.25, 0.75, 1])
    plots.plot_bins(ax, bins, label="means")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), np.stack([bins.centres, [2, np.nan, 7]], axis=1))
    bars = ax.collections[0].get_segments()
    np.testing.assert_allclose(bars[0][:, 1], [2 - bins.spreads[0], 2 + bins.spreads[0]])
    assert ax.get_legend_handles_labels()[1] == ["means"]


def test_runs_are_their_mean_and_a_band(ax):
    plots.plot_runs(ax, [0, 1], [[1, 2], [3, 8]], "black", "runs")
    assert ax.lines[0].get_xydata().tolist() == [[0, 2], [1, 5]]
    band = ax.collections[0].get_paths()[0].vertices
    assert {tuple(vertex) for vertex in band} == {(0, 1), (0, 3), (1, 2), (1, 8)}


def test_ends_are_the_smallest_and_the_largest(ax):
    amounts = np.array([5.0, -4.0, 1.0, -1.0, 3.0])
    plots.plot_ends(ax, amounts, np.array(list("abcde")), how_many=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "d", "e", "a"]
    assert [bar.get_width() for bar in ax.patches] == [-4, -1, 3, 5]
    colours = [plots.NEGATIVE, plots.NEGATIVE, plots.POSITIVE, plots.POSITIVE]
    assert [plt.matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in ax.patches] == colours


def test_the_plane_shows_what_the_layer_sees(ax):
    """The diamond is the attention's average of the rows, by the textbook; the loudest has the largest disc."""
    rows, query = np.array([[2.0, -1.5], [0.4, 0.2], [-0.2, 0.1]]), np.array([1.0, -0.5])
    plots.plot_plane(ax, ["bad", "film", "the"], ts.Parameters(rows, query, np.array([0.0, 1.0])))
    weights = np.exp(rows @ query) / np.exp(rows @ query).sum()
    (diamond,) = ax.lines
    np.testing.assert_allclose(diamond.get_xydata()[0], weights @ rows)
    discs = ax.collections[-1]
    np.testing.assert_allclose(discs.get_offsets(), rows)
    assert np.argmax(discs.get_sizes()) == 0


def test_attention_stands_over_its_words(ax):
    plots.plot_attention(ax, ["a", "good", "film"], [0.2, 0.7, 0.1])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "good", "film"]
    assert [bar.get_height() for bar in ax.patches] == [0.2, 0.7, 0.1]
    assert ax.get_ylabel() == "attention $q_i$"


def test_a_reading_says_in_signs_what_it_says_in_colours(ax):
    plots.plot_reading(ax, ["a", "good", "film"], [0.1, 0.8, 0.1], [0, 20, -1])
    assert [label.get_text() for label in ax.texts] == ["▲80%"]
    plots.plot_reading(ax, ["a", "bad"], [0.2, 0.8], [0, -20])
    assert ax.texts[-1].get_text() == "▼80%"
