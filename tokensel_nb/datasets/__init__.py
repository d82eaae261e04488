"""Where data come from: IMDB, Yelp and Rotten Tomatoes from whichever source still lives, or texts of your own.

What is read, and from where, goes to the logger "tokensel_nb" at INFO; where logging is not configured, it is printed.
"""
