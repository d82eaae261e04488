"""Kills (SIGKILL) at moments drawn at random: what is run again afterwards ends, in every bit, as if nothing had happened."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from faults import killed

from tokensel_nb import StoredCorpus, TextClassifier
from tokensel_nb.support import seals
from tokensel_nb.support.files import PART

pytestmark = pytest.mark.processes
QUICK = {"one_layer": 4, "adam": 4, "deeper": 2, "count": 4, "store": 3, "store_together": 2, "save": 4, "write_a_report": 4}
MANY = dict(one_layer=40, adam=40, deeper=30, count=40, store=20, store_together=20, save=30, write_a_report=15, report=5)


@pytest.fixture(scope="module")
def done():
    """A function that does a job in a process of its own, which is killed after so many seconds, and returns its end."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, killed.__file__], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as server:

        def run(name, folder, delay=np.inf):
            print(name, delay, folder, sep="\t", file=server.stdin, flush=True)
            end, status = server.stdout.readline().split("\t")
            assert int(status) in (0, -signal.SIGKILL)
            return end if int(status) == 0 else None

        yield run


def check_what_is_left(folder, name, ends):
    """Whatever stands under a name is whole, at any moment."""
    if (file := folder / "run.safetensors").exists():
        seals.unsealed(file.read_bytes())
    if (folder / "model.safetensors").exists():
        assert killed.digest_of(TextClassifier.load(folder)) in ends
    if (file := folder / "report.html").exists():
        assert name == "report" or file.read_text() == killed.PAGE
    if (file := folder / "stored").exists():
        assert StoredCorpus(file).description() in ends
    known = ("stored", "run.safetensors", "imdb-test.parquet", "model.safetensors", "report.html", "texts.csv")
    assert all(path.name in known or PART.fullmatch(path.name) for path in folder.iterdir())


def kills_of_each(done, name, tmp_path, seed, cases):
    """Kill a job, every other one twice, until it was met at work; do it again; count the kills."""
    random = np.random.default_rng(seed)
    for unbroken in ("unbroken", "again"):
        (tmp_path / unbroken).mkdir()
    end, begun = done(name, tmp_path / "unbroken"), time.perf_counter()
    assert done(name, tmp_path / "again") == end
    lasting = time.perf_counter() - begun
    ends = {end, *map(killed.digest_of, killed.models())} if name == "save" else {end}
    for case in range(cases):
        folder, kills = tmp_path / str(case), 0
        folder.mkdir()
        while kills <= case % 2:
            found = done(name, folder, random.uniform(0, lasting))
            assert found in (None, end)
            if found is None:
                kills += 1
                check_what_is_left(folder, name, ends)
            elif kills:
                break  # it had gone on to its end
            else:
                lasting *= 0.8
                shutil.rmtree(folder)
                folder.mkdir()
        assert done(name, folder) == end, f"case {case}"
        yield kills


@pytest.mark.parametrize("name", QUICK)
def test_what_was_killed_ends_as_if_nothing_had_happened(done, name, tmp_path):
    assert min(kills_of_each(done, name, tmp_path, 0, QUICK[name])) >= 1


@pytest.mark.long
@pytest.mark.parametrize("name", MANY)
def test_240_that_were_killed_end_as_if_nothing_had_happened(done, name, tmp_path):
    kills = list(kills_of_each(done, name, tmp_path, 1, MANY[name]))
    assert min(kills) >= 1
    print(f"{name}: {len(kills)} of {len(kills)} end as the unbroken run, after {sum(kills)} kills")
