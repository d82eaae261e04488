"""A report for programs: its numbers as JSON, and the conditions on which a pipeline stops."""

from __future__ import annotations

import pandas as pd

from tokensel_nb import __version__

FORM = 1
"""The version of the JSON's form: it rises when a key goes or changes its meaning, not when one is added."""


def reasons(results, conditions) -> list[str]:
    """Return a line for every condition that holds; a condition is a name and the bound that its amount exceeds."""
    texts, copies = len(results.report.texts), results.beside and len(results.beside.copies)
    wrong = results.report.wrong_labels or 0  # nothing stops where it can't be told
    amounts = {
        "put-in": (len(results.put_in), f"probably put in: {', '.join(suspect.name for suspect in results.put_in)}"),
        "copies": (copies, f"{copies} texts of the test file repeat a training text"),
        "labels": (wrong / texts, f"about {wrong:,} of {texts:,} labels look wrong"),
    }
    return [amounts[name][1] for name, bound in conditions if amounts[name][0] > bound]


def as_json(results) -> str:
    """Return every number of a report's page as JSON; without texts if the page has none."""
    report, evaluation = results.report, results.evaluation
    wrong = report.likely_wrong.assign(name=results.names[report.likely_wrong.row])
    data = {
        "form": FORM,
        "tokensel-nb": __version__,
        "source": results.name,
        "notes": results.notes,
        "warnings": results.warnings,
        "texts": len(report.texts),
        "sizes": _records(results.sizes),
        "accuracy": evaluation.trial.accuracy,
        "accuracies": evaluation.accuracies,
        "classes": _records(evaluation.by_class),
        "verdicts by label": evaluation.confusion.tolist(),
        "macro-F1": evaluation.by_class.F1.mean(),
        "balanced": report.balanced and report.balanced._asdict(),
        "calibration error": evaluation.calibration_error,
        "put in": _named(results.put_in, results.names),
        "reads like a word": _named(results.reads_like_a_word, results.names),
        "suspects": _records(results.suspects),
        "accepted": results.accepted,
        "without suspicious words": results.without,
        "labels that look wrong": {"about": report.wrong_labels, "texts": _records(wrong)},
        "texts with two labels": results.disputed,
        "texts that repeat others": results.repeated,
        "words": _records(report.table),
        "test file": results.beside and _beside(results),
    }
    return pd.Series(data, dtype=object).to_json(force_ascii=False, double_precision=15, indent=1) + "\n"


def _records(rows):
    return pd.DataFrame(rows).to_dict("records")


def _named(suspects, names):
    """Return suspects with the names of their texts in place of rows, and passages as strings."""
    passages = [["".join(passage) for passage in suspect.passages] for suspect in suspects]
    return [one._asdict() | {"rows": names[one.rows].tolist(), "passages": of} for one, of in zip(suspects, passages)]


def _beside(results):
    """Return the numbers about the test file."""
    found, (rows, first) = results.beside, results.beside.copies.to_numpy().T
    copies = {"test": results.test_names[rows], "training": results.names[first]}
    tables = {"copies": copies, "sizes": results.test_sizes, "words": found.words, "suspects": found.suspects}
    return vars(found) | {name: _records(table) for name, table in tables.items()}
