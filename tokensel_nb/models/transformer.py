"""A small transformer, made of PyTorch's own layers: words in their order, positions, heads, depth, LayerNorm.

A text is read as x₀ = <cls>, x₁ = E_{s₁}, x₂ = E_{s₂}, ..., each with the row of its position added; the layers are
`torch.nn.TransformerEncoderLayer`, and the logit is f = v·x₀ behind the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..corpus.sequences import Sequences
from ..support.checks import checked, number, one_of, option, or_none, shaped, whole_number
from ..support.extras import functional, torch
from ..support.runtime import room_for
from .autograd import AutogradModel
from .options import Options
from .parameters import START, NamedArrays, dim_of
from .verbs import finite_arrays

if TYPE_CHECKING:
    from ..support.arrays import Array

SPREAD = partial(number, least=0, most=1e30, open_below=True, allowed="a positive number of at most 1e30, or None")
PARTS = ("self_attn.in_proj_", "self_attn.out_proj.", "linear1.", "linear2.", "norm1.", "norm2.")
NAMES = [part + kind for part in PARTS for kind in ("weight", "bias")]  # of a layer's arrays in PyTorch
FIELDS = {name: name.removeprefix("self_attn.").replace(".", "_") for name in NAMES}  # and here, stacked


@dataclass(frozen=True, eq=False, repr=False)
class TransformerParameters(NamedArrays):
    """What a `Transformer` learns: arrays of its layers are stacked, under PyTorch's names for them.

    Parameters
    ----------
    embeddings, cls_embedding, output_vector : array
        As in `Parameters`.
    positions : array, shape (1 + longest, dim)
        Added to the row of <cls>, and to those of the words behind it.
    in_proj_weight, in_proj_bias : array, shapes (layers, 3 dim, dim) and (layers, 3 dim)
        Queries, keys and values of all heads, one below the other.
    out_proj_weight, out_proj_bias : array, shapes (layers, dim, dim) and (layers, dim)
    linear1_weight, linear1_bias : array, shapes (layers, hidden, dim) and (layers, hidden)
    linear2_weight, linear2_bias : array, shapes (layers, dim, hidden) and (layers, dim)
    norm1_weight, norm1_bias, norm2_weight, norm2_bias : array, shape (layers, dim)
    norm_weight, norm_bias : array, shape (dim,)
        Of the LayerNorm behind all layers. One that the model doesn't have is never used.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> ts.Transformer(layers=2, heads=2, hidden=8, longest=5).start(vocab_size=3, dim=4, seed=0).linear1_weight.shape
    (2, 8, 4)
    """

    embeddings: Array
    cls_embedding: Array
    output_vector: Array
    positions: Array
    in_proj_weight: Array
    in_proj_bias: Array
    out_proj_weight: Array
    out_proj_bias: Array
    linear1_weight: Array
    linear1_bias: Array
    linear2_weight: Array
    linear2_bias: Array
    norm1_weight: Array
    norm1_bias: Array
    norm2_weight: Array
    norm2_bias: Array
    norm_weight: Array
    norm_bias: Array

    def __post_init__(self):
        """Refuse arrays that do not fit each other."""
        super().__post_init__()
        dim = dim_of("embeddings", self.embeddings)
        layers, hidden, _ = shaped("linear1_weight", self.linear1_weight, (None, None, None)).shape
        shapes = dict.fromkeys(("cls_embedding", "norm_weight", "norm_bias"), (dim,)) | {"positions": (None, dim)}
        for name in FIELDS.values():
            rows = {"in_proj": 3 * dim, "linear1": hidden}.get(name.rpartition("_")[0], dim)
            columns = (hidden if name == "linear2_weight" else dim,) * (name.endswith("weight") and name[:4] != "norm")
            shapes[name] = (layers, rows, *columns)
        shapes["output_vector"] = (dim,) if self.output_vector.ndim == 1 else (None, dim)
        for name, shape in shapes.items():
            shaped(name, getattr(self, name), shape)


@dataclass(frozen=True)
class Transformer(AutogradModel):
    """A transformer encoder that classifies texts by the last state of <cls>; it reads `Sequences`.

    Its `attention` is the mean of the first layer's heads, as shares of what words get; `head_attention` has them all.

    Parameters
    ----------
    layers, heads, hidden : int
        Depth, attention heads in each layer (they divide ``dim``), and units of each layer's MLP.
    longest : int
        How many words of a text it has positions for.
    norm : {"before", "after", "none"}
        Where LayerNorm stands: before attention and MLP with one more behind all layers, as in GPT-2; after each of them, as in
        the first transformer; nowhere.
    spread : float, optional
        Standard deviation of every number at the start; biases begin at 0, LayerNorm's weights at 1. None: as PyTorch's layers
        begin, and N(0, 1) for E, <cls> and positions.
    bfloat16 : bool
        As in `AutogradModel`.

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> texts = ts.sequences_from_texts(["not a bad film", "a bad film", "good", "not good"], [1, -1, 1, -1], longest=8)
    >>> model = ts.Transformer(layers=2, heads=2, hidden=16, longest=8)
    >>> training = ts.train(texts, model, dim=16, steps=60, learning_rate=0.01)
    >>> ts.accuracy(training.parameters, texts, model)
    1.0
    """

    options: ClassVar[Options] = replace(AutogradModel.options, dim=64, steps=750, learning_rate=0.001)
    own_places: ClassVar[int] = 1
    learns: ClassVar[tuple[type, ...]] = (TransformerParameters,)

    layers: int = option(1, whole_number)
    heads: int = option(4, whole_number)
    hidden: int = option(128, whole_number)
    longest: int = option(127, whole_number)
    norm: str = option("before", partial(one_of, allowed=("before", "after", "none")))
    spread: float | None = option(0.02, partial(or_none, check=SPREAD))

    @START
    def start(self, vocab_size, dim, seed, *, num_classes=2, dtype="float32") -> TransformerParameters:
        """Draw everything as ``spread`` says; see `Model.start`."""
        if dim % self.heads:
            raise ValueError(f"dim={dim} is no multiple of heads={self.heads}; give one that is")
        room_for(vocab_size * dim, dim=dim)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(seed.integers(2**63)))
            layers = [torch.nn.TransformerEncoderLayer(dim, self.heads, self.hidden).state_dict() for _ in range(self.layers)]
        stacked = {field: np.stack([layer[name].numpy() for layer in layers]) for name, field in FIELDS.items()}
        if self.spread is not None:
            for name, array in stacked.items():
                if name.endswith("_bias"):
                    array[:] = 0
                elif not name.startswith("norm"):
                    array[:] = self.spread * seed.standard_normal(array.shape)
        shapes = {"embeddings": (vocab_size, dim), "cls_embedding": dim, "positions": (1 + self.longest, dim)}
        rows = {name: (self.spread or 1.0) * seed.standard_normal(shape) for name, shape in shapes.items()}
        head = seed.standard_normal(dim if num_classes == 2 else (num_classes, dim)) * (self.spread or dim**-0.5)
        arrays = stacked | rows | {"output_vector": head, "norm_weight": np.ones(dim), "norm_bias": np.zeros(dim)}
        return TransformerParameters(**{name: array.astype(dtype) for name, array in arrays.items()})

    def forward(self, parameters, texts):
        """Return logits in columns; see `AutogradModel.forward`."""
        *_, (states, _) = self._states(parameters, texts)
        last = states[:, 0]
        if self.norm == "before":
            last = functional.layer_norm(last, last.shape[1:], parameters.norm_weight, parameters.norm_bias)
        return functional.linear(last, torch.atleast_2d(parameters.output_vector))

    def _forward_heads(self, parameters, texts):
        """Return the attention of <cls> in each layer and head to each distinct word of a text, shape (n, layers, heads, T)."""
        *inputs, _ = self._states(parameters, texts)
        return torch.stack([self._heads(texts, *each) for each in inputs], 1)

    def forward_attention(self, parameters, texts):
        """Return the mean over the first layer's heads, each as shares of what words get; see `AutogradModel`."""
        heads = self._heads(texts, *next(self._states(parameters, texts)))
        return (heads / heads.sum(-1, keepdim=True)).mean(1)

    @checked(parameters=finite_arrays, corpus=Sequences)
    def head_attention(self, parameters, corpus):
        """Return the attention of <cls> to the words of each text, in every layer and head.

        Parameters
        ----------
        parameters : TransformerParameters
        corpus : Sequences

        Returns
        -------
        ndarray, shape (layers, heads, corpus.counts.nnz)
            One number for each entry of ``corpus.counts.data``, all places of a word in a text together. Over a text
            they sum to one less the attention of <cls> to itself.

        Examples
        --------
        >>> import tokensel_nb as ts
        >>> texts = ts.sequences_from_texts(["good good film", "bad"], ["up", "down"], longest=8)
        >>> model = ts.Transformer(layers=1, heads=2, hidden=8, longest=8)
        >>> start = model.start(texts.vocab_size, dim=4, seed=0)
        >>> model.head_attention(start, texts).round(2).tolist()  # film, good, good; bad: uniform, with <cls>
        [[[0.25, 0.5, 0.5], [0.25, 0.5, 0.5]]]
        """
        return self._of_entries(parameters, corpus, self._forward_heads)

    def widest(self, tokens, dim):
        """Return how many numbers a text takes in the largest array; see `AutogradModel.widest`."""
        return tokens * max(self.heads * tokens, self.hidden, dim)

    def _states(self, parameters, texts):
        """Yield what each layer reads, with the layer's arrays; at last what the last one returns, and None."""
        if (sizes := tuple(parameters.linear1_weight.shape[:2])) != (self.layers, self.hidden):
            raise ValueError(f"linear1_weight has {sizes} layers and hidden units; this model {self.layers, self.hidden}")
        if texts.order is None:
            raise TypeError("a Transformer reads words in their order; give it Sequences, as sequences_from_texts returns them")
        places = texts.order.shape[1]
        if places > (most := min(self.longest, len(parameters.positions) - 1)):
            raise ValueError(f"a text has {places} words, more than longest={most}; cut it, or give a larger one")
        words = functional.embedding(texts.order.clamp(min=0), parameters.embeddings)
        states = torch.cat([parameters.cls_embedding.expand(len(words), 1, -1), words], 1) + parameters.positions[: 1 + places]
        layer, stacked = self._layer(states.shape[2]), parameters.arrays()
        for at in range(self.layers):
            arrays = {name: stacked[field][at] for name, field in FIELDS.items()}
            yield states, arrays
            states = torch.func.functional_call(layer, arrays, states, {"src_key_padding_mask": _padding(texts)})
        yield states, None

    def _heads(self, texts, states, arrays):
        """Return the attention of <cls> in each head of a layer to each distinct word of a text, shape (n, heads, T)."""
        layer = self._layer(states.shape[2])
        if self.norm == "before":
            states = functional.layer_norm(states, states.shape[2:], arrays["norm1.weight"], arrays["norm1.bias"])
        of_attention = {name.removeprefix("self_attn."): array for name, array in arrays.items() if "self_attn" in name}
        wanted = dict(key_padding_mask=_padding(texts), average_attn_weights=False)
        _, weights = torch.func.functional_call(layer.self_attn, of_attention, (states[:, :1], states, states), wanted)
        is_word = texts.order[:, None, :] == torch.where(texts.log_counts > -torch.inf, texts.places, -2)[:, :, None]
        return torch.einsum("nhi,nti->nht", weights[:, :, 0, 1:], is_word.to(weights.dtype))

    def _layer(self, dim):
        """Return one of PyTorch's layers, which holds no numbers and is called with those of a model's parameters."""
        kinds = dict(dropout=0.0, batch_first=True, norm_first=self.norm == "before", device="meta")
        layer = torch.nn.TransformerEncoderLayer(dim, self.heads, self.hidden, **kinds)
        if self.norm == "none":
            layer.norm1 = layer.norm2 = torch.nn.Identity()
        return layer


def _padding(texts):
    """Return where no word stands, <cls> in front, as PyTorch masks it."""
    return functional.pad(texts.order < 0, (1, 0))
