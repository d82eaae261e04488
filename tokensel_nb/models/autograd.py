"""Models that torch differentiates: a subclass only says how texts give logits, and where it starts.

Equal tokens have equal rows, so a text is given by its distinct tokens with their counts c. Every softmax over positions
becomes one over distinct tokens with log c added to its logits, and a query at c positions becomes one query of weight c.
This is exact.
"""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from ..corpus.sequences import Sequences
from ..scale.distributed import mean_over
from ..support.arrays import dtype_name, is_torch, like
from ..support.checks import CheckedOptions, instance, option, shaped, truth
from ..support.extras import torch
from ..support.threads import numbers_in, threads_for
from .attend import WIDEST
from .base import Model, check_fit, loss_of_logits
from .options import Options

if TYPE_CHECKING:
    from ..corpus.corpus import Corpus
    from .parameters import NamedArrays

# torch.compile saves a tenth of two layers' 12 ms and nothing of the MLP's 2 ms, and needs up to a minute to warm up, longer
# than a whole run: it is not used. It was not measured on a GPU.
AT_ONCE = 2**19  # pairs of tokens, summed over the texts of a batch in which nothing is learnt


class Texts(NamedTuple):
    """Texts as distinct tokens, padded to the most that one of them has."""

    words: torch.Tensor  # columns of all words that occur, shape (m,)
    places: torch.Tensor  # of each text's tokens in `words`, shape (n, T); 0 in the padding
    log_counts: torch.Tensor  # shape (n, T); -inf in the padding, but 0 in the first place of a text without words
    holds_words: torch.Tensor  # shape (n,)
    order: torch.Tensor | None = None  # of the places of `Sequences`: their words in `words`, -1 behind a text's end


