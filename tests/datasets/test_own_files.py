import gzip
import json
import warnings

import pytest
from helpers import ROWS, written

from tokensel_nb import DataError, load_reviews, read_reviews


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.gz"])
def test_every_format_gives_the_same_corpus(tmp_path, name):
    corpus = load_reviews(written(tmp_path / name))
    assert corpus.labels.tolist() == [1, 0, 1]
    assert corpus.class_names == ("neg", "pos")
    assert corpus.counts.toarray().tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 2]]


def test_columns_classes_and_options_can_be_chosen(tmp_path):
    path = written(tmp_path / "a.csv", [("good", 1), ("bad", 5), ("so so", 3), ("good", 5)], ("review", "stars"))
    corpus = load_reviews(path, text="review", label="stars", min_count=2)
    assert (corpus.class_names, corpus.vocabulary.tolist()) == (("1", "3", "5"), ["good", "so"])
    assert load_reviews(written(tmp_path / "b.csv"), class_names=["pos", "neg"]).labels.tolist() == [0, 1, 0]


def test_words_that_look_like_missing_values_are_texts(tmp_path):
    reviews = read_reviews(written(tmp_path / "a.csv", [("None", 0), ("NA", 1), ("null", 1)]))
    assert reviews.texts == ["None", "NA", "null"]
    assert reviews.class_names == ("0", "1")


def test_empty_texts_are_dropped_and_counted(tmp_path, capsys):
    rows = [*ROWS, ("", "pos"), ("  ", "neg"), (None, "")]
    for name in ("a.csv", "a.parquet"):
        assert len(read_reviews(written(tmp_path / name, rows))) == 3
        assert f"{name}: 3 of 6 rows have an empty text and are dropped" in capsys.readouterr().out


def test_other_encodings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\nun été,1\nmauvais,0\n".encode("latin-1"))
    assert read_reviews(path, encoding="latin-1").texts[0] == "un été"
    with pytest.raises(DataError, match=r"a.csv: its text is not utf-8 .*; give its encoding, for example 'latin-1'"):
        read_reviews(path)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (ROWS, {"text": "body"}, r"there is no column 'body'; it has 'text', 'label'"),
        (ROWS, {"label": "stars"}, r"there is no column 'stars'"),
        ([*ROWS, ("fine", None)], {}, r"row 4 \(without the header\) has no label; fill it in or drop the row"),
        ([("a", 0.0), ("b", 1.0), ("c", float("nan"))], {}, r"row 3 .* has no label"),
        ([*ROWS, ("fine", "so-so")], {"class_names": ["neg", "pos"]}, r"row 4 .* has the label 'so-so'; it must be one of"),
        ([("good", 1), ("fine", 1)], {}, "every label is 1; two classes are needed at least"),
        ([("good", 1), ("fine", 1)], {"class_names": [0, 1]}, "every label is 1"),
        ([(f"text {i}", i) for i in range(30)], {}, "30 different labels; name the right column"),
        ([("", 1), (" ", 0)], {}, "column 'text' holds no text at all"),
    ],
)
def test_bad_contents_get_one_sentence(tmp_path, rows, options, message):
    with pytest.raises(DataError, match=message) as caught:
        read_reviews(written(tmp_path / "a.csv", rows), **options)
    assert "a.csv" in str(caught.value)


def test_an_empty_vocabulary_names_the_argument(tmp_path):
    with pytest.raises(ValueError, match="lower min_count"):
        load_reviews(written(tmp_path / "a.csv"), min_count=100)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.parquet", b"PAR1 and no more"),
        ("a.jsonl", b'{"text": "good", "label"'),
        ("a.csv", b""),
        ("a.csv", b'text,label\n"never closed,1\n'),
        ("a.csv.gz", gzip.compress(b"text,label\n" * 1000, mtime=0)[:30]),
        ("a.xlsx", b"PK"),
        ("a", b"text"),
    ],
    ids=["parquet", "jsonl", "empty csv", "open quote", "cut gzip", "unknown ending", "no ending"],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, contents):
    (tmp_path / name).write_bytes(contents)
    with pytest.raises(DataError, match=r"cannot be read \(.*\); mend or replace it"):
        read_reviews(tmp_path / name)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no.csv: there is no such file; give the path of a CSV"):
        read_reviews(tmp_path / "no.csv")


def test_no_warning_and_no_stderr_on_the_ordinary_path(tmp_path, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_reviews(written(tmp_path / "a.jsonl"))
    assert capsys.readouterr().err == ""
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["label"] == "pos"


@pytest.mark.parametrize(
    ("values", "names"),
    [((-1, 1), ("-1", "1")), ((0, 1), ("0", "1")), ((1.0, 2.0), ("1", "2")), (("bad", "good"), ("bad", "good"))],
    ids=["signs", "0 and 1", "1.0 and 2.0", "words"],
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_every_way_to_write_two_classes(tmp_path, name, values, names):
    rows = [("fine", values[1]), ("awful", values[0]), ("great", values[1])]
    reviews, corpus = read_reviews(written(tmp_path / name, rows)), load_reviews(tmp_path / name)
    assert (reviews.labels.tolist(), reviews.class_names) == ([1, 0, 1], names)
    assert (corpus.labels.tolist(), corpus.class_names) == ([1, 0, 1], names)
