r"""Deeper models, which need automatic differentiation: two layers of attention, or one with an MLP, on the same counts.

Equal tokens have equal rows, so a text may be given by its distinct tokens x_1 ... x_m with their counts c_1 ... c_m. Every
softmax over positions becomes one over distinct tokens with log c added to its logits, and a query that stands in c
positions is one query of weight c. This is exact. With E_X the rows of the distinct tokens::

    two layers:  A = Softmax_rows(s E_X W₁ E_Xᵀ + 1 log cᵀ),   H = ρ E_X + A E_X,
                 q = Softmax(H W₂ p + log c),                  f = qᵀ H v;
    MLP:         q = Softmax(E_X p + log c),                   f = vᵀ relu(M E_Xᵀ q + b).

Only H v and H W₂ p are wanted of H, so A meets two columns, not d. How the paper writes its two-layer and its MLP model
exactly (residual, scaling, biases, where they start) is not known to us: these are the plainest forms, with the residual's
weight ρ and the scale s as options.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch.nn import functional

from .corpus import Corpus
from .model import Array, _loss_and_accuracy, _loss_of_logits, init_parameters
from .training import Training, minimise

# What logits are computed in, by the kind of device. On one CPU thread bfloat16 takes 1.06 times as long as float32 for a
# gradient of two layers, and 1.4 times with the MLP. torch.compile saves a tenth of two layers' 12 ms and nothing of the MLP's
# 2 ms, and needs up to a minute to warm up, longer than a whole run: it is not used. Neither was measured on a GPU.
PRECISIONS = {"cuda": lambda: torch.autocast("cuda", torch.bfloat16)}


@dataclass(frozen=True, eq=False, repr=False)
class DeeperParameters:
    """The parameters of a deeper model, or anything of their shape; None where the model has no such part.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim)
        E.
    cls_embedding : array, shape (dim,)
        p.
    output_vector : array, shape (dim,) or (K, dim)
        v.
    key_query_1, key_query_2 : array, shape (dim, dim), optional
        W₁ and W₂; None stands for the identity.
    mlp_weights : array, shape (dim, dim), optional
        M.
    mlp_bias : array, shape (dim,), optional
        b.
    """

    embeddings: Array
    cls_embedding: Array
    output_vector: Array
    key_query_1: Array | None = None
    key_query_2: Array | None = None
    mlp_weights: Array | None = None
    mlp_bias: Array | None = None

    def __repr__(self):
        """Name shapes and dtype, as in ``DeeperParameters(embeddings (3, 4), ...; float32)``."""
        shapes = ", ".join(f"{name} {tuple(value.shape)}" for name, value in self.parts.items())
        return f"DeeperParameters({shapes}; {self.embeddings.dtype})"

    @property
    def query(self):
        """What the <cls> softmax multiplies rows with, W₂ p or p, shape (dim,)."""
        return self.cls_embedding if self.key_query_2 is None else self.key_query_2 @ self.cls_embedding

    @property
    def scores(self):
        """The attention logits E_s·W₂·p, or E_s·p where there is no W₂, shape (vocab_size,)."""
        return self.embeddings @ self.query

    @property
    def values(self):
        """The numbers E_s·v, shape (vocab_size,), or (vocab_size, K) with column k = E_s·v_k."""
        output = self.output_vector
        return self.embeddings @ (output.T if output.ndim == 2 else output)

    def to(self, device):
        """Return the same parameters as torch tensors on a device.

        Parameters
        ----------
        device : str or torch.device
            Such as "cpu" or "cuda".

        Returns
        -------
        DeeperParameters
        """
        return replace(self, **{name: torch.as_tensor(value).to(device) for name, value in self.parts.items()})

    def numpy(self):
        """Return the same parameters as numpy arrays.

        Returns
        -------
        DeeperParameters
        """
        return replace(self, **{name: np.asarray(torch.as_tensor(value).cpu()) for name, value in self.parts.items()})

    @property
    def parts(self):
        """The arrays that there are, under their names."""
        return {name: value for name, value in vars(self).items() if value is not None}


class Texts(NamedTuple):
    """Texts as distinct tokens, padded to the most that one of them has.

    Parameters
    ----------
    words : tensor of int64, shape (m,)
        The columns of all words that occur.
    places : tensor of int64, shape (n, T)
        Where in ``words`` each text's tokens stand; 0 in the padding.
    log_counts : tensor, shape (n, T)
        log c; minus infinity in the padding, but 0 in the first place of a text without words.
    holds_words : tensor of bool, shape (n,)
        False for a text without words.
    """

    words: torch.Tensor
    places: torch.Tensor
    log_counts: torch.Tensor
    holds_words: torch.Tensor


# ----------------------------------------------------------------------------------------- the models


@dataclass(frozen=True)
class TwoLayersWithoutKeyQuery:
    """Self-attention and then the <cls> softmax; W₁ and W₂ are the identity and stay so.

    Parameters
    ----------
    residual : float
        ρ; 0 leaves the residual out.
    scale : float
        s, of the first layer's logits.
    """

    residual: float = 1.0
    scale: float = 1.0

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> DeeperParameters:
        """Draw E, p, v as `init_parameters` does.

        Parameters
        ----------
        vocab_size, dim, seed, num_classes, dtype
            As in `init_parameters`.

        Returns
        -------
        DeeperParameters
        """
        return DeeperParameters(**vars(init_parameters(vocab_size, dim, seed, num_classes=num_classes, dtype=dtype)))

    def logits(self, parameters: DeeperParameters, rows, texts: Texts):
        """Return f(X), differentiable.

        Parameters
        ----------
        parameters : DeeperParameters
            Tensors; ``embeddings`` is not read.
        rows : tensor, shape (m, dim)
            The embeddings of ``texts.words``.
        texts : Texts

        Returns
        -------
        tensor, shape (n,) or (n, K)
        """
        keys = functional.embedding(texts.places, rows)
        queries = keys if parameters.key_query_1 is None else functional.embedding(texts.places, rows @ parameters.key_query_1)
        wanted = functional.linear(rows, torch.vstack([parameters.query, parameters.output_vector]))  # scores and values
        seen = functional.embedding(texts.places, wanted)
        attended = functional.scaled_dot_product_attention(
            queries, keys, seen, attn_mask=texts.log_counts[:, None, :], scale=self.scale
        )
        hidden = self.residual * seen + attended
        attention = torch.softmax(hidden[:, :, 0] + texts.log_counts, dim=1)
        return _logits_of((attention[:, None, :] @ hidden[:, :, 1:])[:, 0], parameters)


@dataclass(frozen=True)
class TwoLayers(TwoLayersWithoutKeyQuery):
    """Two layers as in `TwoLayersWithoutKeyQuery`, with trained key-query matrices W₁ and W₂.

    Where W₁ and W₂ begin decides what is found: on reviews the identity does well, but an exclusive or needs a random start.

    Parameters
    ----------
    residual, scale : float
        As in `TwoLayersWithoutKeyQuery`.
    identity : float
        W₁ and W₂ begin as that multiple of the identity ...
    spread : float
        ... plus normal numbers of variance spread²/d.
    """

    identity: float = 1.0
    spread: float = 0.0

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> DeeperParameters:
        """Draw E, p, v as `init_parameters` does, and W₁ and W₂ as the model says.

        Parameters
        ----------
        vocab_size, dim, seed, num_classes, dtype
            As in `init_parameters`.

        Returns
        -------
        DeeperParameters
        """
        random = np.random.default_rng(seed)
        base = init_parameters(vocab_size, dim, random, num_classes=num_classes, dtype=dtype)
        first, second = (_near_identity(dim, self.identity, self.spread, random).astype(dtype) for _ in range(2))
        return DeeperParameters(**vars(base), key_query_1=first, key_query_2=second)


@dataclass(frozen=True)
class WithMLP:
    """One layer of attention, and a hidden layer of d rectified units behind it.

    Parameters
    ----------
    identity : float
        M begins as that multiple of the identity ...
    spread : float
        ... plus normal numbers of variance spread²/d.
    """

    identity: float = 0.0
    spread: float = 2**0.5

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> DeeperParameters:
        """Draw E, p, v as `init_parameters` does, M as the model says, and b = 0.

        Parameters
        ----------
        vocab_size, dim, seed, num_classes, dtype
            As in `init_parameters`.

        Returns
        -------
        DeeperParameters
        """
        random = np.random.default_rng(seed)
        base = init_parameters(vocab_size, dim, random, num_classes=num_classes, dtype=dtype)
        weights = _near_identity(dim, self.identity, self.spread, random)
        return DeeperParameters(**vars(base), mlp_weights=weights.astype(dtype), mlp_bias=np.zeros(dim, dtype))

    def logits(self, parameters: DeeperParameters, rows, texts: Texts):
        """Return f(X), differentiable.

        Parameters
        ----------
        parameters, rows, texts
            As in `TwoLayersWithoutKeyQuery.logits`.

        Returns
        -------
        tensor, shape (n,) or (n, K)
        """
        scores = functional.embedding(texts.places, (rows @ parameters.cls_embedding)[:, None])[:, :, 0]
        attention = torch.softmax(scores + texts.log_counts, dim=1)
        attended = (attention[:, None, :] @ functional.embedding(texts.places, rows))[:, 0]
        hidden = functional.relu(functional.linear(attended, parameters.mlp_weights, parameters.mlp_bias))
        return _logits_of(functional.linear(hidden, torch.atleast_2d(parameters.output_vector)), parameters)


def _near_identity(dim, identity, spread, random):
    return identity * np.eye(dim) + spread / np.sqrt(dim) * random.standard_normal((dim, dim))


# ------------------------------------------------------------------------------------ what readers call


def deeper_logits(model, parameters: DeeperParameters, corpus: Corpus, *, batch_size: int = 64) -> np.ndarray:
    """Return f(X) of every text; zero for a text without a known word.

    Parameters
    ----------
    model : TwoLayers, TwoLayersWithoutKeyQuery or WithMLP
    parameters : DeeperParameters
        Numpy arrays or tensors.
    corpus : Corpus
        Read whole; see `most_frequent`.
    batch_size : int
        Texts at a time.

    Returns
    -------
    ndarray, shape (n,), or (n, K) for K > 2 classes

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus.
    MemoryError
        If a batch needs too much.
    """
    tensors = parameters.to(torch.as_tensor(parameters.embeddings).device)
    return _all_logits(model, tensors, corpus, batch_size).cpu().numpy()


def most_frequent(corpus: Corpus, max_tokens: int) -> Corpus:
    """Cut texts to their ``max_tokens`` most frequent distinct words, and say how many were cut.

    There are no positions, so the beginning of a text cannot be kept. Most words of a text occur once in it: between equally
    frequent ones a shuffled order of the columns decides, the same one for all corpora of as many words. (The order of the
    columns itself is that of the alphabet, and would drop "wonderful" and "worst" first.)

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
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens={max_tokens}; give a whole number of at least 1")
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
        stacklevel=2,
    )
    return replace(corpus, counts=sparse.csr_array(entries, shape=counts.shape))


