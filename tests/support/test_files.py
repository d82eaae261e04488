import errno
import fcntl
import os
import re
import secrets
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers import raising
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.support import files
from tokensel_nb.support.files import LEFT, PART, WRITE, atomic, read_once, shown, unfinished

LONG_AGO = (0, 0)
A_PART = f"tokensel-nb-{'0123abcd' * 4}.part"
# Every character that a name may hold on Linux, those of patterns and of shells among them, up to the 255 bytes there are.
NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=60).filter(
    lambda name: name not in (".", "..")
)


def write(path, data):
    with atomic(path) as file:
        file.write(data)


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "file"


@pytest.fixture
def drawn(monkeypatch):
    """What the next file is called until it is whole, as an attacker would have to guess it."""
    monkeypatch.setattr(secrets, "token_hex", lambda _: "0123abcd" * 4)
    return A_PART


def test_the_name_that_is_drawn_is_the_one_that_is_cleaned(tmp_path, file):
    with atomic(file):
        (part,) = tmp_path.iterdir()
        assert PART.fullmatch(part.name)
        assert not file.exists()


@given(name=NAMES, before=st.sampled_from([None, b"", b"before"]), after=st.binary(max_size=9))
def test_any_name_is_written_and_cleaned_beside_and_nothing_else_is_touched(tmp_path_factory, name, before, after):
    folder = tmp_path_factory.mktemp("any")
    file, bystanders = folder / name, ["mine.part", f"{name[:40]}.77.part", A_PART.upper(), f"{A_PART}x", f"x{A_PART}"]
    (folder / A_PART).write_bytes(b"half")
    for other in bystanders:
        (folder / other).write_bytes(b"kept")
    for each in folder.iterdir():
        os.utime(each, LONG_AGO)
    if before is not None:
        file.write_bytes(before)
    write(file, after)
    assert file.read_bytes() == read_once(file) == after
    assert sorted(each.name for each in folder.iterdir()) == sorted({name, *bystanders})
    assert all((folder / other).read_bytes() == b"kept" for other in {*bystanders} - {name})


@pytest.mark.parametrize("length", [200, 250, 255])
def test_names_as_long_as_the_file_system_takes(tmp_path, length):
    write(tmp_path / ("x" * length), b"whole")
    with pytest.raises(OSError, match="File name too long"):
        write(tmp_path / ("x" * 256), b"whole")


def test_a_failure_leaves_what_was_there(tmp_path, file):
    write(file, b"before")
    with pytest.raises(TypeError), atomic(file) as opened:
        opened.writelines([b"half", "of it"])
    assert read_once(file) == b"before"
    assert list(tmp_path.iterdir()) == [file]


def test_all_bytes_are_on_the_disk_before_the_file_has_its_name(file, monkeypatch):
    """Or a machine that loses power could keep the name, and nothing in the file."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda opened: synced.append((os.fstat(opened).st_size, file.exists())))
    write(file, b"whole")
    assert synced == [(5, False)]


# ------------------------------------------------------------------------------------------------ modes


@given(existing=st.integers(0, 0o777), umask=st.integers(0, 0o777))
def test_a_mode_is_kept_and_a_new_file_has_what_the_umask_leaves(tmp_path_factory, existing, umask):
    folder = tmp_path_factory.mktemp("modes")
    old, new = folder / "old", folder / "new"
    old.touch()
    old.chmod(existing)
    before = os.umask(umask)
    try:
        write(old, b"private")
        write(new, b"new")
    finally:
        os.umask(before)
    assert (mode(old), mode(new)) == (existing, 0o666 & ~umask)


def test_what_is_private_is_so_while_it_is_written(tmp_path, file):
    file.touch(0o600)
    with atomic(file):
        (part,) = {*tmp_path.iterdir()} - {file}
        assert mode(part) == 0o600


# ---------------------------------------------------------------------------------------- planted things


@pytest.mark.parametrize("planted", ["link", "dangling link", "hard link", "file", "folder", "pipe"])
def test_what_is_planted_under_the_name_of_a_part_is_neither_followed_nor_removed(tmp_path, file, drawn, planted):
    """Even by one who could guess 128 bits."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    at = tmp_path / drawn
    if planted == "link":
        at.symlink_to(victim)
    elif planted == "dangling link":
        at.symlink_to(tmp_path / "nothing")
    elif planted == "hard link":
        at.hardlink_to(victim)
    else:
        {"file": at.touch, "folder": at.mkdir, "pipe": lambda: os.mkfifo(at)}[planted]()
    with pytest.raises(FileExistsError):
        write(file, b"mine")
    assert os.path.lexists(at)
    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "nothing").exists()


