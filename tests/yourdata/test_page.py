"""What of a notebook becomes a report, and what the wheel must hold for it; `site/test_report.py` looks at the page."""

import tomllib
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tokensel_nb.yourdata import page, text_box

ROOT = Path(__file__).parents[2]
SETTINGS = new_code_cell("source = None", metadata={"tags": ["report", "parameters"]})


def notebook(*cells):
    return new_notebook(cells=[SETTINGS, *cells])


def code(source):
    return new_code_cell(source, metadata={"tags": ["report"]})


def test_cells_with_the_tag_are_kept_in_their_order():
    chosen = page.chosen_cells(
        notebook(
            code("1"),
            new_code_cell("2"),
            new_markdown_cell("(a-b)=\n# Title\n(in) the text, $p = 0$", metadata={"tags": ["report"]}),
            code("3"),
        )
    )
    assert [cell.source for cell in chosen.cells] == ["source = None", "1", "# Title\n(in) the text, *p = 0*", "3"]


def test_a_notebook_without_settings_is_refused():
    with pytest.raises(ValueError, match="parameters"):
        page.chosen_cells(new_notebook(cells=[code("1")]))


def test_settings_are_strings_whatever_they_hold():
    source = "\"\"\"'''\\ \n{x} $HOME \u2028 __import__('os')"
    done = page.run(
        notebook(code("print(ascii(source))"), code("raise_now = 1; import sys; print('12%', file=sys.stderr)")),
        {"source": source},
    )
    assert done.cells[-2].outputs[0].text == f"{source!a}\n"
    assert done.cells[-1].outputs == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import tokensel_nb as ts\nts.read_reviews('gone.csv')", "gone.csv: there is no such file"),
        ("[][1]", "^IndexError: list index out of range"),
        ("import os\nos._exit(1)", "ended from outside"),
    ],
)
def test_a_cell_that_fails_is_told_in_its_words(source, told):
    with pytest.raises(ValueError, match=told):
        page.run(notebook(code(source)), {"source": "x"})


def test_what_is_interrupted_stays_so():
    with pytest.raises(KeyboardInterrupt):
        page.run(notebook(code("raise KeyboardInterrupt")), {"source": "x"})


def test_the_policy_lets_nothing_call_out():
    """A picture from elsewhere would, without a script; and neither base nor form falls back on the default."""
    allowed = dict(each.split(" ", 1) for each in page.policy(["", ""]).split("; "))
    empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    assert allowed.pop("script-src") == f"{empty} {empty}"
    assert allowed == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_wheel_holds_what_is_asked_of_the_book():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    included, archived = project["wheel"]["force-include"], project["sdist"]["include"]
    for name in text_box.PARTS:
        assert included[f"book/{name}"] == f"tokensel_nb/data/book/{Path(name).name}"
        assert f"book/{name}" in archived
    assert f"book/{page.NOTEBOOK}" in archived  # of which the wheel takes the report's cells: tests/book/test_release.py


def test_the_chapter_has_a_report():
    """Its cells with the tag run without those that lack it: a name that only those define would be missing."""
    chosen = page.chosen_cells(nbformat.read(ROOT / "book" / page.NOTEBOOK, as_version=4))
    (settings,) = (cell for cell in chosen.cells if "parameters" in cell.metadata["tags"])
    held = {}
    exec(settings.source, held)
    assert {"source", "text", "label", "seed", "show_texts", "least", "save_to"} <= set(held)
