from dataclasses import replace

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import reviews

SMALL = dict(dim=16, steps=20, learning_rate=0.05)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("tokensel_nb.chapters.reviews.SETTINGS", SMALL)
    monkeypatch.setattr(reviews, "SHORT", SMALL | {"evaluate_every": 1})
    return ts.independent_tokens(300, 40, 12, 0.5, seed=0)


def test_the_test_split_chooses_nothing(small, monkeypatch):
    """With test reviews of other labels the same steps are taken, and the accuracies are one minus the others."""
    turned = replace(small, labels=1 - small.labels)
    found = []
    for test in (small, turned):
        monkeypatch.setattr(ts, "load_imdb", lambda split, test=test: {"train": small, "test": test}[split])
        monkeypatch.setattr(reviews, "SEEDS", range(2))
        found.append(reviews.on_test_split())
    assert list(found[0]) == ["after_all_steps", "at_the_best_step"]
    for name, accuracies in found[0].items():
        assert len(accuracies) == 2
        assert min(accuracies) > 0.6
        np.testing.assert_allclose(np.add(accuracies, found[1][name]), 1, atol=2e-4)  # rounded to four digits
