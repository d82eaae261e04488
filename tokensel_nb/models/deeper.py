r"""Deeper models: two layers of attention, or one with an MLP, on counts.

With E_X the rows of the distinct tokens of a text and c their counts::

    two layers:  A = Softmax_rows(s E_X W₁ E_Xᵀ + 1 log cᵀ),   H = ϖ E_X + A E_X,
                 Q = Softmax(H W₂ p + log c),                  f = Qᵀ H v;
    MLP:         Q = Softmax(E_X p + log c),                   f = vᵀ relu(M E_Xᵀ Q + θ).

Only H v and H W₂ p are needed of H, so A multiplies two columns, not d. We don't know exactly how the paper writes its
two-layer and its MLP model (residual, scaling, biases, start). These are the plainest forms, with the residual's weight ϖ, the
scale s, the MLP's activation and its start as options.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy import sparse

from ..corpus.corpus import Corpus
from ..support.checks import checked, finite_number, one_of, option, shaped, whole_number
from ..support.extras import functional, torch
from ..support.runtime import room_for
from .autograd import AutogradModel, mean_over_tokens
from .options import Options
from .parameters import START, Parameters, init_parameters

if TYPE_CHECKING:
    from ..support.arrays import Array


@dataclass(frozen=True, eq=False, repr=False)
class KeyQueryParameters(Parameters):
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
    >>> start.key_query_2.tolist(), start.query.tolist()  # p = 0 at the start
    ([[0.5, 0.0], [0.0, 0.5]], [0.0, 0.0])
    """

    key_query_1: Array
    key_query_2: Array

    def __post_init__(self):
        """Refuse arrays that do not fit each other."""
        super().__post_init__()
        for name in ("key_query_1", "key_query_2"):
            shaped(name, getattr(self, name), 2 * (self.embeddings.shape[1],))

    @property
    def query(self):
        """The vector by which the <cls> softmax multiplies rows: W₂ p, shape (dim,)."""
        return self.key_query_2 @ self.cls_embedding


@dataclass(frozen=True, eq=False, repr=False)
class MLPParameters(Parameters):
    """(E, p, v), and the hidden layer behind attention.

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

    mlp_weights: Array
    mlp_bias: Array

    def __post_init__(self):
        """Refuse arrays that do not fit each other."""
        super().__post_init__()
        dim = self.embeddings.shape[1]
        shaped("mlp_weights", self.mlp_weights, (dim, dim))
        shaped("mlp_bias", self.mlp_bias, (dim,))


@dataclass(frozen=True)
class TwoLayersWithoutKeyQuery(AutogradModel):
    """Self-attention and then the <cls> softmax; W₁ and W₂ are the identity and stay so.

    Parameters
    ----------
    residual : float
        ϖ; 0 leaves the residual out.
    scale : float
        s, of the first layer's logits.
    bfloat16 : bool
        As in `AutogradModel`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> ts.train(corpus, ts.TwoLayersWithoutKeyQuery(residual=0.0), dim=4, steps=20).parameters
    Parameters(embeddings (3, 4), cls_embedding (4,), output_vector (4,); float32, numpy)
    """

    learns: ClassVar[tuple[type, ...]] = (Parameters,)

    residual: float = option(1.0, finite_number)
    scale: float = option(1.0, finite_number)

    def widest(self, tokens, dim):
        """Return a row for each token, or four numbers for each pair, as softmax is slow; see `AutogradModel.widest`."""
        return tokens * max(4 * tokens, dim)

    def forward(self, parameters, texts):
        """Return logits in columns; see `AutogradModel.forward`."""
        hidden = self._hidden(parameters, texts)
        return (_attention(hidden[:, :, 0], texts)[:, None, :] @ hidden[:, :, 1:])[:, 0]

    def forward_attention(self, parameters, texts):
        """Return q; see `AutogradModel.forward_attention`."""
        return _attention(self._hidden(parameters, texts)[:, :, 0], texts)

    def _hidden(self, parameters, texts):
        """Return H W₂ p and H v of every place, shape (n, T, 2), or (n, T, 1 + K)."""
        rows = parameters.embeddings
        keys = functional.embedding(texts.places, rows)
        first = getattr(parameters, "key_query_1", None)
        queries = keys if first is None else functional.embedding(texts.places, rows @ first)
        wanted = functional.linear(rows, torch.vstack([parameters.query, parameters.output_vector]))  # scores and values
        seen = functional.embedding(texts.places, wanted)
        # To so few columns torch's scaled_dot_product_attention computes just these numbers, in twice the time.
        logits = torch.baddbmm(texts.log_counts[:, None, :], queries, keys.mT, alpha=self.scale)
        return self.residual * seen + torch.softmax(logits, dim=2) @ seen


@dataclass(frozen=True)
class TwoLayers(TwoLayersWithoutKeyQuery):
    """Two layers as in `TwoLayersWithoutKeyQuery`, with trained key-query matrices W₁ and W₂.

    The start of W₁ and W₂ decides what training finds. On reviews the identity does well; an exclusive or needs a random start.

    Parameters
    ----------
    residual, scale : float
        As in `TwoLayersWithoutKeyQuery`.
    identity : float
        W₁ and W₂ begin as this multiple of the identity ...
    spread : float
        ... plus normal numbers of variance spread²/d.
    bfloat16 : bool
        As in `AutogradModel`.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.TwoLayers().start(vocab_size=3, dim=2, seed=0).key_query_2.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    learns: ClassVar[tuple[type, ...]] = (KeyQueryParameters,)

    identity: float = option(1.0, finite_number)
    spread: float = option(0.0, finite_number)

    @START
    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> KeyQueryParameters:
        """Draw E, p, v as `init_parameters` does, and W₁ and W₂ as the model says; see `Model.start`."""
        base = init_parameters(vocab_size, dim, seed, num_classes=num_classes, dtype=dtype)
        room_for(2 * dim**2, dim=dim)
        matrices = [_near_identity(dim, self.identity, self.spread, seed).astype(dtype) for _ in range(2)]
        return KeyQueryParameters(*base.arrays().values(), *matrices)


