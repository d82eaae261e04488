"""What one plaything alone does: it is dragged, played, searched, guessed at, typed into."""

import numpy as np
import pytest
from pages import ROOT, address_of, drag, middle, numbers, settle, told

import tokensel_report as tr
from tokensel_report.your_data import shaded

long = pytest.mark.long


def press(place, *names):
    for name in names:
        place.get_by_role("button", name=name, exact=True).click()
    settle(place.page)


# ---- clouds of words


def search(place, word, *keys):
    """Look a word up; return what is said of it."""
    if not place.locator("input[type=search]").is_visible():
        place.locator("summary").press("Enter")
    place.locator("input[type=search]").fill(word)
    for key in keys:
        place.locator("input[type=search]").press(key)
    return told(place, ".of-word")


def axis(place):
    """Return the numbers beside the upright axis of the cloud, from the lowest, and how high they stand."""
    settle(place.page)
    labels = place.locator('.scatter text[text-anchor="end"][x="40"]')
    heights = labels.evaluate_all("(all) => all.map((each) => 4 - each.getAttribute('y'))")
    return [numbers(text)[0] for text in labels.all_text_contents()], heights


@long
def test_a_word_of_a_cloud_is_chosen_by_name_keys_and_click_and_lies_where_its_axis_says(play):
    place = play("step", "step.show=reviews")
    cloud = place.locator(".scatter >> visible=true")
    assert search(place, "Great").startswith("great: ")
    place.locator("input[type=search]").fill("qqq")
    assert "no “qqq” among the 7,780 words" in place.locator(".finder").inner_text()
    cloud.press("ArrowUp")
    next_one = told(place, ".of-word")
    assert not next_one.startswith("great: ")
    x, y = middle(cloud.locator("circle.name").first)
    place.page.mouse.click(x + 3, y)
    assert told(place, ".of-word") != next_one
    values, heights = axis(place)
    value = np.polyval(np.polyfit(heights, values, 1), -float(cloud.locator("circle.chosen").get_attribute("cy")))
    assert numbers(told(place, ".of-word"))[1] == pytest.approx(value, abs=0.01)


@long
def test_on_the_map_a_rare_word_is_shown_when_asked_for_and_shuffled_labels_are_loaded(play):
    place = play("map")
    assert "too rare for the picture" in search(place, "capote")
    assert "too rare" not in search(place, "capote", "Enter")
    assert place.locator("text.chosen").text_content() == "capote"
    frame, true = place.locator(".scatter").get_attribute("aria-valuemax"), numbers(told(place, ".of-word"))
    assert not place.page.locator("script[src*=map_shuffled]").count()
    press(place, "shuffled")
    place.page.wait_for_function("() => tokensel.mapShuffled")
    shuffled = numbers(told(place, ".of-word"))
    assert shuffled[:2] != true[:2]
    assert shuffled[2:] == true[2:]  # how often it occurs, and the skew
    assert place.locator(".scatter").get_attribute("aria-valuemax") == frame


@long
def test_adam_puts_words_on_a_sphere_which_a_drag_turns_and_a_click_picks_one(play):
    place = play("lean", "lean.yaw=0&lean.pitch=0")
    read = "(dots) => dots.map((dot) => Math.hypot(dot.getAttribute('cx') - 180, dot.getAttribute('cy') - 180))"
    away = lambda: np.array(place.locator("circle:not(.chosen)").evaluate_all(read))
    assert (away() > 60).mean() > 0.8
    press(place, "plain gradient step")
    assert (away() < 20).mean() > 0.8
    press(place, "Reset")
    x, y = middle(place.locator("svg"))
    drag(place.page, (x, y), (x + 60, y))
    assert told(place, ".of-word").startswith("“worst” occurs")
    assert "lean.yaw=5" in address_of(place.page)
    x, y = middle(place.locator("circle.common").first)
    place.page.mouse.click(x, y)
    assert not told(place, ".of-word").startswith("“worst” occurs")


# ---- guesses


@long
def test_a_guess_is_dragged_and_nothing_gives_the_answer_away(play):
    place = play("not")
    caption = place.page.locator(".tag_plaything-not figcaption .caption-text")
    assert not caption.is_visible()
    x, y = middle(place.locator("svg .hold"))
    drag(place.page, (x, y), (x, y + 50))
    drawn = place.locator("svg").bounding_box()["height"] / 340 * 144  # pixels from 0 to 1
    assert numbers(told(place, ".verdict"))[1] == pytest.approx(-50 / drawn, abs=0.02)
    press(place, "Reveal")
    assert caption.is_visible()
    press(place, "Next word")
    assert "You say" in told(place, ".verdict")


# ---- paths and lines


@long
def test_the_start_of_a_path_is_dropped_by_a_tap_moved_by_keys_and_stays_in_view(play):
    place = play("flow", "flow.show=leads", width=390)
    plane, query = place.locator("svg").first, place.get_by_role("slider", name="the query")
    travelled = place.get_by_role("slider", name="Length of the path")
    plane.scroll_into_view_if_needed()
    size = plane.bounding_box()
    plane.click(position={"x": (size["width"] - 0.6 * size["height"]) / 2, "y": size["height"] * 8 / 20})  # (-6, 6)
    query.press("ArrowRight")
    settle(place.page)
    assert numbers(query.get_attribute("aria-valuetext")) == pytest.approx([-5.5, 6], abs=0.15)
    for key in ("PageUp", "End"):
        travelled.press(key)
        settle(place.page)
        x, y = middle(query)
        frame = plane.bounding_box()
        assert 0 < (x - frame["x"]) / frame["width"] < 1
        assert 0 < (y - frame["y"]) / frame["height"] < 1


