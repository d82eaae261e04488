"""The path of the query and the tug of war in 03_flow, and the map of runs in 10_synthetic: the package's numbers."""

import re
from itertools import product

import numpy as np
import pytest
from pages import ROOT, assigned, middle, numbers, settle

import tokensel_nb as ts
from tokensel_nb.synthetic import one_against_many

pytestmark = pytest.mark.long
TEXTS, WAR = ".tag_plaything-flow .plaything", ".tag_plaything-border .plaything"
FOLDER = ROOT / "book" / "_static" / "playthings"
SHOWN = 0.0051  # two decimals


@pytest.fixture
def alone(visit, tmp_path):
    """Return a function that opens a plaything on an empty page, where no formulas are waited for."""
    scripts = [(FOLDER / f"{name}.js").as_uri() for name in ("engine", "ui", "plane", "chart", "flow", "border")]
    tags = "".join(f'<script src="{script}"></script>' for script in scripts)

    def open_page(name, state=""):
        page = tmp_path / f"{name}.html"
        still = f'<div class="tag_plaything-{name}"><figure><img alt=""></figure></div>'
        page.write_text(f'<meta charset="utf-8">{still}{tags}', "utf-8")
        return visit(page, fragment=f"#{state}").tab

    return open_page


def table(tab, plaything):
    """Return the numbers of a plaything's table, a row of each."""
    rows = tab.locator(f"{plaything} tbody tr").all()
    return np.array([[numbers(cell)[0] for cell in row.locator("td").all_inner_texts()] for row in rows])


@pytest.fixture(scope="module")
def four_texts():
    """Return the chapter's corpus and parameters."""
    return assigned("03_flow", "texts", "plane", "rows", "small")[1::2]


def in_digits(found):
    """Return 4.7 × 10⁻⁶ as 0.0000047."""
    return f"{float(found[1]) * 10.0 ** int(found[2].translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))):.15f}"


@pytest.mark.parametrize(("start", "length"), [((5, -4), 3), ((-6, -4), 8.5), ((-1, -5), 0), ((7, 1), 12)])
def test_the_path_and_the_tug_are_the_package_s(alone, four_texts, start, length):
    corpus, parameters = four_texts
    tab = alone("flow", f"flow.p={start[0]}_{start[1]}&flow.length={length}")
    here = parameters._replace(cls_embedding=np.array(start, float))
    if length:
        here = here._replace(cls_embedding=ts.gradient_flow(here, corpus, length, records=2).cls_embedding)
    said = numbers(re.sub("([0-9.]+) × 10(⁻[⁰¹²³⁴-⁹]+)", in_digits, tab.locator(f"{TEXTS} .verdict").inner_text()))
    attending, of, turned = numbers(tab.locator(f"{TEXTS} .told").inner_text())
    p, loss = here.cls_embedding, float(ts.loss(here, corpus))
    floor = np.logaddexp(0, -np.abs(here.token_values[:2])).mean()
    best = ts.max_margin(here.embeddings, corpus).direction
    angle = np.degrees(np.arccos(p @ best / np.linalg.norm(p) / np.linalg.norm(best)))
    np.testing.assert_allclose([*said[:3], turned], [*p, loss, angle], atol=0.06)
    together = np.linalg.norm(ts.gradients(here, corpus).cls_embedding)
    np.testing.assert_allclose(said[3:5], [loss - floor, together], rtol=0.1)
    scores, relevant = here.token_scores, [0, 0, 1, 1]
    leads = scores[relevant] - scores[[2, 3, 2, 3]]
    attention = ts.attention(here, corpus).toarray()[np.arange(4), relevant]
    assert (attending, of) == ((attention > 0.5).sum(), 4)
    pulls = np.array([-ts.gradients(here, corpus[[i]]).cls_embedding for i in range(4)])
    shares = np.linalg.norm(pulls, axis=1) / np.linalg.norm(pulls.sum(axis=0))
    np.testing.assert_allclose(table(tab, f"{TEXTS} .fine"), np.stack([leads, attention, shares], axis=1), atol=0.03)


