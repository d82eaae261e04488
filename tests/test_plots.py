import matplotlib.pyplot as plt
import pytest

from tokensel_nb.plots import slider


def frames(number):
    return [plt.figure(figsize=(1, 1)) for _ in range(number)]


def test_a_slider_needs_neither_script_nor_network_to_show_its_first_picture():
    page = slider(frames(3), ["a", "b", "<c>"], "Length", ["first", "second", 'the "third"']).data
    assert page.count("<img ") == 3
    assert page.count("hidden>") == 4  # two pictures and two captions
    assert 'alt="first"' in page
    assert "the &quot;third&quot;" in page
    assert "<span hidden>&lt;c&gt;</span>" in page
    assert '<label>Length <input type="range" min="0" max="2" value="0"' in page
    assert "http" not in page
    assert not plt.get_fignums()


def test_every_picture_has_a_caption_and_a_text():
    with pytest.raises(ValueError, match="2 captions for 3 figures"):
        slider(frames(3), ["a", "b"], "Length", ["1", "2", "3"])
    with pytest.raises(ValueError, match="zip"):
        slider(frames(2), ["a", "b"], "Length", ["1"])
    plt.close("all")