def train_deeper(
    corpus: Corpus,
    model=TwoLayers(),
    *,
    dim: int = 128,
    steps: int = 600,
    learning_rate: float = 0.003,
    optimiser: str = "adam",
    start: DeeperParameters | None = None,
    trained: Sequence[str] | None = None,
    batch_size: int = 50,
    max_tokens: int | None = None,
    held_out: Corpus | None = None,
    patience: int | None = None,
    evaluate_every: int = 300,
    watch: Callable[[int, DeeperParameters], None] | None = None,
    checkpoint=None,
    seed: int = 0,
    device: str = "auto",
) -> Training:
    """Minimise the loss of a deeper model over all its parameters, or some, with minibatches.

    Parameters
    ----------
    corpus : Corpus
    model : TwoLayers, TwoLayersWithoutKeyQuery or WithMLP
    dim : int
        d; ignored where ``start`` is given.
    steps : int
        Gradient steps at most.
    learning_rate : float
        On 5,000 reviews, 0.003 suits two layers and 0.01 the MLP.
    optimiser : {"adam", "gradient descent"}
    start : DeeperParameters, optional
        By default ``model.start`` with ``seed``, in float32.
    trained : sequence of str, optional
        Names of fields of `DeeperParameters`; by default all that the model has.
    batch_size : int
        Texts a step, and texts at a time where a corpus is evaluated.
    max_tokens : int, optional
        Distinct words a text at most, see `most_frequent`; by default all.
    held_out, patience, evaluate_every, watch, checkpoint, seed, device
        As in `train`.

    Returns
    -------
    Training
        Its parameters are `DeeperParameters` of numpy arrays.

    Raises
    ------
    ValueError
        If an argument is out of range, all texts have one label, there are fewer texts than classes, or no text holds a
        known word.
    CheckpointError
        As `train` does.
    MemoryError
        If a batch needs too much; the message names a smaller one.

    Warns
    -----
    RuntimeWarning
        As `train` does; and if a class has no text.
    UserWarning
        If a text was cut.
    """
    if batch_size is None or batch_size < 1:
        raise ValueError(f"batch_size={batch_size}; give a whole number of at least 1")
    if max_tokens is not None:
        corpus = most_frequent(corpus, max_tokens)
        held_out = held_out and most_frequent(held_out, max_tokens)
    start = start or model.start(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes)
    return minimise(
        _ByAutograd(model, batch_size),
        corpus,
        start,
        steps=steps,
        learning_rate=learning_rate,
        optimiser=optimiser,
        trained=tuple(start.parts) if trained is None else trained,
        batch_size=batch_size,
        held_out=held_out,
        patience=patience,
        evaluate_every=evaluate_every,
        watch=watch,
        checkpoint=checkpoint,
        seed=seed,
        device=device,
    )


