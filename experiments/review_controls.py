"""What stands beside 04_reviews's pictures: shuffled labels and held-out skew, plain descent run long, other vocabularies."""

import re
from functools import cache

import numpy as np
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.arrays import to_numpy
from tokensel_nb.bins import extremes
from tokensel_nb.chapters.pairs import only
from tokensel_nb.chapters.reviews import HELD_OUT, run, stopped
from tokensel_nb.matched import MIN_TEXTS, compared, correlation_at_equal, lean

from .recording import CORPORA, amounts, by_kind, figures, or_none, plain, rounded
from .reviews import balanced_yelp
from .subwords import MARK, in_pieces, wordpiece

# The protocol, fixed before the runs that count. Trial runs, from which the book's targets were set, used halves drawn with
# seed 1 and seeds 0 to 6; the recorded ones use halves and seeds of their own, below. No setting was tuned for them.
#
# - The reviews that 04_reviews trains on (a fifth is held out, seed 0) are cut into two halves of equal size (`HALVES`).
#   Models learn from one half only; the skew is taken from that half ("own") and from the other one ("held out").
# - `OPTIONS`: 256 dimensions instead of 2,048, for time, with the learning rate for which Adam's first step, which moves
#   E_s·v by about η‖v‖₁ ~ η√d, is as long as in the chapter; 150 steps, as there.
# - `SEEDS`: five starts. With each start the true labels are learnt, and then four times labels permuted in both halves: twenty
#   permutations (ten at first, the same two of each start). All runs share the one pair of halves.
# - `DESCENT`: plain gradient descent on the same half, true labels and one permutation.
#
# Whether attention favours words that tell the label. Fixed on 2026-11-24, before any run of this repository measured it:
#
# - Measured is `ts.matched_correlation` of E_s·p with the skew of the other half, over words in at least 20 of its texts, in
#   groups of 100 neighbours by frequency in the half learnt from.
# - It is read at the stopping step, that of the lowest loss on the fifth that 04_reviews holds out, with true labels, evaluated
#   at every step; each start has its own. Beside it stand shuffled labels, four permutations with each of the five starts,
#   read at that very step and at the last; 20 permutations allow no level of significance below 1/21.
# - The "ceiling": the other half is cut in two at random, ten times, and the absolute skew of one part takes the place of the
#   scores, over the same words. (It is none: either part knows less than the whole half learnt from, whose own skew says more.)
# - Also told: the last step, and words in at least one text of the other half.
# - Targets, at the stopping step, for the smallest of five starts: on IMDB at least 0.25 and above all shuffled ones at that
#   step; on Rotten Tomatoes and on Yelp above all shuffled ones at that step. The reason: trial runs of three other programs,
#   with halves and seeds of their own, gave 0.39 for IMDB at step 20 (0.30 and 0.27 over words in 10 or more and in 1 or more
#   other texts; at step 150 0.27, 0.20 and 0.19), shuffled at most 0.03; over all words 0.09 to 0.12 for Yelp and 0.02 to 0.05
#   for Rotten Tomatoes. No target is moved afterwards; one that is missed is shown as missed.
# - A third set, the tweets of `ts.load_tweets`, was chosen before anything was trained on it, with the target of those two:
#   at the stopping step, the smallest of five starts above all shuffled ones. Nobody had a trial run of it. It is missed: 70%
#   are negative, so that the absolute skew does not say how much a word tells. Only then they were balanced, as Yelp's reviews
#   are, with the same target.
#
# Other splits. All of that is of one pair of halves, so its ranges are those of seeds. Fixed on 2026-11-24, before any of these
# runs:
#
# - `SPLITS`: five splits. The number of a split draws the balanced tweets or Yelp reviews, the fifth held out, the halves, the
#   start and four permutations. All else is as above; figures are those of `control_summary`.
# - The chapter's very run, on all that is not held out (2,048 dimensions, 150 steps), with true labels and one
#   permutation: how often the top word's value has the label's sign in held-out texts, beside any word; accuracy; and beside
#   it that of logistic regression (C = 0.1, as in the chapter).
# - Targets: those of the one pair, for the smallest of five splits. New is that of the top word: with every split it is right
#   more often than any word, by more than with shuffled labels.
#
# The other vocabularies:
#
# - `vocabularies`: four ways to some 7,780 tokens, with the first seed of `SEEDS` and one permutation.
# - `subword_summary`: a fifth way, with the same halves, seed and permutation. A WordPiece tokenizer of `PIECES` tokens is
#   trained on the words of the half learnt from alone, lower case and of two characters or more, as everywhere here. Its
#   pieces are counted in both halves, and those that occur in the first are the vocabulary. A piece inside or at the end of
#   a word, "##ing", is another token than the same letters at a beginning. Shown by name are the affixes of `AFFIXES`, as
#   far as they are pieces, and of the continuations that occur at least `FREQUENT` times the `ENDS` of the lowest and of the
#   highest value. `PIECES` was chosen on halves drawn with seed 1, so that some 7,780 occur. Only when the results were
#   there it was asked how the pieces do that occur `OFTEN` times or more, and how well the skews of the two halves agree.
#   η√d and the steps are those of `chapters.reviews.SETTINGS`.
OPTIONS = dict(dim=256, steps=150, learning_rate=0.02, evaluate_every=150)
HALVES = 2
SEEDS = range(10, 15)
SHUFFLES = 4
SPLITS = range(20261125, 20261130)
DESCENT = dict(dim=64, steps=2500, learning_rate=1.5, optimizer="gradient descent", evaluate_every=100)
DESCENT_SEED = 10

