"""A real browser, driven by playwright: the Chromium of the system, because none comes with Python's packages."""

import gzip
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = (
    "no Chromium was found; install one (Debian: apt install chromium; Ubuntu: google-chrome is there or apt install "
    "chromium-browser), or name it in the environment variable CHROMIUM"
)
PACKED = {".png", ".webp", ".woff", ".woff2"}  # already as small as they get


def find() -> str | None:
    """Return the path of a Chromium, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browser():
    """Open a browser, and close it at the end.

    Raises
    ------
    RuntimeError
        If there is none; the message says how to get one.
    """
    path = find()
    if path is None:
        raise RuntimeError(HOW)
    with sync_playwright() as playwright:
        # The pages are our own, and in a container the sandbox often cannot start.
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield found
        found.close()


def sent_bytes(file: Path) -> int:
    """Return how many bytes a server that compresses would send for a file."""
    return len(file.read_bytes() if file.suffix in PACKED else gzip.compress(file.read_bytes()))
