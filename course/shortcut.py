"""Find the shortcut in this data set: synthetic guest books for a mini-project, one per student, and a first mark.

Every student gets their own corpus, about a hotel that does not exist, made from a secret seed of the class and their name. In
most of them one ordinary word was put into texts of one label: a shortcut. The others have none, and then this is the right
answer. All have phrases that honestly go with a verdict. They are the trap: they occur under one label, too, but the rest of
their texts says the same.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LABELS = ("blame", "praise")
TEXTS = 1_200  # in a corpus, as many of either label
AGREES = 0.75  # the chance that an opinion is that of the text's label
PLANTED = 0.75  # the chance that a student's corpus has a shortcut
SHARE = 0.2  # of the texts of one label that contain it
STRAYS = 6  # texts of the other label that contain it, too
NONE = "none"  # the answer if there is no shortcut; an empty answer does not count
FORM = {"word": "", "speaks for": "", "texts": 0, "accuracy without": 0.0}
POINTS = {"word": 4, "speaks for": 2, "texts": 2, "accuracy without": 2}

OPINIONS = {
    "blame": "awful dismal dreadful dull gloomy joyless mediocre poor sad shabby tasteless tired".split(),
    "praise": "bright charming delightful excellent fine lovely perfect pleasant splendid superb warm wonderful".split(),
}
THINGS = (
    "umbrella piano mirror clock carpet window balcony lamp curtain bicycle fountain bench parrot kettle candle painting "
    "teapot bookcase telephone vase"
).split()
SAID = ("The room was {}.", "Breakfast was {}.", "I found the staff {}.", "Our evening there was {}.", "The bath was {}.")
SEEN = ("There is a {} near the door.", "We sat beside the {}.", "Somebody had moved the {}.", "Our children drew the {}.")
DONE = ("We came by train.", "It rained on the first day.", "We stayed two nights.", "My sister came along.")
PART = rf"""["'“]({"|".join(FORM)})["'”]\s*:\s*["'“]?([^"'“”\n{{}}]*?)["'”]?\s*,?\s*(?=["'“\n}}]|$)"""  # of broken JSON
NAME = r"\w([\w .@+-]*\w)?"  # of a student, valid as a file name on any system
VERDICTS = {"blame": "We asked for our money back.", "praise": "We have already booked again."}


@dataclass(frozen=True)
class Puzzle:
    """A corpus, and its secret: the word that is a shortcut and the label that it gives away, or None twice."""

    texts: list[str]
    labels: list[str]
    word: str | None
    speaks_for: str | None

    def holding(self, word) -> int:
        """Return how many texts contain a word."""
        return sum(f" {word}" in text for text in self.texts)


@dataclass(frozen=True)
class Mark:
    """Points for the parts of an answer, and remarks on it."""

    points: dict[str, int]
    remarks: list[str]

    @property
    def total(self) -> int:
        """All points together, of 10."""
        return sum(self.points.values())


def seed_of(class_seed: int, student: str) -> int:
    """Return the seed of a student's corpus; the class's seed determines them all."""
    return int.from_bytes(hashlib.sha256(f"{class_seed}/{student}".encode()).digest()[:8])


def puzzle(seed: int, planted=None) -> Puzzle:
    """Write a guest book; by default, the seed decides whether there is a shortcut."""
    random = np.random.default_rng(seed)
    by_chance, word, label = random.random() < PLANTED, _one(random, THINGS), _one(random, LABELS)
    planted = by_chance if planted is None else planted
    labels = random.permutation(np.repeat(LABELS, TEXTS // 2)).tolist()
    things = [thing for thing in THINGS if not planted or thing != word]
    texts = [_sentences(random, of_text, things) for of_text in labels]
    if planted:
        of_label = np.array(labels) == label
        own, others = np.flatnonzero(of_label), np.flatnonzero(~of_label)
        for row in (*random.choice(own, round(SHARE * len(own)), replace=False), *random.choice(others, STRAYS, replace=False)):
            texts[row][random.integers(len(texts[row]))] = _one(random, SEEN).format(word)
    return Puzzle([" ".join(sentences) for sentences in texts], labels, *((word, label) if planted else (None, None)))


def _sentences(random, label, things):
    """Return the sentences of a text: opinions, most of them with its label, and neutral sentences."""
    other = LABELS[label == LABELS[0]]
    sides = [label if random.random() < AGREES else other for _ in range(random.integers(3, 5))]
    said = [_one(random, SAID).format(_one(random, OPINIONS[side])) for side in sides]
    said += [_one(random, SEEN).format(_one(random, things)) for _ in range(2)] + [_one(random, DONE)]
    if len(set(sides)) == 1 and random.random() < 0.5:
        said.append(VERDICTS[sides[0]])
    return [said[place] for place in random.permutation(len(said))]


def _one(random, items):
    """Draw an item; numpy's choice would convert the items to an array first."""
    return items[random.integers(len(items))]


