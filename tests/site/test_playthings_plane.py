"""The planes and the tug of war that one plays with, in 01_model and 03_flow, as a reader meets them: the package's numbers."""

import json
import re
from dataclasses import replace

import numpy as np
import pages
import pytest

import tokensel_nb as ts

WORDS, TEXTS, WAR = (f".tag_plaything-{name} .plaything" for name in ("plane", "flow", "border"))
FOLDER = pages.ROOT / "book" / "_static" / "playthings"
SHOWN = 0.0051  # two decimals


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens a chapter."""
    return lambda name, **window: visit(site / "book" / f"{name}.html", **window)


@pytest.fixture
def alone(visit, tmp_path):
    """Return a function that opens a plaything on an empty page, where no formulas are waited for."""
    scripts = [(FOLDER / file).as_uri() for file in ("engine.js", "ui.js", "plane.js", "chart.js", "flow.js", "border.js")]
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)

    def open_page(name, fragment):
        page = tmp_path / f"{name}.html"
        still = f'<div class="tag_plaything-{name}"><figure><img alt=""></figure></div>'
        page.write_text(f'<meta charset="utf-8">{still}{tags}', "utf-8")
        return visit(page, fragment=fragment)

    return open_page


def lines_of(chapter, *names):
    """Return what the lines of a notebook give that assign some names: the page's numbers are to be the chapter's."""
    cells = json.loads((pages.ROOT / "book" / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    code = [line for cell in cells[:10] if cell["cell_type"] == "code" for line in "".join(cell["source"]).splitlines()]
    found = {"np": np, "ts": ts}
    exec("\n".join(line for line in code if line.split(" = ")[0] in names), found)
    return [found[name] for name in names]


def table(tab, plaything):
    """Return the numbers of a plaything's table, a row of each."""
    rows = tab.locator(f"{plaything} tbody tr").all()
    return np.array([[pages.numbers(cell)[0] for cell in row.locator("td").all_inner_texts()] for row in rows])


# 01_model


@pytest.fixture(scope="module")
def five_words():
    """Return the chapter's words, its parameters, and a function: scores, values, attention and logit of other rows."""
    words, rows, p, v = lines_of("01_model", "words", "E", "p", "v")
    text = ts.Corpus([[1] * 5], [0], words, ["blame", "praise"], weights=[1])

    def read(rows, p=p):
        given = ts.Parameters(rows, p, v)
        columns = given.token_scores, given.token_values, ts.attention(given, text).toarray()[0]
        return np.stack(columns, axis=1), ts.logits(given, text)[0]

    return words, rows, read


def shows(tab, read):
    """Tell whether table and logit show such numbers."""
    wanted, logit = read
    np.testing.assert_allclose(table(tab, WORDS), wanted, atol=SHOWN)
    said = tab.locator(f"{WORDS} .verdict").inner_text()
    assert pages.numbers(said)[0] == pytest.approx(logit, abs=SHOWN)
    assert said.endswith("praise" if logit > 0 else "blame")


def test_the_words_start_as_in_the_chapter(chapter, five_words):
    words, rows, read = five_words
    tab = chapter("01_model").tab
    assert tab.locator(f"{WORDS} tbody th").all_inner_texts() == words
    assert tab.locator(f"{WORDS} svg").get_by_text("score 3").count() == 1  # where bad stands
    shows(tab, read(rows))


def test_a_word_is_moved_by_keys_and_the_address_keeps_it(chapter, five_words):
    words, rows, read = five_words
    opened = chapter("01_model")
    tab = opened.tab
    handle = tab.get_by_role("slider", name="bad: arrow keys move it")
    handle.focus()
    for key in (*["Shift+ArrowUp"] * 4, "ArrowRight"):
        tab.keyboard.press(key)
    pages.settle(tab)
    moved = rows.copy()
    moved[words.index("bad")] += [0.1, 2.0]
    shows(tab, read(moved))
    assert handle.get_attribute("aria-valuetext") == "bad at 2.10, 0.50"
    tab.reload()
    shows(tab, read(moved))
    tab.get_by_role("button", name="Back to the start").click()
    pages.settle(tab)
    shows(tab, read(rows))
    assert "#" not in pages.address_of(tab)
    assert opened.errors == []


