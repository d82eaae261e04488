"""The experiment of 08_deeper: trained on IMDB with several seeds, held against the paper's tables."""

from dataclasses import replace
from functools import cache

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.arrays import to_numpy
from tokensel_nb.chapters import deeper_reviews as chapter
from tokensel_nb.chapters.recorded import PAPER_EDGES

from .recording import or_none, rounded

# `make record` repeats it with every seed. The models and the protocol's settings are in `tokensel_nb.chapters.deeper_reviews`.
#
# The protocol of the MLP, fixed before any of its seeds was run. Seeds 0 to 29 had shown that our own start and ReLU do not
# reach the paper's table; what follows was chosen after looking at some of those, so fresh seeds judge it:
#
# - model: `WithMLP` with GELU and PyTorch's start (M, θ, v uniform between ±1/√d; p normal as each row of E, variance 1/d);
# - data: 5,000 reviews, drawn by the seed; d = 128; 600 steps of Adam with 50 reviews each, rate 0.01;
# - skew: over the reviews that hold a word, not over its occurrences; the paper's 20 bins, words beyond 14/15 left out;
# - seeds: 30 to 59, all of them, none repeated;
# - target: the bin means of E_s·p, averaged over the thirty seeds, correlate with the paper's by at least 0.95.
#
# Beside it: a V that nothing trained (0.96), our start with ReLU on the same seeds, and the same training on shuffled labels
# (seeds 30 to 34). The slant of the U, which a correlation hardly feels, is told apart from it and has no target.
#
# By the skew of the other reviews, in which nothing was learnt by heart, shuffled labels leave rank correlations of E_s·v of
# -0.52 to 0.66 with five seeds of the MLP and of -0.33 to 0.17 with two layers, and of what a word says alone of -0.26 to
# 0.43. The target of the chapter's own runs (seed 0, and seed 1 recorded) is at least 0.9.
#
# Of the scores shuffled labels leave a U there, which frequency draws. On 2026-11-24, before any run measured it,
# `ts.matched_correlation` took the place of a rise of the outermost words: of the scores with the skew of all other reviews, at
# the step of the lowest held-out loss with true labels, evaluated every 50 steps, and at the last; shuffled labels with the
# same seeds, 70 to 74, at the same steps. Target, for either model: at the stopping step each seed lies above all five
# shuffled ones.
#
# The same on two more corpora, fixed on 2026-11-24 before their runs (trials, one seed below 1,000 of each, true labels alone:
# 0.20 to 0.32): seeds 20261125 to 20261129, each of which draws its own texts. Rotten Tomatoes has 8,530 sentences: 3,000 are
# trained on and 1,000 held out, which stop, and the 5,530 that are not trained on give the skew of others; of the balanced
# tweets 5,000 and 1,000, as of IMDB, and 8,908. Same target, for either model on either corpus. Beside it stand, at both steps,
# the rank correlations of bin means by that skew, of E_s·v with two layers, of what a word says alone with the MLP: no target.
TARGET = 0.95
OF_MLP = {
    "PyTorch's start, GELU": chapter.PROTOCOL,
    "our start, ReLU": replace(chapter.PROTOCOL, model=ts.WithMLP()),
    "shuffled labels": replace(chapter.PROTOCOL, seeds=range(30, 35), shuffled=True),
}
OF_TWO_LAYERS = {"two layers, shuffled labels": replace(chapter.EXPERIMENTS["two layers"], seeds=range(5), shuffled=True)}
SECOND = {  # beside seed 0, which the chapter trains
    "two layers": replace(chapter.EXPERIMENTS["two layers"], seeds=range(1, 2)),
    "MLP": replace(chapter.PROTOCOL, seeds=range(1, 2)),
}
FRESH = {
    "two layers": replace(chapter.EXPERIMENTS["two layers"], seeds=range(70, 75)),
    "MLP": replace(chapter.PROTOCOL, seeds=range(70, 75)),
}

NEW_SEEDS = range(20261125, 20261130)
MORE = {
    "tomatoes": (ts.load_rotten_tomatoes, 3_000),
    "tweets": (lambda: ts.load_tweets().balanced(seed=NEW_SEEDS[0]), 5_000),
}