LIKE_PARTS = ["link", "link to a folder", "dangling link", "pipe", "of another user", "young", "folder in use"]


@pytest.mark.parametrize("planted", LIKE_PARTS)
def test_what_only_looks_like_a_part_left_behind_is_not_removed(tmp_path, file, monkeypatch, planted):
    victim, at = tmp_path / "folder" / "victim", tmp_path / A_PART
    victim.parent.mkdir()
    victim.touch()
    os.utime(victim, LONG_AGO)
    os.utime(victim.parent, LONG_AGO)
    if "link" in planted:
        at.symlink_to({"link": victim, "link to a folder": victim.parent}.get(planted, tmp_path / "nothing"))
    elif planted == "folder in use":
        (at / "0").mkdir(parents=True)
        (at / "0" / "columns.bin").touch()
        os.utime(at / "0", LONG_AGO)
    else:
        {"pipe": lambda: os.mkfifo(at)}.get(planted, at.touch)()
    os.utime(at, (time.time() - LEFT + 60,) * 2 if planted == "young" else LONG_AGO, follow_symlinks=False)
    if planted == "of another user":
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    write(file, b"mine")
    assert os.path.lexists(at)
    assert victim.exists()


def test_a_folder_that_was_left_is_removed_with_all_in_it_and_no_link_in_it_is_followed(tmp_path, file):
    (victim := tmp_path / "victim").mkdir()
    (victim / "precious").touch()
    (tmp_path / A_PART / "0").mkdir(parents=True)
    (tmp_path / A_PART / "0" / "columns.bin").touch()
    (tmp_path / A_PART / "link").symlink_to(victim)
    for path in (*(tmp_path / A_PART).rglob("*"), tmp_path / A_PART):
        os.utime(path, LONG_AGO, follow_symlinks=False)
    write(file, b"mine")
    assert not (tmp_path / A_PART).exists()
    assert (victim / "precious").exists()


def test_a_link_under_the_name_itself_is_replaced_and_what_it_names_stays(tmp_path, file):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o700)
    file.symlink_to(victim)
    write(file, b"mine")
    assert not file.is_symlink()
    assert (file.read_bytes(), victim.read_bytes(), mode(victim)) == (b"mine", b"precious", 0o700)
    assert mode(file) != 0o700


def test_folders_pipes_and_devices_are_refused_in_one_sentence_and_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, message in (
        (tmp_path, "it is a folder, not a file"),
        (pipe, "it is a pipe or a device, not a file"),
        ("/dev/null", "it is a pipe or a device, not a file"),
    ):
        with pytest.raises(OSError, match=message):
            write(path, b"")
        with pytest.raises(OSError, match=f"{message}|Is a directory"):
            read_once(path)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have_are_refused_and_shown_as_they_can_be_printed(tmp_path, name):
    for call in (read_once, lambda path: write(path, b"")):
        with pytest.raises(OSError, match="no file can have this name") as caught:
            call(tmp_path / name)
        assert str(caught.value).isprintable()
    assert list(tmp_path.iterdir()) == []


def test_a_long_path_is_shown_by_its_end():
    assert shown("a\0b") == r"a\x00b"
    assert shown("x" * 300 + "y") == f"...{'x' * 196}y"


def test_a_part_that_another_cleans_at_the_same_moment_is_no_trouble(tmp_path, file, monkeypatch):
    (tmp_path / A_PART).touch()
    os.utime(tmp_path / A_PART, LONG_AGO)
    monkeypatch.setattr(os, "unlink", raising(FileNotFoundError("gone")))
    write(file, b"mine")
    assert file.read_bytes() == b"mine"


