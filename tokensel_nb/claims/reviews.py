"""Claims of chapter 5, real reviews."""

from __future__ import annotations

from functools import cache

from ..alignment import adam_values
from ..bins import binned
from ..datasets import load_rotten_tomatoes
from ..model import accuracy
from ..reviews import HELD_OUT, SEEDS, SETTINGS, pictures
from ..training import train
from .shared import imdb, relative, start_of
from .table import Target, claim

CHAPTER = "book/05_reviews"


@cache
def _imdb_parts():
    return imdb().split(HELD_OUT, seed=0)


@cache
def _imdb_pictures():
    return pictures(_imdb_parts()[0])


@cache
def _tomatoes_pictures():
    return pictures(load_rotten_tomatoes().split(HELD_OUT, seed=0)[0])


@claim(
    "adam-first-step",
    CHAPTER,
    "book",
    Target(high=1e-10),
    r"Adam's first step moves $E_s\cdot v$ as the proposition says, on all of IMDB ($d = 256$): relative error in the norm.",
)
def adam_first_step():
    corpus, rate = imdb(), 0.01
    start = start_of(corpus, 256, 0, "float64")
    stepped = train(corpus, start=start, trained=["embeddings"], steps=1, learning_rate=rate).parameters
    return relative(stepped.values - start.values, adam_values(start, corpus, rate) - start.values)


@claim(
    "adam-skew",
    CHAPTER,
    "book",
    Target(0.95),
    r"One step of Adam ($d = 2048$) gives the rise in the skew at once: rank correlation of 20 bin means.",
)
def adam_skew():
    corpus = _imdb_parts()[0]
    start = start_of(corpus, SETTINGS["dim"], 0)
    moved = adam_values(start, corpus, SETTINGS["learning_rate"]) - start.values
    return binned(corpus.label_skew(), moved).rank_correlation()


@claim(
    "imdb-values-monotone",
    CHAPTER,
    "paper",
    Target(0.97),
    r"IMDB, all parameters trained ($d = 2048$): $E_s\cdot v$ rises with the label skew: rank correlation of 20 bin means, "
    "smallest of five seeds.",
)
def imdb_values_monotone():
    return min(each.values.rank_correlation() for each in _imdb_pictures())


@claim(
    "imdb-scores-u",
    CHAPTER,
    "paper",
    Target(3),
    r"IMDB: $E_s\cdot p$ is a U in the label skew: standard errors by which both outer quarters lie above the middle, "
    "smallest of five seeds.",
)
def imdb_scores_u():
    return min(each.scores.u_shape() for each in _imdb_pictures())


@claim(
    "tomatoes-values-monotone",
    CHAPTER,
    "book",
    Target(0.97),
    r"Rotten Tomatoes: $E_s\cdot v$ rises with the label skew: rank correlation of 20 bin means, smallest of five seeds.",
)
def tomatoes_values_monotone():
    return min(each.values.rank_correlation() for each in _tomatoes_pictures())


@claim(
    "tomatoes-scores-u",
    CHAPTER,
    "book",
    Target(3),
    r"Rotten Tomatoes: $E_s\cdot p$ is a U in the label skew: standard errors of both outer quarters above the middle, "
    "smallest of five seeds.",
)
def tomatoes_scores_u():
    return min(each.scores.u_shape() for each in _tomatoes_pictures())


@claim(
    "held-out-accuracy",
    CHAPTER,
    "book",
    Target(0.885),
    "25 steps of Adam (learning rate 0.003) on 20,000 reviews predict 5,000 others: held-out accuracy, smallest of five seeds.",
)
def held_out_accuracy():
    corpus, held_out = _imdb_parts()
    short = SETTINGS | {"steps": 25, "learning_rate": 0.003, "evaluate_every": 25}
    return min(accuracy(train(corpus, seed=seed, **short).parameters, held_out) for seed in SEEDS)
