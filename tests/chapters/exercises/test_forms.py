"""Every exercise takes its right answer in whatever form it comes, and refuses wrong ones of several kinds in a sentence.

Right answers are the solutions of the notebooks, and wrong ones are made from them. So a new exercise is tried by itself.
"""

import ast
import re
from functools import cache
from inspect import signature

import numpy as np
import pandas as pd
import pytest
import torch
from notebooks import NOTEBOOKS, code_cells, read, with_solutions

from tokensel_nb.chapters.exercises.answers import NOT_YET, RIGHT, labels, verdict

OF_THE_CHAPTER = {"ex-your-impure": ("centres = ", "laws = ")}  # cells that a solution needs, by what they hold
READ_OFF = {"ex-your-sentences": {"top": ["unfunny", "dull", "bore", "boring"], "highest": 0.3}}  # a report takes too long
STILL_RIGHT = {  # what an exercise leaves open, so that a changed answer is right, too
    ("ex-labels", "two digits"): "any step that gives the correlation to two digits",
    ("ex-chance", "two digits"): "draws are compared as draws are",
    ("ex-beyond-rank", "half as much again"): "the signs of sums are asked for",
    ("ex-beyond-rank", "two digits"): "the signs of sums are asked for",
    ("ex-beyond-separable", "of another case"): "weights that prove it for other texts may prove it for these",
    ("ex-beyond-separable", "half as much again, part 3"): "weights of texts have no size",
    ("ex-your-impure", "two digits"): "suspicions are compared with bounds",
    ("ex-your-impure", "of another case"): "suspicions are compared with bounds",
    ("ex-your-sentences", "half as much again"): "any suspicion below one half",
    ("ex-unbalanced", "half as much again"): "weights of texts have no size",
    ("ex-length", "two digits"): "the rule is an approximation",
    ("ex-zipf", "the other sign, part 2"): "either word may be the positive one",
    ("ex-far", "two digits"): "a flow ends near its direction",
}


@cache
def solutions():
    """Return what the solutions of the notebooks define, by label."""
    found = {}
    for path in NOTEBOOKS:
        book = read(path)
        imports = [line for cell in code_cells(book) for line in ast.parse(cell.source).body if is_import(line)]
        for label, cell in with_solutions(book):
            if label and cell.source.startswith("check("):
                room, names = {}, [name.id for name in ast.parse(cell.source).body[0].value.args[1:]]
                exec(compile(ast.Module([*imports, *lines_of(label, names, book)], []), label, "exec"), room)
                found[label] = [READ_OFF.get(label, room)[name] for name in names]
    return found


def is_import(line):
    return isinstance(line, (ast.Import, ast.ImportFrom))


def lines_of(label, names, book):
    """Return the lines of a solution that its answers need: mostly its functions."""
    cells = [cell for cell in code_cells(book) if any(held in cell.source for held in OF_THE_CHAPTER.get(label, ()))]
    cells += [cell for of, cell in with_solutions(book) if of == label and cell.cell_type == "code"]
    lines = [line for cell in cells for line in ast.parse(cell.source).body]
    functions = [line for line in lines if isinstance(line, ast.FunctionDef)]
    if label in OF_THE_CHAPTER or (label not in READ_OFF and not {line.name for line in functions} >= set(names)):
        return [line for line in lines if not re.match(r"(check|claim|print)\(", ast.unparse(line))]
    return functions


def parts_of(found):
    """Return an answer's arrays: those of parameters, those of a tuple, or one alone."""
    found = tuple(found) if hasattr(found, "_fields") else found
    return [np.asarray(part) for part in found] if isinstance(found, tuple) else [np.asarray(found)]


def changed(answer, change):
    """Return an answer, a value or what a function returns, changed."""
    return (lambda *given: change(answer(*given))) if callable(answer) else change(answer)


def form(change, several=tuple):
    """Return a change of every array of an answer."""

    def whole(found):
        parts = [change(part) for part in parts_of(found)]
        return parts[0] if len(parts) == 1 else several(parts)

    return whole


def tensor(array, **options):
    """Return a tensor; there is none of words."""
    return torch.tensor(array, **options) if array.dtype.kind in "biuf" else array


def with_gradient(array):
    return tensor(array, dtype=torch.float64, requires_grad=True)


def list_of_tensors(array):
    return [list_of_tensors(row) if row.ndim else with_gradient(row) for row in array] if array.ndim else with_gradient(array)


def in_digits(array, digits):
    number = np.vectorize(lambda number: float(f"{number:.{digits}g}"))
    return number(array) if array.dtype.kind == "f" and array.size else array


FORMS = {
    "floats": form(np.ndarray.tolist),
    "scalars of numpy": form(lambda array: list(array) if array.ndim else array[()]),
    "arrays without dimension": form(lambda array: [np.array(each) for each in array] if array.ndim else array),
    "arrays of one": form(np.atleast_1d),
    "tensors": form(tensor),
    "tensors in float32": form(lambda array: tensor(array, dtype=torch.float32)),
    "tensors with a gradient": form(with_gradient),
    "lists": form(lambda array: np.atleast_1d(array).tolist(), several=list),
    "lists of tensors": form(list_of_tensors, several=list),
    "tables": form(lambda array: pd.DataFrame(array) if array.ndim == 2 else pd.Series(np.atleast_1d(array))),
    "another formula": form(lambda array: (7 * array + 3 - 3) / 7 if array.dtype.kind == "f" else array),
    "six digits": form(lambda array: in_digits(array, 6)),
}


