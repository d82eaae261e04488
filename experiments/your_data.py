"""The marks, and the control line, that chapter 10 shows recorded: a quarter of a minute.

``python -m experiments.your_data`` puts them into the reviews that the chapter looks at.
"""

import numpy as np

from tokensel_nb.chapters.recorded import record
from tokensel_nb.chapters.your_data import place_of_mark, suspicion_of_line
from tokensel_nb.datasets.imdb import read_imdb

TEXTS = 6000
"""As many of IMDB's training reviews the chapter looks at."""


def main():
    """Record what the chapter does not put in itself."""
    reviews = read_imdb()
    some = np.sort(np.random.default_rng(0).permutation(len(reviews.texts))[:TEXTS])
    texts = np.array(reviews.texts, dtype=object)[some]
    labels = np.array(reviews.class_names)[reviews.labels][some]
    marks = [place_of_mark(texts, labels, *each) for each in (("positive", 0), ("negative", 3), ("positive", 3))]
    line = suspicion_of_line(texts, labels, "positive", "negative")
    print(record("planted", {"marks": marks, "control line": line}))


if __name__ == "__main__":
    main()
