from dataclasses import replace

import numpy as np
import pytest

from experiments.deeper_reviews import (
    favoured,
    of_seed,
)
from tokensel_nb import binned, shuffle_labels
from tokensel_nb.chapters import deeper_reviews
from tokensel_nb.chapters.deeper_reviews import (
    PROTOCOL,
    alone,
    deeper_run,
    sample,
    skew_over,
)
from tokensel_nb.chapters.recorded import PAPER_EDGES


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(deeper_reviews, "SETTINGS", deeper_reviews.SETTINGS | dict(dim=4, steps=2))
    monkeypatch.setattr(deeper_reviews, "MAX_TOKENS", 8)
    monkeypatch.setattr(deeper_reviews, "TEXTS", 200)
    monkeypatch.setattr(deeper_reviews, "OTHERS", 40)
    # 200 texts may leave bins empty.
    monkeypatch.setattr(deeper_reviews, "with_paper", lambda means, table: len(means) + len(table))


def test_scores_are_compared_at_the_stopping_step_of_true_labels(imdb, short):
    experiment = replace(PROTOCOL, seeds=range(3, 4))
    found = favoured(imdb, experiment)
    run = deeper_run(imdb, experiment, 3, evaluate_every=50)
    assert found["stopped"]["true"] == [pytest.approx(run.matched[run.stop], abs=1e-3)]
    mixed = deeper_run(imdb, replace(experiment, shuffled=True), 3, steps=run.stop)
    assert found["stopped"]["shuffled"] == [pytest.approx(mixed.matched[run.stop], abs=1e-3)]


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
