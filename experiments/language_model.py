r"""A small causal language model, and the law of its first step: a projection of the centred bigram table.

The law of the first step. Windows have T places; at place t the model reads the word w_t, and the next word is n_t. The
logits are U h_t + b, and N places are guessed in all. Let J_tj = ∂h_t/∂x_j be how the state depends on the row that is read
at place j ≤ t, and π_t the softmax of the logits. For any matrices A, B and any distribution π, write J_tj = [j = t] A +
B/(t+1) + R_tj and π_t = π + ρ_t. By the chain rule, with rows as vectors::

    -N ∂L/∂E_s = Σ_{j≤t, w_j=s} (e_{n_t} - π_t)ᵀ U J_tj = [(C - C1πᵀ) U A + (M - M1πᵀ) U B]_s + r_s,
    ‖r_s‖ ≤ ‖U‖ Σ_{j≤t, w_j=s} (‖ρ_t‖ ([j=t] ‖A‖ + ‖B‖/(t+1)) + √2 ‖R_tj‖),

C_sk how often k follows s, and M_sk the sum, over places followed by k, of the share of s among the words read so far. (Split
e - π_t into e - π and -ρ_t, J into its parts, and sum; ‖e - π_t‖ ≤ √2.) So a step of size η moves E by η/N times the bracket:
a projection of the *centred bigram table* to d numbers by U, and one of what was read before.

When is r small? π is the words' frequency, b its logarithm; ‖ρ_t‖ ≤ ½‖U h_t‖, since the softmax is ½-Lipschitz. Without
layers and LayerNorm h_t = x_t, A = 1, B = 0 and R = 0: all that is left is ρ. With layers, without LayerNorm, from ε times
fixed arrays: scores are O(ε⁴), so each attention is the mean of all places read, up to that; one passage gives B = O(ε²), a
second attention or an MLP on the way costs O(ε²) more, and the own MLP makes R_tt = O(ε²). With LayerNorm before each part
and behind all, as here, that needs ε² below the constant under LayerNorm's root; else LayerNorm turns each word's own way,
and R/A is about 1/√d at the end alone. A and B are measured by autograd on random words, which know nothing of neighbours;
nothing is fitted.

Reading back. Let U have independent N(0, σ²) entries, S words, and x be a row of the centred table. With A = 1 the row read
back is y = x UUᵀ. Given x, E y = dσ² x, and entry k has the variance dσ⁴ (‖x‖² + x_k²). So the correlation of y and x
concentrates at ‖x‖/√(‖x‖² + S‖x‖²/d) = (1 + S/d)^(-1/2), up to O(1/√d) of it. With layers y = x U AAᵀ Uᵀ, and d becomes (tr
AAᵀ)²/tr((AAᵀ)²).
"""

import numpy as np
import torch
from torch.nn import functional

from .next_words import LONGEST

DIM, HEADS, HIDDEN, SPREAD, BATCH = 64, 4, 128, 0.02, 16


class LanguageModel(torch.nn.Module):
    """PyTorch's layers with a causal mask between embeddings and an output matrix of its own; at depth 0 no LayerNorm."""

    def __init__(self, frequency, layers, dim=DIM, seed=0, spread=SPREAD, longest=LONGEST):
        super().__init__()
        torch.manual_seed(seed)
        self.embeddings, self.positions = torch.nn.Embedding(len(frequency), dim), torch.nn.Embedding(longest, dim)
        kinds = dict(dropout=0.0, batch_first=True, norm_first=True)
        self.layers = torch.nn.ModuleList(torch.nn.TransformerEncoderLayer(dim, HEADS, HIDDEN, **kinds) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(dim) if layers else torch.nn.Identity()
        self.output = torch.nn.Linear(dim, len(frequency))
        self.mask = torch.nn.Transformer.generate_square_subsequent_mask(longest)
        for name, array in self.named_parameters():
            if array.ndim > 1:
                torch.nn.init.normal_(array, std=spread)
            elif "norm" not in name:
                torch.nn.init.zeros_(array)
        self.output.bias.data = torch.tensor(np.log(frequency), dtype=self.output.weight.dtype)

    def read(self, words):
        """Return the rows that the layers read: of words and of places."""
        return self.embeddings(words) + self.positions.weight[: words.shape[1]]

    def causal(self, states):
        """Return the mask that hides later places."""
        return self.mask[: states.shape[1], : states.shape[1]].to(states.dtype)

    def inputs(self, states):
        """Yield what each layer reads, and at last what the output matrix reads."""
        for layer in self.layers:
            yield states
            states = layer(states, src_mask=self.causal(states), is_causal=True)
        yield self.norm(states)

    def states(self, rows):
        """Return what the output matrix reads at each place."""
        *_, last = self.inputs(rows)
        return last

    def forward(self, words):
        """Return the logits of the next word at each place."""
        return self.output(self.states(self.read(words)))

    def attention(self, words):
        """Return each layer's attention, the mean of its heads: (layers, texts, place, place looked at)."""
        *inputs, _ = self.inputs(self.read(words))
        normed = [layer.norm1(states) for layer, states in zip(self.layers, inputs)]
        return torch.stack([layer.self_attn(x, x, x, attn_mask=self.causal(x))[1] for layer, x in zip(self.layers, normed)])


def batches(*arrays, size=BATCH):
    """Yield rows of arrays as tensors, some at a time."""
    for start in range(0, len(arrays[0]), size):
        yield [torch.as_tensor(array[start : start + size]) for array in arrays]


def movement(model, windows, nexts):
    """Return -∂L/∂E over all windows."""
    model.zero_grad()
    for words, wanted in batches(windows[:, :-1], nexts):
        functional.cross_entropy(model(words).flatten(0, 1), wanted.flatten(), reduction="sum").backward()
    return -model.embeddings.weight.grad.numpy() / nexts.size


def passages(model, windows):
    """Return A and B, how a state depends on its own word and on the mean of all words read, from windows of random words."""
    if not model.layers:
        return np.eye(model.output.in_features), np.zeros((model.output.in_features,) * 2)
    rows = model.read(torch.as_tensor(windows)).detach().requires_grad_()
    texts, places = torch.arange(len(rows)), torch.arange(len(rows)) % rows.shape[1]
    states = model.states(rows)[texts, places]
    ways = torch.stack([torch.autograd.grad(states[:, i].sum(), rows, retain_graph=True)[0] for i in range(states.shape[1])], 2)
    own, read = ways[texts, places], ways.sum(1) - ways[texts, places]
    later = places > 0
    mean = (read[later] * ((places + 1) / places)[later, None, None]).mean(0)
    return ((own - mean / (1 + places)[:, None, None]).mean(0)).numpy(), mean.numpy()


def r_squared(moved, predicted):
    """Return the share of a movement that is predicted."""
    return 1 - ((moved - predicted) ** 2).sum() / (moved**2).sum()
