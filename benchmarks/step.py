"""One full-batch gradient step on (E, p, v), all of IMDB, d = 2,048, float32: closed form, textbook, and expert's autograd."""

import math
import warnings
from importlib import import_module
from unittest.mock import patch

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch.nn import functional

from tokensel_nb import descent, init_parameters, load_imdb, to_device
from tokensel_nb.textbook import textbook_logits, tokens_of

from .timing import alternate, peak_memory, row

DIM, RATE = 2048, 1e-3
MEMORY = 8e9  # bytes that the textbook step may use
IN_A_ROW = 5
COPIED = 4 * 2**28  # bytes; far beyond every cache


def measure():
    corpus = load_imdb()
    torch.set_num_threads(1)
    step = stepper(corpus, to_device(init_parameters(corpus.vocab_size, DIM, seed=0), "cpu"))
    expert = expert_step(corpus)

    batch = largest_batch(corpus)
    textbook = textbook_step(corpus[:batch])
    textbook_memory = peak_memory()
    closed, of_expert = alternate(step, expert, rounds=31)
    (of_textbook,) = alternate(textbook, rounds=3)
    per_review, of_textbook = closed / len(corpus), of_textbook / batch
    return [
        row("full-batch step, 25,000 reviews, d = 2,048: closed form", closed * 1e3, "ms"),
        row("full-batch step: autograd on counts (an expert's version)", of_expert * 1e3, "ms"),
        row("full-batch step: times as fast as autograd on counts", of_expert / closed, "×"),
        row("textbook step: reviews in the largest batch within 8 GB", batch, "reviews"),
        row("textbook step, a review", of_textbook * 1e3, "ms"),
        row("a review: times as fast as the textbook", of_textbook / per_review, "×", "≥ 1,000"),
        row("fewest bytes that a step must move", fewest_bytes(corpus) / 1e6, "MB"),
        row("textbook step: peak memory", textbook_memory / 1e9, "GB", "≤ 8"),
        *shares(corpus, 1),
        *shares(corpus, 2),
    ]


def shares(corpus, threads):
    """Return rows on the share of the memory's bandwidth that a step reaches, as numba compiles it and without numba."""
    torch.set_num_threads(threads)
    start, module = init_parameters(corpus.vocab_size, DIM, seed=0), import_module("tokensel_nb.descent")
    with threadpool_limits(threads):
        with patch.object(module, "LARGE", math.inf):
            plain = stepper(corpus, start)
        steps = (stepper(corpus, start), plain, large_copy())
        times = np.array(alternate(*map(in_a_row, steps), rounds=9)) / IN_A_ROW
    bandwidth, name = 2 * COPIED / times[-1], f"{threads} thread{'s' * (threads > 1)}"
    rows = [row(f"{name}: memory bandwidth (copy of 1 GB, read and written)", bandwidth / 1e9, "GB/s")]
    for kind, seconds in zip(("compiled", "without numba"), times):
        rows.append(row(f"{name}: a full-batch step, {kind}", seconds * 1e3, "ms"))
        rows.append(row(f"{name}: its share of the bandwidth, {kind}", fewest_bytes(corpus) / seconds / bandwidth, ""))
    return rows


def in_a_row(step):
    """Return a function that takes a few steps; after others' steps their threads keep a core busy for some milliseconds."""
    return lambda: [step() for _ in range(IN_A_ROW)]


def stepper(corpus, parameters):
    """Return a function that takes a step of gradient descent, after a first one."""
    steps = descent(parameters, corpus, learning_rate=RATE, optimizer="gradient descent")
    step = lambda: next(steps)
    step(), step()  # the first only begins
    return step


def large_copy():
    source = torch.randn(COPIED // 4)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def fewest_bytes(corpus):
    """Return the bytes that any such step has to move between memory and processor.

    E is read for the scores and values. The derivative in the scores depends on all of them, so only then can E be read
    again for the gradients in p and v, and written. The counts (a column and a value for each entry, 4 bytes each) are
    read on the way forth and on the way back. Vectors of length n and |S| stay in the cache and are not counted.
    """
    return 3 * 4 * corpus.vocab_size * DIM + 2 * 8 * corpus.counts.nnz


def autograd_step(vocab_size, loss):
    """Return a function that descends a loss of E, p and v, after a first step that is not counted."""
    parameters = [torch.nn.Parameter(value) for value in to_device(init_parameters(vocab_size, DIM, 0), "cpu")]
    optimizer = torch.optim.SGD(parameters, lr=RATE)

    def step():
        optimizer.zero_grad()
        loss(*parameters).backward()
        optimizer.step()

    step()
    return step


def expert_step(corpus):
    """Autograd as an expert writes it, who knows that counts suffice: two sparse products, the rest is automatic."""
    counts = corpus.counts
    warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
    parts = (torch.from_numpy(part.copy()) for part in (counts.indptr, counts.indices, counts.data.astype("float32")))
    matrix = torch.sparse_csr_tensor(*parts, counts.shape, check_invariants=False)
    labels = torch.from_numpy(corpus.signs).float()

    def loss(embeddings, cls_embedding, output_vector):
        scores, values = (embeddings @ torch.stack([cls_embedding, output_vector], dim=1)).unbind(dim=1)
        weights = torch.exp(scores - scores.max())
        sums = matrix @ torch.stack([weights, weights * values], dim=1)
        return functional.softplus(-labels * sums[:, 1] / sums[:, 0]).mean()

    return autograd_step(corpus.vocab_size, loss)


def textbook_step(corpus):
    """The same by looking up, padding and masking every position."""
    tokens, labels = tokens_of(corpus), torch.from_numpy(corpus.signs)

    def loss(*parameters):
        return functional.softplus(-labels * textbook_logits(*parameters, tokens)).mean()

    return autograd_step(corpus.vocab_size, loss)


def largest_batch(corpus):
    """Return how many of the first reviews fit into MEMORY: 3.5 times their looked-up rows, padded to the longest.

    The rows, their gradient and the temporaries of the backward pass came to 3.1 times when this was written.
    """
    embeddings = 3 * 4 * corpus.vocab_size * DIM  # E, its gradient, and the scattered sum
    batch = 1
    while batch < len(corpus):
        longest = int(corpus.lengths[: batch + 1].max())
        if embeddings + 3.5 * 4 * DIM * longest * (batch + 1) > MEMORY:
            break
        batch += 1
    return batch
