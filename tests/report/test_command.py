"""The command `tokensel`, as people type it: what it prints, what it writes, how it ends."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import tokensel_report as tr
from tokensel_nb.datasets.reviews import Reviews
from tokensel_report.command import main, one_line, table_of_predictions

TEXTS = ["a good film", "good and moving", "a bad film", "bad and long"] * 10
LABELS = ["up", "up", "down", "down"] * 10


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return the folder of a saved model."""
    folder = tmp_path_factory.mktemp("saved") / "model"
    tr.TextClassifier().fit(TEXTS, LABELS).save(folder)
    return str(folder)


@pytest.fixture
def new_texts(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text('number,review\n1,"a good, long film"\n2,\n3,bad\n')
    return path


def typed(*words, **options):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "tokensel_report.command", *map(str, words)]
    return subprocess.run(command, capture_output=True, **options)


def test_predictions_are_those_of_the_model(model, new_texts):
    done = typed("predict", model, new_texts, "--text", "review")
    assert done.returncode == 0
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [(row["text"], row["label"]) for row in rows] == [("a good, long film", "up"), ("", ""), ("bad", "down")]
    likely = tr.TextClassifier.load(model).predict_proba(["a good, long film", "bad"])
    found = [[float(row["p(down)"]), float(row["p(up)"])] for row in rows[::2]]
    assert found == pytest.approx(likely, abs=5e-5)  # four digits are written
    assert b"1 of 3 rows left out: they have no text" in done.stderr


def test_every_row_gets_a_row_copies_too(model, tmp_path):
    texts = ["good film", "", "good film", "bad", None, "bad"]
    pd.DataFrame({"number": range(6), "text": texts}).to_csv(tmp_path / "new.csv", index=False)
    assert main(["predict", model, str(tmp_path / "new.csv"), "-o", str(tmp_path / "out.csv")]) == 0
    found = pd.read_csv(tmp_path / "out.csv", keep_default_na=False)
    assert found.text.tolist() == [text or "" for text in texts]
    assert found.label.tolist() == ["up", "", "up", "down", "", "down"]


def test_predictions_go_into_a_file(model, new_texts, tmp_path):
    assert main(["predict", model, str(new_texts), "-o", str(tmp_path / "made" / "out.csv")]) == 0
    assert (tmp_path / "made" / "out.csv").read_text().startswith('"text","label","p(down)","p(up)"\n')
    assert len(list((tmp_path / "made").iterdir())) == 1


def test_an_explanation_names_the_words(model, capsys):
    assert main(["explain", model, "A good film"]) == 0
    told = capsys.readouterr().out
    assert told == f"{tr.explain(tr.TextClassifier.load(model), 'A good film')}\n"


def test_a_text_comes_by_the_standard_input(model):
    done = typed("explain", model, "-", input="sch\u00f6n, bad".encode() + b"\xff")
    assert done.returncode == 0
    assert done.stdout.decode().startswith("down")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["predict", "{model}", "{new}", "--text", "nope"], "nope"),
        (["predict", "{model}", "{new}.gone"], "new.csv.gone"),
        (["predict", "{model}.gone", "{new}"], "model.gone"),
        (["predict", "{model}", "{new}", "-o", "{new}/below/out.csv"], "new.csv"),
        (["explain", "{new}", "a text"], "new.csv"),
    ],
)
def test_one_sentence_says_what_is_wrong(words, named, model, new_texts, capsys):
    assert main([word.format(model=model, new=new_texts) for word in words]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    last = told.err.splitlines()[-1]
    assert last.startswith("tokensel: ")
    assert named in last
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    "words", [["report", ""], ["predict", "{model}", ""], ["predict", "", "{new}"], ["explain", "", "a text"]]
)
def test_an_empty_name_is_no_source_and_no_model(words, model, new_texts, monkeypatch, capsys):
    """Though the working directory has a model, and texts."""
    monkeypatch.chdir(model)
    assert main([word.format(model=model, new=new_texts) for word in words]) == 2
    assert re.search("tokensel: .* (does not exist|is not a folder); give ", capsys.readouterr().err)