# ------------------------------------------------------------------------------------------- the engine


class _ByAutograd:
    """A model as the training loop wants it: gradients of a batch, and evaluation of a corpus."""

    def __init__(self, model, batch_size):
        self.model, self.batch_size = model, batch_size
        self.settings = {"model": type(model).__name__} | asdict(model)

    def fill_gradients_(self, found, parameters, texts):
        """Write the gradient of the mean loss into the tensors ``found``; only rows of words that occur are computed."""
        leaves = {name: getattr(parameters, name).detach().requires_grad_() for name in found if name != "embeddings"}
        with _memory_for(texts):
            batch = _padded(texts, parameters.embeddings)
            rows = parameters.embeddings[batch.words]
            if "embeddings" in found:
                leaves["embeddings"] = rows.requires_grad_()
            logits = _logits(self.model, replace(parameters, **leaves), rows, batch)
            mean_loss = _loss_of_logits(logits, _targets(texts, logits))
            gradients = torch.autograd.grad(mean_loss, list(leaves.values()))
        for name, gradient in zip(leaves, gradients):
            if name == "embeddings":
                found[name].zero_()[batch.words] = gradient
            else:
                found[name].copy_(gradient)

    def evaluate(self, parameters, corpus):
        """Return the mean loss and the accuracy."""
        logits = _all_logits(self.model, parameters, corpus, self.batch_size)
        return _loss_and_accuracy(logits, _targets(corpus, logits))


