"""The lessons: minutes add up and can be spared, questions have answers, slides keep to the plan, and playthings read what they
are asked for."""

import re

import numpy as np
import pytest
from notebooks import ROOT

import tokensel_nb as ts

TEACHING = ROOT / "book" / "teaching"
MINUTES = {"lesson-1": 90, "lesson-2": 90, "lesson-3": 90, "workshop": 210}
SLIDES = {"slides-1": 90, "slides-2": 90, "slides-3": 90, "slides-talk": 20}


def text(page):
    """Return the source of a page."""
    return (TEACHING / f"{page}.md").read_text("utf-8")


def plan(source):
    """Return the rows of a minute plan: from when, and for how long."""
    return [(int(start), int(minutes)) for start, minutes in re.findall(r"^\* - (\d+)\n  - (\d+)\n", source, re.MULTILINE)]


def faults_of_plan(rows, total):
    """Yield what does not add up."""
    at = 0
    for start, minutes in rows:
        if start != at:
            yield f"minute {at} is followed by {start}"
        at = start + minutes
    if at != total:
        yield f"{at} minutes of {total}"


@pytest.mark.parametrize("page", MINUTES)
def test_minutes_add_up(page):
    assert not list(faults_of_plan(plan(text(page)), MINUTES[page]))


@pytest.mark.parametrize("page", SLIDES)
def test_slides_have_notes_and_come_in_the_order_of_the_plan(page):
    slides = re.split(r"^## ", text(page), flags=re.MULTILINE)[1:]
    minutes = [
        int(found[1]) if (found := re.search(r"\{admonition\} Notes, minute (\d+)", slide)) else None for slide in slides
    ]
    assert None not in minutes
    assert minutes == sorted(minutes)
    assert minutes[-1] < SLIDES[page]


def tables(source):
    """Yield of each table its words and its rows of numbers, by their names; what the class is to find is no number."""
    for table in re.findall(r"^\|.*?(?=\n\n)", source, re.MULTILINE | re.DOTALL):
        (_, *words), _, *rows = ([cell.strip(" *") for cell in row.split("|")[1:-1]] for row in table.splitlines())
        numbers = [[np.nan if cell == "?" else float(cell.replace("−", "-")) for cell in row] for _, *row in rows]
        yield words, {re.sub(r"\*|,? \$.*\$", "", name): row for (name, *_), row in zip(rows, numbers, strict=True)}


def test_the_tables_of_scores_on_the_slides_are_what_the_package_finds(imdb):
    """Rounded: two terms of 11_first_steps' parabola after a first step of 300, the score in the limit, and the rest."""
    share, mean_share = imdb.signed_share(), np.asarray(imdb.shares.mean(axis=0)).ravel()
    logits = imdb.shares @ (150 * share)
    mean_yf = (imdb.signs * logits).mean()
    square, common, score = 75e6 * share**2, -5e5 * mean_yf * mean_share, 1e6 * ts.predicted_scores(imdb, 300, 1.0)
    found = {
        "signed share × 10,000": 1e4 * share,
        "one word in": 1 / mean_share,
        "square of the signed share": square,
        "being common": common,
        "the rest": score - square - common,
        "score": score,
    }
    told = list(tables(text("slides-1")))
    assert [np.isnan(list(rows.values())).sum() for _, rows in told] == [3, 3, 3]
    for words, rows in told:
        columns = [imdb.column(word) for word in words]
        assert list(rows) == list(found)
        for name, row in rows.items():
            right, known = np.round(found[name][columns], 1 if "10,000" in name else 0), ~np.isnan(row)
            np.testing.assert_allclose(np.array(row)[known], right[known], atol=1e-9, err_msg=name)
        *_, square, common, rest, score = map(np.array, rows.values())
        assert np.all(np.isnan(score) | (square + common + rest == score))
    for number in (rf"\overline{{yf}}={mean_yf:.4f}", rf"\bar f={logits.mean():.3f}"):
        assert number in text("slides-1")
    for word, page in (("of", "lesson-1"), ("the", "slides-1"), ("and", "slides-1")):
        answer = [round(found[name][imdb.column(word)]) for name in list(found)[2:]]
        assert "${}{}{}={}$".format(*answer) in text(page), word