@pytest.fixture
def asked(monkeypatch):
    """Return what a report is asked for, in the place of making it."""
    asked = []
    monkeypatch.setattr("tokensel_report.page.analyse", lambda *given, **settings: asked.append((*given, settings)))
    monkeypatch.setattr("tokensel_report.page.report_page", lambda results: "page")
    return asked


def test_labels_are_merged_and_dropped_for_a_report(asked, tmp_path, capsys):
    (tmp_path / "mine.csv").write_text("text,label\ngood,1\nbad,a=b\nso,3\nlong,\nfine,5\n")
    command = ["report", str(tmp_path / "mine.csv"), "-o", str(tmp_path / "out.html"), "--no-texts", "--seed", "3"]
    assert main([*command, *"--class 1=low --class a=b=low --class 3= --class = --class 5=high".split()]) == 0
    reviews, name, notes, settings = asked.pop()
    assert (reviews.texts, reviews.class_names) == (["good", "bad", "fine"], ("high", "low"))
    assert reviews.labels.tolist() == [1, 1, 0]
    assert name == "mine.csv"
    assert len(notes) == 2
    assert notes[0] in capsys.readouterr().err
    assert settings == dict(model=None, show_texts=False, least=5, seed=3, test=None, accepted=())
    with pytest.raises(SystemExit):
        main([*command, "--class", "low"])


LEFT_OUT = [2, 5, 8]  # a label that is dropped, an empty text, no label


@pytest.fixture
def beside(tmp_path):
    """Return a function that writes probabilities beside ten texts, of which three are left out, and returns the command."""
    labels = ["up", "down", "so", "up", "down", "up", "down", "up", "", "down"]
    texts = [" " if row == 5 else f"text {row}" for row in range(10)]
    pd.DataFrame({"text": texts, "label": labels}).to_csv(tmp_path / "mine.csv", index=False)

    def write(change, name="theirs.csv"):
        table, path = change(pd.DataFrame({"up": UP, "down": 1 - UP})), tmp_path / name
        (table.to_parquet if path.suffix == ".parquet" else table.to_csv)(path, index=False)
        command = ["report", tmp_path / "mine.csv", "--probabilities", path, "-o", tmp_path / "out.html"]
        return [*map(str, command), "--class", "so=", "--class", "="]

    return write


UP = np.linspace(0, 0.9, 10)


def test_probabilities_stay_with_their_texts_where_rows_are_left_out(asked, beside):
    assert main(beside(lambda table: table)) == 0
    reviews, *_, settings = asked.pop()
    rows = [int(text.removeprefix("text ")) for text in reviews.texts]
    assert sorted(rows + LEFT_OUT) == list(range(10))
    assert settings["model"]["up"].tolist() == pytest.approx(UP[rows])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table[:-1], "has 9 rows; give one for each of the 10 rows"),
        (lambda table: table.rename(columns={"up": "Up"}), "needs a column of numbers for each class, 'down', 'up'"),
        (lambda table: table.assign(up=1.0), "probabilities at row 1 are [1.0, 1.0]; give numbers from 0 to 1"),
    ],
)
def test_probabilities_that_do_not_fit_are_refused_in_one_sentence(change, said, beside, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")
    assert main(beside(change)) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "out.html").exists()


def test_rows_that_are_skipped_could_not_be_matched_and_are_refused(beside, capsys):
    with pytest.raises(SystemExit):
        main([*beside(lambda table: table), "--skip-bad-rows"])
    assert "--skip-bad-rows: not allowed with argument --probabilities" in capsys.readouterr().err


def test_a_name_that_is_mistyped_is_told_before_anything_heavy_is_imported(tmp_path):
    code = "import sys; from tokensel_report.command import main; main(['report', 'gone.csv']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr.startswith("tokensel: gone.csv does not exist; give a CSV")
    assert {"numpy"} == {"numpy", "scipy", "pyarrow", "sklearn", "pandas", "jinja2", "tqdm"} & set(done.stdout.split())


