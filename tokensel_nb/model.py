r"""The model f(X) = Softmax(pᵀE_Xᵀ) E_X v as a function of counts: logits, loss and exact gradients.

No position enters the model, so with u_s = exp(E_s·p) and γ_s = E_s·v::

    f(X) = Σ_s c_s u_s γ_s / Σ_s c_s u_s,

and with r_i the derivative of the loss in f(X_i), Z_i = Σ_s c_s u_s and C the matrix of counts::

    ∂L/∂γ = u ∘ Cᵀ(r/Z),    ∂L/∂a = γ ∘ ∂L/∂γ - u ∘ Cᵀ(r f/Z),
    ∇_E L = (∂L/∂γ) vᵀ + (∂L/∂a) pᵀ,    ∇_p L = Eᵀ ∂L/∂a,    ∇_v L = Eᵀ ∂L/∂γ

(Propositions 1.1 and 1.2 of the book). Everything here costs O(nnz(C) + |S| d). Every softmax of this model is in this file;
those of deeper models are in `deeper`.
"""

from __future__ import annotations

import warnings
import weakref
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse
from torch.nn import functional

from .corpus import Corpus

Array = np.ndarray | torch.Tensor

# Scores that spread no further than this may share one shift: exp stays far from the ends of the dtype's range.
WIDEST = {torch.float32: 60.0, torch.float64: 600.0}


@dataclass(frozen=True, eq=False, repr=False)
class Parameters:
    """The parameters (E, p, v), or anything of their shape: a gradient, a velocity.

    Numpy arrays or torch tensors, all three of one dtype (float32 or float64) and on one device; functions return what
    they were given.

    Parameters
    ----------
    embeddings : array, shape (vocab_size, dim)
        E, one row a token.
    cls_embedding : array, shape (dim,)
        p, the query of the <cls> token.
    output_vector : array, shape (dim,) or (K, dim)
        v; for K > 2 classes one row a class.
    """

    embeddings: Array
    cls_embedding: Array
    output_vector: Array

    def __repr__(self):
        """Name shapes, dtype and device, as in ``Parameters(E (3, 4), p (4,), v (4,); float32, numpy)``."""
        shapes = ", ".join(f"{letter} {tuple(value.shape)}" for letter, value in zip("Epv", vars(self).values()))
        place = "numpy" if isinstance(self.embeddings, np.ndarray) else self.embeddings.device
        return f"Parameters({shapes}; {self.embeddings.dtype}, {place})"

    @property
    def scores(self):
        """The attention logits a_s = E_s·p, shape (vocab_size,)."""
        return self.embeddings @ self.cls_embedding

    @property
    def values(self):
        """The contributions γ_s = E_s·v to the output, shape (vocab_size,), or (vocab_size, K) with column k = E_s·v_k."""
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
        `Parameters`
        """
        return Parameters(*(torch.as_tensor(value).to(device) for value in vars(self).values()))

    def numpy(self):
        """Return the same parameters as numpy arrays.

        Returns
        -------
        `Parameters`
        """
        return Parameters(*(np.asarray(torch.as_tensor(value).cpu()) for value in vars(self).values()))


def init_parameters(vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> Parameters:
    """Draw the parameters from which theory starts: E_s ~ N(0, I/d), p = 0, ‖v‖ = 1.

    Parameters
    ----------
    vocab_size, dim : int
        |S| and d.
    seed : int or numpy.random.Generator
    num_classes : int
        K. For K > 2 the rows of v are orthonormal, so K must not be above ``dim``.
    dtype : {"float32", "float64"}

    Returns
    -------
    `Parameters`
        Numpy arrays; `Parameters.to` moves them to a device.

    Raises
    ------
    ValueError
        If a size is not positive or there are more classes than dimensions.
    """
    if vocab_size < 1 or dim < 1:
        raise ValueError(f"vocab_size={vocab_size} and dim={dim}; both must be at least 1")
    if num_classes > dim:
        raise ValueError(f"num_classes={num_classes} is above dim={dim}; orthonormal rows of v need more dimensions")
    random = np.random.default_rng(seed)
    heads = 1 if num_classes == 2 else num_classes
    output = np.linalg.qr(random.standard_normal((dim, heads)))[0].T.astype(dtype)
    embeddings = random.standard_normal((vocab_size, dim), dtype=dtype)
    embeddings /= np.sqrt(dim).astype(dtype)
    return Parameters(embeddings, np.zeros(dim, dtype), output[0] if num_classes == 2 else output)


# ------------------------------------------------------------------------------------- what readers call


def attention(parameters: Parameters, corpus: Corpus) -> sparse.csr_array:
    """Return the attention that each text pays to each of its words, all occurrences together.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    scipy.sparse.csr_array, shape (n, vocab_size)
        Entry (i, s) is c_s u_s / Z_i; a row sums to one, or to zero where the text holds no known word.

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, _ = _tensors(parameters, corpus)
    counts = _counts(corpus, tensors)
    weights = counts.weigh_entries(tensors.scores)
    totals = _nonzero(torch.segment_reduce(weights, "sum", offsets=counts.row_ends, initial=0))
    weights = (weights / totals[counts.rows]).cpu().numpy()
    return sparse.csr_array((weights, corpus.counts.indices, corpus.counts.indptr), shape=corpus.counts.shape)


