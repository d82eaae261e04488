import matplotlib.pyplot as plt
import numpy as np
import pytest

import tokensel_nb as ts
from tokensel_nb import binned
from tokensel_nb.chapters import plots


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
