"""The paper's view of words: means over bins of the label skew, with true and with shuffled labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from .arrays import to_numpy
from .corpus import Corpus, shuffle_labels
from .matched import MIN_TEXTS, matched_correlation


@dataclass(frozen=True, repr=False)
class Bins:
    """Averages over words in bins of equal width.

    Parameters
    ----------
    edges : ndarray of float64, shape (m + 1,)
    sizes : ndarray of int64, shape (m,)
        The number of words in every bin.
    means, spreads : ndarray of float64, shape (m,)
        Mean and standard deviation within the bins; NaN in empty bins.

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
        return (self.edges[:-1] + self.edges[1:]) / 2

    @property
    def mean_spread(self):
        """The mean standard deviation within a bin; bins of fewer than two words are left out."""
        return float(self.spreads[self.sizes > 1].mean())

    def rank_correlation(self):
        """Return Spearman's rank correlation of means and centres, float: 1 if the means rise from bin to bin."""
        filled = self.sizes > 0
        return float(stats.spearmanr(self.centres[filled], self.means[filled]).statistic)


def binned(skew, amounts, bins=20) -> Bins:
    """Average amounts in bins of equal width from the smallest to the largest skew, as the paper's tables do.

    Parameters
    ----------
    skew : array, shape (vocab_size,)
        Such as `Corpus.label_skew`; words whose skew is NaN are left out.
    amounts : array, shape (vocab_size,)
        Such as E_s·v or E_s·p.
    bins : int or array of float
        The number of bins, or their edges.

    Returns
    -------
    Bins

    Raises
    ------
    ValueError
        If there are not as many amounts as skews, or an amount is not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.binned([-1.0, -0.9, 1.0], [2.0, 4.0, 1.0], bins=2).means
    array([3., 1.])
    """
    skew, amounts = _known(skew, amounts)
    edges = np.histogram_bin_edges(skew, bins) if np.ndim(bins) == 0 else np.asarray(bins, float)
    of = {how: stats.binned_statistic(skew, amounts, how, edges).statistic for how in ("count", "mean", "std")}
    return Bins(edges, of["count"].astype(np.int64), of["mean"], of["std"])


def word_correlation(skew, amounts) -> float:
    """Return Spearman's rank correlation of amounts with the skew, word by word, without the smoothing of bins.

    Parameters
    ----------
    skew : array, shape (vocab_size,)
        Such as `Corpus.label_skew`, or its absolute value; words whose skew is NaN are left out.
    amounts : array, shape (vocab_size,)

    Returns
    -------
    float

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.word_correlation([-1.0, 0.0, np.nan, 1.0], [0.0, 1.0, 5.0, 8.0])
    1.0
    """
    return float(stats.spearmanr(*_known(skew, amounts)).statistic)


def _known(skew, amounts):
    """Return both as arrays, without the words whose skew is NaN."""
    skew, amounts = to_numpy(skew).astype(float), to_numpy(amounts).astype(float)
    if skew.shape != amounts.shape or skew.ndim != 1:
        raise ValueError(f"skew has shape {skew.shape} and amounts {amounts.shape}; give both one number per word")
    known = ~np.isnan(skew)
    if not np.isfinite(amounts[known]).all():
        raise ValueError("amounts contains a number that is not finite; leave that word out")
    return skew[known], amounts[known]


@dataclass(frozen=True, repr=False)
class ControlledBins:
    """Bins from true labels, and the same from shuffled labels.

    Parameters
    ----------
    true : Bins
    shuffled : tuple of Bins
        One per permutation of the labels, made like ``true``: between the extremes of the shuffled skew.
    band : ndarray, shape (2, m)
        The lowest and the highest mean of all permutations in every bin of ``true``; NaN in bins without words.
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

    def figures(self, figure):
        """Return a figure, such as ``Bins.rank_correlation``, of true labels, and a list of it for the shuffled ones."""
        return figure(self.true), [figure(bins) for bins in self.shuffled]

    def plot(self, ax, **style):
        """Draw the mean amount in the bins, true labels over the band of shuffled ones; `matched` is in the title.

        A bin's mean also depends on how frequent its words are; `matched` compares words of about the same frequency.

        Parameters
        ----------
        ax : matplotlib.axes.Axes
        **style
            Of the line, as in `matplotlib.axes.Axes.plot`.
        """
        ax.fill_between(self.true.centres, *self.band, color="0.6", alpha=0.4, linewidth=0, label="shuffled labels")
        ax.plot(self.true.centres, self.true.means, "o-", **{"markersize": 4, "label": "true labels"} | style)
        true, *shuffled = self.matched
        title = f"matched correlation {true:.2f}, shuffled {min(shuffled):.2f} to {max(shuffled):.2f}"
        ax.set(xlabel="label skew", ylabel="mean amount in a bin", title=title)
        ax.legend()


def with_control(
    corpus, held_out, amounts_of, shuffles=4, seed=0, bins=20, min_texts=MIN_TEXTS, skew=Corpus.label_skew
) -> dict[str, dict[str, ControlledBins]]:
    """Bin amounts by the skew of the training texts and of held-out texts, with true and with shuffled labels.

    A word's skew in the training texts is linked to the word's amounts, if only by chance: both come from the same texts. So
    shuffled labels produce a rise, too. The skew of other texts is free of this link.

    Parameters
    ----------
    corpus, held_out : Corpus
        Of the same words, such as the two parts of `Corpus.split`. Words that ``corpus`` doesn't have are left out, because
        nothing can be learnt about them.
    amounts_of : callable
        A function that trains on a corpus and returns a dict of amounts by name, arrays with one number per word.
    shuffles : int
        How many times to permute the labels of both parts and compute the amounts again.
    seed : int or numpy.random.Generator
        Of the permutations.
    bins : int or array of float
        The number of bins, between the extremes of the true skew, or their edges.
    min_texts : int
        As in `matched_correlation`.
    skew : callable
        From a corpus to a number per word; with K > 2 classes such as ``lambda texts: texts.label_skew()[:, k]``.

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
    random, pairs = np.random.default_rng(seed), [(corpus, held_out)]
    pairs += [tuple(shuffle_labels(part, random) for part in (corpus, held_out)) for _ in range(shuffles)]
    amounts = [amounts_of(part) for part, _ in pairs]
    occurs = corpus.counts.sum(axis=0) > 0

    def controlled(parts, of_name):
        skews = [np.where(occurs, skew(part), np.nan) for part in parts]
        true, *shuffled = (binned(*pair, bins) for pair in zip(skews, of_name))
        means = np.array([binned(*pair, true.edges).means for pair in zip(skews[1:], of_name[1:])])
        matched = tuple(matched_correlation(of, corpus, part, min_texts=min_texts) for of, part in zip(of_name, parts))
        return ControlledBins(true, tuple(shuffled), extremes(means), tuple(map(word_correlation, skews, of_name)), matched)

    looked_at = dict(zip(("own", "held out"), zip(*pairs)))
    by_name = {name: [to_numpy(of_part[name]) for of_part in amounts] for name in amounts[0]}
    return {name: {by: controlled(parts, of_name) for by, parts in looked_at.items()} for name, of_name in by_name.items()}


def extremes(means):
    """Return the lowest and the highest of the means in every bin, shape (2, m), from shape (k, m); NaN if all k are."""
    return np.stack([np.fmin.reduce(means), np.fmax.reduce(means)])
