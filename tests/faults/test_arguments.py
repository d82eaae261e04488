"""No argument surprises: whatever is handed over in the place of a valid one, a sentence says so, or nothing changes.

`twins` has one valid call of everything public, `mutations` the bad values in the place of each argument, `judge` the process
in which they are tried; a call may hang or crash there without taking the tests along.
"""

import collections
import inspect
import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import tokensel_nb as ts
from tokensel_nb.yourdata import command

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import api  # noqa: E402
import judge  # noqa: E402
import mutations  # noqa: E402
import of_your_data  # noqa: E402
import twins  # noqa: E402
from mutations import EITHER, ERROR, SAME, Bad  # noqa: E402


def judged(*arguments):
    """Return what is wrong, and how often what came, of the cases that `judge` is asked for."""
    found = subprocess.run([sys.executable, HERE / "judge.py", *arguments], capture_output=True, text=True, check=True)
    *wrong, tally = found.stdout.splitlines()
    return wrong, collections.Counter(json.loads(tally))


MADE = twins.twins(np.random.default_rng(0))
TRIED = {}  # by each call, the arguments in whose place something else is handed over, in one of its twins
for name, twin in MADE.items():
    TRIED.setdefault(name.split(",")[0], set()).update(twin.kinds)


@pytest.mark.parametrize("name", api.public_calls())
def test_every_argument_of_everything_public_is_tried(name):
    """Also of what is new: calls and their arguments are found in the package, not listed here."""
    options = {argument for argument in api.public_calls()[name] if argument in ("options", "changes")}
    assert set(api.public_calls()[name]) - options <= TRIED.get(name, set())
    assert not options or any(each.split(",")[0] == name and each != name for each in MADE), "options have a twin of their own"


def test_every_twin_is_of_something_public_and_tries_what_it_is_given():
    for name, twin in MADE.items():
        owner, _, member = name.split(",")[0].partition(".")
        assert owner in ts.__all__, name
        assert not member or hasattr(getattr(ts, owner), member), name
        assert set(twin.kinds) <= set(twin.arguments), name


@pytest.mark.parametrize("name", api.MADE_BY)
def test_what_nobody_calls_is_made_by_a_function_that_is_tried(name):
    maker = getattr(ts, api.MADE_BY[name])
    told = [str(field.type) for field in fields(maker)] if inspect.isclass(maker) else [maker.__annotations__["return"]]
    assert any(re.search(rf"\b{name}\b", annotation) for annotation in told)
    assert api.MADE_BY[name] in TRIED or api.MADE_BY[name] in api.MADE_BY


def test_abstract_classes_are_called_by_nobody():
    for name in api.ABSTRACT:
        with pytest.raises((TypeError, ValueError)):
            getattr(ts, name)()
    assert set(TRIED) >= api.BY_FUNCTIONS


def test_what_may_go_either_way_has_a_reason():
    """And no reason is left over."""
    labels = set()
    for twin in MADE.values():
        for argument, kind in twin.kinds.items():
            bads = kind(twin.arguments[argument], np.random.default_rng([0, 1]))
            labels.update(bad.label.rpartition(": ")[2].strip("'") for bad in bads if bad.outcome == EITHER)
    known = {label: [reason for reason in mutations.WHY_EITHER if re.fullmatch(reason, label)] for label in labels}
    assert not [label for label, reasons in known.items() if len(reasons) != 1]
    assert {reason for reasons in known.values() for reason in reasons} == set(mutations.WHY_EITHER)


