import numpy as np
import pytest

from experiments import two_heads
from experiments.two_heads import CORPORA, SPLITS, HeadParameters, Heads, compare, on_corpus
from tokensel_nb import Parameters, logits
from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.recorded import recorded


def test_heads_add_up_to_one_layer_each(imdb):
    few, random = imdb[::500], np.random.default_rng(0)
    start = HeadParameters(*(random.standard_normal(array.shape) for array in Heads().start(few.vocab_size, 4, 0)))
    each = [logits(Parameters(start.embeddings, *one), few) for one in zip(start.queries, start.output_vectors)]
    np.testing.assert_allclose(logits(start, few, Heads()), sum(each), atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*texts have more than")
def test_a_corpus_as_it_is_recorded(imdb, monkeypatch):
    monkeypatch.setattr(deeper_reviews, "SETTINGS", deeper_reviews.SETTINGS | dict(dim=4, steps=50))
    monkeypatch.setattr(deeper_reviews, "MAX_TOKENS", 8)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    monkeypatch.setattr(two_heads, "CORPORA", {"imdb": (lambda: imdb[::10], 200)})
    monkeypatch.setattr(two_heads, "SPLITS", range(3, 4))
    monkeypatch.setattr(two_heads, "LADDER", (0.01, 0.03, 0.1))
    (found,) = on_corpus("imdb")["splits"]
    assert len(found["stops"]) == 3
    assert list(found["last"]) == ["two heads", "two models", "shuffled labels"]


def test_a_head_that_listens_to_one_side_is_told(imdb):
    half, other = imdb.split(0.5, seed=0)
    scores = np.nan_to_num(np.stack([other.label_skew(), -other.label_skew()]))
    found = compare(scores, scores, half, other)
    assert found["scores"] == pytest.approx(-1)
    assert found["side"] == pytest.approx([1, -1])


def test_the_record_is_of_these_splits():
    runs = recorded("two_heads")
    assert runs.pop("machine")["date"]
    assert runs.keys() == CORPORA.keys()
    assert all(len(run["splits"]) == len(SPLITS) for run in runs.values())
