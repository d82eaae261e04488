"""What every plaything does, a row each: keys move it, it is said aloud, the address keeps it, a button takes it back.

In each of some states, odd ones too, its numbers are those of the package, and it keeps the rules of a page. What one plaything
alone does: test_gestures.py.
"""

import ast
import re
from functools import cache
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from helpers import shipped, unpacked
from notebooks import read
from pages import (
    EVERY_STATE_OF_A_PLAYTHING,
    ROOT,
    address_of,
    assigned,
    holds,
    middle,
    numbers,
    page_of,
    problems,
    settle,
    told,
)

import tokensel_nb as ts
from experiments import playthings, scale
from experiments.curves import KINDS, RUNS
from tokensel_nb.chapters import classes, reviews
from tokensel_nb.chapters.pairs import skews_behind, words_and_pairs
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.synthetic import one_against_many

SHOWN = 0.0051  # two decimals
ANY = np.nan  # in the place of a number that may be what it likes
QUICK = ("plane", "train", "try", "plant")


def rows(table):
    """Return the rows of a table, which begin with a plaything; `make long` tries those that `make test` does not."""
    first = {row[0]: row for row in reversed(table)}
    quick = lambda row: row[0] in QUICK and row is first[row[0]]
    return [
        pytest.param(*row, marks=[] if quick(row) else pytest.mark.long, id=f"{row[0]}-{at}") for at, row in enumerate(table)
    ]


# ---- keys

PARTS = "svg, table, .readout, .verdict, .told, .of-word, button, input"
STATE = """(all) => all.map((each) => each.matches("button") ? each.ariaPressed : each.value ?? each.textContent).join()"""
BACK = re.compile("^(Reset|Back to the start)$")
FIRST, SECOND, SLIDER, PRESSED = "input >> nth=0", "input >> nth=1", "[role=slider]", "[aria-pressed=true]"


def button(name):
    """Name a button of a plaything, as a selector: of several that can be pressed, the last."""
    return f"button:enabled:text-is('{name}') >> nth=-1"


# Plaything, what is pressed and by which keys, what it then says, and what the address then has.
PLAYED = [
    ("plane", [("[aria-label^='bad: ']", "Shift+ArrowUp ArrowRight")], "logit −0.65: blame", "plane.bad=2.1_-1"),
    ("train", [(button("Step"), "Enter")], "After 21 steps", "train.steps=21"),
    ("step", [(button("▼ a bad story"), "Enter"), (button("Another start"), "Enter")], "bad: value", "step.seed=2"),
    ("flow", [("[aria-label^='the query']", "Shift+ArrowUp " * 3)], "4 of 4", "flow.p=5_3.5"),
    ("seesaw", [(button("great"), "Enter")], "all blame sinks", "seesaw.tapped=great"),
    ("map", [("[type=range]", "Home"), (button("5"), "Enter")], "worst: ", "map.step=5"),
    ("not", [("[type=range]", "ArrowLeft"), (button("Reveal"), "Enter")], "not good", "not.seen=1"),
    ("plant", [(FIRST, "ArrowRight ArrowRight"), (SECOND, "ArrowRight")], "40 bad and 1 good", "plant.bad=40"),
    ("stop", [(".chart", "ArrowRight ArrowRight ArrowRight")], "learns from", "stop.step="),
    ("lean", [(button("rare"), "Enter"), (SLIDER, "ArrowRight")], "worst", "lean.yaw=-10"),
    ("luck", [(button(name), "Enter") for name in ("A", "B", "B", "A", "other reviews")], "keep the rise", "luck.others=1"),
    ("lose", [(PRESSED, "ArrowRight"), (PRESSED, "ArrowDown")], "step 32, start 6", "lose.start=6"),
    ("cost", [("[type=range]", "End"), (FIRST, "ArrowUp")], "A step takes", "cost.units=1000"),
    ("heads", [("[type=range]", "ArrowLeft"), (button("2 layers"), "Enter"), (button("4"), "Enter")], "head 4", "free+2"),
    ("start", [(button("0.001"), "Enter"), ("[type=range]", "End")], "Time 800: horns", "start.size=0.001"),
]


