"""The experiment of chapters 5 and 8: (E, p, v) trained on real reviews with several seeds, summed up as the paper does.

``make record`` runs it where Yelp and IMDB's test split can be had, and stores what the chapter shows of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from ..corpus.corpus import Corpus
from ..datasets.imdb import load_imdb
from ..datasets.yelp import load_yelp
from ..models.options import Options
from ..models.verbs import accuracy
from ..theory.alignment import class_profile
from ..theory.bins import Bins, binned
from ..training.train import Training, train
from .recorded import record, rounded

OPTIONS = Options(dim=2048, steps=150, learning_rate=0.007, device="auto")
"""As many dimensions as the paper has; the rest is our choice."""

HELD_OUT = 0.2
SEEDS = range(5)


@dataclass(frozen=True, repr=False)
class BinnedRun:
    """A training run as the paper looks at it: what it gives the words, over bins of their label skew.

    Parameters
    ----------
    training : Training
    values, scores : Bins
        E_s·v and E_s·p in 20 bins of the label skew.
    """

    training: Training
    values: Bins
    scores: Bins


def binned_run(corpus: Corpus, seed: int = 0, held_out: Corpus | None = None, **changes) -> BinnedRun:
    """Train all of (E, p, v) with one seed, and sum up E_s·v and E_s·p in bins of the corpus' label skew.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    seed : int
    held_out : Corpus, optional
        Evaluated along the way.
    **changes
        Options that differ from `OPTIONS`.

    Returns
    -------
    BinnedRun

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.reviews import binned_run
    >>> corpus = ts.independent_tokens(200, 40, 12, 0.5, seed=0)
    >>> found = binned_run(corpus, dim=16, steps=20, learning_rate=0.05)
    >>> round(found.values.rank_correlation(), 2) > 0.9
    True
    """
    training = train(corpus, options=OPTIONS, held_out=held_out, seed=seed, **changes)
    skew = corpus.label_skew()
    return BinnedRun(training, binned(skew, training.parameters.token_values), binned(skew, training.parameters.token_scores))


def binned_runs(corpus: Corpus, seeds=SEEDS, held_out: Corpus | None = None, **changes) -> list[BinnedRun]:
    """Return `binned_run` for each of several seeds.

    Parameters
    ----------
    corpus : Corpus
    seeds : iterable of int
    held_out, **changes
        As in `binned_run`.

    Returns
    -------
    list of BinnedRun

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.reviews import binned_runs
    >>> runs = binned_runs(ts.independent_tokens(200, 40, 12, 0.5, seed=0), range(2), dim=16, steps=3)
    >>> [run.training.step for run in runs]
    [3, 3]
    """
    progress = tqdm(list(seeds), desc="Training with several seeds", unit="seed", delay=2)
    return [binned_run(corpus, seed, held_out, **changes) for seed in progress]


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

    Examples
    --------
    What it returned for Yelp is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> recorded("yelp")["name"], len(recorded("yelp")["rank_correlations"])
    ('Yelp', 5)
    """
    corpus, held_out = corpus.split(HELD_OUT, seed=0)
    found = binned_runs(corpus, held_out=held_out)
    first = found[0].training.parameters
    return {
        "name": name,
        "corpus": repr(corpus),
        "words": corpus.vocabulary.tolist(),
        "skew": rounded(corpus.label_skew(), 4),
        "values": rounded(first.token_values, 3),
        "scores": rounded(first.token_scores, 3),
        "rank_correlations": rounded([one.values.rank_correlation() for one in found], 4),
        "u_shapes": rounded([one.scores.u_shape() for one in found], 2),
        "steps": found[0].training.history.steps.tolist(),
        "held_out_accuracies": [rounded(one.training.history.held_out_accuracies, 4) for one in found],
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

    Examples
    --------
    What it returned for four classes of Yelp is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> sorted(recorded("yelp4")["rank_correlations"])
    ['profile', 'share', 'skew']
    """
    corpus, held_out = corpus.split(HELD_OUT, seed=0)
    axes = {"profile": class_profile(corpus), "skew": corpus.label_skew(), "share": corpus.signed_share()}
    edges = {kind: [_middle_edges(column) if kind == "share" else 20 for column in axis.T] for kind, axis in axes.items()}
    progress = tqdm(SEEDS, desc=name, unit="seed")
    found = [train(corpus, options=OPTIONS, held_out=held_out, seed=seed) for seed in progress]

    def bins_of(kind, training):
        columns = zip(axes[kind].T, training.parameters.token_values.T, edges[kind])
        return [binned(axis, values, edge) for axis, values, edge in columns]

    return {
        "name": name,
        "corpus": repr(corpus),
        "class_names": list(corpus.class_names),
        "rank_correlations": {
            kind: [rounded([bins.rank_correlation() for bins in bins_of(kind, each)], 4) for each in found] for kind in axes
        },
        "bins": {kind: [_plain(bins) for bins in bins_of(kind, found[0])] for kind in axes},
        "steps": found[0].history.steps.tolist(),
        "held_out_accuracies": [rounded(each.history.held_out_accuracies, 4) for each in found],
    }


def _middle_edges(amounts):
    """Return the edges of 19 bins, as the paper's tables have, from the 2nd to the 98th percentile: few words lie beyond."""
    return np.linspace(*np.percentile(amounts, [2, 98]), 20)


def _plain(bins):
    """Return the filled bins as plain values."""
    filled = bins.sizes > 0
    columns = {"centres": bins.centres, "means": bins.means, "spreads": bins.spreads, "sizes": bins.sizes}
    return {key: rounded(column[filled], 7 if key == "centres" else 4) for key, column in columns.items()}


def on_test_split() -> dict:
    """Train on all of IMDB's training reviews, and return the accuracies on the standard test split, seed by seed.

    Once with the settings of the chapter, and once with training ended where held-out reviews of the *training* split
    have their lowest loss: the test reviews choose nothing.

    Returns
    -------
    dict
        Lists of accuracies under "after_all_steps" and "at_the_best_step".

    Examples
    --------
    What it returned is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> len(recorded("imdb_test")["at_the_best_step"])
    5
    """
    corpus, test = load_imdb("train"), load_imdb("test")
    part, held_out = corpus.split(HELD_OUT, seed=0)
    short = {"learning_rate": 0.003, "steps": 100, "evaluate_every": 1}
    full, best = [], []
    for seed in tqdm(SEEDS, desc="IMDB's test split", unit="seed"):
        full.append(accuracy(binned_run(corpus, seed).training.parameters, test))
        history = train(part, options=OPTIONS, held_out=held_out, seed=seed, patience=10, **short).history
        steps = int(history.steps[history.held_out_losses.argmin()])
        best.append(accuracy(train(corpus, options=OPTIONS, seed=seed, **(short | {"steps": steps})).parameters, test))
    return {"after_all_steps": rounded(full, 4), "at_the_best_step": rounded(best, 4)}


def main():
    """Record the runs on Yelp (two, four and five classes, balanced) and that on IMDB's test split."""
    yelp = {classes: load_yelp("train", classes=classes).balanced(seed=0) for classes in (2, 4, 5)}
    print(record("yelp", summary(yelp[2], "Yelp")))
    for classes in (4, 5):
        print(record(f"yelp{classes}", class_summary(yelp[classes], f"Yelp, {classes} classes")))
    print(record("imdb_test", on_test_split()))


if __name__ == "__main__":
    main()