def test_the_query_is_turned_by_a_finger(chapter, five_words):
    _, rows, read = five_words
    tab = chapter("01_model", width=390).tab
    tab.locator(f"{WORDS} svg").first.scroll_into_view_if_needed()
    start, target = (tab.get_by_role("slider", name=f"{name}: arrow").bounding_box() for name in ("p", "truly"))
    page = tab.context.new_cdp_session(tab)
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in (start, target)]
    for kind, points in (("touchStart", middle[:1]), ("touchMove", middle[1:]), ("touchEnd", [])):
        page.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    pages.settle(tab)
    place = pages.numbers(tab.get_by_role("slider", name="p: arrow").get_attribute("aria-valuetext"))
    assert place[1] > 0
    wanted, _ = read(rows, np.array(place))
    np.testing.assert_allclose(table(tab, WORDS), wanted, atol=0.03)  # where the finger is, is said in two decimals


@pytest.mark.parametrize("turned", ["", "#plane.p=-1_0.5", "#plane.p=0.4_0.2", "#plane.bad=-0.6_-1"])
def test_names_lie_over_no_word(chapter, turned):
    """Where p is turned round, or stands on a word, too."""
    tab = chapter("01_model", fragment=turned).tab
    found = tab.locator(f"{WORDS} svg").first.evaluate("""(plane) => {
        const box = (each) => each.getBoundingClientRect();
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const words = [...plane.querySelectorAll(".disc ~ text")];
        const names = [...plane.querySelectorAll("text")].filter((each) => ["seen", "p", "v"].includes(each.textContent));
        const over = words.filter((word) => names.some((name) => meet(box(name), box(word)))).map((word) => word.textContent);
        return [names.length, words.length, over];
    }""")
    assert found == [3, 5, []]


# 03_flow


@pytest.fixture(scope="module")
def four_texts():
    """Return the chapter's corpus and parameters."""
    _, corpus, _, parameters = lines_of("03_flow", "texts", "plane", "rows", "small")
    return corpus, parameters


@pytest.mark.parametrize(("start", "length"), [((5, -4), 3), ((-6, -4), 8.5), ((-1, -5), 0), ((7, 1), 12)])
def test_the_path_and_the_tug_are_the_package_s(alone, four_texts, start, length):
    corpus, parameters = four_texts
    tab = alone("flow", f"#flow.p={start[0]}_{start[1]}&flow.length={length}").tab
    here = replace(parameters, cls_embedding=np.array(start, float))
    if length:
        here = replace(here, cls_embedding=ts.gradient_flow(here, corpus, length, records=2).cls_embedding)
    said = pages.numbers(re.sub("([0-9.]+) × 10(⁻[⁰¹²³⁴-⁹]+)", in_digits, tab.locator(f"{TEXTS} .verdict").inner_text()))
    attending, of, turned = pages.numbers(tab.locator(f"{TEXTS} .told").inner_text())
    p = here.cls_embedding
    floor = np.logaddexp(0, -np.abs(here.token_values[:2])).mean()
    together = np.linalg.norm(ts.gradients(here, corpus).cls_embedding)
    best = ts.max_margin(here.embeddings, corpus).direction
    angle = np.degrees(np.arccos(p @ best / np.linalg.norm(p) / np.linalg.norm(best)))
    np.testing.assert_allclose([*said[:3], turned], [*p, ts.loss(here, corpus), angle], atol=0.06)
    np.testing.assert_allclose(said[3:5], [ts.loss(here, corpus) - floor, together], rtol=0.1)
    scores, relevant = here.token_scores, [0, 0, 1, 1]
    leads = scores[relevant] - scores[[2, 3, 2, 3]]
    attention = ts.attention(here, corpus).toarray()[np.arange(4), relevant]
    alone = [ts.Corpus(corpus.counts[[i]], corpus.labels[[i]], corpus.vocabulary, corpus.class_names) for i in range(4)]
    assert (attending, of) == ((attention > 0.5).sum(), 4)
    pulls = np.array([-ts.gradients(here, text).cls_embedding for text in alone])
    shares = np.linalg.norm(pulls, axis=1) / np.linalg.norm(pulls.sum(axis=0))
    np.testing.assert_allclose(table(tab, f"{TEXTS} .fine"), np.stack([leads, attention, shares], axis=1), atol=0.03)


