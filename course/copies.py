"""The notebooks of students and instructors, made from the book's: nobody edits a copy.

In the book a solution stands between ``{solution-start}`` and ``{solution-end}``, and its last code cell is its check, such as
``check("ex-repeat", new_logit)``. A student's notebook has neither solutions nor results. In their place stand the names that
the check asks for, empty, functions with what they take, and the check; it carries nbgrader's metadata, and ends in the points
that nbgrader reads. To make the copies, nbgrader and otter-grader would need marks of their own around what the book's
directives mark already, and keep text outside of code cells; jupytext converts, but takes nothing out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from shutil import make_archive

from tokensel_nb.support.checks import checked, whole_number

from .references import in_words, read_names

_EXERCISE = re.compile(r"```\{exercise\}\n:label: (\S+)\n(.*?)\n```(?=\n|$)", re.DOTALL)
_SOLUTION = re.compile(r"(`{3,})\{solution\} \S+\n.*?\n\1(?=\n|$)", re.DOTALL)  # one without code
_MARK = re.compile(r"```\{solution-(?:start\} (?P<start>\S+)\n.*?|end\})\n```(?=\n|$)", re.DOTALL)
_FOLD = re.compile(r":::\{dropdown\} ([^\n]+)\n(.*?)\n:::(?=\n|$)", re.DOTALL)  # a hint, or a choice of a question
_QUESTION = re.compile(r"::::\{admonition\} (Before you read on)\n:class: question\n(.*?)\n::::(?=\n|$)", re.DOTALL)
_LEVEL = re.compile(r"\*.+ · level (\d) of 3 · \d+ minutes\*")
_BADGE = re.compile(r"\[!\[Open this notebook in Colab\].*\n")  # it opens the book's notebook, solutions and all
_HOW = "Answer in the empty cells. The checks need only the next cell to be run; the whole chapter takes up to three minutes."
_OTTER = '''"""For otter-grader, which runs this behind a submission."""

from otter.test_files import test_case

from tokensel_nb.chapters.exercises.answers import RIGHT, verdict

OK_FORMAT = False  # otter's exception-based format
name = "{label}"
points = {points}


@test_case()
def right({asked}):
    said = verdict("{label}", [{asked}], seed={seed})
    assert said == RIGHT, said
'''


def student(notebook, seed=0):
    r"""Return a student's copy of a notebook of the book: no solution, no result, an empty answer and a check an exercise.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    seed : int
        Of the checks.

    Returns
    -------
    nbformat.NotebookNode

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
    >>> task = "```{exercise}\n:label: ex-double\n*Derive · level 1 of 3 · 5 minutes*\n\nDouble it.\n```\n\n"
    >>> start = "```{solution-start} ex-double\n:label: sol-double\n```\nTwice."
    >>> code = new_code_cell("def twice(x):\n    return 2 * x"), new_code_cell('check("ex-double", twice)')
    >>> end = new_markdown_cell("```{solution-end}\n```\n\nThe end.")
    >>> book = new_notebook(cells=[new_markdown_cell(task + start), *code, end])
    >>> for cell in student(book).cells:
    ...     print(cell.source)
    ### Exercise
    <BLANKLINE>
    *Derive · level 1 of 3 · 5 minutes*
    <BLANKLINE>
    Double it.
    def twice(x):
        return ...
    check("ex-double", twice)
    1 * check.right["ex-double"]
    The end.
    """
    levels, solution, cells = _levels(notebook), "", []
    for label, cell in pieces(notebook):
        if label is None:
            solution = ""
            cells.append(_without_results(cell, seed))
        elif cell.source.startswith("check("):
            cells += _answer_and_check(cell.source, solution, label, levels[label])
        elif cell.cell_type == "code":
            solution += cell.source + "\n"
    copy = deepcopy(notebook)
    copy.cells = [_changed(cell, id=f"cell-{place:03d}") for place, cell in enumerate(filter(_filled, cells), start=1)]
    return copy


def instructor(notebook, seed=0):
    """Return an instructor's copy of a notebook of the book: with solutions and, for the book's own seed, with results.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    seed : int
        Of the checks.

    Returns
    -------
    nbformat.NotebookNode
    """
    copy = deepcopy(notebook)
    for cell in copy.cells:
        text = _MARK.sub(lambda mark: "#### Solution" if mark["start"] else "", cell.source)
        cell.source = _plain(text).strip() if cell.cell_type == "markdown" else _seeded(cell.source, seed)
    return copy


def otter_tests(notebook, seed=0) -> dict[str, str]:
    """Return a test file for otter-grader by the label of each exercise of a notebook of the book.

    They ask the same check as the notebook does, and it anew: what a student's notebook says of itself is not believed.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    seed : int
        Of the checks.

    Returns
    -------
    dict of str to str
    """
    levels = _levels(notebook)
    checks = {label: cell.source for label, cell in pieces(notebook) if label and cell.source.startswith("check(")}
    return {
        label: _OTTER.format(label=label, points=levels[label], asked=", ".join(_asked(check)), seed=seed)
        for label, check in checks.items()
    }


@checked(seed=lambda name, value: whole_number(name, value, least=0))
def write_copies(notebooks, folder, seed=0) -> list[Path]:
    """Write both copies of each notebook, all of the students' as one archive, and for the teacher otter-grader's tests.

    Parameters
    ----------
    notebooks : iterable of path
    folder : path
    seed : int
        Of the checks. Where it is not the book's own, the instructors' notebooks are run anew.

    Returns
    -------
    list of pathlib.Path
        The students' notebooks, each in a folder of its own, as nbgrader wants them.
    """
    import nbformat

    written = []
    for path in map(Path, notebooks):
        book = nbformat.read(path, as_version=4)
        for_students = Path(folder, "student", path.stem, path.name)
        solved = instructor(book, seed)
        if seed:
            from nbclient import NotebookClient

            NotebookClient(solved, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
        names, chapter = read_names(path.parent), int(path.stem[:2]) if path.stem[:2].isdigit() else None
        for made, place in ((student(book, seed), for_students), (solved, Path(folder, "instructor", path.name))):
            place.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(in_words(made, names, chapter), place)
        tests = Path(folder, "otter", path.stem, "tests")
        tests.mkdir(parents=True, exist_ok=True)
        for label, test in otter_tests(book, seed).items():
            (tests / f"{label}.py").write_text(test, "utf-8")
        written.append(for_students)
    make_archive(str(Path(folder, "student")), "zip", Path(folder, "student"))
    return written


def pieces(notebook) -> Iterator[tuple]:
    """Yield the cells of a notebook of the book; text is cut where solutions begin and end.

    Parameters
    ----------
    notebook : nbformat.NotebookNode

    Yields
    ------
    (str or None, nbformat.NotebookNode)
        The label of the exercise whose solution the piece belongs to, None outside of solutions; and the piece, a cell.
    """
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
    """Return a cell as a student gets it."""
    if cell.cell_type == "markdown":
        text = _plain(_BADGE.sub("", _SOLUTION.sub("", cell.source)))
        return _changed(cell, source=re.sub(r"^## Exercises$", rf"\g<0>\n\n{_HOW}", text, flags=re.MULTILINE))
    return _changed(cell, source=_seeded(cell.source, seed), outputs=[], execution_count=None)


def _filled(cell):
    return bool(cell.source.strip())


def _answer_and_check(check, solution, label, level):
    """Return two cells: what a check asks for, empty, and the check, which is worth as many points as the exercise's level."""
    from nbformat.v4 import new_code_cell

    functions = {node.name: node for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef)}
    answers = [_empty(name, functions) for name in _asked(check)]
    graded = {"grade": True, "solution": False, "task": False, "locked": True, "schema_version": 3}
    graded |= {"grade_id": label, "points": level, "cell_type": "code"}
    points = f'{check}\n{level} * check.right["{label}"]'
    return [new_code_cell("\n\n\n".join(answers)), new_code_cell(points, metadata={"nbgrader": graded})]


def _asked(check):
    """Return the names that a check asks for."""
    return [name.id for name in ast.parse(check).body[0].value.args[1:]]


def _empty(name, functions):
    """Return the code of an answer that is not there yet; a function shows what it takes, and what its first lines say."""
    if name not in functions:
        return f"{name} = ..."
    function = deepcopy(functions[name])
    says = function.body[:1] if ast.get_docstring(function) else []
    function.body = [*says, ast.Return(ast.Constant(...))]
    return ast.unparse(function)


def _seeded(source, seed):
    return source.replace("Checks(seed=0)", f"Checks(seed={seed})")


def _plain(text):
    """Return text in which plain Jupyter shows exercises and questions: a heading, and hints and choices that unfold."""
    text = _EXERCISE.sub(lambda found: f"### Exercise\n\n{found[2].strip()}", text)
    text = _QUESTION.sub(r"#### \1\n\2", text)
    return _FOLD.sub(r"<details><summary>\1</summary>\n\n\2\n\n</details>", text)
