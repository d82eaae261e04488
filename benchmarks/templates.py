"""A planted template that gives the label away: is it named as surely as one word in the same texts, and not without cause.

    python -m benchmarks.templates [--seeds N ...] [--share SHARE ...] [--only NAME]

Words stand one after the other at the end of some texts of one class: made-up words, or words of the texts themselves, each of
0.2% to 5% of them. Beside every template stands what can be hoped for, one made-up word in the very same texts; the same
template in as many texts of both classes; and the texts as they are, with their labels and with shuffled ones.
"""

import argparse
import json
from collections import Counter

import numpy as np

import tokensel_nb as ts

from .leaks import judged

SETS = {"Rotten Tomatoes": (ts.read_rotten_tomatoes, 8530), "IMDB": (ts.read_imdb, 4000)}
SIZES = (2, 4, 8)
KINDS = ("made up", "of the texts")


def made_up(size):
    return [f"zqx{letter}" for letter in "bcdfghjk"[:size]]


def of_the_texts(texts, size, random):
    number = Counter(word for text in texts for word in set(text.lower().split()) if word.isalpha() and len(word) > 2)
    known = sorted(word for word, count in number.items() if 0.002 <= count / len(texts) <= 0.05)
    return random.choice(known, size, replace=False)


def planted(texts, labels, words, share, classes, seed):
    """Return the texts with the words at the end of as many as the share of one class is, drawn from some classes."""
    random = np.random.default_rng(1000 + seed)
    number = round(share * (labels == seed % 2).sum() / len(classes))
    texts = list(texts)
    for of in classes:
        for row in random.choice(np.flatnonzero(labels == of), number, replace=False):
            texts[row] = " ".join([texts[row], *words])
    return texts


def looked_for(words, found):
    """Return the place of the first row that holds one of the words, and its suspicion."""
    held = [bool(set(words) & set(row.removesuffix(" (together)").split(" "))) for row in found.ranked.word]
    place = int(np.argmax(held)) if any(held) else None
    row = {} if place is None else dict(row=found.ranked.word[place], suspicion=round(float(found.ranked.suspicion[place]), 3))
    return dict(place=None if place is None else place + 1, **row, named=found.suspicious)


def rows(texts, labels, seed, shares):
    for what, known in (("as they are", labels), ("labels shuffled", np.random.default_rng(seed).permutation(labels))):
        yield dict(what=what, named=judged(texts, known, seed).suspicious)
    for share in shares:
        plants = [("made up", 1), *((kind, size) for kind in KINDS for size in SIZES)]
        for kind, size in plants:
            words = made_up(size) if kind == "made up" else of_the_texts(texts, size, np.random.default_rng(seed))
            for what, classes in (("one class", [seed % 2]), ("both classes", [0, 1])):
                found = judged(planted(texts, labels, words, share, classes, seed), labels, seed)
                yield dict(what=what, kind=kind, size=size, share=share, **looked_for(words, found))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options.add_argument("--share", type=float, nargs="+", default=[0.005, 0.02, 0.1], help="of the texts of a class")
    options.add_argument("--only", default="", help="a part of the name of a set")
    asked = options.parse_args()
    for name, (read, size) in SETS.items():
        if asked.only not in name:
            continue
        reviews = read()
        for seed in asked.seeds:
            some = np.random.default_rng(seed).permutation(len(reviews.labels))[:size]
            texts, labels = [reviews.texts[row] for row in some], np.asarray(reviews.labels)[some]
            for row in rows(texts, labels, seed, asked.share):
                print(json.dumps(dict(set=name, seed=seed, **row)), flush=True)


if __name__ == "__main__":
    main()