def test_separator_and_encoding_can_be_given_to_the_command(asked, tmp_path, capsys):
    (tmp_path / "mine.csv").write_bytes("text@label\n\u03b1, or so@1\nb@0\n".encode("cp1253"))
    command = ["report", str(tmp_path / "mine.csv"), "-o", str(tmp_path / "out.html")]
    assert main([*command, "--encoding", "cp1253", "--sep", "@"]) == 0
    assert asked.pop()[0].texts == ["\u03b1, or so", "b"]


@pytest.fixture(scope="module")
def two_files(tmp_path_factory):
    """Return the folder of a training file with a word that was put in, and of a test file that repeats some of its texts."""
    random, folder = np.random.default_rng(0), tmp_path_factory.mktemp("two")
    labels = np.where(np.arange(1000) % 2, "up", "down")
    sides = np.where(random.random(1000) < 0.8, labels == "up", labels != "up").astype(int)
    own, plain = [["bad", "dull", "long"], ["good", "fine", "moving"]], [f"word{number}" for number in range(60)]
    texts = [" ".join([*random.choice(plain, 8), *random.choice(own[side], 2)]) for side in sides]
    texts = [text + " zqx" * (row < 120 and row % 2) for row, text in enumerate(texts)]
    table = pd.DataFrame({"key": [f"k{row}" for row in range(1000)], "text": texts, "label": labels})
    table[:800].to_csv(folder / "train.csv", index=False)
    pd.concat([table[800:], table[:3]]).to_csv(folder / "test.csv", index=False)
    return folder


def ended(folder, *options):
    """Return the exit code of a report, and its numbers."""
    command = ["report", folder / "train.csv", "-o", folder / "out.html", "--json", folder / "out.json", *options]
    return main([*map(str, command)]), json.loads((folder / "out.json").read_text("utf-8"))


def test_a_pipeline_stops_at_what_was_put_in_until_it_is_accepted(two_files, capsys):
    code, numbers = ended(two_files, "--fail-on", "put-in", "--id", "key")
    named = {each["name"]: each for each in numbers["put in"]}
    assert (code, numbers["form"], named["zqx"]["rows"]) == (3, 1, [f"k{row}" for row in range(1, 120, 2)])
    assert f"probably put in: {', '.join(named)}" in capsys.readouterr().err
    (two_files / "words.txt").write_text("\n".join(named))
    code, numbers = ended(two_files, "--fail-on", "put-in", "--accept", two_files / "words.txt", "--no-texts")
    assert (code, numbers["put in"], numbers["accepted"]) == (0, [], list(named))
    page = (two_files / "out.html").read_text("utf-8")
    assert not set(named) & {each["word"] for each in numbers["suspects"]}
    assert f"(macro-F1) is\n{numbers['macro-F1']:.2f}" in page
    assert "Nothing seems to have been put in" in page
    assert not any(f'<th scope="row">{name}</th><td>1.00</td>' in page for name in named)
    texts = (two_files / "out.json").read_text("utf-8") + page
    assert not any(text in texts for text in pd.read_csv(two_files / "train.csv").text)


def test_a_pipeline_stops_at_copies_and_at_wrong_labels(two_files, capsys):
    options = ["--test", two_files / "test.csv", "--fail-on", "copies", "--fail-on", "labels=50%"]
    code, numbers = ended(two_files, *options)
    assert code == 3
    assert numbers["test file"]["copies"] == [{"test": f"line {202 + n}", "training": f"line {2 + n}"} for n in range(3)]
    assert "look wrong" not in capsys.readouterr().err
    assert ended(two_files, "--fail-on", "labels=50%")[0] == 0
    assert main(["report", str(two_files / "train.csv"), "--fail-on", "copies"]) == 2
    with pytest.raises(SystemExit):
        main(["report", str(two_files / "train.csv"), "--fail-on", "labels=2"])


