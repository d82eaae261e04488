"""The experiment of chapters 5 and 8: (E, p, v) trained on real reviews with several seeds, summed up as the paper does.

``make record`` runs it where Yelp and IMDB's test split can be had, and stores what the chapter shows of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from .alignment import class_profile
from .bins import Bins, binned
from .corpus import Corpus
from .datasets import load_imdb, load_yelp
from .model import accuracy
from .recorded import record
from .training import Training, train

SETTINGS = {"dim": 2048, "steps": 150, "learning_rate": 0.007}
"""As many dimensions as the paper has; the rest is our choice."""

HELD_OUT = 0.2
SEEDS = range(5)


@dataclass(frozen=True, repr=False)
class Picture:
    """A trained model as the paper looks at it.

    Parameters
    ----------
    training : Training
    values, scores : Bins
        E_s·v and E_s·p in 20 bins of the label skew.
    """

    training: Training
    values: Bins
    scores: Bins


def picture(corpus: Corpus, seed: int = 0, held_out: Corpus | None = None, **settings) -> Picture:
    """Train all of (E, p, v) with one seed, and sum up E_s·v and E_s·p in bins of the corpus' label skew.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    seed : int
    held_out : Corpus, optional
        Evaluated along the way.
    **settings
        Of `train`, instead of `SETTINGS`.

    Returns
    -------
    Picture
    """
    training = train(corpus, seed=seed, held_out=held_out, **(SETTINGS | settings))
    skew = corpus.label_skew()
    return Picture(training, binned(skew, training.parameters.values), binned(skew, training.parameters.scores))


def pictures(corpus: Corpus, seeds=SEEDS, held_out: Corpus | None = None, **settings) -> list[Picture]:
    """Return `picture` for each of several seeds.

    Parameters
    ----------
    corpus : Corpus
    seeds : iterable of int
    held_out, **settings
        As in `picture`.

    Returns
    -------
    list of Picture
    """
    progress = tqdm(list(seeds), desc="Training with several seeds", unit="seed", delay=2)
    return [picture(corpus, seed, held_out, **settings) for seed in progress]


def summary(corpus: Corpus, name: str) -> dict:
    """Train on a corpus with every seed and return what the chapter shows of it, as plain values: numbers and words only.

    Parameters
    ----------
    corpus : Corpus
        Two classes; a fifth of its texts is held out.
    name : str
        Of the corpus, for people.

    Returns
    -------
    dict
    """
    corpus, held_out = corpus.split(HELD_OUT, seed=0)
    found = pictures(corpus, held_out=held_out)
    first = found[0].training.parameters
    return {
        "name": name,
        "corpus": repr(corpus),
        "words": corpus.vocabulary.tolist(),
        "skew": _rounded(corpus.label_skew(), 4),
        "values": _rounded(first.values, 3),
        "scores": _rounded(first.scores, 3),
        "rank_correlations": _rounded([one.values.rank_correlation() for one in found], 4),
        "u_shapes": _rounded([one.scores.u_shape() for one in found], 2),
        "steps": found[0].training.history.steps.tolist(),
        "held_out_accuracies": [_rounded(one.training.history.held_out_accuracies, 4) for one in found],
    }


def class_summary(corpus: Corpus, name: str) -> dict:
    """Do as `summary` for several classes: the values in bins of profile, skew and signed share, class by class.

    Parameters
    ----------
    corpus : Corpus
        More than two classes.
    name : str
        Of the corpus, for people.

    Returns
    -------
    dict
    """
    corpus, held_out = corpus.split(HELD_OUT, seed=0)
    axes = {"profile": class_profile(corpus), "skew": corpus.label_skew(), "share": corpus.signed_share()}
    edges = {kind: [_middle_edges(column) if kind == "share" else 20 for column in axis.T] for kind, axis in axes.items()}
    progress = tqdm(SEEDS, desc=name, unit="seed")
    found = [train(corpus, seed=seed, held_out=held_out, **SETTINGS) for seed in progress]

    def bins_of(kind, training):
        columns = zip(axes[kind].T, training.parameters.values.T, edges[kind])
        return [binned(axis, values, edge) for axis, values, edge in columns]

    return {
        "name": name,
        "corpus": repr(corpus),
        "class_names": list(corpus.class_names),
        "rank_correlations": {
            kind: [_rounded([bins.rank_correlation() for bins in bins_of(kind, each)], 4) for each in found] for kind in axes
        },
        "bins": {kind: [_plain(bins) for bins in bins_of(kind, found[0])] for kind in axes},
        "steps": found[0].history.steps.tolist(),
        "held_out_accuracies": [_rounded(each.history.held_out_accuracies, 4) for each in found],
    }


def _middle_edges(amounts):
    """Return the edges of 19 bins, as the paper's tables have, from the 2nd to the 98th percentile: few words lie beyond."""
    return np.linspace(*np.percentile(amounts, [2, 98]), 20)


def _plain(bins):
    """Return the filled bins as plain values."""
    filled = bins.sizes > 0
    columns = {"centres": bins.centres, "means": bins.means, "spreads": bins.spreads, "sizes": bins.sizes}
    return {key: _rounded(column[filled], 7 if key == "centres" else 4) for key, column in columns.items()}


def on_test_split() -> dict:
    """Train on all of IMDB's training reviews, and return the accuracies on the standard test split, seed by seed.

    Once with the settings of the chapter, and once with training ended where held-out reviews of the *training* split
    have their lowest loss: the test reviews choose nothing.

    Returns
    -------
    dict
        Lists of accuracies under "after_all_steps" and "at_the_best_step".
    """
    corpus, test = load_imdb("train"), load_imdb("test")
    part, held_out = corpus.split(HELD_OUT, seed=0)
    short = {"learning_rate": 0.003, "steps": 100, "evaluate_every": 1}
    full, best = [], []
    for seed in tqdm(SEEDS, desc="IMDB's test split", unit="seed"):
        full.append(accuracy(picture(corpus, seed).training.parameters, test))
        history = train(part, seed=seed, held_out=held_out, patience=10, **(SETTINGS | short)).history
        steps = int(history.steps[history.held_out_losses.argmin()])
        best.append(accuracy(train(corpus, seed=seed, **(SETTINGS | short | {"steps": steps})).parameters, test))
    return {"after_all_steps": _rounded(full, 4), "at_the_best_step": _rounded(best, 4)}


def _rounded(numbers, digits):
    return np.round(np.asarray(numbers, float), digits).tolist()


def main():
    """Record the runs on Yelp (two, four and five classes, balanced) and that on IMDB's test split."""
    yelp = {classes: load_yelp("train", classes=classes).balanced(seed=0) for classes in (2, 4, 5)}
    print(record("yelp", summary(yelp[2], "Yelp")))
    for classes in (4, 5):
        print(record(f"yelp{classes}", class_summary(yelp[classes], f"Yelp, {classes} classes")))
    print(record("imdb_test", on_test_split()))


if __name__ == "__main__":
    main()
