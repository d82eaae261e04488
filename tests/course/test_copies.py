"""A student's notebook holds nothing of a solution, wherever one looks, and runs with its exercises left empty."""

import ast
import inspect
import io
import re
import sys
import zipfile
from contextlib import redirect_stdout
from types import ModuleType

import nbformat
import pytest
from notebooks import NOTEBOOKS, code_cells, printed, read

from course.copies import instructor, otter_tests, pieces, student, write_copies
from course.references import in_words, read_names
from tokensel_nb.chapters.exercises.answers import NOT_YET, RIGHT

SHORT = 16  # a line of fewer characters, such as "else:", tells nothing


def strings(value):
    """Yield every string in a notebook, however deep: source, results, metadata, attachments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def lines(text):
    """Return the lines of a text that tell something."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) >= SHORT}


def given_away(notebook):
    """Return the lines of a notebook's solutions, those of code, of text and of results, that stand nowhere else in it.

    What an empty function shows, its first line and its docstring, is part of the task.
    """
    solutions, others = set(), []
    for label, piece in pieces(notebook):
        said = lines(piece.source + "\n" + (printed(piece) if piece.cell_type == "code" else ""))
        if label and piece.cell_type == "code":
            functions = [node for node in ast.parse(piece.source).body if isinstance(node, ast.FunctionDef)]
            said -= {line for line in said if line.startswith(("def ", "check("))}
            said -= {line for each in functions for line in lines(f'"""{ast.get_docstring(each) or ""}"""')}
        if label:
            solutions |= said
        else:
            others += strings(piece)
    others = "\n".join(others)
    return {line for line in solutions if line not in others}