@dataclass(frozen=True)
class WithMLP(AutogradModel):
    """One layer of attention, and a hidden layer of d units behind it.

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
    bfloat16 : bool
        As in `AutogradModel`.

    Raises
    ------
    ValueError
        If ``activation`` or ``initial`` is not one of these.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.xor_of_pairs(num_texts=40, vocab_size=8, length=4, seed=0)
    >>> ts.train(corpus, ts.WithMLP(), dim=16, steps=200, learning_rate=0.03).history.accuracies[-1].item()
    1.0
    """

    options: ClassVar[Options] = replace(AutogradModel.options, learning_rate=0.01)
    learns: ClassVar[tuple[type, ...]] = (MLPParameters,)

    identity: float = option(0.0, finite_number)
    spread: float = option(2**0.5, finite_number)
    activation: str = option("relu", partial(one_of, allowed=("relu", "gelu")))  # of torch.nn.functional
    initial: str = option("theory", partial(one_of, allowed=("theory", "pytorch")))

    @START
    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> MLPParameters:
        """Draw E as `init_parameters` does, and the rest as the model says; see `Model.start`."""
        base = init_parameters(vocab_size, dim, seed, num_classes=num_classes, dtype=dtype)
        room_for(2 * dim**2, dim=dim)
        if self.initial == "pytorch":
            query = seed.standard_normal(dim) / np.sqrt(dim)
            layers = (seed.uniform(-1, 1, shape) / np.sqrt(dim) for shape in (base.output_vector.shape, (dim, dim), dim))
            return MLPParameters(base.embeddings, *(array.astype(dtype) for array in (query, *layers)))
        weights = _near_identity(dim, self.identity, self.spread, seed).astype(dtype)
        return MLPParameters(*base.arrays().values(), weights, np.zeros(dim, dtype))

    def forward(self, parameters, texts):
        """Return logits in columns; see `AutogradModel.forward`."""
        attended = mean_over_tokens(self.forward_attention(parameters, texts), parameters.embeddings, texts)
        hidden = getattr(functional, self.activation)(functional.linear(attended, parameters.mlp_weights, parameters.mlp_bias))
        return functional.linear(hidden, torch.atleast_2d(parameters.output_vector))

    def forward_attention(self, parameters, texts):
        """Return q; see `AutogradModel.forward_attention`."""
        return _attention(functional.embedding(texts.places, parameters.token_scores[:, None])[:, :, 0], texts)


def _attention(scores, texts):
    return torch.softmax(scores + texts.log_counts, dim=1)


def _near_identity(dim, identity, spread, random):
    return identity * np.eye(dim) + spread / np.sqrt(dim) * random.standard_normal((dim, dim))


@checked(corpus=Corpus, max_tokens=partial(whole_number, most=np.inf))
def most_frequent(corpus: Corpus, max_tokens: int) -> Corpus:
    """Cut texts to their ``max_tokens`` most frequent distinct words, and say how many were cut.

    The corpus knows no positions, so you can't keep the beginning of a text. Most words occur only once in a text. Between
    equally frequent words a shuffled order of the columns decides, the same for all corpora with as many words. (The columns
    are in alphabetical order, which would drop "wonderful" and "worst" first.)

    Parameters
    ----------
    corpus : Corpus
    max_tokens : int
        At least 1.

    Returns
    -------
    Corpus
        The same texts, labels and words; ``corpus`` itself if no text is longer.

    Raises
    ------
    ValueError
        If ``max_tokens`` is below 1.

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
    counts = corpus.counts
    sizes = np.diff(counts.indptr)
    if (sizes <= max_tokens).all():
        return corpus
    rows = np.repeat(np.arange(len(corpus)), sizes)
    shuffled = np.random.default_rng(0).permutation(corpus.vocab_size)
    order = np.lexsort((shuffled[counts.indices], -counts.data, rows))
    rank = np.empty(counts.nnz, np.int64)
    rank[order] = np.arange(counts.nnz) - np.repeat(counts.indptr[:-1], sizes)
    kept = rank < max_tokens
    entries = (counts.data[kept], (rows[kept], counts.indices[kept]))
    warnings.warn(
        f"{(sizes > max_tokens).sum():,} of {len(corpus):,} texts have more than {max_tokens} distinct words; "
        "they keep the most frequent ones",
        UserWarning,
        stacklevel=3,
    )
    return replace(corpus, counts=sparse.csr_array(entries, shape=counts.shape))
