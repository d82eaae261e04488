"""How experiments are recorded: one loop over what is run, and their results as plain values with few digits."""

import json
from pathlib import Path

import numpy as np

import tokensel_nb as ts
from experiments.machine import machine
from tokensel_nb.chapters.recorded import FOLDER

# The three corpora that anyone can get, in two classes of about one size; the seed draws the tweets.
CORPORA = {
    "imdb": lambda seed: ts.load_imdb(),
    "tomatoes": lambda seed: ts.load_rotten_tomatoes(),
    "tweets": lambda seed: ts.load_tweets().balanced(seed=seed),
}

COLUMNS, ENDS = ("centres", "sizes", "means", "spreads"), ("low", "high")
DIGITS = dict.fromkeys(COLUMNS + ENDS, 5)


def run(records, names=()):
    """Run and store what is to be recorded, one function a name: those that are named, or all."""
    for name in names or records:
        print(record(name, records[name]()))


def record(name, results, folder=FOLDER):
    """Write results, plain values, to ``recorded/<name>.json`` with the date and the machine; return the file's path."""
    path = Path(folder) / "recorded" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine()} | results, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def rounded(numbers, digits=4):
    """Return numbers, or a dictionary of numbers, as plain values with few digits."""
    if isinstance(numbers, dict):
        return {name: rounded(each, digits) for name, each in numbers.items()}
    return np.round(np.asarray(numbers, float), digits).tolist()


def or_none(numbers) -> list:
    """Return numbers with None for NaN, which JSON does not know: the mean of an empty bin, say."""
    return [None if np.isnan(number) else number for number in numbers]


def amounts(parameters) -> dict:
    """Return what is binned: E_s·v and E_s·p of every word."""
    return {"values": parameters.token_values, "scores": parameters.token_scores}


def plain(bins: ts.Bins, digits=DIGITS, band=()) -> dict:
    """Return columns of the bins that hold a word, and of the band's lower and upper ends, in the order of their digits."""
    columns = {name: getattr(bins, name) for name in COLUMNS} | dict(zip(ENDS, band))
    return {name: or_none(rounded(np.asarray(columns[name])[bins.sizes > 0], few)) for name, few in digits.items()}


def figures(control: ts.ControlledBins) -> dict:
    """Return the figures of bins and of single words: with true labels, then with each permutation."""
    rank, ranks = control.figures(ts.Bins.rank_correlation)
    return {"rank": [rank, *ranks], "word_skew": control.word_skew, "matched": control.matched}


def by_kind(measure, *controls) -> dict:
    """Measure the same part of several runs' controls: of values and of scores, by the own and by the held-out skew."""
    return {
        kind: {by: measure(*(control[kind][by] for control in controls)) for by in both} for kind, both in controls[0].items()
    }
