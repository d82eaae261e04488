"""The checks refuse typical wrong answers, and say why; that they accept the book's solutions, its notebooks show."""

import ast
import re

import numpy as np
import pytest
from notebooks import NOTEBOOKS, read
from wrong_answers import WRONG

from course.copies import pieces
from tokensel_nb.chapters.exercises.answers import (
    NOT_YET,
    RIGHT,
    Checks,
    close,
    compare,
    cross_entropy,
    labels,
    slopes,
    verdict,
)

SHOWN = {}  # what the book's notebooks say of their own solutions
for path in NOTEBOOKS:
    for label, cell in pieces(read(path)):
        if label and cell.source.startswith("check("):
            SHOWN.setdefault(label, []).append((cell.source, "".join(output.get("text", "") for output in cell.outputs)))
CASES = [(label, *case) for label in labels() for case in WRONG[label]]


def as_answers(given):
    return given if isinstance(given, tuple) else (given,)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("label", "given", "said"), CASES, ids=[f"{label} {said}" for label, _, said in CASES])
def test_a_wrong_answer_is_told_why(label, given, said, seed):
    told = verdict(label, as_answers(given), seed)
    assert said in told
    assert re.fullmatch(r"([A-Z0-9'\"(]|[a-z] |lost_from).*[.?!]", told)  # a whole sentence, which a name may begin


@pytest.mark.parametrize("label", labels())
def test_every_check_meets_three_wrong_answers(label):
    given = [case[0] for case in WRONG[label]]
    assert len(set(map(id, given))) >= 3


@pytest.mark.parametrize("label", labels())
def test_an_empty_answer_is_not_there_yet(label):
    answers = len(as_answers(WRONG[label][0][0]))
    assert verdict(label, answers * [...], 0) == NOT_YET


@pytest.mark.parametrize("label", labels())
def test_an_empty_function_is_not_there_yet(label):
    answers = as_answers(WRONG[label][0][0])
    if any(map(callable, answers)):
        assert verdict(label, [(lambda *args: ...) if callable(each) else each for each in answers], 0) == NOT_YET


@pytest.mark.parametrize("label", labels())
def test_a_solution_of_the_book_is_right(label):
    """The notebook shows it, and every run of the notebook shows it again (nbval)."""
    ((source, shown),) = SHOWN[label]
    assert source.startswith(f'check("{label}", ')
    assert shown == f"{label}: {RIGHT}\n"


def answers_of(path):
    """Return what each solution of a notebook defines without what the chapter computed before: its functions."""
    imports, solutions, asked = [], {}, {}
    for label, cell in pieces(read(path)):
        if cell.cell_type == "code":
            tree = ast.parse(cell.source).body
            imports += [node for node in tree if isinstance(node, (ast.Import, ast.ImportFrom))]
            solutions.setdefault(label, []).extend(node for node in tree if isinstance(node, ast.FunctionDef))
            if cell.source.startswith("check("):
                asked[label] = [name.id for name in tree[0].value.args[1:]]
    for label, names in asked.items():
        room = {}
        exec(compile(ast.Module([*imports, *solutions[label]], []), path.name, "exec"), room)
        yield label, [room.get(name) for name in names]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_solution_is_right_whatever_the_seed(path):
    found = {(label, seed): verdict(label, given, seed) for label, given in answers_of(path) for seed in range(1, 6)}
    told = {label: said for (label, _), said in found.items() if said != RIGHT}
    assert set(told) <= {"ex-far", "ex-your-impure", "ex-your-sentences"}  # which need what the chapter computed


def test_no_solution_is_without_its_check():
    found = {label for path in NOTEBOOKS for label, _ in pieces(read(path)) if label}
    assert set(SHOWN) == set(labels()) == found


def test_whatever_an_answer_raises_the_notebook_runs_on(capsys):
    check = Checks("01_model")
    check("ex-repeat", lambda f, q, value: 1 / 0)
    check("ex-repeat", lambda: 1)
    check("ex-repeat", "a number")
    said = capsys.readouterr().out
    stopped = "ex-repeat: With the 3 arguments of the exercise your function stops"
    assert re.search(rf"{stopped} at '.*1 / 0.*': division by zero \(ZeroDivisionError\)\.\n", said)
    assert re.search(rf"{stopped}: .* takes 0 positional arguments but 3 were given \(TypeError\)\.\n", said)
    assert said.endswith("ex-repeat: A function is wanted, not str.\n")
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


def test_a_label_without_a_check_is_refused():
    with pytest.raises(ValueError, match="ex-nowhere"):
        verdict("ex-nowhere", [0], 0)


def test_the_tools_of_checks():
    assert close(np.array([1e6, 1e-3]), np.array([1e6, 0.0]))
    assert not close(np.zeros(2), np.zeros(3))
    np.testing.assert_allclose(slopes(lambda x: (x**2).sum(), np.array([[1.0, -2.0]])), [[2, -4]], atol=1e-6)
    assert cross_entropy(np.zeros((3, 2)), np.array([0, 1, 1])) == pytest.approx(np.log(2))
