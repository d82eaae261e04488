"""Claims of chapter 1, the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..datasets import read_imdb
from ..model import attention, gradients, logits
from ..textbook import textbook_gradients, textbook_logits, tokens_in_order
from .shared import flat, imdb, relative, start_of
from .table import Target, claim

CHAPTER = "book/01_model"


@claim(
    "vocabulary",
    CHAPTER,
    "paper",
    Target(7_688, 7_844),
    "IMDB's training reviews have as many words as the paper's vocabulary, 7,766, within one percent.",
)
def vocabulary():
    return imdb().vocab_size


@claim(
    "counts-identity",
    CHAPTER,
    "book",
    Target(high=1e-12),
    "On 200 reviews, read word by word, the logits from counts equal the softmax over positions: largest difference.",
)
def counts_identity():
    parameters = with_scores(imdb(), 5.0)
    tokens = tokens_in_order(read_imdb().texts[::125], imdb().vocabulary)
    wanted = textbook_logits(*vars(parameters.to("cpu")).values(), tokens).numpy()
    return np.abs(logits(parameters, imdb()[::125]) - wanted).max()


@claim(
    "closed-form-gradients",
    CHAPTER,
    "book",
    Target(high=1e-10),
    "On 200 reviews the closed-form gradients equal automatic differentiation: relative error in the norm.",
)
def closed_form_gradients():
    return _gradient_error(5.0)


@claim(
    "extreme-scores",
    CHAPTER,
    "book",
    Target(high=1e-10),
    r"They still do when the scores reach $\pm 10{,}000$: relative error in the norm.",
)
def extreme_scores():
    return _gradient_error(10_000.0)


def _gradient_error(spread):
    corpus = imdb()[::125]
    parameters = with_scores(corpus, spread)
    return relative(flat(gradients(parameters, corpus)), flat(textbook_gradients(parameters, corpus)))


@claim(
    "attention-sums-to-one",
    CHAPTER,
    "book",
    Target(high=1e-12),
    "The attention that each of the 25,000 reviews pays to its words sums to one: largest deviation.",
)
def attention_sums_to_one():
    return np.abs(attention(with_scores(imdb(), 5.0), imdb()).sum(axis=1) - 1).max()


def with_scores(corpus, spread):
    """Random parameters whose scores reach up to ±spread."""
    start = start_of(corpus, 64, 0, "float64")
    cls_embedding = np.random.default_rng(1).standard_normal(64)
    scale = spread / np.abs(start.embeddings @ cls_embedding).max()
    return replace(start, cls_embedding=scale * cls_embedding)
