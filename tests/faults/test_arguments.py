"""No argument surprises: whatever is handed over in the place of a valid one, a sentence says so, or nothing changes.

`twins` has one valid call of everything public, `mutations` the bad values in the place of each argument, `judge` the process
in which they are tried; a call may hang or crash there without taking the tests along.
"""

import collections
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tokensel_nb as ts

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import judge  # noqa: E402
import twins  # noqa: E402
from mutations import EITHER, ERROR, SAME, Bad  # noqa: E402


def judged(*arguments):
    """Return what is wrong, and how often what came, of the cases that `judge` is asked for."""
    found = subprocess.run([sys.executable, HERE / "judge.py", *arguments], capture_output=True, text=True, check=True)
    *wrong, tally = found.stdout.splitlines()
    return wrong, collections.Counter(json.loads(tally))


def test_everything_public_has_a_twin():
    """What a person calls, all its arguments, and of each what else might be handed over."""
    made = twins.twins(np.random.default_rng(0))
    called = {name.split(",")[0] for name in made}
    assert set(ts.__all__) - called - twins.NOT_CALLED - twins.READERS - twins.ELSEWHERE == set()
    assert (twins.NOT_CALLED | twins.READERS | twins.ELSEWHERE) <= set(ts.__all__)
    for name, twin in made.items():
        assert set(twin.kinds) <= set(twin.arguments), name


@pytest.mark.processes
def test_bad_arguments():
    """Every fifth case, which is of every argument some; all of them, twice, are `test_all_bad_arguments`."""
    wrong, tally = judged("0", "1", "--every", "5")
    assert not wrong
    assert tally["cases"] >= 2000
    assert tally["clear error"] > 1000
    assert tally["fine"] > 300


@pytest.mark.long
@pytest.mark.parametrize("salt", [0, 1])
def test_all_bad_arguments(salt):
    wrong, tally = judged(str(salt), str(salt + 1))
    assert not wrong
    assert tally["cases"] >= 10_000


def raises(error):
    raise error


@pytest.mark.parametrize(
    ("call", "outcome", "column"),
    [
        (lambda x: np.sqrt(x), SAME, "fine"),
        (lambda x: np.sqrt(x) + isinstance(x, np.floating), SAME, "silent"),
        (lambda x: np.sqrt(x), ERROR, "silent"),
        (lambda x: ts.Options(dim=x) and x, ERROR, "raw traceback"),
        (lambda x: ts.Options(learning_rate=0 * x), ERROR, "raw traceback"),
        (lambda x: raises(ValueError("x=2; give 1")), ERROR, "raw traceback"),
        (lambda x: x * np.inf, EITHER, "silent"),
    ],
    ids=["right", "wrong result", "accepted", "another's name", "its name is not x", "not ours", "not finite"],
)
def test_the_judge_sees_what_is_wrong(call, outcome, column):
    twin = twins.Twin(call, dict(x=4.0), {})
    bad = Bad("another", outcome, lambda: np.float64(4.0) if outcome == SAME else 2.5)
    wanted = {"result": np.asarray(2.0)}
    found, error = judge.called(twin, twin.arguments, "x", bad)
    assert judge.verdict(bad, ("x",), twin, wanted, found, error)[0] == column


@pytest.mark.processes
def test_the_judge_outlives_hangs_and_crashes(monkeypatch):
    """A worker that loops, one that sleeps and one that dies each cost their own case, and no other."""
    made = {
        "loop": lambda x: [None for _ in iter(int, 1)] if x else x,
        "die": lambda x: judge.os.kill(judge.os.getpid(), judge.signal.SIGSEGV) if x else x,
        "fine": lambda x: 0 * x,
    }
    kinds = dict(x=lambda value, random: iter([Bad("one", SAME, lambda: 1)]))
    monkeypatch.setattr(judge, "SECONDS", 1)
    monkeypatch.setattr(
        twins, "twins", lambda random: {name: twins.Twin(call, dict(x=0), kinds) for name, call in made.items()}
    )
    found = {name: column for name, *_, column, _ in judge.judged(judge.all_cases())}
    assert found == {"loop": "hang", "die": "crash", "fine": "fine"}