FREQUENT = 200
OFTEN = 20
CUTS = range(10)
PIECES = 7940
AFFIXES = "un dis mis non over ##able ##ed ##er ##est ##ful ##ing ##ish ##less ##ly ##ness".split()
ENDS = 5


def control_summary(corpus: ts.Corpus, fifth: ts.Corpus, seeds=SEEDS, options=OPTIONS, halves=HALVES) -> dict:
    """Learn true and shuffled labels from one half of a corpus, and sum up what words get by the skew of either half."""
    # Of values and of scores, and of scores at the stopping step: bins, the band of all permutations, and figures with true and
    # shuffled labels, one a run. "one text" holds the matched correlation over all words that stand in one other text or more.
    # "deviation" holds the standard deviation of the amounts over the words.
    half, other = corpus.split(0.5, seed=halves)
    stops = [stopped(half, fifth, seed, **options | {"evaluate_every": 1})[1] for seed in seeds]
    runs, controls = [], {least: [] for least in (MIN_TEXTS, 1)}
    for seed, stop in tqdm(list(zip(seeds, stops)), desc="True and shuffled labels", unit="seed"):
        amounts_of, learnt = learning(other, options, seed, stop)
        for least, of_seeds in controls.items():
            of_seeds.append(ts.with_control(half, other, amounts_of, shuffles=SHUFFLES, seed=seed, min_texts=least))
        runs.append(list(learnt.values()))

    def deviations(kind):
        true, *shuffled = np.array([[amounts(one.parameters)[kind].std() for one in of_seed] for of_seed in runs]).T
        return {"true": rounded(true, 3), "shuffled": rounded(np.ravel(shuffled, order="F"), 3)}

    return by_kind(merge, *controls[MIN_TEXTS]) | {
        "one text": by_kind(lambda *of_seeds: figures_of(*of_seeds)["matched"], *controls[1]),
        "halves": [repr(half), repr(other)],
        "compared": {str(least): int(compared(other, least).sum()) for least in controls},
        "stops": stops,
        "ceiling": rounded(ceiling(half, other)),
        "deviation": {kind: deviations(kind) for kind in ("values", "scores")},
    }


