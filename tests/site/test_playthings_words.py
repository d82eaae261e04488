"""The clouds of words in 02_one_step, 04_reviews, 05_beyond and 08_classes, as a reader meets them: the package's numbers."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import shipped
from pages import address_of, drag, middle, numbers, settle

import tokensel_nb as ts
from experiments import playthings
from tokensel_nb.chapters import classes, reviews
from tokensel_nb.chapters.pairs import skews_behind, words_and_pairs

pytestmark = pytest.mark.long
PAGES = {"step": "02_one_step", "map": "04_reviews", "not": "05_beyond", "lean": "08_classes"}
ROUNDING = 0.001  # three decimals of the correlation, with what the data files round


@pytest.fixture
def played(chapter):
    """Return a function that opens the page of a plaything in a state: the plaything."""

    def opened(name, state="", **window):
        tab = chapter(PAGES[name], f"#{state}", **window).tab
        return tab.locator(f".tag_plaything-{name} .plaything")

    return opened


def search(place, word, *keys):
    """Look a word up; return what is said of it."""
    if not place.locator("input[type=search]").is_visible():
        place.locator("summary").press("Enter")
    place.locator("input[type=search]").fill(word)
    for key in keys:
        place.locator("input[type=search]").press(key)
    return of_word(place)


def of_word(place):
    settle(place.page)
    return place.locator(".of-word").inner_text()


def click_beside(circle):
    """Click on a circle, a bit beside its middle."""
    box = circle.bounding_box()
    circle.page.mouse.click(box["x"] + 3, box["y"] + 3)


# A step, in 02_one_step


@pytest.fixture(scope="module")
def package(imdb):
    """Return a function: values after a step in some dimension, of the draw that the page has, by the package alone."""
    share, draw = imdb.signed_share(), playthings.first_step()["draw"]

    def values(step, dim):
        start = ts.Parameters((draw / np.sqrt(dim))[:, None], np.zeros(1), np.ones(1))
        return (ts.embedding_step(start, imdb, step) if step else start).token_values

    return share, values


@pytest.mark.parametrize(("step", "dim"), [(3_000, 2048), (300, 16), (0, 2048)])
def test_a_step_says_what_the_package_finds(played, package, imdb, step, dim):
    share, values = package
    place = played("step", f"step.eta={step}&step.d={dim}")
    bad = imdb.column("bad")
    wanted = [1e4 * share[bad], values(step, dim)[bad], step / 2 * share[bad], values(0, dim)[bad]]
    np.testing.assert_allclose(numbers(of_word(place)), wanted, rtol=0.005, atol=1e-4)
    found = numbers(place.locator(".readout").inner_text())
    assert found[0] == pytest.approx(np.corrcoef(values(step, dim), share)[0, 1], abs=2 * ROUNDING)
    if step:
        assert found[1] == pytest.approx((1 + 4 / (step**2 * dim * share.var())) ** -0.5, abs=ROUNDING)
        assert found[2] == pytest.approx(2 / np.sqrt(dim * share.var()), abs=1)


def test_a_word_is_found_by_name_by_keys_and_by_a_click(played):
    place = played("step")
    cloud = place.locator(".scatter")
    assert search(place, "Great").startswith("great: ")
    search(place, "qqq")
    assert "no “qqq” among the 7,780 words" in place.locator(".finder").inner_text()
    cloud.press("ArrowRight")
    right = of_word(place)
    assert not right.startswith("great: ")
    assert cloud.get_attribute("aria-valuetext") == right
    click_beside(cloud.locator("circle.name").first)
    assert of_word(place) != right


def axis(place):
    """Return the numbers beside the upright axis of the cloud, from the lowest."""
    settle(place.page)
    return [numbers(text)[0] for text in place.locator('.scatter text[text-anchor="end"][x="40"]').all_text_contents()]


def test_the_zoom_says_when_the_word_is_outside_and_who_types_keeps_the_picture(played):
    """On the way to *hero* lies *he*, outside the zoom; heavier words begin as *hero* does."""
    place = played("step", "step.eta=3000")
    before = axis(place)
    assert "outside" not in search(place, "bad")
    place.locator(".zoom").get_by_role("button", name="words near zero").click()
    assert of_word(place).endswith("(outside the zoom)")
    near = axis(place)
    assert before[0] < near[0] < 0 < near[-1] < before[-1]
    assert search(place, "great").endswith("(outside the zoom)")
    for letters in ("h", "he", "her", "hero"):
        search(place, letters)
        assert axis(place) == near
    for _ in range(2):
        assert search(place, "hero", "Enter").startswith("hero: ")
        assert axis(place) == near
    assert search(place, "wonderfu", "Enter").startswith("wonderful: ")
    assert "outside" not in search(place, "great", "Enter")
    assert axis(place) == before


def test_another_state_in_the_address_of_an_open_page_is_shown(played):
    place = played("step", "step.eta=300&step.word=the")
    sliders = place.locator("input[type=range]")
    # A place of the page, the last, asks nothing of the plaything.
    for address, word in (("step.eta=3000&step.word=great", "great"), ("step.d=16", "bad"), ("why-bad", "bad")):
        place.evaluate("(_, address) => { location.hash = address; }", address)
        assert of_word(place).startswith(f"{word}: ")
        assert numbers(sliders.first.get_attribute("aria-valuetext"))[0] == 3_000
    assert sliders.nth(1).get_attribute("aria-valuetext") == "16"


def test_the_frame_stays_up_to_a_step_of_3000(played):
    frames = [axis(played("step", f"step.eta={step}")) for step in (0, 300, 3_000, 30_000)]
    assert frames[0] == frames[1] == frames[2]
    assert frames[3][-1] > 5 * frames[2][-1]


@pytest.mark.parametrize(("width", "numbered"), [(360, False), (480, True)])
def test_what_is_said_at_a_point_stays_in_the_frame(played, width, numbered):
    """On a narrow screen the word and its numbers fit on neither side of a point in the middle, or nowhere."""
    cloud = played("step", "step.eta=3000&step.word=all", width=width).locator(".scatter")
    cloud.locator("circle.chosen").hover(force=True)
    label, frame = cloud.locator("text.chosen").bounding_box(), cloud.bounding_box()
    assert ("signed share" in cloud.locator("text.chosen").text_content()) == numbered
    assert frame["x"] <= label["x"]
    assert label["x"] + label["width"] <= frame["x"] + frame["width"]


# The map of all words, in 04_reviews


@pytest.fixture(scope="module")
def training(imdb):
    """Return what 04_reviews's reviews know of every word, and what five steps of training make of it, by the package."""
    corpus, _ = imdb.split(reviews.HELD_OUT, seed=0)
    return corpus, playthings.trained_words((5,))


