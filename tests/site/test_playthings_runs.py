"""Networks that train, and what they cost, on the pages of chapters 7, 9, 11 and 12: what is recorded, or computed anew."""

import numpy as np
import pytest
from helpers import shipped
from pages import drag, heights, middle, numbers, settle

import tokensel_nb as ts
from experiments.curves import KINDS, RUNS
from experiments.playthings import FINE, LETTERS, NETWORKS
from tokensel_nb.chapters import scale
from tokensel_nb.chapters.recorded import recorded

pytestmark = pytest.mark.long
PAGES = {"stop": "07_ablations", "luck": "09_deeper", "cost": "11_scale"} | dict.fromkeys(("heads", "start"), "12_transformers")


@pytest.fixture
def played(chapter):
    """Return a function that opens the page of a plaything in a state: the plaything, when all is computed."""

    def opened(name, state="", **window):
        tab = chapter(PAGES[name], f"#{state}", **window).tab
        settle(tab)
        return tab.locator(f".tag_plaything-{name} .plaything")

    return opened


def readout(place):
    settle(place.page)
    return place.locator(".readout").inner_text()


# Where one stops, in 07_ablations


@pytest.mark.parametrize(("model", "step"), [("all", 24), ("one_step", 540), ("frozen", 100), ("bag", 145)])
def test_accuracies_are_those_that_are_recorded(played, model, step):
    said, *found = numbers(readout(played("stop", f"stop.model={model}&stop.step={step}")))
    runs = recorded("ablations_sides")[model]["runs"][:RUNS]
    assert said == pytest.approx(step, rel=0.04)  # the line stands at steps that differ by some percent
    for percent, name in zip(found, (KINDS["new"], KINDS["own"])):
        means = np.mean([np.interp(said, run["steps"], run[name]) for run in runs])
        assert percent == pytest.approx(100 * means, abs=0.6)


@pytest.mark.parametrize(
    ("model", "step", "level", "place"),
    [("frozen", 29, 72, 1), ("all", 22, 88, 1), ("all", 31, 95, 2), ("shuffled", 31, 50, 1)],
)
def test_each_level_lies_on_an_honest_curve(played, model, step, level, place):
    stop = played("stop", f"stop.model={model}&stop.step={step}")
    assert numbers(readout(stop))[place] == pytest.approx(level, abs=1 if level == 50 else 0)
    assert bool(stop.locator(".level.hit").count()) == (level != 50)


def test_the_line_is_dragged_and_another_network_chosen(played):
    place = played("stop", width=390)
    place.get_by_role("button", name="no attention").click()
    chart = place.locator(".chart")
    chart.scroll_into_view_if_needed()
    (x, y), box = middle(chart), chart.bounding_box()
    drag(place.page, (x, y), (box["x"] + box["width"] - 2, y))
    assert readout(place).startswith("No attention")
    assert numbers(readout(place))[0] == pytest.approx(165, rel=0.04)


@pytest.mark.parametrize(("model", "step"), [("all", 24), ("all", 34), ("one_step", 34), ("frozen", 700), ("shuffled", 34)])
def test_on_a_phone_its_labels_are_whole(played, model, step):
    chart = played("stop", f"stop.model={model}&stop.step={step}", width=390).locator(".chart")
    box = chart.bounding_box()
    for label in ("known", "new"):
        told = chart.locator("text", has_text=label).bounding_box()
        assert box["x"] <= told["x"]
        assert told["x"] + told["width"] <= box["x"] + box["width"]


# Learnt or luck, in 09_deeper

GUESSED = "luck.guessed=0101"
UNIT = (130 - 24 - 14) / 240  # of the drawing, for a hundredth: chart.js leaves so much of its height


def of_record(run):
    """Return curves as the data have them, from a record."""
    rows = np.array([run["values"], run["values_by_others"]], float)
    return 100 * rows / np.nanmax(np.abs(rows[0]))


def test_the_curves_of_luck_are_those_that_are_recorded():
    """A run of 600 steps differs a little from one processor to another; a bin of a single word does so most."""
    data, second = shipped("luck_data"), recorded("deeper_second")
    shuffled = recorded("deeper_shuffled")["two layers, shuffled labels"]
    of_two = [(data["two layers"]["true"][1], second["two layers"]), *zip(data["two layers"]["shuffled"], shuffled)]
    for curves, run in of_two:
        np.testing.assert_allclose(np.array(curves, float)[:, 4:16], of_record(run)[:, 4:16], atol=6)
    ours = np.array(data["an MLP"]["true"][1][1], float)
    assert np.corrcoef(ours, np.array(second["MLP"]["alone_by_others"], float))[0, 1] > 0.995
    for kind, own, others in ((kind, *run) for models in data.values() for kind, runs in models.items() for run in runs):
        assert np.corrcoef(range(20), own)[0, 1] > 0.95  # by its own reviews nothing shows, and by others true labels do
        rise = others[14] - others[5]  # further out, few words are left to shuffled labels
        assert rise > 55 if kind == "true" else rise < 30


