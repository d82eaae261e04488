"""The marks, and the control line, that chapter 10 shows recorded: half a minute.

``python -m experiments.your_data`` puts them into the reviews that the chapter looks at.
"""

import numpy as np

from tokensel_nb.chapters.your_data import place_of_mark, suspicion_of_line
from tokensel_nb.datasets.imdb import read_imdb

TEXTS = 6000
"""As many of IMDB's training reviews the chapter looks at."""


def planted() -> dict:
    """Return what the chapter does not put in itself: three marks, two in twice as many texts, and the control line."""
    reviews = read_imdb()
    some = np.sort(np.random.default_rng(0).permutation(len(reviews.texts))[:TEXTS])
    texts = np.array(reviews.texts, dtype=object)[some]
    labels = np.array(reviews.class_names)[reviews.labels][some]
    marks = [place_of_mark(texts, labels, *mark) for mark in (("positive", 0), ("negative", 3), ("positive", 3))]
    larger = [place_of_mark(texts, labels, of_class, 0, share=0.02) for of_class in ("negative", "positive")]
    return {"marks": marks, "larger marks": larger, "control line": suspicion_of_line(texts, labels, "positive", "negative")}


RECORDS = {"planted": planted}
