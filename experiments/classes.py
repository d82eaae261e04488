"""The controls of 07_classes: the rise of E_s·v_k with how words lean in unseen texts, and with shuffled labels."""

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.chapters import classes as chapter
from tokensel_nb.chapters.recorded import paper_table
from tokensel_nb.chapters.reviews import HELD_OUT, SETTINGS, run, stopped

from .recording import or_none, rounded
from .reviews import balanced_yelp

# `make record` runs them on Yelp, once, with the protocol below: 150 steps as in 04_reviews, a fifth of the
# reviews held out. Seed 10 (and 11 to 14, with the first form of these controls) served to find out what to ask: most of the
# rise in unseen texts is the verdict, 0.196 of 0.239 word by word with four classes and 0.159 of 0.187 with five; so the
# null must keep it. Fixed then, before the seeds below, which no run had used, were run: word by word, the smallest excess
# over the largest of 200 shuffles within the verdicts is at least 0.01 (the null: below 0); and of the three contrasts the
# two that are not the verdict reach at least 0.06 (the null: 0.05).
#
# Before that, more seeds of the chapter's own run on four classes of film reviews are recorded, which need no Yelp. Whether
# attention favours words that lean is asked as in `review_controls`, at the step of the lowest loss on the held-out texts, by
# their labels. Target, fixed on 2026-11-24 before a run: the smallest of three seeds is above all 30 shuffles among all labels.
#
# Until then all seeds shared one split of the texts. On 2026-11-24 every seed got a split of its own, fresh ones for films and
# Yelp, with the targets as they were. A referee's six other splits of Yelp had shown that some would be missed: the smaller
# contrast at 0.027 to 0.075, and the bins of five classes below the verdict's. So the bins got a row as well: the smallest
# excess of their rise over the largest shuffle within the verdicts is above zero.
SEEDS = range(20261125, 20261130)
SHUFFLES = 200
MORE_SEEDS = SEEDS[:4]  # on film reviews, beside seed 10, which the chapter trains
# Which classes of Yelp share a verdict: 1 and 2 stars, 4 and 5, and three stars by themselves where there are five classes.
VERDICTS = {4: (0, 0, 1, 1), 5: (0, 0, 1, 2, 2)}


def more_seeds() -> dict:
    """Train on more splits of four classes of film reviews."""
    return {"seeds": [of_seed(*chapter.film_reviews(seed), seed) for seed in MORE_SEEDS]}


def of_seed(corpus: ts.Corpus, held_out: ts.Corpus, seed, **changes) -> dict:
    """Train with one seed on four classes, and return how values and scores go with how words lean, own and unseen."""
    training, _, scores = stopped(corpus, held_out, seed, **(dict(dim=chapter.DIM, evaluate_every=1) | changes))
    unseen, values = chapter.lean(held_out), training.parameters.token_values
    drawn = {kept: [ts.shuffle_labels(held_out, k, groups) for k in range(30)] for kept, groups in chapter.KEPT.items()}

    def over_drawn(measure):
        return {kept: rounded([measure(texts) for texts in of_kept], 5) for kept, of_kept in drawn.items()}

    return {
        "unseen": round(chapter.rise(unseen, values), 5),
        "words": round(chapter.word_rise(unseen, values), 5),
        "scores": round(ts.matched_correlation(scores, corpus, held_out), 5),
        "shuffled": over_drawn(lambda texts: ts.matched_correlation(scores, corpus, texts)),
        "shuffled unseen": over_drawn(lambda texts: chapter.rise(chapter.lean(texts), values)),
        "shuffled words": over_drawn(lambda texts: chapter.word_rise(chapter.lean(texts), values)),
    }


def paper_edges(class_number) -> np.ndarray:
    """Return the edges of the bins of the paper's table of class 2 or 4 of Yelp, fitted by least squares."""
    # Both tables hold 19 rows, and centres rounded to three digits. Those of class 4 fit 19 equal bins. Those of class 2 fit 20
    # equal bins with the second left out, surely an empty one; an edge lies close to zero then.
    places = np.delete(np.arange(20), 1) if class_number == 2 else np.arange(19)
    width, first = np.polyfit(places, paper_centres(class_number), 1)
    return first + width * (np.arange(places[-1] + 2) - 0.5)


def controls(corpus: ts.Corpus, name: str, verdicts) -> dict:
    """Train, and return how E_s·v_k rises in held-out texts."""

    # Under "bins" the rise of 20 bin means, under "words" that word by word, each with numbers seed by seed: "held out" in the
    # profile of held-out texts, "shuffled held out" the largest when the labels of these are shuffled 200 times, "within
    # verdicts" the largest when they are shuffled among texts of one verdict. Of four classes also "contrasts", "paper_bins".
    def leans(texts, groups):
        return [chapter.lean(ts.shuffle_labels(texts, k, groups)) for k in range(SHUFFLES)]

    def of_split(seed):
        part, held_out = corpus.split(HELD_OUT, seed=seed)
        learnt = run(part, seed, evaluate_every=SETTINGS["steps"]).parameters.token_values
        unseen = chapter.lean(held_out)
        among_all = (0,) * corpus.num_classes
        nulls = {"shuffled held out": leans(held_out, among_all), "within verdicts": leans(held_out, verdicts)}

        def measured(measure):
            largest = {null: np.max([measure(one, learnt) for one in drawn], axis=0) for null, drawn in nulls.items()}
            return {"held out": measure(unseen, learnt)} | largest

        found = {"bins": measured(chapter.rise), "words": measured(chapter.word_rise)}
        return found | {"contrasts": measured(chapter.contrasts), "learnt": learnt} if corpus.num_classes == 4 else found

    splits = [of_split(seed) for seed in tqdm(SEEDS, desc=name, unit="split")]

    def together(kind):
        return {row: rounded([one[kind][row] for one in splits], 3) for row in splits[0][kind]}

    results = {kind: together(kind) for kind in ("bins", "words", "contrasts") if kind in splits[0]}
    if corpus.num_classes == 4:
        results["paper_bins"] = paper_bins(corpus, [one["learnt"] for one in splits])
    return results


def paper_bins(corpus, trained):
    """Return what lies in the bins of the paper's tables of classes 2 and 4, by Ê[(1{y=k} - 1/K) c_s] of all reviews."""
    frequency, results = corpus.signed_frequency(), {}
    for number in (2, 4):
        along, edges = frequency[:, number - 1], paper_edges(number)
        bins = [ts.binned(along, values[:, number - 1], edges) for values in trained]
        shown = np.abs(bins[0].centres[:, None] - paper_centres(number)).min(axis=1) < 1e-3
        results[str(number)] = {
            "centres": rounded(bins[0].centres[shown], 5),
            "sizes": bins[0].sizes[shown].tolist(),
            "range": rounded([along.min(), along.max()]),
            "means": [or_none(rounded(one.means[shown], 2)) for one in bins],
        }
    return results


def paper_centres(class_number):
    """Return the centres in the paper's table of a class of Yelp."""
    return paper_table(f"multiclass_yelp4_class{class_number}_v").centre.to_numpy()


def stars() -> dict:
    """Return the controls on Yelp with four and with five classes."""
    numbers = {"four": 4, "five": 5}
    return {name: controls(balanced_yelp(k), f"Yelp, {name} classes", VERDICTS[k]) for name, k in numbers.items()}


RECORDS = {"classes_seeds": more_seeds, "stars": stars}
