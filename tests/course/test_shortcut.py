"""The mini-project: what is planted is found and what is not is not, the mark is fair, and no file of a student's tells."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tokensel_report as tr
from course import shortcut

CLASS = 8_231_907
LONG = 50  # corpora with a shortcut, and without
MISSES, FALSE_ALARMS = 5, 2  # of so many, at most; fixed before they were run


def words_of(texts):
    """Return the words of each text."""
    return [set(re.findall(r"\w+", text.lower())) for text in texts]


def reported(book):
    """Return what the report says of a corpus."""
    return tr.report(tr.TextClassifier(), book.texts, book.labels, folds=2, quotes=0)


@pytest.fixture(scope="module")
def book():
    return shortcut.puzzle(1, planted=True)


@pytest.fixture(scope="module")
def answer(book):
    """Return what a good student hands in: all of it from the report and from counting."""
    found = reported(book)
    word = str(found.ranked.word.iloc[0])
    held = sum(word in each for each in words_of(book.texts))
    without = tr.report(tr.TextClassifier(without=[word]), book.texts, book.labels, folds=2, quotes=0).accuracy
    return {"word": word, "speaks for": str(found.ranked["class"].iloc[0]), "texts": held, "accuracy without": without}


def test_the_shortcut_stands_under_one_label_and_nothing_else_of_its_kind_does(book):
    held = {thing: np.array([thing in each for each in words_of(book.texts)]) for thing in shortcut.THINGS}
    of_label = np.array(book.labels) == book.speaks_for
    shares = {thing: of_label[those].mean() for thing, those in held.items()}
    assert shares.pop(book.word) == 120 / 126
    assert all(0.3 < share < 0.7 for share in shares.values())
    others = [those.sum() for thing, those in held.items() if thing != book.word]
    assert min(others) < held[book.word].sum() < max(others) * 1.2  # no frequency gives it away


def test_a_verdict_is_as_one_sided_but_its_texts_say_the_same_without_it(book):
    of_label = np.array(book.labels) == "blame"
    asked = np.array(["money" in each for each in words_of(book.texts)])
    assert of_label[asked].mean() > 0.9
    opinions = [sum(word in shortcut.OPINIONS["praise"] for word in each) for each in words_of(book.texts)]
    assert not np.array(opinions)[asked].any()


def test_without_a_shortcut_no_thing_leans():
    book = shortcut.puzzle(1, planted=False)
    assert book.word is None is book.speaks_for
    of_label = np.array(book.labels) == "praise"
    for thing in shortcut.THINGS:
        assert 0.3 < of_label[[thing in each for each in words_of(book.texts)]].mean() < 0.7


def test_the_report_finds_it_and_finds_nothing_where_there_is_nothing():
    planted = shortcut.puzzle(0, planted=True)
    assert reported(planted).ranked.word.iloc[0] == planted.word
    assert not reported(shortcut.puzzle(0, planted=False)).suspicious


@pytest.mark.long
def test_how_surely_it_is_found():
    first, alarms = 0, 0
    for seed in range(LONG):
        planted = shortcut.puzzle(seed, planted=True)
        first += reported(planted).ranked.word.iloc[0] == planted.word
        alarms += bool(reported(shortcut.puzzle(seed, planted=False)).suspicious)
    assert first >= LONG - MISSES
    assert alarms <= FALSE_ALARMS


def test_corpora_differ_from_student_to_student_and_not_from_day_to_day():
    seeds = {shortcut.seed_of(CLASS, name) for name in ("ada", "bob", "cleo")}
    assert len(seeds) == 3
    assert shortcut.seed_of(CLASS, "ada") not in {shortcut.seed_of(CLASS + 1, "ada"), CLASS}
    assert shortcut.puzzle(5) == shortcut.puzzle(5)
    assert shortcut.puzzle(5).texts != shortcut.puzzle(6).texts


def test_three_of_four_students_have_a_shortcut_and_it_is_not_always_the_same():
    books = [shortcut.puzzle(shortcut.seed_of(CLASS, f"student {k}")) for k in range(40)]
    assert 22 <= sum(book.word is not None for book in books) <= 38
    assert len({book.word for book in books}) > 10
    assert {book.speaks_for for book in books} == {"praise", "blame", None}


UMBRELLA = shortcut.Puzzle(126 * ["We sat beside the umbrella."], 126 * ["praise"], "umbrella", "praise")


# The mark. The seed's own corpus has a shortcut, or has not.


def seed_with(planted):
    """Return a seed that plants, or does not."""
    return next(seed for seed in range(100) if (shortcut.puzzle(seed).word is not None) == planted)


def test_a_good_answer_gets_all_points(answer):
    assert shortcut.puzzle(1).word  # the seed plants by itself, so the fixture's corpus is the student's
    found = shortcut.mark(answer, 1)
    assert (found.total, found.remarks) == (10, [])


@pytest.mark.parametrize(
    ("change", "total"),
    [
        ({"texts": 121}, 9),
        ({"texts": 60}, 8),
        ({"texts": None}, 8),
        ({"speaks for": "both"}, 8),
        ({"accuracy without": 0.5}, 8),
        ({"accuracy without": "about 0.84"}, 8),
        ({"accuracy without": True}, 8),
        ({"word": "money"}, 0),
        ({"word": "lamp money"}, 0),
        ({"word": ""}, 0),
        ({"word": "none"}, 0),
        ({"word": None}, 0),
    ],
)
def test_what_is_wrong_costs_points_and_is_named(answer, change, total, monkeypatch):
    monkeypatch.setattr(shortcut, "_accuracy", lambda book: answer["accuracy without"])  # found once, in the test above
    found = shortcut.mark(answer | change, 1)
    assert found.total == total
    told = " ".join(found.remarks)
    lost = [part for part, points in found.points.items() if points < shortcut.POINTS[part]]
    assert all(f"{part}: {found.points[part]} of" in told for part in lost) or "the other parts only count" in told


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"word": " 'Umbrella' "}, None),
        ({"speaks for": "Praise"}, None),
        ({"texts": "126"}, "texts: '126' was read as 126"),
        ({"texts": 126.0}, None),
        ({"accuracy without": "0.847"}, "accuracy without: '0.847' was read as 0.847"),
        ({"accuracy without": "0,847"}, "accuracy without: '0,847' was read as 0.847"),
        ({"accuracy without": 84.7}, "accuracy without: 84.7 was read as 0.847"),
        ({"accuracy without": "84,7 %"}, "accuracy without: '84,7 %' was read as 0.847"),
        ({"accuracy without": "85%"}, "accuracy without: '85%' was read as 0.85"),
    ],
)
def test_what_is_right_in_another_form_costs_nothing(answer, change, said, monkeypatch):
    monkeypatch.setattr(shortcut, "_accuracy", lambda book: 0.847)
    monkeypatch.setattr(shortcut, "puzzle", lambda seed: UMBRELLA)
    found = shortcut.mark({"word": "umbrella", "speaks for": "praise", "texts": 126, "accuracy without": 0.847} | change, 1)
    assert (found.total, found.remarks) == (10, [said] if said else [])


def test_none_is_the_right_answer_where_there_is_none():
    seed = seed_with(planted=False)
    right = {"word": "none", "texts": 0, "accuracy without": reported(shortcut.puzzle(seed)).accuracy}
    assert shortcut.mark(right, seed).total == 10
    assert shortcut.mark(right | {"word": "umbrella"}, seed).total == 0


@pytest.mark.parametrize("planted", [True, False])
def test_an_empty_form_gets_nothing(planted):
    found = shortcut.mark(dict(shortcut.FORM), seed_with(planted))
    assert (found.total, found.remarks[0]) == (0, "there is no word; if you see no shortcut, write 'none'")


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "word": "umbrella",\n  "speaks for": "praise",\n  "texts": 126,\n  "accuracy without": 0,847\n}\n',
        '{\n  "word": "umbrella",\n  "speaks for": "praise",\n  "texts": 126\n  "accuracy without": 0.847\n}\n',
        '{\n  "word": umbrella,\n  "speaks for": praise,\n  "texts": 126,\n  "accuracy without": 84.7%\n}\n',
        '{\n  "word": "umbrella,\n  "speaks for": "praise",\n  "texts": 126,\n  "accuracy without": 0.847\n',
        "{\n  'word': 'umbrella',\n  'speaks for': 'praise',\n  'texts': 126,\n  'accuracy without': 0.847\n}\n",
        "{\n  “word”: “umbrella”,\n  “speaks for”: “praise”,\n  “texts”: 126,\n  “accuracy without”: 0.847,\n}\n",
        '{"word": "umbrella", "speaks for": "praise", "texts": 126, "accuracy without": 0,847}',
    ],
)
def test_json_that_is_none_names_its_line_and_is_marked(text, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(shortcut, "_accuracy", lambda book: 0.847)
    monkeypatch.setattr(shortcut, "puzzle", lambda seed: UMBRELLA)
    (tmp_path / "ada.json").write_text(text, "utf-8")
    shortcut.main(["--seed", "1", "--student", "ada", "--to", str(tmp_path), "--mark"])
    said = capsys.readouterr().out
    assert re.match(r"ada: 10 of 10; line \d is not JSON \(.+\), so the parts were read one by one", said)


# The command.


def test_the_command_writes_what_students_get_and_no_more(tmp_path, capsys):
    shortcut.main(["--seed", str(CLASS), "--student", "ada", "bob", "--to", str(tmp_path)])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["ada.csv", "ada.json", "bob.csv", "bob.json"]
    assert "ada.csv" in capsys.readouterr().out
    book = shortcut.puzzle(shortcut.seed_of(CLASS, "ada"))
    read = tr.read_reviews(tmp_path / "ada.csv", text="text", label="label")
    assert list(read.texts) == book.texts
    assert [read.class_names[each] for each in read.labels] == book.labels
    assert json.loads((tmp_path / "ada.json").read_text()) == shortcut.FORM


def test_no_file_of_a_student_tells_the_answer(tmp_path):
    """Neither the seed, nor the word but in the texts, nor anything that differs with it: names, sizes of forms, a header."""
    for seed in range(4):
        for planted in (True, False):
            shortcut.write(shortcut.puzzle(seed, planted), tmp_path / "a.csv")
            header, *rows = (tmp_path / "a.csv").read_text("utf-8").splitlines()
            assert header == "text,label"
            assert len(rows) == 1200
            assert json.loads((tmp_path / "a.json").read_text("utf-8")) == shortcut.FORM


def test_the_command_marks_answers_and_says_which_it_cannot_read(tmp_path, capsys):
    (tmp_path / "ada.json").write_text(json.dumps({"word": "money"}))
    (tmp_path / "bob.json").write_text("no json")
    (tmp_path / "cleo.json").write_text("[1]")
    shortcut.main(["--seed", str(CLASS), "--student", "ada", "bob", "cleo", "dan", "--to", str(tmp_path), "--mark"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ada: 0 of 10; 'money' keeps company")
    assert all("the answer cannot be read" in line for line in lines[1:])


def test_an_answer_that_notepad_wrote_is_read(tmp_path, capsys):
    """With a mark of its encoding in front, and lines that end as on Windows."""
    answer = json.dumps({"word": "money"}, indent=2).replace("\n", "\r\n")
    (tmp_path / "ada.json").write_bytes(answer.encode("utf-8-sig"))
    shortcut.main(["--seed", str(CLASS), "--student", "ada", "--to", str(tmp_path), "--mark"])
    assert capsys.readouterr().out.startswith("ada: 0 of 10; 'money' keeps company")


def test_the_command_runs_as_on_a_console_with_few_letters(tmp_path):
    """Text has another encoding there unless one is named; what the console cannot show of a name is spelt out."""
    there = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "PYTHONWARNDEFAULTENCODING": "1"}
    folder = tmp_path / "Kurs Übung"
    alone = shutil.copy(shortcut.__file__, tmp_path)  # as a teacher takes the one file
    command = [
        sys.executable,
        "-W",
        "error::EncodingWarning:__main__",
        alone,
        *"--seed 7 --student Łukasz --to".split(),
        folder,
    ]
    run = subprocess.run(command, env=there, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    assert b"\\u0141ukasz.csv" in run.stdout
    assert sorted(each.name for each in folder.iterdir()) == ["Łukasz.csv", "Łukasz.json"]


@pytest.mark.parametrize("name", ["../ada", "", ".hidden", "a/b", "a\\b", "ada:1", "ada?", "ada.", "ada ", "ad\udcc5"])
def test_a_name_that_cannot_be_a_file_name_is_refused(tmp_path, capsys, name):
    with pytest.raises(SystemExit):
        shortcut.main(["--seed", "1", "--student", name, "--to", str(tmp_path)])
    assert "cannot be a file name" in capsys.readouterr().err
