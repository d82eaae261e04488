"""How a `TextClassifier` is fitted: the strength of the penalty is found on a tenth of the texts, then all of them are used."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.utils import check_random_state, compute_class_weight

from tokensel_nb.arrays import threads_for
from tokensel_nb.corpus import Corpus

from .counted import classes_of, codes_of, corpus_of
from .objective import Attended, Objective, idf_scores

MIDDLE = 0.1  # the strength of the penalty that is tried first
WEAKER, STRONGER = (0.03, 0.01, 0.003), (0.3, 1.0, 3.0, 10.0)  # each from where the last one led
FEWEST = 40  # texts of which a tenth is held out
STEPS = 10  # of L-BFGS for each strength, twice as many for the first; half of that with many classes, as each takes longer
MANY = 20


def fit(model, counted, sample_weight=None):
    """Fit a `TextClassifier` to texts whose phrases are counted, and return it."""
    counts = counted.counts
    if not counts.shape[1]:
        raise ValueError(f"no word occurs in min_texts={model.min_texts} of the {len(counted.labels)} texts; lower min_texts")
    model.classes_ = classes_of(counted.labels)
    codes = codes_of(model.classes_, counted.labels)
    weights = _weighted(model, codes, sample_weight)
    model.phrases_, model.vocabulary_ = counted.phrases, counted.phrases.names
    corpus = corpus_of(model, counts, codes, weights)
    with threads_for(corpus.vocab_size * (1 + corpus.num_classes)):  # a point of the search: scores and values
        train(model, corpus)
    return model


def _weighted(model, codes, sample_weight):
    """Return how much each text counts."""
    K = len(model.classes_)
    of_classes = compute_class_weight(model.class_weight, classes=model.classes_, y=model.classes_[codes])
    weights = of_classes[codes]
    if sample_weight is not None:
        weights = weights * np.broadcast_to(np.asarray(sample_weight, float), weights.shape)
    if np.count_nonzero(np.bincount(codes, weights, minlength=K)) < 2:
        raise ValueError("only one class has texts of positive weight; at least two classes are needed")
    return weights


def train(model, corpus):
    """Find the strength of the penalty on a part held out, then train on all texts."""
    start = idf_scores(corpus) if model.attend else np.zeros(corpus.vocab_size)
    whole = Objective(corpus, start, model.attend)
    steps = STEPS if corpus.num_classes <= MANY else STEPS // 2
    held_out = every_tenth(corpus, check_random_state(model.random_state))
    model.held_out_, model.l2_ = {}, float(MIDDLE if model.l2 is None else model.l2)
    begin = whole.begin()
    if held_out.any():
        begin = _search(model, Objective(corpus[~held_out], start, model.attend), corpus[held_out], steps)
        _judge(model, begin, corpus[held_out])
    best = whole.minimise(begin, model.l2_, steps)
    model.scores_, model.values_ = best.scores, best.values


def _search(model, rest, part, steps):
    """Return what has the least loss on a part held out, over ever weaker penalties, or ever stronger ones."""
    best = rest.minimise(rest.begin(), model.l2_, 2 * steps)
    least = best.loss(part)
    for path in (WEAKER, STRONGER) if model.l2 is None else ():
        for l2 in path:
            candidate = rest.minimise(best, l2, steps)
            loss = candidate.loss(part)
            if loss >= least:
                break
            best, least, model.l2_ = candidate, loss, l2
        if model.l2_ != MIDDLE:
            break
    return best


def _judge(model, attended, part):
    """Keep what the model reaches on the part held out, and warn if that is little."""
    accuracy = attended.accuracy(part)
    majority = float(np.bincount(part.labels, part.mean_weights).max())
    uniform = Attended(np.zeros_like(attended.scores), attended.values).accuracy(part)
    model.held_out_ = dict(accuracy=accuracy, majority=majority, without_attention=uniform, loss=attended.loss(part))
    if accuracy <= majority:
        warnings.warn(
            f"on {len(part)} texts held out the classifier is right in {accuracy:.1%}, "
            f"no more than the majority class is ({majority:.1%})",
            UserWarning,
            stacklevel=5,
        )


def every_tenth(corpus: Corpus, random: np.random.RandomState) -> np.ndarray:
    """Return which texts are held out to choose a setting by: a tenth of every class, or none where the texts are few."""
    order = random.permutation(len(corpus))
    order = order[np.argsort(corpus.labels[order], kind="stable")]
    held_out = np.zeros(len(corpus), bool)
    if len(corpus) >= FEWEST:
        held_out[order[5::10]] = True
        held_out &= corpus.mean_weights > 0  # texts of weight 0 would judge nothing
    return held_out
