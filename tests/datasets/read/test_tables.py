import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers import ROWS, written

from tokensel_nb import DataError, load_reviews, read_reviews

TABLE = pd.DataFrame(ROWS, columns=["text", "label"])


def check(reviews):
    assert (reviews.texts, reviews.labels.tolist(), reviews.class_names) == (
        [text for text, _ in ROWS],
        [1, 0, 1],
        ("neg", "pos"),
    )


@pytest.mark.parametrize(
    "source",
    [
        TABLE,
        TABLE.astype({"text": "string", "label": "category"}),
        TABLE[::-1][::-1].set_index(np.array([7, 7, 9])),
        pa.table({"text": TABLE["text"].tolist(), "label": TABLE["label"].tolist()}),
        TABLE.to_dict("list"),
        {"text": TABLE["text"], "label": TABLE["label"].to_numpy()},
        (TABLE["text"].tolist(), TABLE["label"].tolist()),
        (TABLE["text"], TABLE["label"]),
        (TABLE["text"].to_numpy(), tuple(TABLE["label"])),
        [TABLE[:1], (["a bad film"], ["neg"]), TABLE[2:].to_dict("list")],
        TABLE.to_dict("records"),
        [TABLE[:2], {"text": ROWS[2][0], "label": ROWS[2][1]}],
    ],
    ids="pandas typed index arrow columns mixed lists series arrays several records record".split(),
)
def test_tables_in_memory(source):
    check(read_reviews(source))


def test_records_may_lack_names(capsys):
    records = [{"text": "good", "label": 1}, {"label": 0}, {"text": None, "label": 0}, {"text": "bad", "label": 0, "more": []}]
    assert read_reviews(records).texts == ["good", "bad"]
    assert read_reviews({"text": "good film"}, label=None).texts == ["good film"]
    with pytest.raises(DataError, match="the records given: row 2 has no label"):
        read_reviews([{"text": "good", "label": 1}, {"text": "bad"}])
    with pytest.raises(DataError, match="the records given: it is not clear which column holds the texts"):
        read_reviews([{"a": "good", "b": 1}])


@pytest.fixture
def dataset():
    import datasets

    classes = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])})
    return datasets.Dataset.from_dict({"text": [text for text, _ in ROWS], "label": [1, 0, 1]}, features=classes)


def test_a_data_set_of_the_library_datasets_keeps_its_names_of_classes(dataset):
    import datasets

    check(read_reviews(dataset))
    check(read_reviews(datasets.DatasetDict(train=dataset)))
    with pytest.raises(DataError, match=r"the data set has the splits train, test; give one of them, as in data\['train'\]"):
        read_reviews(datasets.DatasetDict(train=dataset, test=dataset))
    with pytest.raises(DataError, match="the IterableDataset given can be iterated only once; load it into memory"):
        read_reviews(dataset.to_iterable_dataset())


def test_unlabelled_rows_of_a_data_set_are_missing_labels(dataset):
    unlabelled = dataset.map(lambda row: {"label": -1 if row["label"] else 0})
    with pytest.raises(DataError, match="the Dataset given: row 1 has no label"):
        read_reviews(unlabelled)


def test_missing_values_of_every_library(capsys):
    table = pd.DataFrame({"text": ["a", None, np.nan, pd.NA, "b"], "label": pd.array([1, 2, 1, 2, 2], dtype="Int64")})
    assert read_reviews(table).texts == ["a", "b"]
    assert "the DataFrame given: 3 of 5 rows have an empty text and are dropped" in capsys.readouterr().out
    with pytest.raises(DataError, match="the DataFrame given: row 5 has no label"):
        read_reviews(table.assign(label=pd.array([1, 2, 1, 2, None], dtype="Int64")))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "the list of files is empty"),
        (5, "int: texts are read from a path, a table, a data set, a pair"),
        (None, "NoneType: texts are read from"),
        (pd.Series(["a"]), r"Series: texts are read from .* or \(texts, None\)"),
        ((["a"], [0, 1]), "the lists given: there are 1 texts and 2 labels; give one label per text"),
        ({"text": ["a"], "label": [0, 1]}, "the dict given: there are 1 texts and 2 labels; give one label per text"),
        ((["a", b"b"], [0, 1]), "the lists given: text 1 holds b'b', a bytes; a text is a string"),
        ((["a", ["b"]], [0, 1]), r"the lists given: text 1 holds \['b'\], a list; a text is a string"),
        ({"text": [1, 2], "label": [0, 1]}, "its texts are numbers, such as 1; name the column that holds the texts"),
        (pd.concat([TABLE, TABLE], axis=1), "2 columns could hold the texts"),
        ([TABLE, (["new"], None)], "the lists given: it has no labels, but others have some; give label=None for all"),
        (TABLE[:0], "there is no text at all"),
    ],
)
def test_what_is_no_source_gets_one_sentence(source, message):
    with pytest.raises(DataError, match=message):
        read_reviews(source)


@pytest.mark.parametrize("values", [{"a", "b"}, "ab", b"ab", 5, np.array("ab")], ids=["set", "str", "bytes", "int", "array"])
def test_what_has_no_order_or_is_one_string_is_no_list(values):
    with pytest.raises(TypeError, match=r"^labels is a .*; give a list of values, in their order$"):
        read_reviews((["a", "b"], values))


