"""All parts are recorded by one command, which goes on where it stopped."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from experiments import __main__ as command
from experiments import recording
from tokensel_nb.chapters.recorded import FOLDER


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Let no part run; return the names of those that were to, and which of them fail."""
    names, failing = [], set()
    monkeypatch.setattr(command, "PROGRESS", tmp_path / "_build" / "recording")
    monkeypatch.setattr(command, "times", lambda: {"long": {"minutes": 9}, "short": {"minutes": 1}})

    def process(arguments, **_):
        names.append(arguments[-1])
        return subprocess.CompletedProcess(arguments, int(arguments[-1] in failing))

    monkeypatch.setattr(command.subprocess, "run", process)
    return names, failing


def test_the_longest_begins_and_a_round_that_failed_goes_on_where_it_stopped(asked, capsys):
    names, failing = asked
    failing.add("long")
    assert not command.record_rest(["short", "long"], cores=1)
    assert names == ["long", "short"]
    assert "long FAILED: see _build/recording/long.log" in capsys.readouterr().out
    failing.clear()
    assert command.record_rest(["short", "long"], cores=1)
    assert names == ["long", "short", "long"]
    assert not command.PROGRESS.exists()  # the next round begins anew
    assert "1 of 2 parts are left: about 0.1 hours of one core, on 1" in capsys.readouterr().out


def test_what_measures_time_runs_alone_and_last(asked, monkeypatch):
    names, _ = asked
    monkeypatch.setattr(command, "ALONE", {"long"})
    assert command.record_rest(["long", "short"], cores=2)
    assert names == ["short", "long"]


def test_every_part_has_a_record_and_every_time_a_part():
    known = set(command.parts())
    assert known <= {path.stem for path in (FOLDER / "recorded").glob("*.json")}
    assert recording.times().keys() <= known


def test_parts_that_end_at_once_lose_no_time(monkeypatch, tmp_path):
    monkeypatch.setattr(recording, "TIMES", tmp_path / "times.json")
    names = [f"part {number}" for number in range(20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: recording.keep_time(name, {"minutes": 1.0}), names))
    assert set(recording.times()) == set(names)
