"""The copies of a class: the book's editions with the class's seed, packed as nbgrader wants them."""

import runpy
import sys
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from notebooks import code_cells, printed, read

CHECKS = 'import numpy as np\nfrom tokensel_nb.chapters.exercises import Checks\n\ncheck = Checks("01_model", seed=0)'
ANSWERS = {
    "instructor": "def new_logit(f, q, value):\n    return (f + q * value) / (1 + q)\n\n\nprint(check.seed)",
    "student": "def new_logit(f, q, value):\n    return ...",
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command in a folder whose book has one exercise, with a case drawn by the seed."""
    for edition, answer in ANSWERS.items():
        path = tmp_path / "_build" / "notebooks" / edition / "01_model.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(new_notebook(cells=[*map(new_code_cell, (CHECKS, answer, 'check("ex-repeat", new_logit)'))]), path)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["course", *arguments])
        runpy.run_module("course", run_name="__main__")
        return tmp_path / "_build" / "teaching"

    monkeypatch.chdir(tmp_path)
    return command


def test_copies_are_packed_and_have_the_classs_seed(run, capsys):
    folder = run("--seed", "7")
    assert capsys.readouterr().out.startswith("1 notebooks for students")
    with zipfile.ZipFile(folder / "student.zip") as archive:
        assert "01_model/01_model.ipynb" in archive.namelist()
    copies = read(folder / "student" / "01_model" / "01_model.ipynb"), read(folder / "instructor" / "01_model.ipynb")
    assert all("seed=7)" in copy.cells[0].source for copy in copies)
    assert [printed(cell) for cell in code_cells(copies[1])] == ["", "7\n", "ex-repeat: right\n"]  # it was run anew


def test_a_chapter_that_is_not_there_is_named(run):
    with pytest.raises(SystemExit, match="99_none"):
        run("99_none")