@pytest.mark.parametrize(("name", "presses", "says", "kept"), rows(PLAYED))
def test_keys_move_it_the_address_keeps_it_and_a_button_takes_it_back(play, name, presses, says, kept):
    place = play(name)
    tab = place.page
    shown = lambda: settle(tab) or place.locator(PARTS).evaluate_all(STATE)
    first = shown()
    assert "#" not in address_of(tab)
    for selector, keys in presses:
        for key in keys.split():
            place.locator(selector).first.press(key)
            settle(tab)  # no hand is faster than the screen
    moved = shown()
    address = address_of(tab)
    assert says in moved
    assert told(place, "output") == told(place, "[type=range]@aria-valuetext")
    assert kept in address
    assert place.get_by_role("status").first.text_content()
    tab.reload()
    assert shown() == moved
    back = place.get_by_role("button", name=BACK)
    if back.count() and name != "train":  # which begins trained, and goes back to its start
        back.click()
        assert shown() == first
        assert kept not in address_of(tab)
    tab.evaluate("(address) => { location.href = address; }", address)
    assert shown() == moved


# ---- numbers: what a plaything shows in a state, by the package. Each yields the part that shows it (@: an attribute), what is
# said there, or the numbers, and how far off they may be.


def words_in_the_plane(tab, **places):
    words, start, p, v = assigned("01_model", "words", "E", "p", "v")
    moved = {name: np.array(place.split("_"), float) for name, place in places.items()}
    model = ts.Parameters(np.array([moved.get(word, row) for word, row in zip(words, start)]), moved.get("p", p), v)
    text = ts.Corpus([[1] * 5], [0], words, ["blame", "praise"], weights=[1])
    logit = float(ts.logits(model, text)[0])
    shown = [model.token_scores, model.token_values, ts.attention(model, text).toarray()[0]]
    yield "tbody td", np.ravel(shown, "F"), SHOWN
    yield ".verdict", [logit], SHOWN
    yield ".verdict", "praise" if logit > 0 else "blame"


def network(tab, labels="1111100000", steps=20):
    texts = tab.locator(".sentence input").evaluate_all("(all) => all.map((each) => each.value)")
    corpus = ts.corpus_from_texts(texts, [int(label) for label in labels], min_count=1)
    order = list(dict.fromkeys(re.findall(r"\w\w+", " ".join(texts))))
    columns = [corpus.column(word) for word in order]
    rows, p, (v,) = tab.evaluate("(w) => (({ E, p, v }) => [E, p, v])(tokensel.startOf(w, 64, 1))", corpus.vocabulary.tolist())
    start = ts.Parameters(*(np.array(each, float) for each in (rows, p, v)))
    model = ts.train(start, corpus, int(steps), optimizer="gradient descent", learning_rate=4).last
    yield "circle title", np.column_stack([model.token_values, model.token_scores])[columns].ravel(), 0.051
    right = int(((ts.logits(model, corpus) > 0) == (corpus.labels == 1)).sum())
    yield ".verdict", f"After {steps} steps: right on {right} of {len(texts)} "
    yield ".sentence span", 100 * ts.attention(model, corpus).toarray().max(axis=1), 0.51


