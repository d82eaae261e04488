from itertools import count

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import first_steps, small_start, transformers
from tokensel_nb.chapters.recorded import recorded

TEXTS = ["good film", "bad film bad", "a good good day", "a bad day", "good film film day", "bad a day", "bad", "good a"] * 3


@pytest.fixture(scope="module")
def texts():
    return ts.sequences_from_texts(TEXTS, [1, -1, 1, -1, -1, 1, 1, -1] * 3, longest=4)


def test_a_uniform_head_looks_at_every_word_alike(texts):
    model = ts.Transformer(layers=2, longest=4, spread=1e-6)
    assert transformers.looks(model, model.start(texts.vocab_size, 8, 0), texts) == pytest.approx(1, abs=1e-5)


def test_looks_are_those_of_plain_loops(texts):
    model = ts.Transformer(layers=1, longest=4, spread=0.8)
    parameters = model.start(texts.vocab_size, 8, 0, dtype="float64")
    of_entries = model.head_attention(parameters, texts)[0, 2]
    counts, entry, found = texts.counts, count(), {}
    for text in range(len(texts)):
        row = {word: of_entries[next(entry)] for word in counts.indices[slice(*counts.indptr[text : text + 2])]}
        for word, weight in row.items():
            over = weight / sum(row.values()) * texts.lengths[text]
            found.setdefault((word, texts.labels[text]), []).append((over, counts[text, word]))
    word = list(texts.vocabulary).index("film")
    of_labels = [np.sum(found[word, label], axis=0) for label in (0, 1)]
    wanted = np.mean([over / places for over, places in of_labels])
    assert transformers.looks(model, parameters, texts)[0, 2, word] == pytest.approx(wanted)


def test_a_word_of_one_class_alone_has_what_it_gets_there(texts):
    model = ts.Transformer(layers=1, longest=4, spread=0.8)
    parameters = model.start(texts.vocab_size, 8, 0, dtype="float64")
    parts = [transformers.looks(model, parameters, texts[np.flatnonzero(texts.labels == label)]) for label in (0, 1)]
    assert [np.isnan(each[0, 0]).any() for each in parts] == [False, False]
    assert np.mean(parts, axis=0) == pytest.approx(transformers.looks(model, parameters, texts))


@pytest.mark.parametrize(
    ("shape", "signed", "sized", "ends"),
    [
        (lambda skew: np.exp(3 * skew), 1, 0, (-1, 1)),
        (lambda skew: np.exp(-3 * skew), -1, 0, (1, -1)),
        (lambda skew: np.exp(np.abs(3 * skew)), 0, 1, (1, 1)),
    ],
    ids=["praise", "blame", "U"],
)
def test_a_tilt_is_signed_and_a_u_is_sized(shape, signed, sized, ends):
    random = np.random.default_rng(0)
    skew, frequency = random.uniform(-1, 1, 1000), random.permutation(1000)
    s, u, low, high = transformers.judged(shape(skew), frequency, skew, np.arange(1000))
    assert (s, u) == pytest.approx((signed, sized), abs=0.1)
    assert (np.sign(np.log(low)), np.sign(np.log(high))) == ends


def test_what_is_held_reads_only_what_lies_along_its_axes(texts):
    axes = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 1)))[0].T
    model = transformers.Held(layers=1, heads=2, longest=4, axes=axes, spread=0.5)
    start = model.start(texts.vocab_size, 8, 0, dtype="float64")
    aside = np.random.default_rng(1).standard_normal(start.embeddings.shape)
    moved = start._replace(embeddings=start.embeddings + aside - aside @ axes.T @ axes)
    assert ts.logits(moved, texts, model) == pytest.approx(ts.logits(start, texts, model))
    assert model.head_attention(moved, texts) == pytest.approx(model.head_attention(start, texts))
    along = start._replace(embeddings=start.embeddings + axes)
    assert np.abs(ts.logits(along, texts, model) - ts.logits(start, texts, model)).max() > 1e-4


def test_what_is_beside_the_line_obeys_the_linear_equation_as_long_as_it_is_small():
    corpus = ts.independent_tokens(200, 12, 8, 0.6, seed=0)
    whole, end = small_start.start(corpus, 64, 1e-3, 0), 400
    seen = small_start.followed(corpus, corpus.label_skew(), 64, 1e-3, 0, end)["arrived"]
    assert seen == pytest.approx(small_start.foretold(corpus, 1e-3, 0, end), rel=0.05)
    assert small_start.beside(whole.cls_embedding, small_start.axis(whole, corpus)) < 0.02


def test_the_escape_is_later_by_the_logarithm():
    corpus = ts.independent_tokens(200, 12, 8, 0.6, seed=0)
    times = [small_start.escape(corpus, 16, std, 0) for std in (1e-4, 1e-6)]
    slowness = 1 / np.linalg.norm(small_start.pull(corpus))
    assert np.diff(times)[0] / np.log(100) == pytest.approx(slowness, rel=0.05)


def test_records_hold_what_their_protocols_promise():
    for name, (_, numbers) in transformers.NUMBERS.items():
        found = recorded(name)
        for (kind, depth), number in numbers.items():
            runs = found[f"{kind} {depth}"]["runs"]
            assert len(runs) == number
            assert np.shape(runs[0]["judged"]) == (len(transformers.MOMENTS), depth, transformers.HEADS, 4)
    for name in transformers.READ:
        assert np.shape(recorded("first_steps")[name]["depth 4"]) == (len(first_steps.SEEDS), 4)
        assert len(recorded(f"small_start_{name}")["splits"]) == len(small_start.SPLITS)
