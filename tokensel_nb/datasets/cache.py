"""What took long to get, kept on disk as Parquet, and compared at every reading with what was recorded."""

import os
import warnings
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from ..checkpoint import replacing
from .read.reviews import Reviews, first_line, tell
from .sources import as_recorded


def cache_folder() -> Path:
    """Return the folder of cached data: ``$TOKENSEL_CACHE``, or the operating system's place for caches."""
    import platformdirs

    return Path(os.environ.get("TOKENSEL_CACHE") or platformdirs.user_cache_path("tokensel-nb"))


def from_cache(filename, name, class_names):
    """Return cached reviews, or None where there are none; a file that was cut short or altered is removed."""
    from pyarrow import parquet

    path = cache_folder() / filename
    if not path.is_file():
        return None
    try:
        table = parquet.read_table(path, page_checksum_verification=True)
        source = table.schema.metadata[b"source"].decode()
        return as_recorded(Reviews(table["text"].to_pylist(), table["label"].to_numpy(), class_names, source), name)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        tell(f"{path.name}: this cache file was cut short or altered; it will be rebuilt")
        with suppress(OSError):  # in a folder that can only be read
            path.unlink()
        return None


def to_cache(reviews, filename):
    """Write reviews to the cache, and return them; a disk that cannot hold them costs a warning, not the data."""
    from pyarrow import parquet

    table = pa.table({"text": reviews.texts, "label": reviews.labels}, metadata={"source": reviews.source})
    path = cache_folder() / filename
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            parquet.write_table(table, temporary, compression="zstd", write_page_checksum=True)
    except OSError as error:
        reason = error.strerror or first_line(error)
        warnings.warn(f"{path}: could not be cached ({reason}); free some space or set TOKENSEL_CACHE", stacklevel=2)
    return reviews
