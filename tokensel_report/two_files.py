"""A report's texts and texts to test on, beside each other: what recurs, and what differs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score, f1_score

CHANCE = 0.025  # how often a word without a class would have such a share in the other file
FAR = 4.5  # standard errors of the difference of two shares from which it is listed: hardly one word of 10,000 by chance
SHOWN = 10  # words
COLUMNS = ["word", "class", "training texts", "of the class", "test texts", "of the class there", "holds"]


@dataclass(frozen=True, eq=False)
class TwoFiles:
    """What a report's texts and texts to test on have in common, and where they differ.

    Parameters
    ----------
    copies : pandas.DataFrame
        Texts to test on that repeat, word for word or nearly, one of the report's. Columns: row, first (the report's).
    unknown : (float, float)
        The share of a text's words that no text of the report has, on average; the same of a text of the report and the others.
    words : pandas.DataFrame
        Words in clearly different shares of both files' texts, the surest difference first. Columns: word, training, test.
    accuracy, macro_f1 : float
        Of the model fitted on all of the report's texts. NaN without labels.
    suspects : pandas.DataFrame
        What may give the label away in one of the files. Columns: word, class; texts, and the share of these that are of the
        class, in either file; holds: whether the texts of the other file lean the same way, beyond chance. Empty if the texts
        to test on have no labels, or are too few for a report.
    """

    copies: pd.DataFrame
    unknown: tuple[float, float]
    words: pd.DataFrame
    accuracy: float
    macro_f1: float
    suspects: pd.DataFrame


def two_files(report, on_test=None) -> TwoFiles:
    """Compare the texts of a report with its texts to test on, of which there may be a report, too."""
    test, labelled = report.test, report.test.labels is not None
    verdicts = report.model.predict(test.texts)
    return TwoFiles(
        _copies(report.texts, test),
        *_vocabulary(report.texts, test.texts, report.model.tokenizer, report.least),
        accuracy_score(test.labels, verdicts) if labelled else np.nan,
        f1_score(test.labels, verdicts, average="macro") if labelled else np.nan,
        _suspects(report, on_test) if on_test else pd.DataFrame(columns=COLUMNS),
    )


def _copies(texts, test):
    """Pair the texts to test on with those that they repeat; short ones, in which MinHash sees nothing, word for word."""
    rows = {text: row for row, text in reversed(list(enumerate(texts)))}
    same = np.array([rows.get(text, -1) for text in test.texts], int)
    first = np.where(test.copies < len(texts), test.copies, same)
    return pd.DataFrame({"row": np.arange(len(first)), "first": first})[first >= 0].reset_index(drop=True)


def _vocabulary(own, new, tokenizer, least):
    """Return the shares of unknown words, and the words whose shares of texts differ most."""
    pattern = None if tokenizer else r"\w+"
    counter = CountVectorizer(binary=True, token_pattern=pattern, tokenizer=tokenizer)
    counts = counter.fit_transform([*own, *new])
    parts, sizes = (counts[: len(own)], counts[len(own) :]), np.array([len(own), len(new)])[:, None]
    texts = np.stack([np.bincount(part.indices, minlength=counts.shape[1]) for part in parts])
    alone = zip(parts, (texts[0] == 1, texts[0] == 0))  # the control: words of one text of the report
    unknown = tuple(float(single[part.indices].mean()) if part.nnz else np.nan for part, single in alone)
    shares, share = texts / sizes, texts.sum(axis=0) / sizes.sum()
    errors = np.sqrt(np.maximum(share * (1 - share), 1e-12) * (1 / sizes).sum())
    far = np.where(texts.sum(axis=0) < least, 0, np.abs(shares[1] - shares[0]) / errors)
    order = np.argsort(-far, kind="stable")[:SHOWN]
    order = order[far[order] > FAR]
    names = counter.get_feature_names_out()[order]
    return unknown[::-1], pd.DataFrame({"word": names, "training": shares[0, order], "test": shares[1, order]})


def _suspects(*reports):
    """Return what may give the label away in one of two files, and whether it holds in the other."""
    rows = {}
    for own, other in (reports, reports[::-1]):
        for suspect in (*own.put_in, *own.reads_like_a_word):
            key = suspect.kind, suspect.name
            found = [of.labels[of.occurrences.get(key, [])] == suspect.label for of in reports]
            elsewhere = found[own is reports[0]]
            chance = binom.sf(elsewhere.sum() - 1, len(elsewhere), np.mean(other.labels == suspect.label))
            holds = "yes" if chance < CHANCE else "no" if len(elsewhere) else "too few texts"
            cells = [cell for texts in found for cell in (len(texts) or np.nan, texts.mean() if len(texts) else np.nan)]
            rows.setdefault(key, [suspect.name, suspect.label, *cells, holds])
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)
