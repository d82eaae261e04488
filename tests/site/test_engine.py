"""The engine of the pages' playthings, in a real browser, against the package: a hundred random cases of each, and words."""

import itertools
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import front_page
from experiments.playthings import verdict
from tokensel_nb import text
from tokensel_report import phrases
from tokensel_report.html import FOLDER

ENGINE = Path(__file__).parents[2] / "book" / "_static" / "playthings" / "engine.js"
pytestmark = pytest.mark.long
CASES = range(100)
ROUNDING = 1e-12  # both sides compute in double precision, numbers of order one
LOGITS = np.linspace(-25, 25, 101).tolist()
PATH = 1e-6  # both integrate, each with its own method


@pytest.fixture(scope="module")
def engine(chromium):
    """Return a function that evaluates JavaScript with the engine at hand, on a value called ``given``."""
    tab = chromium.new_page()
    for script in (ENGINE, FOLDER / "phrases.js"):
        tab.add_script_tag(path=script)
    yield lambda expression, given=None: tab.evaluate(f"(given) => {expression}", given)
    tab.close()


def random_case(seed, classes):
    """Return random parameters and a random corpus, with texts in which a token may stand several times."""
    random = np.random.default_rng(seed)
    words, dim, texts = random.integers(3, 9), random.integers(2, 6), random.integers(classes, 8)
    counts = random.integers(0, 3, (texts, words))
    counts[np.arange(texts), random.integers(0, words, texts)] += 1
    labels = np.r_[:classes, random.integers(0, classes, texts - classes)]
    heads = random.standard_normal((classes, dim) if classes > 2 else dim)
    parameters = ts.Parameters(random.standard_normal((words, dim)), random.standard_normal(dim), heads)
    corpus = ts.Corpus(counts, labels, [f"w{s}" for s in range(words)], [f"class {k}" for k in range(classes)])
    return parameters, corpus


def as_given(parameters, corpus):
    """Write both as the engine takes them."""
    arrays = [array.tolist() for array in (parameters.embeddings, parameters.cls_embedding)]
    heads = np.atleast_2d(parameters.output_vector).tolist()
    texts = [
        {"tokens": np.repeat(np.arange(len(row)), row).tolist(), "label": int(label)}
        for row, label in zip(corpus.counts.toarray(), corpus.labels)
    ]
    return {"parameters": dict(zip("Epv", [*arrays, heads])), "texts": texts}


@pytest.mark.parametrize("classes", [2, 4])
def test_attention_logits_and_gradients(engine, classes):
    cases = [random_case(seed, classes) for seed in CASES]
    given = [as_given(*case) for case in cases]
    found = engine(
        """given.map(({parameters, texts}) => {
            const model = tokensel.modelOf(parameters);
            const slopes = parameters.v.length === 1 && tokensel.gradients(parameters, texts);
            return [texts.map(({tokens}) => tokensel.forward(model, tokens)), slopes];
        })""",
        given,
    )
    for (parameters, corpus), one, (read, slopes) in zip(cases, given, found, strict=True):
        logits = np.array([each["logits"] for each in read])
        np.testing.assert_allclose(
            logits.reshape(ts.logits(parameters, corpus).shape), ts.logits(parameters, corpus), atol=ROUNDING
        )
        by_word = [np.bincount(text["tokens"], each["attention"], corpus.vocab_size) for text, each in zip(one["texts"], read)]
        np.testing.assert_allclose(by_word, ts.attention(parameters, corpus).toarray(), atol=ROUNDING)
        if classes > 2:
            continue  # no plaything trains them
        assert slopes["loss"] == pytest.approx(ts.loss(parameters, corpus), abs=ROUNDING)
        for name, wanted in zip("Epv", ts.gradients(parameters, corpus)):
            np.testing.assert_allclose(np.reshape(slopes[name], wanted.shape), wanted, atol=ROUNDING)


