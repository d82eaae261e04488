"""The notebooks of `make notebooks`: plain Markdown, the source's code, the pages' numbers, no secrets for students."""

import ast
import io
import re
from contextlib import redirect_stdout

import nbformat
import pytest
from nbclient import NotebookClient
from notebooks import NOTEBOOKS, ROOT, code_cells, printed, read, with_solutions
from pages import SITE, soup

BUILT = ROOT / "_build" / "notebooks"
EDITIONS = ("reader", "student", "instructor")
RAW = re.compile(r"\{[a-z:]+\}`|^\s*[`:]{3,}\{|^\s*:::|^\([\w-]+\)=|\$\$ \(eq-|^:(?:label|class|name):", re.MULTILINE)
TITLE = re.compile(r"\A# .*\n")  # closed cells have one; what the source says first is it
FORMULA = re.compile(r"(?<![\\$])\$(?!\$)(?:\\.|[^$\\])+\$(?!\$)(.)?")
SHORT = 16  # a line of fewer characters, such as "else:", tells nothing

of_every_chapter = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.fixture(scope="module", autouse=True)
def editions(site):
    """Ask for the built notebooks, too."""
    if not BUILT.is_dir():
        pytest.fail("there are no built notebooks; run `make notebooks`")


def edition(name, path):
    """Return a built notebook."""
    return read(BUILT / name / path.name)


