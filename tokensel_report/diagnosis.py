"""A diagnosis of your classifier's words: whether values follow the labels, and whether attention selects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from tokensel_nb.arrays import to_numpy
from tokensel_nb.bins import word_correlation
from tokensel_nb.corpus import Corpus, shuffle_labels
from tokensel_nb.matched import compared, correlation_at_equal

from .html import render
from .objective import Attended

BEYOND, LEANING = 2.0, 0.2
"""A word is predictive if its lean is so many standard deviations of shuffled labels, and if it is so large.

The second bound excludes frequent words: that *the* occurs a hundred times more often under one label is no accident, but
says nothing about a single text.
"""

SMALL = 2.0
"""E_s·v and E_s·p below this multiple of what random directions give are called small."""

FEW = 16  # in fewer dimensions, random directions are so close to all others that nothing can be called small
SHOWN = 8  # words that are printed


def diagnose(embeddings, output_vector, cls_embedding, corpus: Corpus, *, shuffles=20, least=5, seed=0) -> Diagnosis:
    """Look at every word of a one-layer or pooled classifier: f(X) = Σ_i q_i E_i·v, q the softmax of E_i·p, or the mean.

    Use texts that the classifier wasn't trained on: values follow the skew of the training texts even if the labels were
    shuffled. For a PyTorch model, give ``model.embedding``, ``model.head`` and ``model.query``, as modules or as weights. If
    attention uses a matrix, as in E_s·Wp, give the vector ``W @ p``.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim), or module with such a ``weight``
        E, numpy or torch, with a row for every word of the corpus in the order of ``corpus.vocabulary``.
    output_vector : array, shape (dim,) or (K, dim), or module with such a ``weight``
        v. For two classes one row, for the second class, or two rows, whose difference counts. A module's ``bias`` is added to
        the values; the logits stay the same, since attention sums to one.
    cls_embedding : array, shape (dim,), or None
        p; None if the mean is pooled.
    corpus : Corpus
        Labelled texts to judge with.
    shuffles : int
        How many times to permute the labels.
    least : int
        Words in fewer texts are left out of the table and of all numbers except the accuracies.
    seed : int or numpy.random.Generator
        Of the permutations.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        If shapes do not fit together, a number is not finite, or no word occurs in enough texts.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> import tokensel_report as tr
    >>> corpus, new = ts.independent_tokens(2000, 100, 12, 0.6, seed=0).split(0.5, seed=0)
    >>> trained = ts.train(ts.init_parameters(100, 64, seed=0), corpus, steps=30).parameters
    >>> diagnosis = tr.diagnose(trained.embeddings, trained.output_vector, trained.cls_embedding, new)
    >>> diagnosis
    Diagnosis(1,000 texts, 100 words, accuracy 0.913)
    >>> diagnosis.small, round(diagnosis.values_follow.true, 1), diagnosis.values_follow.beyond
    (False, 0.5, True)

    PyTorch modules, with mean pooling:

    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> embedding, head = torch.nn.Embedding(100, 64), torch.nn.Linear(64, 1)
    >>> tr.diagnose(embedding, head, None, new).small  # untrained
    True
    """
    E, heads, query, bias = _vectors(embeddings, output_vector, cls_embedding, corpus)
    random = np.random.default_rng(seed)
    shuffled = [shuffle_labels(corpus, random) for _ in range(shuffles)]
    texts = np.bincount(corpus.counts.indices, minlength=corpus.vocab_size)
    words = np.flatnonzero(texts >= least)
    if not len(words):
        raise ValueError(f"no word occurs in least={least} of the {len(corpus)} texts; lower least")
    values = E @ heads.T + bias
    attended = Attended(E @ query, values[:, 0] if len(heads) == 1 else values)
    weights = corpus.mean_weights
    shares = attended.attention(corpus).T @ weights, corpus.shares.T @ weights
    true, *others = (_figures(labelled, attended, words, shares) for labelled in (corpus, *shuffled))
    predictive = true["predictive"]
    centred = heads - (heads.mean(axis=0) if len(heads) > 1 else 0)
    with_shuffles = lambda name: WithShuffles(true[name], tuple(other[name] for other in others))
    sizes = lambda of: tuple(_size(E[rows], of) for rows in (words[predictive], words[~predictive]))
    return Diagnosis(
        table=_table(corpus, attended, words, texts, shares[0]),
        values_follow=with_shuffles("values_follow"),
        scores_follow=with_shuffles("scores_follow"),
        attention=with_shuffles("attention"),
        shares=tuple(float(share[words][predictive].sum()) for share in shares),
        value_sizes=sizes(centred),
        score_sizes=sizes(query[None]),
        accuracy=attended.accuracy(corpus),
        accuracy_without_attention=Attended(np.zeros(corpus.vocab_size), attended.values).accuracy(corpus),
        majority=float(np.bincount(corpus.labels, weights).max()),
        corpus=corpus,
        dim=E.shape[1],
    )


@dataclass(frozen=True)
class WithShuffles:
    """A figure with true labels, and the same figure with permuted labels."""

    true: float
    shuffled: tuple[float, ...]

    @property
    def beyond(self) -> bool:
        """Whether it exceeds all shuffled ones; with n permutations, chance alone does so once in n + 1. NaN never does."""
        return bool(self.true > np.max(self.shuffled))

    def __str__(self):
        """Write both, as in ``0.62 (shuffled labels: -0.04 to 0.05)``."""
        return f"{self.true:.2f} (shuffled labels: {np.min(self.shuffled):.2f} to {np.max(self.shuffled):.2f})"


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """The result of `diagnose`. Printed, it is a few sentences; Jupyter adds a table.

    Parameters
    ----------
    table : pandas.DataFrame
        One row per word, the surest lean first. Columns: word; class (of more than two, the one to which the word leans most
        surely, or from which if z is below zero; the next four columns are about it); texts; signed frequency α_s; skew δ_s;
        z, the exact number of standard deviations of permuted labels by which α_s differs from their mean; value E_s·v;
        score E_s·p; attention, the word's share of all attention.
    values_follow : WithShuffles
        Rank correlation of values with the skew over words; for more than two classes the mean over them.
    scores_follow : WithShuffles
        Like `matched_correlation`, of scores with the lean: the distance of a word's skew from that of all tokens together.
        Frequencies are those in these texts. NaN (no verdict) if fewer than 300 words occur in 20 texts.
    attention : WithShuffles
        The mean lean of the words weighted by attention, divided by the mean lean of all tokens.
    shares : (float, float)
        The share of attention, and the share of all tokens, of *predictive* words: those with a z of at least `BEYOND` and a
        lean of at least `LEANING`.
    value_sizes, score_sizes : (float, float)
        √d times the root mean square of the cosine between E_s and v (or p), for predictive words and for all others. Random
        directions give 1. For K classes, v_k less the mean of all v_k is used.
    accuracy, accuracy_without_attention, majority : float
        Of the classifier; of the same with p = 0; of always naming the most frequent class.
    corpus : Corpus
    dim : int

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> import tokensel_report as tr
    >>> corpus, new = ts.independent_tokens(2000, 100, 12, 0.6, seed=0).split(0.5, seed=0)
    >>> trained = ts.train(ts.init_parameters(100, 64, seed=0), corpus, steps=30).parameters
    >>> tr.diagnose(trained.embeddings, trained.output_vector, None, new).sentences[1]
    'Values follow the skew: rank correlation 0.49 (shuffled labels: -0.35 to 0.12).'
    """

    table: pd.DataFrame
    values_follow: WithShuffles
    scores_follow: WithShuffles
    attention: WithShuffles
    shares: tuple[float, float]
    value_sizes: tuple[float, float]
    score_sizes: tuple[float, float]
    accuracy: float
    accuracy_without_attention: float
    majority: float
    corpus: Corpus
    dim: int

    @property
    def pools_the_mean(self) -> bool:
        """Whether p = 0."""
        return not self.table.score.any()

    @property
    def small(self) -> bool:
        """Whether E_s·v and E_s·p are below `SMALL` for every word; always false in fewer than `FEW` dimensions."""
        sizes = [size for size in (*self.value_sizes, *self.score_sizes) if not np.isnan(size)]
        return self.dim >= FEW and max(sizes, default=0) < SMALL

    @cached_property
    def sentences(self) -> list[str]:
        """The diagnosis in plain words."""
        return [self._of_accuracy(), self._of_values(), self._of_attention(), self._of_sizes()]

    def __repr__(self):
        """Show the sizes and the accuracy."""
        return f"Diagnosis({len(self.corpus):,} texts, {len(self.table):,} words, accuracy {self.accuracy:.3f})"

    def __str__(self):
        """Show the sentences, and the words that lean most surely."""
        table = self.table.head(SHOWN).to_string(index=False, float_format="{:.3f}".format)
        return "\n".join([*self.sentences, "", table])

    def _repr_html_(self):
        digits = {name: 3 for name in self.table if name != "word"}
        return render("diagnosis", sentences=self.sentences, table=self.table.head(SHOWN), digits=digits)

    def _of_accuracy(self):
        pooled = "" if self.pools_the_mean else f", {self.accuracy_without_attention:.3f} with p = 0"
        return f"Accuracy {self.accuracy:.3f}{pooled}; the most frequent class alone has {self.majority:.3f}."

    def _of_values(self):
        verdict = "Values follow the skew" if self.values_follow.beyond else "Values do not follow the skew beyond chance"
        return f"{verdict}: rank correlation {self.values_follow}."

    def _of_attention(self):
        attended, pooled = (f"{share:.0%}" for share in self.shares)
        if self.pools_the_mean:
            return f"No attention: the mean is pooled; predictive words are {pooled} of all tokens."
        selects = self.attention.beyond and self.attention.true > 1
        verdict = "Attention selects" if selects else "Attention does not select"
        few = np.isnan(self.scores_follow.true)
        follow = "too few words for a verdict" if few else f"rank correlation {self.scores_follow}"
        return (
            f"{verdict}: the lean of attended words over that of the average word is {self.attention}. Predictive words get "
            f"{attended} of attention and are {pooled} of all tokens. Scores and lean among words of equal frequency: {follow}."
        )

    def _of_sizes(self):
        pairs = {"E·v": self.value_sizes} | ({} if self.pools_the_mean else {"E·p": self.score_sizes})
        sizes = ", ".join(f"{name} {size:.1f} and {others:.1f}" for name, (size, others) in pairs.items())
        sizes = f"{sizes} for predictive and for other words, where random directions give 1"
        if self.small:
            return f"The products are small for all words ({sizes}), which the paper's authors take for a sign of a poor model."
        return f"The products are not small ({sizes}). That alone is no merit: memorised labels make them large, too."


def _vectors(embeddings, output_vector, cls_embedding, corpus):
    """Return E, v (one row, or K) and p as float64, checked against the corpus, and the bias of the values."""
    K, E, heads = corpus.num_classes, _array("embeddings", embeddings), np.atleast_2d(_array("output_vector", output_vector))
    query = np.zeros(E.shape[1]) if cls_embedding is None else _array("cls_embedding", cls_embedding).ravel()
    if len(E) != corpus.vocab_size or len(heads) not in ({1, 2} if K == 2 else {K}):
        sizes = f"{corpus.vocab_size} words and {K} classes"
        raise ValueError(f"embeddings and output_vector have shapes {E.shape} and {heads.shape}, but the corpus has {sizes}")
    bias = getattr(output_vector, "bias", None)
    bias = np.zeros(len(heads)) if bias is None else _array("the output's bias", bias)
    if K == 2 and len(heads) == 2:
        heads, bias = heads[1:] - heads[:1], bias[1:] - bias[:1]
    return E, heads, query, bias


def _array(name, given):
    """Return an array, a tensor or a module's weight as float64."""
    given = getattr(given, "weight", given)
    array = to_numpy(given.double() if hasattr(given, "double") else given).astype(float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains a number that is not finite")
    return array


def _size(rows, of):
    """Return √d times the root mean square cosine of rows with some vectors; NaN if there is none."""
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(of, axis=1)
    squares = ((rows @ of.T)[lengths > 0] / lengths[lengths > 0]) ** 2
    return float(np.sqrt(of.shape[1] * squares.mean())) if squares.size else np.nan


def _figures(corpus, attended, words, shares):
    """Return the figures that depend on the labels."""
    skew, z = (_by_class(amounts)[words] for amounts in (corpus.label_skew(), beyond_chance(corpus)))
    tokens = (corpus.counts.T @ corpus.mean_weights)[words]
    from_all, often = skew - tokens @ skew / tokens.sum(), compared(corpus)[words]
    lean, length = np.abs(from_all).max(axis=1), np.linalg.norm(from_all, axis=1)
    frequency = corpus.counts.sum(axis=0)[words]
    values = _by_class(attended.values)[words]
    attention, mean = (share[words] @ lean / share[words].sum() for share in shares)
    rises = np.array([_correlation(*columns) for columns in zip(skew.T, values.T)])
    known = rises[~np.isnan(rises)]  # a class without a text has the same skew for all words
    return {
        "predictive": (np.abs(z).max(axis=1) >= BEYOND) & (lean >= LEANING),
        "values_follow": float(known.mean()) if len(known) else np.nan,
        "scores_follow": correlation_at_equal(*(column[often] for column in (frequency, length, attended.scores[words]))),
        "attention": float(attention / mean) if mean else np.nan,
    }


def _table(corpus, attended, words, texts, attention):
    z = _by_class(beyond_chance(corpus))
    of = np.abs(z).argmax(axis=1)
    amounts = {"signed frequency": corpus.signed_frequency(), "skew": corpus.label_skew(), "z": z, "value": attended.values}
    chosen = {name: np.take_along_axis(_by_class(of_words), of[:, None], 1)[:, 0] for name, of_words in amounts.items()}
    columns = {"word": corpus.vocabulary, "class": np.array(corpus.class_names, dtype=object)[of], "texts": texts}
    table = pd.DataFrame(columns | chosen | {"score": attended.scores, "attention": attention}).iloc[words]
    table = table if corpus.num_classes > 2 else table.drop(columns="class")
    return table.sort_values("z", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def beyond_chance(corpus: Corpus) -> np.ndarray:
    """Return by how many standard deviations every word's signed frequency differs from the mean over permuted labels.

    With b_i = c_s(X_i), times the weight of the text, n texts and permuted labels y, Σ b_i y_i has the mean ȳ Σ b_i and the
    variance s² (Σ b_i² - (Σ b_i)²/n), s² = Σ (y_i - ȳ)²/(n - 1). No permutation is drawn.
    """
    n = len(corpus)
    counts = corpus.counts / max(corpus.counts.max(), np.finfo(float).tiny)  # z does not depend on their unit
    weighted = counts.multiply(corpus.mean_weights[:, None]).tocsr()
    sums, squares = weighted.sum(axis=0), weighted.power(2).sum(axis=0)
    of_class = np.eye(corpus.num_classes)[corpus.labels]
    of_class = of_class[:, 1:] if corpus.num_classes == 2 else of_class
    spread = np.maximum(squares - sums**2 / n, 0)[:, None] * of_class.var(axis=0) * n / max(n - 1, 1)
    moved = weighted.T @ of_class - sums[:, None] * of_class.mean(axis=0)
    rounding = 1e-24 + 1e-12 * squares[:, None]  # all that is left of a word with equal counts in all texts
    z = np.where(spread > rounding, moved / np.sqrt(np.maximum(spread, rounding)), 0)
    return z[:, 0] if corpus.num_classes == 2 else z


def _by_class(amounts):
    return amounts.reshape(len(amounts), -1)


def _correlation(skew, amounts):
    """Return `word_correlation`, or NaN if one side is the same for all words."""
    return word_correlation(skew, amounts) if np.ptp(skew) > 0 and np.ptp(amounts) > 0 else np.nan