# ------------------------------------------------------------------------------------- locks and full disks


@pytest.mark.parametrize("make", [lambda part: os.open(part, WRITE), os.mkdir], ids=["file", "folder"])
def test_what_somebody_is_writing_is_not_removed_however_old_it_looks(tmp_path, file, make):
    with unfinished(tmp_path / "other", make) as (part, _):
        os.utime(part, LONG_AGO)
        write(file, b"mine")
        assert part.exists()
    assert {each.name for each in tmp_path.iterdir()} == {"file", "other"}


@pytest.mark.parametrize("old", [True, False])
def test_the_age_of_what_is_left_is_that_of_the_file_systems_clock(tmp_path, file, monkeypatch, old):
    """A clock that is two hours ahead, or behind, neither removes a young part nor keeps an old one."""
    (left := tmp_path / A_PART).touch()
    now, ago = time.time(), LEFT + 60 if old else LEFT - 60
    os.utime(left, (now - ago,) * 2)
    monkeypatch.setattr(time, "time", lambda: now - 7200 if old else now + 7200)
    write(file, b"mine")
    assert left.exists() != old


def test_where_there_are_no_locks_nothing_is_removed(tmp_path, file, monkeypatch):
    (left := tmp_path / A_PART).touch()
    os.utime(left, LONG_AGO)
    monkeypatch.setattr(fcntl, "flock", raising(OSError(errno.ENOLCK, "No locks available")))
    write(file, b"mine")
    assert (left.exists(), read_once(file)) == (True, b"mine")


def test_on_windows_which_has_no_such_locks_the_age_alone_decides(tmp_path, file, monkeypatch):
    old, young = (tmp_path / f"tokensel-nb-{letter * 32}.part" for letter in "ab")
    old.touch()
    young.mkdir()
    os.utime(old, LONG_AGO)
    monkeypatch.setattr(files, "fcntl", None)
    write(file, b"mine")
    assert {each.name for each in tmp_path.iterdir()} == {"file", young.name}


def test_a_full_disk_names_the_file_and_leaves_no_folder(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    for path in (tmp_path / "made" / "too" / "file", tmp_path / "there" / "file"):
        monkeypatch.setattr(os, "fsync", raising(OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises(OSError, match=re.escape(f"No space left on device: {str(path)!r}")):
            write(path, b"mine")
    assert [each.name for each in tmp_path.rglob("*")] == ["there"]


# --------------------------------------------------------------------------------------- all at once


def test_threads_that_write_one_file_leave_that_of_one_of_them(tmp_path, file):
    contents = [bytes([number]) * 50_000 for number in range(16)]
    stop, torn = threading.Event(), []

    def watch():
        while not stop.is_set():
            if file.exists() and read_once(file) not in contents:
                torn.append("torn")

    watching = threading.Thread(target=watch)
    watching.start()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda data: write(file, data), contents * 5))
    stop.set()
    watching.join()
    assert not torn
    assert read_once(file) in contents
    assert list(tmp_path.iterdir()) == [file]


WRITER = """
import sys
from tokensel_nb.support.files import atomic
while True:
    with atomic(sys.argv[1]) as file:
        for _ in range(50):
            file.write(bytes([int(sys.argv[2])]) * 1000)
    print("written", flush=True)
"""


def test_processes_that_are_killed_while_they_write_one_file_leave_a_whole_one_and_parts_that_are_cleaned(tmp_path, file):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), str(number)], stdout=subprocess.PIPE) for number in range(4)
    ]
    for writer in writers:
        writer.stdout.readline()
    for _ in range(200):
        data = read_once(file)
        assert len(data) == 50_000
        assert len(set(data)) == 1
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    assert len(set(read_once(file))) == 1
    parts = {*tmp_path.iterdir()} - {file}
    assert all(PART.fullmatch(part.name) for part in parts)
    write(file, b"young parts stay")
    assert {*tmp_path.iterdir()} == {file, *parts}
    for part in parts:
        os.utime(part, LONG_AGO)
    write(file, b"old parts go")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
