"""What stands beside chapter 5's pictures: shuffled labels and held-out skew, plain descent run long, other vocabularies.

The protocol, fixed before the runs that count. Trial runs, from which the book's targets were set, used halves drawn with
seed 1 and seeds 0 to 6; the recorded ones use halves and seeds of their own, below. No setting was tuned for them.

- The reviews that chapter 5 trains on (a fifth is held out, seed 0) are cut into two halves of equal size (`HALVES`). Models
  learn from one half only; the skew is taken from that half ("own") and from the other one ("held out").
- `OPTIONS`: 256 dimensions instead of 2,048, for time, with the learning rate for which Adam's first step, which moves E_s·v
  by about η‖v‖₁ ~ η√d, is as long as in the chapter; 150 steps, as there.
- `SEEDS`: five starts. With each start the true labels are learnt, and then twice labels permuted in both halves: ten
  permutations. All runs share the one pair of halves; ten permutations allow no level of significance below 1/11.
- Rarity by itself gives a large skew and fast learning. So everything is told of all words, and again of the words that occur
  at least so often (``frequent``) in the half learnt from.
- `DESCENT`: plain gradient descent on the same half, true labels and one permutation.
- `vocabularies`: four ways to some 7,780 tokens, with the first seed of `SEEDS` and one permutation.
- `subword_summary`: a fifth way, with the same halves, seed and permutation. A WordPiece tokenizer of `PIECES` tokens is
  trained on the words of the half learnt from alone, lower case and of two characters or more, as everywhere here. Its pieces
  are counted in both halves, and those that occur in the first are the vocabulary. A piece inside or at the end of a word,
  "##ing", is another token than the same letters at a beginning. Shown by name are the affixes of `AFFIXES`, as far as they
  are pieces, and of the continuations that occur at least `FREQUENT` times the `ENDS` of the lowest and of the highest value.
  `PIECES` was chosen on halves drawn with seed 1, so that some 7,780 occur. Only when the results were there it was asked how
  the pieces do that occur `OFTEN` times or more, and how well the skews of the two halves agree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tqdm import tqdm

from tokensel_nb.chapters.recorded import or_none, record, rounded
from tokensel_nb.chapters.reviews import HELD_OUT
from tokensel_nb.chapters.subwords import MARK, in_pieces, wordpiece
from tokensel_nb.corpus.corpus import Corpus, shuffle_labels
from tokensel_nb.datasets.imdb import load_imdb
from tokensel_nb.datasets.movie_reviews import load_rotten_tomatoes
from tokensel_nb.datasets.yelp import load_yelp
from tokensel_nb.models.options import Options
from tokensel_nb.theory.bins import Bins, binned, extremes, with_control, word_correlation
from tokensel_nb.training.train import train

OPTIONS = Options(dim=256, steps=150, learning_rate=0.02, evaluate_every=150, device="auto")
"""η√d and the steps are those of `reviews.OPTIONS`."""

HALVES = 2
SEEDS = range(10, 15)
SHUFFLES = 2
DESCENT = Options(
    dim=64, steps=2500, learning_rate=1.5, optimizer="gradient descent", evaluate_every=100, device="auto", seed=10
)

FREQUENT = 200
OFTEN = 20
PIECES = 7940
AFFIXES = "un dis mis non over ##able ##ed ##er ##est ##ful ##ing ##ish ##less ##ly ##ness".split()
ENDS = 5

FIGURES = {"rank": Bins.rank_correlation, "u": Bins.u_shape}


def control_summary(corpus: Corpus, frequent: int, seeds=SEEDS, options=OPTIONS) -> dict:
    """Learn true and shuffled labels from one half of a corpus, and sum up what words get by the skew of either half.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    frequent : int
        Of how many occurrences on, in the half learnt from, words are told of once more by themselves.
    seeds : iterable of int
        Of the starts and of the permutations.
    options : Options

    Returns
    -------
    dict
        Under "all" and "frequent", then "values" and "scores", then "own" and "held out": bins, the band of all
        permutations, and figures with true and shuffled labels, one a run. "deviation" holds the standard deviation of the
        amounts over the words, "accuracy" that on the other half.

    Examples
    --------
    What it returned for IMDB is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> found = recorded("control")["imdb"]["all"]["values"]["held out"]
    >>> len(found["rank"]["true"]), len(found["rank"]["shuffled"])
    (5, 10)
    """
    half, other = corpus.split(0.5, seed=HALVES)
    limits = {"all": 1, "frequent": frequent}
    runs, found = [], {name: [] for name in limits}
    for seed in tqdm(list(seeds), desc="True and shuffled labels", unit="seed"):
        amounts_of, learnt = _learning(other, options, seed)
        for name, least in limits.items():
            found[name].append(with_control(half, other, amounts_of, shuffles=SHUFFLES, seed=seed, min_count=least))
        runs.append(list(learnt.values()))
    plain = {
        name: {
            of: {by: _merged([each[of][by] for each in several]) for by in ("own", "held out")} for of in ("values", "scores")
        }
        for name, several in found.items()
    }
    return plain | {
        "halves": [repr(half), repr(other)],
        "limits": limits,
        "accuracy": rounded([each[0].history.held_out_accuracies[-1] for each in runs]),
        "deviation": {
            of: {
                "true": rounded([amounts(each[0].parameters)[of].std() for each in runs], 3),
                "shuffled": rounded([amounts(one.parameters)[of].std() for each in runs for one in each[1:]], 3),
            }
            for of in ("values", "scores")
        },
    }


def _learning(other, options, seed):
    """Return a function that trains, once for any labels, and returns the amounts, and the dict that holds its runs."""
    runs = {}

    def amounts_of(part):
        key = part.labels.tobytes()
        if key not in runs:
            runs[key] = train(part, options=options, held_out=other, seed=seed)
        return amounts(runs[key].parameters)

    return amounts_of, runs


def amounts(parameters) -> dict:
    """Return what is binned: E_s·v and E_s·p of every word.

    Parameters
    ----------
    parameters : Parameters

    Returns
    -------
    dict of ndarray

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> sorted(amounts(ts.init_parameters(3, 4, seed=0)))
    ['scores', 'values']
    """
    return {"values": parameters.token_values, "scores": parameters.token_scores}


def _figures(controls):
    """Return figures of several seeds' `ControlledBins` as plain values: one a seed with true labels, one a permutation."""
    pairs = {name: [each.figures(figure) for each in controls] for name, figure in FIGURES.items()}
    for name in ("word_skew", "word_absolute"):
        pairs[name] = [(true, shuffled) for true, *shuffled in (getattr(each, name) for each in controls)]
    return {
        name: dict(true=rounded([one for one, _ in of]), shuffled=rounded(np.ravel([many for _, many in of])))
        for name, of in pairs.items()
    }