@pytest.mark.parametrize("others", [0, 1])
def test_what_is_drawn_are_the_data(played, others):
    place = played("luck", f"{GUESSED}&luck.others={others}")
    titles = place.locator(".pairs p").all_inner_texts()
    assert titles == ["Two layers", "An MLP", "One layer", "Two layers"]
    models = {name.lower(): runs for name, runs in shipped("luck_data").items()}
    for kind in ("true", "shuffled"):
        for title, path in zip(titles, place.locator(f".chart path.{kind}").all()):
            drawn = heights(path)
            curves = [[each for each in run[others] if each is not None] for run in models[title.lower()][kind]]
            apart = [np.ptp(drawn - UNIT * np.array(run)) for run in curves if len(run) == len(drawn)]
            assert min(apart) < 0.2


def test_four_guesses_then_one_switch(played):
    place = played("luck")
    switch = place.get_by_role("button", name="other reviews")
    assert switch.is_disabled()
    for guess in range(4):
        assert readout(place) == f"Guess {guess + 1} of 4"
        place.locator(".pairs .buttons").nth(guess).get_by_role("button", name="AB"[guess % 2], exact=True).press("Enter")
    right = sum("✓" in text for text in place.locator(".verdict").all_inner_texts())
    assert numbers(readout(place))[:2] == [right, 4]
    switch.click()
    assert "only true labels keep the rise" in readout(place)
    text = place.inner_text()
    place.page.reload()
    assert "only true labels keep the rise" in readout(place)
    assert place.inner_text() == text
    for name in ("New pairs", "Reset"):
        place.get_by_role("button", name=name).click()
        assert readout(place) == "Guess 1 of 4"


# What a step costs, in 11_scale

UNITS = {"days": 86400, "h": 3600, "min": 60, "s": 1, "ms": 1e-3, "µs": 1e-6, "TB": 1e12, "GB": 1e9, "MB": 1e6}
COSTS = ("disk", "preparing", "counts", "embeddings", "network")
NAMES = {"disk": "reading"}
DATA = shipped("cost_data")


def on_paper(machine, millions=5000, tokens=200, words=10**6, dim=64, entry=None, **changed):
    """Return what the package makes of a machine that the page knows, and of numbers as they are typed."""
    known = DATA["machines"][machine] | changed
    share = known.pop("share")
    size = scale.Size(millions * 1e6, 0, DATA["entries"] * tokens * millions * 1e6, words, dim)
    return scale.on_paper(size, scale.Machine(**known), share, entry or DATA["begin"]["entry"], DATA["preparing"])


def quantity(text):
    """Return a number with its unit, as it is said, to half its last digit; a machine has four digits, too."""
    if text == "none":
        return 0
    said, unit = text.split(" ")
    number, digit = float(said.replace(",", "")), 10.0 ** -len(said.partition(".")[2])
    return pytest.approx(number * UNITS[unit], abs=(digit / 2 + 3e-4 * number) * UNITS[unit])


def same(place, found):
    """Check all that is shown against what the package computes."""
    told = readout(place)
    drawn = place.locator(".chart text").all_text_contents()
    drawn.pop(2)  # as much memory as it has
    bars = {name: quantity(words) for name, words in zip(drawn[::2], drawn[1::2], strict=True)}
    assert {NAMES.get(part, part): found[part] for part in ("memory", *COSTS)} == bars
    longest = max(COSTS, key=found.get)
    assert f"the longest part is {NAMES.get(longest, longest)}." in told
    assert found["step"] == quantity(told.removeprefix("A step takes ").split(";")[0])
    assert ("runs out first" in told) == (found["disk"] > 0)
    if np.isfinite(found["enough"]):
        assert found["enough"] in numbers(told)
    return told


@pytest.mark.parametrize("machine", DATA["machines"])
def test_each_machine_costs_what_the_package_computes(played, machine):
    place = played("cost")
    place.get_by_role("button", name=machine, exact=True).click()
    same(place, on_paper(machine))