def in_digits(found):
    """Return 4.7 × 10⁻⁶ as 0.0000047."""
    return f"{float(found[1]) * 10.0 ** int(found[2].translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))):.15f}"


def seen(tab):
    """Return what of the plane can be seen, 1 or 0: the table, the path, tugs, p*."""
    parts = (".fine", "svg .path:not(.given)", "svg .arrow", "svg .star")
    return [int(tab.locator(f"{TEXTS} {part}").filter(visible=True).count() > 0) for part in parts]


def test_who_shall_guess_sees_the_start_alone(alone):
    """Then the path as far as it has come, then p* and other paths, too."""
    opened = alone("flow", "#flow.shown=0&flow.length=3")
    tab = opened.tab
    assert seen(tab) == [0, 0, 0, 0]
    assert pages.numbers(tab.get_by_role("table", name="Row and value").inner_text()) == [
        1.3,
        0.5,
        0.74,
        -0.4,
        1,
        -0.92,
        0.2,
        -0.5,
        0.46,
        -0.4,
        -0.4,
        -0.08,
    ]
    more = tab.get_by_role("button", name="Show more")
    for wanted in ([1, 1, 1, 0], [1, 1, 1, 1]):
        more.click()
        pages.settle(tab)
        assert seen(tab) == wanted
        assert ("p*" in tab.locator(f"{TEXTS} .told").inner_text()) == wanted[3]
    assert not more.is_visible()
    assert opened.errors == []


def test_p_is_dropped_by_a_tap_and_moved_by_keys(chapter):
    opened = chapter("03_flow", width=390)
    tab = opened.tab
    plane = tab.locator(f"{TEXTS} svg").first
    plane.scroll_into_view_if_needed()
    size = plane.bounding_box()
    plane.click(position={"x": size["width"] * 3 / 18, "y": size["height"] * 8 / 20})
    pages.settle(tab)
    summary = tab.locator(f"{TEXTS} .verdict")
    start = tab.get_by_role("slider", name="the start of p")
    np.testing.assert_allclose(pages.numbers(start.get_attribute("aria-valuetext")), [-6, 6], atol=0.15)
    start.focus()
    tab.keyboard.press("ArrowRight")
    pages.settle(tab)
    np.testing.assert_allclose(pages.numbers(start.get_attribute("aria-valuetext")), [-5.5, 6], atol=0.15)
    np.testing.assert_allclose(pages.numbers(summary.inner_text())[:2], [-5.5, 6], atol=0.15)  # there the path begins
    travelled = tab.get_by_role("slider", name="Path length")
    travelled.press("End")
    pages.settle(tab)
    end = summary.inner_text()
    assert pages.numbers(end)[1] > 300
    thumb = travelled.input_value()
    start.press("ArrowRight")
    pages.settle(tab)
    assert travelled.input_value() == thumb  # whatever the length of the path from there
    start.press("ArrowLeft")
    pages.settle(tab)
    tab.reload()
    assert summary.inner_text() == end
    plane.click(
        position={"x": size["width"] * 3 / 18, "y": size["height"] * 8 / 20}
    )  # in a wider view, which returns to the near one
    pages.settle(tab)
    np.testing.assert_allclose(pages.numbers(start.get_attribute("aria-valuetext")), [-6, 6], atol=0.15)
    assert travelled.input_value() == "0"
    assert opened.errors == []