imdb = cache(ts.load_imdb)


def scores_of(corpus: ts.Corpus, experiment: chapter.Experiment) -> dict:
    """Train with every seed, and return the bin means of scores."""
    return {"scores": [rounded(chapter.deeper_run(corpus, experiment, seed).scores.means) for seed in tqdm(experiment.seeds)]}


def of_seed(corpus: ts.Corpus, experiment: chapter.Experiment, seed: int) -> dict:
    """Train with one seed, and return bin means: by the skew of these reviews, and by that of all others."""
    trained = chapter.deeper_run(corpus, experiment, seed)
    shown = ts.shuffle_labels(corpus, seed) if experiment.shuffled else corpus
    by_occurrences = chapter.sample(shown, seed)[0].label_skew()
    parameters, others = trained.training.parameters, trained.others_skew
    means = {
        "scores": trained.scores.means,
        "values": trained.values.means,
        "scores_by_occurrences": ts.binned(by_occurrences, parameters.token_scores, PAPER_EDGES).means,
        "scores_by_others": ts.binned(others, parameters.token_scores, PAPER_EDGES).means,
        "values_by_others": ts.binned(others, parameters.token_values, PAPER_EDGES).means,
        "alone_by_others": ts.binned(others, chapter.alone(parameters, experiment.model, corpus), PAPER_EDGES).means,
    }
    return {"seed": seed} | {name: or_none(rounded(numbers, 3)) for name, numbers in means.items()}


def favoured(corpus: ts.Corpus, experiment: chapter.Experiment) -> dict:
    """Train with every seed on true and on shuffled labels, and return correlations and ranks where true labels stop."""
    found = {"stopped": [], "stopped, ranks": []}
    for seed in tqdm(experiment.seeds):
        true, rank = with_rank(corpus, experiment, seed, every=50)
        shuffled, chance = with_rank(corpus, replace(experiment, shuffled=True), seed, every=true.stop, stop=true.stop)
        found["stopped"].append([true.matched[true.stop], shuffled.matched[true.stop]])
        found["stopped, ranks"].append([rank, chance])
    return {name: dict(zip(("true", "shuffled"), rounded(np.transpose(pairs)))) for name, pairs in found.items()}


def with_rank(corpus, experiment, seed, every, stop=None):
    """Train one seed; return its run, and how bin means of what a word says rise with the skew of others where it stops."""
    said = {}

    def watch(step, parameters):
        says = chapter.alone(parameters, experiment.model, corpus) if experiment.table == "mlp" else parameters.token_values
        said[step] = to_numpy(says)

    run_of = chapter.deeper_run(corpus, experiment, seed, watch=watch, evaluate_every=every)
    return run_of, ts.binned(run_of.others_skew, said[stop or run_of.stop], PAPER_EDGES).rank_correlation()


def on_more(load, texts) -> dict:
    """Return what `favoured` finds of both models on another corpus."""
    corpus = load()
    return {name: favoured(corpus, replace(each, seeds=NEW_SEEDS, texts=texts)) for name, each in FRESH.items()}


def every_seed(corpus: ts.Corpus, experiment: chapter.Experiment) -> list:
    """Return what `of_seed` does, seed by seed."""
    return [of_seed(corpus, experiment, seed) for seed in tqdm(experiment.seeds)]


def of_each(experiments, measure) -> dict:
    """Return what a function finds in IMDB's training reviews, experiment by experiment."""
    return {name: measure(imdb(), experiment) for name, experiment in experiments.items()}


RECORDS = {
    "deeper": lambda: of_each(chapter.EXPERIMENTS, scores_of),
    "deeper_mlp": lambda: of_each(OF_MLP, every_seed),
    "deeper_shuffled": lambda: of_each(OF_TWO_LAYERS, every_seed),
    "deeper_second": lambda: {name: of_seed(imdb(), one, *one.seeds) for name, one in SECOND.items()},
    "deeper_matched": lambda: of_each(FRESH, favoured),
    "deeper_more": lambda: {name: on_more(*each) for name, each in MORE.items()},
}
