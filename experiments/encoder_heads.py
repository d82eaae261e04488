"""What each head of a pretrained encoder looks for, before and after it is fine-tuned on sentiment.

The protocol, committed before the official run; trials had seeds 1 and 2, and other sizes.

encoder   MiniLM (see `experiments.encoder`), six layers of twelve heads. It reads the last 62 pieces of a review.
parts     IMDB's 25,000 training reviews in random order (`SEEDS`: the order, the read-out's start, the batches): 1,600 train,
          1,200 are looked at, the 22,200 others tell the lean by all their pieces.
training  The logit is read off [CLS] behind the last layer, h·w + b, as usual; so its attention counts in every layer. Adam,
          encoder at 1e-4 and read-out at 3e-3, both falling to zero on a line; 16 texts a step, once through the texts.
words     Only pieces that are whole words are judged, and attention is taken over the whole words of a review.
judged    By `ts.head_preferences`: attention against the lean, among 50 words of similar frequency; words in at least 20 of the
          reviews that tell the lean and in 5 of each class looked at. Tilt: signed beyond .30, one end above 1.1 and the other
          below 1/1.1. U: unsigned above .15, both ends above 1.1. A head is *new* if it is one after fine-tuning and was not
          before, and this correlation has grown by at least .05 in size.
says      The matched correlation of one-word logits, [CLS] word [SEP], with the lean.
control   The same encoder fine-tuned just as long on shuffled labels, judged by the true lean: what fine-tuning does to heads
          without learning sentiment. Chance of the reading: the labels that tell the lean, shuffled five times.
targets   For each of five seeds. True labels: at least one new head (trials: 8 and 2), none of them in the first two layers;
          one-word logits say at least .35 (.44, .48). The mean u of layers four to six is higher than after shuffled labels by
          at least .02 (.06, .04). Shuffled labels: no new head (0, 0), and one-word logits say at most .15 (.09, .00).
"""

import re
from functools import partial
from itertools import pairwise

import numpy as np
import torch

import tokensel_nb as ts
from tokensel_nb.matched import correlation_at_equal

from .encoder import CLS, SEP, Reading, fine_tune, load_encoder, windows_of
from .recording import rounded

SEEDS = range(20261128, 20261133)
LEARNT, LOOKED_AT, LENGTH = 1600, 1200, 62
TUNING = {"rate": 1e-4, "head_rate": 3e-3, "batch": 16}  # of Adam


def whole_words(pretrained, pieces):
    """Return pieces with -1 in the place of all that are a part of a word only, and of what is no word."""
    part, special = (np.array([bool(re.match(kind, each)) for each in pretrained.vocabulary]) for kind in ("##", r"\[.+"))
    broken = (part[numbers] | np.append(part[numbers[1:]], False) | special[numbers] for numbers in pieces)
    return [np.where(each, -1, numbers) for each, numbers in zip(broken, pieces)]


def look_at(model, windows) -> list:
    """Return the attention of [CLS] in many windows, and f."""
    return [torch.cat(parts).numpy() for parts in zip(*(model.looks(some) for some in windows.split(100)))]


def kept(found, model, frequency) -> dict:
    """Return what is recorded of a network: per head s, u and both ends, and how one-word logits follow the lean."""
    _, logits = look_at(model, torch.tensor([[CLS, word, SEP] for word in found.words]))
    grid = np.stack([found.signed, found.unsigned, *found.ends], axis=-1)
    says = correlation_at_equal(frequency[found.words], found.lean, logits)
    return {"heads": rounded(grid, 3), "chance": rounded(found.chance.max(axis=(1, 2)), 3), "says": rounded(says, 3)}


def reviews_in_parts(pretrained, seed):
    """Return the pieces and labels of the reviews that train, that are looked at, and that tell the lean."""
    reviews = ts.read_imdb()
    order = np.random.default_rng(seed).permutation(len(reviews.labels))
    pieces = pretrained.pieces([reviews.texts[row] for row in order])
    return [(pieces[a:b], reviews.labels[order[a:b]]) for a, b in pairwise([0, LEARNT, LEARNT + LOOKED_AT, len(order)])]


def networks(pretrained, windows, labels, seed):
    """Yield the encoder before it is fine-tuned, and fine-tuned on true and on shuffled labels."""
    yield "before", Reading(pretrained, seed)
    shuffled = np.random.default_rng(seed).permutation(labels)
    for name, told in {"true": labels, "shuffled": shuffled}.items():
        yield name, fine_tune(Reading(pretrained, seed), windows, told, seed, **TUNING)


def run(seed) -> dict:
    """Look at all heads before, and after fine-tuning on true and on shuffled labels, with one order of the reviews."""
    pretrained, record = load_encoder(), {}
    (learnt, labels), (seen, seen_labels), (others, other_labels) = reviews_in_parts(pretrained, seed)
    windows = windows_of(seen, LENGTH)
    tokens, others = (whole_words(pretrained, each) for each in (windows.numpy(), others))
    frequency = np.bincount(np.concatenate(others) + 1)[1:]
    for name, model in networks(pretrained, windows_of(learnt, LENGTH), labels, seed):
        attention, logits = look_at(model, windows)
        found = ts.head_preferences(attention, tokens, seen_labels, others=(others, other_labels), ignore=[-1], seed=seed)
        record[name] = kept(found, model, frequency) | {"accuracy": rounded(np.mean((logits > 0) == seen_labels))}
    return record


RECORDS = {f"encoder_heads_{number}": partial(run, seed) for number, seed in enumerate(SEEDS)}
