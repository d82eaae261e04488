"""What training keeps of the heads of small transformers: more layers and steps, what words say first, and what heads do.

The protocol, committed before the official run; trials had the seeds 1 and 2. Texts, model, and how a head is judged are those
of `transformers`, whose criteria stay as they are. Here the moments are more, and some runs take 2,000 steps.

runs      IMDB, 2 and 4 layers, 750 steps. IMDB, one layer, free and with shuffled labels: the first runs of `heads_imdb` again,
          now with what words and heads do. Tweets, 1 and 2 layers and shuffled labels (1), 2,000 steps, seeds not used before.
          Tweets from PyTorch's own start, 1 and 2 layers and shuffled labels (1), 750 steps. Five seeds each; four layers
          on IMDB three at first, five if there is time: they are the dearest.
words     One word alone: its logit. Left out: by how much the logit of a text falls without the word, in up to 5 texts of each
          class, which nobody trained on. Both are given as the rank correlation with the held-out skew among neighbours in
          frequency, and in size: the twentieths of the common words with the lowest and the highest skew, less the middle half.
ceiling   The same correlation of the skew in the texts that train.
heads     Of <cls> alone, the other places read on as before. Blind: a head's queries are zero, so that it looks everywhere
          alike. Averaged: what it hands on is its mean over texts. Accuracy is that with the threshold at the median logit; and
          the words at either end are left out: by how much do they move the logit, over what they move in the whole model?
targets   At step 50 the correlation of one word alone is at least .3 in each of 15 runs (IMDB 1, tweets 1 and 2), that of words
          left out also, while the heads' mean u is at most .1. With shuffled labels both stay within .15 at every moment.
          All deep runs on IMDB have a head beyond .3 on the way; at most one in five ends with a tilt; no head beyond the first
          layer ends as a U, there or on tweets after 2,000 steps. After 2,000 steps on tweets no head is a tilt, and three
          quarters of the first layer's heads are a U.
          Blind: all heads at once cost accuracy in each of the 15 runs at step 750; no single head costs more than .02, blind
          or averaged. With one layer the movement of both ends together falls below .85 of the whole model's. Of the first
          layer's heads beyond .3 at step 50 or 100 on tweets, nine in ten, made blind, take more from their own side's words
          than from the other's.
          PyTorch's start: at most 3 of 60 heads end as a U, yet all blind cost at least .03 of accuracy in every run.
          Nothing is fixed for the rest: accuracies, sizes, ceilings, which side a head takes, heads that change sides late.
"""

from functools import partial
from itertools import chain

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts

from . import transformers
from .recording import rounded
from .transformers import FIRST, judged
from .what_heads_do import averaged, blind, effects, ends_of, one_word_logits, value, without

WAYS = {"blind": blind, "averaged": averaged}


def of_words(model, parameters, texts, about):
    """Return how one-word logits and the effects of words follow the skew."""
    moves = effects(model, parameters, ts.logits(parameters, texts, model), without(texts, about[-1]))
    return {"one word": value(one_word_logits(model, parameters, texts), *about), "left out": value(moves, *about)}


def verdicts(model, parameters, texts, left_out, ends):
    """Return the accuracy with the threshold at the median logit, and the effect of words of blame and of praise."""
    logits = ts.logits(parameters, texts, model)
    moves = effects(model, parameters, logits, left_out)
    right = np.mean((logits > np.median(logits)) == texts.labels)
    return rounded([right, *(np.nanmean(moves[end]) for end in ends[:2])])


def of_heads(model, parameters, texts, about):
    """Return `verdicts` as they are, without each head, layer by layer, and with all of them blind."""
    ends = ends_of(*about)
    left_out = without(texts, np.concatenate(ends[:2]))
    seen = lambda changed: verdicts(changed, parameters, texts, left_out, ends)
    every = [[(layer, head) for head in range(model.heads)] for layer in range(model.layers)]
    found = {"whole": seen(model), "all blind": seen(blind(model, parameters, chain(*every), texts))}
    for name, way in WAYS.items():
        found[name] = [[seen(way(model, parameters, [head], texts)) for head in layer] for layer in every]
    return found


def run(name, kind, depth, seed, moments, values=(), heads=()):
    """Train one model; return what heads look for at each moment, and at some what words and heads do."""
    found = {"judged": [], "values": [], "heads": []}
    for moment in transformers.followed(name, kind, depth, seed, moments):
        seen = moment.model, moment.parameters, moment.texts[-1], moment.about
        found["judged"].append(moment.of_heads(judged))
        if moment.step in values:
            found["values"].append(of_words(*seen))
        if moment.step in heads:
            found["heads"].append(of_heads(*seen))
    return found


EARLY, TWEETS = (25, 50, 100, 250, 750), 20261301
LATE = {"moments": (*EARLY, 2000), "values": (25, 50, 100, 750, 2000), "heads": (50, 100, 750, 2000)}
END = {"moments": EARLY, "values": (50, 750), "heads": (750,)}
SEEDS = 5
NUMBERS = {  # the corpus, the first seed, and of each kind and depth at which moments what is measured
    "deep_heads_imdb": ("imdb", FIRST, {"free 2": {"moments": EARLY}}),
    "deepest_heads_imdb": ("imdb", FIRST, {"free 4": {"moments": EARLY}}),
    "words_first_imdb": ("imdb", FIRST, {"free 1": END, "shuffled 1": END | {"heads": ()}}),
    "late_heads_tweets": ("tweets", TWEETS, {"free 1": LATE, "shuffled 1": LATE | {"heads": (750,)}}),
    "late_deep_heads_tweets": ("tweets", TWEETS, {"free 2": LATE}),
    "default_heads_tweets": ("tweets", TWEETS, dict.fromkeys(["default 1", "default 2", "default shuffled 1"], END)),
}


def part(name):
    """Train the kinds of models of a part."""
    corpus, first, kinds = NUMBERS[name]
    found = {}
    for kind, when in kinds.items():
        seeds = tqdm(range(first, first + SEEDS), desc=f"{corpus}, {kind} layers", unit="run")
        found[kind] = when | {"runs": [run(corpus, *kind.rsplit(maxsplit=1), seed, **when) for seed in seeds]}
    return found


RECORDS = {name: partial(part, name) for name in NUMBERS}
