"""The starter computes what the package does, in 25 lines, and the ten experiments that change it find what their page says."""

import re

import first_cells
import numpy as np
import pytest
from notebooks import ROOT, code_cells, printed, read

import tokensel_nb as ts

TEACHING = ROOT / "book" / "teaching"
STARTER = read(TEACHING / "starter.ipynb")
CELLS = [cell.source for cell in code_cells(STARTER)]
PAGE = (TEACHING / "experiments.md").read_text("utf-8")
SIX = "great good wonderful bad awful dull".split()
STARTS = range(0, 100, 10)


def room_of(cells, add=0):
    """Run cells, with other seeds."""
    room = {}
    exec(re.sub(r"default_rng\((\d)\)", lambda seed: f"default_rng({int(seed[1]) + add})", "\n\n".join(cells)), room)
    return room


def test_it_is_short_and_ends_as_it_shows(capsys):
    lines = [line for cell in CELLS for line in cell.splitlines() if line.strip()]
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 88
    room_of(CELLS)
    assert capsys.readouterr().out == printed(STARTER.cells[-1])
    assert f"({first_cells.in_colab('teaching/starter.ipynb')})" in STARTER.cells[0].source


def test_its_verdicts_and_gradients_are_the_packages():
    room, random = room_of(CELLS[:3]), np.random.default_rng(1)
    point = ts.Parameters(random.normal(size=(len(room["words"]), 5)), *random.normal(size=(2, 5)))
    corpus = ts.Corpus(room["counts"], room["y"], room["words"])
    np.testing.assert_allclose(room["model"](*point)[1], ts.logits(point, corpus))
    for ours, theirs in zip(room["gradients"](*point), ts.gradients(point, corpus), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def changed(experiment):
    """Return the cells but for the picture, with the lines that an experiment changes."""
    source = "\n\n".join(CELLS[:-1])
    old, new = ([line[2:] for line in experiment.splitlines() if line[0] == sign] for sign in "-+")
    for before, after in zip(old, new, strict=True):
        assert source.count(before) == 1, before
        source = source.replace(before, after)
    return [source]


def found(cells, add):
    """Return what the table tells of a start: sentences right, loss, attention to the six words and to *dull*."""
    room = room_of(cells, add)
    attention, f = room["model"](room["E"], room["p"], room["v"])
    margins, dull = room["y"] * f, room["words"].index("dull")
    to_six = attention[:, [room["words"].index(word) for word in SIX]].sum(axis=1)
    return (margins > 0).sum(), np.logaddexp(0, -margins).mean(), to_six.mean(), attention[attention[:, dull] > 0, dull].mean()


ROWS = re.findall(r"^\| (?!\||-)(.+) \|$", PAGE, re.MULTILINE)
EXPERIMENTS = ["", *re.findall(r"```diff\n(.+?)\n```", PAGE, re.DOTALL)]


@pytest.mark.parametrize(("row", "experiment"), [*zip(ROWS, EXPERIMENTS, strict=True)], ids=range(11))
def test_an_experiment_finds_what_its_row_says(row, experiment):
    each = np.array([found(changed(experiment), add) for add in STARTS])
    for cell, right in zip(row.split(" | ")[1:], np.transpose([each.mean(axis=0), each.min(axis=0), each.max(axis=0)])):
        told = [float(number) for number in re.findall(r"[\d.]+", cell)]
        np.testing.assert_allclose(told, right, atol=0.06 if right.max() > 1 else 0.006, err_msg=cell)
