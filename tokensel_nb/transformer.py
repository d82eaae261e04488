"""A small transformer, made of PyTorch's own layers: words in their order, positions, heads, depth, LayerNorm.

A text is read as x₀ = <cls>, x₁ = E_{s₁}, x₂ = E_{s₂}, ..., plus the rows of their positions; the layers are
`torch.nn.TransformerEncoderLayer`, and the logit is f = v·x₀ after the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from .arrays import like, to_device, to_numpy
from .deeper import entries_of, over_texts
from .parameters import Parameters

PARTS = ("self_attn.in_proj_", "self_attn.out_proj.", "linear1.", "linear2.", "norm1.", "norm2.")
NAMES = [part + kind for part in PARTS for kind in ("weight", "bias")]  # of a layer's arrays in PyTorch
FIELDS = {name: name.removeprefix("self_attn.").replace(".", "_") for name in NAMES}  # and here, stacked


class TransformerParameters(NamedTuple):
    """The parameters of a `Transformer`: the arrays of its layers, stacked, under PyTorch's names.

    Parameters
    ----------
    embeddings, cls_embedding, output_vector : array
        As in `Parameters`.
    positions : array, shape (1 + longest, dim)
        Added to the row of <cls>, and to those of the words after it.
    in_proj_weight, in_proj_bias : array, shapes (layers, 3 dim, dim) and (layers, 3 dim)
        Queries, keys and values of all heads, one below the other.
    out_proj_weight, out_proj_bias : array, shapes (layers, dim, dim) and (layers, dim)
    linear1_weight, linear1_bias : array, shapes (layers, hidden, dim) and (layers, hidden)
    linear2_weight, linear2_bias : array, shapes (layers, dim, hidden) and (layers, dim)
    norm1_weight, norm1_bias, norm2_weight, norm2_bias : array, shape (layers, dim)
    norm_weight, norm_bias : array, shape (dim,)
        Of the LayerNorm after all layers. Arrays of a LayerNorm that the model doesn't have are not used.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Transformer(layers=2, heads=2, hidden=8, longest=5).start(vocab_size=3, dim=4, seed=0).linear1_weight.shape
    (2, 8, 4)
    """

    embeddings: Any
    cls_embedding: Any
    output_vector: Any
    positions: Any
    in_proj_weight: Any
    in_proj_bias: Any
    out_proj_weight: Any
    out_proj_bias: Any
    linear1_weight: Any
    linear1_bias: Any
    linear2_weight: Any
    linear2_bias: Any
    norm1_weight: Any
    norm1_bias: Any
    norm2_weight: Any
    norm2_bias: Any
    norm_weight: Any
    norm_bias: Any

    __repr__ = Parameters.__repr__

    def layers(self):
        """Return the arrays of every layer, under PyTorch's names."""
        stacked = {name: getattr(self, field) for name, field in FIELDS.items()}
        return [{name: array[at] for name, array in stacked.items()} for at in range(len(self.linear1_weight))]