def test_the_path_of_the_query(engine):
    """Also where attention has closed: no float holds the attention that is missed at the end, exp(-1000) and less."""
    cases = [random_case(seed, 2) for seed in range(110)]
    closed = ts.Corpus([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], [1, 1, 0, 0], ["good", "bad", "the", "film"])
    cases.append((ts.limit_parameters(closed, 8.0), closed))
    paths = []
    for case in cases:
        with suppress(ValueError):  # a point without a direction
            path = ts.gradient_flow(*case, 2.0, records=5, tolerance=1e-9)
            paths += [(case, path)] if path.stopped == "the end" else []
    assert len(paths) > 100
    found = engine(
        "given.map(([{parameters, texts}, lengths]) => tokensel.flow(parameters, texts, lengths).points.map(({p}) => p))",
        [(as_given(*case), path.arc_lengths.tolist()) for case, path in paths],
    )
    for points, (_, path) in zip(found, paths, strict=True):
        np.testing.assert_allclose(points, path.cls_embeddings, atol=PATH)


def test_verdicts(engine):
    """Of random logits and attention, on words that clearly lean to a side and others, in short and long texts."""
    data, random = verdict(), np.random.default_rng(0)
    learnt_from = front_page.parts()[0]
    clear, familiar = np.abs(learnt_from.label_skew()) >= front_page.CLEAR, front_page.familiar(learnt_from)
    for length in (0, 1, 5, front_page.SHORT, front_page.SHORT + 1, 200):
        ids = random.choice(np.flatnonzero(familiar), length).tolist()
        if length:
            ids[: length // 3] = random.choice(len(clear), length // 3).tolist()
        attention = random.dirichlet(np.ones(length)).tolist() if length else []
        found = engine(
            "given[3].map((logit) => tokensel.verdict(given[0], given[1], given[2], logit))", [data, ids, attention, LOGITS]
        )
        on_clear = np.dot(attention, clear[ids]) if length else 0
        slope, intercept = data["long" if length > front_page.SHORT else "short"]
        for logit, told in zip(LOGITS, found, strict=True):
            praise = 1 / (1 + np.exp(-(slope * logit + intercept)))
            (tenths,) = front_page.said(np.array([max(praise, 1 - praise)]))
            side = "close" if tenths == 5 else "praise" if praise > 0.5 else "blame"
            few = 2 * familiar[ids].sum() <= length
            assert told["kind"] == ("unknown" if not length else "strange" if few else "unclear" if on_clear < 0.5 else side)
            if told["kind"] == side:
                assert (told["praise"], told["tenths"]) == (pytest.approx(praise, abs=ROUNDING), tenths)


SIGNS = "abcXYZ019_ '<>/bBrR\n\t.-éÄßẞİıΣςσſK\u00ad\u200c\u200d\u2060\ufeff\u200bनमस्ते中文かな👍🏽\u00a0\u2028²½Ⅷ\U0001d400"
CHARACTERS = [*SIGNS, "e\u0301", "<br>", "<BR />", "<br\u00a0/>", "n't"]
RAW = [*CHARACTERS, "N’T", "nʼt", "can't", "'", "ʼ", "\ufe0f", "\u0e31", "t", *"ー・゠ไทย฿๏།😀❤⭐❶𠀀々"]


@pytest.mark.parametrize(("of_page", "split", "signs"), [("words", text.split, CHARACTERS), ("rawWords", phrases.split, RAW)])
def test_words_are_split_as_the_package_does(engine, of_page, split, signs):
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(signs, random.integers(1, 40))) for _ in range(3000)]
    read = f"given.map((text) => tokensel.{of_page}(text).map(({{word, start, end}}) => [word, text.slice(start, end)]))"
    forms = f"given.map((words) => words.map(tokensel.{'lower' if of_page == 'words' else 'key'}))"
    wanted = [[word for word in words if text.lower(word)] for words in split(texts).to_pylist()]
    for one, words, written, same in zip(texts, engine(read, texts), wanted, engine(forms, wanted), strict=True):
        assert [where.replace("'", "ʼ").replace("’", "ʼ") for _, where in words] == written, one
        assert [word for word, _ in words] == same, one
        assert of_page == "rawWords" or same == list(map(text.lower, written)), one


def test_the_same_words_are_one(engine):
    """Of all characters that Python knows, and of pairs with those that case folding changes most."""
    known = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]
    odd = [each for each in known if phrases._key(each) != each.lower()]
    words = ["n't", "nʼt", *known, *map("".join, itertools.product(odd, "sSiIıσ\u0307\u0301\u0345"))]
    assert len(odd) > 100
    ours, theirs = list(map(phrases._key, words)), engine("given.map(tokensel.key)", words)
    assert len(set(ours)) == len(set(theirs)) == len(set(zip(ours, theirs)))
