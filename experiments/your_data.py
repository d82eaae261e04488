"""Planted marks and lines, and labels that mean nothing, which 14_your_data shows recorded: about eight minutes.

The protocol, committed before the official run; trials had seeds below 1,000. From each corpus, DRAWS draws of SIDE texts of
either class (of tweets, too, of which most are negative). In each draw, one report each:

marks     A made-up word before 30 texts of one class, and before none or STRAYS of the other, for each class: its place among
          the suspicious words, and its suspicion. Target, on IMDB: place 10 at most, the worst of all; the chapter's own, of
          2026-11-22, missed on the one draw that it had.
larger    The same before 60 texts, and no other. It describes.
lines     A line at the end of 60 texts of one class, and (the control) of 30 texts of either: its suspicion, and the largest of
          one of its words alone. Target, on IMDB: 0.5 at least where one class has it, the smallest of all draws.
named     Words called suspicious with true labels, and with shuffled ones. Target, on IMDB: 5 of the latter at most.

The other corpora get no bound: what they show is described. The chapter's plaything has a part of its own, `planted`, on the
chapter's own reviews, with its split into two parts: a made-up word before MARKED negative reviews and before STRAY positive
ones, the first of one order of each class, so that more marks only add to fewer. As a control, without a mark, the labels are
shuffled SHUFFLES times. Every report gives its first TEN words. It describes, too: one draw, and no bound. So does `named`:
what the report names in each whole corpus, in a random order, since IMDB stores one class first.
"""

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.datasets.imdb import read_imdb
from tokensel_report.your_data import judged, place_of_mark

SEED, DRAWS, SIDE, STRAYS = 20261125, 5, 3000, 3
READS = {"IMDB": read_imdb, "Rotten Tomatoes": ts.read_rotten_tomatoes, "tweets": ts.read_tweets}
CLASSES = ("negative", "positive")
MARK, MARKED, STRAY, TEN, SHUFFLES = "zqx", (0, 5, 10, 20, 30, 40, 60), (0, 1, 3, 6), 10, 5


def suspicion_of_line(texts, labels, *classes) -> dict:
    """Put a line at the end of 60 texts, shared by some classes; return its suspicion, and the largest of one of its words."""
    random, marked = np.random.default_rng(3), texts.copy()
    for name in classes:
        own = np.flatnonzero(labels == name)
        marked[random.choice(own, 60 // len(classes), replace=False)] += " sent from my galaxy phone"
    lines = judged(marked, labels, seed=1)
    row = next(name for name in lines.together if "galaxy phone" in name)
    suspicions = lines.table.set_index("word").suspicion
    alone = suspicions[lines.together[row]].max()
    return {"classes": classes, "together": round(suspicions[row], 4), "alone": round(alone, 4)}


def drawn(reviews, seed, side=SIDE) -> tuple:
    """Draw as many texts of either class, in their old order, with their labels."""
    random = np.random.default_rng(seed)
    some = np.sort(np.concatenate([random.permutation(np.flatnonzero(reviews.labels == k))[:side] for k in range(2)]))
    return np.array(reviews.texts, dtype=object)[some], np.array(reviews.class_names)[reviews.labels[some]]


def placed(texts, labels, others, share=0.01) -> list:
    """Return the place and the suspicion of a mark of either class."""
    found = [place_of_mark(texts, labels, of_class, others, share) for of_class in CLASSES]
    return [[each["place"], each["suspicion"]] for each in found]


def line(texts, labels, *classes) -> list:
    """Return the suspicion of a line, and the largest of one of its words alone."""
    found = suspicion_of_line(texts, labels, *classes)
    return [found["together"], found["alone"]]


def found_in(texts, labels, seed) -> dict:
    """Return what all reports on one draw say."""
    named = lambda of, seed: {"number": len(of.suspicious), "highest": round(of.ranked.suspicion.max(), 4), "seed": seed}
    return {
        "pure": placed(texts, labels, 0),
        "strays": placed(texts, labels, STRAYS),
        "larger": placed(texts, labels, 0, share=0.02),
        "line": line(texts, labels, "positive"),
        "control line": line(texts, labels, *CLASSES),
        "true": named(judged(texts, labels, seed=seed), seed),
        "shuffled": named(judged(texts, np.random.default_rng(seed).permutation(labels), seed=seed), seed),
    }


def leaks() -> dict:
    """Return what is found in every draw of every corpus."""
    found = {name: [] for name in READS}
    for name, read in READS.items():
        reviews = read()
        for seed in tqdm(range(SEED, SEED + DRAWS), desc=name, unit="draw"):
            found[name].append(found_in(*drawn(reviews, seed), seed))
    return found


def chapters_own() -> tuple:
    """Return the 6,000 reviews of 14_your_data and their labels."""
    reviews = read_imdb()
    some = np.sort(np.random.default_rng(0).permutation(len(reviews.texts))[: 2 * SIDE])
    return np.array(reviews.texts, dtype=object)[some], np.array(reviews.class_names)[reviews.labels[some]]


def marked(texts, labels, *numbers) -> np.ndarray:
    """Put the mark before so many texts of each class: the first of an order that doesn't depend on how many."""
    texts = texts.copy()
    for name, number in zip(CLASSES, numbers):
        of_class = np.random.default_rng(SEED).permutation(np.flatnonzero(labels == name))
        texts[of_class[:number]] = [f"{MARK} {text}" for text in texts[of_class[:number]]]
    return texts


def rows(ranked) -> list:
    """Return words with their texts, class, the share of these texts that are of the class, own effect and suspicion."""
    shares = (1 + ranked["skew"].abs()) / 2
    columns = (ranked.texts, ranked["class"], shares.round(4), ranked["own effect"].round(2), ranked.suspicion.round(4))
    return [list(row) for row in zip(ranked.word, *(column.tolist() for column in columns))]


def suspects(texts, labels) -> dict:
    """Return the first words of a report, and the place of the mark, if it has one."""
    ranked = rows(judged(texts, labels, seed=0).ranked)
    mark = next(({"place": at + 1, "row": row} for at, row in enumerate(ranked) if row[0] == MARK), None)
    return {"words": len(ranked), "mark": mark, "first": ranked[:TEN]}


def planted() -> dict:
    """Return the first suspects of every report on the chapter's reviews."""
    (texts, labels), numbers = chapters_own(), [(number, strays) for number in MARKED for strays in STRAY]
    shuffled = [np.random.default_rng(SEED + at).permutation(labels) for at in range(SHUFFLES)]
    return {
        "runs": [{"marked": each} | suspects(marked(texts, labels, *each), labels) for each in tqdm(numbers, unit="report")],
        "shuffled": [suspects(texts, mixed) for mixed in shuffled],
    }


def named() -> dict:
    """Return what the report names in every whole corpus: words and marks."""
    found = {}
    for name, read in READS.items():
        reviews = read()
        order = np.random.default_rng(SEED).permutation(len(reviews.texts))
        of = judged([reviews.texts[row] for row in order], np.array(reviews.class_names)[reviews.labels[order]], seed=0)
        found[name] = {"texts": len(order), "named": rows(of.suspects[of.suspects.suspicion > 0.5])}
    return found


RECORDS = {"leaks": leaks, "planted": planted, "named": named}
