from dataclasses import replace

import numpy as np
import pytest

from experiments.deeper_reviews import (
    FRESH,
    MORE,
    NEW_SEEDS,
    OF_MLP,
    OF_TWO_LAYERS,
    SECOND,
    favoured,
    of_seed,
    on_more,
    slants_along,
    summary,
)
from tokensel_nb import binned, matched_correlation, shuffle_labels
from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.deeper_reviews import (
    EXPERIMENTS,
    PROTOCOL,
    alone,
    deeper_run,
    sample,
    skew_over,
    slant,
    with_paper,
)
from tokensel_nb.chapters.recorded import PAPER_EDGES, recorded


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(deeper_reviews, "SETTINGS", deeper_reviews.SETTINGS | dict(dim=4, steps=2))
    monkeypatch.setattr(deeper_reviews, "MAX_TOKENS", 8)
    monkeypatch.setattr(deeper_reviews, "TEXTS", 200)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    # 200 texts may leave bins empty.
    monkeypatch.setattr(deeper_reviews, "with_paper", lambda means, table: len(means) + len(table))


def test_a_summary_is_of_every_seed(imdb, short):
    experiment = EXPERIMENTS["two layers"]
    found = summary(imdb, experiment)
    assert np.shape(found["scores"]) == np.shape(found["values"]) == (len(experiment.seeds), 20)
    assert len(found["accuracies"]) == len(found["held_out_accuracies"]) == len(experiment.seeds)


def test_scores_are_compared_at_the_stopping_step_of_true_labels(imdb, short):
    experiment = replace(PROTOCOL, seeds=range(3, 4))
    found = favoured(imdb, experiment)
    run = deeper_run(imdb, experiment, 3, evaluate_every=50)
    assert (found["seeds"], found["stops"]) == ([3], [run.stop])
    reviews = sample(imdb, 3)[0]
    rest = imdb[~np.isin(np.arange(len(imdb)), deeper_reviews.rows_of(imdb, 3)[0])]
    last = matched_correlation(run.training.parameters.token_scores, reviews, rest)
    assert found["last"]["true"] == [pytest.approx(last, abs=1e-3)]
    mixed = deeper_run(imdb, replace(experiment, shuffled=True), 3, steps=run.stop)
    assert found["stopped"]["shuffled"] == [pytest.approx(mixed.matched[run.stop], abs=1e-3)]


def test_another_corpus_has_texts_of_its_own_number(imdb, short, monkeypatch):
    monkeypatch.setattr("experiments.deeper_reviews.NEW_SEEDS", range(3, 4))
    found = on_more(lambda: imdb[::10], 100)
    assert found.keys() == FRESH.keys()
    fit, held_out = deeper_reviews.rows_of(imdb[::10], 3, 100)
    assert (len(fit), len(held_out)) == (100, 40)
    run = deeper_run(imdb[::10], replace(FRESH["two layers"], texts=100), 3, evaluate_every=50)
    wanted = binned(run.others_skew, run.training.parameters.token_values, PAPER_EDGES).rank_correlation()
    assert found["two layers"]["last, ranks"]["true"] == [pytest.approx(wanted, abs=1e-3)]


def test_the_record_of_more_corpora_is_of_these_seeds():
    runs = recorded("deeper_more")
    assert runs.pop("machine")["date"]
    assert runs.keys() == MORE.keys()
    assert all(run["seeds"] == list(NEW_SEEDS) for both in runs.values() for run in both.values())


def test_recorded_scores_favour_words_that_tell_with_true_labels_alone():
    runs = recorded("deeper_matched")
    assert runs.pop("machine")["date"]
    assert {name: run["seeds"] for name, run in runs.items()} == {name: list(each.seeds) for name, each in FRESH.items()}
    for run in runs.values():
        assert min(run["stopped"]["true"]) > max(run["stopped"]["shuffled"])


@pytest.mark.parametrize("shuffled", [False, True])
def test_one_seed_as_it_is_recorded(imdb, short, shuffled):
    experiment = replace(PROTOCOL, shuffled=shuffled)
    found = of_seed(imdb, experiment, 3)
    run = deeper_run(imdb, experiment, 3)
    shown = shuffle_labels(imdb, 3) if shuffled else imdb
    reviews, _ = sample(shown, 3)
    np.testing.assert_array_equal(run.skew, skew_over(reviews, "texts"))
    # What all reviews say of a word is what these say and what the others say.
    number, of_all = ((part.counts > 0).sum(axis=0) for part in (reviews, shown))
    parts = np.nan_to_num(number * run.skew) + np.nan_to_num((of_all - number) * run.others_skew)
    np.testing.assert_allclose(parts, of_all * skew_over(shown, "texts"), atol=1e-9)
    scores = run.training.parameters.token_scores
    said = alone(run.training.parameters, PROTOCOL.model, imdb)
    by_others = binned(run.others_skew, scores, PAPER_EDGES).means
    wanted = {
        "scores": run.scores.means,
        "values": run.values.means,
        "scores_by_occurrences": binned(reviews.label_skew(), scores, PAPER_EDGES).means,
        "scores_by_others": by_others,
        "values_by_others": binned(run.others_skew, run.training.parameters.token_values, PAPER_EDGES).means,
        "alone_by_others": binned(run.others_skew, said, PAPER_EDGES).means,
    }
    for name, means in wanted.items():
        np.testing.assert_allclose(np.array(found[name], float), means, atol=5.1e-4)  # rounded to three digits
    assert found["seed"] == 3
    assert found["held_out_accuracy"] == pytest.approx(run.training.history.held_out_accuracies[-1], abs=1e-4)


def test_slants_along_training_end_where_a_run_ends(imdb, short):
    found = slants_along(imdb, seeds=[3], steps=4, every=2)
    assert found["steps"] == [2, 4]
    for name, shown in (("true labels", imdb), ("swapped labels", replace(imdb, labels=1 - imdb.labels))):
        run = deeper_run(shown, PROTOCOL, 3, steps=4)
        assert found[name][0][-1] == pytest.approx(slant(run.scores.means), abs=6e-4)


@pytest.mark.parametrize(("file", "kinds"), [("deeper_mlp", OF_MLP), ("deeper_shuffled", OF_TWO_LAYERS)])
def test_the_records_of_single_seeds_are_of_these_experiments(file, kinds):
    runs = recorded(file)
    assert runs.pop("machine")["date"]
    assert list(runs) == list(kinds)
    for name, run in runs.items():
        assert [each["seed"] for each in run] == list(kinds[name].seeds)


def test_a_second_seed_of_both_models_is_recorded():
    runs = recorded("deeper_second")
    assert runs.pop("machine")["date"]
    assert {name: [run["seed"]] for name, run in runs.items()} == {name: list(each.seeds) for name, each in SECOND.items()}
    again = with_paper(recorded("deeper")["two layers"]["scores"][1], "two_layer_wkq_p")  # the same run, recorded before
    assert with_paper(runs["two layers"]["scores"], "two_layer_wkq_p") == pytest.approx(again, abs=0.02)


def test_the_record_is_of_these_experiments():
    runs = recorded("deeper")
    assert runs.pop("machine")["date"]
    assert list(runs) == list(EXPERIMENTS)
    for name, run in runs.items():
        assert len(run["score_correlations"]) == len(EXPERIMENTS[name].seeds)
        again = [with_paper(means, f"{EXPERIMENTS[name].table}_p") for means in run["scores"]]
        np.testing.assert_allclose(again, run["score_correlations"], atol=2e-3)  # both are rounded to four digits
