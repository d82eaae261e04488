"""The model as a textbook writes it: tokens in a padded batch, `nn.Embedding`, masked softmax, autograd.

It is slow and plain on purpose: the oracle for the closed form of `one_layer`.
"""

from __future__ import annotations

import re

import numpy as np
import torch
from torch.nn import functional

from .arrays import like, to_device
from .parameters import Parameters

PADDING = -1


def tokens_of(corpus):
    """Return counts as token ids, shape (n, longest text): word s c_s times, in the order of columns, then `PADDING`."""
    counts = corpus.counts
    return _padded(np.split(np.repeat(counts.indices, counts.data), corpus.lengths.cumsum()[:-1]))


def tokens_in_order(texts, vocabulary):
    """Return the words of texts in their order as token ids, as in `tokens_of`; unknown words are left out."""
    # Independent of `text`, in plain Python, so that the two can be compared.
    ids = {word: s for s, word in enumerate(vocabulary)}
    words = (re.findall(r"\w+", re.sub(r"<br\s*/?>", " ", text.lower())) for text in texts)
    return _padded([[ids[word] for word in of_text if word in ids] for of_text in words])


def _padded(rows):
    rows = [torch.tensor(row, dtype=torch.int64) for row in rows]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)


def textbook_logits(embeddings, cls_embedding, output_vector, tokens):
    """Return f(X) = Softmax(pᵀE_Xᵀ) E_X v of padded sequences, differentiable, shape (n,) or (n, K)."""
    present = tokens != PADDING
    rows = functional.embedding(tokens.clamp(min=0), embeddings)  # (n, T, d): the closed form never needs it
    scores = (rows @ cls_embedding).masked_fill(~present, -torch.inf)
    scores = torch.where(present.any(dim=1, keepdim=True), scores, 0.0)
    attention = torch.softmax(scores, dim=1) * present
    attended = torch.einsum("nt,ntd->nd", attention, rows)
    return attended @ (output_vector.T if output_vector.ndim == 2 else output_vector)


def textbook_gradients(parameters, corpus) -> Parameters:
    """Return the gradient of the mean loss by automatic differentiation, with shapes and kind of the parameters."""
    leaves = [array.detach().clone().requires_grad_() for array in to_device(parameters)]
    place = leaves[0].device
    outputs = textbook_logits(*leaves, tokens_of(corpus).to(place))
    labels = torch.tensor(corpus.labels, device=place)
    if corpus.num_classes == 2:
        losses = functional.binary_cross_entropy_with_logits(outputs, labels.to(outputs), reduction="none")
    else:
        losses = functional.cross_entropy(outputs, labels, reduction="none")
    gradients = torch.autograd.grad(losses @ torch.tensor(corpus.mean_weights).to(losses), leaves)
    return Parameters(*(like(gradient, parameters.embeddings) for gradient in gradients))
