r"""How far rows may be from the limit d → ∞, and how large d must be, so that attention surely selects the relevant tokens.

Let all relevant tokens have values of one size G, at most k of them a label, and irrelevant ones the value 0. From every start
all texts are selected if products of two differences E_r - E_s miss those of limit rows by less than

    ϑ* = (1 + 2(k-1)G²) / (2 [2k - 1 + 4k(k-1)G²]),

and no larger bound will do. From p = 0 the corpus gives a dimension that is enough. The book proves both (Theorem “Selection
from every start, with products that err”, Corollary “A dimension that is enough”).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...corpus.corpus import Corpus, some_texts
from ...support.checks import checked, number, positive, whole_number
from ..alignment import predicted_values
from ..assumption import check_assumption_1, complete_tokens, relevant_tokens

SAME = 1e-9  # relative differences of shares that count as rounding
VALUE, FAILURE = partial(number, least=1e-100, most=np.inf), partial(number, least=0, most=0.5, open_below=True)


@checked(relevant=whole_number, size=positive)
def allowed_error(relevant: int, size: float) -> float:
    """Return ϑ*(k, G): with smaller errors in the products of two differences E_r - E_s, selection is sure from every start.

    Parameters
    ----------
    relevant : int
        k, the number of relevant tokens in the label that has more.
    size : float
        G, the size of their values; irrelevant tokens have the value 0.

    Returns
    -------
    float
        One half for k = 1; otherwise it falls from 1/(4k - 2) for small G to 1/(4k) for large G.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> [round(ts.allowed_error(many, 1.0), 4) for many in (1, 2, 3, 4)]
    [0.5, 0.1364, 0.0862, 0.0636]
    """
    square = min(size, 1e100) ** 2  # at the limit, to all digits
    return (1 + 2 * (relevant - 1) * square) / (2 * (2 * relevant - 1 + 4 * relevant * (relevant - 1) * square))


@checked(corpus=some_texts, value=VALUE, failure=FAILURE)
def sufficient_dimension(corpus: Corpus, value: float, failure: float = 0.01) -> int:
    """Return a d at which the flow from p = 0, after one step on E, selects all relevant tokens with a given probability.

    E has normal entries of variance 1/d and is independent of v, with ‖v‖ = 1; its step is taken at p = 0. The bound is far
    above what is needed.

    Parameters
    ----------
    corpus : Corpus
        Two classes, Assumption 1, texts of one length of at least 2; the signed shares of irrelevant tokens are zero, and
        those of relevant ones of one size (`predicted_values`).
    value : float
        G, the size that the step gives the values of relevant tokens in the limit d → ∞.
    failure : float
        The probability of failure that you accept, at most 0.5.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the corpus isn't like that, or ``value`` is too large for the theorem; the message names the largest that isn't.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"])
    >>> f"{ts.sufficient_dimension(corpus, 0.3):,}"
    '3,898,187'
    """
    share, fails = _conditions(corpus)
    if fails:
        raise ValueError(f"the bound does not hold for this corpus: {fails}")
    labels, weights, length = complete_tokens(corpus), corpus.mean_weights, float(corpus.lengths[0])
    many, every = max((labels == 1).sum(), (labels == -1).sum()), np.count_nonzero(labels)
    heaviest = (weights @ relevant_tokens(corpus)).max() / weights.min()
    logarithm = np.log(8 + 11 * heaviest * every * length**3)
    largest = 1 / np.sqrt(2 * logarithm * many)
    if value > largest:
        raise ValueError(f"value={value:g} is too large for this corpus; give at most {np.floor(largest * 1e4) / 1e4}")
    commonest = (weights @ corpus.counts).max() / length / share
    noise = (1 + commonest * value / 2) * max(57, 6 * length) / value
    events = corpus.vocab_size * (corpus.vocab_size + 2) / failure
    return int(np.ceil(np.log(events) * max(140 * many * logarithm, noise) ** 2))


def _conditions(corpus):
    """Return the size of the signed shares of relevant tokens, and which condition of the bound fails, in words, if any."""
    if not (answer := check_assumption_1(corpus)):
        return np.nan, answer.counter_example
    if np.ptp(corpus.lengths) or corpus.lengths[0] < 2:
        return np.nan, "its texts are not of one length of at least 2"
    shares, relevant = np.abs(predicted_values(corpus, 2.0)), complete_tokens(corpus) != 0
    share = shares[relevant].max()
    if shares[~relevant].max(initial=0) > SAME * share:
        return share, "its weights give an irrelevant token a signed share"
    differ = np.ptp(shares[relevant]) > SAME * share
    return share, "its relevant tokens differ in the size of their signed shares" if differ else ""