def test_one_more_machine_holds_all_and_each_then_has_more_than_32_bits_can_number(played):
    enough = on_paper("8 H200")["enough"]
    for name, key, value, says, so in (
        ("units", "units", enough - 1, "Memory holds all counts", False),
        ("units", "units", enough, "Memory holds all counts", True),
        ("units", "units", enough, "so row ends need 64 bits.", True),
        ("texts", "millions", 1000, "64 bits", True),
        ("texts", "millions", 100, "64 bits", False),
        ("dim", "dim", 10**6, "the embeddings alone are too large", True),
    ):
        assert (says in same(played("cost", f"cost.{name}={value}"), on_paper("8 H200", **{key: value}))) == so


def test_numbers_are_typed_and_the_address_keeps_them(played):
    place = played("cost")
    for name, value in (("million texts", "2e3"), ("tokens a text", "1,000"), ("words", "250000"), ("bytes an entry", "8")):
        place.get_by_label(name, exact=True).fill(value)
    place.get_by_label("dimension").press("ArrowUp")
    for _ in range(2):
        same(place, on_paper("8 H200", 2000, 1000, 250_000, 128, 8))
        place.page.reload()


@pytest.mark.parametrize("nonsense", ["", "-3", "many", "1e99", "<b>1</b>"])
def test_what_is_no_number_changes_nothing(played, nonsense):
    place = played("cost", "cost.memory=-5")
    field, before = place.get_by_label("million texts"), same(place, on_paper("8 H200"))
    field.fill(nonsense)
    assert field.get_attribute("aria-invalid") == "true"
    field.blur()
    assert readout(place) == before
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("5,000", None)


# What a head sees, in 12_transformers