def _merged(controls):
    """Return figures and bins; the bins are the first seed's, the band is that of all."""
    return _figures(controls) | {
        "bins": plain_bins(controls[0].true, extremes(np.concatenate([each.band for each in controls])))
    }


def plain_bins(bins: Bins, band) -> dict:
    """Return the columns of all bins that hold a word, and their band, as plain values.

    Parameters
    ----------
    bins : Bins
    band : pair of ndarray
        Lower and upper ends.

    Returns
    -------
    dict of list

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> plain_bins(ts.binned([0.1, 0.2, 0.9], [1.0, 3.0, 5.0], bins=3), ([0, 0, 1], [4, 5, 6]))["means"]
    [2.0, 5.0]
    """
    columns = {name: getattr(bins, name) for name in ("centres", "sizes", "means", "spreads")}
    columns |= dict(zip(("low", "high"), map(np.asarray, band)))
    return {name: or_none(rounded(column[bins.sizes > 0], 5)) for name, column in columns.items()}


def along(corpus: Corpus, other: Corpus, options) -> dict:
    """Train on one corpus, and return the figures of both shapes at every evaluation, by the skew of either corpus.

    Parameters
    ----------
    corpus, other : Corpus
        Of the same words; the second is evaluated on.
    options : Options

    Returns
    -------
    dict
        Lists, one number an evaluation.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from experiments.review_controls import along
    >>> halves = ts.independent_tokens(200, 40, 12, 0.5, seed=0).split(0.5, seed=0)
    >>> along(*halves, ts.Options(dim=8, steps=10))["steps"]
    [0, 5, 10]
    """
    skews = {"own": corpus.label_skew(), "held out": other.label_skew()}
    found = {f"{name}, {by}": [] for name in FIGURES for by in skews}

    def look(step, parameters):
        for by, skew in skews.items():
            for (name, figure), each in zip(FIGURES.items(), amounts(parameters.numpy()).values()):
                found[f"{name}, {by}"].append(figure(binned(skew, each)))

    history = train(corpus, options=replace(options, watch=look), held_out=other).history
    losses = {"losses": history.losses, "held_out_accuracies": history.held_out_accuracies}
    return {"steps": history.steps.tolist()} | {name: or_none(rounded(each)) for name, each in (found | losses).items()}


def descent_summary(corpus: Corpus, options=DESCENT) -> dict:
    """Follow plain gradient descent on one half of a corpus, with true labels and with one permutation of them.

    Parameters
    ----------
    corpus : Corpus
        Two classes.
    options : Options

    Returns
    -------
    dict
        Under "true" and "shuffled" what `along` returns.

    Examples
    --------
    What it returned for IMDB is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> recorded("descent")["true"]["steps"][-1]
    2500
    """
    half, other = corpus.split(0.5, seed=HALVES)
    random = np.random.default_rng(options.seed)
    shuffled = [shuffle_labels(part, random) for part in (half, other)]
    return {"true": along(half, other, options), "shuffled": along(*shuffled, options)}


