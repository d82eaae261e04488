"""The questions of the chapters: each is answered and checked in place, and its choices do not give the answer away."""

import re
from collections import Counter

import pytest
from notebooks import NOTEBOOKS, prose

QUESTION = re.compile(r"^::::\{admonition\} Before you read on\n:class: question\n\n(.*?)\n^::::$", re.DOTALL | re.MULTILINE)
CHOICE = re.compile(r"^:::\{dropdown\} ([^\n]+)\n(.*?)\n^:::$", re.DOTALL | re.MULTILINE)
WORDS = 8  # of a choice's reason, at the least: fewer cannot name a mistake


def questions(text):
    """Return every question of a text: what is asked, and its choices, each a title and what opens below it."""
    return [(CHOICE.sub("", found).strip(), CHOICE.findall(found)) for found in QUESTION.findall(text)]


def places(text):
    """Return of every question where its right choice stands, and whether its title is longer than all others."""
    for _, choices in questions(text):
        lengths = [len(title) for title, _ in choices]
        right = next(place for place, (_, says) in enumerate(choices) if says.startswith("**Right.**"))
        yield right, lengths[right] > max(lengths[:right] + lengths[right + 1 :])


def faults(text):
    """Yield what is wrong with the questions of a text."""
    found = questions(text)
    if not found:
        yield "no question"
    if text.count("Before you read on") != len(found):
        yield "a question that is not closed"
    for asked, choices in found:
        verdicts = Counter(re.match(r"\*\*(Right|No)\.\*\* |", says)[1] for _, says in choices)
        if not asked:
            yield "nothing is asked"
        if len(choices) not in (3, 4) or len({title for title, _ in choices}) < len(choices):
            yield f"{len(choices)} choices, or two alike: {asked[:60]!r}"
        if verdicts != {"Right": 1, "No": len(choices) - 1}:
            yield f"{dict(verdicts)}: {asked[:60]!r}"
        if any(len(says.split()) < WORDS for _, says in choices):
            yield f"a choice without a reason: {asked[:60]!r}"
        if any(set(title) & set("$`<") for title, _ in choices):
            yield f"a title that is no plain text: {asked[:60]!r}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_chapter_asks_and_answers(path):
    assert list(faults(prose(path))) == []


def test_neither_place_nor_length_gives_the_right_choice_away():
    found = [each for path in NOTEBOOKS for each in places(prose(path))]
    at, longest = Counter(place for place, _ in found), sum(is_longest for _, is_longest in found)
    assert min(at[place] for place in range(3)) >= len(found) / 6
    assert longest <= len(found) / 3