def renamed(answer):
    """Return a function whose arguments have other names."""
    if not callable(answer):
        return answer
    names = [f"argument_{place}" for place, _ in enumerate(signature(answer).parameters)]
    asked = [name for name, each in zip(names, signature(answer).parameters.values()) if each.default is each.empty]
    given = ", ".join([*asked, *(f"{name}=None" for name in names[len(asked) :])])
    passed = ", ".join(names)
    return eval(f"lambda {given}: answer(*(each for each in ({passed},) if each is not None))", {"answer": answer})


@pytest.mark.parametrize("label", labels())
def test_a_right_answer_is_right_in_every_form(label):
    """Each in a case of its own."""
    answers = solutions()[label]
    tried = {name: [changed(answer, change) for answer in answers] for name, change in FORMS.items()}
    tried["other names of arguments"] = list(map(renamed, answers))
    said = {name: verdict(label, given, seed) for seed, (name, given) in enumerate(tried.items())}
    assert {name: told for name, told in said.items() if told != RIGHT} == {}


def one_more(array):
    return np.concatenate([np.atleast_1d(array), np.atleast_1d(array)[:1]])


def other_sign(array):
    return ~array if array.dtype.kind == "b" else -array


CHANGES = {
    "the other sign": other_sign,
    "half as much again": lambda array: 1.5 * array,
    "not finite": lambda array: np.nan * array,
    "one more": one_more,
    "two digits": lambda array: in_digits(array, 2),
    "an object": lambda array: object(),
}


def instead(answers, place, other):
    return [*answers[:place], other, *answers[place + 1 :]]


def heard(label, place, seed):
    """Return what an answer, if it is a function, says at a case, call by call."""
    said, answers = [], solutions()[label]
    hears = changed(answers[place], lambda found: said.append(found) or found)
    assert verdict(label, instead(answers, place, hears), seed) == RIGHT
    return said


def spoiler(change, part, differs):
    """Return what changes one part of an answer, and notes whether that makes a difference."""

    def spoilt(found):
        parts = parts_of(found)
        before = parts[part]
        if before.dtype.kind in "biuf" or change is one_more:
            parts[part] = change(before)
        differs.append(not np.array_equal(before, parts[part]))
        return parts[0] if len(parts) == 1 else tuple(parts)

    return spoilt


def made_wrong(label):
    """Yield wrong answers to an exercise with the names of their kinds: one part of one answer is wrong at a time."""
    answers = solutions()[label]
    for place, answer in enumerate(answers):
        parts = len(parts_of(heard(label, place, 0)[0]))
        for kind, change in CHANGES.items():
            for part in range(parts):
                differs = []
                name = kind if parts == 1 else f"{kind}, part {part + 1}"
                yield name, instead(answers, place, changed(answer, spoiler(change, part, differs))), differs


def unfit(label):
    """Yield answers that are of another case or none at all, with the names of their kinds."""
    answers = solutions()[label]
    for place, answer in enumerate(answers):
        others = {"nothing": None}
        if callable(answer):
            here, there = heard(label, place, 0), heard(label, place, 99)
            if len(here) != len(there) or not all(map(np.array_equal, here, there)):
                others["of another case"] = lambda *given, said=there: said.pop(0) if said else 0.0
            others |= {"other arguments": lambda: 0.0, "an error": lambda *given: [][0], "a number": 1.0}
            others |= {"words": lambda *given: "so", "nothing inside": lambda *given: [None]}
        else:
            others["a function"] = print
        yield from ((kind, instead(answers, place, other)) for kind, other in others.items())
        yield "one missing", [*answers[:place], *answers[place + 1 :]]
        yield "one too many", [*answers, answer]


@pytest.mark.parametrize("label", labels())
def test_a_wrong_answer_is_refused_in_a_sentence(label):
    cases = [(kind, verdict(label, given, 0), any(seen)) for kind, given, seen in made_wrong(label)]
    cases += [(kind, verdict(label, given, 0), True) for kind, given in unfit(label)]
    wrong = [(kind, said) for kind, said, differs in cases if differs and (label, kind) not in STILL_RIGHT]
    assert len(wrong) >= 6
    assert [(kind, said) for kind, said in wrong if said == RIGHT] == []
    untold = [(kind, said) for kind, said in wrong if "could not be checked" in said or not said.endswith((".", "?", NOT_YET))]
    assert untold == []


@pytest.mark.parametrize(("label", "kind"), STILL_RIGHT)
def test_what_is_left_open_is_right(label, kind):
    made = [(name, given) for name, given, _ in made_wrong(label)] + list(unfit(label))
    assert any(verdict(label, given, 0) == RIGHT for name, given in made if name == kind)
