"""Which words count, asked in ways that know nothing of the model's sum: integrated gradients, Shapley values, a second model.

For one layer of attention the truth is known: a text's logit *is* the sum of attention times value over its words. The answers
here are averaged by word, over the texts that hold it, so that they can be laid beside E_s·v and the skew of other texts; NaN
stands for a word that no text holds.
"""

from itertools import pairwise

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_report.leaving_out import LeavingOut


def terms(parameters: ts.Parameters, corpus: ts.Corpus) -> np.ndarray:
    """Return the mean term q_s γ_s of every word over the texts that hold it: what the logit owes to it, exactly."""
    shares = ts.attention(parameters, corpus)
    return mean_by_word(shares.data * np.asarray(parameters.token_values)[shares.indices], corpus)


def moves(parameters: ts.Parameters, corpus: ts.Corpus) -> np.ndarray:
    """Return the mean of f(X) - f(X without s) over the texts that hold s, exactly."""
    scores, values = scores_and_values(parameters)
    return mean_by_word(LeavingOut(scores, corpus).moves(values), corpus)


def integrated_gradients(parameters: ts.Parameters, corpus: ts.Corpus, steps=50) -> np.ndarray:
    """Return the mean integrated gradients of every word, from embeddings of zero to its own, as Captum computes them.

    On the straight way t E_s score and value are t a_s and t γ_s, and the sum over the dimensions of E_s ∂f/∂E_s is
    a_s ∂f/∂a_s + γ_s ∂f/∂γ_s: so Captum is handed two numbers a word instead of d.
    """
    import torch
    from captum.attr import IntegratedGradients

    def logit(scores, values, counts):
        weights = counts * (scores - scores.amax(dim=1, keepdim=True)).exp()
        return (weights * values).sum(dim=1) / weights.sum(dim=1)

    scores, values = map(torch.tensor, scores_and_values(parameters))
    explainer = IntegratedGradients(logit)

    def of_words(columns, counts):
        rows = torch.tensor(columns)
        of_text = scores[rows][None], values[rows][None]
        parts = explainer.attribute(of_text, additional_forward_args=torch.tensor(counts)[None], n_steps=steps)
        return sum(parts)[0].numpy()

    return text_by_text(of_words, corpus, "Integrated gradients")


def shapley(parameters: ts.Parameters, corpus: ts.Corpus, permutations=10, seed=0) -> np.ndarray:
    """Return the mean Shapley value of every word, estimated by shap from permutations of each text's words, there and back."""
    import shap

    scores, values = scores_and_values(parameters)

    def of_words(columns, counts):
        weights, size = counts * np.exp(scores[columns] - scores[columns].max()), len(columns)

        def worth(kept):  # the logit of the text that holds these words alone, zero for none
            totals = kept @ weights
            return np.where(totals > 0, kept @ (weights * values[columns]) / np.where(totals > 0, totals, 1), 0)

        if size == 1:  # shap wants two
            return worth(np.ones((1, 1)))
        explainer = shap.PermutationExplainer(worth, shap.maskers.Independent(np.zeros((1, size))), seed=seed)
        return explainer(np.ones((1, size)), max_evals=permutations * (2 * size + 1), silent=True).values[0]

    return text_by_text(of_words, corpus, "Shapley values")


def regression(corpus: ts.Corpus) -> np.ndarray:
    """Return the coefficients of logistic regression on tf-idf: what another model makes of the same words."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    shares = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts)
    return LogisticRegression(max_iter=1000).fit(shares, corpus.labels).coef_[0]


def scores_and_values(parameters):
    """Return both of all words, in float64."""
    return (np.asarray(numbers, np.float64) for numbers in (parameters.token_scores, parameters.token_values))


def text_by_text(of_words, corpus, name):
    """Return the mean by word of what a function makes of the columns and the counts of every text that has words."""
    texts = [slice(start, end) for start, end in pairwise(corpus.counts.indptr) if end > start]
    progress, counts = tqdm(texts, desc=name, unit="text", delay=2), corpus.counts.astype(float)
    return mean_by_word(np.concatenate([of_words(counts.indices[text], counts.data[text]) for text in progress]), corpus)


def mean_by_word(entries, corpus):
    """Return the mean of the entries of every word."""
    columns = corpus.counts.indices
    with np.errstate(invalid="ignore"):
        return np.bincount(columns, entries, corpus.vocab_size) / np.bincount(columns, minlength=corpus.vocab_size)