@pytest.mark.parametrize(
    "form", [tuple, iter, pd.Series, pd.array, np.array, pa.array, lambda texts: dict.fromkeys(texts).keys()]
)
def test_whatever_has_an_order_is_a_list(form):
    texts = TABLE["text"].tolist()
    assert read_reviews((form(texts), iter(TABLE["label"]))).texts == texts


def test_masked_labels_are_missing():
    with pytest.raises(DataError, match="text 0 has no label"):
        read_reviews((["a", "b", "c"], np.ma.array([0, 1, 1], mask=[1, 0, 0])))


def test_lists_without_labels_are_not_counted():
    with pytest.raises(DataError, match="the lists given: there are no labels; give them beside the texts"):
        load_reviews((["a"], None))
    with pytest.raises(FileNotFoundError, match=r"good film: there is no such file.* given as a pair \(texts, labels\)"):
        read_reviews(["good film", "bad film"])


def class_folders(folder, **texts):
    for name, of_class in texts.items():
        (folder / name).mkdir(parents=True)
        for number, text in enumerate(of_class):
            (folder / name / f"{number}_1.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_for_each_class(tmp_path, capsys):
    train = class_folders(tmp_path / "aclImdb" / "train", neg=["bad", "été"], pos=["good"], unsup=["new", "newer"])
    (train / "urls_pos.txt").write_text("http://nowhere")
    (train / "neg" / "1_1.txt").write_bytes("été, très long déjà".encode("cp1252"))
    assert read_reviews(train).class_names == ("neg", "pos")
    told = capsys.readouterr().out
    assert "train: its folders are the classes: neg, pos, unsup" in told
    assert "train: 2 of 5 rows have the label 'unsup', which stands for none, and are dropped" in told
    assert read_reviews(train, classes={"unsup": "unsup"}).class_names == ("neg", "pos", "unsup")
    reviews = read_reviews(train, classes={"unsup": None})
    assert (reviews.texts, reviews.labels.tolist()) == (["bad", "été, très long déjà", "good"], [0, 0, 1])
    assert len(read_reviews(train, label=None)) == 5
    with pytest.raises(DataError, match=r"aclImdb: it holds the folders train; give one of them, as '.*train'"):
        read_reviews(tmp_path / "aclImdb")
    with pytest.raises(DataError, match="its folders are the classes; leave text and label out"):
        read_reviews(train, label="stars")
    (train / "pos" / "0_1.txt").write_bytes(b"a good\0 film")
    with pytest.raises(DataError, match=r"0_1.txt: cannot be read \(it contains NUL bytes"):
        read_reviews(train)


def test_a_split_of_ones_own_of_imdbs_folder(tmp_path):
    """Not 25,000 a split: what the recorded set must be, one's own need not."""
    folder = class_folders(tmp_path, neg=[f"bad {i}" for i in range(40)], pos=[f"good {i}" for i in range(40)])
    for path in sorted(folder.glob("*/*.txt"))[::5]:
        other = tmp_path / "other" / path.parent.name / path.name
        other.parent.mkdir(parents=True, exist_ok=True)
        path.rename(other)
    train, test = read_reviews(tmp_path, classes=None), read_reviews(tmp_path / "other")
    assert (len(train), len(test), train.class_names) == (64, 16, test.class_names)


def test_folders_of_tables_and_of_texts(tmp_path, capsys):
    (tmp_path / "tables").mkdir()
    for name in ("a.csv", "b.jsonl.gz", "c.parquet"):
        written(tmp_path / "tables" / name)
    assert len(read_reviews(tmp_path / "tables")) == 9
    assert "tables: texts that repeat an earlier one with its label: 6 (b.jsonl.gz row 1, " in capsys.readouterr().out
    texts = class_folders(tmp_path, texts=["one", "two"]) / "texts"
    assert read_reviews(texts, label=None).texts == ["one", "two"]
    with pytest.raises(DataError, match="its texts have no labels; put each class into a folder of its own"):
        read_reviews(texts)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"empty: the folder holds no texts; it needs a folder of .txt files for each class"):
        read_reviews(tmp_path / "empty")


def test_several_files_are_one_set_and_each_error_names_its_own(tmp_path):
    paths = [written(tmp_path / "a.csv"), str(written(tmp_path / "b.tsv"))]
    reviews = read_reviews(paths, drop_duplicates=True)
    assert (len(reviews), reviews.source) == (3, f"{paths[0]} and 1 more")
    written(tmp_path / "b.tsv", [*ROWS, ("fine", None)])
    with pytest.raises(DataError, match=r"b.tsv: row 4 \(without the header\) has no label"):
        read_reviews(paths)


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
def test_what_is_neither_file_nor_folder():
    with pytest.raises(FileNotFoundError, match="/dev/null: it is neither file nor folder; give the path of a CSV"):
        read_reviews("/dev/null")


def test_an_empty_path_is_not_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "a.csv")
    with pytest.raises(FileNotFoundError, match=r"^'': there is no such file; give the path of a CSV"):
        read_reviews("")