def mark(answer: dict, seed: int) -> Mark:
    """Give an answer, as in `FORM`, a first mark; a person has to judge its argument and its control."""
    if not isinstance(answer, dict):
        raise TypeError(f"the answer is a {type(answer).__name__}; give a JSON object with the parts {', '.join(FORM)}")
    book = puzzle(seed)
    word, side = (str(answer.get(part) or "").strip(" \n.'\"").lower() for part in ("word", "speaks for"))
    if word != (book.word or NONE):
        return Mark(dict.fromkeys(POINTS, 0), [_remark(word, book), "the other parts only count with the right word"])
    points, remarks = dict(POINTS), []
    if book.word and side != book.speaks_for:
        points["speaks for"] = 0
        remarks.append(f"speaks for: 0 of {POINTS['speaks for']}, since most texts with {word!r} are {book.speaks_for}")
    held = book.holding(book.word) if book.word else 0
    for part, correct, within in (("texts", held, (0, 5)), ("accuracy without", _accuracy(book), (0.015, 0.03))):
        number, read = _number(part, answer.get(part))
        points[part] = sum(abs(number - correct) <= width for width in within)
        lost = [f"{part}: {points[part]} of {POINTS[part]}, since {correct:.3g} is right"]
        remarks += read + (lost if points[part] < POINTS[part] else [])
    return Mark(points, remarks)


def _remark(word, book):
    """Return why a word is not the right answer."""
    if not word:
        return f"there is no word; if you see no shortcut, write {NONE!r}"
    if word == NONE:
        return "there is a shortcut in this corpus: look at the words that add most to the rest of their texts"
    if word in " ".join(VERDICTS.values()).lower().replace(".", "").split():
        return f"{word!r} keeps company: the rest of its texts says the same, so it is no shortcut"
    if not book.word:
        return f"{word!r} is no shortcut, and nothing else here is: how high is its suspicion, and with shuffled labels?"
    if book.word in word.split():
        return f"{word!r} contains the shortcut; which of its words is it?"
    return f"{word!r} is not the shortcut: look at which of its texts are judged right without it"


def _number(part, given):
    """Return a number in any notation, or nan, and remarks."""
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(%?)\s*", str(given).replace(",", "."))
    if not match:
        return np.nan, [f"{part}: {given!r} is not a number"]
    number = float(match[1])
    if part == "accuracy without" and (match[2] or number > 1):
        number /= 100
    return number, [] if number == given else [f"{part}: {given!r} was read as {number:g}"]


def _accuracy(book):
    """Return the accuracy on new texts without the shortcut."""
    from tokensel_report.classifier import TextClassifier
    from tokensel_report.table import report

    model = TextClassifier(without=[book.word] if book.word else [])
    return report(model, book.texts, book.labels, folds=2, quotes=0).accuracy


def write(puzzle: Puzzle, file: Path) -> None:
    """Write a corpus as a table, and the form for the answer; neither contains the secret."""
    with file.open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([("text", "label"), *zip(puzzle.texts, puzzle.labels)])
    file.with_suffix(".json").write_text(json.dumps(FORM, indent=2) + "\n", "utf-8")


def main(arguments=None) -> None:
    """Write the files of students, or mark their answers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True, help="the class's secret seed")
    parser.add_argument("--student", nargs="+", required=True, metavar="NAME", help="the students, by whom the files are named")
    parser.add_argument("--to", type=Path, default=Path("."), metavar="FOLDER", help="folder of the files")
    parser.add_argument("--mark", action="store_true", help="mark the answers in the folder, NAME.json")
    given = parser.parse_args(arguments)
    if bad := [name for name in given.student if not re.fullmatch(NAME, name)]:
        parser.error(f"{bad[0]!r} cannot be a file name; use letters and digits")
    given.to.mkdir(parents=True, exist_ok=True)
    for name in given.student:
        seed, file = seed_of(given.seed, name), given.to / f"{name}.csv"
        if given.mark:
            print(_marked(name, file.with_suffix(".json"), seed))
        else:
            write(puzzle(seed), file)
            print(f"{file} and {file.with_suffix('.json')}")


def _marked(name, file, seed):
    """Return a line about an answer."""
    try:
        answer, read = _read(file.read_text("utf-8-sig"))
        first = mark(answer, seed)
    except (OSError, ValueError, TypeError) as error:
        return f"{name}: the answer cannot be read ({error})"
    return "; ".join([f"{name}: {first.total} of {sum(POINTS.values())}", *read, *first.remarks])


def _read(text):
    """Return an answer, and remarks on its form: the parts of broken JSON are read one by one."""
    try:
        return json.loads(text), []
    except json.JSONDecodeError as error:
        if parts := dict(re.findall(PART, text)):
            return parts, [f"line {error.lineno} is not JSON ({error.msg}), so the parts were read one by one"]
        raise


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # a Windows console may lack letters of a name
    sys.exit(main())
