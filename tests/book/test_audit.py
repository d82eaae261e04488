"""The audit says what it found, and where it could find nothing: the database is played."""

import audit
import pytest

HOLE = {"name": "jinja2", "version": "2.4.1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.7"]}]}
SOUND = {"name": "numpy", "version": "2.4.6", "vulns": []}
UNKNOWN = {"name": "numpy", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("control", "rest", "status", "said"),
    [
        ([UNKNOWN], [SOUND], 0, "no database of advisories answered"),  # a mirror in its place
        ([], [SOUND], 0, "no database of advisories answered"),  # no network
        ([HOLE], [SOUND, UNKNOWN], 0, "1 packages looked up, 1 unknown ['numpy'], 0 advisories"),
        ([HOLE], [SOUND, HOLE], 1, "jinja2 2.4.1: PYSEC-1, mended in 2.7"),
        ([HOLE], [], 1, "0 packages looked up"),  # it broke off
    ],
)
def test_the_audit_says_what_it_found(monkeypatch, capsys, control, rest, status, said):
    monkeypatch.setattr(audit, "look_up", lambda packages: control if packages == [audit.CONTROL] else rest)
    assert audit.main() == status
    assert said in capsys.readouterr().out


def test_what_is_accepted_is_not_told_again(monkeypatch):
    monkeypatch.setitem(audit.ACCEPTED, "PYSEC-1", "no template here is a stranger's")
    assert audit.known([HOLE]) == []


def test_every_locked_package_is_looked_up():
    names = [entry.split("==")[0] for entry in audit.locked()]
    assert {"numpy", "torch", "uv"} <= set(names)
    assert not [entry for entry in audit.locked() if "\\" in entry or "sha256" in entry]
