"""The strength of the penalty on values, found on a tenth of the texts; then all texts are used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from tokensel_nb.arrays import threads_for
from tokensel_nb.corpus import Corpus

from .objective import Attended, Objective, idf_scores

MIDDLE = 0.1  # the strength that is tried first
WEAKER, STRONGER = (0.03, 0.01, 0.003), (0.3, 1.0, 3.0, 10.0)  # each from where the last one led
FEWEST = 40  # texts of which a tenth is held out
STEPS = 10  # of L-BFGS for each strength, twice as many for the first; half of that with many classes, as each takes longer
MANY = 20


class Found(NamedTuple):
    """Scores and values, the strength of their penalty, and what was measured on the texts held out, if there were any."""

    best: Attended
    l2: float
    held_out: dict[str, float]


def search(corpus: Corpus, attend: bool, l2: float | None, random_state) -> Found:
    """Train scores and values, with the penalty of the least loss on a part held out, or with the one that is given."""
    start = idf_scores(corpus) if attend else np.zeros(corpus.vocab_size)
    steps = STEPS if corpus.num_classes <= MANY else STEPS // 2
    tenth, found = every_tenth(corpus, check_random_state(random_state)), {}
    with threads_for(corpus.vocab_size * (1 + corpus.num_classes)):  # a point of the search: scores and values
        whole, strength = Objective(corpus, start, attend), MIDDLE if l2 is None else l2
        begin = whole.begin()
        if tenth.any():
            rest, part = Objective(corpus[~tenth], start, attend), corpus[tenth]
            begin, strength = _strength(rest, part, strength, () if l2 is not None else (WEAKER, STRONGER), steps)
            found = _measured(begin, part)
        return Found(whole.minimise(begin, strength, steps), float(strength), found)


def _strength(rest, part, first, paths, steps):
    """Return what has the least loss on a part held out, over ever weaker penalties, or ever stronger ones."""
    best, strength = rest.minimise(rest.begin(), first, 2 * steps), first
    least = best.loss(part)
    for path in paths:
        for l2 in path:
            candidate = rest.minimise(best, l2, steps)
            loss = candidate.loss(part)
            if loss >= least:
                break
            best, least, strength = candidate, loss, l2
        if strength != first:
            break
    return best, strength


def _measured(attended, part):
    """Return what scores and values reach on a part held out, with attention and without, and what the majority does."""
    majority = float(np.bincount(part.labels, part.mean_weights).max())
    uniform = Attended(np.zeros_like(attended.scores), attended.values).accuracy(part)
    return dict(accuracy=attended.accuracy(part), majority=majority, without_attention=uniform, loss=attended.loss(part))


def every_tenth(corpus: Corpus, random: np.random.RandomState) -> np.ndarray:
    """Return which texts are held out to choose a setting by: a tenth of every class, or none where the texts are few."""
    order = random.permutation(len(corpus))
    order = order[np.argsort(corpus.labels[order], kind="stable")]
    held_out = np.zeros(len(corpus), bool)
    if len(corpus) >= FEWEST:
        held_out[order[5::10]] = True
        held_out &= corpus.mean_weights > 0  # texts of weight 0 would judge nothing
    return held_out
