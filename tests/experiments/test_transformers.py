import numpy as np
import pytest

import tokensel_nb as ts
from experiments import small_start, transformers

TEXTS = ["good film", "bad film bad", "a good good day", "a bad day", "good film film day", "bad a day", "bad", "good a"] * 3


@pytest.fixture(scope="module")
def texts():
    return ts.sequences_from_texts(TEXTS, [1, -1, 1, -1, -1, 1, 1, -1] * 3, longest=4)


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