@dataclass(frozen=True)
class Transformer:
    """A transformer encoder that classifies texts by the last state of <cls>; it reads the order of words, `Corpus.tokens`.

    Its `attention` is the mean over the first layer's heads, normalised over words; `head_attention` returns all heads.

    Parameters
    ----------
    layers, heads, hidden : int
        Depth, attention heads per layer (they divide ``dim``), and units of a layer's MLP.
    longest : int
        The number of words of a text that have positions.
    norm : {"before", "after", "none"}
        The place of LayerNorm: before attention and MLP with one more after all layers, as in GPT-2; after attention and MLP,
        as in the first transformer; nowhere.
    spread : float, optional
        Standard deviation of every number at the start; biases begin at 0, LayerNorm's weights at 1. None: as PyTorch's layers
        begin, and N(0, 1) for E, <cls> and positions.

    Raises
    ------
    ValueError
        If ``norm`` is not one of these.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["not a bad film", "a bad film", "good", "not good"], [1, -1, 1, -1], longest=8)
    >>> model = ts.Transformer(layers=2, heads=2, hidden=16, longest=8)
    >>> start = model.start(texts.vocab_size, dim=16, seed=0)
    >>> ts.train(start, texts, steps=60, model=model, learning_rate=0.01).history.accuracies[-1].item()
    1.0
    """

    own_places: ClassVar[int] = 1  # besides a text's words: that of <cls>

    layers: int = 1
    heads: int = 4
    hidden: int = 128
    longest: int = 127
    norm: str = "before"
    spread: float | None = 0.02

    def __post_init__(self):
        """Refuse an unknown place for LayerNorm."""
        if self.norm not in ("before", "after", "none"):
            raise ValueError(f"norm={self.norm!r}; choose 'before', 'after' or 'none'")

    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> TransformerParameters:
        """Draw all parameters, with standard deviation ``spread``."""
        random = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(random.integers(2**63)))
            layers = [torch.nn.TransformerEncoderLayer(dim, self.heads, self.hidden).state_dict() for _ in range(self.layers)]
        stacked = {field: np.stack([layer[name].numpy() for layer in layers]) for name, field in FIELDS.items()}
        if self.spread is not None:
            for name, array in stacked.items():
                if name.endswith("_bias"):
                    array[:] = 0
                elif not name.startswith("norm"):
                    array[:] = self.spread * random.standard_normal(array.shape)
        shapes = {"embeddings": (vocab_size, dim), "cls_embedding": dim, "positions": (1 + self.longest, dim)}
        rows = {name: (self.spread or 1.0) * random.standard_normal(shape) for name, shape in shapes.items()}
        head = random.standard_normal(dim if num_classes == 2 else (num_classes, dim)) * (self.spread or dim**-0.5)
        arrays = stacked | rows | {"output_vector": head, "norm_weight": np.ones(dim), "norm_bias": np.zeros(dim)}
        return TransformerParameters(**{name: array.astype(dtype) for name, array in arrays.items()})

    def __call__(self, parameters, counts):
        """Return the logits of every text, as `one_layer` does; parameters are tensors."""
        return over_texts(self._logits, parameters, counts)

    def attention(self, parameters, counts):
        """Return the mean attention of the first layer's heads to every entry of the counts."""
        return over_texts(self._first_attention, parameters, counts, of_entries=True)

    def head_attention(self, parameters, corpus):
        """Return the attention of <cls> to the words of every text, in every layer and head.

        Parameters
        ----------
        parameters : TransformerParameters
        corpus : Corpus
            With ``tokens``.

        Returns
        -------
        ndarray, shape (layers, heads, corpus.counts.nnz)
            One number per entry of ``corpus.counts.data``, for all occurrences of a word in a text. Over a text they sum to one
            minus the attention of <cls> to itself. `head_preferences` takes this array.

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> texts = ts.sequences_from_texts(["good good film", "bad"], ["up", "down"], longest=8)
        >>> model = ts.Transformer(layers=1, heads=2, hidden=8, longest=8)
        >>> start = model.start(texts.vocab_size, dim=4, seed=0)
        >>> model.head_attention(start, texts).round(2).tolist()  # film, good, good; bad: uniform, with <cls>
        [[[0.25, 0.5, 0.5], [0.25, 0.5, 0.5]]]
        """
        with torch.no_grad():
            of_entries = over_texts(self._every_attention, to_device(parameters), corpus.operator, of_entries=True)
        return np.moveaxis(to_numpy(of_entries), 0, -1)

    def _logits(self, parameters, texts):
        last = self._states(parameters, texts)[-1][:, 0]
        if self.norm == "before":
            last = functional.layer_norm(last, last.shape[1:], parameters.norm_weight, parameters.norm_bias)
        return last @ (parameters.output_vector if parameters.output_vector.ndim == 1 else parameters.output_vector.T)

    def _first_attention(self, parameters, texts):
        heads, log_counts = self._heads(parameters, texts, layers=1)
        return entries_of((heads[:, :, 0] / heads[:, :, 0].sum(1, keepdim=True)).mean(-1), log_counts)

    def _every_attention(self, parameters, texts):
        return entries_of(*self._heads(parameters, texts))

    def _heads(self, parameters, texts, layers=None):
        """Return the attention of <cls> to the distinct words of texts, shape (n, T, layers, heads), and the log counts."""
        order, (words, log_counts) = order_of(texts, parameters.embeddings), texts.padded(parameters.embeddings)
        is_word = (order[:, None, :] == words[:, :, None]) & (log_counts > -torch.inf)[:, :, None]
        heads = []
        for states, arrays in [*zip(self._states(parameters, texts), parameters.layers())][:layers]:
            read, attention, own = self._attention_of(states, arrays)
            options = dict(key_padding_mask=padding(order), average_attn_weights=False)
            _, weights = torch.func.functional_call(attention, own, (read[:, :1], read, read), options)
            heads.append(torch.einsum("nhi,nti->nth", weights[:, :, 0, 1:], is_word.to(weights.dtype)))
        return torch.stack(heads, 2), log_counts

    def _attention_of(self, states, arrays):
        """Return the input of a layer's attention, PyTorch's module for it, and the module's arrays."""
        if self.norm == "before":
            states = functional.layer_norm(states, states.shape[2:], arrays["norm1.weight"], arrays["norm1.bias"])
        own = {name.removeprefix("self_attn."): array for name, array in arrays.items() if "self_attn" in name}
        return states, self._layer(states.shape[2]).self_attn, own

    def _states(self, parameters, texts):
        """Return the inputs of all layers, and the output of the last one."""
        order = order_of(texts, parameters.embeddings)
        words = functional.embedding(order.clamp(min=0), parameters.embeddings)
        rows = torch.cat([parameters.cls_embedding.expand(len(words), 1, -1), words], 1)
        states = [rows + parameters.positions[: rows.shape[1]]]
        for at, arrays in enumerate(parameters.layers()):
            states.append(self._passed(at, states[-1], arrays, padding(order)))
        return states

    def _passed(self, at, states, arrays, hidden):
        """Return the output of a layer."""
        return torch.func.functional_call(self._layer(states.shape[2]), arrays, states, {"src_key_padding_mask": hidden})

    def _layer(self, dim):
        """Return one of PyTorch's layers without numbers; it is called with those of a model's parameters."""
        kinds = dict(dropout=0.0, batch_first=True, norm_first=self.norm == "before", device="meta")
        layer = torch.nn.TransformerEncoderLayer(dim, self.heads, self.hidden, **kinds)
        if self.norm == "none":
            layer.norm1 = layer.norm2 = torch.nn.Identity()
        return layer


def order_of(texts, reference):
    """Return the words at every place, up to the length of the longest text, as a tensor: -1 after the end of a text."""
    if texts.order is None:
        raise TypeError("the corpus has no word order, which a Transformer needs; make one with sequences_from_texts")
    longest = max((texts.order >= 0).sum(axis=1).max(initial=0), 1)
    return like(texts.order[:, :longest].astype(np.int64), reference)


def padding(order):
    """Return PyTorch's mask of the places without a word; the first place is <cls>."""
    return functional.pad(order < 0, (1, 0))
