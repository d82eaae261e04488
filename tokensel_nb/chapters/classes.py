"""The controls of chapter 8: the rise of E_s·v_k with how words lean in unseen texts, and with shuffled labels.

``make record`` runs them on Yelp, once, with the protocol below: 150 steps as everywhere in chapters 5 and 8, a fifth of the
reviews held out. Seed 10 (and 11 to 14, with the first form of these controls) served to find out what to ask: most of the rise
in unseen texts is the verdict, 0.196 of 0.239 word by word with four classes and 0.159 of 0.187 with five; so the null must
keep it. Fixed then, before the seeds below, which no run had used, were run: word by word, the smallest excess over the largest
of 200 shuffles within the verdicts is at least 0.01 (the null: below 0); and of the three contrasts the two that are not the
verdict reach at least 0.06 (the null: 0.05).

Before that, two more seeds of the chapter's own run on four classes of film reviews are recorded, which need no Yelp.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tqdm import tqdm

from ..corpus.corpus import Corpus, shuffle_labels
from ..datasets.movie_reviews import load_movie_reviews
from ..datasets.yelp import load_yelp
from ..theory.alignment import class_profile
from ..theory.bins import binned, word_correlation
from ..training.train import train
from . import reviews
from .recorded import or_none, paper_table, record, rounded

SEEDS = range(15, 20)
SHUFFLED_SEEDS = range(15, 17)
SHUFFLES = 200

DIM, MORE_SEEDS = 1024, (11, 12)
"""Of the run on film reviews, and beside seed 10, which the chapter trains."""

KEPT = {"among all": (0, 0, 0, 0), "within sites": (0, 0, 1, 1), "within verdicts": (0, 1, 0, 1)}
"""Within which groups of the four classes of film reviews labels are shuffled."""

VERDICTS = {4: (0, 0, 1, 1), 5: (0, 0, 1, 2, 2)}
"""Which classes of Yelp share a verdict: 1 and 2 stars, 4 and 5, and three stars by themselves where there are five classes."""

CONTRASTS = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]])
"""Four classes are two pairs. Orthogonal ways to lean: to a pair, to the first of either pair, to the first of one only."""


def lean(corpus: Corpus) -> np.ndarray:
    """Return the class profile of the words that a corpus holds, and NaN for those that it lacks.

    Parameters
    ----------
    corpus : Corpus
        More than two classes.

    Returns
    -------
    ndarray of float64, shape (vocab_size, K)

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["one", "two", "three"], [0, 1, 2])
    >>> lean(corpus[:2]).round(2)[corpus.column("three")]
    array([nan, nan, nan])
    """
    profile = class_profile(corpus)
    return np.where(profile.any(axis=1, keepdims=True), profile, np.nan)


def rise(leaning, values) -> float:
    """Return how surely values rise from bin to bin: the rank correlation of 20 bin means, averaged over the classes.

    Parameters
    ----------
    leaning : array, shape (vocab_size, K)
        Such as `lean`; words with NaN are left out.
    values : array, shape (vocab_size, K)
        Such as E_s·v_k.

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> leaning = np.linspace(-1, 1, 100)[:, None] * [1, -1, 0.5]
    >>> round(rise(leaning, leaning**3), 6)
    1.0
    """
    columns = zip(np.asarray(leaning).T, np.asarray(values).T)
    return float(np.mean([binned(of, amounts).rank_correlation() for of, amounts in columns]))


def word_rise(leaning, values) -> float:
    """Return the same word by word: the rank correlation of the values with how the words lean, averaged over the classes.

    Parameters
    ----------
    leaning, values : array, shape (vocab_size, K)
        As in `rise`.

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> leaning = np.linspace(-1, 1, 100)[:, None] * [1, -1, 0.5]
    >>> round(word_rise(leaning, -(leaning**3)), 6)
    -1.0
    """
    return float(np.mean([word_correlation(of, amounts) for of, amounts in zip(np.asarray(leaning).T, np.asarray(values).T)]))


def contrasts(leaning, values) -> np.ndarray:
    """Return, for each of three `CONTRASTS` of four classes, the rank correlation of values with how the words lean.

    Parameters
    ----------
    leaning, values : array, shape (vocab_size, 4)
        As in `rise`.

    Returns
    -------
    ndarray of float64, shape (3,)

    Examples
    --------
    >>> leaning = np.random.default_rng(0).normal(size=(100, 4))
    >>> contrasts(leaning, leaning + 10).round(6)  # what all classes have in common is in none
    array([1., 1., 1.])
    """
    by_contrast = (CONTRASTS @ np.asarray(each).T for each in (leaning, values))
    return np.array([word_correlation(*pair) for pair in zip(*by_contrast)])


def shuffle_within(corpus: Corpus, groups, seed) -> Corpus:
    """Return the same texts, their labels permuted within groups of classes: what tells the groups apart stays as it is.

    Parameters
    ----------
    corpus : Corpus
    groups : sequence of int, length K
        The group of every class.
    seed : int or numpy.random.Generator

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus(np.ones((8, 1)), [0, 1, 2, 3, 0, 1, 2, 3], ["film"])
    >>> (shuffle_within(corpus, (0, 0, 1, 1), seed=0).labels // 2).tolist()
    [0, 0, 1, 1, 0, 0, 1, 1]
    """
    random, labels = np.random.default_rng(seed), corpus.labels.copy()
    of_text = np.asarray(groups)[labels]
    for group in np.unique(of_text):
        labels[of_text == group] = random.permutation(labels[of_text == group])
    return replace(corpus, labels=labels)


def at_equal_frequency(corpus: Corpus, scores, at_least=20) -> float:
    """Correlate scores with the largest share of a class among words of equal frequency.

    Parameters
    ----------
    corpus : Corpus
        More than two classes.
    scores : ndarray, shape (vocab_size,)
    at_least : int
        Words that occur less often are left out.

    Returns
    -------
    float

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> corpus = ts.Corpus(np.random.default_rng(0).poisson(9, (90, 30)), [0, 1, 2] * 30, [f"w{s}" for s in range(30)])
    >>> round(at_equal_frequency(corpus, corpus.label_skew().max(axis=1)), 6)
    1.0
    """
    often = np.asarray(corpus.counts.sum(axis=0)).ravel()
    rows = often >= at_least
    powers = np.vander(np.log(often[rows]), 3)
    amounts = np.stack([corpus.label_skew().max(axis=1)[rows], scores[rows]], axis=1)
    rest = amounts - powers @ np.linalg.lstsq(powers, amounts, rcond=None)[0]
    return float(np.corrcoef(rest.T)[0, 1])


def film_reviews() -> tuple[Corpus, Corpus]:
    """Return the four classes of film reviews that the chapter trains on, and a fifth held out.

    Returns
    -------
    (Corpus, Corpus)
    """
    return load_movie_reviews().balanced(seed=10).split(reviews.HELD_OUT, seed=10)


def of_seed(corpus: Corpus, held_out: Corpus, seed, **changes) -> dict:
    """Train with one more seed on four classes, and return what the chapter tells of it, as plain values.

    Parameters
    ----------
    corpus, held_out : Corpus
        As `film_reviews` returns them.
    seed : int
    **changes
        Options that differ from those of the chapter.

    Returns
    -------
    dict
        "own", "unseen": the `rise` in the texts trained on, and in others; "words": the `word_rise` in these; "scores": what
        `at_equal_frequency` gives there, and "shuffled" what it gives with labels shuffled within each of `KEPT`, 30 times.
    """
    options = dict(options=reviews.OPTIONS, dim=DIM, evaluate_every=reviews.OPTIONS.steps) | changes
    found = train(corpus, seed=seed, **options).parameters
    unseen, values, scores = lean(held_out), found.token_values, found.token_scores
    shuffled = {
        of: [at_equal_frequency(shuffle_within(held_out, groups, k), scores) for k in range(30)] for of, groups in KEPT.items()
    }
    return {
        "seed": seed,
        "own": round(rise(lean(corpus), values), 5),
        "unseen": round(rise(unseen, values), 5),
        "words": round(word_rise(unseen, values), 5),
        "scores": round(at_equal_frequency(held_out, scores), 5),
        "shuffled": {of: rounded(numbers, 5) for of, numbers in shuffled.items()},
    }


def paper_edges(class_number) -> np.ndarray:
    """Return the edges of the bins of the paper's table of a class of Yelp.

    Both tables hold 19 rows, and centres rounded to three digits. Those of class 4 fit 19 equal bins. Those of class 2 fit 20
    equal bins with the second left out, surely an empty one; an edge lies close to zero then. The bins are fitted by least
    squares.

    Parameters
    ----------
    class_number : {2, 4}

    Returns
    -------
    ndarray of float64, shape (21,) for class 2, (20,) for class 4

    Examples
    --------
    >>> paper_edges(4).round(4)[[0, -1]]
    array([-0.0218,  0.0221])
    >>> paper_edges(2).round(4)[[0, 9, -1]]
    array([-0.0278, -0.0001,  0.0338])
    """
    centres = _paper_centres(class_number)
    places = np.delete(np.arange(20), 1) if class_number == 2 else np.arange(19)
    width, first = np.polyfit(places, centres, 1)
    return first + width * (np.arange(places[-1] + 2) - 0.5)


def controls(corpus: Corpus, name: str, verdicts) -> dict:
    """Train with true and with shuffled labels, and return how E_s·v_k rises with what the texts trained on, and others, say.

    Parameters
    ----------
    corpus : Corpus
        More than two classes.
    name : str
        Of the corpus, for people.
    verdicts : sequence of int, length K
        Such as `VERDICTS`.

    Returns
    -------
    dict
        Under "bins" the `rise`, under "words" the `word_rise`, each with numbers seed by seed: "own" in the profile of the
        texts trained on, "shuffled own" the same for labels that were shuffled before training, "held out" in the profile of
        held-out texts, "shuffled held out" the largest when the labels of these are shuffled 200 times, "within verdicts" the
        largest when they are shuffled among texts of one verdict. Of four classes also "contrasts", and "paper_bins".

    Examples
    --------
    What it returned is stored with the package:

    >>> from tokensel_nb.chapters.recorded import recorded
    >>> len(recorded("stars")["four"]["bins"]["held out"])
    5
    """
    corpus, held_out = corpus.split(reviews.HELD_OUT, seed=0)

    def values(texts, seed):
        return train(texts, options=reviews.OPTIONS, seed=seed, evaluate_every=reviews.OPTIONS.steps).parameters.token_values

    found = [values(corpus, seed) for seed in tqdm(SEEDS, desc=name, unit="seed")]
    chance = [(lean(texts), values(texts, seed)) for seed in SHUFFLED_SEEDS for texts in [shuffle_labels(corpus, seed)]]
    own, unseen = lean(corpus), lean(held_out)
    nulls = {
        "shuffled held out": [lean(shuffle_labels(held_out, seed)) for seed in range(SHUFFLES)],
        "within verdicts": [lean(shuffle_within(held_out, verdicts, seed)) for seed in range(SHUFFLES)],
    }

    def unseen_by(how):
        highest = {of: [np.max([how(one, each) for one in leans], axis=0) for each in found] for of, leans in nulls.items()}
        told = {"held out": [how(unseen, each) for each in found]} | highest
        return {of: rounded(numbers, 3) for of, numbers in told.items()}

    def told_by(how):
        numbers = {"own": [how(own, each) for each in found], "shuffled own": [how(*each) for each in chance]}
        return {of: rounded(each, 3) for of, each in numbers.items()} | unseen_by(how)

    result = {"name": name, "corpus": repr(corpus), "bins": told_by(rise), "words": told_by(word_rise)}
    if corpus.num_classes == 4:
        result |= {"contrasts": unseen_by(contrasts), "paper_bins": _paper_bins(corpus, found)}
    return result


def _paper_bins(corpus, found):
    """Return, for classes 2 and 4, what lies in the bins of the paper's tables, by Ê[(1{y=k} - 1/K) c_s]: means, and words."""
    frequency, bins = corpus.signed_frequency(), {}
    for number in (2, 4):
        along, edges = frequency[:, number - 1], paper_edges(number)
        of = [binned(along, values[:, number - 1], edges) for values in found]
        shown = np.abs(of[0].centres[:, None] - _paper_centres(number)).min(axis=1) < 1e-3
        bins[str(number)] = {
            "centres": rounded(of[0].centres[shown], 5),
            "sizes": of[0].sizes[shown].tolist(),
            "left_out": of[0].sizes[~shown].tolist(),
            "range": rounded([along.min(), along.max()]),
            "means": [or_none(rounded(each.means[shown], 2)) for each in of],
        }
    return bins


def _paper_centres(class_number):
    return paper_table(f"multiclass_yelp4_class{class_number}_v").centre.to_numpy()


def main():
    """Record more seeds on film reviews, and both runs on Yelp, balanced."""
    films = film_reviews()
    print(record("classes_seeds", {"seeds": [of_seed(*films, seed) for seed in MORE_SEEDS]}))
    corpora = {name: load_yelp("train", classes=number).balanced(seed=0) for number, name in ((4, "four"), (5, "five"))}
    found = {name: controls(corpus, f"Yelp, {name} classes", VERDICTS[corpus.num_classes]) for name, corpus in corpora.items()}
    print(record("stars", found))


if __name__ == "__main__":
    main()
