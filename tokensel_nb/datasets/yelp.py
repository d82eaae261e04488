"""Yelp's reviews in two, four or five classes, from the hub or your own folder."""

from functools import partial
from itertools import compress

import numpy as np

from ..corpus import Corpus
from .hub import from_hub
from .reviews import SENTIMENTS, DataError, Reviews, count
from .sources import as_recorded, first_that_serves, own_columns

YELP_MAX_WORDS = 5_424  # the size of the paper's vocabulary; we don't know its words, nor how texts were split into words
STARS = ("1 star", "2 stars", "3 stars", "4 stars", "5 stars")
YELP_CLASSES = {  # their names, and the class of one to five stars; a review of class -1 is dropped
    2: (SENTIMENTS, [0, 0, -1, 1, 1]),
    4: (STARS[:2] + STARS[3:], [0, 1, -1, 2, 3]),
    5: (STARS, [0, 1, 2, 3, 4]),
}
ON_HUB = {2: ("fancyzhx/yelp_polarity", "Yelp polarity", SENTIMENTS), 5: ("Yelp/yelp_review_full", "Yelp stars", STARS)}


def load_yelp(split="train", classes=2, source="auto", **options) -> Corpus:
    """Count the words of Yelp's reviews: 560,000 for training and 38,000 for testing on the hub, or those of your own folder.

    The vocabulary is always that of the training split, from the same source. Errors are those of `read_yelp`.

    Parameters
    ----------
    split : {"train", "test"}
    classes : {2, 4, 5}
        See `read_yelp`.
    source : {"auto", "folder", "hub"}
        See `read_yelp`.
    **options
        As in `load_imdb`; ``max_words`` is 5,424 by default, as many as the paper has, and None for all.

    Returns
    -------
    Corpus
        Classes 0 (negative) and 1 (positive), or 0 ... K-1 by rising stars.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.load_yelp(classes=3)
    Traceback (most recent call last):
    ValueError: classes=3; choose 2, 4 or 5
    """
    if split == "test" and "vocabulary" not in options:
        options["vocabulary"] = load_yelp("train", classes, source, **options).vocabulary
    return count(read_yelp(split, classes, source), **{"max_words": YELP_MAX_WORDS, **options})


def read_yelp(split="train", classes=2, source="auto") -> Reviews:
    r"""Read the texts of Yelp's reviews, and print their source.

    Parameters
    ----------
    split : {"train", "test"}
    classes : {2, 4, 5}
        2: negative (1 and 2 stars) and positive (4 and 5); 3 stars are dropped, as presumably in the hub's data set of two
        classes. 5: the number of stars. 4: the number of stars, without three stars. That is our choice; we don't know how the
        paper forms its four classes.
    source : {"auto", "folder", "hub"}
        "folder": ``$TOKENSEL_DATA`` with ``yelp/train.csv`` (or tsv, parquet; columns text and stars, 1 to 5). The
        file may have any length. "hub": Hugging Face; for two classes yelp_polarity, else yelp_review_full. They must have as
        many rows as their makers state. Their line breaks, written as a backslash and an n, become line breaks again. "auto":
        the first of these that has the reviews; a wrong folder is an error.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If no source has the reviews, or they are not as expected.

    Examples
    --------
    >>> import os, pathlib, tempfile
    >>> import tokensel_nb as ts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "yelp", "train.csv")
    ...     path.parent.mkdir()
    ...     _ = path.write_text("text,stars\ngood food,5\nplain food,3\nbad food,1\n")
    ...     os.environ["TOKENSEL_DATA"] = folder
    ...     ts.read_yelp(classes=5, source="folder").labels.tolist()
    ...     del os.environ["TOKENSEL_DATA"]
    Yelp train: 3 reviews from the folder ...
    [4, 2, 0]
    """
    if classes not in YELP_CLASSES:
        raise ValueError(f"classes={classes!r}; choose 2, 4 or 5")
    remedy = f"set TOKENSEL_DATA to a folder with yelp/{split}.csv, whose columns are text and stars (1 to 5)"
    sources = {"folder": partial(_from_folder, split, classes), "hub": partial(_from_hub, split, classes)}
    return first_that_serves(f"Yelp {split}", sources, source, remedy)


def _from_folder(split, classes):
    folder, texts, stars = own_columns(f"yelp/{split}", "text", "stars")
    try:
        numbers = np.array(stars, float)
    except ValueError:
        numbers = np.zeros(1)
    if not np.isin(numbers, range(1, 6)).all():
        raise DataError(f"{folder}/yelp: the stars of a review are not 1, 2, 3, 4 or 5; leave its row out")
    return _by_stars(texts, numbers.astype(int), classes, f"the folder {folder}")


def _by_stars(texts, stars, classes, source):
    names, class_of_stars = YELP_CLASSES[classes]
    labels = np.array(class_of_stars)[stars - 1]
    kept = labels >= 0
    return Reviews(list(compress(texts, kept.tolist())), labels[kept], names, source)


def _from_hub(split, classes):
    address, name, names = ON_HUB[2 if classes == 2 else 5]
    reviews = as_recorded(from_hub(address, split, names), f"{name} {split}")
    texts = [text.replace("\\n", "\n") for text in reviews.texts]  # lest "\nthe" be counted as the word "nthe"
    return _by_stars(texts, reviews.labels * (4 if classes == 2 else 1) + 1, classes, reviews.source)
