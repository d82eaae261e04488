"""The engine of the pages' playthings, in a real browser, against the package: a hundred random cases of each, and words."""

from pathlib import Path

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import front_page
from experiments.playthings import packed, verdict
from tokensel_nb.chapters import scale
from tokensel_nb.text import split as split_words
from tokensel_nb.text import strings
from tokensel_nb.yourdata.html import FOLDER
from tokensel_nb.yourdata.phrases import split

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


def test_a_step_on_paper(engine):
    """Sizes and machines of which some hold the counts, and some not even the embeddings."""
    random, cases = np.random.default_rng(0), []
    for _ in CASES:
        texts, entries, words, dim = (float(10 ** random.uniform(*ends)) for ends in ((3, 10), (5, 12), (2, 7), (0.5, 4)))
        units = int(10 ** random.uniform(0, 3))
        machine = scale.Machine(units, *(float(10 ** random.uniform(*ends)) for ends in ((9, 13), (9, 12), (8, 11), (8, 12))))
        share, entry, preparing = random.uniform(0.01, 1), random.uniform(4, 24), random.uniform(0, 1e-7)
        cases.append((scale.Size(texts, 0, entries, words, dim), machine, share, entry, preparing))
    given = [[size._asdict(), machine._asdict() | {"share": share}, *rest] for size, machine, share, *rest in cases]
    found = engine("given.map((each) => tokensel.onPaper(...each))", given)
    kinds = set()
    for case, each in zip(cases, found, strict=True):
        wanted = scale.on_paper(*case)
        each |= each.pop("seconds")
        assert each == pytest.approx(wanted, rel=1e-12)
        kinds.add("none" if np.isinf(wanted["enough"]) else wanted["disk"] > 0)
    assert kinds == {"none", True, False}


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


def followed(parameters, corpus, arc_length=2.0):
    """Return the package's path, or None if it meets a point without a direction on its way."""
    try:
        path = ts.gradient_flow(parameters, corpus, arc_length, records=5, tolerance=1e-9)
    except ValueError:
        return None
    return path if path.stopped == "the end" else None


def largest_gap(engine, cases):
    """Return how far the engine's paths are from the package's, at most, and how many were compared."""
    paths = [(case, path) for case, path in ((case, followed(*case)) for case in cases) if path]
    found = engine(
        "given.map(([{parameters, texts}, lengths]) => tokensel.flow(parameters, texts, lengths).points.map(({p}) => p))",
        [(as_given(*case), path.arc_lengths.tolist()) for case, path in paths],
    )
    return max(np.abs(points - path.cls_embeddings).max() for points, (_, path) in zip(found, paths, strict=True)), len(paths)


def test_the_path_of_the_query(engine):
    gap, compared = largest_gap(engine, (random_case(seed, 2) for seed in range(110)))
    assert gap < PATH
    assert compared >= 100


def test_the_path_where_attention_has_closed(engine):
    """No float holds the attention that is missed at the end, exp(-1000) and less."""
    corpus = ts.Corpus([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], [1, 1, 0, 0], ["good", "bad", "the", "film"])
    start = ts.limit_parameters(corpus, 8.0)
    gap, compared = largest_gap(engine, [(start, corpus)])
    assert compared == 1
    assert gap < PATH
    values = start.token_values.tolist()
    found = engine("tokensel.limitParameters(given)", values)
    np.testing.assert_array_equal(found["E"], start.embeddings)
    lost = followed(start, corpus, 2000.0)
    given = [as_given(start, corpus), lost.arc_lengths.tolist()]
    path = engine("tokensel.flow(given[0].parameters, given[0].texts, given[1], 1e-6)", given)
    np.testing.assert_allclose([each["p"] for each in path["points"]], lost.cls_embeddings, atol=1e-3)


def test_one_step(engine):
    """At d = 10⁶ logits are 0.001: their third order, of which the formula is without, is 10⁻⁹."""
    for seed in CASES:
        random, (_, corpus) = np.random.default_rng(seed), random_case(seed, 2)
        step, dim, draw = 10 ** random.uniform(-1, 1), 10**6, random.standard_normal(corpus.vocab_size)
        pull = corpus.shares.T @ (corpus.mean_weights * (corpus.shares @ draw))
        share = corpus.signed_share()
        data = {key: list(each) for key, each in {"share": share, "draw": draw, "drawn_pull": pull}.items()}
        start = ts.Parameters(draw[:, None] / 1_000, np.zeros(1), np.ones(1))
        found = engine("tokensel.steppedValues(given[0], given[1], given[2])", [data, step, dim])
        np.testing.assert_allclose(found, ts.embedding_step(start, corpus, step).token_values, atol=1e-8 * step)
        if share.std() > 0:
            law = engine(
                "tokensel.expectedCorrelation(given[1], tokensel.equalStep(given[0].share, given[2]))", [data, step, dim]
            )
            assert law == pytest.approx((1 + 4 / (step**2 * dim * share.var())) ** -0.5, abs=ROUNDING)
        if share.std() > 0.01:
            wanted = np.corrcoef(share, found)[0, 1]
            assert engine("tokensel.correlation(given[0], given[1])", [list(share), found]) == pytest.approx(wanted, abs=1e-9)


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


CHARACTERS = [
    *"abcXYZ019_ '<>/bBrR\n\t.-é", *"ÄßİΣςſK", "e\u0301", *"नमस्ते中文かな👍🏽\u00a0\u2028²½Ⅷ", "<br>", "<BR />", "<br\u00a0/>", "n't", "\U0001d400",
]  # fmt: skip


def test_words_are_split_as_the_package_does(engine):
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(CHARACTERS, random.integers(1, 40))) for _ in range(3000)]
    found = engine("given.map((text) => tokensel.words(text).map(({word}) => word))", texts)
    wanted = split_words(texts).to_pylist()
    for text, words, of_package in zip(texts, found, wanted, strict=True):
        assert words == [word for word in of_package if word], text


RAW = [*CHARACTERS, "n't", "N’T", "nʼt", "can't", "'", "ʼ", "\ufe0f", "\u0e31", "t", *"ー・゠ไทย฿๏།😀❤⭐❶𠀀々"]


def test_raw_words_are_split_as_the_package_does(engine):
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(RAW, random.integers(1, 40))) for _ in range(3000)]
    found = engine(
        """given.map((text) => tokensel.rawWords(text).map(({word, start, end}) => [word, text.slice(start, end)]))""", texts
    )
    for text, words, of_package in zip(texts, found, split(strings(texts)).to_pylist(), strict=True):
        assert [word for word, _ in words] == [word for word in of_package if word], text
        for word, where in words:
            lowered = "".join(letter.lower()[0] for letter in where)
            assert lowered.replace("'", "ʼ").replace("’", "ʼ") == word, text


def test_tokens_of_the_vocabulary(engine):
    model = {"vocabulary": ["bad", "not"]}
    found = engine("tokensel.tokens(given, 'Not  BAD film').map(({word, id}) => [word, id])", model)
    assert found == [["not", 1], ["bad", 0], ["film", -1]]


def test_where_words_stand(engine):
    text = "Ünder <br/>x\U0001d400!"
    found = engine("tokensel.words(given).map(({start, end}) => given.slice(start, end))", text)
    assert found == ["Ünder", "x\U0001d400"]


def test_packed_numbers(engine):
    numbers = np.array([0, 1, -1, 255, 256, -256, 32767, -32767], np.int16)
    found = engine("[...tokensel.unpack(given)]", packed(numbers * 0.25, 0.25))
    assert found == (numbers * 0.25).tolist()