def text(notebook):
    """Return its text."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


@of_every_chapter
@pytest.mark.parametrize("name", EDITIONS)
def test_nothing_raw_is_left_and_every_link_leads_somewhere(path, name):
    notebook = edition(name, path)
    nbformat.validate(notebook)
    words = text(notebook)
    assert RAW.findall(words) == []
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    places = re.findall(r'<a id="scrollTo=([^"]+)"', words)
    assert set(places) <= {cell.id for cell in notebook.cells}
    links = re.findall(r"\]\(([^)\s]+)", words)
    assert [link for link in links if not (link.startswith("https://") or link.removeprefix("#scrollTo=") in places)] == []
    after = [letter for letter in FORMULA.findall(words) if letter.isalnum()]
    assert after == []  # VS Code reads no formula that a letter follows


@of_every_chapter
@pytest.mark.parametrize("name", ["reader", "instructor"])
def test_the_code_is_the_sources_in_its_order(path, name):
    built = iter(TITLE.sub("", cell.source) for cell in code_cells(edition(name, path)))
    missing = [
        cell.source
        for cell in code_cells(read(path))
        if "remove-cell" not in cell.metadata.get("tags", ()) and TITLE.sub("", cell.source) not in built
    ]
    assert missing == []


@of_every_chapter
def test_closed_headings_hide_the_figures_of_folds_alone(path):
    opened, hidden = set(), None
    for cell in edition("reader", path).cells:
        heading = cell.cell_type == "markdown" and re.match("#+(?= )", cell.source)
        if heading and (hidden is None or len(heading[0]) <= hidden):
            hidden = len(heading[0]) if cell.metadata.get("jp-MarkdownHeadingCollapsed") else None
        opened |= set(re.findall(r"\*\*(Fig\. [\d.]+)\*\* ", cell.source)) if hidden is None else set()
    captions = soup(SITE / "book" / f"{path.stem}.html").select(".caption-number")
    shown = {caption.get_text().strip() for caption in captions if not caption.find_parent("details")}
    assert opened == {number for number in shown if number.startswith("Fig.")}


@of_every_chapter
def test_numbers_are_those_of_the_pages(path):
    page, words = soup(SITE / "book" / f"{path.stem}.html"), text(edition("reader", path))
    letters = lambda text: re.sub(r"[\W_]", "", text)[:4]
    shown = [
        (number.get_text().strip(), number.find_next_sibling(class_="caption-text"))
        for number in page.select(".caption-number")
    ]
    on_page = {number: letters(caption.get_text()) for number, caption in shown if caption and number.startswith("Fig.")}
    assert {number: letters(caption) for number, caption in re.findall(r"\*\*(Fig\. [\d.]+)\*\* (.{12})", words)} == on_page
    numbers = {number for number, _ in shown}
    equations = {number.get_text().strip("()#") for number in page.select(".eqno")}
    assert set(re.findall(r"\\tag\{([\d.]+)\}", words)) == equations
    assert set(re.findall(r"^> \*\*(\w+ [\d.]+)\*\*", words, re.MULTILINE)) <= numbers
    assert set(re.findall(r"### (Exercise [\d.]+)", words)) <= numbers


@of_every_chapter
def test_what_one_is_asked_to_try_is_there(path):
    """What only the page has stands on the page alone; and of widgets the page has nothing."""
    notebook = edition("reader", path)
    there = re.findall(r"^play\.[A-Z]", "\n".join(cell.source for cell in code_cells(notebook)), re.MULTILINE)
    assert text(notebook).count("Try it:") <= len(there)
    assert "run this cell to play" not in soup(SITE / "book" / f"{path.stem}.html").get_text()


def results(notebook):
    """Return what cells print, but for the versions of packages, and for checks, whose answers may be empty."""
    return [printed(cell) for cell in code_cells(notebook) if "google.colab" not in cell.source and "check(" not in cell.source]


@pytest.mark.long
@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.parametrize("path", NOTEBOOKS[:3], ids=lambda path: path.stem)
def test_an_edition_runs_from_top_to_bottom(path, name, tmp_path):
    notebook = edition(name, path)
    stored = results(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert results(notebook) == stored


# ---- students


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


def given_away(book):
    """Return the lines of solutions that stand nowhere else; what an empty function shows is part of the task."""
    solutions, others = set(), []
    for solution, cell in with_solutions(book):
        if cell.cell_type != "code":
            others.append(cell.source)
        elif not solution:
            others += strings(cell)
        else:
            functions = [node for node in ast.parse(cell.source).body if isinstance(node, ast.FunctionDef)]
            shown = {line for function in functions for line in lines(f'"""{ast.get_docstring(function) or ""}"""')}
            said = lines(cell.source + "\n" + printed(cell)) - shown
            solutions |= {line for line in said if not line.startswith(("def ", "check("))}
    others = "\n".join(others)
    return {line for line in solutions if line not in others}


@of_every_chapter
def test_nothing_of_a_solution_is_in_a_students_notebook(path):
    secrets = given_away(read(path))
    assert {line for line in secrets if line in "\n".join(strings(edition("instructor", path)))} == secrets
    copy = edition("student", path)
    everything = "\n".join(strings(copy))
    assert [line for line in secrets if line in everything] == []
    assert "Solution" not in text(copy)
    assert "colab.research" not in everything  # what opens there has the solutions


@of_every_chapter
def test_left_empty_every_check_says_not_yet_and_is_worth_its_points(path):
    """The cells that are a student's own are run by themselves; they need nothing else but the checks."""
    room, out, copy = {}, io.StringIO(), edition("student", path)
    graded = [at for at, cell in enumerate(copy.cells) if "nbgrader" in cell.metadata]
    with redirect_stdout(out):
        exec(next(cell.source for cell in copy.cells if "check = Checks(" in cell.source), room)
        for at in graded:
            exec(copy.cells[at - 1].source, room)
            exec(copy.cells[at].source, room)
    marks = [copy.cells[at].metadata.nbgrader for at in graded]
    assert out.getvalue().splitlines() == [f"{mark.grade_id}: not yet" for mark in marks]
    assert [copy.cells[at].source.split("\n")[-1] for at in graded] == [
        f'{mark.points} * check.right["{mark.grade_id}"]' for mark in marks
    ]
    checked = [cell.source.split('"')[1] for cell in code_cells(read(path)) if cell.source.startswith("check(")]
    assert [mark.grade_id for mark in marks] == checked


@of_every_chapter
def test_nbgrader_reads_a_students_notebook(path):
    """Its own validator says so; `uv pip install --group teaching` installs it."""
    nbgrader = pytest.importorskip("nbgrader.nbgraderformat")
    nbgrader.MetadataValidator().validate_nb(edition("student", path))