@long
def test_play_goes_to_the_end_and_stops_when_asked(play):
    place = play("flow", "flow.show=pulls")
    tab, travelled = place.page, place.get_by_role("slider", name="Length of the path")
    place.get_by_role("button", name="Play").dblclick()  # it is called "Stop" in between
    assert float(travelled.input_value()) < float(travelled.get_attribute("max"))
    tab.emulate_media(reduced_motion="reduce")
    place.get_by_role("button", name="Play").click()
    settle(tab)
    assert travelled.input_value() == travelled.get_attribute("max")
    tab.emulate_media(reduced_motion="no-preference")


@long
def test_the_line_where_one_stops_is_dragged(play):
    place = play("stop", width=390)
    press(place, "no attention")
    chart = place.locator(".chart")
    chart.scroll_into_view_if_needed()
    (x, y), box = middle(chart), chart.bounding_box()
    drag(place.page, (x, y), (box["x"] + box["width"] - 2, y))
    assert told(place, ".readout").startswith("No attention")
    assert numbers(told(place, ".readout"))[0] == pytest.approx(165, rel=0.04)


# ---- what is typed


def test_each_machine_takes_as_long_as_the_table_says(play):
    place = play("cost")
    for row in place.page.locator(".plaything-cost tbody tr").all():
        name, _, counts, step = row.locator("td").all_inner_texts()
        place.get_by_role("button", name=name, exact=True).click()
        assert f"A step takes {step};" in told(place, ".readout")
        assert counts in told(place, "svg")


@long
def test_numbers_of_a_machine_are_typed_and_what_is_no_number_changes_nothing(play):
    place = play("cost")
    field = place.get_by_label("million texts")
    for written in ("1e2", "100", "1,00"):
        field.fill(written)
        assert "64 bits" not in told(place, ".readout")
    field.fill("1e3")
    before = told(place, ".readout")
    assert "64 bits" in before
    for nonsense in ("", "-3", "many", "1e99", "<b>1</b>"):
        field.fill(nonsense)
        assert field.get_attribute("aria-invalid") == "true"
        field.blur()
        assert told(place, ".readout") == before
        assert (field.input_value(), field.get_attribute("aria-invalid")) == ("1,000", None)


@long
def test_a_head_reads_a_sentence_of_one_s_own(play):
    place = play("heads", "heads.text=Amazing <b>zqx</b>, lost the bag")
    kinds = {each.inner_text(): each.get_attribute("class") for each in place.locator(".reading span").all()}
    assert kinds == {"Amazing": "praise", "b": "unknown", "zqx": "unknown", "lost": "blame", "the": None, "bag": "blame"}
    place.get_by_role("textbox", name="your own sentence").fill("zqx")
    assert told(place, ".readout").endswith("these words are too rare.")


# ---- a planted mark, and the shaded text of 14_your_data


@long
def test_a_word_is_taken_out_of_the_sum(visit, tmp_path):
    """By a tap and by a key; of a word that stands there twice, one place at a time. The model reads on without it."""
    texts, text = ["a good film", "good and moving", "a bad film", "bad and long", "a film"], "a good good film and unseen bad"
    model = tr.TextClassifier(min_texts=1).fit(texts * 10, [1, 1, 0, 0, 0] * 10)  # the last: else what is left would tie
    scripts = [(ROOT / "book/_static/playthings" / f"{name}.js").as_uri() for name in ("engine", "ui", "leave")]
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)
    (tmp_path / "page.html").write_text(f'<meta charset="utf-8">{shaded(tr.explain(model, text)).data}{tags}', "utf-8")
    opened = visit(tmp_path / "page.html")
    words, verdict = opened.tab.get_by_role("button"), opened.tab.get_by_role("status")
    for place, key, left in (
        (1, "Enter", "a zqxv good film and unseen bad"),
        (2, " ", "a zqxv zqxv film and unseen bad"),
        (5, None, "a zqxv zqxv film and unseen zqxv"),
        (1, None, "a good zqxv film and unseen zqxv"),
    ):
        words.nth(place).press(key) if key else words.nth(place).click()
        (logit,) = model.logits([left])
        assert verdict.inner_text().startswith(f"{int(logit > 0)}: without ")
        assert numbers(verdict.inner_text())[-1] == pytest.approx(abs(logit), abs=0.015)
    assert opened.errors == []


def test_the_chapter_opens_with_a_mark_that_can_be_taken_out(chapter):
    tab = chapter("14_your_data", width=390).tab
    verdict = tab.get_by_role("status").first
    assert verdict.inner_text().startswith("negative: ")
    tab.locator("[data-terms]").get_by_role("button", name="4", exact=True).click()
    assert verdict.inner_text().startswith("positive: ")
