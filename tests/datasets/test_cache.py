import errno
import os

import numpy as np
import pytest
from helpers import raising, written

from tokensel_nb.datasets.reviews import SENTIMENTS, Reviews
from tokensel_nb.datasets.wheels import cache_folder, cached

NAME = "imdb-test.parquet"


def kept(make):
    return cached(NAME, "IMDB test", make)


@pytest.mark.parametrize("harm", [None, "cut", "altered", "one byte", "emptied", "other"])
def test_what_was_kept_is_served_and_a_harmed_file_is_made_anew(small_test_split, harm, capsys):
    path, made = cache_folder() / NAME, []
    make = lambda: made.append(1) or small_test_split
    assert kept(make) is small_test_split
    whole = path.read_bytes()
    if harm == "altered":
        path.unlink()
        cached(NAME, "unknown", lambda: Reviews(["A lie", "b"], np.array([1, 0]), SENTIMENTS, ""))
    elif harm == "one byte":
        path.write_bytes(whole.replace(b"a bad film", b"a bad filn"))
    elif harm == "other":
        written(path)
    elif harm:
        path.write_bytes(whole[: len(whole) // 2] if harm == "cut" else b"")
    assert kept(make).texts == small_test_split.texts
    assert len(made) == (2 if harm else 1)
    assert ("will be rebuilt" in capsys.readouterr().out) == (harm is not None)
    assert [file.name for file in path.parent.iterdir()] == [NAME]


def test_a_full_disk_costs_a_warning_and_leaves_nothing_behind(small_test_split, monkeypatch):
    monkeypatch.setattr(os, "replace", raising(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.warns(UserWarning, match=r"imdb-test.parquet could not be cached \(.*No space left on device\); free"):
        assert kept(lambda: small_test_split) is small_test_split
    assert not list(cache_folder().iterdir())


def test_a_cache_folder_that_cannot_be_made_costs_a_warning(small_test_split, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="could not be cached"):
        kept(lambda: small_test_split)
