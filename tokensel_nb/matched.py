"""Does attention favour telling words? One correlation, among words of equal frequency."""

from __future__ import annotations

import numpy as np

from .arrays import to_numpy

MIN_TEXTS, GROUP = 20, 100
FEWEST = 300  # words needed for a verdict


def matched_correlation(scores, corpus, others, *, min_texts=MIN_TEXTS) -> float:
    """Return the rank correlation of scores with how far words lean in other texts, among words of equal frequency.

    Rare words have a large skew in any texts, and training treats them differently from common ones. So frequency alone links
    scores and skew. Here words are only compared with words of similar frequency: they are sorted by their frequency in the
    training texts and cut into groups of 100. Scores and leans are ranked over all these words, and the ranks are centred
    within the groups. The result is Pearson's correlation of the centred ranks.

    A word's lean is its absolute skew in the other texts. For K classes it is the length of its class profile there: ‖ᾱ_s‖
    divided by the word's mean share, or the length of P(k|s) - 1/K where texts have equal length. Classes should be of about
    equal size; otherwise a word that says nothing leans, too.

    Parameters
    ----------
    scores : array, shape (vocab_size,)
        Such as E_s·p.
    corpus : Corpus
        The training texts.
    others : Corpus
        Labelled texts that the model hasn't seen, with the same words.
    min_texts : int
        Words in fewer of the other texts are left out.

    Returns
    -------
    float
        NaN (no verdict) for fewer than 300 such words, or if all scores or all leans within the groups are equal.

    Raises
    ------
    ValueError
        If there is not one finite score per word, or the texts have different words.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus, others = ts.independent_tokens(2000, 400, 40, 0.6, seed=0).split(0.5, seed=0)
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=64, seed=0), corpus, steps=20)
    >>> ts.matched_correlation(run.parameters.token_scores, corpus, others) > 0.3
    True
    >>> ts.matched_correlation(run.parameters.token_scores, corpus, others, min_texts=500)  # too few words
    nan
    """
    scores = to_numpy(scores)
    if scores.shape != (others.vocab_size,) or not np.isfinite(scores).all():
        raise ValueError(f"scores has shape {scores.shape}; give one finite score for each of the {others.vocab_size} words")
    if not np.array_equal(corpus.vocabulary, others.vocabulary):
        raise ValueError("the other texts have other words; read them with vocabulary=corpus.vocabulary")
    words = compared(others, min_texts)
    return correlation_at_equal(corpus.counts.sum(axis=0)[words], lean(others)[words], scores[words])


def compared(others, min_texts=MIN_TEXTS) -> np.ndarray:
    """Return a mask of the words that occur in enough texts."""
    return np.bincount(others.counts.indices, minlength=others.vocab_size) >= min_texts


def lean(corpus) -> np.ndarray:
    """Return |δ_s| of every word, for K classes the length of its signed shares over its share; NaN for missing words."""
    if corpus.num_classes == 2:
        return np.abs(corpus.label_skew())
    with np.errstate(invalid="ignore"):
        lengths = np.linalg.norm(corpus.signed_share(), axis=1) / (corpus.shares.T @ corpus.mean_weights)
    return lengths.round(12)  # equal leans are ties on every processor


def correlation_at_equal(frequency, leans, scores, group=GROUP) -> float:
    """Return the correlation of ranks centred among neighbours in frequency; NaN for fewer than `FEWEST` words."""
    from scipy import stats

    if len(frequency) < FEWEST:
        return np.nan
    groups = np.empty(len(frequency), int)
    groups[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency)) // group
    ranks = np.stack([stats.rankdata(leans), stats.rankdata(scores)])
    means = np.stack([np.bincount(groups, of) for of in ranks]) / np.bincount(groups)
    left = ranks - means[:, groups]
    lengths = np.linalg.norm(left, axis=1)
    return float(left[0] @ left[1] / lengths.prod()) if lengths.all() else np.nan