class _Targets(NamedTuple):
    """What logits are held against."""

    labels: torch.Tensor  # (n,): -1.0 and 1.0, or for K > 2 classes int64
    weights: torch.Tensor  # (n,): with the sum 1


def _targets(corpus, like):
    labels = torch.from_numpy(corpus.labels).to(like.device, like.dtype if corpus.num_classes == 2 else torch.int64)
    return _Targets(labels, torch.from_numpy(corpus.mean_weights).to(like))


def _all_logits(model, parameters, corpus, batch_size):
    """Return the logits of a corpus as a tensor, batch by batch, texts of like lengths together."""
    _check_parameters(parameters, corpus)
    order = np.argsort(np.diff(corpus.counts.indptr), kind="stable")
    found = parameters.embeddings.new_empty(len(corpus), *parameters.output_vector.shape[:-1])
    for first in range(0, len(corpus), batch_size):
        chosen = order[first : first + batch_size]
        texts = corpus[chosen]
        with torch.no_grad(), _memory_for(texts):
            batch = _padded(texts, parameters.embeddings)
            found[chosen] = _logits(model, parameters, parameters.embeddings[batch.words], batch)
    return found


def _logits(model, parameters, rows, texts):
    """Return logits in the parameters' own precision; zero for a text without words."""
    with PRECISIONS.get(rows.device.type, nullcontext)():
        logits = model.logits(parameters, rows, texts)
    holds_words = texts.holds_words.reshape(-1, *[1] * (logits.ndim - 1))
    return torch.where(holds_words, logits.to(rows.dtype), 0)


def _logits_of(columns, parameters):
    """Return (n, K), or (n,) from one column."""
    return columns[:, 0] if parameters.output_vector.ndim == 1 else columns


def _padded(corpus, like):
    """Return texts as distinct tokens, on the device and in the dtype of a tensor."""
    counts = corpus.counts.copy()
    counts.eliminate_zeros()
    sizes = np.diff(counts.indptr)
    inside = np.arange(max(sizes.max(initial=0), 1)) < sizes[:, None]
    words, numbers = np.unique(counts.indices, return_inverse=True)
    places = np.zeros(inside.shape, np.int64)
    places[inside] = numbers
    log_counts = np.full(inside.shape, -np.inf)
    log_counts[sizes == 0, 0] = 0.0  # a softmax of nothing is no number; the logit is set to zero behind it
    log_counts[inside] = np.log(counts.data)
    words = torch.from_numpy(words.astype(np.int64) if len(words) else np.zeros(1, np.int64))
    parts = (words, torch.from_numpy(places), torch.from_numpy(log_counts).to(like.dtype), torch.from_numpy(sizes > 0))
    return Texts(*(part.to(like.device) for part in parts))


@contextmanager
def _memory_for(texts):
    """Turn an allocation that fails into one sentence."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        signs = ("out of memory", "can't allocate", "not enough memory")
        if not isinstance(error, MemoryError) and not any(sign in str(error) for sign in signs):
            raise
        longest = int(np.diff(texts.counts.indptr).max(initial=0))
        raise MemoryError(
            f"no memory for {len(texts)} texts of up to {longest} distinct words at once; "
            f"try batch_size={max(len(texts) // 2, 1)}, or a smaller max_tokens"
        ) from error


def _check_parameters(parameters, corpus):
    vocab_size, dim = parameters.embeddings.shape
    if vocab_size != corpus.vocab_size:
        raise ValueError(f"embeddings has {vocab_size} rows, but the corpus has {corpus.vocab_size} words; give one a word")
    wanted = (dim,) if corpus.num_classes == 2 else (corpus.num_classes, dim)
    if tuple(parameters.output_vector.shape) != wanted:
        found = tuple(parameters.output_vector.shape)
        raise ValueError(f"output_vector has shape {found}; this corpus and E need {wanted}")