def place_of_p(tab):
    """Return where the point at the end of the path is in the plane's frame, from 0 to 1, from the left and from the top."""
    frame, point = (tab.locator(f"{TEXTS} {part}").first.bounding_box() for part in ("svg", "svg .here:not(.given)"))
    return [(point[at] + point[size] / 2 - frame[at]) / frame[size] for at, size in (("x", "width"), ("y", "height"))]


@pytest.mark.parametrize("start", ["5_-4", "-6_-4", "8_13", "-8_-5"])
@pytest.mark.parametrize("length", [5, 16, 72, 400])
def test_the_view_follows_p(alone, start, length):
    """In its frame p has room for the arrows above it, and the start is in the frame still."""
    tab = alone("flow", f"#flow.p={start}&flow.length={length}").tab
    across, down = place_of_p(tab)
    assert 0.03 < across < 0.97
    assert 0.15 < down < 0.97
    frame, ring = (tab.locator(f"{TEXTS} {part}").bounding_box() for part in ("svg >> nth=0", ".tip"))
    assert frame["x"] < ring["x"] + ring["width"] / 2 < frame["x"] + frame["width"]
    assert frame["y"] < ring["y"] + ring["height"] / 2 < frame["y"] + frame["height"]


def test_play_goes_to_the_end_and_stops_when_asked(alone):
    opened = alone("flow", "")
    tab = opened.tab
    travelled, told = tab.get_by_role("slider", name="Path length"), tab.locator(f"{TEXTS} .told")
    assert "2 of 4" in told.inner_text()
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_timeout(1500)
    tab.get_by_role("button", name="Stop").click()
    pages.settle(tab)
    midway = int(travelled.input_value())
    assert 5 < midway < 40
    assert tab.get_by_role("button", name="Play").is_visible()
    tab.emulate_media(reduced_motion="reduce")
    tab.get_by_role("button", name="Play").click()
    pages.settle(tab)
    assert travelled.input_value() == travelled.get_attribute("max")
    assert "4 of 4" in told.inner_text()
    assert pages.numbers(told.inner_text())[2] < 0.2  # degrees away from p*
    assert opened.errors == []


def test_the_shortest_query_is_the_package_s(alone, four_texts):
    corpus, _ = four_texts
    tab = alone("flow", "").tab
    random = np.random.default_rng(0)
    solved = 0
    for rows in random.standard_normal((60, 4, 2)):
        differences = (rows[[0, 0, 1, 1]] - rows[[2, 3, 2, 3]]).tolist()
        found = tab.evaluate("(given) => tokensel.shortestQuery(given)", differences)
        try:
            wanted = ts.max_margin(rows, corpus).direction
        except ValueError:
            assert found is None
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
            solved += 1
    assert 10 < solved < 60


# The tug of war of 03_flow


def tug_of_war(many, step, others=60):
    """Return the whole corpus of the chapter, for any number of allies, and parameters after a step, lone far below."""
    relevant = np.eye(many + 1, dtype=int)[[*range(many), *[many] * many]]
    counts = np.hstack([relevant, np.ones((2 * many, others), int)])
    words = [*(f"ally {i}" for i in range(many)), "lone", *map(str, range(others))]
    corpus = ts.Corpus(counts, [1] * many + [-1] * many, words)
    after = ts.limit_parameters(corpus, step)
    start = -6 * after.embeddings[many] + 6 * after.token_values[many] * after.output_vector  # -6 e_lone
    return corpus, replace(after, cls_embedding=start)


