r"""Deeper models: two layers of attention, or one with an MLP, on counts.

With E_X the rows of the distinct tokens of a text and c their counts::

    two layers:  A = Softmax_rows(s E_X W₁ E_Xᵀ + 1 log cᵀ),   H = ϖ E_X + A E_X,
                 Q = Softmax(H W₂ p + log c),                  f = Qᵀ H v;
    MLP:         Q = Softmax(E_X p + log c),                   f = vᵀ relu(M E_Xᵀ Q + θ).

Equal tokens have equal rows, so every softmax over places is one over distinct tokens with log c added to its logits. Only H v
and H W₂ p of H are needed, so A multiplies two columns, not d. We don't know exactly how the paper writes its two-layer and its
MLP model (residual, scaling, biases, start). These are the plainest forms, with the residual's weight ϖ, the scale s, the MLP's
activation and its start as options.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch.nn import functional

from .corpus import Corpus
from .counts import Counts
from .model import attention_by_scores
from .parameters import Parameters, init_parameters

AT_ONCE = 2**19  # pairs of tokens, summed over the texts of a group


class KeyQueryParameters(NamedTuple):
    """(E, p, v), and the key-query matrices of two layers.

    Parameters
    ----------
    embeddings, cls_embedding, output_vector : array
        As in `Parameters`.
    key_query_1, key_query_2 : array, shape (dim, dim)
        W₁ and W₂.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> start = ts.TwoLayers(identity=0.5).start(vocab_size=3, dim=2, seed=0)
    >>> start.key_query_2.tolist(), start.token_scores.tolist()  # p = 0 at the start
    ([[0.5, 0.0], [0.0, 0.5]], [0.0, 0.0, 0.0])
    """

    embeddings: Any
    cls_embedding: Any
    output_vector: Any
    key_query_1: Any
    key_query_2: Any

    @property
    def token_scores(self):
        """The scores of rows of words in the <cls> softmax: E_s·W₂p, shape (vocab_size,)."""
        return self.embeddings @ (self.key_query_2 @ self.cls_embedding)

    token_values, __repr__ = Parameters.token_values, Parameters.__repr__


class MLPParameters(NamedTuple):
    """(E, p, v), and the hidden layer after attention.

    Parameters
    ----------
    embeddings, cls_embedding, output_vector : array
        As in `Parameters`.
    mlp_weights : array, shape (dim, dim)
        M.
    mlp_bias : array, shape (dim,)
        θ.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> start = ts.WithMLP(identity=2.0, spread=0.0).start(vocab_size=3, dim=2, seed=0)
    >>> start.mlp_weights.tolist(), start.mlp_bias.tolist()
    ([[2.0, 0.0], [0.0, 2.0]], [0.0, 0.0])
    """

    embeddings: Any
    cls_embedding: Any
    output_vector: Any
    mlp_weights: Any
    mlp_bias: Any

    token_scores, token_values, __repr__ = Parameters.token_scores, Parameters.token_values, Parameters.__repr__


@dataclass(frozen=True)
class TwoLayersWithoutKeyQuery:
    """Self-attention and then the <cls> softmax, with W₁ and W₂ fixed to the identity.

    Parameters
    ----------
    residual : float
        ϖ; 0 leaves the residual out.
    scale : float
        s, of the first layer's logits.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> model = ts.TwoLayersWithoutKeyQuery(residual=0.0)
    >>> ts.train(model.start(corpus.vocab_size, dim=4, seed=0), corpus, steps=20, model=model).parameters
    Parameters(embeddings (3, 4), cls_embedding (4,), output_vector (4,); float32, numpy)
    """

    learns: ClassVar[type] = Parameters

    residual: float = 1.0
    scale: float = 1.0

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> Parameters:
        """Draw E, p and v as `init_parameters` does."""
        return init_parameters(vocab_size, dim, seed, num_classes=num_classes, dtype=dtype)

    def __call__(self, parameters, counts):
        """Return the logits of every text, as `one_layer` does; parameters are tensors."""
        return over_texts(self._logits, _checked(self, parameters), counts)

    def attention(self, parameters, counts):
        """Return the attention of <cls> to every entry of the counts."""
        return over_texts(self._attention, _checked(self, parameters), counts, of_entries=True)

    def _logits(self, parameters, texts):
        words, log_counts = texts.padded(parameters.embeddings)
        hidden = self._hidden(parameters, words, log_counts)
        weights = torch.softmax(hidden[:, :, 0] + log_counts, dim=1)
        return _shaped((weights[:, None, :] @ hidden[:, :, 1:])[:, 0], parameters)

    def _attention(self, parameters, texts):
        words, log_counts = texts.padded(parameters.embeddings)
        return entries_of(torch.softmax(self._hidden(parameters, words, log_counts)[:, :, 0] + log_counts, dim=1), log_counts)

    def _hidden(self, parameters, words, log_counts):
        """Return H W₂ p and H v of every word of every text, shape (n, T, 2), or (n, T, 1 + K)."""
        rows = parameters.embeddings
        keys = functional.embedding(words, rows)
        first = getattr(parameters, "key_query_1", None)
        queries = keys if first is None else functional.embedding(words, rows @ first)
        seen = functional.embedding(words, torch.column_stack([parameters.token_scores, parameters.token_values]))
        # For so few columns, torch's scaled_dot_product_attention takes twice the time for the same numbers.
        logits = torch.baddbmm(log_counts[:, None, :], queries, keys.mT, alpha=self.scale)
        return self.residual * seen + torch.softmax(logits, dim=2) @ seen


@dataclass(frozen=True)
class TwoLayers(TwoLayersWithoutKeyQuery):
    """Two layers as in `TwoLayersWithoutKeyQuery`, with trained key-query matrices W₁ and W₂.

    The start of W₁ and W₂ decides the result of training. On reviews the identity does well; an exclusive or needs a random
    start.

    Parameters
    ----------
    residual, scale : float
        As in `TwoLayersWithoutKeyQuery`.
    identity : float
        W₁ and W₂ begin as this multiple of the identity ...
    spread : float
        ... plus normal numbers of variance spread²/d.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.TwoLayers().start(vocab_size=3, dim=2, seed=0).key_query_2.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    learns: ClassVar[type] = KeyQueryParameters

    identity: float = 1.0
    spread: float = 0.0

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> KeyQueryParameters:
        """Draw E, p, v as `init_parameters` does, and W₁ and W₂ by the model's options."""
        random = np.random.default_rng(seed)
        base = init_parameters(vocab_size, dim, random, num_classes=num_classes, dtype=dtype)
        matrices = (_near_identity(dim, self.identity, self.spread, random).astype(dtype) for _ in range(2))
        return KeyQueryParameters(*base, *matrices)


