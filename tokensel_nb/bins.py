"""The way the paper looks at tokens: means over bins of the label skew, and what shape they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import to_numpy


@dataclass(frozen=True, repr=False)
class Bins:
    """Amounts of tokens, summed up in bins of equal width.

    Parameters
    ----------
    edges : ndarray of float64, shape (m + 1,)
    sizes : ndarray of int64, shape (m,)
        Tokens in each bin.
    means, spreads : ndarray of float64, shape (m,)
        Mean and standard deviation within each bin; NaN where a bin is empty.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> found = ts.binned([-1.0, -1.0, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 1.0, 4.0], bins=3)
    >>> found.means, found.mean_spread
    (array([2. , 0. , 2.5]), 1.25)
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
        """The mean over the bins of the standard deviation within; bins of fewer than two tokens say nothing of it."""
        return float(self.spreads[self.sizes > 1].mean())

    def rank_correlation(self):
        """Return Spearman's rank correlation of the means with the centres: 1 if the means ascend from bin to bin.

        Returns
        -------
        float

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> ts.binned([-1.0, 0.0, 1.0], [0.0, 1.0, 8.0], bins=3).rank_correlation()
        1.0
        """
        from scipy import stats

        filled = self.sizes > 0
        return float(stats.spearmanr(self.centres[filled], self.means[filled]).statistic)

    def u_shape(self):
        """Return by how many standard errors the tokens at both ends lie above those in the middle.

        The ends are the first and the last quarter of the bins, the middle is the half between; tokens count alike. The
        smaller of the two ends' figures is returned: 3 or more is a U beyond doubt.

        Returns
        -------
        float

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> skew = np.linspace(-1, 1, 100)
        >>> ts.binned(skew, skew**2).u_shape() > 3 > ts.binned(skew, skew).u_shape()
        True
        """
        quarter = len(self.sizes) // 4
        middle = self._mean_and_square_error(slice(quarter, -quarter))
        ends = [self._mean_and_square_error(part) for part in (slice(None, quarter), slice(-quarter, None))]
        return float(min((end[0] - middle[0]) / np.sqrt(end[1] + middle[1]) for end in ends))

    def _mean_and_square_error(self, part):
        """Return the mean of the tokens in some of the bins, and the square of its standard error."""
        sizes, filled = self.sizes[part], self.sizes[part] > 0
        sizes, means, spreads = sizes[filled], self.means[part][filled], self.spreads[part][filled]
        total = sizes.sum()
        mean = sizes @ means / total
        variance = sizes @ (spreads**2 + (means - mean) ** 2) / total
        return mean, variance / (total - 1)


def binned(skew, amounts, bins=20) -> Bins:
    """Sum up amounts in bins of equal width between the smallest and the largest skew, as the paper's tables do.

    Parameters
    ----------
    skew : array, shape (vocab_size,)
        Such as `Corpus.label_skew`; tokens whose skew is NaN are left out.
    amounts : array, shape (vocab_size,)
        Such as E_s·v or E_s·p.
    bins : int or array of float
        How many, or their edges.

    Returns
    -------
    Bins

    Raises
    ------
    ValueError
        If there are not as many amounts as skews, none of them a number, or an amount is not finite.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.binned([-1.0, -0.9, 1.0], [2.0, 4.0, 1.0], bins=2).means
    array([3., 1.])
    """
    from scipy import stats

    skew, amounts = (to_numpy(each).astype(float) for each in (skew, amounts))
    if skew.shape != amounts.shape or skew.ndim != 1:
        raise ValueError(f"skew has shape {skew.shape} and amounts {amounts.shape}; give one number of each a token")
    skew, amounts = skew[~np.isnan(skew)], amounts[~np.isnan(skew)]
    if not len(skew):
        raise ValueError("no token has a skew; give words that occur")
    edges = np.histogram_bin_edges(skew, bins)
    of = {how: stats.binned_statistic(skew, amounts, how, edges).statistic for how in ("count", "mean", "std")}
    return Bins(edges, of["count"].astype(np.int64), of["mean"], of["std"])
