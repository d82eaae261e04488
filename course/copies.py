"""The notebooks of students and instructors, made from the book's: nobody edits a copy.

In the book a solution is between ``{solution-start}`` and ``{solution-end}``, and its last code cell is its check, such as
``check("ex-repeat", new_logit)``. A student's notebook has neither solutions nor results. Instead it has the names that the
check needs, as empty answers and function headers, and the check, with nbgrader's metadata; the cell ends in the points that
nbgrader reads. nbgrader and otter-grader themselves would need further marks around what the book's directives already mark,
and keep text outside of code cells; jupytext converts, but removes nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from shutil import make_archive

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

from .references import chapters, in_words, read_names

_EXERCISE = re.compile(r"```\{exercise\}\n:label: (\S+)\n(.*?)\n```(?=\n|$)", re.DOTALL)
_MARK = re.compile(r"```\{solution-(?:start\} (?P<start>\S+)\n.*?|end\})\n```(?=\n|$)", re.DOTALL)
_FOLD = re.compile(r":::\{dropdown\} ([^\n]+)\n(.*?)\n:::(?=\n|$)", re.DOTALL)  # a hint, or a choice of a question
_QUESTION = re.compile(r"::::\{admonition\} (Before you read on)\n:class: question\n(.*?)\n::::(?=\n|$)", re.DOTALL)
_LEVEL = re.compile(r"\*.+ · level (\d) of 3 · \d+ minutes\*")
_BADGE = re.compile(r"\[!\[Open this notebook in Colab\].*\n")  # it opens the book's notebook, including solutions
_HOW = "Answer in the empty cells. To use the checks, run only the next cell; the whole chapter takes up to three minutes."
_OTTER = '''"""For otter-grader, which runs this after a submission."""

from otter.test_files import test_case

from tokensel_nb.chapters.exercises.answers import RIGHT, Checks, verdict

Checks("{chapter}")  # loads the checks of this chapter
OK_FORMAT = False  # otter's exception-based format
name = "{label}"
points = {points}


@test_case()
def right({asked}):
    feedback = verdict("{label}", [{asked}], seed={seed})
    assert feedback == RIGHT, feedback
'''


def student(notebook, seed=0):
    """Return a student's copy of a notebook: no solutions, no results; an empty answer and a check for every exercise."""
    levels, solution, cells = _levels(notebook), "", []
    for label, cell in pieces(notebook):
        if label is None:
            solution = ""
            cells.append(_without_results(cell, seed))
        elif cell.source.startswith("check("):
            cells += _answer_and_check(cell.source, solution, label, levels[label])
        elif cell.cell_type == "code":
            solution += cell.source + "\n"
    copy, filled = deepcopy(notebook), [cell for cell in cells if cell.source.strip()]
    copy.cells = [_changed(cell, id=f"cell-{place:03d}") for place, cell in enumerate(filled, start=1)]
    return copy


def instructor(notebook, seed=0):
    """Return an instructor's copy of a notebook: with solutions and, for the book's own seed, with results."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        text = _MARK.sub(lambda mark: "#### Solution" if mark["start"] else "", cell.source)
        cell.source = _plain(text).strip() if cell.cell_type == "markdown" else _seeded(cell.source, seed)
    return copy


def otter_tests(notebook, seed=0) -> dict[str, str]:
    """Return the test files for otter-grader of a notebook's exercises, by label."""
    levels, tests = _levels(notebook), {}
    chapter = re.search(r'Checks\("([\w.]+)"', "\n".join(cell.source for cell in notebook.cells))
    for label, cell in pieces(notebook):
        # The same check as in the notebook, run again: the results in a student's notebook are not trusted.
        if label and cell.source.startswith("check("):
            asked = ", ".join(_asked(cell.source))
            tests[label] = _OTTER.format(chapter=chapter[1], label=label, points=levels[label], asked=asked, seed=seed)
    return tests


def write_copies(notebooks, folder, seed=0) -> list[Path]:
    """Write both copies of notebooks, the students' archive and otter-grader's tests; return the students' files."""
    folder, written = Path(folder), []
    for path in map(Path, notebooks):
        book = nbformat.read(path, as_version=4)
        solved = instructor(book, seed)
        if seed:  # with another seed than the book's, its stored results are wrong
            NotebookClient(solved, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
        names, order = read_names(path.parent), chapters(path.parent)
        chapter = order.index(path) + 1 if path in order else None
        written.append(folder / "student" / path.stem / path.name)  # one folder per notebook, for nbgrader
        for copy, file in ((student(book, seed), written[-1]), (solved, folder / "instructor" / path.name)):
            file.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(in_words(copy, names, chapter), file)
        tests = folder / "otter" / path.stem / "tests"
        tests.mkdir(parents=True, exist_ok=True)
        for label, test in otter_tests(book, seed).items():
            (tests / f"{label}.py").write_text(test, "utf-8")
    make_archive(str(folder / "student"), "zip", folder / "student")
    return written


def pieces(notebook) -> Iterator[tuple]:
    """Yield the cells of a notebook, text split where solutions begin and end, with the label of the solution around them."""
    label = None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield label, cell
            continue
        begin = 0
        for mark in _MARK.finditer(cell.source):
            yield label, _changed(cell, source=cell.source[begin : mark.start()])
            label, begin = mark["start"], mark.end()
        yield label, _changed(cell, source=cell.source[begin:])


def _changed(cell, **changes):
    return type(cell)(cell | changes)


def _levels(notebook):
    """Return the level of every exercise."""
    texts = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return {label: int(_LEVEL.search(text)[1]) for label, text in _EXERCISE.findall(texts)}


def _without_results(cell, seed):
    """Return a cell for students."""
    if cell.cell_type == "markdown":
        text = _plain(_BADGE.sub("", cell.source))
        return _changed(cell, source=re.sub(r"^## Exercises$", rf"\g<0>\n\n{_HOW}", text, flags=re.MULTILINE))
    return _changed(cell, source=_seeded(cell.source, seed), outputs=[], execution_count=None)


def _answer_and_check(check, solution, label, level):
    """Return two cells: empty answers, and the check, which is worth as many points as the exercise's level."""
    functions = {node.name: node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef)}
    answers = [_empty(name, functions) for name in _asked(check)]
    graded = {"grade": True, "solution": False, "task": False, "locked": True, "schema_version": 3}
    graded |= {"grade_id": label, "points": level, "cell_type": "code"}
    points = f'{check}\n{level} * check.right["{label}"]'
    return [new_code_cell("\n\n\n".join(answers)), new_code_cell(points, metadata={"nbgrader": graded})]


def _asked(check):
    """Return the names of a check's answers."""
    return [name.id for name in ast.parse(check).body[0].value.args[1:]]


def _empty(name, functions):
    """Return the code of an empty answer; a function keeps its header and docstring."""
    if name not in functions:
        return f"{name} = ..."
    function = deepcopy(functions[name])
    docstring = function.body[:1] if ast.get_docstring(function) else []
    function.body = [*docstring, ast.Return(ast.Constant(...))]
    return ast.unparse(function)


def _seeded(source, seed):
    return re.sub(r"(Checks\(.*)seed=0\)", rf"\g<1>seed={seed})", source)


def _plain(text):
    """Return exercises and questions for plain Jupyter: with headings, and with hints and choices that unfold."""
    text = _EXERCISE.sub(lambda match: f"### Exercise\n\n{match[2].strip()}", text)
    text = _QUESTION.sub(r"#### \1\n\2", text)
    return _FOLD.sub(r"<details><summary>\1</summary>\n\n\2\n\n</details>", text)
