"""From raw reviews to a classifier: this package against fastText and scikit-learn's logistic regression.

IMDB, 20,000 reviews to train on and 5,000 held out, the same for all, on the same cores. fastText reads a file: the reviews
in random order (their own order, all negative first, would mislead it), lower case, without punctuation and tags. Writing
and cleaning that file is counted apart. Its own time reads the file again in every epoch; what an epoch costs is told from
runs of different length. Settings: each library's defaults, and the best that a small search found for it.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from tokensel_nb import accuracy, corpus_from_texts, read_imdb, train
from tokensel_nb.datasets import IMDB_MIN_COUNT

from .timing import alternate, peak_memory, row

OURS = dict(dim=256, steps=24, learning_rate=0.01, evaluate_every=24)
CAREFUL = dict(dim=2048, steps=25, learning_rate=0.003, evaluate_every=25)
CLEAN = re.compile(r"<br\s*/?>|[^\w]+")


def main():
    reviews = read_imdb()
    order = np.random.default_rng(0).permutation(len(reviews))
    held_out, rows = order[:5000], order[5000:]
    texts, labels = [reviews.texts[i] for i in rows], reviews.labels[rows]
    results = {}

    def read():
        return corpus_from_texts(texts, labels, min_count=IMDB_MIN_COUNT)

    corpus = read()
    test = corpus_from_texts([reviews.texts[i] for i in held_out], reviews.labels[held_out], vocabulary=corpus.vocabulary)

    def ours_from_text():
        results["ours"] = train(read(), **OURS).parameters

    def fresh():
        """A corpus for which nothing is prepared."""
        return corpus[:]

    def ours():
        train(fresh(), **OURS)

    def careful():
        results["careful"] = train(fresh(), **CAREFUL).parameters

    def regression():
        results["regression"] = LogisticRegression(max_iter=1000).fit(corpus.counts, labels)

    def tuned_regression():
        results["tuned"] = LogisticRegression(C=0.1, solver="liblinear").fit(corpus.counts, labels)

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.txt", "test.txt")]
        write(paths[1], [reviews.texts[i] for i in held_out], reviews.labels[held_out])
        ours()  # warm
        rounds = []
        for _ in range(5):
            times = alternate(ours_from_text, ours, careful, lambda: write(paths[0], texts, labels), rounds=1)
            rounds.append([*times, by_fasttext(paths, 4), by_fasttext(paths, 1)])
    whole, alone, slow, cleaning, (fast, fasttext_accuracy), (short, _) = np.median(
        [[(each, 0) if np.isscalar(each) else each for each in times] for times in rounds], axis=0
    )
    whole, alone, slow, cleaning = whole[0], alone[0], slow[0], cleaning[0]
    of_regression, of_tuned = alternate(regression, tuned_regression, rounds=3)
    epochs = 4 / 3 * (fast - short)  # four epochs, without what comes before them: reading the file for its words
    print(
        json.dumps(
            [
                row("raw text to classifier: this package, d = 256", whole, "s"),
                row("its held-out accuracy", accuracy(results["ours"], test), "", "≥ 0.885"),
                row("raw text to classifier: fastText, four epochs, a cleaned file given", fast, "s"),
                row("writing the cleaned file for fastText", cleaning, "s"),
                row("fastText's held-out accuracy", fasttext_accuracy, ""),
                row("raw text to classifier: times as fast as fastText, its cleaning not counted", fast / whole, "×", "> 1"),
                row("training alone: this package, d = 256", alone, "s"),
                row("training alone: fastText, four epochs", epochs, "s"),
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
        )
    )


BY_FASTTEXT = """
import fasttext, sys, time
start = time.perf_counter()
model = fasttext.train_supervised(sys.argv[1], lr=0.3, epoch=int(sys.argv[3]), thread=2, verbose=0)
print(time.perf_counter() - start, model.test(sys.argv[2])[1])
"""


def by_fasttext(paths, epochs):
    """Return fastText's seconds and accuracy, in a process of its own: it does not bear memory that others have used."""
    command = [sys.executable, "-W", "ignore", "-c", BY_FASTTEXT, *map(str, paths), str(epochs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return tuple(map(float, done.stdout.split()))


def write(path, texts, labels):
    with path.open("w", encoding="utf-8") as file:
        for text, label in zip(texts, labels):
            file.write(f"__label__{label} {CLEAN.sub(' ', text.lower())}\n")


if __name__ == "__main__":
    main()