def vocabularies(read=load_imdb, words=7780, sample=242) -> dict:
    """Return reviews as tokens in four ways that all lead to about as many tokens as the paper has.

    Parameters
    ----------
    read : callable
        Such as `load_imdb`; takes ``min_count``, ``max_words`` and ``tokenizer``.
    words : int
        How many tokens, but for the sample.
    sample : int
        Of so many reviews every word is taken, however rare.

    Returns
    -------
    dict of (Corpus, Corpus)
        What is learnt from, and what is not: two halves, or the sample and the rest.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from experiments.review_controls import vocabularies
    >>> texts, labels = ["good film", "bad film", "a very good one"], [1, -1, 1]
    >>> made = vocabularies(lambda **options: ts.corpus_from_texts(texts, labels, **options), words=3, sample=1)
    >>> [learnt.vocab_size for learnt, _ in made.values()]
    [3, 3, 3, 3]
    """
    every = read(min_count=1)
    occurrences = every.counts.sum(axis=0)
    in_reviews = np.bincount(every.counts.indices, minlength=every.vocab_size)

    def most(amounts):
        return columns_of(every, np.sort(np.argsort(-amounts, kind="stable")[:words])).split(0.5, seed=HALVES)

    order = np.random.default_rng(HALVES).permutation(len(every))
    drawn, rest = every[np.sort(order[:sample])], every[np.sort(order[sample:])]
    there = np.flatnonzero(drawn.counts.sum(axis=0))
    return {
        "most occurrences": most(occurrences),
        "most reviews": most(in_reviews),
        "all of a sample": (columns_of(drawn, there), columns_of(rest, there)),
        "first four letters": read(min_count=1, max_words=words, tokenizer=beginnings).split(0.5, seed=HALVES),
    }


def columns_of(corpus: Corpus, columns) -> Corpus:
    """Return a corpus of some of its words.

    Parameters
    ----------
    corpus : Corpus
    columns : ndarray of int

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> columns_of(ts.corpus_from_texts(["good film", "bad film"], [1, -1]), [0, 2]).vocabulary.tolist()
    ['bad', 'good']
    """
    return replace(corpus, counts=corpus.counts[:, columns], vocabulary=corpus.vocabulary[columns])


def beginnings(text, letters=4):
    """Split a text into words, and keep of each its first letters: a crude kind of subwords that wants no trained tokenizer.

    Parameters
    ----------
    text : str
    letters : int

    Returns
    -------
    list of str

    Examples
    --------
    >>> from experiments.review_controls import beginnings
    >>> beginnings("Wonderful, truly wonderful")
    ['wond', 'trul', 'wond']
    """
    import re

    return [word[:letters] for word in re.findall(r"\w\w+", text.lower())]


def vocabulary_summary(made: dict, options=OPTIONS) -> dict:
    """Measure both shapes with each of several vocabularies, with true labels and one permutation.

    Parameters
    ----------
    made : dict of (Corpus, Corpus)
        As `vocabularies` returns.
    options : Options

    Returns
    -------
    dict

    Examples
    --------
    What it returned for IMDB is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> list(recorded("vocabulary"))[1:]
    ['most occurrences', 'most reviews', 'all of a sample', 'first four letters']
    """
    progress = tqdm(made.items(), desc="Vocabularies", unit="run")
    return {name: _measured(half, other, options)[0] for name, (half, other) in progress}


def _measured(half, other, options):
    """Return what is recorded of one vocabulary, and the function that knows what its tokens got."""
    amounts_of, runs = _learning(other, options, SEEDS[0])
    shapes = _shapes(half, other, amounts_of)
    accuracy = next(iter(runs.values())).history.held_out_accuracies[-1]
    return {"corpus": repr(half), "accuracy": round(float(accuracy), 4)} | shapes, amounts_of


def _shapes(half, other, amounts_of, min_count=1):
    """Return the figures of both shapes with true labels and one permutation, without the bins."""
    control = with_control(half, other, amounts_of, shuffles=1, seed=SEEDS[0], min_count=min_count)
    return {of: {by: _figures([each]) for by, each in both.items()} for of, both in control.items()}


