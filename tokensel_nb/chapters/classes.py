"""The controls of chapter 8: the rise of E_s·v_k with how words lean in unseen texts, and with shuffled labels.

``make record`` runs them on Yelp, once, with the protocol below, which was fixed before the run: seeds that no other run of the
book has used, 150 steps as everywhere in chapters 5 and 8, a fifth of the reviews held out.
"""

from __future__ import annotations

import numpy as np
from tqdm import tqdm

from ..alignment import class_profile
from ..bins import binned, word_correlation
from ..corpus import Corpus, shuffle_labels
from ..datasets import load_yelp
from ..training import train
from . import reviews
from .recorded import paper_table, record, rounded

SEEDS = range(10, 15)
SHUFFLED_SEEDS = range(10, 12)
SHUFFLES = 200


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


def paper_edges(class_number) -> np.ndarray:
    """Return the edges of 19 bins whose first and last centres are those of the paper's table of a class of Yelp.

    Parameters
    ----------
    class_number : {2, 4}

    Returns
    -------
    ndarray of float64, shape (20,)

    Examples
    --------
    >>> paper_edges(4).round(4)[[0, -1]]
    array([-0.0222,  0.0222])
    """
    centres = paper_table(f"multiclass_yelp4_class{class_number}_v").centre.to_numpy()
    half = (centres[-1] - centres[0]) / 36
    return np.linspace(centres[0] - half, centres[-1] + half, 20)


def controls(corpus: Corpus, name: str) -> dict:
    """Train with true and with shuffled labels, and return how E_s·v_k rises with what the texts trained on, and others, say.

    Parameters
    ----------
    corpus : Corpus
        More than two classes.
    name : str
        Of the corpus, for people.

    Returns
    -------
    dict
        Under "bins" the `rise`, under "words" the `word_rise`, each with numbers seed by seed: "own" in the profile of the
        texts trained on, "shuffled own" the same for labels that were shuffled before training, "held out" in the profile of
        held-out texts, "shuffled held out" the largest when the labels of these are shuffled 200 times.

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
    shuffled = [lean(shuffle_labels(held_out, seed)) for seed in range(SHUFFLES)]

    def told_by(how):
        return {
            "own": rounded([how(own, each) for each in found], 3),
            "shuffled own": rounded([how(*each) for each in chance], 3),
            "held out": rounded([how(unseen, each) for each in found], 3),
            "shuffled held out": rounded([max(how(one, each) for one in shuffled) for each in found], 3),
        }

    result = {"name": name, "corpus": repr(corpus), "bins": told_by(rise), "words": told_by(word_rise)}
    return result | ({"paper_bins": _paper_bins(corpus, found)} if corpus.num_classes == 4 else {})


def _paper_bins(corpus, found):
    """Return, for classes 2 and 4, means and numbers of words in the paper's own bins of Ê[(1{y=k} - 1/K) c_s]."""
    frequency, bins = corpus.signed_frequency(), {}
    for number in (2, 4):
        column = number - 1
        of = [binned(frequency[:, column], values[:, column], paper_edges(number)) for values in found]
        means = [[None if np.isnan(mean) else round(mean, 2) for mean in each.means.tolist()] for each in of]
        bins[str(number)] = {"centres": rounded(of[0].centres), "sizes": of[0].sizes.tolist(), "means": means}
    return bins


def main():
    """Record both runs on Yelp, balanced."""
    corpora = {name: load_yelp("train", classes=number).balanced(seed=0) for number, name in ((4, "four"), (5, "five"))}
    print(record("stars", {name: controls(corpus, f"Yelp, {name} classes") for name, corpus in corpora.items()}))


if __name__ == "__main__":
    main()