@dataclass(frozen=True, eq=False)
class AutogradModel(CheckedOptions, Model):
    """A model whose gradients torch finds; subclasses define `forward`, and ``start`` unless they learn (E, p, v).

    Parameters
    ----------
    bfloat16 : bool
        Whether products of float32 are computed in bfloat16, with 8 bits, as ``torch.autocast`` does. By default everything is
        computed in the parameters' own precision. On one CPU thread a gradient in bfloat16 takes 1.06 to 1.4 times as long; we
        haven't measured it on a GPU.

    Examples
    --------
    Attention that passes over words that occur once:

    >>> import tokensel_nb as ts
    >>> class Repeated(ts.AutogradModel):
    ...     def forward_attention(self, parameters, texts):
    ...         return (8 * texts.log_counts).softmax(dim=1)
    ...
    ...     def forward(self, parameters, texts):
    ...         values = parameters.token_values.reshape(len(texts.words), -1)  # a column, or K
    ...         return ts.mean_over_tokens(self.forward_attention(parameters, texts), values, texts)
    >>> corpus = ts.corpus_from_texts(["good good film", "bad film film film"], ["up", "down"])
    >>> training = ts.train(corpus, Repeated(), dim=4, steps=50, learning_rate=0.05)
    >>> ts.accuracy(training.parameters, corpus, Repeated())
    1.0
    >>> print(ts.attention(training.parameters, corpus, Repeated()).toarray().round(3))  # to "bad", "film", "good"
    [[0.    0.004 0.996]
     [0.    1.    0.   ]]
    """

    options: ClassVar[Options] = Options(dim=128, steps=600, learning_rate=0.003, batch_size=50, evaluate_every=300)
    needs_torch: ClassVar[bool] = True

    bfloat16: bool = option(False, truth, kw_only=True)

    @abstractmethod
    def forward(self, parameters: NamedArrays, texts: Texts):
        """Return logits in one column, which may be flat, or in K; differentiable.

        Parameters
        ----------
        parameters : NamedArrays
            Tensors; ``embeddings`` has a row for each of ``texts.words``, and for no other word.
        texts : Texts
            Kept for the next step on the same texts; don't change its tensors.

        Returns
        -------
        tensor, shape (n, 1) or (n,), or (n, K)
            The model's logit of a text without words is zero, whatever stands here.
        """

    def forward_attention(self, parameters: NamedArrays, texts: Texts):
        """Return the attention of <cls> to every place of the texts; a model without attention leaves this out.

        Parameters
        ----------
        parameters, texts
            As in `forward`.

        Returns
        -------
        tensor, shape (n, T)
        """
        raise TypeError(f"{type(self).__name__} has no attention")

    def widest(self, tokens, dim):
        """Return how many numbers a text takes in the largest array of `forward`; the number of threads depends on it.

        Parameters
        ----------
        tokens : int
            How many distinct ones the text has.
        dim : int

        Returns
        -------
        int
            By default a row of E for each token; a model that computes with pairs of tokens says so.

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> ts.WithMLP().widest(tokens=500, dim=128), ts.TwoLayers().widest(tokens=500, dim=128)
        (64000, 1000000)
        """
        return tokens * dim

    def logits(self, parameters, corpus):
        """Return f(X) of every text, batch by batch, texts of similar lengths together; see `Model.logits`."""
        check_fit(self, parameters, corpus)
        tensors = _tensors(parameters)
        logits = tensors.embeddings.new_empty(len(corpus) if corpus.num_classes == 2 else (len(corpus), corpus.num_classes))
        for rows, texts in _batches(corpus):
            with torch.no_grad(), self._room_for(texts, tensors):
                logits[rows] = self._logits(*_looked_up(tensors, texts), texts)
        return like(logits, parameters.embeddings)

    def attention(self, parameters, corpus):
        """Return the attention of <cls>; see `Model.attention`."""
        counts = corpus.counts
        data = self._of_entries(parameters, corpus, self.forward_attention)
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def _of_entries(self, parameters, corpus, forward):
        """Return what ``forward`` gives each distinct word of each text, shape (..., nnz), in the order of the counts."""
        check_fit(self, parameters, corpus)
        tensors, starts = _tensors(parameters), corpus.counts.indptr
        parts, entries = [], [np.zeros(0, np.int64)]
        for rows, texts in _batches(corpus):
            with torch.no_grad(), self._room_for(texts, tensors):
                found, batch = _looked_up(tensors, texts)
                name = f"what {type(self).__name__}.{forward.__name__.lstrip('_')} returns"
                weights = instance(name, forward(found, batch), torch.Tensor)
                shaped(name, weights, (len(batch.places), *weights.shape[1:-1], batch.places.shape[1]))
                weights = np.moveaxis(weights.cpu().numpy(), 0, -2)
            parts.append(weights[..., np.arange(weights.shape[-1]) < np.diff(texts.counts.indptr)[:, None]])
            entries += [np.arange(*starts[row : row + 2]) for row in rows]
        found = np.concatenate(parts, axis=-1) if parts else np.zeros(0, dtype_name(tensors.embeddings))
        return found[..., np.argsort(np.concatenate(entries))]

    def step_gradients(self, parameters, texts, names):
        """Return the gradient of the mean loss; only rows of words that occur are computed. See `Model.step_gradients`."""
        check_fit(self, parameters, texts)
        return dict(zip(names, mean_over(texts, lambda part: self._gradients(parameters, part, names))))

    def _gradients(self, parameters, texts, names):
        tensors = _tensors(parameters)
        with self._room_for(texts, tensors, f"batch_size={max(len(texts) // 2, 1)}, or "):
            looked_up, batch = _looked_up(tensors, texts)
            leaves = {name: getattr(looked_up, name).detach().requires_grad_() for name in names}
            mean_loss = loss_of_logits(self._logits(replace(looked_up, **leaves), batch, texts), texts)
            gradients = dict(zip(leaves, torch.autograd.grad(mean_loss, list(leaves.values()), materialize_grads=True)))
        if "embeddings" in gradients:
            gradients["embeddings"] = torch.zeros_like(tensors.embeddings).index_copy_(0, batch.words, gradients["embeddings"])
        return [like(gradients[name], parameters.embeddings) for name in names]

    @contextmanager
    def _room_for(self, texts, tensors, smaller=""):
        """Compute with a batch on as many threads as it is worth; if memory is too small, say so, with advice."""
        longest = int(np.diff(texts.counts.indptr).max(initial=0))
        numbers = len(texts) * self.widest(longest, tensors.embeddings.shape[1])
        try:
            with threads_for(max(numbers, numbers_in(tensors))):
                yield
        except (RuntimeError, MemoryError) as error:
            signs = ("out of memory", "can't allocate", "not enough memory")
            if not isinstance(error, MemoryError) and not any(sign in str(error) for sign in signs):
                raise
            raise MemoryError(
                f"no memory for {len(texts)} texts of up to {longest} distinct words at once; "
                f"try {smaller}shorter texts (most_frequent)"
            ) from error

    def _logits(self, parameters, batch, texts):
        """Return logits in the parameters' own precision; zero for a text without words."""
        with torch.autocast(parameters.embeddings.device.type, torch.bfloat16) if self.bfloat16 else nullcontext():
            logits = instance(f"what {type(self).__name__}.forward returns", self.forward(parameters, batch), torch.Tensor)
        columns = 1 if texts.num_classes == 2 else texts.num_classes
        logits = logits[:, None] if columns == logits.ndim == 1 else logits
        shaped(f"what {type(self).__name__}.forward returns", logits, (len(texts), columns))
        logits = torch.where(batch.holds_words[:, None], logits.to(parameters.embeddings.dtype), 0)
        return logits[:, 0] if texts.num_classes == 2 else logits


