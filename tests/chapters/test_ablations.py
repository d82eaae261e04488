from dataclasses import replace

import numpy as np
import pytest
from helpers import equal

from tokensel_nb import embedding_step, independent_tokens, init_parameters
from tokensel_nb.chapters.ablations import FIRST_STEP, SIDES, converged_at, run_side, start_of

SHORT = {name: replace(side, evaluate_every=10, steps=40) for name, side in SIDES.items()}


@pytest.fixture(scope="module")
def halves():
    return independent_tokens(450, 40, 12, 0.5, seed=0).split(1 / 3, seed=0)


def test_training_has_converged_where_the_loss_stands_still():
    steps = np.arange(0, 60, 10)
    assert converged_at(steps, 0.69 - 0.0006 * steps) is None
    assert converged_at(steps, [0.69, 0.3, 0.2, 0.1, 0.095, 0.0949]) == 50
    assert converged_at(steps[1:], [0.3, 0.3, 0.3, 0.3, 0.3]) == 30


def test_a_side_begins_with_its_step_and_trains_its_parts(halves):
    start = start_of(SIDES["one_step"], halves[0], seed=1, dim=8)
    assert equal(start, embedding_step(init_parameters(40, 8, 1), halves[0], FIRST_STEP))
    found = run_side(SHORT["one_step"], *halves, 0.03, seed=1, dim=8).parameters
    np.testing.assert_array_equal(found.embeddings, start.embeddings)
    assert not np.array_equal(found.output_vector, start.output_vector)
    bag = run_side(SHORT["bag"], *halves, 0.03, seed=1, dim=8).parameters
    assert not bag.cls_embedding.any()


def test_a_run_keeps_the_parameters_of_the_lowest_validation_loss(halves):
    found = run_side(SIDES["all"], *halves, rate=0.03, seed=0, dim=16)
    assert found.stopped == "patience"
    assert found.step == found.history.steps[found.history.held_out_losses.argmin()]