def subword_halves(every: Corpus, size=PIECES, seed=HALVES) -> tuple[Corpus, Corpus]:
    """Return two halves of a corpus in pieces of words: those of a tokenizer that knows the first half alone.

    Parameters
    ----------
    every : Corpus
        All words, however rare.
    size : int
        Of the tokenizer's vocabulary.
    seed : int
        Of the halves.

    Returns
    -------
    (Corpus, Corpus)
        What is learnt from, and what is not, in the pieces that occur in the first.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> from experiments.review_controls import subword_halves
    >>> every = ts.corpus_from_texts(["care, careful, careless", "hope, hopeful, hopeless"] * 2, [1, -1] * 2)
    >>> half, other = subword_halves(every, size=34)
    >>> half.vocabulary.tolist() == other.vocabulary.tolist(), bool((half.counts.sum(axis=0) > 0).all())
    (True, True)
    """
    half, other = every.split(0.5, seed=seed)
    tokenizer = wordpiece(half, size)
    half, other = (in_pieces(part, tokenizer) for part in (half, other))
    there = np.flatnonzero(half.counts.sum(axis=0))
    return columns_of(half, there), columns_of(other, there)


def subword_summary(half: Corpus, other: Corpus, options=OPTIONS) -> dict:
    """Measure both shapes with pieces of words, with true labels and one permutation, and what some pieces get.

    Parameters
    ----------
    half, other : Corpus
        As `subword_halves` returns.
    options : Options

    Returns
    -------
    dict
        Under "subwords" what `vocabulary_summary` returns of one vocabulary. Under "beginnings" and "continuations" the same
        shapes of these pieces by themselves, after the same training, their number, their share of all occurrences, and the
        mean absolute skew of the other half, and "halves", the rank correlation of their skews in the two halves. Under
        "frequent subwords" the shapes of the pieces that occur `OFTEN` times or more. Under "pieces" every affix of
        `AFFIXES` that is one of the pieces, and the `ENDS` continuations of the lowest and of the highest value:
        occurrences, the skew of either half, value and score.

    Examples
    --------
    What it returned for IMDB is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> list(recorded("subwords"))[1:]
    ['subwords', 'beginnings', 'continuations', 'frequent subwords', 'pieces']
    """
    row, amounts_of = _measured(half, other, options)
    continued = np.array([name.startswith(MARK) for name in half.vocabulary])
    kinds = {"beginnings": np.flatnonzero(~continued), "continuations": np.flatnonzero(continued)}
    parts = {name: _of_kind(half, other, amounts_of, columns) for name, columns in kinds.items()}
    often = {"pieces": int((half.counts.sum(axis=0) >= OFTEN).sum())} | _shapes(half, other, amounts_of, min_count=OFTEN)
    named = _of_pieces(half, other, amounts_of(half), kinds["continuations"])
    return {"subwords": row} | parts | {"frequent subwords": often, "pieces": named}


def _of_kind(half, other, amounts_of, columns):
    occurrences = half.counts.sum(axis=0)
    numbers = {
        "pieces": len(columns),
        "share": round(float(occurrences[columns].sum() / occurrences.sum()), 4),
        "skew": round(float(np.nanmean(np.abs(other.label_skew()[columns]))), 4),
        "halves": round(float(word_correlation(other.label_skew()[columns], half.label_skew()[columns])), 4),
    }
    parts = (columns_of(part, columns) for part in (half, other))
    return numbers | _shapes(*parts, lambda part: {of: each[columns] for of, each in amounts_of(part).items()})


def _of_pieces(half, other, amounts, continuations):
    occurrences = half.counts.sum(axis=0)
    columns = {"occurrences": occurrences, "own": half.label_skew(), "held out": other.label_skew()}
    columns |= {"value": amounts["values"], "score": amounts["scores"]}
    frequent = continuations[occurrences[continuations] >= FREQUENT]
    by_value = frequent[np.argsort(amounts["values"][frequent])]
    affixes = np.flatnonzero(np.isin(half.vocabulary, AFFIXES))
    named = dict.fromkeys([*affixes, *by_value[:ENDS], *by_value[-ENDS:]])  # each once, in this order
    return {half.vocabulary[one]: {name: or_none(rounded(each[[one]]))[0] for name, each in columns.items()} for one in named}


def main():
    """Record the controls of chapter 5."""
    imdb, tomatoes = (load().split(HELD_OUT, seed=0)[0] for load in (load_imdb, load_rotten_tomatoes))
    print(record("control", {"imdb": control_summary(imdb, FREQUENT), "tomatoes": control_summary(tomatoes, 10)}))
    yelp = load_yelp("train").balanced(seed=0).split(HELD_OUT, seed=0)[0]
    print(record("control_yelp", control_summary(yelp, 50)))
    print(record("vocabulary", vocabulary_summary(vocabularies())))
    print(record("subwords", subword_summary(*subword_halves(load_imdb(min_count=1)))))
    print(record("descent", descent_summary(imdb)))


if __name__ == "__main__":
    main()
