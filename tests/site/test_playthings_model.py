"""The plane of words and the network that one trains oneself, in 01_model, as a reader meets them: the package's numbers."""

import re

import numpy as np
import pytest
from pages import address_of, assigned, middle, numbers, settle

import tokensel_nb as ts

WORDS, TRAIN = ".tag_plaything-plane .plaything", ".tag_plaything-train .plaything"
SHOWN = 0.0051  # two decimals
DIM, RATE, SEED, LABELS = 64, 4, 1, "1111100000"


@pytest.fixture
def model(chapter):
    """Return a function that opens the chapter in a state."""
    return lambda state="", **window: chapter("01_model", f"#{state}", **window).tab


@pytest.fixture(scope="module")
def five_words():
    """Return the chapter's words, its rows, and a function: scores, values, attention and logit of other rows and p."""
    words, start, p, v = assigned("01_model", "words", "E", "p", "v")
    text = ts.Corpus([[1] * 5], [0], words, ["blame", "praise"], weights=[1])

    def read(rows, p=p):
        given = ts.Parameters(rows, p, v)
        columns = given.token_scores, given.token_values, ts.attention(given, text).toarray()[0]
        return np.stack(columns, axis=1), float(ts.logits(given, text)[0])

    return words, start, read


def table(tab):
    """Return the numbers of the table of words, a row of each."""
    cells = [row.locator("td").all_inner_texts() for row in tab.locator(f"{WORDS} tbody tr").all()]
    return np.array([[numbers(cell)[0] for cell in row] for row in cells])


def test_a_word_has_the_numbers_of_the_package_wherever_it_is_moved(model, five_words):
    words, rows, read = five_words
    tab = model()
    assert tab.locator(f"{WORDS} tbody th").all_inner_texts() == words
    handle = tab.get_by_role("slider", name="bad: arrow keys move it")
    for keys, moved in (((), [0, 0]), (("Shift+ArrowUp",) * 4, [0, 2.0]), (("ArrowRight",), [0.1, 2.0])):
        for key in keys:
            handle.press(key)
        settle(tab)
        wanted, logit = read(rows + np.outer(np.array(words) == "bad", moved))
        np.testing.assert_allclose(table(tab), wanted, atol=SHOWN)
        said = tab.locator(f"{WORDS} .verdict").inner_text()
        assert numbers(said)[0] == pytest.approx(logit, abs=SHOWN)
        assert said.endswith("praise" if logit > 0 else "blame")
    assert handle.get_attribute("aria-valuetext") == "bad at 2.10, 0.50"


@pytest.mark.long
def test_the_query_is_turned_by_a_finger(model, five_words):
    _, rows, read = five_words
    tab = model(width=390)
    tab.locator(f"{WORDS} svg").first.scroll_into_view_if_needed()
    start, target = (middle(tab.get_by_role("slider", name=f"{name}: arrow")) for name in ("p", "truly"))
    page = tab.context.new_cdp_session(tab)
    for kind, points in (("touchStart", [start]), ("touchMove", [target]), ("touchEnd", [])):
        page.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    settle(tab)
    place = numbers(tab.get_by_role("slider", name="p: arrow").get_attribute("aria-valuetext"))
    assert place[1] > 0
    np.testing.assert_allclose(table(tab), read(rows, np.array(place))[0], atol=0.03)  # the place is said in two decimals


@pytest.mark.long
@pytest.mark.parametrize("turned", ["", "plane.p=-1_0.5", "plane.p=0.4_0.2", "plane.bad=-0.6_-1"])
def test_names_lie_over_no_word(model, turned):
    """Where p is turned round, or stands on a word, too."""
    found = (
        model(turned)
        .locator(f"{WORDS} svg")
        .first.evaluate("""(plane) => {
        const box = (each) => each.getBoundingClientRect();
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        const words = [...plane.querySelectorAll(".disc ~ text")];
        const names = [...plane.querySelectorAll("text")].filter((each) => ["seen", "p", "v"].includes(each.textContent));
        const over = words.filter((word) => names.some((name) => meet(box(name), box(word)))).map((word) => word.textContent);
        return [names.length, words.length, over];
    }""")
    )
    assert found == [3, 5, []]


# The network


def press(tab, name):
    tab.locator(TRAIN).get_by_role("button", name=name, exact=True).press("Enter")
    settle(tab)


def sentences(tab):
    return [box.input_value() for box in tab.locator(f"{TRAIN} .sentence input").all()]