def test_a_word_of_the_map_has_the_numbers_of_the_package(played, training):
    corpus, trained = training
    place = played("map", "map.step=5")
    for word in ("worst", "and", "excellent"):
        text, column = search(place, word), corpus.column(word)
        value, score, *counts, skew = numbers(text)[:5]
        assert text.startswith(f"{word}: ")
        assert value == pytest.approx(trained["values"][0][column], abs=0.008)
        assert score == pytest.approx(trained["scores"][0][column], abs=0.008)
        assert counts == trained["counts"][:, column].tolist()
        assert skew == pytest.approx(corpus.label_skew()[column], abs=0.006)


def test_as_many_words_as_occur_so_often(played, training):
    corpus, _ = training
    slider = played("map").locator("input[type=range]")
    occurrences = np.asarray(corpus.counts.sum(axis=0)).ravel()
    for key in ("ArrowLeft", "End", "Home"):
        slider.press(key)
        settle(slider.page)
        least, words = numbers(slider.get_attribute("aria-valuetext"))
        assert words == (occurrences >= least).sum()
    assert words == corpus.vocab_size


def test_a_rare_word_is_shown_when_it_is_asked_for_and_the_address_keeps_it(played):
    place = played("map")
    assert "too rare for the picture" in search(place, "capote")
    assert "too rare" not in search(place, "capote", "Enter")
    for _ in range(2):
        assert "capote" in of_word(place)
        assert place.locator("text.chosen").text_content() == "capote"
        place.page.reload()


def test_shuffled_labels_are_loaded_when_asked_for_and_drawn_in_the_same_frame(played):
    place = played("map")
    frame, true = place.locator(".scatter").get_attribute("aria-valuemax"), numbers(of_word(place))
    assert not place.page.locator("script[src*=map_shuffled]").count()
    place.get_by_role("button", name="shuffled").click()
    for _ in range(2):
        place.page.wait_for_function("() => tokensel.mapShuffled")
        shuffled = numbers(of_word(place))
        assert shuffled[:2] != true[:2]
        assert shuffled[2:] == true[2:]  # how often it occurs, and the skew
        assert place.locator(".scatter").get_attribute("aria-valuemax") == frame
        assert place.get_by_role("button", name="5", exact=True).is_disabled()
        assert place.get_by_text("only steps 20 and 150").is_visible()  # why it is
        place.page.reload()


# Guess the "not", in 05_beyond


@pytest.fixture(scope="module")
def behind_not():
    return shipped("not_data"), skews_behind(ts.load_imdb(tokenizer=words_and_pairs), "not")


