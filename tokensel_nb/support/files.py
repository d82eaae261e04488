"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import time
from contextlib import contextmanager, suppress
from pathlib import Path

# What a file or folder is called until it is whole: a random name that no one else chooses, and no longer for a long name.
PART = re.compile(r"tokensel-nb-[0-9a-f]{32}\.part")

LEFT = 3600.0  # seconds without a write after which what has such a name counts as left by a run that was killed
UNNAMED = "no file can have this name"
# Never through a link, never over a file that is there; O_NOFOLLOW is unknown to Windows, O_BINARY to others.
WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def atomic(path):
    """Open a file for writing bytes that appears under its name only once it is whole, whatever happens meanwhile.

    Its folder is made if it is missing. An existing file keeps its mode (not its owner), a new one has what the umask leaves;
    a link is replaced, never followed. On failure, what was there before stays.
    """
    path = Path(path)
    mode = _mode(path)
    part = unfinished(path)
    opened = os.open(part, WRITE, 0o666 if mode is None else 0o600)  # what is private is so from its first byte
    try:
        with open(opened, "wb") as file:
            yield file
            file.flush()
            if mode is not None:
                os.chmod(file.fileno() if os.chmod in os.supports_fd else part, mode)
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def unfinished(path) -> Path:
    """Return an unused name for a file or folder that is not whole yet, beside its own; the folder is made, and cleaned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _clean(path.parent)
    return path.with_name(f"tokensel-nb-{secrets.token_hex(16)}.part")


def read_once(path) -> bytes:
    """Return all bytes of a file from one opening of it, so that nothing that replaces it meanwhile is mixed in; never wait."""
    try:
        with open(path, "rb", opener=_unwaiting) as file:
            _refuse(path, os.fstat(file.fileno()).st_mode)
            return file.read()
    except ValueError as error:
        raise OSError(errno.EINVAL, UNNAMED, shown(path)) from error


def shown(path) -> str:
    """Return a path as a message shows it: unprintable characters escaped, and only the end of a long one."""
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(path))
    return text if len(text) <= 200 else f"...{text[-197:]}"


def _unwaiting(path, flags):
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # for the other end of a pipe


def _mode(path):
    """Return the mode of the file that will be replaced, None where there is none yet, or a link."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise OSError(errno.EINVAL, UNNAMED, shown(path)) from error
    if stat.S_ISLNK(mode):
        return None
    _refuse(path, mode)
    return stat.S_IMODE(mode)


def _refuse(path, mode):
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", shown(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", shown(path))


def _clean(folder):
    """Remove what killed runs left: of our kind of name and of our own user, and nobody has written to it for long."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PART.fullmatch(entry.name) and _left(entry):
                (shutil.rmtree if entry.is_dir() else os.unlink)(entry.path)


def _left(entry):
    status = entry.stat(follow_symlinks=False)
    ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    if not ours or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return False
    within = Path(entry).rglob("*") if entry.is_dir() else ()
    return time.time() - max([status.st_mtime, *(path.lstat().st_mtime for path in within)]) > LEFT