WORDS = [
    "",
    " ",
    "nope",
    "-1",
    "1e3",
    "0x1",
    "٣",
    "9" * 400,
    "a\nb",
    "\x1b[31m",
    "\ud800",
    "a" * 5000,
    "=1+1",
    "nowhere/at/all",
    "/",
]
NAMES = ["nope", " ", "-1", "1e3", "0x1", "٣", "9" * 200, "\x1b[31m", "a\nb", "=1+1"]  # of files that can be made
# What an option may be given without harm, by its name.
HARMLESS = {name: [] for name in ("folder", "source", "encoding", "label", "probabilities")} | {
    "text": ["\ud800", *WORDS],  # the column of a table, or, to be explained, any text
    "output": [*NAMES, "nowhere/at/all"],  # its folder is made, too
    "save": [*NAMES, "nowhere/at/all", "/"],  # folders that are made
    "classes": ["=1+1"],
    "seed": ["٣", "9" * 400, "9" * 200],
    "least": ["٣", "9" * 400, "9" * 200],  # which `report` refuses
}


@pytest.fixture(scope="module")
def command_line(tmp_path_factory):
    """Return what each verb of the command is given, which is right."""
    folder = tmp_path_factory.mktemp("command")
    texts = folder / "texts.csv"
    texts.write_text("text,label\n" + "a good film,up\na bad film,down\n" * 8)
    chances = folder / "chances.csv"
    chances.write_text("down,up\n" + "0.1,0.9\n0.8,0.2\n" * 8)
    of_your_data.model().save(folder / "model")
    reading = dict(source=str(texts), text="text", encoding="utf-8")
    how = dict(
        label="label", classes="up=up", output=str(folder / "report.html"), seed="0", least="5", save=str(folder / "new")
    )
    return {
        "report": reading | how | dict(probabilities=str(chances)),
        "predict": reading | dict(folder=str(folder / "model"), output=str(folder / "predicted.csv")),
        "explain": dict(folder=str(folder / "model"), text="a good film", output=str(folder / "why.html")),
    }


OPTIONS = api.options_of_the_command()
VALUED = {key: action for key, action in OPTIONS.items() if action.nargs != 0}


def test_every_option_of_the_command_is_tried(command_line):
    assert {(verb, name) for verb, given in command_line.items() for name in given} == set(VALUED)
    assert {name for _, name in VALUED} == set(HARMLESS)
    assert {name for _, name in set(OPTIONS) - set(VALUED)} == {"no_texts", "skip_bad_rows"}  # which take no value


def written(verb, given):
    """Return a command line."""
    line = [verb]
    for name, value in given.items():
        flags = VALUED[verb, name].option_strings
        line.append(f"{flags[-1]}={value}" if flags else value)
    return [
        *line[:1],
        *(part for part in line[1:] if part.startswith("--")),
        "--",
        *(part for part in line[1:] if part[:2] != "--"),
    ]


@pytest.mark.parametrize(("verb", "name"), VALUED, ids=lambda part: part)
def test_a_bad_option_of_the_command_gets_one_line(verb, name, command_line, capsys, monkeypatch, tmp_path):
    """Beside the same line with a right one, which ends well; most verbs are too slow to be tried to their end each time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tokensel_nb.yourdata.page.find", lambda *_, **__: stop())
    for value in WORDS:
        if value in HARMLESS[name]:
            continue
        status = ended(written(verb, command_line[verb] | {name: value}))
        told = capsys.readouterr().err
        assert status in (1, 2), (value, told)
        last = told.rstrip("\n").split("\n")[-1]
        assert last.startswith("tokensel"), (value, told)
        assert len(last) < 1000, value
        assert "Traceback" not in told, value
        assert all(letter.isprintable() or letter == "\n" for letter in told), value


def stop():
    raise SystemExit("reached")


def ended(line):
    try:
        return command.main(line)
    except SystemExit as end:
        return end.code


@pytest.mark.processes
def test_bad_arguments():
    """Every fifth case, which is of every argument some; all of them, four times, are `test_all_bad_arguments`."""
    wrong, tally = judged("0", "1", "--every", "5")
    assert not wrong
    assert tally["cases"] >= 15_000
    assert tally["clear error"] > 2000
    assert tally["fine"] > 500


@pytest.mark.long
@pytest.mark.parametrize("salt", range(4))
def test_all_bad_arguments(salt):
    wrong, tally = judged(str(salt), str(salt + 1))
    assert not wrong
    assert tally["cases"] >= 15_000


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
