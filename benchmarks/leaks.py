"""A planted word that gives the label away: its rank among the suspicious words, and false alarms where none is planted.

A made-up word is put, at a random place, into 1% of the texts of one class, at least 20; with three counter-examples it
also stands in three texts of other classes. Every plant has a data set of its own. Beside the report stands what
one would look at without it: words of one class only, by number of texts.
"""

import argparse
import json
import warnings

import numpy as np

import tokensel_nb as ts

WORD = "zqxleak"


def any_texts(labels, size, random):
    return random.permutation(len(labels))[:size]


def tenth_positive(labels, size, random):
    sides = ((0, size * 9 // 10), (1, size // 10))
    return random.permutation(np.concatenate([random.permutation(np.flatnonzero(labels == k))[:many] for k, many in sides]))


SETS = {
    "Rotten Tomatoes": (ts.read_rotten_tomatoes, any_texts, 8530),
    "IMDB": (ts.read_imdb, any_texts, 4000),
    "IMDB, 10% positive": (ts.read_imdb, tenth_positive, 4000),
}
LARGE = {"IMDB, all": (ts.read_imdb, any_texts, 25000)}


def planted(texts, labels, of, counters, seed):
    """Return the texts with the word in 1% of those of one class, at least 20, and in some of other classes."""
    random = np.random.default_rng(1000 + seed)
    rows = random.choice(np.flatnonzero(labels == of), max(20, round(0.01 * (labels == of).sum())), replace=False)
    rows = np.append(rows, random.choice(np.flatnonzero(labels != of), counters, replace=False))
    texts = list(texts)
    for row in rows:
        words = texts[row].split(" ")
        words.insert(random.integers(len(words) + 1), WORD)
        texts[row] = " ".join(words)
    return texts


def judged(texts, labels, seed):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return ts.report(ts.TextClassifier(), texts, labels, quotes=0, seed=seed)


def rank(found):
    """Return the rank of the planted word, or of an n-gram that holds it."""
    held = np.flatnonzero([WORD in word.split(" ") for word in found.ranked.word])
    return int(held[0]) + 1 if len(held) else len(found.ranked) + 1


def by_one_class(found):
    """Return its rank among words of one class only, by number of texts."""
    table = found.table
    share = (1 + table["skew"].abs()) / 2
    of_one = table[share == 1].sort_values("texts", ascending=False, kind="stable")
    held = np.flatnonzero(of_one.word == WORD)
    return int(held[0]) + 1 if len(held) else len(table)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--seeds", type=int, nargs="+", default=[100, 101, 102, 103, 104], help="others than were developed with"
    )
    options.add_argument("--large", action="store_true", help="all 25,000 reviews of IMDB instead")
    options.add_argument("--only", help="a part of the name of a set")
    asked = options.parse_args()
    rows = []
    for name, (read, choose, size) in (LARGE if asked.large else SETS).items():
        if asked.only and asked.only not in name:
            continue
        reviews = read()
        for seed in asked.seeds:
            rows_of_seed = choose(reviews.labels, size, np.random.default_rng(seed))
            texts, labels = [reviews.texts[row] for row in rows_of_seed], reviews.labels[rows_of_seed]
            true = judged(texts, labels, seed)
            shuffled = judged(texts, np.random.default_rng(seed).permutation(labels), seed)
            alarms = dict(true=true.suspicious, shuffled=shuffled.suspicious)
            rows.append(dict(set=name, seed=seed, alarms=alarms))
            print(name, seed, alarms, flush=True)
            for of in (0, 1):
                for counters in (0, 3):
                    found = judged(planted(texts, labels, of, counters, seed), labels, seed)
                    places = dict(rank=rank(found), one_class=by_one_class(found))
                    alarm = any(WORD in word for word in found.suspicious)
                    rows.append(dict(set=name, seed=seed, of=of, counters=counters, alarm=alarm, **places))
                    print(name, seed, f"class {of}, {counters} counter-examples:", places, "alarm" if alarm else "", flush=True)
    ranks = np.array([row["rank"] for row in rows if "rank" in row])
    print(f"rank at most 3: {(ranks <= 3).mean():.2f}, at most 10: {(ranks <= 10).mean():.2f}, of {len(ranks)} plants")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
