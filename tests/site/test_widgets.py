"""The playthings of notebooks in a real browser, with a model of a few lines in place of Jupyter's."""

import json

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, drag, middle, problems, settle

import tokensel_nb as ts
from tokensel_nb.chapters import play

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title><style></style><main></main><script>
    const [state, heard, bytes] = [{}, {}, (_, to) => (to?.bytes ? new DataView(Uint8Array.from(to.bytes).buffer) : to)];
    const set = (name, value) => { state[name] = value; heard[`change:${name}`]?.(); };
    window.model = { set, get: (name) => state[name], save_changes() {}, on(name, call) { heard[name] = call; } };
    window.say = (told) => { for (const [name, value] of Object.entries(JSON.parse(told, bytes))) set(name, value); };
</script></html>"""
RENDER = """async ([esm, css]) => {
    document.querySelector("style").textContent = css;
    const { default: widget } = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
    widget.render({ model, el: document.querySelector("main") });
}"""
CORPUS = ts.Corpus([[1, 0, 1, 0], [2, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]], [1, 1, -1, -1], ["good", "bad", "film", "the"])
MINE = ts.Parameters(np.array([[1, 0.5], [-1, 0.5], [0, 0], [0.2, 0.1]]), np.array([1, -0.5]), np.array([1.0, 0]))


@pytest.fixture
def show(visit, tmp_path):
    """Return a function that shows a widget, or tells the page what Python has changed, and Python what the page has."""
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    opened, known = visit(tmp_path / "page.html"), []
    state = lambda widget: json.dumps(widget.get_state(["address", "frame", "given"]), default=lambda x: {"bytes": list(x)})

    def show(widget):
        if [state(widget)] != known:
            opened.tab.evaluate("say", state(widget))
        if not known:
            opened.tab.evaluate(RENDER, [widget._esm, widget._css])
        settle(opened.tab)
        widget.address = opened.tab.evaluate("model.get('address')")
        known[:] = [state(widget)]
        return opened.tab.locator(".plaything")

    yield show
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


def test_the_start_of_a_path_goes_from_the_browser_to_python_and_back(show):
    flow = play.Flow(MINE, CORPUS, start=(-6, 3))
    place = show(flow)
    start = place.get_by_role("slider", name="the query")
    start.press("ArrowRight")
    show(flow)
    assert flow.start.tolist() == [-5.5, 3]
    drag(place.page, middle(start), middle(place.locator("svg").first))
    show(flow)
    assert np.abs(flow.start - [0, 4]).max() < 0.1
    flow.start, flow.length = (2, 1), 3
    flow.show(MINE._replace(embeddings=np.zeros((4, 2))))
    assert "Shortest" not in show(flow).inner_text()  # no query leads in all texts
    assert start.get_attribute("aria-valuetext") == "the query at 2.00, 1.00"
    assert (flow.start.tolist(), flow.length) == ([2, 1], 3)


def test_words_in_the_plane_are_moved_by_either_side(show):
    plane = play.Plane(MINE, CORPUS.vocabulary)
    show(plane).get_by_role("slider", name="film").press("ArrowUp")
    show(plane)
    assert np.allclose(plane.parameters.embeddings - MINE.embeddings, [[0, 0], [0, 0], [0, 0.1], [0, 0]])
    far = MINE._replace(embeddings=np.array([[30, 0.5], [-7, 0.5], [0, 0], [0.2, 90]]), output_vector=np.array([-1, 0]))
    plane.parameters = far
    show(plane).get_by_role("slider", name="good").press("ArrowDown")
    assert "logit −" in show(plane).inner_text()
    assert np.allclose(plane.parameters.embeddings - far.embeddings, [[0, -6], [0, 0], [0, 0], [0, 0]])  # 60 times as far away


def test_one_s_own_training_is_watched_in_a_cloud(show):
    cloud = play.Cloud(MINE, CORPUS, named=["good"])
    place = show(cloud)
    before = place.locator(".of-word").inner_text()
    ts.train(MINE, CORPUS, steps=20, watch=lambda step, now: (cloud.show(now), show(cloud)))
    assert place.locator(".of-word").inner_text() != before
    place.locator(".scatter").press("ArrowLeft")
    show(cloud)
    assert cloud.word != "good"


OTHERS = [
    (lambda: play.Train(steps=3, labels="0111100000"), {"steps": 3, "labels": "0111100000"}, "After 3 steps"),
    (lambda: play.Try({0: MINE, 9: MINE}, CORPUS, text="zqx"), {"text": "zqx", "step": 9}, "None of these"),
    (lambda: play.Step(MINE, CORPUS, size=300), {"size": 300, "word": "good"}, "signed share"),
    (lambda: play.SeeSaw(rivals=2), {"rivals": 2, "competition": 0.7}, "border 1.07"),
    (lambda: play.Start(size=0.1), {"size": 0.1, "time": 360}, "Zero was left"),
]


@pytest.mark.parametrize(("make", "settings", "told"), OTHERS)
def test_the_others_are_shown_as_python_asks_and_tell_the_rest(show, make, settings, told):
    assert told in show(widget := make()).inner_text()
    assert {key: getattr(widget, key) for key in settings} == settings
