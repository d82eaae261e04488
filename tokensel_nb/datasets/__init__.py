"""Data sets: IMDB, Yelp, Rotten Tomatoes and tweets, from whichever source is available.

The data and their source are logged to "tokensel_nb" at INFO, or printed if logging is not configured.
"""
