"""08_deeper's deeper models: trained on IMDB reviews drawn by the seed, and compared with the paper's tables."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..arrays import to_numpy
from ..bins import Bins, binned
from ..corpus import Corpus, shuffle_labels
from ..deeper import TwoLayers, TwoLayersWithoutKeyQuery, WithMLP, most_frequent
from ..matched import matched_correlation
from ..model import logits, one_layer
from ..parameters import init_parameters
from ..training import Training, train
from .recorded import PAPER_EDGES, paper_table, span

TEXTS, OTHERS = 5_000, 1_000  # reviews for training, and held out
MAX_TOKENS = 96  # distinct words per review
# Ours: the sizes, reviews and steps of the paper's deeper models are not known to us. The MLP has a rate of its own.
SETTINGS = dict(dim=128, steps=600, batch_size=50, evaluate_every=300, device="auto")


@dataclass(frozen=True)
class Experiment:
    """A model, its learning rate, the paper's tables to compare it with, and the recorded seeds."""

    model: TwoLayersWithoutKeyQuery | WithMLP
    learning_rate: float
    table: str  # of the paper, without its ending
    seeds: range
    skew: str = "occurrences"  # the label skew of a word is computed over its occurrences or its "texts"
    shuffled: bool = False  # whether it learns shuffled labels, as a control
    texts: int | None = None  # for training; by default `TEXTS`


PROTOCOL = Experiment(WithMLP(activation="gelu", initial="pytorch"), 0.01, "mlp", range(30, 60), skew="texts")
EXPERIMENTS = {
    "two layers": Experiment(TwoLayers(), 0.003, "two_layer_wkq", range(10)),
    "two layers, no key-query": Experiment(TwoLayersWithoutKeyQuery(), 0.003, "two_layer_wkq", range(5)),
    "two layers, no residual": Experiment(TwoLayers(residual=0.0), 0.003, "two_layer_wkq", range(5)),
    "MLP": Experiment(WithMLP(), 0.01, "mlp", range(30)),
}


@dataclass(frozen=True, repr=False)
class DeeperRun:
    """A training run of a deeper model in the paper's view: values and scores of words, over bins of their label skew."""

    training: Training
    skew: np.ndarray  # of the training reviews; NaN for words that don't occur in them
    others_skew: np.ndarray  # of all other reviews
    values: Bins  # E_s·v in the paper's 20 bins of the skew
    scores: Bins  # E_s·W₂·p or E_s·p
    matched: dict[int, float]  # at every evaluation, scores with the skew of others, among words of equal frequency
    table: str

    @property
    def stop(self):
        """The step of the lowest held-out loss."""
        history = self.training.history
        return int(history.steps[history.held_out_losses.argmin()])

    @property
    def value_correlation(self):
        """Correlation of the bin means of E_s·v with the paper's."""
        return with_paper(self.values.means, f"{self.table}_v")

    @property
    def score_correlation(self):
        """Correlation of the bin means of the scores with the paper's."""
        return with_paper(self.scores.means, f"{self.table}_p")


def with_paper(means, table):
    """Return the correlation of 20 bin means with those of one of the paper's tables; empty bins, NaN, are left out."""
    means, theirs = np.asarray(means, float), paper_table(table)["mean"].to_numpy()
    filled = ~np.isnan(means)
    return float(np.corrcoef(means[filled], theirs[filled])[0, 1])


def slant(means):
    """Return by how much the five right bins of a U are higher than the five left, in units of its depth."""
    means = np.asarray(means, float)
    left, middle, right = (np.nanmean(part) for part in (means[:5], means[5:15], means[15:]))
    return float((right - left) / ((left + right) / 2 - middle))


def slants(means):
    """Return the range of the slants of several seeds, and the standard error of their mean, as a text."""
    of_seeds = [slant(of_seed) for of_seed in np.array(means, float)]
    return f"slants {span(of_seeds)}, standard error {np.std(of_seeds, ddof=1) / np.sqrt(len(of_seeds)):.2f}"


def skew_over(corpus: Corpus, what):
    """Return the label skew of every word over its "occurrences", or over its "texts"."""
    return replace(corpus, counts=corpus.counts.sign()).label_skew() if what == "texts" else corpus.label_skew()


def alone(parameters, model, corpus: Corpus):
    """Return the logits of texts that consist of a single word, for every word of a corpus."""
    words = corpus.vocab_size
    single = replace(corpus, counts=sparse.eye_array(words, format="csr"), labels=np.zeros(words, np.int64), weights=None)
    return to_numpy(logits(parameters, single, model))


def sample(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """Draw `TEXTS` reviews for training and `OTHERS` held out, with equally many of both labels."""
    fit, held_out = rows_of(corpus, seed)
    return corpus[fit], corpus[held_out]


def rows_of(corpus, seed, texts=None):
    """Return the rows of the training reviews, and of those held out."""
    random, texts = np.random.default_rng(seed), texts or TEXTS
    sides = (np.flatnonzero(corpus.labels == label) for label in (0, 1))
    chosen = [random.choice(side, (texts + OTHERS) // 2, replace=False) for side in sides]
    parts = ([side[: texts // 2] for side in chosen], [side[texts // 2 :] for side in chosen])
    return [np.sort(np.concatenate(part)) for part in parts]


def train_cut(model, reviews, others, seed, **changes) -> Training:
    """Train on reviews that are cut to `MAX_TOKENS` distinct words, without a warning, because the chapter says so."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9,]+ of [0-9,]+ texts have more than", UserWarning)
        reviews, others = (most_frequent(part, MAX_TOKENS) for part in (reviews, others))
    settings = SETTINGS | changes
    draw = init_parameters if model is one_layer else model.start
    start = draw(reviews.vocab_size, settings.pop("dim"), seed)
    return train(start, reviews, held_out=others, model=model, seed=seed, **settings)


def one_layer_beside(corpus: Corpus, seed: int = 0, **changes) -> Training:
    """Train one layer on the same cut reviews as the deeper models with this seed."""
    return train_cut(one_layer, *sample(corpus, seed), seed, learning_rate=0.003, **changes)


def deeper_run(corpus: Corpus, name: str | Experiment, seed: int = 0, watch=None, **changes) -> DeeperRun:
    """Train an experiment, or the one of a name, with one seed, which also draws its reviews; bin values and scores."""
    experiment = name if isinstance(name, Experiment) else EXPERIMENTS[name]
    corpus = shuffle_labels(corpus, seed) if experiment.shuffled else corpus
    fit, held_out = rows_of(corpus, seed, experiment.texts)
    reviews, rest = corpus[fit], corpus[np.setdiff1d(np.arange(len(corpus)), fit)]
    settings, matched = {"learning_rate": experiment.learning_rate} | changes, {}

    def look(step, parameters):
        matched[step] = matched_correlation(parameters.token_scores, reviews, rest)
        if watch is not None:
            watch(step, parameters)

    training = train_cut(experiment.model, reviews, corpus[held_out], seed, watch=look, **settings)
    skew, others_skew = (skew_over(part, experiment.skew) for part in (reviews, rest))
    trained = training.parameters
    values, scores = (binned(skew, amounts, PAPER_EDGES) for amounts in (trained.token_values, trained.token_scores))
    return DeeperRun(training, skew, others_skew, values, scores, matched, experiment.table)
