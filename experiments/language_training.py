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
training  2 layers, five seeds, 1,500 steps; one seed 10,000. Beside each, shuffled: next words permuted among all places.
PMI       The correlation of one-word logits with log(observed/expected) of held-out neighbours, both double-centred, among
          the 400 commonest words; beside columns swapped within groups of 20 equally frequent ones.
attention Of each layer, the mean of its heads: what a word gets from places two or more later, over the mean at the same two
          places, on 4,000 held-out windows. Its rank correlation, among 40 neighbours in frequency of the 600 commonest words
          (and of 300), with the word's information: `next_words.information` of all held-out windows. Its ceiling:
          information in the half that trains. Its size: attention of the quarter of each 40 with most information, over that
          with least.
targets   In each seed. First step: R² at least .99 without layers, at least .8 with 1 and 2 (trials: .90, .85); the larger
          start has less than the small one; the row correlation without layers is within 10% of the law at each d, over five
          seeds on average; with shuffled next words it is at most .02 in size. At step 1,500: PMI at least .45 (trial: .51),
          shuffled and swapped at most .1. Attention of layer 2 correlates more at step 1,500 than at step 100, and more than
          that of any shuffled run at 1,500. Nothing was fixed for layer 1, for 10,000 steps and for what survives of the
          first step.
"""

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
MOMENTS, LATER = (10, 100, 300, 1000, 1500), (1500, 3000, 10000)
COLUMNS = ["loss", "PMI", "swapped", "layer 1", "its commonest", "layer 2", "its commonest", "size 1", "size 2"]


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
def loss(model, windows):
    """Return the mean loss of the true next words."""
    both = batches(windows[:, :-1], windows[:, 1:])
    return np.mean([functional.cross_entropy(model(words).mT, nexts).item() for words, nexts in both])


@torch.no_grad()
def associated(model, common=COMMON):
    """Return the logits of common words after each common word alone, double-centred."""
    return next_words.double_centred(model(torch.arange(common)[:, None])[:, 0, :common].numpy())


def correlation(one, other):
    """Return Pearson's correlation of all entries."""
    return np.corrcoef(one.ravel(), other.ravel())[0, 1]


def ends(information, attention):
    """Return the attention of the quarter of each group with most information, over that of the quarter with least."""
    order = np.concatenate([start + np.argsort(information[start : start + GROUP]) for start in range(0, JUDGED, GROUP)])
    of_groups = attention[order].reshape(-1, GROUP)
    return of_groups[:, -GROUP // 4 :].mean() / of_groups[:, : GROUP // 4].mean()


def run(seed, is_shuffled, moments):
    """Train one model and return what is measured of it, moment by moment, with its ceilings and words."""
    train, held_out, words = next_words.windows(seed)
    frequency, known = frequencies(train), next_words.association(held_out)
    model = LanguageModel(frequency, 2, seed=seed)
    nexts = shuffled(train[:, 1:], seed) if is_shuffled else train[:, 1:]
    information, ours = next_words.information(held_out), next_words.information(train)
    match = lambda of, size: correlation_at_equal(frequency[:size], information[:size], of[:size], GROUP)
    columns, found = next_words.swapped(COMMON, seed), []
    for _ in trained(model, train, nexts, seed, moments):
        logits, layers = associated(model), looked_at(model, held_out[:LOOKED_AT])
        figures = [loss(model, held_out[: LOOKED_AT // 4]), correlation(logits, known), correlation(logits[:, columns], known)]
        each = [f(layer) for layer in layers for f in (lambda a: match(a, JUDGED), lambda a: match(a, JUDGED // 2))]
        found.append(rounded(figures + each + [ends(information, layer) for layer in layers], 3))
    order = np.argsort(layers[1][: JUDGED // 2])
    ceilings = [correlation(next_words.association(train), known), match(ours, JUDGED), match(ours, JUDGED // 2)]
    ends_of = {"least": words[order[:15]].tolist(), "most": words[order[:-16:-1]].tolist()}
    return {"ceilings": rounded(ceilings, 3), "moments": found} | ends_of


def part(kinds, seeds, moments):
    """Train some kinds of models with some seeds."""
    found = {kind: [run(seed, kind == "shuffled", moments) for seed in tqdm(seeds, desc=kind)] for kind in kinds}
    return {"columns": COLUMNS, "steps": list(moments)} | found


RECORDS = {
    "language_true": lambda: part(["true"], SEEDS, MOMENTS),
    "language_shuffled": lambda: part(["shuffled"], SEEDS, MOMENTS),
    "language_long": lambda: part(["true"], SEEDS[:1], LATER),
    "language_long_shuffled": lambda: part(["shuffled"], SEEDS[:1], LATER),
}
