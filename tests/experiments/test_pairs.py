import numpy as np

from tokensel_nb.chapters import pairs
from tokensel_nb.chapters.recorded import recorded


def test_two_layers_are_recorded_for_every_task_and_seed():
    found = recorded("two_layers_pairs")
    assert found.pop("machine")["date"]
    assert list(found) == list(pairs.TASKS)
    for shares in found.values():
        assert np.shape(shares) == (2, len(pairs.SEEDS))  # of the texts learnt from, of new ones
        assert 0.5 <= np.min(shares) <= np.max(shares) <= 1
