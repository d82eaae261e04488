"""A small causal language model, trained beside one on shuffled next words: neighbours, and what attention looks at.

The protocol, committed before the official run; trials had seed 1.

texts     IMDB's training reviews, the 2,000 commonest words, in windows of 64 (`next_words.windows`). Half of the reviews
          trains, all else is measured on the other half. A number is the seed of the split, the start and the batches.
model     64 dimensions, 4 heads, an MLP of 128, LayerNorm before each part and behind all; all numbers N(0, 0.02²), an output
          matrix of its own, and an output bias that begins at the logarithm of the words' frequency: without it the first
          steps learn frequency alone. Adam at 0.002, 16 windows (1,024 words) a step, neither warm-up nor clipping.
first     The gradient of 2,000 windows. R² = 1 - ‖ΔE - predicted‖²/‖ΔE‖². Without layers and LayerNorm, d from 64 to 1,024;
          with 1 and 2 layers; with 2 from a start a tenth and five times as large; and with shuffled next words, compared
          with the *true* tables. The row correlation is the mean, over words, of that of (ΔE Aᵀ)Uᵀ with C - C1πᵀ.
training  2 layers, five seeds, 1,500 steps. Beside each, shuffled: next words permuted among all places.
PMI       The correlation of one-word logits with log(observed/expected) of held-out neighbours, both double-centred, among
          the 400 commonest words; beside columns swapped within groups of 20 equally frequent ones.
attention Of each layer, the mean of its heads: what a word gets from places two or more later, over the mean at the same two
          places, on 4,000 held-out windows. Its rank correlation, among 40 neighbours in frequency of the 600 commonest words,
          with the word's information: `next_words.information` of all held-out windows. Its ceiling: information in the half
          that trains.
targets   In each seed. First step: R² at least .99 without layers, at least .8 with 1 and 2 (trials: .90, .85); the larger
          start has less than the small one; the row correlation without layers is within 10% of the law at each d, over five
          seeds on average; with shuffled next words it is at most .02 in size. At step 1,500: PMI at least .45 (trial: .51),
          shuffled and swapped at most .1. Attention of layer 2 correlates more at step 1,500 than at step 100, and more than
          that of any shuffled run at 1,500. Nothing was fixed for layer 1 and for what survives of the first step.
"""

from functools import partial

import numpy as np
import torch
from torch.nn import functional
from tqdm import tqdm

from tokensel_nb.matched import correlation_at_equal

from . import next_words
from .language_first import SEEDS
from .language_model import BATCH, LanguageModel, batches
from .next_words import COMMON, LONGEST, WORDS, frequencies, shuffled
from .recording import rounded

RATE, JUDGED, GROUP, LOOKED_AT = 0.002, 600, 40, 4000
MOMENTS = (10, 100, 300, 1000, 1500)
COLUMNS = ["PMI", "swapped", "layer 1", "layer 2"]


def trained(model, windows, nexts, seed, moments, batch=BATCH, rate=RATE):
    """Train by Adam at one rate, all windows in new orders, and yield the step at some moments."""
    optimizer, random = torch.optim.Adam(model.parameters(), rate), np.random.default_rng(seed)
    epochs = 1 + moments[-1] * batch // len(windows)
    order = np.concatenate([random.permutation(len(windows)) for _ in range(epochs)])
    for step in range(moments[-1]):
        rows = order[step * batch : (step + 1) * batch]
        logits = model(torch.as_tensor(windows[rows, :-1]))
        optimizer.zero_grad()
        functional.cross_entropy(logits.flatten(0, 1), torch.as_tensor(nexts[rows]).flatten()).backward()
        optimizer.step()
        if step + 1 in moments:
            yield step + 1


@torch.no_grad()
def looked_at(model, windows):
    """Return how much attention of places two or more later each word gets in each layer, over the mean at the same places."""
    seen = np.concatenate([model.attention(words).numpy() for (words,) in batches(windows[:, :-1], size=4 * BATCH)], 1)
    later, earlier = np.tril_indices(LONGEST, -2)
    seen, places = seen[..., later, earlier], windows[:, earlier].ravel()
    seen /= seen.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return [np.bincount(places, layer.ravel(), WORDS) for layer in seen] / np.bincount(places, minlength=WORDS)


@torch.no_grad()
def associated(model, common=COMMON):
    """Return the logits of common words after each common word alone, double-centred."""
    return next_words.double_centred(model(torch.arange(common)[:, None])[:, 0, :common].numpy())


def correlation(one, other):
    """Return Pearson's correlation of all entries."""
    return np.corrcoef(one.ravel(), other.ravel())[0, 1]


def run(seed, is_shuffled, moments=MOMENTS):
    """Train one model and return what is measured of it, moment by moment, with its ceilings and words."""
    train, held_out, words = next_words.windows(seed)
    frequency, known = frequencies(train), next_words.association(held_out)
    model = LanguageModel(frequency, 2, seed=seed)
    nexts = shuffled(train[:, 1:], seed) if is_shuffled else train[:, 1:]
    information, ours = next_words.information(held_out), next_words.information(train)
    match = lambda of: correlation_at_equal(frequency[:JUDGED], information[:JUDGED], of[:JUDGED], GROUP)
    columns, found = next_words.swapped(COMMON, seed), []
    for _ in trained(model, train, nexts, seed, moments):
        logits, layers = associated(model), looked_at(model, held_out[:LOOKED_AT])
        figures = [correlation(logits, known), correlation(logits[:, columns], known), *map(match, layers)]
        found.append(rounded(figures, 3))
    order = np.argsort(layers[1][: JUDGED // 2])
    ceilings = rounded([correlation(next_words.association(train), known), match(ours)], 3)
    ends = {"least": words[order[:15]].tolist(), "most": words[order[:-16:-1]].tolist()}
    return {"ceilings": ceilings, "moments": found} | ends


def part(kind):
    """Train one kind of model with all seeds."""
    runs = [run(seed, kind == "shuffled") for seed in tqdm(SEEDS, desc=kind)]
    return {"columns": COLUMNS, "steps": list(MOMENTS), kind: runs}


RECORDS = {f"language_{kind}": partial(part, kind) for kind in ("true", "shuffled")}
