"""Files that are whole or not there."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager


@contextmanager
def atomic(path):
    """Open a file for writing bytes that appears under its name only once it is whole, whatever happens meanwhile.

    Parameters
    ----------
    path : pathlib.Path
        Its folder is made if it is missing; what a killed run left beside it an hour ago or earlier is removed.

    Raises
    ------
    OSError
        If the disk cannot hold the file; what was there before stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f"{path.name}.*.part"):
        if time.time() - left.stat().st_mtime > 3600:
            left.unlink(missing_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