def splits_summary(load, splits=SPLITS, options=OPTIONS, whole=None) -> dict:
    """Sum up a corpus, drawn and split anew with every seed: one figure a split, and a permutation of its labels."""
    found = []
    for seed in tqdm(splits, desc="Splits", unit="split"):
        corpus, fifth = load(seed).split(HELD_OUT, seed=seed)
        control = control_summary(corpus, fifth, [seed], options, halves=seed)
        found.append(control | {"whole": whole_run(corpus, fifth, seed, whole or {}), "splits": seed})
    return joined(found)


def joined(found: list):
    """Return several results of one form as one, with lists of all numbers; each split's bins are left out."""
    if isinstance(found[0], dict):
        return {name: joined([one[name] for one in found]) for name in found[0] if name != "bins"}
    return [number for one in found for number in (one if isinstance(one, list) else [one])]


def whole_run(corpus, fifth, seed, options) -> dict:
    """Train as the chapter does, on true and on shuffled labels; return accuracies on the fifth, and who says the label."""
    found = {"top word": {}, "any word": {}}
    shuffled = [ts.shuffle_labels(part, seed) for part in (corpus, fifth)]
    for labels, (learnt_from, judged) in {"shuffled": shuffled, "true": (corpus, fifth)}.items():
        training = run(learnt_from, seed, judged, **options)
        right = rounded(signs_right(judged, training.parameters))
        found["top word"][labels], found["any word"][labels] = right
    accuracies = training.history.held_out_accuracies
    linear = LogisticRegression(C=0.1, solver="liblinear").fit(corpus.counts, corpus.labels)
    scores = rounded([accuracies.max(), accuracies[-1], linear.score(fifth.counts, fifth.labels)])
    return found | dict(zip(("best accuracy", "last accuracy", "linear accuracy"), scores))


def signs_right(texts, parameters) -> tuple:
    """Return how often the value of a text's word of most attention, and that of any of its tokens, has the label's sign."""
    rows, words, counts = texts.counts.tocoo().row, texts.counts.tocoo().col, texts.counts.tocoo().data
    weights = np.log(counts) + parameters.token_scores[words]
    order = np.lexsort((weights, rows))
    tops = order[np.flatnonzero(np.diff(rows[order], append=len(texts)))]
    right = np.sign(parameters.token_values)[words] == texts.signs[rows]
    return right[tops].mean(), np.average(right, weights=counts)


def ceiling(half, other, cuts=CUTS) -> list:
    """Return the matched correlation of the leans of two parts of the other half, for each cut."""
    frequency, found = half.counts.sum(axis=0), []
    for seed in cuts:
        one, another = (lean(part) for part in other.split(0.5, seed=seed))
        words = compared(other) & ~np.isnan(one) & ~np.isnan(another)
        found.append(correlation_at_equal(frequency[words], one[words], another[words]))
    return found


def learning(other, options, seed, stop=None):
    """Return a function that trains, once for any labels, and returns the amounts, and the dict that holds its runs."""
    runs, at_stop = {}, {}

    def amounts_of(part):
        key = part.labels.tobytes()
        if key not in runs:
            look = lambda step, parameters: at_stop.setdefault((key, step), to_numpy(parameters.token_scores))
            watched = options | {"watch": look, "evaluate_every": stop or options["evaluate_every"]}
            runs[key] = run(part, seed, other, **watched)
        return amounts(runs[key].parameters) | ({"stopped": at_stop[key, stop]} if stop else {})

    return amounts_of, runs


def figures_of(*controls):
    """Return figures of several seeds' controls: one a seed with true labels, one a permutation."""
    of_seeds = [figures(control) for control in controls]
    return {
        name: {
            "true": rounded([numbers[name][0] for numbers in of_seeds]),
            "shuffled": rounded(np.ravel([numbers[name][1:] for numbers in of_seeds])),
        }
        for name in of_seeds[0]
    }


def merge(*controls):
    """Return figures and bins; the bins are the first seed's, the band is that of all."""
    band = extremes(np.concatenate([control.band for control in controls]))
    return figures_of(*controls) | {"bins": plain(controls[0].true, band=band)}