def test_who_shall_guess_sees_the_start_alone(alone, four_texts):
    """Then the path as far as it has come, then p* and other paths, too."""
    parts = (".fine", "svg .path:not(.given)", "svg .arrow", "svg .star")  # the table, the path, tugs, p*
    tab, start = alone("flow", "flow.shown=0&flow.length=3"), four_texts[1]
    more = tab.get_by_role("button", name="Show more")
    rows = np.column_stack([start.embeddings, start.token_values]).ravel()
    assert numbers(tab.get_by_role("table", name="Row and value").inner_text()) == pytest.approx(rows, abs=SHOWN)
    for wanted in ([0, 0, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]):
        if any(wanted):
            more.click()
            settle(tab)
        seen = [int(tab.locator(f"{TEXTS} {part}").filter(visible=True).count() > 0) for part in parts]
        assert seen == wanted
        assert ("p*" in tab.locator(f"{TEXTS} .told").inner_text()) == wanted[3]
    assert not more.is_visible()


def test_p_is_dropped_by_a_tap_and_moved_by_keys(chapter):
    tab = chapter("03_flow", width=390).tab
    plane, start = tab.locator(f"{TEXTS} svg").first, tab.get_by_role("slider", name="the start of p")
    travelled, summary = tab.get_by_role("slider", name="Path length"), tab.locator(f"{TEXTS} .verdict")
    plane.scroll_into_view_if_needed()
    size = plane.bounding_box()

    def press(key, part=start):
        part.press(key)
        settle(tab)
        return numbers(start.get_attribute("aria-valuetext"))

    def tap():
        plane.click(position={"x": size["width"] * 3 / 18, "y": size["height"] * 8 / 20})
        settle(tab)
        return numbers(start.get_attribute("aria-valuetext"))

    np.testing.assert_allclose(tap(), [-6, 6], atol=0.15)
    np.testing.assert_allclose(press("ArrowRight"), [-5.5, 6], atol=0.15)
    np.testing.assert_allclose(numbers(summary.inner_text())[:2], [-5.5, 6], atol=0.15)  # there the path begins
    press("End", travelled)
    end, thumb = summary.inner_text(), travelled.input_value()
    assert numbers(end)[1] > 300
    press("ArrowRight")
    assert travelled.input_value() == thumb  # whatever the length of the path from there
    press("ArrowLeft")
    assert summary.inner_text() == end
    np.testing.assert_allclose(tap(), [-6, 6], atol=0.15)  # in a wider view, which returns to the near one
    assert travelled.input_value() == "0"


@pytest.mark.parametrize("start", ["5_-4", "-6_-4", "8_13", "-8_-5"])
def test_the_view_follows_p(alone, start):
    """In its frame p has room for the arrows above it, and the start is in the frame still."""
    for length in (5, 16, 72, 400):
        tab = alone("flow", f"flow.p={start}&flow.length={length}")
        frame = tab.locator(f"{TEXTS} svg").first.bounding_box()
        for part, top in (("svg .here:not(.given)", 0.15), (".tip", 0)):
            x, y = middle(tab.locator(f"{TEXTS} {part}").first)
            assert 0 < (x - frame["x"]) / frame["width"] < 1
            assert top < (y - frame["y"]) / frame["height"] < 1


def test_play_goes_to_the_end_and_stops_when_asked(alone):
    tab = alone("flow")
    travelled, told = tab.get_by_role("slider", name="Path length"), tab.locator(f"{TEXTS} .told")
    assert "2 of 4" in told.inner_text()
    tab.get_by_role("button", name="Play").click()
    tab.wait_for_function("() => document.querySelector('input[type=range]').valueAsNumber > 5")
    tab.get_by_role("button", name="Stop").click()
    settle(tab)
    assert int(travelled.input_value()) < int(travelled.get_attribute("max"))
    tab.emulate_media(reduced_motion="reduce")
    tab.get_by_role("button", name="Play").click()
    settle(tab)
    assert travelled.input_value() == travelled.get_attribute("max")
    assert "4 of 4" in told.inner_text()
    assert numbers(told.inner_text())[2] < 0.2  # degrees away from p*
    tab.emulate_media(reduced_motion="no-preference")


# The tug of war


def tug_of_war(many, step, others=60):
    """Return the whole corpus of the chapter, for any number of allies, and parameters after a step, lone far below."""
    relevant = np.eye(many + 1, dtype=int)[[*range(many), *[many] * many]]
    counts = np.hstack([relevant, np.ones((2 * many, others), int)])
    words = [*(f"ally {i}" for i in range(many)), "lone", *map(str, range(others))]
    corpus = ts.Corpus(counts, [1] * many + [-1] * many, words)
    after = ts.limit_parameters(corpus, step)
    start = -6 * after.embeddings[many] + 6 * after.token_values[many] * after.output_vector  # -6 e_lone
    return corpus, after._replace(cls_embedding=start)


