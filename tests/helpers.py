"""What several test modules need: corpora of odd shapes, parameters that are not zero, arrays of every kind."""

import base64
import json
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from scipy import sparse

from tokensel_nb import Corpus, embedding_step, independent_tokens, init_parameters, one_relevant_token
from tokensel_nb.arrays import as_numpy, to_device, to_numpy

KINDS = ["numpy", "cpu", *(["cuda"] if torch.cuda.is_available() else [])]
each_kind = pytest.mark.parametrize("kind", KINDS)
each_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])


def of_kind(value, kind):
    """An array, or arrays under names, as numpy or as tensors on a device."""
    if isinstance(value, np.ndarray):
        return value if kind == "numpy" else torch.as_tensor(value).to(kind)
    return as_numpy(value) if kind == "numpy" else to_device(value, kind)


def on(kind):
    """The option that computes with arrays of a kind, for a start that is numpy."""
    return dict(device=None if kind == "numpy" else kind)


def kind_of(array):
    return "numpy" if isinstance(array, np.ndarray) else array.device.type


@st.composite
def corpora(draw, classes=(2, 3, 5), min_texts=1):
    """Ragged corpora of every odd shape: one text, one word, empty texts, many repeats, texts of unequal weight."""
    texts = draw(st.integers(min_texts, 7))
    words = draw(st.integers(1, 9))
    num_classes = draw(st.sampled_from(classes))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = random.poisson(draw(st.sampled_from([0.2, 1.0, 4.0])), (texts, words))
    labels = random.integers(0, num_classes, texts)
    labels = 2 * labels - 1 if num_classes == 2 else labels
    names = tuple(f"class {k}" for k in range(num_classes))
    weights = draw(st.sampled_from([None, random.exponential(size=texts)]))
    return Corpus(sparse.csr_array(counts), labels, [f"word{s}" for s in range(words)], names, weights)


def short_texts():
    """200 short texts whose words tell the labels, to train on, and 50 others."""
    return independent_tokens(250, 30, 12, 0.7, seed=0).split(0.2, seed=0)


def start_of(corpus, dim=6, dtype="float64"):
    return init_parameters(corpus.vocab_size, dim, 0, num_classes=corpus.num_classes, dtype=dtype)


def random_parameters(corpus, dim, seed, spread=1.0, dtype="float64"):
    """Parameters with p not zero: the scores spread over about ±``spread``."""
    start = init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype=dtype)
    cls_embedding = np.random.default_rng(seed + 1).standard_normal(dim).astype(dtype)
    largest = np.abs(start.embeddings @ cls_embedding).max()
    return start._replace(cls_embedding=cls_embedding * np.asarray(spread / largest, dtype))


def after_one_step(corpus, dim, rate, seed=0, dtype="float64"):
    return embedding_step(init_parameters(corpus.vocab_size, dim, seed, dtype=dtype), corpus, rate)


def small(dim=40, rate=40.0, seed=0):
    """Assumption 1 with 16 tokens after a step on E: small enough for autograd and for matrices of weights."""
    corpus = one_relevant_token(24, 16, 5, 2, seed)
    return corpus, after_one_step(corpus, dim, rate, seed)


class Scored(NamedTuple):
    """Parameters of somebody's model, one of which is a number."""

    embeddings: Any
    query: Any
    bias: Any


def sigmoids(parameters, counts):
    """Somebody's model: attention by sigmoids, with a bias."""
    weights = torch.sigmoid(parameters.embeddings @ parameters.query)
    return counts @ (weights * parameters.embeddings.sum(1)) / (counts @ weights) + parameters.bias


def flat(parameters):
    """All numbers of named arrays, one after another."""
    return np.concatenate([to_numpy(array).ravel() for array in parameters])


def relative_error(found, wanted):
    """Error of the whole gradient, in the norm: ‖found - wanted‖ / ‖wanted‖."""
    return np.linalg.norm(flat(found) - flat(wanted)) / np.linalg.norm(flat(wanted))


def alike(one, other, kind=None):
    """Whether arrays agree in every bit; or nearly, on a GPU, which may add a sparse product up in any order."""
    if kind != "cuda":
        return np.array_equal(one, other, equal_nan=True)
    return np.allclose(one, other, rtol=0, atol=1e-4, equal_nan=True)  # 24 steps of Adam make 4e-6 of 1e-7 in every sum


def equal(one, other, kind=None):
    """Whether named arrays, computed on that kind, are `alike`, and their names equal."""
    return type(one) is type(other) and all(alike(*pair, kind) for pair in zip(as_numpy(one), as_numpy(other)))


ROWS = [("a good film", "pos"), ("a bad film", "neg"), ("good good", "pos")]


def written(path, rows=ROWS, columns=("text", "label")):
    """Write a table in the format that the file's name ends in, and return the path."""
    import pandas as pd

    table = pd.DataFrame(rows, columns=list(columns))
    kind = [suffix for suffix in path.suffixes if suffix != ".gz"][-1]
    if kind == ".parquet":
        table.to_parquet(path)
    elif kind == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    return path


def raising(error):
    """Return a function that takes anything and raises the error."""
    return Mock(side_effect=error)


def shipped(name):
    """Return what a data file of the pages' playthings holds."""
    assignment = (Path(__file__).parents[1] / "book/_static/playthings" / f"{name}.js").read_text("utf-8")
    return json.loads(assignment.split(" = ", 1)[1].removesuffix(";\n"))


def unpacked(numbers):
    """Read packed numbers, written apart from the script that does so on the pages."""
    low_high = np.frombuffer(base64.b64decode(numbers["bytes"]), np.uint8).reshape(2, -1)
    return numbers["step"] * (low_high[0].astype(np.int32) + 256 * low_high[1].astype(np.int32)).astype(np.int16)