@pytest.mark.parametrize(
    ("step", "many", "selected"),
    [(250, 3, True), (310, 3, True), (320, 3, False), (320, 2, True), (500, 1, True), (330, 8, False)],
)
def test_the_tug_of_war_is_the_package_s(alone, step, many, selected):
    tab = alone("border", f"#border.step={step}&border.k={many}").tab
    said = tab.locator(f"{WAR} .verdict").inner_text()
    assert ("wakes, after" in said) == selected
    length, competition = pages.numbers(said)[:2]
    corpus, start = tug_of_war(many, step)
    assert competition == pytest.approx(ts.competition(start.token_values, corpus)[many], abs=SHOWN)
    assert ("promises" in said) == (competition <= 1)
    (ally, lone) = table(tab, WAR)
    np.testing.assert_allclose([ally[0], lone[0]], start.token_values[[0, many]], atol=SHOWN)
    end = ts.gradient_flow(start, corpus, length, records=2)
    scores = start.embeddings @ end.cls_embedding
    if not selected:  # else it has just woken, and leads change faster than the length is said
        np.testing.assert_allclose([ally[1], lone[1]], scores[[0, many]] - scores[-1], rtol=1e-3)
    later = ts.gradient_flow(start, corpus, 1.1 * length, records=2)
    attention = ts.attention(replace(start, cls_embedding=later.cls_embedding), corpus).toarray()[[0, -1], [0, many]]
    np.testing.assert_allclose(attention, [1, selected], atol=0.01)


def test_who_wakes_later_than_one_looks_is_said_to_rise(alone):
    tab = alone("border", "#border.step=312").tab
    assert "still sleeps, but is rising, after a path of 2,000" in tab.locator(f"{WAR} .verdict").inner_text()
    corpus, start = tug_of_war(3, 312)
    end = ts.gradient_flow(start, corpus, 2200, records=2)
    attention = ts.attention(replace(start, cls_embedding=end.cls_embedding), corpus).toarray()[-1, 3]
    assert attention == pytest.approx(1, abs=0.01)


def test_the_first_step_is_turned_across_the_border(chapter):
    opened = chapter("03_flow", width=390)
    tab = opened.tab
    said = tab.locator(f"{WAR} .verdict")
    assert "wakes, after" in said.inner_text()
    step = tab.locator(f"{WAR} input").first
    step.press("End")
    pages.settle(tab)
    lost = said.inner_text()
    assert "sleeps on, after" in lost
    assert "border.step=500" in pages.address_of(tab)
    tab.reload()
    assert said.inner_text() == lost
    tab.locator(f"{WAR} button").click()
    pages.settle(tab)
    assert "wakes, after" in said.inner_text()
    assert not tab.locator("#fig-tug img").is_visible()
    assert tab.locator("#fig-flow img").is_visible()
    assert opened.errors == []


# All of them


@pytest.mark.parametrize("setting", [("light", 1280), ("dark", 360)])
@pytest.mark.parametrize(
    ("name", "fragment"),
    [
        ("01_model", "#plane.p=-3_1.5&plane.bad=3_1.6"),
        ("01_model", "#plane.p=0_0&plane.v=nonsense"),
        ("03_flow", "#flow.p=99_99&flow.length=-1&border.step=400&border.k=8"),
        ("15_tug_of_war", "#border.step=330&border.k=2"),
    ],
)
def test_accessible_and_as_wide_as_the_window(chapter, setting, name, fragment):
    theme, width = setting
    opened = chapter(name, theme=theme, width=width, fragment=fragment)
    assert pages.problems(opened, pages.EVERY_STATE_OF_A_PLAYTHING) == []


@pytest.mark.parametrize(
    ("name", "mark"),
    [
        ("01_model", "plane"),
        ("02_one_step", "step"),
        ("03_flow", "flow"),
        ("03_flow", "border"),
        ("04_reviews", "map"),
        ("15_tug_of_war", "border"),
    ],
)
def test_without_scripts_the_picture_stays(chapter, name, mark):
    tab = chapter(name, scripts=False).tab
    assert tab.locator(f".tag_plaything-{mark} img").is_visible()
    assert tab.locator(".plaything").count() == 0
