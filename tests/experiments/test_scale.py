"""What is recorded of the cost of a step, and its measurements in small."""

import pytest

from experiments import scale
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.chapters.scale import sizes_of


def test_tensors_reach_a_share_of_the_bandwidth():
    found = scale.tensors(texts=2000, numbers=2**22, rounds=2, shard=1500)
    memory, disk = found["seconds of an entry"].values()
    assert 0 < found["share"] < 4  # so small a copy lies in a cache
    assert found["share"] * found["bandwidth"] * memory == pytest.approx(16 + 28 * 7780 * scale.DIM / found["entries"])
    assert min(disk, memory) > 0
    assert found["gpu"] == recorded("scale_tensors")["gpu"]


def test_what_is_recorded_is_of_the_protocol():
    run = recorded("scale")
    for name, points in scale.POINTS.items():
        sizes = sizes_of(run[name])
        assert [(kind, size.texts, size.dim, size.classes) for kind, size in zip(run[name]["kind"], sizes)] == [
            (kind, texts, dim, classes) for kind, texts, _, dim, classes in points
        ]
        assert min(run[name]["seconds"]) > 0
    assert max(size.texts for size in sizes_of(run["fitted"])) < 25_000
    for of in run["same"].values():
        assert len(of) == 6
        assert all(apart <= 1e-10 and over == 1 for apart, over in of.values())
    assert sorted(run["exchange"]) == sorted(run["speed"]) == ["2", "4"]
