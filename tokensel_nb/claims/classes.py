"""Claims of chapter 8, several classes."""

from __future__ import annotations

from functools import cache

import numpy as np

from ..alignment import adam_values, class_profile
from ..bins import binned
from ..reviews import HELD_OUT, SETTINGS
from ..training import train
from .shared import four_classes, relative, start_of
from .table import Target, claim

CHAPTER = "book/08_classes"


@cache
def _texts():
    return four_classes().split(HELD_OUT, seed=0)[0]


@cache
def _trained(seed):
    return train(_texts(), seed=seed, **SETTINGS).parameters


@cache
def _first_step(dim):
    start = start_of(_texts(), dim, 0, "float64")
    stepped = train(_texts(), start=start, trained=["embeddings"], steps=1, learning_rate=0.01).parameters
    return start, stepped.values - start.values


@claim(
    "adam-classes",
    CHAPTER,
    "book",
    Target(high=1e-10),
    r"Adam's first step moves $E_s\cdot v_k$ as the proposition says, four classes ($d = 1024$): relative error in the norm.",
)
def adam_classes():
    start, moved = _first_step(1024)
    return relative(moved, adam_values(start, _texts(), 0.01) - start.values)


@claim(
    "adam-profile",
    CHAPTER,
    "book",
    Target(0.95),
    r"That step is the profile and little else: correlation with $\varrho_{sk}$ over all words, smallest of four classes.",
)
def adam_profile():
    moved, profile = _first_step(1024)[1], class_profile(_texts())
    return min(np.corrcoef(moved[:, k], profile[:, k])[0, 1] for k in range(4))


@claim(
    "classes-monotone",
    CHAPTER,
    "paper",
    Target(0.97),
    r"Everything trained, four classes: $E_s\cdot v_k$ rises with the profile: rank correlation of 20 bin means, "
    "smallest of all classes and three seeds.",
)
def classes_monotone():
    profile = class_profile(_texts())
    return min(binned(profile[:, k], _trained(seed).values[:, k]).rank_correlation() for seed in range(3) for k in range(4))


@claim(
    "classes-scores",
    CHAPTER,
    "book",
    Target(0.9),
    r"$E_s\cdot p$ rises with the largest share of a class: rank correlation of 8 bin means for shares beyond 0.6, "
    "smallest of three seeds.",
)
def classes_scores():
    largest = (_texts().label_skew().max(axis=1) + 1) / 2
    edges = np.linspace(0.6, 1, 9)
    return min(binned(largest, _trained(seed).scores, edges).rank_correlation() for seed in range(3))
