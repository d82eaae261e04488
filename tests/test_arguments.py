"""What would give a silently wrong result is refused, in a sentence that names it."""

from dataclasses import replace

import numpy as np
import pytest

import tokensel_nb as ts

GOOD = dict(counts=[[0, 1, 1], [2, 1, 0]], labels=["up", "down"], vocabulary=["bad", "film", "good"])
CORPORA = {
    "a label too many": (dict(labels=["up", "down", "up"]), r"counts has shape \(2, 3\), but there are 3 labels and 3 words"),
    "a word too few": (dict(vocabulary=["a", "b"]), "2 labels and 2 words"),
    "a negative count": (dict(counts=[[0, -1, 1], [2, 1, 0]]), "negative or not finite"),
    "a count that is infinite": (dict(counts=[[0, np.inf, 1], [2, 1, 0]]), "negative or not finite"),
    "a word twice": (dict(vocabulary=["a", "b", "a"]), "vocabulary contains a word twice"),
    "a negative weight": (dict(weights=[1, -1]), "finite numbers of at least 0, and not all zero"),
    "no weight": (dict(weights=[0, 0]), "not all zero"),
    "a weight that is not finite": (dict(weights=[1, np.nan]), "finite"),
    "a weight too few": (dict(weights=[1]), "must be 2 finite numbers"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_parts_of_a_corpus_that_do_not_fit(name):
    changes, message = CORPORA[name]
    with pytest.raises(ValueError, match=message):
        ts.Corpus(**GOOD | changes)


CORPUS = ts.Corpus(**GOOD)
START = ts.init_parameters(3, 2, 0, dtype="float64")
NOT_FINITE = START._replace(embeddings=np.full((3, 2), np.nan))
HELD_OUT = "held_out has other words or classes"
CALLS = {
    "a logit that is not finite": (lambda: ts.logits(NOT_FINITE, CORPUS), "embeddings is not finite; give smaller"),
    "a start that is not finite": (lambda: ts.train(NOT_FINITE, CORPUS), "the loss at the start is nan"),
    "more classes than dimensions": (lambda: ts.init_parameters(3, 2, 0, num_classes=3), "num_classes=3 is above dim=2"),
    "one label to train on": (lambda: ts.train(START, CORPUS[:1]), "the same label"),
    "no learning rate": (lambda: ts.train(START, CORPUS, learning_rate=0), "learning_rate=0"),
    "a rate that is not a number": (lambda: ts.train(START, CORPUS, learning_rate=np.nan), "learning_rate=nan"),
    "a batch of none": (lambda: ts.train(START, CORPUS, batch_size=-1), "batch_size=-1"),
    "an unknown optimizer": (lambda: ts.train(START, CORPUS, optimizer="lbfgs"), "give one of adam, gradient descent"),
    "an unknown array": (lambda: ts.train(START, CORPUS, trained=["embeddings", "w"]), "choose from the parameters"),
    "nothing trained": (lambda: ts.train(START, CORPUS, trained=[]), "choose from the parameters"),
    "patience for nothing": (lambda: ts.train(START, CORPUS, patience=2), "patience=2 without held_out"),
    "held-out texts of other words": (
        lambda: ts.train(START, CORPUS, held_out=replace(CORPUS, vocabulary=["a", "b", "c"])),
        HELD_OUT,
    ),
    "held-out texts of other classes": (
        lambda: ts.train(START, CORPUS, held_out=replace(CORPUS, class_names=("no", "yes"))),
        HELD_OUT,
    ),
    "a formula beside p = 0": (lambda: ts.exact_values(START._replace(cls_embedding=np.ones(2)), CORPUS, 1.0), "not zero"),
    "signs of three classes": (lambda: ts.predicted_scores(ts.Corpus(np.eye(3), [0, 1, 2], "abc"), 1, 1), "3 classes"),
    "a split into nothing": (lambda: CORPUS.split(0.1, 0), "leaves one part empty"),
    "a balance without a class": (lambda: CORPUS[:1].balanced(0), "the class .* has no text"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_that_would_give_a_wrong_result(name):
    call, message = CALLS[name]
    with pytest.raises(ValueError, match=message):
        call()
