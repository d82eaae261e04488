"""04_reviews's run on Yelp and on IMDB's test split, and 07_classes's on several classes of Yelp, with every seed."""

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters.reviews import HELD_OUT, binned_run, run, stopped

from .recording import plain, rounded

SEEDS = range(5)
SHORT = dict(learning_rate=0.003, steps=100, evaluate_every=1)
DIGITS = {"centres": 7, "means": 4}


def balanced_yelp(classes=2) -> ts.Corpus:
    """Return Yelp's training reviews, equally many of every class."""
    return ts.load_yelp("train", classes=classes).balanced(seed=0)


def summary(corpus: ts.Corpus, name: str) -> dict:
    """Train on two classes with every seed and return what the chapter shows of it: numbers and words only, no text."""
    corpus, held_out = corpus.split(HELD_OUT, seed=0)
    runs = [binned_run(corpus, seed, held_out) for seed in tqdm(SEEDS, desc=name, unit="seed")]
    first = runs[0].training
    return {
        "corpus": repr(corpus),
        "skew": rounded(corpus.label_skew(), 4),
        "values": rounded(first.parameters.token_values, 3),
        "scores": rounded(first.parameters.token_scores, 3),
        "rank_correlations": rounded([one.values.rank_correlation() for one in runs], 4),
        "held_out_accuracies": [rounded(one.training.history.held_out_accuracies, 4) for one in runs],
    }


def class_summary(corpus: ts.Corpus, name: str) -> dict:
    """Do the same for several classes, every seed with its split: values in bins of profile, skew and share, class by class."""
    parts = [corpus.split(HELD_OUT, seed=seed) for seed in SEEDS]
    progress = tqdm(list(zip(SEEDS, parts)), desc=name, unit="seed")
    runs = [run(part, seed, held_out) for seed, (part, held_out) in progress]

    def bins_of(kind, part, training):
        axis = {"profile": ts.class_profile, "skew": ts.Corpus.label_skew, "share": ts.Corpus.signed_share}[kind](part)
        columns = zip(axis.T, training.parameters.token_values.T)
        return [ts.binned(axis, values, middle_edges(axis) if kind == "share" else 20) for axis, values in columns]

    bins = {kind: [bins_of(kind, part, one) for (part, _), one in zip(parts, runs)] for kind in ("profile", "skew", "share")}
    return {
        "name": name,
        "corpus": repr(parts[0][0]),
        "class_names": list(corpus.class_names),
        "rank_correlations": {
            kind: [rounded([of_class.rank_correlation() for of_class in each], 4) for each in of_kind]
            for kind, of_kind in bins.items()
        },
        "bins": {"profile": [plain(of_class, DIGITS) for of_class in bins["profile"][0]]},
        "held_out_accuracies": [rounded(one.history.held_out_accuracies, 4) for one in runs],
    }


def middle_edges(share):
    """Return the edges of 19 bins, as the paper's tables have, from the 2nd to the 98th percentile: few words lie beyond."""
    return np.linspace(*np.percentile(share, [2, 98]), 20)


def on_test_split() -> dict:
    """Train on all of IMDB's training reviews, and return the accuracies on the standard test split, seed by seed."""
    # Once with the settings of the chapter, and once with training ended where held-out reviews of the *training* split have
    # their lowest loss: the test reviews choose nothing.
    corpus, test = ts.load_imdb("train"), ts.load_imdb("test")
    part, held_out = corpus.split(HELD_OUT, seed=0)
    full, best = [], []
    for seed in tqdm(SEEDS, desc="IMDB's test split", unit="seed"):
        full.append(ts.accuracy(run(corpus, seed).parameters, test))
        steps = stopped(part, held_out, seed, **SHORT, patience=10)[1]
        best.append(ts.accuracy(run(corpus, seed, **SHORT | {"steps": steps}).parameters, test))
    return {"after_all_steps": rounded(full, 4), "at_the_best_step": rounded(best, 4)}


RECORDS = {
    "yelp": lambda: summary(balanced_yelp(), "Yelp"),
    "yelp4": lambda: class_summary(balanced_yelp(4), "Yelp, 4 classes"),
    "yelp5": lambda: class_summary(balanced_yelp(5), "Yelp, 5 classes"),
    "imdb_test": on_test_split,
}