def along(corpus: ts.Corpus, other: ts.Corpus, options) -> dict:
    """Train on one corpus, and return the figures of both shapes at every evaluation, by the skew of the other."""
    columns = {"rank, held out": [], "matched, held out": []}

    def look(step, parameters):
        values, scores = amounts(ts.as_numpy(parameters)).values()
        columns["rank, held out"].append(ts.binned(other.label_skew(), values).rank_correlation())
        columns["matched, held out"].append(ts.matched_correlation(scores, corpus, other))

    history = run(corpus, DESCENT_SEED, other, **options, watch=look).history
    columns["losses"] = history.losses
    return {"steps": history.steps.tolist()} | {name: or_none(rounded(column)) for name, column in columns.items()}


def descent_summary(corpus: ts.Corpus, options=DESCENT) -> dict:
    """Follow plain gradient descent on one half of a corpus, with true labels and with one permutation of them."""
    half, other = corpus.split(0.5, seed=HALVES)
    random = np.random.default_rng(DESCENT_SEED)
    shuffled = [ts.shuffle_labels(part, random) for part in (half, other)]
    return {"true": along(half, other, options), "shuffled": along(*shuffled, options)}


def vocabularies(read=ts.load_imdb, words=7780, sample=242) -> dict:
    """Return reviews as tokens in four ways that all lead to about as many: what is learnt from, and what is not."""
    every = read(min_count=1)
    occurrences = every.counts.sum(axis=0)
    in_reviews = np.bincount(every.counts.indices, minlength=every.vocab_size)

    def most(often):
        return only(every, np.sort(np.argsort(-often, kind="stable")[:words])).split(0.5, seed=HALVES)

    order = np.random.default_rng(HALVES).permutation(len(every))
    drawn, rest = every[np.sort(order[:sample])], every[np.sort(order[sample:])]
    return {
        "most occurrences": most(occurrences),
        "most reviews": most(in_reviews),
        "all of a sample": those_that_occur(drawn, rest),  # every word of so many reviews, however rare
        "first four letters": read(min_count=1, max_words=words, tokenizer=beginnings).split(0.5, seed=HALVES),
    }


def those_that_occur(corpus: ts.Corpus, *others: ts.Corpus) -> tuple[ts.Corpus, ...]:
    """Return all of them with the words alone that occur in the first."""
    there = np.flatnonzero(corpus.counts.sum(axis=0))
    return tuple(only(texts, there) for texts in (corpus, *others))


def beginnings(text, letters=4):
    """Split a text into words, and keep of each its first letters: a crude kind of subwords that wants no trained tokenizer."""
    return [word[:letters] for word in re.findall(r"\w\w+", text.lower())]


def vocabulary_summary(halves: dict, options=OPTIONS) -> dict:
    """Measure both shapes with each of several vocabularies, with true labels and one permutation."""
    progress = tqdm(halves.items(), desc="Vocabularies", unit="run")
    return {name: measured(half, other, options)[0] for name, (half, other) in progress}


def measured(half, other, options):
    """Return what is recorded of one vocabulary, and the function that knows what its tokens got."""
    amounts_of, runs = learning(other, options, SEEDS[0])
    of_shapes = shapes(half, other, amounts_of)
    accuracy = next(iter(runs.values())).history.held_out_accuracies[-1]
    return {"corpus": repr(half), "accuracy": round(float(accuracy), 4)} | of_shapes, amounts_of


def shapes(half, other, amounts_of):
    """Return the figures of both shapes with true labels and one permutation, without the bins."""
    return by_kind(figures_of, ts.with_control(half, other, amounts_of, shuffles=1, seed=SEEDS[0]))


def subword_halves(every: ts.Corpus, size=PIECES, seed=HALVES) -> tuple[ts.Corpus, ts.Corpus]:
    """Return two halves of a corpus in pieces of words: of a tokenizer that knows the first half, and as occur there."""
    half, other = every.split(0.5, seed=seed)
    tokenizer = wordpiece(half, size)
    return those_that_occur(in_pieces(half, tokenizer), in_pieces(other, tokenizer))


