"""What a step costs: the formulas against arrays and arithmetic, and the measurements in small."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import tokensel_nb as ts
from experiments import scale
from experiments.scale import Machine, Size, on_paper, size_of

SIZE = Size(texts=10**6, entries=10**8, words=10**4, dim=64)
MACHINE = Machine(units=4, bandwidth=1e10, memory=1e9, feed=1e9, link=1e10)
PARTS = ("disk", "preparing", "counts", "embeddings", "network")
PAGE = Path(__file__).parents[2] / "book" / "cost.md"


@pytest.fixture(scope="module")
def corpus():
    return ts.independent_tokens(400, 60, 12, 0.5, seed=0)


def test_the_bytes_are_those_of_the_arrays(corpus):
    """Against arrays as they lie in memory: counts twice; E, Adam's two means, and E once more; three written."""
    parameters = ts.init_parameters(corpus.vocab_size, 8, seed=0)
    counts = corpus.counts.indices.astype(np.int32).nbytes + corpus.counts.data.astype(np.float32).nbytes
    assert size_of(corpus, 8).bytes == 2 * counts + 7 * parameters.embeddings.nbytes


def test_a_process_sends_two_numbers_a_word(corpus, monkeypatch):
    sent = []
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda numbers: sent.append(numbers.numel() * numbers.element_size()))
    step = scale.stepper(ts.Shared(corpus, 0, 2), ts.init_parameters(corpus.vocab_size, 8, seed=0))
    step()
    sent.clear()
    step()
    assert sent == [size_of(corpus, 8).exchanged]


def test_a_step_on_paper_is_the_sum_of_its_parts():
    found = on_paper(SIZE, MACHINE, share=0.5)
    assert found["disk"] == found["preparing"] == 0
    assert 4 * found["counts"] + found["embeddings"] == pytest.approx(SIZE.bytes / (0.5 * 1e10))
    assert found["network"] == pytest.approx(2 * 3 / 4 * SIZE.exchanged / 1e10)
    assert on_paper(SIZE, MACHINE._replace(units=1), 0.5)["network"] == 0
    fed = on_paper(SIZE, MACHINE._replace(memory=1e8), 0.5, preparing=2e-8)
    assert (fed["disk"], fed["preparing"]) == pytest.approx((0.808, 0.5))
    for each in (found, fed):
        assert each["step"] == pytest.approx(sum(each[name] for name in PARTS))


def test_memory_on_paper_is_that_of_the_arrays_as_they_are_stored(corpus):
    counts, lengths = corpus.counts, np.zeros(len(corpus) + 1, np.int64)
    arrays = counts.indices.astype(np.int32), counts.data.astype(np.float32), lengths[1:]
    start = ts.init_parameters(corpus.vocab_size, 8, seed=0)
    found = on_paper(size_of(corpus, 8), MACHINE._replace(units=1), 0.5)
    assert found["memory"] == sum(array.nbytes for array in arrays) + 4 * start.embeddings.nbytes


@pytest.mark.parametrize("entry", [8, 12, 24])
def test_so_many_units_hold_the_counts_and_one_fewer_does_not(entry):
    enough = on_paper(SIZE, MACHINE._replace(memory=1e8), 0.5, entry)["enough"]
    for units in (enough - 1, enough):
        found = on_paper(SIZE, MACHINE._replace(memory=1e8, units=units), 0.5, entry)
        assert (found["memory"] <= 1e8) == (found["disk"] == 0) == (units == enough)
    assert on_paper(SIZE._replace(dim=4096), MACHINE._replace(memory=1e8), 0.5)["enough"] == np.inf, "E alone is too large"


def test_the_page_has_the_bytes_of_the_formula():
    rows = re.findall(r"^\| ([\d,]+).*, \$d=(\d+)\$ \| ([\d,]+) MB \| (\d+%)", PAGE.read_text("utf-8"), re.M)
    assert len(rows) == 3
    for texts, dim, told, share in rows:
        size = size_of(scale.repeated(int(texts.replace(",", ""))), int(dim))
        assert (told, share) == (f"{size.bytes / 1e6:,.0f}", f"{28 * size.words * size.dim / size.bytes:.0%}")


def test_tensors_reach_a_share_of_the_bandwidth():
    found = scale.tensors(texts=2000, numbers=2**22, rounds=2, shard=1500)
    memory, disk = found["seconds of an entry"].values()
    assert 0 < found["share"] < 4  # so small a copy lies in a cache
    assert found["share"] * found["bandwidth"] * memory == pytest.approx(16 + 28 * 7780 * scale.DIM / found["entries"])
    assert disk > 0