def test_the_data_are_those_that_the_chapter_finds(behind_not):
    data, found = behind_not
    assert data["words"] == found["words"]
    assert len(data["words"]) == 194
    np.testing.assert_array_equal(data["often"], found["often"])
    for kind in ("elsewhere", "behind"):
        np.testing.assert_allclose(np.array(data[kind]) / 100, found[kind], atol=0.00501)
    clear = [found["elsewhere"][s] for s in data["asked"][1:]]
    assert data["words"][data["asked"][0]] == "good"
    assert len(clear) == sum(np.abs(found["elsewhere"]) > playthings.LEANS)  # all, not those that suit
    assert all(abs(one) >= abs(other) for one, other in pairwise(clear))
    slope, level = np.polyfit(found["elsewhere"], found["behind"], 1, w=np.sqrt(found["often"]))
    np.testing.assert_allclose(data["line"], [level, slope], atol=0.00051)


def test_a_guess_is_dragged_and_the_reveal_has_the_numbers(played):
    place, data = played("not"), shipped("not_data")
    verdict, caption = place.locator(".verdict"), place.page.locator(".tag_plaything-not figcaption .caption-text")
    assert not caption.is_visible()  # it would give the answer away
    x, y = middle(place.locator("svg .hold"))
    drag(place.page, (x, y), (x, y + 50))
    drawn = place.locator("svg").bounding_box()["height"] / 340 * 144  # pixels from 0 to 1
    guess = numbers(verdict.inner_text())[1]
    assert guess == pytest.approx(-50 / drawn, abs=0.02)
    assert f"not.guess={guess:g}" in address_of(place.page)
    level, slope = data["line"]
    for row in data["asked"][:4]:
        word, alone, after = data["words"][row], data["elsewhere"][row] / 100, data["behind"][row] / 100
        place.get_by_role("button", name="Reveal").click()
        settle(place.page)
        assert f"not {word}" in verdict.inner_text()
        told = [after, guess, -alone, len(data["words"]), level + slope * alone]
        np.testing.assert_allclose(numbers(verdict.inner_text()), told, atol=0.00501)
        assert caption.is_visible()
        assert place.locator("circle.other").count() == len(data["words"])
        place.get_by_role("button", name="Next word").click()
        guess = 0


# Words in space, in 08_classes


@pytest.fixture(scope="module")
def films():
    """Return the four classes that the chapter trains on, and how far a step of either kind moves each word."""
    corpus, _ = classes.film_reviews()
    start = ts.init_parameters(corpus.vocab_size, classes.DIM, 0, num_classes=4)
    return corpus, {"plain": corpus.signed_share(), "Adam": ts.adam_values(start, corpus, 0.01) - start.token_values}


def spots(place):
    """Return where the points are seen, and how clearly."""
    settle(place.page)
    read = "dots => dots.map(d => ['cx', 'cy', 'opacity'].map(k => Number(d.getAttribute(k))))"
    return np.array(place.locator("circle:not(.chosen)").evaluate_all(read))


@pytest.mark.parametrize("step", ["plain", "Adam"])
def test_a_word_in_space_has_the_numbers_of_the_package(played, films, step):
    corpus, moves = films
    count, far, *lean = numbers(of_word(played("lean", f"lean.step={step}&lean.word=wonderful")))
    column = corpus.column("wonderful")
    lengths = np.linalg.norm(moves[step][[column, corpus.column("the")]], axis=1)
    assert count == corpus.counts[:, [column]].sum()
    assert far == pytest.approx(lengths[0] / lengths[1], rel=0.01, abs=0.001)
    np.testing.assert_allclose(lean, ts.class_profile(corpus)[column], atol=0.011)


def test_adam_puts_words_on_a_sphere_and_a_plain_step_leaves_rare_ones_in_the_middle(played):
    place, counts = played("lean", "lean.yaw=0&lean.pitch=0", width=390), shipped("lean_data")["counts"]
    outside = np.hypot(*(spots(place)[:, :2] - 180).T)
    place.get_by_role("button", name="plain gradient step").click()
    inside = np.hypot(*(spots(place)[:, :2] - 180).T)
    assert (outside > 60).mean() > 0.8
    assert (inside < 20).mean() > 0.8
    place.get_by_role("button", name="rare").click()
    assert (spots(place)[:, 2] > 0).sum() == sum(count < playthings.RARE for count in counts)


def test_a_drag_turns_and_a_click_picks_a_word(played):
    place = played("lean")
    x, y = middle(place.locator("svg"))
    drag(place.page, (x, y), (x + 60, y))
    assert of_word(place).startswith("“worst” occurs")
    assert "lean.yaw=5" in address_of(place.page)
    click_beside(place.locator("circle.common").first)
    assert not of_word(place).startswith("“worst” occurs")