def mean_over_tokens(weights, rows, texts: Texts):
    """Return the weighted sum over each text's tokens.

    Parameters
    ----------
    weights : tensor, shape (n, T)
    rows : tensor, shape (m, k)
        One per word of ``texts.words``.
    texts : Texts

    Returns
    -------
    tensor, shape (n, k)

    Examples
    --------
    >>> texts = Texts(None, torch.tensor([[0, 1]]), None, None)
    >>> mean_over_tokens(torch.tensor([[0.5, 0.5]]), torch.tensor([[2.0], [4.0]]), texts).tolist()
    [[3.0]]
    """
    shaped("weights", instance("weights", weights, torch.Tensor), instance("texts", texts, Texts).places.shape)
    shaped("rows", instance("rows", rows, torch.Tensor), (None, None))
    return (weights[:, None, :] @ torch.nn.functional.embedding(texts.places, rows))[:, 0]


def _tensors(parameters):
    """Return parameters as tensors where they are; on the CPU if they are numpy."""
    if dtype_name(parameters.embeddings) not in WIDEST:
        raise ValueError(f"the parameters are {dtype_name(parameters.embeddings)}; give float32 or float64")
    return parameters if is_torch(parameters.embeddings) else parameters.to("cpu")


def _looked_up(parameters, texts):
    """Return parameters with the rows of the words that occur, and the texts as distinct tokens, which are kept with them."""
    made, key = _prepared.setdefault(texts, {}), (parameters.embeddings.dtype, parameters.embeddings.device)
    batch = made.get(key) or made.setdefault(key, _padded(texts, parameters.embeddings))
    return replace(parameters, embeddings=parameters.embeddings[batch.words]), batch


_prepared = weakref.WeakKeyDictionary()


def _padded(corpus, reference):
    """Return texts as distinct tokens, on the device and in the dtype of a tensor."""
    counts = corpus.counts
    sizes = np.diff(counts.indptr)
    inside = np.arange(max(sizes.max(initial=0), 1)) < sizes[:, None]
    words, numbers = np.unique(counts.indices, return_inverse=True)
    places = np.zeros(inside.shape, np.int64)
    places[inside] = numbers
    log_counts = np.full(inside.shape, -np.inf, dtype_name(reference))
    log_counts[sizes == 0, 0] = 0.0  # a softmax of nothing is no number; the logit is set to zero behind it
    log_counts[inside] = np.log(counts.data)
    order = None
    if isinstance(corpus, Sequences):
        kept = corpus.tokens[:, : max(corpus.lengths.max(initial=0), 1)]
        order = like(np.where(kept < 0, -1, np.searchsorted(words, kept)), reference, "int64")
    words, places = (like(each, reference, "int64") for each in (words if len(words) else np.zeros(1), places))
    return Texts(words, places, like(log_counts, reference), like(sizes > 0, reference, "bool"), order)


def _batches(corpus) -> Iterator[tuple[np.ndarray, Corpus]]:
    """Yield the rows and the texts of batches that hold about `AT_ONCE` pairs of tokens, short texts first."""
    sizes = np.maximum(np.diff(corpus.counts.indptr), 1).astype(np.int64)
    order = np.argsort(sizes, kind="stable")
    while len(order):
        pairs = np.arange(1, len(order) + 1) * sizes[order] ** 2
        rows, order = np.split(order, [max(int(np.searchsorted(pairs, AT_ONCE, side="right")), 1)])
        yield rows, corpus[rows]