def logits(parameters: Parameters, corpus: Corpus) -> Array:
    """Return f(X) of every text; zero for a text without a known word.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    array, shape (n,), or (n, K) for K > 2 classes

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, back = _tensors(parameters, corpus)
    return back(_attend(tensors.scores, tensors.values, _counts(corpus, tensors)).logits)


def loss(parameters: Parameters, corpus: Corpus) -> float:
    """Return the mean logistic loss Ê log(1 + exp(-y f(X))), or the mean cross-entropy for K > 2 classes.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, _ = _tensors(parameters, corpus)
    counts = _counts(corpus, tensors)
    return float(_loss_of_logits(_attend(tensors.scores, tensors.values, counts).logits, counts))


def accuracy(parameters: Parameters, corpus: Corpus) -> float:
    """Return the share of texts whose label f predicts: the sign of f, or the class of the largest logit.

    A logit of exactly zero predicts the negative class; texts count by their weights.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    float, from 0 to 1

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    return evaluate(parameters, corpus)[1]


def evaluate(parameters: Parameters, corpus: Corpus) -> tuple[float, float]:
    """Return `loss` and `accuracy` from one pass.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    (float, float)

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, _ = _tensors(parameters, corpus)
    counts = _counts(corpus, tensors)
    logits = _attend(*_scores_and_values(tensors), counts).logits
    return _loss_and_accuracy(logits, counts)


