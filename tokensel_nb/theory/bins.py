"""How the paper looks at tokens: means over bins of the label skew, and the shape that they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from ..corpus.corpus import shuffle_labels, some_texts
from ..support.arrays import to_numpy
from ..support.checks import checked, finite, generator, numbers, real, shortened, whole_number
from .matched import MIN_TEXTS, matched_correlation


@dataclass(frozen=True, repr=False)
class Bins:
    """What tokens have on average, in bins of equal width.

    Parameters
    ----------
    edges : ndarray of float64, shape (m + 1,)
    sizes : ndarray of int64, shape (m,)
        How many tokens each bin has.
    means, spreads : ndarray of float64, shape (m,)
        Mean and standard deviation within each bin; NaN where a bin is empty.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> bins = ts.binned([-1.0, -1.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 1.0, 4.0], bins=3)
    >>> bins.means, bins.mean_spread, bins.rank_correlation()
    (array([2. , 0. , 2.5]), 1.25, 0.5)
    """

    edges: np.ndarray
    sizes: np.ndarray
    means: np.ndarray
    spreads: np.ndarray

    @property
    def centres(self):
        """The middle of every bin, shape (m,)."""
        return self.edges[:-1] / 2 + self.edges[1:] / 2  # halved first, so that nothing overflows

    @property
    def mean_spread(self):
        """The mean standard deviation within a bin; bins of fewer than two tokens are left out."""
        return float(self.spreads[self.sizes > 1].mean())

    def rank_correlation(self):
        """Return Spearman's rank correlation of means and centres: 1 if the means rise from bin to bin.

        Returns
        -------
        float
        """
        filled = self.sizes > 0
        return float(stats.spearmanr(self.centres[filled], self.means[filled]).statistic)


def binned(skew, amounts, bins=20) -> Bins:
    """Average amounts in bins of equal width from the smallest to the largest skew, as the paper's tables do.

    Parameters
    ----------
    skew : array, shape (vocab_size,)
        Such as `Corpus.label_skew`; tokens whose skew is NaN are left out.
    amounts : array, shape (vocab_size,)
        Such as E_s·v or E_s·p.
    bins : int or array of float
        How many bins, or their edges.

    Returns
    -------
    Bins

    Raises
    ------
    ValueError
        If there are not as many amounts as skews, no skew is a number, or an amount is not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.binned([-1.0, -0.9, 1.0], [2.0, 4.0, 1.0], bins=2).means
    array([3., 1.])
    """
    skew, amounts = _known(skew, amounts)
    if not len(skew):
        raise ValueError("no token has a skew; give words that occur")
    edges = _edges(skew, bins)
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        of = {how: stats.binned_statistic(skew, amounts, how, edges).statistic for how in ("count", "mean", "std")}
    filled = of["count"] > 0
    if not np.isfinite([of["mean"][filled], of["std"][filled]]).all():
        raise ValueError("amounts are too large: their mean or spread overflows float64; give smaller ones")
    return Bins(edges, of["count"].astype(np.int64), of["mean"], of["std"])


def _edges(skew, bins):
    """Return the edges of bins: as many as a number says, or those given."""
    if np.ndim(bins) == 0 and not isinstance(bins, (set, dict)):
        number = whole_number("bins", bins, most=10**6)
        try:
            return np.histogram_bin_edges(skew, number)
        except ValueError as error:
            raise ValueError(f"skew spans {skew.min()} to {skew.max()}, too far or too little for bins={number}") from error
    edges = to_numpy(numbers("bins", bins, (None,))).astype(float)
    if len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError(f"bins={shortened(bins)}; give a number, or two or more edges that ascend")
    return edges


def word_correlation(skew, amounts) -> float:
    """Return Spearman's rank correlation of amounts with the skew, word by word, without the smoothing of bins.

    Parameters
    ----------
    skew : array, shape (vocab_size,)
        Such as `Corpus.label_skew`, or its absolute value; tokens whose skew is NaN are left out.
    amounts : array, shape (vocab_size,)

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If there are not as many amounts as skews.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.word_correlation([-1.0, 0.0, np.nan, 1.0], [0.0, 1.0, 5.0, 8.0])
    1.0
    """
    return float(stats.spearmanr(*_known(skew, amounts)).statistic)


def _known(skew, amounts):
    """Return both as arrays, without the tokens whose skew is NaN."""
    skew, amounts = to_numpy(real("skew", skew)).astype(float), to_numpy(real("amounts", amounts)).astype(float)
    if skew.shape != amounts.shape or skew.ndim != 1:
        raise ValueError(f"skew has shape {skew.shape} and amounts {amounts.shape}; give one number of each per token")
    known = ~np.isnan(skew)
    return finite("skew", np.where(known, skew, 0))[known], finite("amounts", np.where(known, amounts, 0))[known]


@dataclass(frozen=True, repr=False)
class ControlledBins:
    """Bins from true labels, and the same from shuffled labels.

    Parameters
    ----------
    true : Bins
    shuffled : tuple of Bins
        One per permutation of the labels, made like ``true``: between the extremes of the shuffled skew.
    band : ndarray, shape (2, m)
        The lowest and the highest mean of all permutations in every bin of ``true``; NaN where none has a token.
    word_skew, matched : tuple of float
        `word_correlation` of the amounts with the skew, and `matched_correlation` with its absolute value. The first number
        is for true labels, the others for the permutations.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> halves = ts.independent_tokens(400, 40, 12, 0.5, seed=0).split(0.5, seed=0)
    >>> controlled = ts.with_control(*halves, lambda half: {"share": half.signed_share()}, shuffles=2, bins=5)
    >>> true, shuffled = controlled["share"]["own"].figures(ts.Bins.rank_correlation)
    >>> round(true, 2), len(shuffled), controlled["share"]["held out"].band.shape
    (1.0, 2, (2, 5))
    """

    true: Bins
    shuffled: tuple[Bins, ...]
    band: np.ndarray
    word_skew: tuple[float, ...]
    matched: tuple[float, ...]

    @checked(figure=Callable)
    def figures(self, figure):
        """Return a number that `Bins` have, with true labels and with shuffled ones.

        Parameters
        ----------
        figure : callable
            Such as ``Bins.rank_correlation``.

        Returns
        -------
        (float, list of float)
        """
        return figure(self.true), [figure(bins) for bins in self.shuffled]


@checked(
    corpus=some_texts,
    held_out=some_texts,
    amounts_of=Callable,
    shuffles=whole_number,
    seed=generator,
    min_texts=partial(whole_number, least=1),
)
def with_control(
    corpus, held_out, amounts_of, shuffles=4, seed=0, bins=20, min_texts=MIN_TEXTS
) -> dict[str, dict[str, ControlledBins]]:
    """Bin amounts by the skew of the training texts and of held-out texts, with true and with shuffled labels.

    A word's skew in the training texts is linked to what the model gives the word, if only by chance: they come from the
    same texts. So shuffled labels produce a rise, too. The skew of other texts is free of this link.

    Parameters
    ----------
    corpus, held_out : Corpus
        Two classes, the same words, and texts of the same kind, such as the two parts of `Corpus.split`. Words that
        ``corpus`` lacks are left out, since nothing can be learnt about them.
    amounts_of : callable
        A function that trains on a corpus and returns a dict of amounts by name, each with one number per token.
    shuffles : int
        How many times to permute the labels of both parts and find the amounts anew.
    seed : int or numpy.random.Generator
        Of the permutations.
    bins : int or array of float
        How many bins, between the extremes of the true skew, or their edges.
    min_texts : int
        As in `matched_correlation`.

    Returns
    -------
    dict
        For every name a dict of `ControlledBins`: "own" by the skew of the training texts, "held out" by that of the others.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus, held_out = ts.independent_tokens(400, 40, 12, 0.5, seed=0).split(0.5, seed=0)
    >>> share = ts.with_control(corpus, held_out, lambda part: {"share": part.signed_share()})["share"]
    >>> [round(max(share[by].word_skew[1:]), 1) for by in ("own", "held out")]  # shuffled labels
    [1.0, 0.2]
    """
    if not np.array_equal(held_out.vocabulary, corpus.vocabulary):
        raise ValueError("held_out and the corpus have different words; read it with vocabulary=corpus.vocabulary")
    for part in (corpus, held_out):
        _ = part.signs  # a ValueError for more than two classes
    random = np.random.default_rng(seed)
    pairs = [(corpus, held_out)]
    pairs += [tuple(shuffle_labels(part, random) for part in (corpus, held_out)) for _ in range(shuffles)]
    frequency = corpus.counts.sum(axis=0)
    amounts = [amounts_of(part) for part, _ in pairs]
    by_name = {name: [of_part[name] for of_part in amounts] for name in amounts[0]}
    looked_at = dict(zip(("own", "held out"), zip(*pairs)))
    return {
        name: {by: _controlled(parts, arrays, bins, frequency, min_texts) for by, parts in looked_at.items()}
        for name, arrays in by_name.items()
    }


def _controlled(parts, amounts, bins, frequency, min_texts):
    skews = [np.where(frequency > 0, part.label_skew(), np.nan) for part in parts]
    true, *shuffled = (binned(skew, amount, bins) for skew, amount in zip(skews, amounts))
    means = np.array([binned(skew, amount, true.edges).means for skew, amount in zip(skews[1:], amounts[1:])])
    matched = [matched_correlation(frequency, part, amount, min_texts=min_texts) for part, amount in zip(parts, amounts)]
    return ControlledBins(true, tuple(shuffled), extremes(means), tuple(map(word_correlation, skews, amounts)), tuple(matched))


def extremes(means):
    """Return the lowest and the highest of the means in every bin, shape (2, m), from shape (k, m); NaN where all k are."""
    return np.stack([np.fmin.reduce(means), np.fmax.reduce(means)])
