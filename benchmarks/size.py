"""What a step of training costs against the size of the corpus: 1,000 to 560,000 reviews, as many as Yelp has.

Beyond IMDB's 25,000 the reviews are drawn again and again: the cost knows nothing of their contents. The result is also
recorded under ``size``, for the figure in 04_reviews.
"""

import numpy as np
import torch

from experiments.recording import record
from tokensel_nb import init_parameters, load_imdb, to_device

from .step import stepper
from .timing import alternate, peak_memory, row

SIZES = [1_000, 3_000, 10_000, 25_000, 60_000, 140_000, 280_000, 560_000]
DIM = 64


def measure():
    imdb = load_imdb()
    parameters = to_device(init_parameters(imdb.vocab_size, DIM, seed=0), "cpu")
    random = np.random.default_rng(0)
    seconds, tokens = [], []
    for size in SIZES:
        corpus = imdb[np.sort(random.choice(len(imdb), size, replace=size > len(imdb)))]
        tokens.append(int(corpus.lengths.sum()))
        (each,) = alternate(stepper(corpus, parameters), rounds=15)
        seconds.append(each)
    results = {"reviews": SIZES, "tokens": tokens, "milliseconds": [1e3 * each for each in seconds], "dim": DIM}
    record("size", results)
    large = np.array(tokens) > 1e6  # below, the part that is the same for every corpus shows
    x, y = np.array(tokens)[large], np.array(seconds)[large]
    slope, _ = np.polyfit(x, y, 1)
    straight = np.corrcoef(x, y)[0, 1] ** 2
    return [
        row("a step, d = 64, 560,000 reviews (IMDB's, repeated)", seconds[-1] * 1e3, "ms"),
        row("a step: nanoseconds a token", slope * 1e9, "ns"),
        row("a step: share of the variance that a straight line in tokens explains", straight, ""),
        row("560,000 reviews: peak memory, counts prepared and steps taken", peak_memory() / 1e9, "GB", "≤ 8"),
        row("threads", torch.get_num_threads(), ""),
    ]