def attention_after(start, corpus, length):
    """Return the attention to the first ally and to lone, in a text of each, after a path."""
    end = ts.gradient_flow(start, corpus, length, records=2).cls_embedding
    return ts.attention(start._replace(cls_embedding=end), corpus).toarray()[[0, -1], [0, len(corpus.labels) // 2]]


@pytest.mark.parametrize(
    ("step", "many", "selected"),
    [(250, 3, True), (310, 3, True), (320, 3, False), (320, 2, True), (500, 1, True), (330, 8, False)],
)
def test_the_tug_of_war_is_the_package_s(alone, step, many, selected):
    tab = alone("border", f"border.step={step}&border.k={many}")
    said = tab.locator(f"{WAR} .verdict").inner_text()
    assert ("wakes, after" in said) == selected
    length, competition = numbers(said)[:2]
    corpus, start = tug_of_war(many, step)
    assert competition == pytest.approx(ts.competition(start.token_values, corpus)[many], abs=SHOWN)
    assert ("promises" in said) == (competition <= 1)
    (ally, lone) = table(tab, WAR)
    np.testing.assert_allclose([ally[0], lone[0]], start.token_values[[0, many]], atol=SHOWN)
    scores = start.embeddings @ ts.gradient_flow(start, corpus, length, records=2).cls_embedding
    if not selected:  # else it has just woken, and leads change faster than the length is said
        np.testing.assert_allclose([ally[1], lone[1]], scores[[0, many]] - scores[-1], rtol=1e-3)
    np.testing.assert_allclose(attention_after(start, corpus, 1.1 * length), [1, selected], atol=0.01)


def test_who_wakes_later_than_one_looks_is_said_to_rise(alone):
    tab = alone("border", "border.step=312")
    assert "still sleeps, but is rising, after a path of 2,000" in tab.locator(f"{WAR} .verdict").inner_text()
    corpus, start = tug_of_war(3, 312)
    assert attention_after(start, corpus, 2200)[1] == pytest.approx(1, abs=0.01)


# The map of runs


STEPS, STARTS = (8, 12, 18, 24, 28, 32, 40), (0, 3, 6, 9, 12)
FURTHER = 0.88  # of the length at which the page looks, its look before is less


@pytest.fixture
def runs(chapter):
    """Return a function that opens the map of runs."""
    return lambda state="", **window: chapter("10_synthetic", f"#{state}", **window).tab.locator(
        ".tag_plaything-lose .plaything"
    )


def ends(step, start, length=1_500):
    """Say, by the package, what becomes of a run within a length."""
    corpus = one_against_many(32, 11, 4, 4, seed=10)
    begin = ts.limit_parameters(corpus, step)
    begin = begin._replace(embeddings=begin.embeddings.round(12), cls_embedding=start * begin.output_vector)
    query = ts.gradient_flow(begin, corpus, length, records=8, tolerance=1e-5).cls_embedding
    scores = begin.embeddings @ query
    certain = ts.selection_certificate(begin, corpus).room(query) > 0
    return "Certified" if certain else "Lost" if scores[4] < scores[5:].max() else "Undecided"


def run(root, step, start):
    """Return the button of a run."""
    return root.get_by_role("button", name=f"Step {step}, start {start}", exact=True)


def test_every_run_ends_as_by_the_package(runs):
    root, found = runs(), {}
    assert root.locator(".race").count() == 0
    for place in product(STEPS, STARTS):
        run(root, *place).click()
        found[place] = root.locator(".verdict strong").inner_text()
    assert root.locator(".race").count() == 5
    assert found == {place: ends(*place) for place in found}
    assert list(found.values()).count("Lost") == 8
    assert all((run(root, *place).inner_text() == "✕") <= (end == "Lost") for place, end in found.items())


@pytest.mark.parametrize(("step", "start"), [(28, 9), (8, 12)])
def test_a_run_is_certain_from_where_the_package_says(runs, step, start):
    verdict = runs(f"lose.step={step}&lose.start={start}").locator(".verdict").inner_text()
    length = int(re.search(r"length of (\d+)", verdict)[1])
    assert ends(step, start, length) == "Certified"
    assert ends(step, start, FURTHER * (length - 1)) != "Certified"
