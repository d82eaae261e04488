"""What took long to get, kept on disk: whole or not there, and checked at every reading."""

import os
import warnings
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from ..support.files import atomic, read_once
from .read.reviews import DataError, Reviews, first_line, tell
from .sources import as_recorded, digest


def cache_folder() -> Path:
    """Return the folder of cached data: ``$TOKENSEL_CACHE``, or the operating system's place for caches."""
    import platformdirs

    return Path(os.environ.get("TOKENSEL_CACHE") or platformdirs.user_cache_path("tokensel-nb"))


def from_cache(filename, name, class_names):
    """Return cached reviews, or None where there are none; a file that was cut short or altered is removed."""
    from pyarrow import parquet

    path = cache_folder() / filename
    try:
        data = read_once(path)
    except OSError:  # there is none, or none that can be read: to_cache says why it cannot be written
        return None
    try:
        table = parquet.read_table(pa.BufferReader(data), page_checksum_verification=True)
        source = table.schema.metadata[b"source"].decode()
        return as_recorded(Reviews(table["text"].to_pylist(), table["label"].to_numpy(), class_names, source), name)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        tell(f"{path.name}: this cache file was cut short or altered; it will be rebuilt")
        with suppress(OSError):  # in a folder that can only be read
            path.unlink(missing_ok=True)
        return None


def to_cache(reviews, filename):
    """Write reviews to the cache, and return them; a disk that cannot hold them costs a warning, not the data."""
    from pyarrow import parquet

    table = pa.table({"text": reviews.texts, "label": reviews.labels}, metadata={"source": reviews.source})
    path = cache_folder() / filename
    try:
        with atomic(path) as file:
            parquet.write_table(table, file, compression="zstd", write_page_checksum=True)
    except OSError as error:
        reason = error.strerror or first_line(error)
        warnings.warn(f"{path}: could not be cached ({reason}); free some space or set TOKENSEL_CACHE", stacklevel=2)
    return reviews


def as_first_read(reviews, filename, others):
    """Return reviews if they are those of the first reading here, whose digest is kept: nobody recorded what they should be."""
    path, contents = cache_folder() / filename, digest(reviews)
    try:
        recorded = read_once(path).decode("ascii", "replace")
    except OSError:
        with suppress(OSError), atomic(path) as file:  # where it cannot be kept, the next reading is a first one, too
            file.write(contents.encode())
        return reviews
    if recorded != contents:
        remedy = f"remove {others} and {path} to start over"
        raise DataError(f"{reviews.source}: the contents are not those first read here; {remedy}")
    return reviews