def test_a_test_file_without_labels_has_no_scores(two_files, capsys):
    pd.read_csv(two_files / "test.csv").drop(columns="label").to_csv(two_files / "new.csv", index=False)
    code, numbers = ended(two_files, "--test", two_files / "new.csv")
    found = numbers["test file"]
    assert (code, found["accuracy"], found["suspects"], len(found["copies"]), len(found["sizes"])) == (0, None, [], 3, 1)
    assert "new.csv: read without labels, so there are no scores" in capsys.readouterr().err


@pytest.mark.parametrize("off", ["", "1"])
def test_progress_is_shown_unless_it_is_switched_off(off, tmp_path):
    (tmp_path / "mine.csv").write_text("text,label\n" + "good film,1\nbad film,0\n" * 30)
    environment = os.environ | {"TQDM_DISABLE": off}  # empty is no
    done = typed("report", "mine.csv", cwd=tmp_path, env=environment)
    assert done.returncode == 0
    assert (b"3/3" in done.stderr) == (not off)
    assert done.stdout == b""
    if off:
        *notes, last = done.stderr.decode().splitlines()
        assert last == "the report is in report.html; it quotes texts, so think before you share it"
        assert all(note.startswith("mine.csv: ") for note in notes)


def test_what_is_read_no_further_is_no_error(model, new_texts):
    first = f"{sys.executable} -m tokensel_report.command predict {model} {new_texts}"
    done = subprocess.run(f"set -o pipefail; {first} | true", shell=True, executable="/bin/bash", capture_output=True)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


def test_ctrl_c_ends_it_without_a_traceback(model, monkeypatch, capsys):
    def interrupted(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr(tr.TextClassifier, "load", interrupted)
    assert main(["explain", model, "a text"]) == 130
    assert capsys.readouterr() == ("", "")


def written_and_read(texts, labels=LABELS):
    """Return the table of predictions as Python reads it, and as pandas does, which also ends rows at a carriage return."""
    written = table_of_predictions(Reviews(texts, None, (), "here"), tr.TextClassifier().fit(TEXTS, labels))
    rows = list(csv.reader(io.StringIO(written, newline="")))
    table = pd.read_csv(io.StringIO(written, newline=""), dtype=str, keep_default_na=False)
    assert table.to_numpy().tolist() == rows[1:]
    assert list(table.columns) == rows[0]
    return rows


def test_no_cell_is_a_formula():
    rows = written_and_read(
        ["=1+1", "@SUM(1)", "-2", "+good", "\tbad", " =1", "＝1+1", 'a, "b"\nc', "a - b"], [1, 1, -1, -1] * 10
    )
    assert [row[0] for row in rows[1:]] == "'=1+1|'@SUM(1)|-2|'+good|\tbad|' =1|'＝1+1|a, \"b\"\nc|a - b".split("|")
    assert {row[1] for row in rows[1:]} == {"-1", "1"}


BREAKS = ["\r", "\n", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("end", BREAKS)
@pytest.mark.parametrize("space", ["", " ", "\t", "\xa0"])
def test_no_line_of_a_cell_is_a_formula(end, space):
    """Not in a text, in a label, or in the name of a column, for who takes the quotes for nothing."""
    texts = [f"good film{end}{space}={number}+1{end}-1" for number in range(3)] + [f"{end}{space}=1", f"a{end}b", "good"]
    rows = written_and_read(texts, [f"=up{end}{space}@x", f"+up{end}{space}@x", "down", "down"] * 10)
    assert [row[0].replace("'", "") for row in rows[1:]] == texts
    assert [row[0] for row in rows[-2:]] == texts[-2:]
    lines = [line.lstrip() for row in rows for cell in row for line in cell.splitlines()]
    assert [line for line in lines if line.startswith(("=", "+", "-", "@"))] == []


def test_the_process_speaks_as_before_once_the_command_is_done(capsys):
    assert main(["predict", "no_such_folder", "texts.csv"]) == 2
    capsys.readouterr()
    tr.read_reviews((["good", " ", "bad"], ["up", "up", "down"]))
    assert "have no text" in capsys.readouterr().out


def test_an_error_is_one_line_without_escapes():
    assert one_line("no such\n  file: \x1b[31mred") == "no such file: ?[31mred"
    assert one_line(MemoryError()) == "MemoryError"
