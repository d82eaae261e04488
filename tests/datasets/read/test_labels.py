import numpy as np
import pytest
from helpers import written
from hypothesis import given
from hypothesis import strategies as st

from tokensel_nb import DataError, load_reviews, read_reviews
from tokensel_nb.datasets.read.labels import as_label

CASES = [("a", "pos"), ("b", "Pos"), ("c", "neg"), ("d", "neg "), ("e", "neutral"), ("f", "neg")]


def read(rows, **options):
    return read_reviews(([text for text, _ in rows], [label for _, label in rows]), **options)


def named(reviews):
    return [reviews.class_names[label] for label in reviews.labels]


@pytest.mark.parametrize(
    ("values", "name"),
    [((1, 1.0, "1", "1.0", "1.", np.int8(1), np.float32(1)), "1"), ((-1, "-1", "-1.00"), "-1"), ((0.5, "0.5"), "0.5")],
)
def test_numbers_have_one_name_however_they_are_written(values, name):
    assert {as_label(value) for value in values} <= {name, f"{name}."}


@given(st.one_of(st.integers(-(10**6), 10**6), st.booleans(), st.text(), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_name_names_its_own_class(value):
    name = as_label(value)
    assert as_label(name) == name


@pytest.mark.parametrize("value", [None, float("nan"), np.nan])
def test_nothing_is_no_label(value):
    assert as_label(value) == ""


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_class_names_round_trip(tmp_path, name):
    train = read_reviews(written(tmp_path / name, [("good", 2), ("bad", 1), ("so so", 10)]))
    assert train.class_names == ("1", "2", "10")
    for names in (train.class_names, [1, 2, 10], ["1", 2.0, "10.0"]):
        assert read_reviews(tmp_path / name, class_names=names).labels.tolist() == train.labels.tolist() == [1, 0, 2]


def test_a_test_file_may_lack_classes_and_words(tmp_path, capsys):
    train = load_reviews(written(tmp_path / "a.csv", [("good film", "pos"), ("bad film", "neg"), ("so so", "mid")]))
    path = written(tmp_path / "b.csv", [("good one", "pos")])
    test = load_reviews(path, class_names=train.class_names, vocabulary=train.vocabulary)
    assert test.counts.shape == (1, train.vocab_size)
    assert (test.labels.tolist(), test.class_names) == ([2], train.class_names)
    assert "b.csv: no text of the classes 'mid', 'neg'" in capsys.readouterr().out
    two = load_reviews(path, class_names=["neg", "pos"], vocabulary=train.vocabulary)
    assert (two.labels.tolist(), two.num_classes) == ([1], 2)


def test_labels_that_differ_in_case_or_space_are_told_and_not_merged(capsys):
    assert read(CASES).class_names == ("Pos", "neg", "neg ", "neutral", "pos")
    out = capsys.readouterr().out
    assert "labels 'neg', 'neg ' differ only in case or spaces and are kept apart; classes={'neg ': 'neg'} merges them" in out
    assert "labels 'Pos', 'pos' differ only in case" in out


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("café", "cafe\u0301", r"'caf\xe9', 'cafe\u0301'"),
        ("up", "u\u0440", r"'up', 'u\u0440'"),
        ("HOT", "\u041d\u041e\u0422", r"'HOT', '\u041d\u041e\u0422'"),
        ("TOP", "\u03a4\u039f\u03a1", r"'TOP', '\u03a4\u039f\u03a1'"),
        ("up", "up\u200b", r"'up', 'up\u200b'"),
        ("up", "\uff55\uff50", r"'up', '\uff55\uff50'"),
        ("good", "go\xadod", r"'good', 'go\xadod'"),
    ],
)
def test_labels_that_look_alike_are_told_by_their_codes_and_not_merged(capsys, one, other, told):
    assert set(read_reviews((list("abc"), [one, other, "so"])).class_names) == {one, other, "so"}
    out = capsys.readouterr().out
    listed = told if f"labels {told}" in out else ", ".join(reversed(told.split(", ")))
    assert f"labels {listed} look alike and are kept apart; spell them alike if they are one class" in out


