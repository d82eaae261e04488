"""Claims of chapter 7, two layers and an MLP."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import torch

from ..bins import binned
from ..deeper import DeeperParameters, TwoLayers, WithMLP, deeper_logits, train_deeper
from ..deeper_reviews import deeper_picture, with_paper
from ..recorded import PAPER_EDGES
from ..textbook import PADDING, tokens_of
from .shared import imdb
from .table import Target, claim

CHAPTER = "book/07_deeper"
SEEDS = range(2)  # of two layers
MLP_SEEDS = range(5)


@cache
def picture(name, seed):
    """Return a trained model as the paper looks at it."""
    return deeper_picture(imdb(), name, seed)


def position_by_position(model: TwoLayers, parameters: DeeperParameters, tokens):
    """Return the logit of two layers for one text, given as its tokens in order: the definition, with no counts."""
    parts = {name: torch.as_tensor(value) for name, value in parameters.parts.items()}
    rows = parts["embeddings"][torch.as_tensor(tokens)]
    inner = torch.softmax(model.scale * rows @ parts["key_query_1"] @ rows.T, dim=1)
    hidden = model.residual * rows + inner @ rows
    attention = torch.softmax(hidden @ parts["key_query_2"] @ parts["cls_embedding"], dim=0)
    return float(attention @ hidden @ parts["output_vector"])


def random_parameters(model, vocab_size, dim, seed):
    """Return parameters of the model's shapes in double precision, none of them zero."""
    random = np.random.default_rng(seed)
    start = model.start(vocab_size, dim, seed, dtype="float64")
    return replace(start, **{name: random.standard_normal(value.shape) for name, value in start.parts.items()})


def reflected(parameters: DeeperParameters):
    """Return (−E, −p, −M) beside the old v and b: the same MLP model, with the opposite E_s·v."""
    turned = ("embeddings", "cls_embedding", "mlp_weights")
    return replace(parameters, **{name: -getattr(parameters, name) for name in turned})


def alone(parameters: DeeperParameters):
    """Return what each word says alone in the MLP, v·relu(M E_s + b): the logit of a text of that one word."""
    hidden = parameters.embeddings @ parameters.mlp_weights.T + parameters.mlp_bias
    return np.maximum(hidden, 0) @ parameters.output_vector


@claim(
    "counts-exact-two-layers",
    CHAPTER,
    "book",
    Target(high=1e-10),
    "Two layers of attention computed from counts equal the computation position by position, on 40 reviews with random "
    "parameters: largest error of a logit over the largest logit.",
)
def counts_exact_two_layers():
    model, reviews = TwoLayers(), imdb()[::625]
    parameters = random_parameters(model, reviews.vocab_size, 8, 0)
    wanted = [position_by_position(model, parameters, row[row != PADDING]) for row in tokens_of(reviews)]
    return np.abs(deeper_logits(model, parameters, reviews) - wanted).max() / np.abs(wanted).max()


@claim(
    "two-layer-values",
    CHAPTER,
    "paper",
    Target(0.95),
    r"Two layers with key-query matrices: the means of $E_s\cdot v$ in 20 bins of the label skew follow the paper's table: "
    "correlation, smaller of two seeds.",
)
def two_layer_values():
    return min(picture("two layers", seed).value_correlation for seed in SEEDS)


@claim(
    "two-layer-scores",
    CHAPTER,
    "paper",
    Target(0.9),
    r"So do those of $E_s\cdot W_2p$: correlation, smaller of two seeds (0.95 is the goal, which a single seed may miss by a "
    "little).",
)
def two_layer_scores():
    return min(picture("two layers", seed).score_correlation for seed in SEEDS)


@claim(
    "mlp-scores",
    CHAPTER,
    "paper",
    Target(0.85),
    r"An MLP behind attention: the bin means of $E_s\cdot p$, averaged over five seeds, follow the paper's table: "
    "correlation (over thirty recorded seeds it is 0.90).",
)
def mlp_scores():
    return with_paper(np.mean([picture("MLP", seed).scores.means for seed in MLP_SEEDS], axis=0), "mlp_p")


@claim(
    "mlp-alone",
    CHAPTER,
    "book",
    Target(0.97),
    r"What a word says alone in the MLP, $v^\top\mathrm{relu}(ME_s+b)$, rises with the label skew: rank correlation of 20 bin "
    "means, smallest of five seeds.",
)
def mlp_alone():
    pictures = [picture("MLP", seed) for seed in MLP_SEEDS]
    return min(binned(each.skew, alone(each.training.parameters), PAPER_EDGES).rank_correlation() for each in pictures)


@claim(
    "mlp-sign-free",
    CHAPTER,
    "book",
    Target(high=1e-10),
    r"The sign of $E_s\cdot v$ in the MLP is drawn, not learnt: from the reflected start 50 steps of Adam lead to the opposite "
    r"$E_s\cdot v$ and the same $E_s\cdot p$ (largest relative difference).",
)
def mlp_sign_free():
    reviews, model = imdb()[::50], WithMLP()
    start = model.start(reviews.vocab_size, 32, 0)
    options = dict(steps=50, learning_rate=0.01, batch_size=50, evaluate_every=50)
    one, other = (train_deeper(reviews, model, start=each, **options).parameters for each in (start, reflected(start)))
    differences = (one.values + other.values, one.scores - other.scores)
    sizes = (one.values, one.scores)
    return max(np.abs(difference).max() / np.abs(size).max() for difference, size in zip(differences, sizes))
