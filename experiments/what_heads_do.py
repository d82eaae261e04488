"""What words and heads do for a transformer's verdict: one-word logits, words left out, heads blind or replaced by a mean."""

from dataclasses import dataclass, fields

import numpy as np
import torch
from scipy import sparse

import tokensel_nb as ts
from tokensel_nb.arrays import like
from tokensel_nb.deeper import over_texts
from tokensel_nb.heads import COMMON, GROUP
from tokensel_nb.matched import correlation_at_equal
from tokensel_nb.transformer import order_of, padding

from .recording import rounded

PER_CLASS = 5  # texts of each class that a word is left out of, at most


@dataclass(frozen=True)
class Changed(ts.Transformer):
    """A transformer whose <cls> alone passes the layers with other arrays; all other places pass them as they are."""

    instead: ts.TransformerParameters | None = None

    def _passed(self, at, states, arrays, hidden):
        other = {name: like(array, states) for name, array in self.instead.layers()[at].items()}
        cls = super()._passed(at, states, other, hidden)[:, :1]
        return torch.cat([cls, super()._passed(at, states, arrays, hidden)[:, 1:]], 1)


@torch.no_grad()
def head_means(model, parameters, layer, texts):
    """Return what the heads of a layer hand to <cls>, one below the other: the mean over texts."""

    def handed(some, batch):
        states, attention, own = model._attention_of(model._states(some, batch)[layer], some.layers()[layer])
        dim = states.shape[2]
        own |= {"out_proj.weight": torch.eye(dim).to(states), "out_proj.bias": torch.zeros(dim).to(states)}
        options = {"key_padding_mask": padding(order_of(batch, states)), "need_weights": False}
        return torch.func.functional_call(attention, own, (states[:, :1], states, states), options)[0][:, 0]

    return over_texts(handed, ts.to_device(parameters, "cpu"), texts.operator).mean(0).numpy()


def changed_to(model, instead):
    """Return the same transformer with other arrays for <cls>."""
    return Changed(**{each.name: getattr(model, each.name) for each in fields(ts.Transformer)}, instead=instead)


def rows_of(model, parameters, head):
    """Return a head's places among the queries, and in what heads hand on."""
    size = parameters.embeddings.shape[1] // model.heads
    return slice(head * size, (head + 1) * size)


def blind(model, parameters, heads, _texts):
    """Return a model in which some heads, each a layer and a number, let <cls> look everywhere alike."""
    changed = type(parameters)(*map(np.copy, parameters))
    for layer, head in heads:
        for queries in (changed.in_proj_weight, changed.in_proj_bias):
            queries[layer, rows_of(model, parameters, head)] = 0
    return changed_to(model, changed)


def averaged(model, parameters, heads, texts):
    """Return a model in which some heads hand <cls> the same in every text: their mean over texts."""
    changed = type(parameters)(*map(np.copy, parameters))
    for layer, head in heads:
        rows = rows_of(model, parameters, head)
        changed.out_proj_bias[layer] += (
            changed.out_proj_weight[layer][:, rows] @ head_means(model, parameters, layer, texts)[rows]
        )
        changed.out_proj_weight[layer][:, rows] = 0
    return changed_to(model, changed)


def one_word_logits(model, parameters, texts):
    """Return the logit of each word, alone in a text."""
    words, counts = np.arange(texts.vocab_size), np.eye(texts.vocab_size, dtype=int)
    return ts.logits(parameters, ts.Corpus(counts, words % 2, texts.vocabulary, tokens=words[:, None]), model)


def without(texts, words):
    """Return, for a few texts of each class with a word and others, their rows, the words, and what is left of them."""
    counts, rows = texts.counts, np.repeat(np.arange(len(texts)), np.diff(texts.counts.indptr))
    kept = np.flatnonzero(np.isin(counts.indices, words) & (counts.data < texts.lengths[rows]))
    kinds = 2 * counts.indices[kept] + texts.labels[rows[kept]]
    order = np.argsort(kinds, kind="stable")
    number = np.arange(len(order)) - np.searchsorted(kinds[order], kinds[order])
    kept = np.sort(kept[order[number < PER_CLASS]])
    rows, gone = rows[kept], counts.indices[kept]
    tokens = np.where(texts.tokens[rows] == gone[:, None], -1, texts.tokens[rows])
    tokens = np.take_along_axis(tokens, np.argsort(tokens < 0, axis=1, kind="stable"), axis=1)
    counts = counts[rows] - sparse.csr_array((counts.data[kept], gone, np.arange(len(rows) + 1)), counts[rows].shape)
    return rows, gone, ts.Corpus(counts, texts.labels[rows], texts.vocabulary, tokens=tokens)


def effects(model, parameters, logits, left_out):
    """Return by how much each word raises logits of texts that hold it, the mean of both classes; NaN without such texts."""
    (rows, gone, rest), found = left_out, []
    moves = logits[rows] - ts.logits(parameters, rest, model)
    for label in (0, 1):
        of = rest.labels == label
        sums, numbers = (np.bincount(gone[of], each, rest.vocab_size) for each in (moves[of], None))
        with np.errstate(invalid="ignore"):
            found.append(sums / numbers)
    return np.mean(found, axis=0)


def ends_of(frequency, skew, words):
    """Return the twentieths of the most frequent words with the lowest and the highest skew, and the half between them."""
    common = words[np.argsort(-frequency[words], kind="stable")[:COMMON]]
    order = common[np.argsort(skew[common], kind="stable")]
    return order[: len(order) // 20], order[-(len(order) // 20) :], order[len(order) // 4 : -(len(order) // 4)]


def value(amounts, frequency, skew, words):
    """Return how far amounts follow the skew at equal frequency."""
    words = words[np.isfinite(amounts[words])]
    return rounded([correlation_at_equal(frequency[words], skew[words], amounts[words], GROUP)])