@pytest.mark.parametrize(
    "names", [("good", "food"), ("\u0434\u0430", "\u043d\u0435\u0442"), ("\u03bd", "u"), ("a", "\xe4"), ("l1", "ll")]
)
def test_labels_that_only_resemble_each_other_are_not_told(capsys, names):
    read_reviews((list("ab"), names))
    assert "kept apart" not in capsys.readouterr().out


def test_classes_are_merged_renamed_and_dropped(capsys):
    mapping = {"pos": "good", "Pos": "good", "neg ": "neg", "neutral": None, "mid": "good"}
    assert named(read(CASES, classes=mapping)) == ["good", "good", "neg", "neg", "neg"]
    assert capsys.readouterr().out == (
        "the lists given: classes names 'mid', which no row has\n"
        "the lists given: 1 of 6 rows has a label that classes drops and is dropped\n"
    )
    assert named(read(CASES, classes=lambda label: label.strip().lower()[:3])) == ["pos", "pos", "neg", "neg", "neu", "neg"]
    stars = [("a", 1), ("b", 2.0), ("c", "3"), ("d", 4), ("e", "5")]
    assert named(read(stars, classes={1: 0, "2": 0, 3: None, 4: 1, 5: 1})) == ["0", "0", "1", "1"]


def test_missing_labels_are_named_and_can_be_dropped_or_called_something():
    rows = [("a", "pos"), ("b", "neg"), ("c", "NA"), ("d", None)]
    with pytest.raises(DataError, match=r"text 2 has no label \('NA' counts as none\); .* as classes=\{'NA': None\} does"):
        read(rows)
    assert named(read(rows, classes={"": None})) == ["pos", "neg"]
    assert named(read(rows, classes={"": "?"})) == ["pos", "neg", "?", "?"]
    assert named(read(rows, classes={"NA": "North", "": None})) == ["pos", "neg", "North"]
    assert named(read(rows, classes=lambda label: label or None)) == ["pos", "neg"]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([("a", 0), ("b", 1), ("c", "x")], {}, "text 2 has the label 'x', where most are numbers; list all in class_names, or"),
        ([("a", "x"), ("b", 1), ("c", "y")], {}, "text 1 has the label '1', where most are words"),
        ([("a", [1]), ("b", 1)], {}, r"text 0 has the label \[1\], a list; a label is a word or a number"),
        ([("a", np.datetime64("2020-01-01")), ("b", 1)], {}, "text 0 has the label .*, a datetime64; a label is"),
        (
            [("a", "x" * 999), ("b", "y")],
            {"class_names": ["y", "z"]},
            r"text 0 has the label 'x{20,40}\.\.\.x{20,40}'; it must be one of",
        ),
        ([("a", 1), ("b", 1)], {}, "every label is '1'; at least two classes are needed"),
        ([("a", 1), ("b", 2)], {"classes": {1: None, 2: None}}, "classes drops every row; keep at least two classes"),
        ([(f"text {i}", i) for i in range(30)], {"label": "stars"}, "30 different labels; name the right column"),
    ],
)
def test_labels_that_are_none_get_one_sentence(rows, options, message):
    with pytest.raises(DataError, match=message) as caught:
        read(rows, **options)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("options", [{"class_names": "ab"}, {"class_names": ["a"]}, {"class_names": [1, "1"]}], ids=str)
def test_class_names_that_are_none(options):
    with pytest.raises((TypeError, ValueError), match=r"^class_names(=| is a str)"):
        read(CASES, **options)


def test_many_classes_are_fine_where_their_column_is_named(tmp_path):
    path = written(tmp_path / "a.csv", [(f"text {i}", f"intent {i % 77}") for i in range(200)], ("text", "intent"))
    assert len(read_reviews(path, label="intent").class_names) == 77
    with pytest.raises(DataError, match="77 different labels; name the right column, or list them in class_names"):
        read_reviews(path)


def test_labels_far_apart_are_of_one_kind(tmp_path):
    """As in a file read in chunks, where 0 and "0" would become two classes."""
    rows = [f"text {i},{i % 2}" for i in range(25_000)]
    (tmp_path / "a.csv").write_text("\n".join(["text,label", *rows, "odd,x"]))
    assert read_reviews(tmp_path / "a.csv", classes={"x": None}).class_names == ("0", "1")
