import warnings
from dataclasses import replace

import numpy as np
import pytest

from tokensel_nb import WithMLP, binned, one_layer
from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.deeper_reviews import (
    EXPERIMENTS,
    alone,
    deeper_run,
    one_layer_beside,
    sample,
    skew_over,
    slant,
    slants,
    with_paper,
)
from tokensel_nb.chapters.recorded import PAPER_EDGES, paper_table


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(deeper_reviews, "SETTINGS", deeper_reviews.SETTINGS | dict(dim=4, steps=2))
    monkeypatch.setattr(deeper_reviews, "MAX_TOKENS", 8)
    monkeypatch.setattr(deeper_reviews, "TEXTS", 200)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    # 200 texts may leave bins empty.
    monkeypatch.setattr(deeper_reviews, "with_paper", lambda means, table: len(means) + len(table))


def test_samples_are_balanced_and_share_no_review(imdb):
    marked = replace(imdb, weights=np.arange(1, len(imdb) + 1))
    trained, others = sample(marked, 3)
    assert (len(trained), len(others)) == (5_000, 1_000)
    assert trained.signs.sum() == others.signs.sum() == 0
    assert not set(trained.weights) & set(others.weights)
    assert len(set(trained.weights)) == 5_000
    again, _ = sample(imdb, 3)
    np.testing.assert_array_equal(again.counts.indices, trained.counts.indices)
    other, _ = sample(imdb, 4)
    assert not np.array_equal(other.counts.indices, trained.counts.indices)


def test_a_table_correlates_with_itself_in_any_unit():
    means = 3 * paper_table("mlp_p")["mean"].to_numpy() - 2
    assert with_paper(means, "mlp_p") == pytest.approx(1)
    means[[0, 7]] = np.nan  # empty bins
    assert with_paper(means, "mlp_p") == pytest.approx(1)
    assert slant(means[::-1]) < 0 < slant(means)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_run_is_binned_as_the_paper_does(imdb, short, name):
    experiment = EXPERIMENTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that texts were cut is said in the chapter
        found = deeper_run(imdb, name, 0, evaluate_every=1)
    assert found.training.history.steps.tolist() == [0, 1, 2]
    assert type(found.training.parameters) is type(experiment.model.start(3, 2, 0))
    assert found.score_correlation == 20 + len(f"{experiment.table}_p")
    assert found.value_correlation == 20 + len(f"{experiment.table}_v")
    np.testing.assert_array_equal(found.skew, sample(imdb, 0)[0].label_skew())
    wanted = binned(found.skew, found.training.parameters.token_scores, PAPER_EDGES)
    np.testing.assert_array_equal(found.scores.means, wanted.means)


def test_one_layer_beside_learns_the_same_reviews_cut_without_a_warning(imdb, monkeypatch):
    seen = []
    monkeypatch.setattr(deeper_reviews, "train", lambda *given, **named: seen.append((*given, named)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one_layer_beside(imdb, seed=3, steps=2)
    (start, reviews, named), (trained, others) = seen[0], sample(imdb, 3)
    for cut, whole in ((reviews, trained), (named.pop("held_out"), others)):
        np.testing.assert_array_equal(cut.labels, whole.labels)
        assert np.diff(cut.counts.indptr).max() == 96 < np.diff(whole.counts.indptr).max()
    assert start.embeddings.shape == (imdb.vocab_size, 128)
    wanted = dict(steps=2, batch_size=50, learning_rate=0.003, evaluate_every=300, seed=3, device="auto")
    assert named == wanted | {"model": one_layer}


def test_a_level_v_has_no_slant_and_a_line_adds_it():
    letter_v, line = np.abs(np.linspace(-1, 1, 20)), np.linspace(-1, 1, 20)
    assert slant(letter_v) == pytest.approx(0)
    # ends of five at ±15/19 in the mean, the middle of ten at 5/19: (0.2 · 30/19) / (10/19)
    assert slant(letter_v + 0.2 * line) == pytest.approx(0.6)
    assert slant(3 * letter_v - 0.6 * line + 7) == pytest.approx(-0.6)
    assert slants([letter_v - 0.1 * line, letter_v + 0.1 * line]) == "slants -0.30 to 0.30, standard error 0.30"


def test_what_a_word_says_alone_is_the_formula_of_the_hidden_layer(imdb):
    model = WithMLP()
    start = model.start(imdb.vocab_size, 4, 0, dtype="float64")
    wanted = np.maximum(start.embeddings @ start.mlp_weights.T + start.mlp_bias, 0) @ start.output_vector
    np.testing.assert_allclose(alone(start, model, imdb), wanted, atol=1e-12)


def test_the_skew_over_texts_counts_a_text_once(imdb):
    few = imdb[::50]
    holds = few.counts.toarray() > 0
    with np.errstate(invalid="ignore"):
        wanted = (few.signs @ holds) / holds.sum(axis=0)
    np.testing.assert_allclose(skew_over(few, "texts"), wanted, atol=1e-12)
    np.testing.assert_array_equal(skew_over(few, "occurrences"), few.label_skew())