def review(tab, text="The story is slow, but the music is wonderful.", step=20):
    words, data = shipped("words"), shipped("reviews")
    stage = data["stages"].index(int(step))
    scores, values = (unpacked(data[key][stage]) for key in ("scores", "values"))
    model = ts.Parameters(np.stack([scores, values], axis=1), np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    corpus = ts.corpus_from_texts([text], [1], vocabulary=words, class_names=["blame", "praise"])
    attention = (ts.attention(model, corpus).toarray()[0] / np.maximum(corpus.counts.toarray()[0], 1)).tolist()
    known = [words.index(word) for word in re.findall(r"\w+", text.lower()) if word in words]
    yield "textarea@value", text
    yield ".word@title", np.ravel([[100 * attention[s], values[s]] for s in known]), np.tile([0.51, 0.006], len(known))
    (logit,) = ts.logits(model, corpus)
    yield ".verdict", f"Logit {logit:+.2f}".replace("-", "−")


@cache
def imdb():
    return ts.load_imdb()


def step_on_the_query(tab, first, price, query, word):
    values, scores = ts.predicted_values(imdb(), first), ts.predicted_scores(imdb(), first, 1.0)
    cost = (imdb().signs * (imdb().shares @ values)).mean() / 2 * imdb().shares.mean(axis=0)
    free, at = scores + cost, imdb().column(word)
    found = np.array([scores[at] if price else free[at], cost[at]]) / free[imdb().column("bad")]
    yield ".readout", [1e4 * imdb().signed_share()[at], values[at], *found], 0.0051 + 0.005 * np.abs([9, values[at], *found])


def ten_sentences(tab, size, turned, labels="1111100000"):
    texts = tab.locator(".sentences button").evaluate_all("(all) => all.map((each) => each.textContent.slice(2))")
    corpus = ts.corpus_from_texts(texts, [int(label) for label in labels], min_count=1)
    start = tab.evaluate("(w) => (({ E, p, v: [v] }) => [E, p, v])(tokensel.startOf(w, 2048, 1))", corpus.vocabulary.tolist())
    after = ts.embedding_step(ts.Parameters(*(np.array(each) for each in start)), corpus, float(size))
    bad, share = corpus.column("bad"), corpus.signed_share()
    yield ".readout", [10 * share[bad], share[bad], after.token_values[bad]], SHOWN


def first_step(tab, show, eta=3_000, d=2048, word="bad"):
    share, draw, column = imdb().signed_share(), playthings.first_step()["draw"], imdb().column(word)
    eta, d = int(eta), int(d)
    start = ts.Parameters((draw / np.sqrt(d))[:, None], np.zeros(1), np.ones(1))
    values = (ts.embedding_step(start, imdb(), eta) if eta else start).token_values
    told = np.array([1e4 * share[column], values[column], eta / 2 * share[column], start.token_values[column]])
    if show == "luck":
        common = np.argsort(imdb().counts.sum(axis=0), kind="stable")[::-1][:500]
        heard = np.abs(eta / 2 * share) > d**-0.5
        yield ".readout", [*told[:2], 100 * heard[common].mean(), 500, 100 * heard.mean()], 0.51
    else:
        yield ".readout", [*told, np.corrcoef(values, share)[0, 1]], [*(1e-4 + 0.005 * np.abs(told)), 0.002]


def one_step(tab, show, **state):
    if show == "tilt":
        return step_on_the_query(tab, **state)
    return ten_sentences(tab, **state) if show == "line" else first_step(tab, show, **state)


def a_query_on_a_map(tab, show, p="5_-4", length=0):
    _, plane, _, small, two, second = assigned("03_flow", "texts", "plane", "rows", "small", "two", "second")
    corpus, model = (two, second) if show == "miss" else (plane, small)
    model = model._replace(cls_embedding=np.array(p.split("_"), float))
    if length:
        model = model._replace(cls_embedding=ts.gradient_flow(model, corpus, float(length), records=2).cls_embedding)
    if show == "miss":
        selects = ts.gradient_flow(model, corpus, 100.0, records=2).leads(model.embeddings, [[1, 2]])[-1, 0] > 0
        yield ".readout", "selects both words" if selects else "misses “bad”"
        return
    leads, size = model.token_scores[[0, 0, 1, 1]] - model.token_scores[[2, 3, 2, 3]], np.linalg.norm(model.cls_embedding)
    if show == "leads":
        yield ".number", leads, 0.051
        yield "i@style", 100 * ts.attention(model, corpus).toarray()[range(4), [0, 0, 1, 1]], 0.1
    if show == "star":
        yield ".readout", [size, leads.min()], SHOWN
    if show == "race":
        yield ".readout", [leads.min() / size, ts.max_margin(model.embeddings, corpus).margin], SHOWN


def sleep_of_dull(tab, show="depth", k=3, kappa=0.7, time=0, others=60):
    """The whole corpus of the chapter, for any number of rivals; dull starts far below."""
    notch = np.log(10)
    relevant = np.eye(k + 1, dtype=int)[[*range(k), *[k] * k]]
    corpus = ts.Corpus(
        np.hstack([relevant, np.ones((2 * k, others), int)]), [1] * k + [-1] * k, [*map(str, range(k + 1 + others))]
    )
    size = np.sqrt(kappa / (1 - 1 / k)) if k > 1 else 1
    model = ts.rows_with_values(np.r_[[size / k] * k, -size, np.zeros(others)])
    model = model._replace(cls_embedding=-2.6 * notch * np.eye(len(model.cls_embedding))[k])
    path = ts.gradient_flow(model, corpus, 200.0, records=1_000)
    tenfolds, depth = path.log_times / notch, -path.leads(model.embeddings, [[k, -1]])[:, 0] / notch
    if show == "ladder":
        yield ".readout", np.interp([time], tenfolds, depth), 0.06
        return
    woken, border = tenfolds[depth < 0], 1 + 2 * k / others
    measured = (tenfolds > 4.5) & (tenfolds < min([*woken[:1] - 4, 13]))
    sinks = [np.polyfit(tenfolds[measured], depth[measured], 1)[0]] if measured.any() else []
    wanted = [ts.competition(model.token_values, corpus)[k], border, *sinks]
    yield ".readout", wanted, [0.006, 0.006, *[0.012] * len(sinks)]
    power = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(each)] for tenfolds in woken[:1] for each in f"{tenfolds:.0f}")
    yield ".readout", f"wakes near 10{power}" if power else "sleeps on"


