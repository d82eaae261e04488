"""A report for programs: its numbers as JSON, and the conditions under which a pipeline should stop."""

from __future__ import annotations

import json
import re
from functools import singledispatch

import numpy as np
import pandas as pd

from tokensel_nb import __version__

from .table import Suspect

FORM = 1
"""The version of the JSON's form: it rises when a key goes or changes its meaning, not when one is added."""


class StoppedError(Exception):
    """A condition of ``--fail-on`` holds."""


def condition(text) -> tuple[str, float]:
    """Return a condition of ``--fail-on`` and its bound: put-in, copies, or labels with a share in percent."""
    match = re.fullmatch(r"(put-in|copies)|labels=(\d+\.?\d*)%", text)
    if not match:
        raise ValueError(f"{text!r:.80} is no condition; give put-in, copies, or labels=2%")
    return match[1] or "labels", float(match[2] or 0) / 100


def reasons(results, conditions) -> list[str]:
    """Return, for every condition that holds, a line that says so."""
    labels = len(results.report.texts)
    amounts = {
        "put-in": (len(results.put_in), "probably put in: " + ", ".join(suspect.name for suspect in results.put_in)),
        "copies": (0 if results.beside is None else len(results.beside.copies), "training texts recur in the test file"),
        "labels": (
            results.report.wrong_labels / labels,
            f"about {results.report.wrong_labels:,} of {labels:,} labels look wrong",
        ),
    }
    return [amounts[name][1] for name, bound in conditions if amounts[name][0] > bound]


def as_json(results) -> str:
    """Return every number of a report's page as JSON; without texts if the page has none."""
    report, evaluation, beside = results.report, results.evaluation, results.beside
    wrong = report.likely_wrong.assign(name=results.names[report.likely_wrong.row])
    data = {
        "form": FORM,
        "tokensel-nb": __version__,
        "source": results.name,
        "notes": results.notes,
        "warnings": results.warnings,
        "texts": len(report.texts),
        "sizes": [size._asdict() for size in results.sizes],
        "accuracy": evaluation.trial.accuracy,
        "accuracies": evaluation.accuracies,
        "classes": evaluation.by_class,
        "verdicts by label": evaluation.confusion,
        "calibration": evaluation.calibration._asdict(),
        "put in": [_suspect(each, results.names) for each in results.put_in],
        "reads like a word": [_suspect(each, results.names) for each in results.reads_like_a_word],
        "accepted": results.accepted,
        "without suspicious words": results.refit,
        "labels that look wrong": {"about": report.wrong_labels, "texts": wrong},
        "texts with two labels": results.disputed,
        "texts that repeat others": results.repeated,
        "words": report.table,
        "test file": None,
    }
    if beside is not None:
        copies = [
            {"test": results.test_names[row], "training": results.names[first]} for row, first in beside.copies.to_numpy()
        ]
        data["test file"] = vars(beside) | {"copies": copies, "sizes": [size._asdict() for size in results.test_sizes]}
    return json.dumps(_plain(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _suspect(suspect: Suspect, names):
    """Return a suspect with the names of its texts in place of their rows, and passages as strings."""
    rows = names[suspect.rows].tolist()
    return suspect._asdict() | {"rows": rows, "passages": ["".join(passage) for passage in suspect.passages]}


@singledispatch
def _plain(value):
    """Return a value as JSON has it; what is no number is None."""
    return value.item() if isinstance(value, np.generic) else value


@_plain.register
def _(value: dict):
    return {str(name): _plain(each) for name, each in value.items()}


@_plain.register(list)
@_plain.register(tuple)
def _(value):
    return list(map(_plain, value))


@_plain.register
def _(value: np.ndarray):
    return _plain(value.tolist())


@_plain.register
def _(value: pd.DataFrame):
    return _plain(value.to_dict("records"))


@_plain.register(float)
@_plain.register(np.floating)
def _(value):
    return None if np.isnan(value) else float(value)
