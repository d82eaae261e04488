"""The experiment of the chapter on deeper models: trained on IMDB with several seeds, held against the paper's tables.

``python -m tokensel_nb.chapters.deeper_reviews`` repeats it with every seed (some twenty minutes, one core) and stores it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from ..bins import Bins, binned
from ..corpus import Corpus
from ..datasets import load_imdb
from ..models.base import Model
from ..models.deeper import TwoLayers, TwoLayersWithoutKeyQuery, WithMLP, most_frequent
from ..models.one_layer import OneLayer
from ..options import Options
from ..training import Training, train
from .recorded import PAPER_EDGES, paper_table, record, rounded

TEXTS, OTHERS = 5_000, 1_000  # reviews trained on, and held out
MAX_TOKENS = 96  # distinct words a review
OPTIONS = Options(dim=128, steps=600, batch_size=50, learning_rate=0.003, evaluate_every=300, device="auto")
"""Ours: the sizes, reviews and steps of the paper's deeper models are not known to us. The MLP has a rate of its own."""


@dataclass(frozen=True)
class Experiment:
    """A model, how fast it learns, the paper's tables that it is held against, and the seeds that are recorded.

    Parameters
    ----------
    model : Model
    learning_rate : float
    table : str
        Of the paper, without its ending.
    seeds : range
    """

    model: Model
    learning_rate: float
    table: str
    seeds: range


EXPERIMENTS = {
    "two layers": Experiment(TwoLayers(), 0.003, "two_layer_wkq", range(10)),
    "two layers, no key-query": Experiment(TwoLayersWithoutKeyQuery(), 0.003, "two_layer_wkq", range(5)),
    "two layers, no residual": Experiment(TwoLayers(residual=0.0), 0.003, "two_layer_wkq", range(5)),
    "MLP": Experiment(WithMLP(), 0.01, "mlp", range(30)),
}


@dataclass(frozen=True, repr=False)
class DeeperRun:
    """A training run of a deeper model as the paper looks at it: what it gives the words, over bins of their label skew.

    Parameters
    ----------
    training : Training
    skew : ndarray, shape (vocab_size,)
        Of the reviews trained on; NaN for words that none of them holds.
    values, scores : Bins
        E_s·v, and E_s·W₂·p or E_s·p, in the paper's 20 bins of the skew.
    table : str
        Of the paper, without its ending.
    """

    training: Training
    skew: np.ndarray
    values: Bins
    scores: Bins
    table: str

    @property
    def value_correlation(self):
        """Correlation of the bin means of E_s·v with the paper's."""
        return with_paper(self.values.means, f"{self.table}_v")

    @property
    def score_correlation(self):
        """Correlation of the bin means of the scores with the paper's."""
        return with_paper(self.scores.means, f"{self.table}_p")


def with_paper(means, table):
    """Return the correlation of 20 bin means with those of one of the paper's tables.

    Parameters
    ----------
    means : ndarray, shape (20,)
    table : str
        As in `paper_table`.

    Returns
    -------
    float

    Examples
    --------
    >>> from tokensel_nb.chapters.deeper_reviews import with_paper
    >>> from tokensel_nb.chapters.recorded import paper_table
    >>> round(with_paper(2 * paper_table("mlp_v")["mean"], "mlp_v"), 6)
    1.0
    """
    return float(np.corrcoef(means, paper_table(table)["mean"])[0, 1])