@dataclass(frozen=True)
class WithMLP:
    """One layer of attention, followed by a hidden layer of d units.

    Parameters
    ----------
    identity : float
        M begins as this multiple of the identity ...
    spread : float
        ... plus normal numbers of variance spread²/d.
    activation : {"relu", "gelu"}
        What a hidden unit computes: max(x, 0), or x times the probability that a standard normal number lies below x.
    initial : {"theory", "pytorch"}
        "theory": p = 0, θ = 0, ‖v‖ = 1, and M as above. "pytorch": M, θ and v uniform between ±1/√d, as PyTorch's linear
        layers begin, and p normal like each row of E; ``identity`` and ``spread`` then have no effect.

    Raises
    ------
    ValueError
        If ``initial`` is not one of these.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus, model = ts.xor_of_pairs(num_texts=40, vocab_size=8, length=4, seed=0), ts.WithMLP()
    >>> start = model.start(corpus.vocab_size, dim=16, seed=0)
    >>> ts.train(start, corpus, steps=200, model=model, learning_rate=0.03).history.accuracies[-1].item()
    1.0
    """

    learns: ClassVar[type] = MLPParameters

    identity: float = 0.0
    spread: float = 2**0.5
    activation: str = "relu"  # of torch.nn.functional
    initial: str = "theory"

    def __post_init__(self):
        """Refuse an unknown start."""
        if self.initial not in ("theory", "pytorch"):
            raise ValueError(f"initial={self.initial!r}; choose 'theory' or 'pytorch'")

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> MLPParameters:
        """Draw E as `init_parameters` does, and the rest by the model's options."""
        random = np.random.default_rng(seed)
        base = init_parameters(vocab_size, dim, random, num_classes=num_classes, dtype=dtype)
        if self.initial == "pytorch":
            query = random.standard_normal(dim) / np.sqrt(dim)
            layers = (random.uniform(-1, 1, shape) / np.sqrt(dim) for shape in (base.output_vector.shape, (dim, dim), dim))
            return MLPParameters(base.embeddings, *(array.astype(dtype) for array in (query, *layers)))
        weights = _near_identity(dim, self.identity, self.spread, random).astype(dtype)
        return MLPParameters(*base, weights, np.zeros(dim, dtype))

    def __call__(self, parameters, counts):
        """Return the logits of every text, as `one_layer` does; parameters are tensors."""
        return over_texts(self._logits, _checked(self, parameters), counts)

    def attention(self, parameters, counts):
        """Return the attention of <cls> to every entry of the counts."""
        return attention_by_scores(_checked(self, parameters).token_scores, counts)

    def _logits(self, parameters, texts):
        words, log_counts = texts.padded(parameters.embeddings)
        scores = functional.embedding(words, parameters.token_scores[:, None])[:, :, 0]
        weights = torch.softmax(scores + log_counts, dim=1)
        attended = (weights[:, None, :] @ functional.embedding(words, parameters.embeddings))[:, 0]
        hidden = getattr(functional, self.activation)(functional.linear(attended, parameters.mlp_weights, parameters.mlp_bias))
        return _shaped(functional.linear(hidden, torch.atleast_2d(parameters.output_vector)), parameters)