@cache
def trained():
    return imdb().split(reviews.HELD_OUT, seed=0)[0], playthings.trained_words((5,))


def word_on_the_map(tab, step=150, word="worst", least=1_000):
    corpus, found = trained()
    column = corpus.column(word)
    value, score = found["values"][0][column], found["scores"][0][column]
    wanted = [value, score, *found["counts"][:, column], corpus.label_skew()[column]]
    yield ".of-word", f"{word}: "
    yield ".of-word", wanted, [0.008, 0.008, 0, 0, 0.006]
    common = (corpus.counts.sum(axis=0) >= int(least)).sum()
    yield "[type=range]@aria-valuetext", [int(least), common], 0


def landing_of_not(tab, word, seen=1, guess=0):
    found = skews_behind(ts.load_imdb(tokenizer=words_and_pairs), "not")
    slope, level = np.polyfit(found["elsewhere"], found["behind"], 1, w=np.sqrt(found["often"]))
    alone, after = (found[kind][found["words"].index(word)] for kind in ("elsewhere", "behind"))
    yield ".verdict", [after, float(guess), -alone, len(found["words"]), level + slope * alone], 0.0101


def planted_list(tab, bad=20, good=0, shuffle=0):
    data = shipped("plant_data")
    run = data["shuffled"][shuffle - 1] if shuffle else data["runs"][f"{bad} {good}"]
    rows, mark = [*enumerate(run["first"], 1)], run.get("mark")
    if mark and mark["place"] > len(rows):
        rows.append((mark["place"], mark["row"]))
    yield "tbody th", " ".join(row[0] for _, row in rows)
    yield ".place", [at for at, _ in rows], 0
    yield "[role=img]@aria-label", [row[-1] for _, row in rows], SHOWN
    yield "i@style", [100 * row[-1] for _, row in rows], 0.1
    yield ".count", np.ravel([[round(row[3] * row[1]), row[1]] for _, row in rows]), 0
    if mark:
        yield ".readout", [ANY, ANY, mark["place"], mark["row"][-1]], SHOWN
        yield ".readout", ", named." if mark["row"][-1] > 0.5 else "not named."


