"""The rules that every stored notebook keeps. nbval compares results; it passes a notebook that has none."""

import ast
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import first_cells
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from notebooks import NOTEBOOKS, ROOT, TIMES, code_cells, read, rows

LINES = 20  # of a code cell: what is longer belongs in the package
BYTES = 1_500_000  # of a notebook
ALT = 30  # characters of an alternative text: fewer cannot say what a figure shows


def outputs(notebook):
    """Return every output of every cell."""
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def has_image(cell):
    """Say whether a cell shows an image."""
    return any(kind.startswith("image/") for output in cell.outputs for kind in output.get("data", {}))


def text_of(output):
    """Return what is written in an output, without the pixels of its images."""
    data = output.get("data", {})
    texts = [text for kind, text in data.items() if not kind.startswith("image/") or kind == "image/svg+xml"]
    return re.sub(r"base64,[A-Za-z0-9+/=\s]+", "", "\n".join(map(str, [output.get("text", ""), *texts])))


# Each rule yields what is wrong.


def title(notebook):
    """The first cell is the chapter's title."""
    if not (notebook.cells and notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")):
        yield "the first cell is no title"


def first_code(notebook):
    """The first code cell makes the package ready on Colab, is the same everywhere, and keeps out of nbval's way."""
    first = next(iter(code_cells(notebook)), None)
    if first is None or first.source != first_cells.SETUP or first.metadata != first_cells.METADATA:
        yield "the first code cell is not the one of book/_tools/first_cells.py; run `make results`"


def plain_python(notebook):
    """Every block of code is plain Python: no magic, no shell, no name that only a notebook defines."""
    for cell in code_cells(notebook):
        try:
            names = {node.id for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Name)}
        except SyntaxError as error:
            yield f"{error}: {cell.source[:60]!r}"
        else:
            if only := names & {"display", "get_ipython"}:
                yield f"{', '.join(only)} is known to notebooks alone: {cell.source[:60]!r}"


def run_in_order(notebook):
    """Every code cell was run, once, from the first to the last."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"run counts {counts}; run `make results`"


def no_errors(notebook):
    """No cell failed, and none warned: warnings hold process numbers and paths."""
    for output in outputs(notebook):
        if output.output_type == "error" or output.get("name") == "stderr":
            yield f"error or stderr output: {str(output)[:200]}"


def no_machine_path(notebook):
    """No output tells where it was made."""
    places = {str(p).rstrip("/\\") for p in (Path.home(), Path.cwd(), ROOT, sys.prefix, tempfile.gettempdir())}
    places |= {"/home", "/Users", "/tmp", "C:\\Users"}
    for output in outputs(notebook):
        for place in places - {""}:
            if re.search(re.escape(place) + r"[/\\]", text_of(output)):
                yield f"an output holds the path {place}"


def described_images(notebook):
    """Every image has a caption, a name to refer to, and a text for those who cannot see it."""
    for cell in code_cells(notebook):
        mystnb = cell.metadata.get("mystnb", {})
        texts = [mystnb.get("image", {}).get("alt", "")] * has_image(cell)
        if any(len(text) < ALT for text in texts):
            yield f"no alternative text of {ALT} characters: {cell.source[:60]!r}"
        figure = mystnb.get("figure", {})
        if texts and not (figure.get("caption") and figure.get("name")):
            yield f"caption or name missing in metadata: {cell.source[:60]!r}"


def short_cells(notebook):
    """A cell can be read at a glance."""
    for cell in code_cells(notebook):
        if len(cell.source.splitlines()) > LINES:
            yield f"more than {LINES} lines: {cell.source[:60]!r}"


def small(notebook):
    """A notebook opens quickly, here and on a phone."""
    size = len(nbformat.writes(notebook).encode())
    if size > BYTES:
        yield f"{size:,} bytes, more than {BYTES:,}"


def claims_shown(notebook):
    """Every claim is a cell of its own, which holds its row, and the text before has the address that the table links to."""
    text = ""
    for cell in notebook.cells:
        found = re.findall(r"\bclaim\(\s*[\"']([\w-]+)", cell.source) if cell.cell_type == "code" else []
        if found != [row["id"] for row in rows(cell)]:
            yield f"claims {found}, but the rows {[row['id'] for row in rows(cell)]}; run `make results`"
        if found and not cell.source.startswith("claim("):
            yield f"the claim {found[0]} shares its cell with other code"
        if found and not text.endswith(f"(cell-{found[0]})="):
            yield f"(cell-{found[0]})= is not the last line of the text before"
        text = cell.source if cell.cell_type == "markdown" else text


def numbers_not_truths(notebook):
    """Where a reader wants the number, no line says only that something is true."""
    for output in outputs(notebook):
        if found := re.search(r"^(?:.*[:=] *)?(?:True|False)$", text_of(output), flags=re.M):
            yield f"{found[0]!r} is printed instead of a number"


RULES = (
    title, first_code, plain_python, run_in_order, no_errors, no_machine_path, described_images, short_cells,
    small, claims_shown, numbers_not_truths,
)  # fmt: skip


def test_there_are_notebooks_each_with_its_time():
    assert NOTEBOOKS
    assert list(TIMES) == [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(path, rule):
    assert not list(rule(read(path)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_badge_opens_this_notebook(path):
    """Below the title, where the reader looks for it."""
    assert read(path).cells[0].source.splitlines()[2] == f"{first_cells.BADGE}({first_cells.in_colab(path.name)})"


def test_badges_and_first_cells_lead_to_the_branch_that_is_set():
    assert first_cells.in_colab("01_model.ipynb", "main").endswith("/tokensel-nb/blob/main/book/01_model.ipynb")
    assert first_cells.in_colab("01_model.ipynb", "notebooks").endswith("/tokensel-nb/blob/notebooks/01_model.ipynb")
    assert first_cells.package("main").endswith("/archive/main.zip")
    assert first_cells.package("notebooks").endswith(f"/notebooks/tokensel_nb-{version('tokensel-nb')}-py3-none-any.whl")


@pytest.fixture
def session(monkeypatch, tmp_path):
    """Run the first cell as Colab would, or as others would; return the commands that it started."""

    def run(*modules):
        commands = []
        for name in modules:
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setattr(subprocess, "run", lambda command, check: commands.append(command))
        monkeypatch.chdir(tmp_path)
        exec(first_cells.SETUP, {})
        return commands

    return run


def test_the_first_cell_installs_nothing_elsewhere(session, capsys, tmp_path):
    assert session() == []
    assert not list(tmp_path.iterdir())
    (line,) = capsys.readouterr().out.splitlines()
    assert all(f"{name} {version(name).split('+')[0]}" in line for name in ("tokensel-nb", "numpy", "torch"))
    assert re.search(", (cpu|NVIDIA .*)$", line)


def test_on_colab_the_first_cell_adds_packages_and_no_dependencies(session):
    (command,) = session("google", "google.colab")
    assert command[:6] == [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    assert command[6:] == [*first_cells.NEW.split(), first_cells.package()]
    assert len([line for line in first_cells.SETUP.splitlines() if line]) <= 6


def test_stamping_twice_changes_nothing_and_loses_nothing():
    notebook = new_notebook(cells=[new_markdown_cell("# Title\n\nA question."), new_code_cell("1")])
    for _ in range(2):
        first_cells.stamp(notebook, "x.ipynb")
        title, *code = [cell.source for cell in notebook.cells]
        assert title == f"# Title\n\n{first_cells.BADGE}({first_cells.in_colab('x.ipynb')})\n\nA question."
        assert code == [first_cells.SETUP, "1"]
