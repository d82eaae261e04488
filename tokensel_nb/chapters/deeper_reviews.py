"""The experiment of the chapter on deeper models: trained on IMDB with several seeds, held against the paper's tables.

``python -m tokensel_nb.deeper_reviews`` repeats it with every seed (some twenty minutes, one core) and stores it.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from .bins import Bins, binned
from .corpus import Corpus
from .datasets import load_imdb
from .deeper import TwoLayers, TwoLayersWithoutKeyQuery, WithMLP, most_frequent, train_deeper
from .recorded import PAPER_EDGES, paper_table, record
from .training import Training, train

TEXTS, OTHERS = 5_000, 1_000  # reviews trained on, and held out
SETTINGS = {"dim": 128, "steps": 600, "batch_size": 50, "max_tokens": 96}
"""Ours: the sizes, reviews and steps of the paper's deeper models are not known to us."""


@dataclass(frozen=True)
class Experiment:
    """A model, how fast it learns, the paper's tables that it is held against, and the seeds that are recorded.

    Parameters
    ----------
    model : TwoLayers, TwoLayersWithoutKeyQuery or WithMLP
    learning_rate : float
    table : str
        Of the paper, without its ending.
    seeds : range
    """

    model: TwoLayersWithoutKeyQuery | WithMLP
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
class DeeperPicture:
    """A trained deeper model as the paper looks at it.

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
    """
    random = np.random.default_rng(seed)
    sides = (np.flatnonzero(corpus.labels == label) for label in (-1, 1))
    chosen = [random.choice(side, (TEXTS + OTHERS) // 2, replace=False) for side in sides]
    parts = ([side[: TEXTS // 2] for side in chosen], [side[TEXTS // 2 :] for side in chosen])
    trained, others = (corpus[np.sort(np.concatenate(part))] for part in parts)
    return trained, others


def one_layer_beside(corpus: Corpus, seed: int = 0, **settings) -> Training:
    """Train one layer on the reviews that deeper models learn from with this seed, cut in the same way.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.
    seed : int
    **settings
        Of `train`, instead of `SETTINGS` and the rate of two layers.

    Returns
    -------
    Training
    """
    settings = SETTINGS | {"learning_rate": EXPERIMENTS["two layers"].learning_rate, "evaluate_every": 300} | settings
    max_tokens = settings.pop("max_tokens")
    with _cut_in_silence():
        reviews, others = (most_frequent(part, max_tokens) for part in sample(corpus, seed))
    return train(reviews, held_out=others, seed=seed, **settings)


def deeper_picture(corpus: Corpus, name: str, seed: int = 0, **settings) -> DeeperPicture:
    """Train one of the `EXPERIMENTS` with one seed, which also draws its reviews, and sum it up in the paper's bins.

    Parameters
    ----------
    corpus : Corpus
        All of IMDB's training reviews.
    name : str
        Of the experiment.
    seed : int
    **settings
        Of `train_deeper`, instead of `SETTINGS`.

    Returns
    -------
    DeeperPicture
    """
    experiment = EXPERIMENTS[name]
    reviews, others = sample(corpus, seed)
    settings = SETTINGS | {"learning_rate": experiment.learning_rate, "evaluate_every": 300} | settings
    with _cut_in_silence():
        training = train_deeper(reviews, experiment.model, held_out=others, seed=seed, **settings)
    skew = reviews.label_skew()
    values, scores = (binned(skew, each, PAPER_EDGES) for each in (training.parameters.values, training.parameters.scores))
    return DeeperPicture(training, skew, values, scores, experiment.table)


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
    """
    seeds = EXPERIMENTS[name].seeds
    found = [deeper_picture(corpus, name, seed) for seed in tqdm(seeds, desc=name, unit="seed")]
    means = {kind: [getattr(each, kind).means for each in found] for kind in ("values", "scores")}
    return {
        "score_correlations": _rounded([each.score_correlation for each in found]),
        "value_correlations": _rounded([each.value_correlation for each in found]),
        "scores": [_rounded(each) for each in means["scores"]],
        "values": [_rounded(each) for each in means["values"]],
        "accuracies": _rounded([each.training.history.accuracies[-1] for each in found]),
        "held_out_accuracies": _rounded([each.training.history.held_out_accuracies[-1] for each in found]),
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
    """
    found = {}
    for name in ("two layers", "MLP"):
        rate = EXPERIMENTS[name].learning_rate * np.sqrt(SETTINGS["dim"] / 2048)
        picture = deeper_picture(corpus, name, 0, dim=2048, learning_rate=rate)
        found[name] = {
            "score_correlation": round(picture.score_correlation, 4),
            "value_correlation": round(picture.value_correlation, 4),
            "scores": _rounded(picture.scores.means),
            "values": _rounded(picture.values.means),
        }
    return found | {"seed": 0, "dim": 2048}


@contextmanager
def _cut_in_silence():
    """Let texts be cut without a warning: the chapter says that they are."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9,]+ of [0-9,]+ texts have more than", UserWarning)
        yield


def _rounded(numbers):
    return np.round(np.asarray(numbers, float), 4).tolist()


def main():
    """Record every experiment with all its seeds, and two of them at the paper's dimension."""
    imdb = load_imdb()
    print(record("deeper", {name: summary(imdb, name) for name in EXPERIMENTS}))
    print(record("deeper_2048", at_paper_size(imdb)))


if __name__ == "__main__":
    main()
