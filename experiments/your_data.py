"""Planted marks and lines, and labels that mean nothing, which 06_your_data shows recorded: about five minutes.

The protocol, committed before the official run; trials had seeds below 1,000. From each corpus, DRAWS draws of SIDE texts of
either class (of tweets, too, of which most are negative). In each draw, one report each:

marks     A made-up word before 30 texts of one class, and before none or STRAYS of the other, for each class: its place among
          the suspicious words, and its suspicion. Target, on IMDB: place 10 at most, the worst of all; the chapter's own, of
          2026-11-22, missed on the one draw that it had.
larger    The same before 60 texts, and no other. It describes.
lines     A line at the end of 60 texts of one class, and (the control) of 30 texts of either: its suspicion, and the largest of
          one of its words alone. Target, on IMDB: 0.5 at least where one class has it, the smallest of all draws.
named     Words called suspicious with true labels, and with shuffled ones. Target, on IMDB: 5 of the latter at most.

The other corpora get no bound: what they show is described.
"""

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters.your_data import judged, place_of_mark, suspicion_of_line
from tokensel_nb.datasets.imdb import read_imdb

SEED, DRAWS, SIDE, STRAYS = 20261125, 5, 3000, 3
READS = {"IMDB": read_imdb, "Rotten Tomatoes": ts.read_rotten_tomatoes, "tweets": ts.read_tweets}
CLASSES = ("negative", "positive")


def drawn(reviews, seed, side=SIDE) -> tuple:
    """Draw as many texts of either class, in their old order, with their labels."""
    random = np.random.default_rng(seed)
    some = np.sort(np.concatenate([random.permutation(np.flatnonzero(reviews.labels == k))[:side] for k in range(2)]))
    return np.array(reviews.texts, dtype=object)[some], np.array(reviews.class_names)[reviews.labels[some]]


def placed(texts, labels, others, share=0.01) -> list:
    """Return the place and the suspicion of a mark of either class."""
    found = [place_of_mark(texts, labels, of_class, others, share) for of_class in CLASSES]
    return [[each["place"], each["suspicion"]] for each in found]


def line(texts, labels, *classes) -> list:
    """Return the suspicion of a line, and the largest of one of its words alone."""
    found = suspicion_of_line(texts, labels, *classes)
    return [found["together"], found["alone"]]


def found_in(texts, labels, seed) -> dict:
    """Return what all reports on one draw say."""
    named = lambda of, seed: {"number": len(of.suspicious), "highest": round(of.ranked.suspicion.max(), 4), "seed": seed}
    return {
        "pure": placed(texts, labels, 0),
        "strays": placed(texts, labels, STRAYS),
        "larger": placed(texts, labels, 0, share=0.02),
        "line": line(texts, labels, "positive"),
        "control line": line(texts, labels, *CLASSES),
        "true": named(judged(texts, labels, seed=seed), seed),
        "shuffled": named(judged(texts, np.random.default_rng(seed).permutation(labels), seed=seed), seed),
    }


def leaks() -> dict:
    """Return what is found in every draw of every corpus."""
    found = {name: [] for name in READS}
    for name, read in READS.items():
        reviews = read()
        for seed in tqdm(range(SEED, SEED + DRAWS), desc=name, unit="draw"):
            found[name].append(found_in(*drawn(reviews, seed), seed))
    return found


RECORDS = {"leaks": leaks}
