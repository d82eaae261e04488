"""The playthings of notebooks in a real browser, with a model of a few lines in place of Jupyter's."""

import json

import numpy as np
import pytest
from pages import EVERY_STATE_OF_A_PLAYTHING, drag, middle, problems, settle

import tokensel_nb as ts
from tokensel_nb.chapters import play

SHOW = """async ([esm, css, given, address]) => {
    const revived = (_, value) => (value?.bytes ? new DataView(Uint8Array.from(value.bytes).buffer) : value);
    const [state, heard] = [{ address }, {}];
    const set = (name, value) => { state[name] = value; heard[`change:${name}`]?.forEach((call) => call()); };
    window.model = { get: (name) => state[name], set, save_changes() {}, on(name, call) { (heard[name] ??= []).push(call); } };
    window.give = (given) => set("given", JSON.parse(given, revived));
    give(given);
    document.querySelector("style").textContent = css;
    const { default: widget } = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
    widget.render({ model, el: document.querySelector("main") });
}"""
PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title><style></style><main></main></html>'
CORPUS = ts.Corpus([[1, 0, 1, 0], [2, 0, 0, 1], [0, 1, 1, 0], [0, 1, 1, 1]], [1, 1, -1, -1], ["good", "bad", "film", "the"])
MINE = ts.Parameters(np.array([[1, 0.5], [-1, 0.5], [0, 0], [0.2, 0.1]]), np.array([1, -0.5]), np.array([1.0, 0]))


def written(given):
    return json.dumps(given, default=lambda numbers: {"bytes": list(numbers)})


@pytest.fixture
def show(visit, tmp_path):
    """Return a function that shows a widget; both sides are told of each other's changes when `meet` is called."""
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    opened = visit(tmp_path / "page.html")

    def shown(widget):
        opened.tab.evaluate(SHOW, [widget._esm, widget._css, written(widget.given), widget.address])
        meet(widget)
        return opened.tab.locator(".plaything")

    def meet(widget, said=False):
        if said:
            opened.tab.evaluate(
                "(state) => { give(state[0]); model.set('address', state[1]); }", [written(widget.given), widget.address]
            )
        settle(opened.tab)
        widget.address = opened.tab.evaluate("() => model.get('address')")

    yield shown, meet
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


def test_the_start_of_a_path_goes_from_the_browser_to_python_and_back(show):
    shown, meet = show
    flow = play.Flow(MINE, CORPUS, start=(-6, 3))
    place = shown(flow)
    start = place.get_by_role("slider", name="the start of p")
    assert "p points" in place.inner_text()
    start.press("ArrowRight")
    meet(flow)
    assert flow.start.tolist() == [-5.5, 3]
    drag(place.page, middle(start), middle(place.locator("svg").first))
    meet(flow)
    assert np.abs(flow.start - [0, 4]).max() < 0.1  # the middle of the picture
    flow.start, flow.length = (2, 1), 3
    meet(flow, said=True)
    assert start.get_attribute("aria-valuetext") == "the start of p at 2.00, 1.00"
    flow.show(MINE._replace(embeddings=np.zeros((4, 2))))
    meet(flow, said=True)
    assert "no p leads in all texts" in place.inner_text()
    assert (flow.start.tolist(), flow.length) == ([2, 1], 3)


def test_words_in_the_plane_are_moved_by_either_side(show):
    shown, meet = show
    plane = play.Plane(MINE, CORPUS.vocabulary)
    place = shown(plane)
    place.get_by_role("slider", name="film").press("ArrowUp")
    meet(plane)
    assert np.allclose(plane.parameters.embeddings - MINE.embeddings, [[0, 0], [0, 0], [0, 0.1], [0, 0]])
    plane.parameters = MINE._replace(output_vector=np.array([0, -1]))
    meet(plane, said=True)
    assert "logit −" in place.inner_text()


def test_one_s_own_training_is_watched_in_a_cloud(show):
    shown, meet = show
    cloud = play.Cloud(MINE, CORPUS, named=["good"])
    place = shown(cloud)
    assert cloud.word == "good"
    before = place.locator(".of-word").inner_text()
    ts.train(MINE, CORPUS, steps=20, watch=lambda step, now: (cloud.show(now), meet(cloud, said=True)))
    assert place.locator(".of-word").inner_text() != before
    cloud.word = "film"
    meet(cloud, said=True)
    place.locator(".scatter").press("ArrowLeft")
    meet(cloud)
    assert cloud.word == "bad"


OTHERS = {
    "train": (lambda: play.Train(steps=3, labels="0111100000"), {"steps": 3, "labels": "0111100000"}, "After 3 steps"),
    "try": (lambda: play.Try({0: MINE, 9: MINE}, CORPUS, text="zqx"), {"text": "zqx", "step": 9}, "None of these"),
    "step": (lambda: play.Step(MINE, CORPUS, size=300), {"size": 300, "word": "good"}, "signed share"),
    "border": (lambda: play.Border(allies=2), {"allies": 2, "step": 250}, "after a path"),
    "start": (lambda: play.Start(size=0.1), {"size": 0.1, "time": 360}, "Zero was left"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_others_are_shown_as_python_asks_and_tell_the_rest(show, name):
    make, settings, said = OTHERS[name]
    widget = make()
    assert said in show[0](widget).inner_text()
    assert {key: getattr(widget, key) for key in settings} == settings
