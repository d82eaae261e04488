"""Training alone, the texts counted: this package against fastText and scikit-learn's logistic regression.

IMDB, 20,000 reviews to train on and 5,000 held out, the same for all, on the same cores. fastText reads a file, lower case,
without punctuation and tags, the reviews in random order (their own order, all negative first, would mislead it), and reads it
again in every epoch; what an epoch costs is told from runs of different length. Settings: each library's defaults, and the best
that a small search found for it.
"""

import re
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from tokensel_nb import accuracy, corpus_from_texts, init_parameters, read_imdb, train

from .timing import alternate, peak_memory, row, told_by

OURS = 256, dict(steps=24, learning_rate=0.01, evaluate_every=24)
CAREFUL = 2048, dict(steps=25, learning_rate=0.003, evaluate_every=25)
MIN_COUNT = 45  # as `load_imdb` counts
CLEAN = re.compile(r"<br\s*/?>|[^\w]+")


def measure():
    reviews = read_imdb()
    order = np.random.default_rng(0).permutation(len(reviews))
    (others, wanted), (texts, labels) = (
        ([reviews.texts[i] for i in rows], reviews.labels[rows]) for rows in np.split(order, [5000])
    )
    corpus = corpus_from_texts(texts, labels, min_count=MIN_COUNT)
    test = corpus_from_texts(others, wanted, vocabulary=corpus.vocabulary)
    results = {}

    def trained(dim, options):
        start = init_parameters(corpus.vocab_size, dim, seed=0)
        return train(start, corpus[:], **options).parameters  # a corpus for which nothing is prepared

    def ours():
        results["ours"] = trained(*OURS)

    def careful():
        results["careful"] = trained(*CAREFUL)

    def regression():
        results["regression"] = LogisticRegression(max_iter=1000).fit(corpus.counts, labels)

    def tuned_regression():
        results["tuned"] = LogisticRegression(C=0.1, solver="liblinear").fit(corpus.counts, labels)

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.txt", "test.txt")]
        write(paths[0], texts, labels)
        write(paths[1], others, wanted)
        ours()  # warm
        rounds = [
            [*alternate(ours, careful, rounds=1), *told_by(BY_FASTTEXT, *paths, 4), *told_by(BY_FASTTEXT, *paths, 1)]
            for _ in range(5)
        ]
    alone, slow, fast, fasttext_accuracy, short, _ = np.median(rounds, axis=0)
    of_regression, of_tuned = alternate(regression, tuned_regression, rounds=3)
    epochs = 4 / 3 * (fast - short)  # four epochs, without what comes before them: reading the file for its words
    return [
        row("training alone: this package, d = 256", alone, "s"),
        row("its held-out accuracy", accuracy(results["ours"], test), "", "≥ 0.885"),
        row("training alone: fastText, four epochs", epochs, "s"),
        row("fastText's held-out accuracy", fasttext_accuracy, ""),
        row("training alone: times as fast as fastText", epochs / alone, "×", "≥ 5"),
        row("training alone: this package, d = 2,048", slow, "s"),
        row("its held-out accuracy, d = 2,048", accuracy(results["careful"], test), ""),
        row("logistic regression, scikit-learn's defaults", of_regression, "s"),
        row("its held-out accuracy (defaults)", results["regression"].score(test.counts, test.labels), ""),
        row("training alone: times as fast as logistic regression (defaults)", of_regression / alone, "×", "≥ 10"),
        row("logistic regression, C = 0.1, liblinear", of_tuned, "s"),
        row("its held-out accuracy (C = 0.1)", results["tuned"].score(test.counts, test.labels), ""),
        row("training alone: times as fast as logistic regression (C = 0.1)", of_tuned / alone, "×"),
        row("peak memory, all contestants in one process", peak_memory() / 1e9, "GB"),
    ]


# In a process of its own, for fastText does not bear memory that others have used: seconds and accuracy.
BY_FASTTEXT = """
import fasttext, sys, time
start = time.perf_counter()
model = fasttext.train_supervised(sys.argv[1], lr=0.3, epoch=int(sys.argv[3]), thread=2, verbose=0)
print(time.perf_counter() - start, model.test(sys.argv[2])[1])
"""


def write(path, texts, labels):
    with path.open("w", encoding="utf-8") as file:
        for text, label in zip(texts, labels):
            file.write(f"__label__{label} {CLEAN.sub(' ', text.lower())}\n")
