import json
from dataclasses import replace

import numpy as np
import pytest

from experiments import ablations
from experiments.ablations import SIDES, Parts, search, tell_side
from tokensel_nb import independent_tokens, train
from tokensel_nb.chapters.ablations import start_of

SHORT = {name: replace(side, begin=3, evaluate_every=10, steps=40) for name, side in SIDES.items()}


@pytest.fixture(scope="module")
def parts():
    fit, rest = independent_tokens(600, 40, 12, 0.5, seed=0).split(0.5, seed=0)
    return Parts(fit, *rest.split(0.5, seed=1))


@pytest.mark.parametrize("best", range(6))
def test_the_search_ends_at_a_valley_or_at_the_ladders_end(best):
    ladder = [1, 2, 3, 4, 5, 6]
    asked = []

    def run(rung):
        asked.append(rung)
        return str(rung)

    rung, runs = search(run, lambda ran: abs(int(ran) - ladder[best]), ladder, begin=2)
    assert rung == ladder[best]
    assert sorted(asked) == list(runs)  # each once
    assert all(ran == str(rung) for rung, ran in runs.items())
    assert {ladder[place] for place in (best - 1, best + 1) if 0 <= place < 6} <= set(runs)


@pytest.mark.parametrize("name", SIDES)
def test_the_test_part_chooses_nothing(parts, name):
    """With test texts of other labels the same rate and steps are chosen, and the accuracies are one minus the others."""
    turned = parts._replace(test=replace(parts.test, labels=1 - parts.test.labels))
    one, other = (tell_side(SHORT[name], lambda split, each=each: each, dim=8, splits=(5, 6)) for each in (parts, turned))
    assert json.loads(json.dumps(one)) == one
    assert one["trials"] == other["trials"]
    assert one["rate"] == other["rate"]
    for here, there in zip(one["runs"], other["runs"]):
        assert here["step"] == there["step"] == here["steps"][int(np.argmin(here["held_out_losses"]))]
        assert here["test_accuracy"] + there["test_accuracy"] == pytest.approx(1, abs=2e-4)


def test_linear_models_are_what_they_are_called(parts):
    found = ablations.linear_sides(lambda split: parts, (5, 6))
    assert set(found) == {"counts", "shares"}
    for model in found.values():
        assert str(model["strength"]) == min(model["trials"], key=model["trials"].get)
        assert min(model["test_accuracies"]) > 0.7
        assert len(model["test_losses"]) == 2
    # All texts have twelve tokens: shares times the mean length are the counts.
    assert found["counts"] == found["shares"]


def test_a_spread_run_is_followed_to_its_end(parts):
    found = ablations.spread_run(SIDES["all"], parts, seed=5, dim=8)
    assert found["steps"] == list(range(0, 151, 10))
    rows = {len(column) for column in found.values() if isinstance(column, list)}
    assert rows == {16}
    start = start_of(SIDES["all"], parts.fit, 5, 8)
    again = train(start, parts.fit, 150, learning_rate=ablations.SPREAD_RATE).parameters
    skew = parts.fit.label_skew()
    signed = np.sign(skew) * again.token_values
    assert found["relevant"][-1] == pytest.approx(signed[abs(skew) >= 0.5].mean(), abs=1e-4)


def test_of_a_size_are_so_many_texts_and_the_words_that_occur_in_them(parts, monkeypatch):
    monkeypatch.setitem(ablations.PARTS, "made to order", lambda split: parts)
    small = ablations.parts_of("made to order", 3, 7)
    assert [len(part) for part in small] == [3, len(parts.validation), len(parts.test)]
    assert small.fit.counts.sum(axis=0).min() > 0
    assert {part.vocab_size for part in small} == {small.fit.vocab_size}
