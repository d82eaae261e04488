import json
import re

import pytest

import tokensel_nb as ts
from experiments import recording
from tokensel_nb.chapters.recorded import recorded


@pytest.mark.parametrize(("names", "stored"), [((), {"one": 1, "two": 2}), (["two"], {"two": 2})])
def test_all_is_run_or_what_is_named(monkeypatch, capsys, names, stored):
    written = {}
    monkeypatch.setattr(recording, "record", lambda name, results: written.update({name: results}) or f"{name}.json")
    recording.run({"one": lambda: 1, "two": lambda: 2}, names)
    assert written == stored
    assert capsys.readouterr().out.split() == [f"{name}.json" for name in stored]


def test_a_record_names_its_machine_and_date(tmp_path, monkeypatch):
    monkeypatch.setattr("tokensel_nb.chapters.recorded.FOLDER", tmp_path)
    path = recording.record("run", {"accuracy": 0.5}, tmp_path)
    assert json.loads(path.read_text())["accuracy"] == 0.5
    machine = recorded("run")["machine"]
    assert {"processor", "cores", "torch", "date"} <= machine.keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", machine["date"])


def test_bins_are_stored_without_the_empty_ones_and_with_their_band():
    bins = ts.binned([0.1, 0.2, 0.9], [1.0, 3.0, 5.0], bins=3)
    stored = recording.plain(bins, band=([0, 0, 1], [4, 5, 6]))
    assert list(stored) == ["centres", "sizes", "means", "spreads", "low", "high"]
    assert (stored["means"], stored["sizes"], stored["high"]) == ([2.0, 5.0], [2.0, 1.0], [4.0, 6.0])
    assert recording.plain(bins, {"means": 0}) == {"means": [2.0, 5.0]}
