"""Texts in shards, and texts that two processes of torchrun share, end as the same texts in one process."""

import itertools
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import Scored, sigmoids

import tokensel_nb as ts


def runs():
    """Corpora with a start and settings, under names."""
    texts, held_out = ts.independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)
    start = ts.init_parameters(30, 6, 0, dtype="float64")
    own = Scored(start.embeddings, np.ones(6), np.array(0.0))
    four, four_out = (
        replace(part, labels=np.resize(range(4), len(part)), class_names=tuple("abcd")) for part in (texts, held_out)
    )
    start_four = ts.init_parameters(30, 6, 0, num_classes=4, dtype="float64")
    return {
        "one layer": (texts, held_out, start, {}),
        "batches": (texts, held_out, start, dict(batch_size=33)),
        "one text a batch": (texts, held_out, start, dict(batch_size=1)),  # of which other processes have none
        "tensors": (texts, held_out, ts.to_device(start, "cpu"), {}),
        "four classes": (four, four_out, start_four, dict(batch_size=33, optimizer="gradient descent")),
        "patience": (texts, held_out, start, dict(steps=400, learning_rate=0.5, patience=3)),
        "own model": (texts, held_out, own, dict(model=sigmoids)),
        "own model, batches": (texts, held_out, own, dict(model=sigmoids, batch_size=33)),
    }


def trained(wrapped, texts, held_out, start, settings):
    """Return all numbers of a run whose texts were wrapped: parameters, history, and the step of its end."""
    run = ts.train(start, wrapped(texts), held_out=wrapped(held_out), **(dict(steps=12) | settings))
    return [*ts.as_numpy(run.parameters), *run.history, np.array(run.step)]


def assert_alike(found, wanted):
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10)


@pytest.fixture(scope="module")
def alone():
    return {name: trained(lambda texts: texts, *run) for name, run in runs().items()}


@pytest.mark.parametrize("name", runs())
def test_shards_end_as_a_corpus_in_memory(name, alone, tmp_path):
    numbers = itertools.count()

    def wrapped(texts):
        parts = (texts[begin : begin + 60] for begin in range(0, len(texts), 60))
        return ts.write_shards(tmp_path / f"{next(numbers)}.arrow", parts)

    assert_alike(trained(wrapped, *runs()[name]), alone[name])


def test_shards_give_back_what_was_written(tmp_path):
    texts = runs()["four classes"][0]
    shards = ts.write_shards(tmp_path / "texts.arrow", (texts[:70], texts[70:]))
    some = list(shards[[3, 1, 150]])
    assert [len(part) for part in some] == [2, 1]
    for part, wanted in zip([*shards, *some], (texts[:70], texts[70:], texts[[1, 3]], texts[[150]])):
        assert (part.counts != wanted.counts).nnz == 0
        assert (part.labels.tolist(), part.class_names) == (wanted.labels.tolist(), wanted.class_names)
        assert np.array_equal(part.vocabulary, wanted.vocabulary)
    assert np.array_equal(shards.labels, texts.labels)
    assert shards.digest() != shards[1:].digest()


def test_two_processes_end_as_one(alone, tmp_path):
    engine = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}  # where the helpers are
    done = subprocess.run([*engine, __file__, str(tmp_path)], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    each = [pickle.loads((tmp_path / str(rank)).read_bytes()) for rank in range(2)]
    assert "the processes have different texts" in each[0].pop("other texts")
    assert each[1].pop("other texts")
    for name, wanted in alone.items():
        assert_alike(each[0][name], wanted)
        assert all(np.array_equal(*pair, equal_nan=True) for pair in zip(each[0][name], each[1][name])), "equal bits"
    assert_alike(each[0]["shards"], alone["batches"])


def main(folder):
    """Run everything in one of the processes, and write what came of it."""
    found = {name: trained(ts.Shared, *run) for name, run in runs().items()}
    texts, held_out, *rest = runs()["batches"]
    rank = ts.Shared(texts).rank
    shards = lambda part: ts.Shared(ts.write_shards(folder / f"{rank} {len(part)}.arrow", [part[:20], part[20:]]))
    found["shards"] = trained(shards, texts, held_out, *rest)
    try:
        ts.Shared(texts[rank:])
    except ValueError as error:
        found["other texts"] = str(error)
    (folder / str(rank)).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
