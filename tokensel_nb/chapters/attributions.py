"""Which words count, asked in ways that know nothing of the model's sum: integrated gradients, Shapley values, a second model.

For one layer of attention the truth is known: a text's logit *is* the sum of attention times value over its words. The answers
here are averaged by word, over the texts that hold it, so that they can be laid beside E_s·v and the skew of other texts.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from tqdm import tqdm

from ..corpus.corpus import Corpus
from ..models.attend import weigh
from ..models.leaving_out import LeavingOut
from ..models.parameters import Parameters
from ..models.verbs import attention


def terms(parameters: Parameters, corpus: Corpus) -> np.ndarray:
    """Return the mean term q_s γ_s of every word over the texts that hold it: what the logit owes to it, exactly.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
        Two classes.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)
        NaN for a word that stands in no text.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], [1, -1])
    >>> terms(ts.Parameters(np.eye(3), np.zeros(3), np.array([-2.0, 0.0, 4.0])), corpus)
    array([-1.,  0.,  2.])
    """
    shares = attention(parameters, corpus)
    return _by_word(shares.data * np.asarray(parameters.token_values)[shares.indices], corpus)


def moves(parameters: Parameters, corpus: Corpus) -> np.ndarray:
    """Return the mean of f(X) - f(X without s) over the texts that hold s, exactly.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
        Two classes.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], [1, -1])
    >>> moves(ts.Parameters(np.eye(3), np.zeros(3), np.array([-2.0, 0.0, 4.0])), corpus)
    array([-1. , -0.5,  2. ])
    """
    scores, values = _numbers(parameters)
    return _by_word(LeavingOut(scores, corpus).moves(values), corpus)


def integrated_gradients(parameters: Parameters, corpus: Corpus, steps=50) -> np.ndarray:
    """Return the mean integrated gradients of every word, from embeddings of zero to its own, as Captum computes them.

    On the straight way t E_s score and value are t a_s and t γ_s, and the sum over the dimensions of E_s ∂f/∂E_s is
    a_s ∂f/∂a_s + γ_s ∂f/∂γ_s: so Captum is handed two numbers a word instead of d.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
        Two classes.
    steps : int
        Points on the way.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Examples
    --------
    With p = 0 the logit is linear, and they are its terms:

    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], [1, -1])
    >>> integrated_gradients(ts.Parameters(np.eye(3), np.zeros(3), np.array([-2.0, 0.0, 4.0])), corpus).round(9)
    array([-1.,  0.,  2.])
    """
    import torch
    from captum.attr import IntegratedGradients

    def logit(scores, values, counts):
        weights = weigh(counts, scores, scores.amax(dim=1, keepdim=True))
        return (weights * values).sum(dim=1) / weights.sum(dim=1)

    scores, values = map(torch.tensor, _numbers(parameters))
    explainer = IntegratedGradients(logit)

    def of_words(columns, counts):
        rows = torch.tensor(columns)
        of_text = scores[rows][None], values[rows][None]
        parts = explainer.attribute(of_text, additional_forward_args=torch.tensor(counts)[None], n_steps=steps)
        return sum(parts)[0].numpy()

    return _text_by_text(of_words, corpus, "Integrated gradients")


def shapley(parameters: Parameters, corpus: Corpus, permutations=10, seed=0) -> np.ndarray:
    """Return the mean Shapley value of every word, estimated by shap from permutations of each text's words.

    The worth of some words of a text is the logit of the text that holds them alone, zero for none.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus
        Two classes.
    permutations : int
        Of the words of each text, walked forwards and backwards.
    seed : int

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Examples
    --------
    Two words, worth 4 and 0 alone and 2 together:

    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film"], [1], vocabulary=["film", "good"])
    >>> shapley(ts.Parameters(np.eye(2), np.zeros(2), np.array([0.0, 4.0])), corpus)  # doctest: +SKIP
    array([-1.,  3.])
    """
    import shap

    scores, values = _numbers(parameters)

    def of_words(columns, counts):
        weights, size = weigh(counts, scores[columns], scores[columns].max()), len(columns)

        def worth(kept):
            totals = kept @ weights
            return np.where(totals > 0, kept @ (weights * values[columns]) / np.where(totals > 0, totals, 1), 0)

        if size == 1:  # shap wants two
            return worth(np.ones((1, 1)))
        explainer = shap.PermutationExplainer(worth, shap.maskers.Independent(np.zeros((1, size))), seed=seed)
        return explainer(np.ones((1, size)), max_evals=permutations * (2 * size + 1), silent=True).values[0]

    return _text_by_text(of_words, corpus, "Shapley values")


def regression(corpus: Corpus) -> np.ndarray:
    """Return the coefficients of logistic regression on tf-idf: what another model makes of the same words.

    Parameters
    ----------
    corpus : Corpus
        Two classes, to learn from.

    Returns
    -------
    ndarray of float64, shape (vocab_size,)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> np.sign(regression(ts.corpus_from_texts(["good film", "bad film"], [1, -1]))).round(1)
    array([-1.,  0.,  1.])
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    shares = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)
    return LogisticRegression(max_iter=1000).fit(shares, corpus.labels).coef_[0]


def _numbers(parameters):
    """Return the scores and the values of all words, in float64."""
    return (np.asarray(each, np.float64) for each in (parameters.token_scores, parameters.token_values))


def _text_by_text(of_words, corpus, name):
    """Return the mean by word of what a function makes of the columns and the counts of every text that has words."""
    texts = [slice(start, end) for start, end in pairwise(corpus.counts.indptr) if end > start]
    progress, counts = tqdm(texts, desc=name, unit="text", delay=2), corpus.counts.astype(float)
    return _by_word(np.concatenate([of_words(counts.indices[text], counts.data[text]) for text in progress]), corpus)


def _by_word(of_entries, corpus):
    """Return the mean of the entries of every word."""
    columns = corpus.counts.indices
    with np.errstate(invalid="ignore"):
        return np.bincount(columns, of_entries, corpus.vocab_size) / np.bincount(columns, minlength=corpus.vocab_size)
