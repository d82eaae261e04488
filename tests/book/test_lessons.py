"""The lessons: minutes add up and can be spared, questions have answers, slides keep to the plan, and playthings read what they
are asked for."""

import re

import numpy as np
import pytest
from notebooks import ROOT

import tokensel_nb as ts

TEACHING = ROOT / "book" / "teaching"
PLAYTHINGS = ROOT / "book" / "_static" / "playthings"
MINUTES = {"lesson-1": 90, "lesson-2": 90, "lesson-3": 90, "workshop": 210}
LINK = re.compile(r"\{play\}`[^`<]*<([^`>]*)>`")
LESSONS = [page for page in MINUTES if page.startswith("lesson")]
SLACK = 10  # minutes of a plan that nothing needs
PARTS = ("## On the board", "## Common misconceptions", "## To discuss", "## Homework", "## Rubric")


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


def test_a_plan_that_does_not_add_up_is_found():
    assert list(faults_of_plan([(0, 10), (15, 5)], 30)) == ["minute 10 is followed by 15", "20 minutes of 30"]


@pytest.mark.parametrize("page", MINUTES)
def test_a_plan_has_slack_and_says_what_to_drop(page):
    spare = re.findall(r"^\* - \d+\n  - (\d+)\n  - \*\*Slack\.\*\*", text(page), re.MULTILINE)
    assert sum(map(int, spare)) >= SLACK
    assert "If you run late, " in text(page)


def test_what_students_know_is_one_sentence_on_all_pages():
    pages = ["index", *LESSONS]
    assert [page for page in pages if len(re.findall(r"^\{\{ students \}\}", text(page), re.MULTILINE)) != 1] == []
    assert [page for page in pages if re.search(r"tudents (can|know)", text(page))] == []


def unanswered(said):
    """Yield the questions of a row that no answer in brackets follows, within a sentence or two."""
    outside = re.sub(r"\((?:[^()]|\([^()]*\))*\)", "()", re.sub(r"\$[^$]*\$", "$", said))
    for question in re.finditer(r"[^.?()]*\?", outside):
        if "()" not in outside[question.end() : question.end() + 60]:
            yield question[0].strip()


@pytest.mark.parametrize("page", LESSONS)
def test_every_question_of_a_plan_has_its_answer(page):
    rows = re.findall(r"^\* - \d+\n  - \d+\n  - (.*)\n", text(page), re.MULTILINE)
    assert sum(row.count("?") for row in rows) > 8
    assert [question for row in rows for question in unanswered(row)] == []


def test_a_question_without_an_answer_is_found():
    assert list(unanswered("Who pulls? (All.) Why? Nobody says so, and nobody (in this room) knows. What then?")) == [
        "What then?"
    ]
    assert list(unanswered("Who pulls?" + 61 * " " + "(All.)")) == ["Who pulls?"]


@pytest.mark.parametrize("page", LESSONS)
def test_every_question_for_discussion_has_its_answer(page):
    asked = re.search(r"^## To discuss\n\n(.*?)\n\n", text(page), re.MULTILINE | re.DOTALL)[1].splitlines()
    answers = [each.rpartition("?")[2].replace("*", "").split() for each in asked]
    assert len(answers) >= 3
    assert min(map(len, answers)) >= 10


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_has_all_its_parts(page):
    assert [part for part in PARTS if part not in text(page)] == []


@pytest.mark.parametrize("page", LESSONS)
def test_slides_have_notes_and_come_in_the_order_of_the_plan(page):
    slides = re.split(r"^## ", text(page.replace("lesson", "slides")), flags=re.MULTILINE)[1:]
    minutes = [
        int(found[1]) if (found := re.search(r"\{admonition\} Notes, minute (\d+)", slide)) else None for slide in slides
    ]
    assert None not in minutes
    assert minutes == sorted(minutes)
    assert minutes[-1] < MINUTES[page]


def tables(source):
    """Yield of each table its words and its rows of numbers, by their names; what the class is to find is no number."""
    for table in re.findall(r"^\|.*?(?=\n\n)", source, re.MULTILINE | re.DOTALL):
        (_, *words), _, *rows = ([cell.strip(" *") for cell in row.split("|")[1:-1]] for row in table.splitlines())
        numbers = [[np.nan if cell == "?" else float(cell.replace("−", "-")) for cell in row] for _, *row in rows]
        yield words, {re.sub(r"\*|,? \$.*\$", "", name): row for (name, *_), row in zip(rows, numbers, strict=True)}


def test_the_tables_of_scores_on_the_slides_are_what_the_package_finds(imdb):
    """Rounded: two terms of 13_first_steps' parabola after a first step of 300, the score in the limit, and the rest."""
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


def states():
    """Return what the lessons ask of playthings: page, plaything and keys of every link."""
    targets = [target for page in TEACHING.glob("*.md") for target in LINK.findall(page.read_text("utf-8"))]
    return sorted({(target, *re.match(r"(\w+)#(\w+)\.", target).groups()) for target in targets})


def keys_of(name):
    """Return the keys that a plaything reads from the address."""
    reads = re.compile(rf'\b(state|settings)\("{name}", ')
    script = next(path.read_text("utf-8") for path in PLAYTHINGS.glob("*.js") if reads.search(path.read_text("utf-8")))
    own = script[script.index(f'tokensel.plaything("{name}"') :]
    return set(re.findall(r"(\w+):", re.search(r"const (?:START|DEFAULTS) = \{(.*?)\};", own)[1]))


@pytest.mark.parametrize(("target", "page", "name"), states())
def test_a_plaything_reads_what_a_lesson_asks_of_it(target, page, name):
    asked = [part.partition("=")[0] for part in target.partition("#")[2].split("&")]
    assert {key.partition(".")[2] for key in asked} <= keys_of(name)
    assert {key.partition(".")[0] for key in asked} == {name}


def test_a_key_that_nobody_reads_is_found():
    assert keys_of("step") == {"eta", "d", "word", "middle"}
    assert "size" not in keys_of("step")
