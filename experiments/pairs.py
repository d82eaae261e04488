"""05_beyond's recorded runs: two layers of attention on texts made to order, what pairs are worth, words that are frequent.

The protocol of the last three, committed before the official runs; trials had seeds below 1,000.

corpora   IMDB, Rotten Tomatoes and balanced tweets. Cut at random into FOLDS parts: each in turn is held out, with a seed of
          its own for the start of training and the choice of steps, so that every text is held out once. Tweets are balanced
          by one draw.
worth     Words alone, words and pairs behind "not", and (the control) words and pairs of other texts, which have as many
          pairs and tell nothing. Right answers of held-out texts; gains over words alone with 95% intervals over the texts.
          Target: 0.01 at most, on IMDB for the largest upper end of the five folds, on the others for the upper end of all
          folds together, since a fifth of them has an interval as wide as the bound.
frequent  05_beyond's training of 150 steps, with true and with shuffled labels: what share of the attention in held-out
          texts goes to all words but the TOP most frequent ones; how many of these score below the median. Target: 0.95 at
          least, true labels, for the smallest of the five folds of each corpus.
not       Skews behind "not" over pairs that occur at least ten times, of Rotten Tomatoes and of balanced tweets (five draws),
          with true labels, and twenty times with shuffled ones. It describes.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array, hstack
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters.pairs import (
    SEEDS,
    SLOWLY,
    TASKS,
    answers,
    off_the_sum,
    only,
    shares_right,
    skews_behind,
    slopes_behind,
    words_and_pairs,
)
from tokensel_nb.chapters.reviews import binned_run

from .recording import rounded

TWO_LAYERS = ts.TwoLayers(residual=0.0, identity=0.0, spread=3.0)
SEED, FOLDS, TOP, SHUFFLES = 20261125, 5, 50, 20
BRIEF = {"dim": 128, "learning_rate": 0.007}  # as in the chapter's live run
LOADS = {
    "IMDB": ts.load_imdb,
    "Rotten Tomatoes": ts.load_rotten_tomatoes,
    "tweets": lambda **options: ts.load_tweets(**options).balanced(seed=SEED),
}


def two_layers() -> dict:
    """Return what two layers get right of each task: of the texts learnt from, and of new ones, seed by seed."""
    shares = {task: [shares_right(TWO_LAYERS, *draw(seed), seed, **SLOWLY) for seed in SEEDS] for task, draw in TASKS.items()}
    return {task: rounded(np.transpose(of_seeds)) for task, of_seeds in shares.items()}


def folds(corpus, seed=SEED) -> Iterator:
    """Yield, fold by fold, a seed, the texts learnt from and those held out."""
    order = np.random.default_rng(seed).permutation(len(corpus))
    for fold in tqdm(range(FOLDS), desc="Folds", unit="fold"):
        held_out = np.sort(order[fold::FOLDS])
        yield seed + fold, corpus[np.setdiff1d(order, held_out)], corpus[held_out]


def pairs_of_others(corpus, pairs, seed) -> ts.Corpus:
    """Return the words of each text with the pairs of another one."""
    order = np.random.default_rng(seed).permutation(len(corpus))
    counts = hstack([only(corpus, ~pairs).counts, corpus.counts[order][:, pairs]])
    return ts.Corpus(
        csr_array(counts), corpus.labels, [*corpus.vocabulary[~pairs], *corpus.vocabulary[pairs]], corpus.class_names
    )


def worth_of(corpus, seed=SEED, **options) -> dict:
    """Return right answers with and without pairs, and with those of other texts, of every fold; gains and their margins."""
    marks = np.array(["_" in word and not (word.startswith("not_") and word != "not_") for word in corpus.vocabulary])
    corpus = only(corpus, ~marks)
    pairs, right = np.array(["_" in word for word in corpus.vocabulary]), []
    for fold, learnt, new in folds(corpus, seed):
        kinds = [[only(part, ~pairs) for part in (learnt, new)], [learnt, new]]
        kinds.append([pairs_of_others(part, pairs, fold) for part in (learnt, new)])
        right.append([answers(*parts, fold, **options) for parts in kinds])
    gains = {name: [of[place] - of[0] * 1.0 for of in right] for place, name in ((1, "pairs"), (2, "pairs of others"))}
    gained = {name: np.transpose([gain_of(each) for each in [*of, np.concatenate(of)]]) for name, of in gains.items()}
    return {
        "pairs": int(pairs.sum()),
        "holding": rounded((corpus.counts[:, pairs].sum(axis=1) > 0).mean()),
        "right": rounded([[each.mean() for each in of] for of in right]),
        "gains": {name: rounded(of, 5) for name, of in gained.items()},  # means, then margins; the last of all folds
    }


def gain_of(gain) -> tuple:
    """Return the mean, and half the width of the 95% interval."""
    return gain.mean(), 1.96 * gain.std() / np.sqrt(gain.size)


def attention_of(corpus, seed=SEED) -> dict:
    """Return what all words but the most frequent get in held-out texts, and how many of these score below the median."""
    found = {"uniform": [], "true": [], "shuffled": []}
    for fold, learnt, new in folds(corpus, seed):
        top = np.argsort(-np.asarray(learnt.counts.sum(axis=0)).ravel())[:TOP]
        some = new[new.lengths > 0]
        found["uniform"].append(1 - some.counts[:, top].sum() / some.lengths.sum())
        for name, texts in {"true": learnt, "shuffled": ts.shuffle_labels(learnt, fold)}.items():
            learned = binned_run(texts, dim=512, seed=fold).training.parameters
            scores, paid = learned.token_scores, ts.attention(learned, some)[:, top].sum() / len(some)
            found[name].append((1 - paid, np.sum(scores[top] < np.median(scores))))
    return {name: rounded(np.transpose(of)) for name, of in found.items()}


def behind_not(corpus, seed) -> dict:
    """Return what 05_beyond tells of the pairs with "not", and the share off the sum under shuffled labels."""
    random = np.random.default_rng(seed)
    found, shuffled = skews_behind(corpus, "not"), (ts.shuffle_labels(corpus, random) for _ in range(SHUFFLES))
    slope, *again = slopes_behind(found, random)
    at = found["words"].index("good") if "good" in found["words"] else None
    good = None if at is None else rounded([found["behind"][at] - found["elsewhere"][at], found["often"][at] ** -0.5])
    ends = rounded(np.percentile(again, [2.5, 97.5]))
    chance = np.mean([off_the_sum(skews_behind(each, "not")) for each in shuffled])
    return {
        "pairs": len(found["words"]),
        "good": good,
        "slope": rounded(slope),
        "ends": ends,
        "off": rounded([off_the_sum(found), chance]),
    }


def pairs_worth() -> dict:
    """Return what pairs are worth on the three corpora."""
    options = {"IMDB": {"dim": 512, "learning_rate": 0.003}}
    return {name: worth_of(load(tokenizer=words_and_pairs), **options.get(name, BRIEF)) for name, load in LOADS.items()}


def frequent() -> dict:
    """Return what the most frequent words get on the three corpora."""
    return {name: attention_of(load()) for name, load in LOADS.items()}


def not_pairs() -> dict:
    """Return the skews behind "not" on the two corpora of short texts."""
    tomatoes, tweets = (load(tokenizer=words_and_pairs) for load in (ts.load_rotten_tomatoes, ts.load_tweets))
    draws = [tweets.balanced(seed=SEED + draw) for draw in range(FOLDS)]
    return {"Rotten Tomatoes": [behind_not(tomatoes, SEED)], "tweets": [behind_not(each, SEED) for each in draws]}


RECORDS = {"two_layers_pairs": two_layers, "pairs_worth": pairs_worth, "frequent": frequent, "not_pairs": not_pairs}
