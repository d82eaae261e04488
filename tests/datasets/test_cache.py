import errno
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest
from helpers import raising, written

from tokensel_nb.datasets.cache import cache_folder, from_cache, to_cache
from tokensel_nb.datasets.read.reviews import SENTIMENTS, Reviews


@pytest.mark.parametrize("harm", ["cut", "altered", "one byte", "emptied", "other"])
def test_a_harmed_cache_is_found_and_thrown_away(small_test_split, harm, capsys):
    to_cache(small_test_split, "imdb-test.parquet")
    path = cache_folder() / "imdb-test.parquet"
    whole = path.read_bytes()
    if harm == "altered":
        to_cache(Reviews(["A lie", "b"], np.array([1, 0]), SENTIMENTS, ""), path.name)
    elif harm == "one byte":
        path.write_bytes(whole.replace(b"a bad film", b"a bad filn"))
    elif harm == "other":
        written(path)
    else:
        path.write_bytes(whole[: len(whole) // 2] if harm == "cut" else b"")
    assert from_cache(path.name, "IMDB test", SENTIMENTS) is None
    assert not path.exists()
    assert "will be rebuilt" in capsys.readouterr().out


def test_a_full_disk_costs_a_warning_and_leaves_nothing_behind(small_test_split, monkeypatch):
    monkeypatch.setattr(os, "fsync", raising(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.warns(
        UserWarning, match=r"imdb-test.parquet: could not be cached \(No space left on device\); free some space"
    ):
        assert to_cache(small_test_split, "imdb-test.parquet") is small_test_split
    assert not cache_folder().exists()


def test_a_cache_folder_that_cannot_be_made_costs_a_warning(small_test_split, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOKENSEL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match="could not be cached"):
        to_cache(small_test_split, "imdb-test.parquet")


@pytest.mark.processes
def test_a_kill_in_the_middle_of_writing_leaves_the_old_file_whole(small_test_split):
    """Another process is killed while it writes: the file under the name is the old one."""
    to_cache(small_test_split, "imdb-test.parquet")
    path = cache_folder() / "imdb-test.parquet"
    before = path.read_bytes()
    code = (
        "import pathlib, sys, time; from tokensel_nb.support.files import atomic\n"
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
    to_cache(small_test_split, "imdb-test.parquet")
    assert [file.name for file in path.parent.iterdir()] == ["imdb-test.parquet"]


def test_a_harmed_cache_in_a_folder_that_can_only_be_read_is_made_anew_beside_it(small_test_split, monkeypatch, capsys):
    to_cache(small_test_split, "imdb-test.parquet")
    path = cache_folder() / "imdb-test.parquet"
    path.write_bytes(b"harmed")
    monkeypatch.setattr(pathlib.Path, "unlink", raising(PermissionError(errno.EACCES, "Permission denied")))
    assert from_cache(path.name, "IMDB test", SENTIMENTS) is None
    assert "will be rebuilt" in capsys.readouterr().out


@pytest.mark.parametrize("there", ["folder", "pipe", "long", "file in the way"])
def test_what_cannot_be_a_cache_costs_a_warning_and_no_time(small_test_split, monkeypatch, tmp_path, there):
    folder = tmp_path / ("x" * 300 if there == "long" else "cache")
    monkeypatch.setenv("TOKENSEL_CACHE", str(folder))
    path = folder / "imdb-test.parquet"
    if there == "folder":
        path.mkdir(parents=True)
    elif there == "pipe":
        folder.mkdir()
        os.mkfifo(path)
    elif there == "file in the way":
        folder.write_text("")
    assert from_cache(path.name, "IMDB test", SENTIMENTS) is None
    with pytest.warns(UserWarning, match="imdb-test.parquet: could not be cached"):
        assert to_cache(small_test_split, path.name) is small_test_split