def sample(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """Draw `TEXTS` reviews to train on and `OTHERS`, equally many of both labels in each.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    seed : int

    Returns
    -------
    (Corpus, Corpus)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.deeper_reviews import sample
    >>> corpus = ts.independent_tokens(6000, 30, 12, 0.7, seed=0)
    >>> [len(part) for part in sample(corpus, seed=1)]
    [5000, 1000]
    """
    random = np.random.default_rng(seed)
    sides = (np.flatnonzero(corpus.labels == label) for label in (0, 1))
    chosen = [random.choice(side, (TEXTS + OTHERS) // 2, replace=False) for side in sides]
    parts = ([side[: TEXTS // 2] for side in chosen], [side[TEXTS // 2 :] for side in chosen])
    trained, others = (corpus[np.sort(np.concatenate(part))] for part in parts)
    return trained, others


def _train(model, reviews, others, options, **changes):
    """Train on reviews that are cut to `MAX_TOKENS` distinct words, without a warning: the chapter says so."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9,]+ of [0-9,]+ texts have more than", UserWarning)
        reviews, others = (most_frequent(part, MAX_TOKENS) for part in (reviews, others))
    return train(reviews, model, options, held_out=others, **changes)


def one_layer_beside(corpus: Corpus, seed: int = 0, **changes) -> Training:
    """Train one layer on the reviews that deeper models learn from with this seed, cut in the same way.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.
    seed : int
    **changes
        Options that differ from `OPTIONS`.

    Returns
    -------
    Training

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.deeper_reviews import one_layer_beside
    >>> one_layer_beside(ts.independent_tokens(6000, 30, 12, 0.7, seed=0), dim=8, steps=3).step
    3
    """
    return _train(OneLayer(), *sample(corpus, seed), OPTIONS, seed=seed, **changes)


def deeper_run(corpus: Corpus, name: str, seed: int = 0, **changes) -> DeeperRun:
    """Train one of the `EXPERIMENTS` with one seed, which also draws its reviews, and sum it up in the paper's bins.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.
    name : str
        Of the experiment.
    seed : int
    **changes
        Options that differ from `OPTIONS`.

    Returns
    -------
    DeeperRun

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from tokensel_nb.chapters.deeper_reviews import deeper_run
    >>> corpus = ts.independent_tokens(6000, 30, 12, 0.7, seed=0)
    >>> deeper_run(corpus, "MLP", dim=8, steps=3).training.step
    3
    """
    experiment = EXPERIMENTS[name]
    reviews, others = sample(corpus, seed)
    options = replace(OPTIONS, learning_rate=experiment.learning_rate)
    training = _train(experiment.model, reviews, others, options, seed=seed, **changes)
    skew, found = reviews.label_skew(), training.parameters
    values, scores = (binned(skew, each, PAPER_EDGES) for each in (found.token_values, found.token_scores))
    return DeeperRun(training, skew, values, scores, experiment.table)


def summary(corpus: Corpus, name: str) -> dict:
    """Train with every seed, and return correlations, bin means and accuracies as plain values.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.
    name : str
        Of one of the `EXPERIMENTS`.

    Returns
    -------
    dict

    Examples
    --------
    What it returned for every experiment is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> len(recorded("deeper")["MLP"]["score_correlations"])
    30
    """
    seeds = EXPERIMENTS[name].seeds
    found = [deeper_run(corpus, name, seed) for seed in tqdm(seeds, desc=name, unit="seed")]
    means = {kind: [getattr(each, kind).means for each in found] for kind in ("values", "scores")}
    return {
        "score_correlations": rounded([each.score_correlation for each in found]),
        "value_correlations": rounded([each.value_correlation for each in found]),
        "scores": [rounded(each) for each in means["scores"]],
        "values": [rounded(each) for each in means["values"]],
        "accuracies": rounded([each.training.history.accuracies[-1] for each in found]),
        "held_out_accuracies": rounded([each.training.history.held_out_accuracies[-1] for each in found]),
    }


def at_paper_size(corpus: Corpus) -> dict:
    """Train two models with d = 2,048, as many dimensions as the paper's one-layer model has, and one seed each.

    The rate is smaller by √(128/d): E_s·v then moves as far in a step of Adam as it does at d = 128.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.

    Returns
    -------
    dict

    Examples
    --------
    What it returned is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> recorded("deeper_2048")["dim"]
    2048
    """
    found = {}
    for name in ("two layers", "MLP"):
        rate = EXPERIMENTS[name].learning_rate * np.sqrt(OPTIONS.dim / 2048)
        run = deeper_run(corpus, name, 0, dim=2048, learning_rate=rate)
        found[name] = {
            "score_correlation": round(run.score_correlation, 4),
            "value_correlation": round(run.value_correlation, 4),
            "scores": rounded(run.scores.means),
            "values": rounded(run.values.means),
        }
    return found | {"seed": 0, "dim": 2048}


def main():
    """Record every experiment with all its seeds, and two of them at the paper's dimension."""
    imdb = load_imdb()
    print(record("deeper", {name: summary(imdb, name) for name in EXPERIMENTS}))
    print(record("deeper_2048", at_paper_size(imdb)))


if __name__ == "__main__":
    main()
