"""The network that one trains oneself, in 01_model, as a reader meets it; its numbers are those of the package."""

import re

import numpy as np
import pages
import pytest

import tokensel_nb as ts

PLAYTHING = ".tag_plaything-train .plaything"
DIM, RATE, SEED, MOST = 64, 4, 1, 200
LABELS = "1111100000"


@pytest.fixture
def chapter(visit, site):
    """Return a function that opens 01_model."""
    return lambda **window: visit(site / "book" / "01_model.html", **window)


def sentences(tab):
    """Return the sentences in their boxes."""
    return [box.input_value() for box in tab.locator(f"{PLAYTHING} .sentence input").all()]


def trained(tab, texts, labels, steps):
    """Return the corpus of some sentences and what the package makes of the page's start."""
    corpus = ts.corpus_from_texts(texts, [int(label) for label in labels], min_count=1)
    words = corpus.vocabulary.tolist()
    rows, p, v = tab.evaluate(
        "([words, dim, seed]) => { const {E, p, v} = tokensel.startOf(words, dim, seed); return [E, p, v[0]]; }",
        [words, DIM, SEED],
    )
    arrays = [np.array(each, float) for each in (rows, p, v)]
    assert np.linalg.norm(arrays[2]) == pytest.approx(1)
    assert not arrays[1].any()
    for _ in range(steps):
        slopes = ts.gradients(ts.Parameters(*arrays), corpus).arrays().values()
        arrays = [each - RATE * slope for each, slope in zip(arrays, slopes)]
    return corpus, ts.Parameters(*arrays)


def shows(tab, texts, labels, steps):
    """Tell whether the page shows the package's numbers: of each word, of each sentence, and of all."""
    corpus, network = trained(tab, texts, labels, steps)
    told = dict(title.split(": ") for title in tab.locator(f"{PLAYTHING} circle title").all_text_contents())
    assert sorted(told) == corpus.vocabulary.tolist()
    found = np.array([pages.numbers(told[word]) for word in corpus.vocabulary])
    np.testing.assert_allclose(found, np.stack([network.token_values, network.token_scores], axis=1), atol=0.051)
    logits, attention = ts.logits(network, corpus), ts.attention(network, corpus).toarray()
    right = int(((logits > 0) == (corpus.labels == 1)).sum())
    assert f"After {steps} steps: right on {right} of {len(texts)} " in tab.locator(f"{PLAYTHING} .verdict").inner_text()
    for said, logit, shares, label in zip(tab.locator(f"{PLAYTHING} .sentence span").all(), logits, attention, corpus.labels):
        mark, share, word = said.inner_text().split()
        assert (mark == "✓") == ((logit > 0) == (label == 1))
        assert shares[corpus.column(word)] == pytest.approx(shares.max())
        assert pages.numbers(share)[0] == pytest.approx(100 * shares.max(), abs=0.51)
    return right


def test_twenty_steps_tell_praise_from_blame(chapter):
    opened = chapter()
    tab = opened.tab
    texts = sentences(tab)
    assert shows(tab, texts, LABELS, 20) == 10  # as its caption says
    tab.get_by_role("button", name="Reset").click()
    pages.settle(tab)
    assert "After 0 steps" in tab.locator(f"{PLAYTHING} .verdict").inner_text()
    assert "train.steps=0" in pages.address_of(tab)
    tab.get_by_role("button", name="Run 20").click()
    pages.settle(tab)
    assert shows(tab, texts, LABELS, 20) == 10
    assert "train" not in pages.address_of(tab)
    tab.get_by_role("button", name="Step", exact=True).click()
    pages.settle(tab)
    shows(tab, texts, LABELS, 21)
    assert "train.steps=21" in pages.address_of(tab)
    tab.reload()
    shows(tab, texts, LABELS, 21)
    assert opened.errors == []


def test_a_sentence_is_written_and_a_label_flipped_by_keys(chapter):
    tab = chapter(fragment="#train.steps=10").tab
    texts = sentences(tab)
    box = tab.get_by_role("textbox", name="sentence 1", exact=True)
    box.fill("<b>zqx</b> was / great")
    flip = tab.get_by_role("button", name="sentence 6 counts as blame: change that")
    flip.press("Enter")
    pages.settle(tab)
    texts[0] = "<b>zqx<  b> was   great"
    shows(tab, texts, "1111110000", 10)
    assert tab.locator(f"{PLAYTHING} b").count() == 0
    assert tab.get_by_role("button", name="sentence 6 counts as praise").count() == 1
    tab.reload()
    shows(tab, texts, "1111110000", 10)
    box.fill("!")
    pages.settle(tab)
    assert "of 9 sentences" in tab.locator(f"{PLAYTHING} .verdict").inner_text()


def test_shuffled_labels_are_the_same_labels_elsewhere(chapter):
    tab = chapter(width=390, fragment="#train.steps=20").tab
    texts, seen = sentences(tab), set()
    for _ in range(3):
        tab.get_by_role("button", name="Shuffle labels").click()
        pages.settle(tab)
        (labels,) = re.findall(r"train\.labels=(\d+)", pages.address_of(tab)) or [LABELS]
        assert sorted(labels) == sorted(LABELS)
        assert "After 0 steps" in tab.locator(f"{PLAYTHING} .verdict").inner_text()  # a control has learnt from no true label
        tab.get_by_role("button", name="Run 20").click()
        pages.settle(tab)
        shows(tab, texts, labels, 20)
        seen.add(labels)
    assert len(seen) > 1


def test_who_wants_nothing_to_move_sees_the_end_at_once(chapter):
    tab = chapter().tab
    tab.emulate_media(reduced_motion="reduce")
    tab.get_by_role("button", name="Reset").click()
    pages.settle(tab)
    verdict = tab.locator(f"{PLAYTHING} .verdict")
    verdict.evaluate("""(verdict) => {
        window.seen = new Set();
        new MutationObserver(() => seen.add(verdict.textContent)).observe(verdict, { childList: true, subtree: true });
    }""")
    tab.get_by_role("button", name="Run 20").click()
    pages.settle(tab)
    assert tab.evaluate("() => seen.size") <= 2  # the first step and the end, in one picture of the screen
    assert "After 20 steps" in verdict.inner_text()
    tab.emulate_media(reduced_motion="no-preference")


def test_the_drawing_says_what_is_seen_and_no_number_of_steps_is_too_large(chapter):
    tab = chapter(fragment="#train.steps=99999&train.labels=nonsense&train.texts=good/bad").tab
    said = f"After {MOST} steps: right on 2 of 2 sentences."
    assert said in tab.locator(f"{PLAYTHING} svg").get_attribute("aria-label")
    assert tab.locator(f"{PLAYTHING} .verdict").inner_text() == said
    assert tab.get_by_role("button", name="sentence 1 counts as blame").count() == 1
    pages.settle(tab)
    assert tab.locator(f"{PLAYTHING} [role=status]").inner_text() == said


@pytest.mark.parametrize("setting", [("light", 1280), ("dark", 360)])
def test_accessible_and_as_wide_as_the_window(chapter, setting):
    theme, width = setting
    opened = chapter(theme=theme, width=width, fragment="#train.steps=20&train.labels=0111010010")
    assert pages.problems(opened, pages.EVERY_STATE_OF_A_PLAYTHING) == []


def test_without_scripts_the_picture_stays(chapter):
    tab = chapter(scripts=False).tab
    assert tab.locator(".tag_plaything-train img").is_visible()
    assert tab.locator(".plaything").count() == 0