def subword_summary(half: ts.Corpus, other: ts.Corpus, options=OPTIONS) -> dict:
    """Measure both shapes with pieces of words, with true labels and one permutation, and what some pieces get."""
    # Under "subwords" as any vocabulary, under "beginnings" and "continuations" these pieces by themselves, under "frequent
    # subwords" those that occur `OFTEN` times or more, all after the same training. Under "pieces" every affix of `AFFIXES`
    # that is one of them, and the `ENDS` continuations of the lowest and of the highest value.
    subwords, amounts_of = measured(half, other, options)
    continued = np.array([name.startswith(MARK) for name in half.vocabulary])
    kinds = {"beginnings": ~continued, "continuations": continued, "frequent subwords": half.counts.sum(axis=0) >= OFTEN}
    parts = {name: of_kind(half, other, amounts_of, np.flatnonzero(mask)) for name, mask in kinds.items()}
    return {"subwords": subwords} | parts | {"pieces": of_pieces(half, other, amounts_of(half), np.flatnonzero(continued))}


def of_kind(half, other, amounts_of, columns):
    """Return the shapes of some pieces, their number and share, their mean absolute skew, and how the halves' skews agree."""
    occurrences, own, held_out = half.counts.sum(axis=0), half.label_skew()[columns], other.label_skew()[columns]
    numbers = {
        "pieces": len(columns),
        "share": round(float(occurrences[columns].sum() / occurrences.sum()), 4),
        "skew": round(float(np.nanmean(np.abs(held_out))), 4),
        "halves": round(float(ts.word_correlation(held_out, own)), 4),
    }
    parts = (only(part, columns) for part in (half, other))
    return numbers | shapes(*parts, lambda part: {kind: of_all[columns] for kind, of_all in amounts_of(part).items()})


def of_pieces(half, other, learnt, continuations):
    """Return occurrences, both skews, value and score of the affixes, and of the continuations of extreme values."""
    occurrences = half.counts.sum(axis=0)
    columns = {"occurrences": occurrences, "own": half.label_skew(), "held out": other.label_skew()}
    columns |= {"value": learnt["values"], "score": learnt["scores"]}
    frequent = continuations[occurrences[continuations] >= FREQUENT]
    by_value = frequent[np.argsort(learnt["values"][frequent])]
    affixes = np.flatnonzero(np.isin(half.vocabulary, AFFIXES))
    named = dict.fromkeys([*affixes, *by_value[:ENDS], *by_value[-ENDS:]])  # each once, in this order
    return {
        half.vocabulary[piece]: {name: or_none(rounded(column[[piece]]))[0] for name, column in columns.items()}
        for piece in named
    }


@cache
def parts_of(load) -> tuple[ts.Corpus, ts.Corpus]:
    """Return what 04_reviews trains on and the fifth that it holds out, of a corpus."""
    return load().split(HELD_OUT, seed=0)


RECORDS = {
    "control": lambda: {
        "imdb": control_summary(*parts_of(ts.load_imdb)),
        "tomatoes": control_summary(*parts_of(ts.load_rotten_tomatoes)),
    },
    "control_tweets": lambda: control_summary(*parts_of(ts.load_tweets)),
    "control_tweets_balanced": lambda: control_summary(*parts_of(lambda: ts.load_tweets().balanced(seed=0))),
    "control_yelp": lambda: control_summary(*parts_of(balanced_yelp)),
    "control_splits": lambda: {name: splits_summary(load) for name, load in CORPORA.items()},
    "control_splits_yelp": lambda: splits_summary(lambda seed: ts.load_yelp().balanced(seed=seed)),
    "vocabulary": lambda: vocabulary_summary(vocabularies()),
    "subwords": lambda: subword_summary(*subword_halves(ts.load_imdb(min_count=1))),
    "descent": lambda: descent_summary(parts_of(ts.load_imdb)[0]),
}