def found_in(notebook, secrets):
    """Return the lines that a notebook holds somewhere."""
    everything = "\n".join(strings(notebook))
    return {line for line in secrets if line in everything}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_nothing_of_a_solution_is_in_a_students_notebook(path):
    book = read(path)
    secrets = given_away(book)
    assert found_in(book, secrets) == secrets  # the search finds what is there
    copy = student(book)
    assert found_in(copy, secrets) == set()
    assert not any(cell.outputs for cell in code_cells(copy))
    assert not any(word in text for text in strings(copy) for word in ("{solution}", "{solution-", "blob/main/book"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_left_empty_every_check_says_not_yet(path):
    """The cells that are a student's own are run by themselves; they need nothing else but the checks."""
    room, out = {}, io.StringIO()
    copy = student(read(path))
    graded = [i for i, cell in enumerate(copy.cells) if "nbgrader" in cell.metadata]
    with redirect_stdout(out):
        exec("from tokensel_nb.chapters.exercises import Checks", room)
        exec(next(line for cell in copy.cells for line in cell.source.split("\n") if line.startswith("check = Checks(")), room)
        for i in graded:
            exec(copy.cells[i - 1].source, room)
            exec(copy.cells[i].source, room)
    assert out.getvalue().splitlines() == [f"{copy.cells[i].metadata.nbgrader.grade_id}: not yet" for i in graded]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_exercise_is_there_with_its_points(path):
    book = read(path)
    copy = student(book)
    nbformat.validate(copy)
    marks = [cell.metadata.nbgrader for cell in copy.cells if "nbgrader" in cell.metadata]
    checked = [label for label, cell in pieces(book) if label and cell.source.startswith("check(")]
    assert [mark.grade_id for mark in marks] == checked
    texts = "\n".join(cell.source for cell in copy.cells)
    assert texts.count("### Exercise\n") == "\n".join(cell.source for cell in book.cells).count("{exercise}\n:label")
    for cell in copy.cells:
        if "nbgrader" in cell.metadata:
            assert cell.source.endswith(f'\n{cell.metadata.nbgrader.points} * check.right["{cell.metadata.nbgrader.grade_id}"]')


# What plain Jupyter would show as it stands
RAW = r"\{[a-z:]+\}`|^[`:]{3,}\{|^\([\w-]+\)=|\$\$ \(eq-|\b(?:fig|eq|prop|thm|cor|def)-[a-z]"


@pytest.fixture(scope="module")
def names():
    return read_names(NOTEBOOKS[0].parent)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_no_reference_is_left_unresolved(path, names):
    def raw(notebook):
        return [line for cell in notebook.cells if cell.cell_type == "markdown" for line in re.findall(RAW, cell.source, re.M)]

    book = read(path)
    assert raw(book)
    for copy in (student(book), instructor(book)):
        made = in_words(copy, names, int(path.stem[:2]))
        nbformat.validate(made)
        assert raw(made) == []


def test_names_are_those_of_the_pages(names):
    """Two of every kind, read off the built pages, where figures in folds come last."""
    found = {label: names[label] for label in ("fig-learning-curve", "fig-frequent", "ex-early", "ex-beyond-negation")}
    assert found == {
        "fig-learning-curve": "Fig. 4.5",
        "fig-frequent": "Fig. 5.7",
        "ex-early": "Exercise 4.1",
        "ex-beyond-negation": "Exercise 5.1",
    }
    assert (names["prop-linear"], names["prop-same-words"]) == ("Proposition 5.1", "Proposition 5.2")
    assert (names["thm-conservation"], names["def-limit-rows"]) == ("Corollary 14.1", "Definition 15.1")
    assert (names["eq-adam"], names["04_reviews"]) == ("(8.1)", "chapter 4, Twenty thousand reviews")
    assert (names["thm-head"], names["thm-rate"]) == ("Theorem 14.5", "Theorem 15.6")


def test_exercises_have_the_numbers_of_the_pages(names):
    (path,) = (path for path in NOTEBOOKS if path.stem == "04_reviews")
    texts = [cell.source for cell in in_words(student(read(path)), names, 4).cells]
    (early,) = (text for text in texts if "### Exercise 4.1" in text)
    assert "Write `best_step" in early


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_nbgrader_reads_a_students_notebook(path):
    """Its own validator says so; `uv pip install --group teaching` installs it."""
    nbgrader = pytest.importorskip("nbgrader.nbgraderformat")
    nbgrader.MetadataValidator().validate_nb(student(read(path)))


@pytest.fixture
def otter(monkeypatch):
    """Stand in for otter-grader, of which a test file asks for one decorator."""
    test_files = ModuleType("otter.test_files")
    test_files.test_case = lambda: lambda function: function
    monkeypatch.setitem(sys.modules, "otter", ModuleType("otter"))
    monkeypatch.setitem(sys.modules, "otter.test_files", test_files)


def run_otter(test, answers):
    """Run a test file on the names of a notebook, as otter-grader does; return what it found, and its name and points."""
    room = {}
    exec(test, room)
    assert room["OK_FORMAT"] is False
    try:
        room["right"](*map(answers.get, inspect.signature(room["right"]).parameters))
    except AssertionError as error:
        return str(error), room["name"], room["points"]
    return RIGHT, room["name"], room["points"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_otter_has_a_test_of_every_exercise_with_its_points(path, otter):
    book = read(path)
    marks = [cell.metadata.nbgrader for cell in student(book).cells if "nbgrader" in cell.metadata]
    found = [run_otter(test, {}) for test in otter_tests(book).values()]
    assert found == [(NOT_YET, mark.grade_id, mark.points) for mark in marks]
    assert found_in({"tests": list(otter_tests(book).values())}, given_away(book)) == set()


def test_otter_believes_the_answer_and_not_the_notebook(otter):
    (path,) = (path for path in NOTEBOOKS if path.stem == "01_model")
    test = otter_tests(read(path), seed=7)["ex-repeat"]
    answers = {"check": lambda *given: None, "new_logit": lambda f, q, value: f}
    assert run_otter(test, answers)[0].startswith("That is what happens when all counts double")
    assert run_otter(test, answers | {"new_logit": lambda f, q, value: (f + q * value) / (1 + q)}) == (RIGHT, "ex-repeat", 1)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_no_later_cell_takes_the_name_of_an_answer(path):
    """Otter asks when the whole notebook has run."""
    bound = {}
    cells = student(read(path)).cells
    for place, cell in enumerate(cells):
        for node in ast.walk(ast.parse(cell.source if cell.cell_type == "code" else "")):
            name = node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else getattr(node, "name", None)
            bound[name] = place
    for place, cell in enumerate(cells):
        if "nbgrader" in cell.metadata:
            asked = ast.parse(cell.source).body[0].value.args[1:]
            assert {bound[answer.id] for answer in asked} == {place - 1}


def test_the_seed_reaches_every_copy(tmp_path):
    (path,) = (path for path in NOTEBOOKS if path.stem == "01_model")
    for made in (student(read(path), seed=7), instructor(read(path), seed=7)):
        assert sum('Checks("01_model", seed=7)' in cell.source for cell in made.cells) == 1
        assert not any('Checks("01_model", seed=0)' in cell.source for cell in made.cells)


def test_copies_are_written_and_packed(tmp_path):
    (written, *rest) = write_copies(NOTEBOOKS[:1], tmp_path)
    assert rest == []
    assert written == tmp_path / "student" / "01_model" / "01_model.ipynb"
    with zipfile.ZipFile(tmp_path / "student.zip") as archive:
        assert "01_model/01_model.ipynb" in archive.namelist()
    assert (tmp_path / "otter" / "01_model" / "tests" / "ex-repeat.py").read_text("utf-8").startswith('"""For otter-grader')
    solved = read(tmp_path / "instructor" / "01_model.ipynb")
    secrets = {line for line in given_away(read(NOTEBOOKS[0])) if not re.search(RAW, line)}
    assert found_in(solved, secrets) == secrets


def test_the_command_says_what_it_wrote(tmp_path, monkeypatch, capsys):
    import runpy

    monkeypatch.setattr(sys, "argv", ["teaching", str(NOTEBOOKS[0]), "--to", str(tmp_path)])
    runpy.run_module("course", run_name="__main__")
    assert capsys.readouterr().out.startswith("1 notebooks for students")


def test_with_another_seed_the_instructors_notebook_is_run_anew(tmp_path):
    """A book of one exercise: its case is drawn by the seed, and its check is seen to hold."""
    task = "```{exercise}\n:label: ex-height\n*Derive · level 1 of 3 · 5 minutes*\n\nWrite `ratio`.\n```\n\n"
    code = [
        'import numpy as np\nfrom tokensel_nb.chapters.exercises import Checks\n\ncheck = Checks("04_reviews", seed=0)',
        "def ratio(depth):\n    return np.exp(depth)\n\n\nprint(check.seed)",
        'check("ex-height", ratio)',
    ]
    first, *solution = map(nbformat.v4.new_code_cell, code)
    begin = nbformat.v4.new_markdown_cell(f"{task}```{{solution-start}} ex-height\n:label: sol-height\n```")
    end = nbformat.v4.new_markdown_cell("```{solution-end}\n```")
    nbformat.write(nbformat.v4.new_notebook(cells=[first, begin, *solution, end]), tmp_path / "small.ipynb")
    write_copies([tmp_path / "small.ipynb"], tmp_path, seed=7)
    solved = read(tmp_path / "instructor" / "small.ipynb")
    assert [printed(cell) for cell in code_cells(solved)] == ["", "7\n", "ex-height: right\n"]
