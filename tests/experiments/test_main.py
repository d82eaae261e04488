"""All parts are recorded by one command, which goes on where it stopped."""

import subprocess

from experiments import __main__ as command


def test_a_round_that_failed_goes_on_where_it_stopped_and_what_measures_time_comes_last(monkeypatch, tmp_path, capsys):
    names, failing = [], {"one"}
    monkeypatch.setattr(command, "PROGRESS", tmp_path / "_build" / "recording")
    monkeypatch.setattr(command, "ALONE", {"timed"})

    def process(arguments, **_):
        names.append(arguments[-1])
        return subprocess.CompletedProcess(arguments, int(arguments[-1] in failing))

    monkeypatch.setattr(command.subprocess, "run", process)
    assert not command.record_rest(["timed", "one", "two"], cores=1)
    assert names == ["one", "two", "timed"]
    assert "one FAILED: see _build/recording/one.log" in capsys.readouterr().out
    failing.clear()
    assert command.record_rest(["timed", "one", "two"], cores=1)
    assert names[3:] == ["one"]
    assert not command.PROGRESS.exists()  # the next round begins anew
