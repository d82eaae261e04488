"""What is recorded of the cost of a step, and its measurements in small."""

import sys

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import scale
from tokensel_nb.chapters.recorded import recorded
from tokensel_nb.chapters.scale import sizes_of


def test_tensors_reach_a_share_of_the_bandwidth():
    found = scale.tensors(texts=2000, numbers=2**22, rounds=2, memory=140e6)  # in two blocks
    memory, disk = found["seconds of an entry"].values()
    assert 0 < found["share"] < 4  # so small a copy lies in a cache
    assert found["share"] * found["bandwidth"] * memory == pytest.approx(16 + 28 * 7780 * scale.DIM / found["entries"])
    assert disk > memory
    assert found["gpu"] == recorded("scale_tensors")["gpu"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_the_peak_of_memory_is_that_of_a_process_of_its_own(tmp_path):
    held = np.ones(2**27)  # a gigabyte, which is not counted
    found = scale.out_of_core(26_000, 200e6, tmp_path / "stored")
    assert 5e7 < found["peak"] < 1.1 * 200e6 < held.nbytes
    assert found["stored"] == 8 * found["entries"]
    stored = ts.StoredCorpus(tmp_path / "stored")
    assert (len(stored), stored.row_ends[-1]) == (26_000, found["entries"])


def test_what_is_recorded_is_of_the_protocol():
    run = recorded("scale")
    for name, points in scale.POINTS.items():
        sizes = sizes_of(run[name])
        assert [(kind, size.texts, size.dim, size.classes) for kind, size in zip(run[name]["kind"], sizes)] == [
            (kind, texts, dim, classes) for kind, texts, _, dim, classes in points
        ]
        assert min(run[name]["seconds"]) > 0
    assert max(size.texts for size in sizes_of(run["fitted"])) < 25_000
    assert [(row["texts"], row["setting"]) for row in run["memory"]] == [tuple(each) for each in scale.SETTINGS]
    for of in run["same"].values():
        assert len(of) == 6
        assert all(apart <= 1e-10 and over == 1 for apart, over in of.values())
    assert sorted(run["exchange"]) == sorted(run["speed"]) == ["2", "4"]
