import warnings

import numpy as np
import pytest

from tokensel_nb import deeper_reviews
from tokensel_nb.deeper_reviews import EXPERIMENTS, deeper_picture, one_layer_beside, sample, summary, with_paper
from tokensel_nb.recorded import paper_table, recorded


def test_samples_are_balanced_and_share_no_review(imdb):
    trained, others = sample(imdb, 3)
    assert (len(trained), len(others)) == (5_000, 1_000)
    assert trained.labels.sum() == others.labels.sum() == 0
    again, _ = sample(imdb, 3)
    np.testing.assert_array_equal(again.counts.indices, trained.counts.indices)


def test_a_table_correlates_with_itself_in_any_unit():
    assert with_paper(3 * paper_table("mlp_p")["mean"] - 2, "mlp_p") == pytest.approx(1)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_picture_and_its_summary(imdb, monkeypatch, name):
    short = {"dim": 4, "steps": 2, "max_tokens": 8}
    monkeypatch.setattr(deeper_reviews, "SETTINGS", deeper_reviews.SETTINGS | short)
    monkeypatch.setattr(deeper_reviews, "TEXTS", 200)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    # 200 texts may leave bins empty.
    monkeypatch.setattr(deeper_reviews, "with_paper", lambda means, table: len(means) + len(table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that texts were cut is said in the chapter
        picture = deeper_picture(imdb, name, 0, evaluate_every=1)
    assert picture.training.history.steps.tolist() == [0, 1, 2]
    assert picture.score_correlation == 20 + len(f"{EXPERIMENTS[name].table}_p")
    found = summary(imdb, name)
    assert np.shape(found["scores"]) == np.shape(found["values"]) == (len(EXPERIMENTS[name].seeds), 20)


def test_one_layer_beside_learns_the_same_reviews_cut_without_a_warning(imdb, monkeypatch):
    seen = []
    monkeypatch.setattr(deeper_reviews, "train", lambda *corpora, **settings: seen.append((*corpora, settings)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_layer_beside(imdb, seed=3, steps=2)
    (reviews, settings), (trained, others) = seen[0], sample(imdb, 3)
    for cut, whole in ((reviews, trained), (settings.pop("held_out"), others)):
        np.testing.assert_array_equal(cut.labels, whole.labels)
        assert np.diff(cut.counts.indptr).max() == 96 < np.diff(whole.counts.indptr).max()
    assert settings == {
        "dim": 128, "steps": 2, "batch_size": 50, "learning_rate": 0.003, "evaluate_every": 300, "seed": 3,
    }  # fmt: skip


def test_the_record_is_of_these_experiments():
    runs = recorded("deeper")
    assert runs.pop("machine")["date"]
    assert list(runs) == list(EXPERIMENTS)
    for name, run in runs.items():
        assert len(run["score_correlations"]) == len(EXPERIMENTS[name].seeds)
        again = [with_paper(means, f"{EXPERIMENTS[name].table}_p") for means in run["scores"]]
        np.testing.assert_allclose(again, run["score_correlations"], atol=2e-3)  # both are rounded to four digits
