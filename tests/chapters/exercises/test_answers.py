"""The checks say why typical wrong answers are wrong; test_forms.py tries right ones, and such as are wrong without a name."""

import re

import numpy as np
import pytest
from notebooks import NOTEBOOKS, read, with_solutions
from wrong_answers import WRONG

from tokensel_nb.chapters.exercises.answers import (
    Checks,
    compare,
    labels,
    verdict,
)

CASES = [(label, *case) for label in labels() for case in WRONG[label]]


def as_answers(given):
    return given if isinstance(given, tuple) else (given,)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("label", "given", "said"), CASES, ids=[f"{label} {said}" for label, _, said in CASES])
def test_a_wrong_answer_is_told_why(label, given, said, seed):
    told = verdict(label, as_answers(given), seed)
    assert said in told
    assert re.fullmatch(r"([A-Z0-9'\"(]|[a-z] |lost_from).*[.?!]", told)  # a whole sentence, which a name may begin


def test_no_solution_is_without_its_check():
    found = [
        (label, cell.source.startswith("check(")) for path in NOTEBOOKS for label, cell in with_solutions(read(path)) if label
    ]
    assert sorted(label for label, is_check in found if is_check) == sorted(labels()) == sorted({label for label, _ in found})


def test_whatever_an_answer_raises_the_notebook_runs_on(capsys):
    check = Checks("01_model")
    check("ex-repeat", lambda f, q, value: 1 / 0)
    check("ex-repeat", lambda: 1)
    check("ex-repeat", "a number")
    said = capsys.readouterr().out
    stopped = "ex-repeat: With the exercise's 3 arguments your function stops"
    assert re.search(rf"{stopped} at '.*1 / 0.*': division by zero \(ZeroDivisionError\)\.\n", said)
    assert re.search(rf"{stopped}: .* takes 0 positional arguments but 3 were given \(TypeError\)\.\n", said)
    assert said.endswith("ex-repeat: Give a function, not str.\n")
    assert check.right == {"ex-repeat": 0}


def test_an_answer_cannot_change_the_case():
    def spoiling(E, p, v, tokens):
        E[:] = 0
        return 0.0

    assert "off by" in verdict("ex-one-pass", [spoiling], 0)


def test_the_seed_draws_another_case():
    seen = []
    for seed in (0, 0, 1):
        verdict("ex-repeat", [lambda *args: seen.append(args) or 0.0], seed)
    assert seen[0] == seen[1] != seen[2]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (np.ones(3), "shape"),
        ([1, np.nan], "finite"),
        ([-1, -2], "sign"),
        ([3, 6], "3 times"),
        ([1, 2.1], "off by 0.1"),
        ([1, 2.001], "If it is rounded, give more digits: at least six."),
        ([1, 2 + 1e-9], None),
    ],
)
def test_what_differs_is_named(found, said):
    (told,) = list(compare(found, np.array([1.0, 2.0]))) or [None]
    assert told == said or said in told
