"""Few short texts in the place of all corpora, a small encoder, and by module what makes every recorded part small."""

from dataclasses import replace
from functools import cache, partial
from inspect import isfunction

import numpy as np
import torch
from tokenizers.pre_tokenizers import Whitespace

import tokensel_nb as ts
from experiments import error_level, transformers
from experiments.ablations import Parts
from experiments.encoder import Pretrained
from experiments.subwords import wordpiece
from tokensel_nb.chapters import ablations, deeper_reviews
from tokensel_nb.datasets.reviews import Reviews

WORDS = [
    "good",
    "care",
    "careful",
    "careless",
    "hope",
    "hopeful",
    "hopeless",
    *(f"w{number}" for number in range(25)),
    "the",
    "not",
]
DIM, HEADS, WIDE, LAYERS, PIECES, PLACES, EPS = 8, 2, 12, 2, 120, 10, 1e-12


@cache
def texts(number=480) -> list:
    """Return texts of which every second one likes the first half of the words."""
    random = np.random.default_rng(0)
    chances = 1 + 2.0 * (np.arange(len(WORDS)) // (len(WORDS) / 2) == np.arange(number)[:, None] % 2)
    chances[:, -1] = 6  # "not" stands before everything
    return [" ".join(random.choice(WORDS, 12, p=each / each.sum())) for each in chances]


def read(*_, classes=2) -> Reviews:
    """Return the texts, dealt to the classes in turn."""
    names = ("negative", "positive") if classes == 2 else tuple("abcde"[:classes])
    return Reviews(texts(), np.arange(len(texts())) % classes, names, "this test")


def load(*_, classes=2, min_count=1, **options) -> ts.Corpus:
    """Count the texts."""
    reviews = read(classes=classes)
    return ts.corpus_from_texts(reviews.texts, reviews.labels, class_names=reviews.class_names, **options)


def sequences(*_) -> tuple:
    """Return sequences of the texts in parts: to train, for the skew, to look at attention."""
    given = read()
    parts = ts.sequences_from_texts(given.texts, given.labels, class_names=given.class_names, longest=12)
    return tuple(parts[start::3] for start in range(3))


def in_parts(_name, _size, split) -> Parts:
    """Return what trains, what chooses and what tells."""
    rest, test = load().split(0.2, seed=split)
    return Parts(*rest.split(0.25, seed=split), test)


def windows(*_) -> tuple:
    """Return windows of words for a language model, of which common ones are commoner, other windows, and the words."""
    share = 1 / np.arange(1, 701)
    drawn = np.random.default_rng(0).choice(700, (60, 65), p=share / share.sum())
    return drawn[:30], drawn[30:], np.array(["movie", "was", "his", "very", "she", *(f"w{number}" for number in range(1995))])


@cache
def bert() -> Pretrained:
    """Return a BERT of random numbers under BERT's names."""
    torch.manual_seed(0)
    pairs, shapes = {"embeddings.LayerNorm": (DIM,)}, {}
    for layer in range(LAYERS):
        of = f"encoder.layer.{layer}."
        pairs |= {f"{of}attention.self.{name}": (DIM, DIM) for name in ("query", "key", "value")}
        pairs |= {f"{of}attention.output.dense": (DIM, DIM), f"{of}intermediate.dense": (WIDE, DIM)}
        pairs |= {f"{of}output.dense": (DIM, WIDE), f"{of}attention.output.LayerNorm": (DIM,), f"{of}output.LayerNorm": (DIM,)}
    for name, rows in {"word": PIECES, "position": PLACES, "token_type": 2}.items():
        shapes[f"embeddings.{name}_embeddings.weight"] = rows, DIM
    for name, shape in pairs.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    weights = {name: torch.randn(shape) for name, shape in shapes.items()}
    sizes = dict(hidden_size=DIM, num_attention_heads=HEADS, intermediate_size=WIDE, num_hidden_layers=LAYERS)
    fillers = " ".join(f"x{number}y" for number in range(60))
    tokenizer = wordpiece(ts.corpus_from_texts([" ".join(WORDS), fillers], [1, -1]), 118)
    tokenizer.pre_tokenizer = Whitespace()
    return Pretrained(tokenizer, weights, sizes | {"layer_norm_eps": EPS})


SHORT = dict(dim=8, steps=6, learning_rate=0.3, evaluate_every=6)
DEEPER = {"chapter.SETTINGS": deeper_reviews.SETTINGS | dict(dim=4, steps=4), "chapter.TEXTS": 200, "chapter.OTHERS": 40}
FEW = range(2)
SIDES = {name: replace(side, begin=3, evaluate_every=10, steps=20) for name, side in ablations.SIDES.items()}
SEQUENCES = {"sequences": sequences, "LONGEST": 12}
HEADS_OF = SEQUENCES | {"words_of": lambda *_: np.tile(np.arange(30), 10), "MOMENTS": (1, 2, 3, 4)}
FEW_RUNS = {name: (corpus, 1, dict.fromkeys(kinds, 1)) for name, (corpus, _, kinds) in transformers.NUMBERS.items()}
CORPORA = {name: load for name in ("imdb", "tomatoes", "tweets")}
SMALL = {
    "reviews": {"SEEDS": FEW, "SHORT": SHORT | {"evaluate_every": 1}},
    "review_controls": {"OPTIONS": SHORT, "DESCENT": SHORT, "SEEDS": FEW, "SPLITS": FEW, "CORPORA": CORPORA, "PIECES": 80}
    | {"FREQUENT": 5},
    "ablations": {"SIDES": SIDES, "TELLING": FEW, "DIM": 8, "SIZES": (10, 30), "SIZES_DIM": 8}
    | {
        "DIMS": (4, 8),
        "SMALLER": (100,),
        "SPREAD_STEPS": 20,
        "PATIENCE": 1,
        "imdb": cache(load),
        "OTHERS": dict.fromkeys(("tomatoes", "tweets"), load),
    },
    "controls": {"SPLITS": FEW, "DIM": 8, "FEWEST": 1, "DRAWS": FEW, "VALUES": (1.5,), "SIDES": SIDES, "parts_of": in_parts},
    "deeper_reviews": DEEPER | {"imdb": load, "NEW_SEEDS": FEW, "MORE": dict.fromkeys(("tomatoes", "tweets"), (load, 100))},
    "classes": {"SEEDS": FEW, "MORE_SEEDS": FEW, "SHUFFLES": 2},
    "pairs": {
        "SEEDS": FEW,
        "SLOWLY": {"steps": 2},
        "BRIEF": {"dim": 8, "learning_rate": 0.1},
        "FOLDS": 2,
        "TOP": 5,
        "SHUFFLES": 2,
    }
    | {"LOADS": dict.fromkeys(("IMDB", "Rotten Tomatoes", "tweets"), load)},
    "your_data": {"DRAWS": 1, "SIDE": 200, "MARKED": (10,), "STRAY": (1,), "SHUFFLES": 1, "read_imdb": read}
    | {"READS": {"IMDB": read}},
    "error_level": {"RUNS": 2, "CERTIFIED": 1, "sharp_everywhere": partial(error_level.sharp_everywhere, [2], [1.0])},
    "dimension": {"SEEDS": range(1), "DRAWS": 16} | dict.fromkeys(("SIZES", "SHARED"), 2 ** np.arange(8, 10)),
    "several": {"RUNS": 12},
    "trained_head": {"RUNS": 2, "STEPS": 20, "ADOPTING_STEPS": 20, "DIM": 64, "KAPPAS": (0.3,), "LONE": (1,)},
    "from_zero": {"RUNS": 2, "DRAWS": 1, "OUTSIDE": 1, "DRAWN_CORPORA": [(1, 2)]},
    "outliers": {"SPLITS": FEW, "CORPORA": CORPORA, "OPTIONS": SHORT, "BINS": 5},
    "two_heads": DEEPER | {"SPLITS": FEW, "CORPORA": dict.fromkeys(("imdb", "tomatoes"), (load, 200))},
    "front_page": {"reviews.SETTINGS": SHORT | {"steps": 25}, "OFTEN": 10, "STARTS": FEW, "PERMUTATIONS": FEW},
    "transformers": HEADS_OF | {"NUMBERS": FEW_RUNS},
    "small_start": {"CORPORA": CORPORA, "ENDS": dict.fromkeys(CORPORA, 40), "SPLITS": FEW, "FASTER": (1e-1, 1e-2)},
    "first_steps": SEQUENCES | {"TEXTS": dict.fromkeys(CORPORA, 60), "FEWEST": 1, "SEEDS": FEW},
    "language_first": {"next_words.windows": windows, "SEEDS": range(1), "FIRST": 10, "RANDOM": 2},
    "language_training": {"next_words.windows": windows, "SEEDS": range(1), "MOMENTS": (1, 2), "LOOKED_AT": 20},
}


def made_small(monkeypatch, module):
    """Put the few texts in the place of all corpora, and make the parts of a module small."""

    def put(place, name, value):
        old = getattr(place, name)
        for function in filter(isfunction, list(vars(module).values())):  # whose defaults are what stood there
            defaults = tuple(value if each is old else each for each in function.__defaults__ or ())
            monkeypatch.setattr(function, "__defaults__", defaults or None)
        monkeypatch.setattr(place, name, value)

    for name in ("imdb", "rotten_tomatoes", "tweets"):
        put(ts, f"load_{name}", load)
        put(ts, f"read_{name}", read)
    put(ts, "load_yelp", load)
    monkeypatch.setattr("tokensel_nb.chapters.reviews.SETTINGS", SHORT)
    monkeypatch.setattr("tokensel_nb.chapters.classes.load_movie_reviews", partial(load, classes=4))
    for name, value in list(vars(module).items()):
        if hasattr(value, "cache_clear"):  # what is kept of the few texts is not for other tests
            monkeypatch.setattr(module, name, cache(value.__wrapped__))
    for name, value in SMALL[module.__name__.removeprefix("experiments.")].items():
        *of, last = name.split(".")
        put(getattr(module, *of) if of else module, last, value)