def over_texts(function, parameters, counts, of_entries=False):
    """Map a function over groups of texts of similar length, so that padding stays small; its graph is kept.

    Parameters
    ----------
    function : callable
        ``(parameters, counts) -> tensor`` with a row for every text of a group, or for every entry. It gets only the
        embeddings of words that occur in the group.
    parameters : NamedTuple of tensors
    counts : Counts
    of_entries : bool
        Whether rows are of entries.

    Returns
    -------
    tensor
        In the order of the texts, or of the entries.
    """
    E, results, places = parameters.embeddings, [], []
    if len(E) != counts.shape[1]:
        raise ValueError(f"embeddings has {len(E)} rows, but the corpus has {counts.shape[1]} words; give one row per word")
    for rows in _groups(counts.sizes):
        words, texts = _narrowed(counts.matrix[rows], None if counts.order is None else counts.order[rows])
        seen = E.index_select(0, torch.as_tensor(words, device=E.device))
        results.append(function(parameters._replace(embeddings=seen), texts))
        places.append(counts.entries(rows) if of_entries else rows)
    return torch.cat(results)[torch.as_tensor(np.argsort(np.concatenate(places)), device=E.device)]


def _groups(sizes):
    """Return the rows of groups of texts with about `AT_ONCE` pairs of tokens, short texts first."""
    sizes = np.maximum(sizes, 1).astype(np.int64)
    rest, groups = np.argsort(sizes, kind="stable"), []
    while len(rest) or not groups:
        pairs = np.arange(1, len(rest) + 1) * sizes[rest] ** 2
        rows, rest = np.split(rest, [max(int(np.searchsorted(pairs, AT_ONCE, side="right")), 1)])
        groups.append(rows)
    return groups


def _narrowed(matrix, order):
    """Return the columns that occur, and the counts of these columns alone."""
    seen = np.bincount(matrix.indices, minlength=matrix.shape[1]) > 0
    seen[:1] |= not seen.any()  # a word for the padding of texts without words
    words, place_of = np.flatnonzero(seen), np.append(np.cumsum(seen) - 1, -1)  # the last for -1
    narrow = sparse.csr_array((matrix.data, place_of[matrix.indices], matrix.indptr), shape=(matrix.shape[0], len(words)))
    return words, Counts(narrow, None if order is None else place_of[order])


def entries_of(of_places, log_counts):
    """Return the values of words without those of padding: shape (entries, ...), from (n, T, ...)."""
    return of_places[log_counts > -torch.inf]


def _checked(model, parameters):
    """Refuse parameters of another model, which could be mistaken for its own."""
    if not isinstance(parameters, model.learns):
        needed, name = model.learns.__name__, type(model).__name__
        raise TypeError(f"{name} needs {needed}, not {type(parameters).__name__}; begin with the model's start")
    return parameters


def _shaped(columns, parameters):
    """Return logits in one flat column for two classes."""
    return columns[:, 0] if parameters.output_vector.ndim == 1 else columns


def _near_identity(dim, identity, spread, random):
    return identity * np.eye(dim) + spread / np.sqrt(dim) * random.standard_normal((dim, dim))


def most_frequent(corpus, max_tokens) -> Corpus:
    """Cut texts to their ``max_tokens`` most frequent distinct words, and warn how many were cut.

    Counts have no positions, so you can't keep the beginning of a text. Most words occur only once in a text. Among equally
    frequent words a shuffled order of the columns decides, the same for all corpora with as many words. (The columns are in
    alphabetical order, which would drop "wonderful" and "worst" first.)

    Parameters
    ----------
    corpus : Corpus
    max_tokens : int
        At least 1.

    Returns
    -------
    Corpus
        The same texts, labels and words, without their order; ``corpus`` itself if no text is longer.

    Warns
    -----
    UserWarning
        If a text was cut.

    Examples
    --------
    >>> import warnings
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good good film", "bad"], ["up", "down"])
    >>> with warnings.catch_warnings(action="ignore"):
    ...     ts.most_frequent(corpus, max_tokens=1).counts.toarray().tolist()
    [[0, 0, 2], [1, 0, 0]]
    """
    counts, sizes, rows = corpus.counts, corpus.operator.sizes, corpus.operator.rows
    if (sizes <= max_tokens).all():
        return corpus
    shuffled = np.random.default_rng(0).permutation(corpus.vocab_size)
    order = np.lexsort((shuffled[counts.indices], -counts.data, rows))
    rank = np.empty(counts.nnz, np.int64)
    rank[order] = np.arange(counts.nnz) - np.repeat(counts.indptr[:-1], sizes)
    kept = rank < max_tokens
    entries = (counts.data[kept], (rows[kept], counts.indices[kept]))
    warnings.warn(
        f"{(sizes > max_tokens).sum():,} of {len(corpus):,} texts have more than {max_tokens} distinct words; "
        "only the most frequent ones are kept",
        UserWarning,
        stacklevel=2,
    )
    return replace(corpus, counts=sparse.csr_array(entries, shape=counts.shape), tokens=None)