def gradients(parameters: Parameters, corpus: Corpus) -> Parameters:
    """Return the exact gradient of the loss in E, p and v, under the names of `Parameters` (Proposition 1.2).

    The gradient in E has rank two, or K + 1; it is written out here for those who want to see it. `descend_` never does.

    Parameters
    ----------
    parameters : Parameters
    corpus : Corpus

    Returns
    -------
    `Parameters`
        Of the shapes, dtype and kind (numpy or torch) of ``parameters``.

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, back = _tensors(parameters, corpus)
    found = {name: torch.empty_like(value) for name, value in vars(tensors).items()}
    fill_gradients_(found, tensors, corpus)
    return Parameters(*map(back, found.values()))


def fill_gradients_(found: dict[str, torch.Tensor], parameters: Parameters, corpus: Corpus) -> torch.Tensor:
    """Write the exact gradient of the loss into tensors that are there already, and return the loss.

    Parameters
    ----------
    found : dict of str to tensor
        Under names of `Parameters`, in their shapes; overwritten. What has no name here is not computed.
    parameters : Parameters
        Tensors.
    corpus : Corpus

    Returns
    -------
    tensor, shape ()
    """
    scores, values = _scores_and_values(parameters)
    mean_loss, by_score, by_value = _loss_and_score_gradients(scores, values, _counts(corpus, parameters))
    if "embeddings" in found:
        factors = torch.cat([by_score[:, None], by_value.reshape(len(by_value), -1)], dim=1)
        torch.mm(factors, _queries(parameters), out=found["embeddings"])
    if found.keys() & {"cls_embedding", "output_vector"}:
        by_vectors = dict(zip(("cls_embedding", "output_vector"), _gradients_of_vectors(parameters, by_score, by_value)))
        for name in found.keys() & by_vectors.keys():
            found[name].copy_(by_vectors[name])
    return mean_loss


def score_gradients(scores: Array, values: Array, corpus: Corpus) -> tuple[Array, Array]:
    """Return ∂L/∂a and ∂L/∂γ: all that a gradient step needs to know of the corpus.

    Parameters
    ----------
    scores : array, shape (vocab_size,)
        a_s = E_s·p.
    values : array, shape (vocab_size,) or (vocab_size, K)
        γ_s = E_s·v.
    corpus : Corpus

    Returns
    -------
    (array, array)
        In the shapes of ``scores`` and ``values``.
    """
    pair = Parameters(torch.as_tensor(values), torch.as_tensor(scores), torch.empty(0))
    back = np.asarray if isinstance(scores, np.ndarray) else _same
    _, by_score, by_value = _loss_and_score_gradients(pair.cls_embedding, pair.embeddings, _counts(corpus, pair))
    return back(by_score), back(by_value)


def descend_(parameters: Parameters, corpus: Corpus, learning_rate: float) -> None:
    """Take one exact full-batch gradient step on all of (E, p, v) *in place*, with few passes over E.

    E is read once for scores and values, once for the gradients in p and v, and then changed by one rank at a time; its own
    gradient never exists.

    Parameters
    ----------
    parameters : Parameters
        Changed in place.
    corpus : Corpus
    learning_rate : float

    Raises
    ------
    ValueError
        If the parameters do not fit the corpus, or are neither float32 nor float64.
    """
    tensors, _ = _tensors(parameters, corpus)
    _, by_score, by_value = _loss_and_score_gradients(*_scores_and_values(tensors), _counts(corpus, tensors))
    by_cls, by_output = _gradients_of_vectors(tensors, by_score, by_value)
    add_embedding_gradient_(tensors.embeddings, tensors, by_score, by_value, -learning_rate)
    tensors.cls_embedding.sub_(by_cls, alpha=learning_rate)
    tensors.output_vector.sub_(by_output, alpha=learning_rate)


def add_embedding_gradient_(matrix, parameters: Parameters, by_score, by_value, factor: float) -> None:
    """Add ``factor`` times ∇_E L = (∂L/∂γ) vᵀ + (∂L/∂a) pᵀ to a tensor in place, one rank at a time.

    Parameters
    ----------
    matrix : tensor, shape (vocab_size, dim)
        Changed in place.
    parameters : Parameters
        Tensors; p and v are read.
    by_score, by_value : tensor
        What `score_gradients` returns.
    factor : float
    """
    matrix.addr_(by_score, parameters.cls_embedding, alpha=factor)
    outputs = parameters.output_vector.reshape(-1, matrix.shape[1])
    for column, output in zip(by_value.reshape(len(matrix), -1).T, outputs):
        matrix.addr_(column, output, alpha=factor)


# ------------------------------------------------------------------------------------------- the engine


class _Attended(NamedTuple):
    """What one pass over the counts gives: logits, normalisers Z, and the way back."""

    logits: torch.Tensor  # (n,) or (n, K)
    totals: torch.Tensor  # (n, 1)
    pull_back: callable  # (n, m) -> (vocab_size, m): C̃ᵀ, with C̃ = C diag(u) up to a factor for each row


def _attend(scores, values, counts):
    columns = values.reshape(len(values), -1)
    ones_and_values = torch.cat([torch.ones_like(columns[:, :1]), columns], dim=1)
    push, pull_back = counts.weighted(scores)
    sums = push(ones_and_values)
    totals = _nonzero(sums[:, :1])
    return _Attended((sums[:, 1:] / totals).reshape(-1, *values.shape[1:]), totals, pull_back)


def _queries(tensors):
    """Return p and v, or p and all v_k, as rows."""
    return torch.vstack([tensors.cls_embedding, tensors.output_vector])


def _scores_and_values(tensors):
    """Return a = E p and γ = E v from one pass over E: a few rows of weights are what `linear` is fast at."""
    both = functional.linear(tensors.embeddings, _queries(tensors))
    values = both[:, 1] if tensors.output_vector.ndim == 1 else both[:, 1:]
    return both[:, 0].contiguous(), values.contiguous()


def _loss_and_score_gradients(scores, values, counts):
    """Return the loss, ∂L/∂a and ∂L/∂γ."""
    logits, totals, pull_back = _attend(scores, values, counts)
    residuals = _loss_gradient(logits, counts).reshape(len(logits), -1)
    tangents = (residuals * logits.reshape(residuals.shape)).sum(dim=1, keepdim=True)
    pulled = pull_back(torch.cat([residuals, tangents], dim=1) / totals)
    by_value = pulled[:, :-1]
    by_score = (values.reshape(by_value.shape) * by_value).sum(dim=1) - pulled[:, -1]
    return _loss_of_logits(logits, counts), by_score, by_value.reshape(values.shape)


def _loss_of_logits(logits, counts):
    if logits.ndim == 1:
        return functional.softplus(-counts.labels * logits) @ counts.weights
    return functional.cross_entropy(logits, counts.labels, reduction="none") @ counts.weights


def _loss_and_accuracy(logits, counts):
    """Return both as floats; all that is read of ``counts`` is its labels and weights."""
    right = (logits > 0) == (counts.labels > 0) if logits.ndim == 1 else logits.argmax(dim=1) == counts.labels
    weights = counts.weights.double()
    return float(_loss_of_logits(logits, counts)), float(right.double() @ weights / weights.sum())


def _loss_gradient(logits, counts):
    """Return the derivative of the mean loss in every logit: -y g/n for two classes and equal weights."""
    if logits.ndim == 1:
        return -counts.labels * torch.sigmoid(-counts.labels * logits) * counts.weights
    wanted = functional.one_hot(counts.labels, logits.shape[1])
    return (torch.softmax(logits, dim=1) - wanted) * counts.weights[:, None]


def _gradients_of_vectors(tensors, by_score, by_value):
    """Return ∇_p = Eᵀ ∂L/∂a and ∇_v = Eᵀ ∂L/∂γ from one pass over E."""
    factors = torch.cat([by_score[:, None], by_value.reshape(len(by_value), -1)], dim=1).T.contiguous()
    by_vectors = _factors_times_rows(factors, tensors.embeddings)
    return by_vectors[0], by_vectors[1:].reshape(tensors.output_vector.shape)


def _factors_times_rows(factors, embeddings, rows=64):
    """Return ``factors @ embeddings`` for a few factors and many rows.

    A plain product of a 2 × |S| and an |S| × d matrix reaches a third of the memory's speed on a CPU; cut into blocks of
    rows, as a batched product, it reaches nearly all of it.
    """
    vocab_size, dim = embeddings.shape
    blocks = vocab_size // rows
    cut = blocks * rows
    rest = factors[:, cut:] @ embeddings[cut:]
    if not blocks:
        return rest
    stacked = factors[:, :cut].reshape(len(factors), blocks, rows).transpose(0, 1).contiguous()
    return torch.bmm(stacked, embeddings[:cut].view(blocks, rows, dim)).sum(dim=0) + rest


class _Counts:
    """The counts and labels of a corpus as tensors of one dtype on one device, and their products with weights."""

    def __init__(self, corpus, dtype, device):
        counts = corpus.counts
        self.shape = counts.shape
        self.dtype = dtype

        def tensor(array, dtype):
            return torch.from_numpy(np.ascontiguousarray(array)).to(device, dtype)

        self.row_ends = tensor(counts.indptr, torch.int64)
        self.columns = tensor(counts.indices, torch.int32)
        self.entries = tensor(counts.data, dtype)
        self.matrix = self._csr(tensor(counts.indptr, torch.int32), self.columns, self.entries, counts.shape)
        # The transposed matrix has rows of its own, for speed; `order` says where its entries stand in `entries`.
        order = sparse.csr_array((np.arange(counts.nnz), counts.indices, counts.indptr), shape=counts.shape).tocsc()
        self.order = tensor(order.data, torch.int64)
        self._columns_ends, self._columns_rows = tensor(order.indptr, torch.int32), tensor(order.indices, torch.int32)
        self.transposed = self._transposed_of(self.entries)
        self.labels = tensor(corpus.labels, dtype if corpus.num_classes == 2 else torch.int64)
        self.weights = tensor(corpus.mean_weights, dtype)

    @property
    def rows(self):
        """The row of every entry."""
        lengths = self.row_ends.diff()
        return torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)

    def weighted(self, scores):
        """Return the products with C̃ and with C̃ᵀ, where C̃ = C diag(exp(a)) up to a positive factor for each row.

        Where the scores lie close together one shift serves all rows, and the weights are taken out of the matrix.
        Otherwise every row is shifted by its own largest score, as in a log-sum-exp: nothing overflows, and the largest
        weight of a row is its count.
        """
        top = scores.max()
        if float(top - scores.min()) <= WIDEST[self.dtype]:
            weight = torch.exp(scores - top)[:, None]
            return (lambda x: self.matrix @ (weight * x)), (lambda x: weight * (self.transposed @ x))
        entries = self.weigh_entries(scores)
        matrix = self._csr(self.matrix.crow_indices(), self.columns, entries, self.shape)
        transposed = self._transposed_of(entries)
        return (lambda x: matrix @ x), (lambda x: transposed @ x)

    def weigh_entries(self, scores):
        """Return c_s exp(a_s - max of its row) for every entry of the matrix."""
        of_entries = scores[self.columns]
        tops = torch.segment_reduce(of_entries, "max", offsets=self.row_ends, initial=-torch.inf)
        return self.entries * torch.exp(of_entries - tops[self.rows])

    def _transposed_of(self, entries):
        return self._csr(self._columns_ends, self._columns_rows, entries[self.order], self.shape[::-1])

    @staticmethod
    def _csr(row_ends, columns, entries, shape):
        with warnings.catch_warnings():  # torch calls its CSR tensors a beta; these products have been there since 1.10
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(row_ends, columns, entries, shape, check_invariants=False)


_prepared: weakref.WeakKeyDictionary[Corpus, dict] = weakref.WeakKeyDictionary()


def _counts(corpus, tensors):
    """Return the corpus as tensors like those given; made once for each dtype and device, and kept as long as the corpus."""
    dtype, device = tensors.embeddings.dtype, tensors.embeddings.device
    if dtype not in WIDEST:
        raise ValueError(f"the parameters are {dtype}; give float32 or float64")
    made = _prepared.setdefault(corpus, {})
    if (dtype, device) not in made:
        made[dtype, device] = _Counts(corpus, dtype, device)
    return made[dtype, device]


def _tensors(parameters, corpus):
    """Return the parameters as tensors that share their memory, and the function that turns results back."""
    tensors = Parameters(*(torch.as_tensor(value) for value in vars(parameters).values()))
    vocab_size, dim = tensors.embeddings.shape
    if vocab_size != corpus.vocab_size:
        raise ValueError(f"embeddings has {vocab_size} rows, but the corpus has {corpus.vocab_size} words; give one a word")
    wanted = (dim,) if corpus.num_classes == 2 else (corpus.num_classes, dim)
    for name, shape in (("cls_embedding", (dim,)), ("output_vector", wanted)):
        if tuple(getattr(tensors, name).shape) != shape:
            raise ValueError(f"{name} has shape {tuple(getattr(tensors, name).shape)}; this corpus and E need {shape}")
    return tensors, np.asarray if isinstance(parameters.embeddings, np.ndarray) else _same


def _same(value):
    return value


def _nonzero(totals):
    """Replace the zeros of texts without a known word by ones, so that their logit is 0 and not 0/0."""
    return torch.where(totals == 0, torch.ones_like(totals), totals)