def look(word, network, moment, layer, head):
    """Return how much a head looks at a word, over the average, as the data have it."""
    data = shipped("heads_data")
    letter = data["looks"][network][moment][layer][head][data["vocabulary"].index(word)]
    return 2 ** ((ord(letter) - sum(LETTERS) // 2) / FINE)


def test_the_curves_of_heads_are_those_that_are_recorded():
    data, runs = shipped("heads_data"), recorded("heads_tweets") | recorded("deep_heads_tweets")
    assert data["moments"] == runs["moments"]
    assert list(data["curves"]) == list(data["looks"]) == list(NETWORKS)
    for network, curves in data["curves"].items():
        groups = np.array(runs[network]["curves"])
        wanted = groups.reshape(*groups.shape[:3], -1, 2).mean(axis=-1)
        np.testing.assert_allclose(curves, wanted, atol=0.06)  # another processor rounds otherwise
        np.testing.assert_array_less(np.abs(np.log2(curves)), 2.3)  # the picture has no more room
        looks = [head for moment in data["looks"][network] for layer in moment for head in layer]
        assert {len(head) for head in looks} == {len(data["vocabulary"])}


def test_a_u_looks_at_both_sides_and_a_head_on_a_line_at_one():
    assert look("amazing", "free 1", 3, 0, 2) > 4
    assert look("lost", "free 1", 3, 0, 2) > 2
    assert look("amazing", "line 1", 3, 0, 0) > 4
    assert look("lost", "line 1", 3, 0, 0) < 0.25
    assert look("lost", "free 1", 1, 0, 2) < 1.3 < 2.5 < look("amazing", "free 1", 1, 0, 2)  # a tilt on the way


@pytest.mark.parametrize(
    ("network", "layer", "head", "step"), [("free 1", 1, 3, 750), ("line 1", 1, 1, 750), ("free 4", 4, 4, 250)]
)
def test_a_sentence_is_as_large_as_the_head_looks_at_it(played, network, layer, head, step):
    place = played("heads", f"heads.network={network}&heads.layer={layer}&heads.head={head}&heads.step={step}")
    moment = shipped("heads_data")["moments"].index(step)
    spans = place.locator(".reading span").all()
    words = {each.inner_text().lower(): numbers(each.get_attribute("style") or "") for each in spans}
    seen = {word: look(word, network, moment, layer - 1, head - 1) for word in words}
    assert len(seen) == 10
    for word, size in words.items():
        assert (size or [1])[0] == pytest.approx(np.clip(seen[word] ** 0.5, 0.7, 2.2), abs=0.006)
    most = max(seen, key=seen.get)
    assert f"“{most}” {seen[most]:.1f} times" in readout(place)
    wanted = np.log2(shipped("heads_data")["curves"][network][moment][layer - 1][head - 1])
    np.testing.assert_allclose(numbers(place.locator(".chart").get_attribute("aria-label")), 2**wanted, atol=0.051)
    drawn = heights(place.locator("path.chosen").first)
    assert np.ptp(drawn) == pytest.approx(np.ptp(wanted) * (220 - 24 - 14) / 4.6, abs=0.3)


def test_praise_is_blue_and_what_is_rare_is_said_to_be_so(played):
    place = played("heads", "heads.text=Amazing <b>zqx</b>, lost the bag")
    kinds = {each.inner_text(): each.get_attribute("class") for each in place.locator(".reading span").all()}
    assert kinds == {"Amazing": "praise", "b": "unknown", "zqx": "unknown", "lost": "blame", "the": None, "bag": "blame"}
    assert place.locator("b").count() == 0
    assert "Dotted words are not counted." in readout(place)
    place.get_by_role("textbox", name="your own sentence").fill("zqx")
    assert readout(place).endswith("these words are too rare.")


# From a small start, in 12_transformers

SIZES, END, EACH, WAITS, LEFT = (1, 0.1, 0.01, 0.001), 800, 4, 0.68, 0.6


def of_page(tab, size, dim):
    """Return the texts and the start that the page has, as the package takes them."""
    leans, texts, start = tab.evaluate(
        "([size, dim]) => [tokensel.leaning.leans, tokensel.leaning.texts, tokensel.leaning.start(size, dim)]", [size, dim]
    )
    counts = [np.bincount(text["tokens"], minlength=len(leans)) for text in texts]
    corpus = ts.Corpus(counts, [text["label"] for text in texts], [f"w{s}" for s in range(len(leans))])
    return np.array(leans), corpus, ts.Parameters(*(np.array(each, float) for each in (start["E"], start["p"], start["v"][0])))


def followed(leans, corpus, parameters):
    """Return what the package makes of them, every four units of time: the correlations with lean and size, and the loss."""
    rows, loss = [], 1.0
    for _ in range(END // EACH + 1):
        scores, rate = parameters.token_scores, 2 if loss > WAITS else 0.5
        rows.append([np.corrcoef(scores, each)[0, 1] for each in (leans, np.abs(leans))])
        for _ in range(int(EACH / rate)):
            loss, slopes = float(ts.loss(parameters, corpus)), ts.gradients(parameters, corpus)
            parameters = ts.Parameters(*(each - rate * slope for each, slope in zip(parameters, slopes)))
        rows[-1].append(loss)
    return np.array(rows)


def lines(place):
    """Return the two lines of the picture, in its units."""
    settle(place.page)
    return [1.15 - 1.45 * (-heights(place.locator(f"path.{kind}").first) - 14) / (220 - 24 - 14) for kind in ("tilt", "horns")]


@pytest.mark.parametrize(("size", "line"), [(1, 0), (0.01, 0), (0.001, 0), (0.01, 1)])
def test_it_learns_as_the_package_does(played, size, line):
    place = played("start", f"start.size={size}&start.line={line}&start.time=240")
    tilt, horns = lines(place)
    leans, corpus, start = of_page(place.page, size, 1 if line else 8)
    rows = followed(leans, corpus, start)
    np.testing.assert_allclose(tilt, np.abs(rows[:, 0]), atol=0.006)
    np.testing.assert_allclose(horns, rows[:, 1], atol=0.006)
    time, signed, sized, left, later, theory = numbers(readout(place))
    assert (time, signed, sized) == (240, *(pytest.approx(each, abs=0.006) for each in rows[240 // EACH, :2]))
    assert theory == pytest.approx(np.log(1 / size) * 2 / np.linalg.norm(corpus.signed_share()), abs=0.51)
    assert left == EACH * np.flatnonzero(rows[:, 2] < LEFT)[0]
    assert later == pytest.approx(left - theory, abs=1)


def test_a_smaller_start_waits_longer_and_tilts_more_purely_and_a_line_has_no_horns(played):
    leaves, tilts = [], []
    for size in SIZES:
        place = played("start", f"start.size={size}&start.time=800")
        tilt, horns = lines(place)
        leaves.append(numbers(readout(place))[3:5])
        tilts.append(tilt.max())
        assert horns.max() > 0.6
        tilt, horns = lines(played("start", f"start.size={size}&start.line=1"))
        assert tilt[-1] > 0.9
        assert horns.max() < 0.4
    left, later = np.transpose(leaves)
    assert np.diff(left).min() > 80
    assert np.ptp(later[1:]) <= 8  # a constant, whatever the start, if it is small
    assert tilts[0] < 0.35 < 0.9 < tilts[1] < tilts[2] + 0.01