def where_one_stops(tab, model="all", step=8):
    runs = recorded("ablations_sides")[model]["runs"][:RUNS]
    (said, *_) = numbers(tab.locator(".tag_plaything-stop .readout").inner_text())
    right = [100 * np.mean([np.interp(said, run["steps"], run[KINDS[kind]]) for run in runs]) for kind in ("new", "own")]
    yield ".readout", [int(step), *right], [0.04 * int(step), 0.6, 0.6]  # the line stands at steps that differ by some percent
    down = lambda percent: 290 - 42 - (290 - 42 - 14) * (percent - 45) / 55
    yield "circle@cy", [down(each) for each in right], 2.5


def word_in_space(tab, step="Adam", word="worst"):
    corpus, _ = classes.film_reviews()
    start = ts.init_parameters(corpus.vocab_size, classes.DIM, 0, num_classes=4)
    moves = corpus.signed_share() if step == "plain" else ts.adam_values(start, corpus, 0.01) - start.token_values
    column = corpus.column(word)
    far = np.linalg.norm(moves[column]) / np.linalg.norm(moves[corpus.column("the")])
    wanted = [corpus.counts[:, [column]].sum(), far, *ts.class_profile(corpus)[column]]
    yield ".of-word", wanted, [0, 0.01 * far + 0.001, *[0.011] * 4]


