"""The copies of a class: the book's editions with the class's seed, packed as nbgrader wants them."""

import sys
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from notebooks import NOTEBOOKS, ROOT, code_cells, printed, read

from course.copies import write_copies


@pytest.fixture
def editions(tmp_path):
    """Write a book of one exercise, whose case is drawn by the seed."""
    checks = 'import numpy as np\nfrom tokensel_nb.chapters.exercises import Checks\n\ncheck = Checks("04_reviews", seed=0)'
    answers = {
        "instructor": "def ratio(depth):\n    return np.exp(depth)\n\n\nprint(check.seed)",
        "student": "def ratio(depth):\n    return ...",
    }
    for edition, answer in answers.items():
        (tmp_path / edition).mkdir()
        cells = [new_code_cell(source) for source in (checks, answer, 'check("ex-height", ratio)')]
        nbformat.write(new_notebook(cells=cells), tmp_path / edition / "04_reviews.ipynb")
    return tmp_path


def test_copies_are_packed_and_have_the_classs_seed(editions, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (written,) = write_copies(editions, folder, seed=7)
    assert written == folder / "student" / "04_reviews" / "04_reviews.ipynb"
    with zipfile.ZipFile(folder / "student.zip") as archive:
        assert "04_reviews/04_reviews.ipynb" in archive.namelist()
    solved = read(folder / "instructor" / "04_reviews.ipynb")
    assert all("seed=7)" in copy.cells[0].source for copy in (read(written), solved))
    assert [printed(cell) for cell in code_cells(solved)] == ["", "7\n", "ex-height: right\n"]  # it was run anew


def test_the_command_says_what_it_wrote(tmp_path, monkeypatch, capsys):
    import runpy

    monkeypatch.setattr(sys, "argv", ["course", "01_model", "--to", str(tmp_path)])
    monkeypatch.chdir(ROOT)
    runpy.run_module("course", run_name="__main__")
    assert capsys.readouterr().out.startswith("1 notebooks for students")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nbgrader_reads_a_students_notebook(path):
    """Its own validator says so; `uv pip install --group teaching` installs it."""
    nbgrader = pytest.importorskip("nbgrader.nbgraderformat")
    nbgrader.MetadataValidator().validate_nb(read(ROOT / "_build" / "notebooks" / "student" / path.name))
