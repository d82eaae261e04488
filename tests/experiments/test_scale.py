"""What is recorded of the cost of a step, and its measurements in small."""

import pytest

from experiments import scale


def test_tensors_reach_a_share_of_the_bandwidth():
    found = scale.tensors(texts=2000, numbers=2**22, rounds=2, shard=1500)
    memory, disk = found["seconds of an entry"].values()
    assert 0 < found["share"] < 4  # so small a copy lies in a cache
    assert found["share"] * found["bandwidth"] * memory == pytest.approx(16 + 28 * 7780 * scale.DIM / found["entries"])
    assert disk > 0