def curves_of_luck(tab, guessed="0101", others=0):
    """As the page draws them from the data: a draw says which runs are shown, and where the one with true labels stands."""
    draws = tab.evaluate("() => ((next) => Array.from({ length: 2 }, () => Math.floor(3 * next())))(tokensel.mulberry(1))")
    data = [*shipped("luck_data").values()]
    for kind, first in zip(("true", "shuffled"), draws):
        shown = [data[(k + 1) % 3][kind][(first + k // 3) % 3][int(others)] for k in range(4)]
        heights = [106 - 84 * (np.clip(each / 100, -1.2, 1.2) + 1.2) / 2.4 for run in shown for each in run if each is not None]
        yield f".chart path.{kind}@d", np.column_stack([np.full(len(heights), ANY), heights]).ravel(), 0.06


def ends(step, start, length=1_500):
    """Say what becomes of a run within a length."""
    corpus = one_against_many(32, 11, 4, 4, seed=10)
    begin = ts.limit_parameters(corpus, int(step))
    begin = begin._replace(embeddings=begin.embeddings.round(12), cls_embedding=int(start) * begin.output_vector)
    query = ts.gradient_flow(begin, corpus, length, records=8, tolerance=1e-5).cls_embedding
    scores = begin.embeddings @ query
    if ts.selection_certificate(begin, corpus).room(query) > 0:
        return "Certified"
    return "Lost" if scores[4] < scores[5:].max() else "Undecided"


def end_of_a_run(tab, step=28, start=9):
    end = ends(step, start)
    yield ".verdict", end
    if end == "Certified":  # just from the length on that is said; a path is looked at in steps of an eighth
        length = numbers(tab.locator(".tag_plaything-lose .verdict").inner_text())[0]
        assert ends(step, start, length) == "Certified" != ends(step, start, 0.88 * (length - 1))


def quantity(value, units):
    size, name = next((each for each in units if value >= 2 * each[0]), units[-1])
    return f"{value / size:,.{int(value < 10 * size)}f} {name}" if value else "none"


BYTES = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB")]
TIMES = [(86400, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")]


def cost_on_paper(tab, texts=5_000, tokens=200, words=10**6, dim=64, machine="8 H200", **changed):
    data = shipped("cost_data")
    known = data["machines"][machine] | {name: int(value) for name, value in changed.items()}
    share, texts = known.pop("share"), 1e6 * float(texts)
    size = scale.Size(texts, data["entries"] * int(tokens) * texts, int(words), int(dim))
    found = scale.on_paper(size, scale.Machine(**known), share, data["begin"]["entry"], data["preparing"])
    parts = {"reading": found["disk"]} | {key: found[key] for key in ("preparing", "counts", "embeddings", "network")}
    yield ".readout", f"A step takes {quantity(found['step'], TIMES)}; the longest part is {max(parts, key=parts.get)}."
    enough, entries = found["enough"], size.entries / known["units"]
    few = f"{enough:,.0f} of these" if np.isfinite(enough) else "the embeddings alone are too large"
    yield ".readout", f"; {enough:,.0f} would do" if enough <= known["units"] else few
    yield ".chart text", f"memory {quantity(found['memory'], BYTES)} "
    yield ".chart text", " ".join(f"{name} {quantity(seconds, TIMES)}" for name, seconds in parts.items())
    yield ".readout", "64 bits." if entries >= 2**31 else "."


def look_of_a_head(tab, network="free 1", layer=1, head=3, step=750):
    data = shipped("heads_data")
    here = data["moments"].index(int(step)), int(layer) - 1, int(head) - 1
    looks, curve = data["looks"][network][here[0]][here[1]][here[2]], recorded_heads(network)[here]
    words = re.findall(r"\w+", "thanks for the amazing flight but you lost my bag")
    seen = {word: 2 ** ((ord(looks[data["vocabulary"].index(word)]) - 110) / playthings.FINE) for word in words}
    yield ".reading span@style", [np.clip(each**0.5, 0.7, 2.2) for each in seen.values()], 0.006
    most = max(seen, key=seen.get)
    yield ".readout", f"“{most}” {seen[most]:.1f} times"
    yield ".chart@aria-label", curve, 0.11
    drawn = 196 - 182 * (np.log2(curve) + 2.3) / 4.6
    yield "path.chosen@d", np.column_stack([30 + 276 / 9 * np.arange(10), drawn]).ravel(), 4


def recorded_heads(network):
    """The attention to ten groups of words: moment, layer, head, group."""
    groups = np.array((recorded("heads_tweets") | recorded("deep_heads_tweets"))[network]["curves"])
    return groups.reshape(*groups.shape[:3], -1, 2).mean(axis=-1)


def from_a_small_start(tab, size=0.01, line=0, time=360):
    """Gradient descent from the start and on the texts that the page has; a row for every four units of time."""
    leans, texts, start = tab.evaluate(
        "([size, dim]) => (({ leans, texts, start }) => [leans, texts, start(size, dim)])(tokensel.leaning)",
        [float(size), 1 if int(line) else 8],
    )
    counts = [np.bincount(text["tokens"], minlength=len(leans)) for text in texts]
    corpus = ts.Corpus(counts, [text["label"] for text in texts], [f"w{s}" for s in range(len(leans))])
    model = ts.Parameters(*(np.array(each, float) for each in (start["E"], start["p"], start["v"][0])))
    rows, loss = [], 1.0
    for _ in range(201):
        rate = 2 if loss > 0.68 else 0.5
        correlations = [np.corrcoef(model.token_scores, each)[0, 1] for each in (leans, np.abs(leans))]
        for _ in range(int(4 / rate)):
            loss, slopes = float(ts.loss(model, corpus)), ts.gradients(model, corpus)
            model = ts.Parameters(*(each - rate * slope for each, slope in zip(model, slopes)))
        rows.append([*correlations, loss])
    tilt, horns, losses = np.transpose(rows)
    for kind, heights in (("tilt", np.abs(tilt)), ("horns", horns)):
        drawn = [30 + 276 * np.arange(201) / 200, 196 - 182 * (heights + 0.3) / 1.45]
        yield f"path.{kind}@d", np.ravel(drawn, "F"), 0.8
    at, theory = int(time) // 4, np.log(1 / float(size)) * 2 / np.linalg.norm(corpus.signed_share())
    left = 4 * np.flatnonzero(losses < 0.6)[0]
    yield ".readout", [int(time), tilt[at], horns[at], left, left - theory, theory], [0, 0.006, 0.006, 0, 0.51, 0.51]


HARMFUL = "<b onclick='x'>dull</b> & <img src=x onerror=alert(1)> % wonderful"
# Plaything, its numbers, and states: of each, what differs from the start.
STATES = {
    "plane": (words_in_the_plane, [{}, {"bad": "2.1_0.5"}, {"p": "-1_0.5"}]),
    "train": (network, [{}, {"steps": 21}, {"labels": "0111010010"}]),
    "try": (
        review,
        [{}, {"text": "Not a BAD film: zzyzx quux, dull dull but wonderful!", "step": 150}, {"text": HARMFUL, "step": 5}],
    ),
    "step": (
        one_step,
        [
            *({"show": "reviews"}, {"show": "reviews", "eta": 300, "d": 16}, {"show": "reviews", "eta": 0}, {"show": "luck"}),
            *({"show": "line", "size": 3, "turned": 1}, {"show": "line", "size": 2, "turned": 1, "labels": "0111100001"}),
            *({"show": "tilt", "query": 1, "word": "the", "first": first, "price": 1} for first in (100, 3_000)),
            {"show": "tilt", "query": 1, "word": "great", "first": 300, "price": 0},
        ],
    ),
    "flow": (
        a_query_on_a_map,
        [
            *({"show": "leads", "length": 3}, {"show": "leads", "p": "-6_-4", "length": 8.5}, {"show": "star", "p": "0.3_0.9"}),
            *({"show": "race", "p": "7_1", "length": 60}, {"show": "miss", "p": "8_0"}, {"show": "miss", "p": "4_0"}),
        ],
    ),
    "seesaw": (
        sleep_of_dull,
        [{"show": "depth"}, {"show": "depth", "kappa": 1.3}, {"show": "depth", "k": 1}, {"show": "ladder", "k": 2, "time": 8}],
    ),
    "map": (word_on_the_map, [{"step": 5}, {"step": 5, "word": "and", "least": 18}, {"step": 5, "word": "excellent"}]),
    "not": (landing_of_not, [{"word": "good", "seen": 1}, {"word": "recommended", "seen": 1, "guess": -0.7}]),
    "plant": (planted_list, [{"bad": 60}, {}, {"bad": 0}, {"bad": 30, "good": 1}, {"shuffle": 2}]),
    "stop": (where_one_stops, [{"step": 22}, {"model": "one_step", "step": 540}, {"model": "bag", "step": 145}]),
    "lean": (word_in_space, [{"word": "wonderful"}, {"step": "plain", "word": "engaging"}]),
    "luck": (curves_of_luck, [{"guessed": "0101"}, {"guessed": "0101", "others": 1}]),
    "lose": (end_of_a_run, [{}, {"step": 8, "start": 12}, {"step": 40, "start": 0}, {"step": 32, "start": 12}]),
    "cost": (cost_on_paper, [{}, {"units": 1000}, {"texts": 1000}, {"texts": 100}, {"dim": 10**6}, {"words": 250_000}]),
    "heads": (
        look_of_a_head,
        [{}, {"network": "line 1", "head": 1}, {"network": "free 4", "layer": 4, "head": 4, "step": 250}],
    ),
    "start": (from_a_small_start, [{}, {"size": 1}, {"size": 0.001, "time": 240}, {"line": 1, "time": 240}]),
}


def keeps_the_rules_on_a_phone(opened):
    opened.tab.set_viewport_size({"width": 360, "height": 800})
    opened.tab.emulate_media(color_scheme="dark")
    opened.tab.reload()
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []


@pytest.mark.parametrize(("name", "state"), rows([(name, state) for name, (_, states) in STATES.items() for state in states]))
def test_its_numbers_are_the_package_s(visit, name, state):
    opened = visit(page_of(name), fragment="#" + urlencode({f"{name}.{key}": value for key, value in state.items()}))
    holds(opened.tab.locator(f"[class*=plaything-{name}] .plaything"), STATES[name][0](opened.tab, **state))
    keeps_the_rules_on_a_phone(opened)


ODD = [
    ("plane", "plane.p=0_0&plane.v=nonsense"),
    ("flow", "flow.p=99_99&flow.length=-1&seesaw.kappa=9&seesaw.k=8"),
    ("map", "map.step=1&map.least=18&map.word=inclusion&map.labels=shuffled"),
    ("lose", "lose.step=7&lose.start=nowhere"),
    ("cost", "cost.texts=0.025&cost.memory=-5"),
    ("heads", f"heads.text=zqx {quote(HARMFUL)} " + "zqx" * 30),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "state"), ODD)
def test_odd_states_break_no_rule(visit, name, state):
    keeps_the_rules_on_a_phone(visit(page_of(name), fragment=f"#{state}"))


# ---- what a reader writes, exchanges and drags: the numbers follow


@pytest.mark.long
def test_the_query_is_turned_by_a_finger(play):
    place = play("plane", width=390)
    place.locator("svg").first.scroll_into_view_if_needed()
    start, target = (middle(place.get_by_role("slider", name=f"{name}: arrow")) for name in ("p", "truly"))
    page = place.page.context.new_cdp_session(place.page)
    for kind, points in (("touchStart", [start]), ("touchMove", [target]), ("touchEnd", [])):
        page.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    settle(place.page)
    (p,) = re.findall(r"plane\.p=([^&]+)", address_of(place.page))
    assert numbers(p)[0] > 0.8
    ((_, shown, _), *_) = words_in_the_plane(place.page, p=p)
    holds(place, [("tbody td", shown, 0.03)])  # the place is kept in two decimals


@pytest.mark.long
def test_a_sentence_is_written_and_labels_are_flipped_and_shuffled(play):
    place = play("train", "train.steps=10")
    press = lambda name: place.get_by_role("button", name=name, exact=True).press("Enter")
    place.get_by_role("textbox", name="sentence 1", exact=True).fill(HARMFUL.replace("/", " "))
    press("sentence 1 counts as praise: change that")
    press("sentence 6 counts as blame: change that")
    holds(place, network(place.page, "0111110000", 10))
    for _ in range(20):
        press("Shuffle labels")
        settle(place.page)
        (labels,) = re.findall(r"train\.labels=(\d+)", address_of(place.page))
        assert labels.count("1") == 5
        assert labels[:5].count("1") in (2, 3)  # neither nearly the true labels, nor nearly their opposites
    assert "After 0 steps" in told(place, ".verdict")  # a control has learnt from no true label


@pytest.mark.long
def test_a_word_of_a_review_is_exchanged_by_keys_and_by_a_finger(chapter):
    opened = chapter("01_model", width=390, has_touch=True)
    place, text = opened.tab.locator(".tag_plaything-try .plaything"), "The film was not bad."
    place.get_by_role("button", name="not bad").tap()
    place.locator(".word", has_text="bad").tap()
    place.get_by_text("All numbers").tap()
    place.locator("tbody tr").first.wait_for()
    assert problems(opened, EVERY_STATE_OF_A_PLAYTHING) == []
    parts = np.array([numbers(row)[-1] for row in place.locator("tbody tr").all_inner_texts()])
    assert parts.sum() == pytest.approx(numbers(told(place, ".verdict"))[-2], abs=0.03)
    place.get_by_role("textbox", name="the word").fill("Perfect")
    holds(place, review(opened.tab, text.replace("bad", "Perfect")))
    place.get_by_role("button", name="leave it out").press("Enter")
    holds(place, review(opened.tab, text.replace(" bad", "")))
    place.page.keyboard.press("Escape")
    assert not place.locator(".panel").is_visible()


def test_chapter_1_quotes_the_same_numbers():
    (cell,) = (cell.source for cell in read(ROOT / "book" / "01_model.ipynb").cells if "trained = {" in cell.source)
    words, data = shipped("words"), shipped("reviews")
    found = [unpacked(data[kind][data["stages"].index(20)]) for kind in ("scores", "values")]
    for word, quoted in ast.literal_eval(re.search(r"trained = (\{.*?\n\})", cell, re.DOTALL)[1]).items():
        assert (np.abs(np.subtract(quoted, [each[words.index(word)] for each in found])) <= [0.006, 0.06]).all(), word
