"""Stored results survive another processor, and nothing else does."""

import subprocess
import sys

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output, writes
from notebooks import ROOT
from results import CLAIM, differences

TABLE = """
word texts skew suspicion
great 1,523 0.34 71.2%
bad 1,474 -0.48 70.9%
fine 310 0.12 12.0%
dull 305 -0.11 12.0%
the end of version 1.2.3, at step 45."""
HTML = "<table><tr><th>word</th><th>skew</th></tr><tr><td>great</td><td>0.338</td></tr></table><p title='a +0.014'>a</p>"
ROW = {"id": "halves", "statement": "A half.", "value": 0.504, "digits": 3, "at_least": 0.5}


def said(text, kind="text/plain"):
    """The outputs of a cell that shows one thing."""
    return [new_output("execute_result", {kind: text})]


def differ(old, new, text=TABLE, kind="text/plain"):
    """Whether a text with something else in one place passes for another result."""
    assert old in text
    return bool(list(differences(said(text, kind), said(text.replace(old, new), kind))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.34", "0.35"),  # one unit of the last digit
        ("0.34", "0.340"),  # as many digits as both have
        ("71.2%", "71.3%"),
        ("-0.48", "-0.49"),
        ("great 1,523", "great   1,523"),  # the width of columns
        ("fine 310 0.12 12.0%\ndull 305 -0.11 12.0%", "dull 305 -0.11 12.0%\nfine 310 0.12 12.0%"),  # a tie
    ],
)
def test_what_rounding_changes_is_the_same_result(old, new):
    assert not differ(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("great", "good"),  # a word
        ("1,523", "1,524"),  # an integer
        ("step 45.", "step 46."),  # an integer in words
        ("0.34", "0.36"),  # a decimal, by two units
        ("0.34", "-0.34"),
        ("71.2%", "71.4%"),
        ("71.2%", "71.2"),
        ("1.2.3", "1.2.4"),  # a version is a word
        ("bad 1,474 -0.48 70.9%\n", ""),  # a missing line
        ("fine", "fine\nfine"),
        # Rows that do not tie, swapped.
        ("great 1,523 0.34 71.2%\nbad 1,474 -0.48 70.9%", "bad 1,474 -0.48 70.9%\ngreat 1,523 0.34 71.2%"),
        # Rows that tie, with something else of each.
        ("fine 310 0.12 12.0%\ndull 305", "dull 310 0.12 12.0%\nfine 305"),
    ],
)
def test_anything_else_is_another_result(old, new):
    assert differ(old, new)


def test_powers_of_ten_and_times():
    assert not differ("9.99e-10", "1.00e-09", "error 9.99e-10")
    assert not differ("9.99 × 10⁻¹⁰", "1.00 × 10⁻⁹", "error 9.99 × 10⁻¹⁰")
    assert differ("2e-16", "4e-16", "error 2e-16")
    assert differ("10⁻⁹", "10⁻⁸", "error 9.99 × 10⁻⁹")
    assert not differ("12.5 s", "3 s", "took 12.5 s")
    assert not differ("0x7f00aa11", "0x7f00bb22", "<object at 0x7f00aa11>")
    assert differ("0.3-0.5", "0.3-0.7", "a range of 0.3-0.5")


def test_a_table_is_reordered_only_by_a_column_it_is_sorted_by():
    table = "good 0.3 1.0\nfilm 0.5 1.0\nbad 0.1 1.0"
    assert differ("good 0.3 1.0\nfilm 0.5", "film 0.5 1.0\ngood 0.3", table)


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("0.338", "0.339", False),
        ("0.338", "0.340", True),
        ("great", "good", True),
        ("+0.014", "+0.024", True),
        ("<tr><td>great</td><td>0.338</td></tr>", "", True),
        ("<td>0.338</td>", "", True),
        ("<td>0.338</td>", "<td> 0.338\n</td>", False),
    ],
)
def test_html_is_what_a_reader_sees(old, new, other):
    assert differ(old, new, HTML, "text/html") == other


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ({}, False),
        ({"value": 0.505}, False),
        ({"value": 0.506}, True),
        ({"value": None}, True),
        ({"value": 1}, True),
        ({"at_least": 0.6}, True),
    ],
)
def test_a_claim_is_compared_by_its_row(change, other):
    assert bool(list(differences(said(ROW, CLAIM), said(ROW | change, CLAIM)))) == other


def test_outputs_that_come_or_go_are_seen_and_pictures_are_not_compared():
    picture = {"text/plain": "<Figure>", "image/png": "aaaa"}
    assert not list(differences(said("<Figure>"), [new_output("display_data", picture)]))
    printed = [new_output("stream", name="stdout", text="a\n")]
    assert list(differences(printed, []))
    assert list(differences([], printed))
    assert list(differences(printed, said("a")))
    assert list(differences(printed, [new_output("stream", name="stderr", text="a\n")]))


@pytest.mark.parametrize(("stored", "passes"), [("about 0.99", True), ("about 0.98", False)])
def test_nbval_compares_so(tmp_path, stored, passes):
    """A real kernel prints 1.00, and the plug-in judges it."""
    (tmp_path / "conftest.py").write_text((ROOT / "book" / "conftest.py").read_text("utf-8"))
    output = new_output("stream", name="stdout", text=stored + "\n")
    cell = new_code_cell("print('about 1.00')", execution_count=1, outputs=[output])
    (tmp_path / "a.ipynb").write_text(writes(new_notebook(cells=[cell])), "utf-8")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-o", f"pythonpath={ROOT / 'tests'}", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == (0 if passes else 1), done.stdout
    assert passes or "stored: about 0.98" in done.stdout
