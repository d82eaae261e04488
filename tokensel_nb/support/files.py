"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows, which removes nothing that is open
    fcntl = None

# What a file or folder is called until it is whole: a random name that no one else chooses, and no longer for a long name.
PART = re.compile(r"tokensel-nb-[0-9a-f]{32}\.part")

LEFT = 3600.0  # seconds without a write after which what has such a name counts as left by a run that was killed
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
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
    private = 0o666 if mode is None else 0o600  # what is private is so from its first byte
    with unfinished(path, lambda part: os.open(part, WRITE, private)) as (part, opened), open(opened, "wb") as file:
        yield file
        file.flush()
        if mode is not None:
            os.chmod(file.fileno() if os.chmod in os.supports_fd else part, mode)
        os.fsync(file.fileno())


@contextmanager
def unfinished(path, make):
    """Let ``make`` make a file or folder under an unused name, which gets its own once it is whole; yield both, name and made.

    Its folder is made, and cleaned. Meanwhile it is locked: who cleans trusts the lock and the file system's clock, no other.
    On failure nothing is left, and where the disk is full the error names the path.
    """
    missing = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"tokensel-nb-{secrets.token_hex(16)}.part")
    made = make(part)
    try:
        with ExitStack() as stack:
            with suppress(OSError):
                stack.callback(os.close, _lock(part))
            _clean(path.parent, part.lstat().st_mtime)
            yield part, made
            os.replace(part, path)
    except BaseException as error:
        with suppress(OSError):
            _remove(part)
            for folder in missing:
                folder.rmdir()
        if getattr(error, "errno", None) in FULL:
            error.filename = error.filename or shown(path)
        raise


def read_once(path) -> bytes:
    """Return all bytes of a file from one opening of it, so that nothing that replaces it meanwhile is mixed in; never wait."""
    with opened(path) as file:
        return file.read()


@contextmanager
def opened(path):
    """Open a file for reading bytes; never wait, as one would for the other end of a pipe."""
    try:
        file = open(path, "rb", opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NONBLOCK", 0)))
    except ValueError as error:
        raise OSError(errno.EINVAL, UNNAMED, shown(path)) from error
    with file:
        _refuse(path, os.fstat(file.fileno()).st_mode)
        yield file


def shown(path) -> str:
    """Return a path as a message shows it: unprintable characters escaped, and only the end of a long one."""
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(path))
    return text if len(text) <= 200 else f"...{text[-197:]}"


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


def _clean(folder, now):
    """Remove what killed runs left: of our kind of name and our own user; nobody locks it, or has written to it for long."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if PART.fullmatch(entry.name) and _left(entry, now):
                    os.close(_lock(entry))
                    _remove(entry)


def _remove(path):
    (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)


def _left(entry, now):
    status = entry.stat(follow_symlinks=False)
    ours = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    if not ours or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return False
    within = Path(entry).rglob("*") if entry.is_dir() else ()
    return now - max([status.st_mtime, *(path.lstat().st_mtime for path in within)]) > LEFT


def _lock(path):
    """Return a descriptor that keeps a file or folder locked; OSError if another does, or if the file system has no locks."""
    if fcntl is None:
        return os.open(os.devnull, os.O_RDONLY)
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        raise
    return opened
