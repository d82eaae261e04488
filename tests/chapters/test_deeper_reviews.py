import warnings
from dataclasses import replace

import numpy as np
import pytest

from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.deeper_reviews import EXPERIMENTS, OPTIONS, deeper_run, one_layer_beside, sample, summary, with_paper
from tokensel_nb.chapters.recorded import paper_table, recorded
from tokensel_nb.models.one_layer import OneLayer


def test_samples_are_balanced_and_share_no_review(imdb):
    trained, others = sample(imdb, 3)
    assert (len(trained), len(others)) == (5_000, 1_000)
    assert trained.signs.sum() == others.signs.sum() == 0
    again, _ = sample(imdb, 3)
    np.testing.assert_array_equal(again.counts.indices, trained.counts.indices)


def test_a_table_correlates_with_itself_in_any_unit():
    assert with_paper(3 * paper_table("mlp_p")["mean"] - 2, "mlp_p") == pytest.approx(1)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_run_and_its_summary(imdb, monkeypatch, name):
    monkeypatch.setattr(deeper_reviews, "OPTIONS", replace(OPTIONS, dim=4, steps=2))
    monkeypatch.setattr(deeper_reviews, "MAX_TOKENS", 8)
    monkeypatch.setattr(deeper_reviews, "TEXTS", 200)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    # 200 texts may leave bins empty.
    monkeypatch.setattr(deeper_reviews, "with_paper", lambda means, table: len(means) + len(table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that texts were cut is said in the chapter
        run = deeper_run(imdb, name, 0, evaluate_every=1)
    assert run.training.history.steps.tolist() == [0, 1, 2]
    assert run.score_correlation == 20 + len(f"{EXPERIMENTS[name].table}_p")
    found = summary(imdb, name)
    assert np.shape(found["scores"]) == np.shape(found["values"]) == (len(EXPERIMENTS[name].seeds), 20)


def test_one_layer_beside_learns_the_same_reviews_cut_without_a_warning(imdb, monkeypatch):
    seen = []
    monkeypatch.setattr(deeper_reviews, "train", lambda *given, **named: seen.append((*given, named)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_layer_beside(imdb, seed=3, steps=2)
    (reviews, model, options, named), (trained, others) = seen[0], sample(imdb, 3)
    for cut, whole in ((reviews, trained), (named.pop("held_out"), others)):
        np.testing.assert_array_equal(cut.labels, whole.labels)
        assert np.diff(cut.counts.indptr).max() == 96 < np.diff(whole.counts.indptr).max()
    assert (model, options, named) == (OneLayer(), OPTIONS, {"seed": 3, "steps": 2})
    assert (options.dim, options.batch_size, options.learning_rate, options.evaluate_every) == (128, 50, 0.003, 300)


def test_the_record_is_of_these_experiments():
    runs = recorded("deeper")
    assert runs.pop("machine")["date"]
    assert list(runs) == list(EXPERIMENTS)
    for name, run in runs.items():
        assert len(run["score_correlations"]) == len(EXPERIMENTS[name].seeds)
        again = [with_paper(means, f"{EXPERIMENTS[name].table}_p") for means in run["scores"]]
        np.testing.assert_allclose(again, run["score_correlations"], atol=2e-3)  # both are rounded to four digits


@pytest.mark.long
def test_the_mlp_forms_the_paper_s_u(imdb):
    """Single seeds differ from processor to processor, and five of them too much; twenty together do not."""
    means = [deeper_run(imdb, "MLP", seed).scores.means for seed in range(20)]
    assert with_paper(np.mean(means, axis=0), "mlp_p") >= 0.85