def trained(tab, corpus, steps):
    """Return what the package makes of the page's start."""
    rows, p, v = tab.evaluate(
        "([words, dim, seed]) => { const {E, p, v} = tokensel.startOf(words, dim, seed); return [E, p, v[0]]; }",
        [corpus.vocabulary.tolist(), DIM, SEED],
    )
    start = ts.Parameters(*(np.array(each, float) for each in (rows, p, v)))
    assert np.linalg.norm(start.output_vector) == pytest.approx(1)
    assert not start.cls_embedding.any()
    return ts.train(start, corpus, steps, optimizer="gradient descent", learning_rate=RATE).last


def shows(tab, texts, labels, steps):
    """Tell whether the page shows the package's numbers: of each word, of each sentence, and of all."""
    corpus = ts.corpus_from_texts(texts, [int(label) for label in labels], min_count=1)
    network = trained(tab, corpus, steps)
    told = dict(title.split(": ") for title in tab.locator(f"{TRAIN} circle title").all_text_contents())
    assert sorted(told) == corpus.vocabulary.tolist()
    found = np.array([numbers(told[word]) for word in corpus.vocabulary])
    np.testing.assert_allclose(found, np.stack([network.token_values, network.token_scores], axis=1), atol=0.051)
    logits, attention = ts.logits(network, corpus), ts.attention(network, corpus).toarray()
    right = int(((logits > 0) == (corpus.labels == 1)).sum())
    assert f"After {steps} steps: right on {right} of {len(texts)} " in tab.locator(f"{TRAIN} .verdict").inner_text()
    for said, logit, shares, label in zip(tab.locator(f"{TRAIN} .sentence span").all(), logits, attention, corpus.labels):
        mark, share, word = said.inner_text().split()
        assert (mark == "✓") == ((logit > 0) == (label == 1))
        assert shares[corpus.column(word)] == pytest.approx(shares.max())
        assert numbers(share)[0] == pytest.approx(100 * shares.max(), abs=0.51)
    return right


def test_twenty_steps_tell_praise_from_blame(model):
    tab = model()
    texts = sentences(tab)
    assert shows(tab, texts, LABELS, 20) == 10  # as its caption says
    press(tab, "Reset")
    assert "After 0 steps" in tab.locator(f"{TRAIN} .verdict").inner_text()
    for name, steps, kept in (("Run 20", 20, ""), ("Step", 21, "train.steps=21")):
        press(tab, name)
        shows(tab, texts, LABELS, steps)
        assert kept in address_of(tab)
    tab.reload()
    shows(tab, texts, LABELS, 21)


@pytest.mark.long
def test_a_sentence_is_written_and_a_label_flipped_by_keys(model):
    tab = model("train.steps=10")
    texts = sentences(tab)
    tab.get_by_role("textbox", name="sentence 1", exact=True).fill("<b>zqx</b> was / great")
    press(tab, "sentence 6 counts as blame: change that")
    texts[0] = "<b>zqx<  b> was   great"
    for _ in range(2):
        shows(tab, texts, "1111110000", 10)
        assert tab.locator(f"{TRAIN} b").count() == 0
        tab.reload()
    tab.get_by_role("textbox", name="sentence 1", exact=True).fill("!")
    settle(tab)
    assert "of 9 sentences" in tab.locator(f"{TRAIN} .verdict").inner_text()


@pytest.mark.long
def test_shuffled_labels_are_the_same_labels_elsewhere(model):
    tab = model("train.steps=20", width=390)
    texts, seen = sentences(tab), set()
    for _ in range(3):
        press(tab, "Shuffle labels")
        (labels,) = re.findall(r"train\.labels=(\d+)", address_of(tab)) or [LABELS]
        assert sorted(labels) == sorted(LABELS)
        assert "After 0 steps" in tab.locator(f"{TRAIN} .verdict").inner_text()  # a control has learnt from no true label
        press(tab, "Run 20")
        shows(tab, texts, labels, 20)
        seen.add(labels)
    assert len(seen) > 1


@pytest.mark.long
def test_who_wants_nothing_to_move_sees_the_end_at_once(model):
    tab = model("train.steps=0")
    tab.emulate_media(reduced_motion="reduce")
    verdict = tab.locator(f"{TRAIN} .verdict")
    verdict.evaluate("""(verdict) => {
        window.seen = new Set();
        new MutationObserver(() => seen.add(verdict.textContent)).observe(verdict, { childList: true, subtree: true });
    }""")
    press(tab, "Run 20")
    assert tab.evaluate("() => seen.size") <= 2  # the first step and the end, in one picture of the screen
    assert "After 20 steps" in verdict.inner_text()
    tab.emulate_media(reduced_motion="no-preference")
