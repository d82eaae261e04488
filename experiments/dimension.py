"""The smallest dimension that keeps an error as the vocabulary grows, beside what extremes of normal numbers foresee.

The protocol, committed before the official run; trials had seeds below 1,000. Texts are those of `one_relevant_token`: |S|/4 of
LENGTH tokens, k relevant tokens a label, and a first step after which relevant values are VALUE in the limit. Each of SEEDS
draws corpora and DRAWS starts for every size; v is the first axis, and a start in d dimensions has the first d columns of one
draw, over √d. The smallest d is where half of a seed's draws keep the error, on a straight line between dimensions that are
GRID times the foreseen one. Slopes are those of straight lines through d, over log₂|S| or, for `share`, over |S|.

values  The largest distance of E¹_s·v from η₀ᾱ_s/2 over all tokens is at most half of VALUE. Foreseen: it is the largest of |S|
        normal numbers of variance 1/d, so d = (2x/VALUE)², (2Φ(x) - 1)^|S| = 1/2, like 8 log |S|/VALUE² in the end.
        Control: the mean distance instead of the largest.
scores  After the first direction of p at p = 0 every relevant token scores above every other one of the vocabulary. Foreseen,
        to first order, in the unit of b_r: relevant scores are 1 + √((2k + 1/VALUE²)/d) z_r ± 2 VALUE √(2k/d) z, by the noise
        of rows, of the token's own value and of h, others -2k/(|S| - 2k) + √(2k/d) z_s; d is the median of that from which the
        smallest exceeds the largest, like 4k log |S| in the end. Control: the smallest exceeds 99 in 100 of the others.
share   The same scores where one token in 32 is relevant, k = |S|/64, instead of eight in all.

Targets: the mean slope of the five seeds within 15% of the foreseen one, for each of the three. The reasons: the median of 80
draws of a seed is known to some 5%, its slope over nine sizes to 9%, the mean of five slopes to 4%; the first order leaves out
terms of relative size 1/√d, some 6%. For the controls of values and scores: a mean slope of at most a fifth of the foreseen
one, of either sign; the term -2k/(|S| - 2k) alone moves that of scores by 6%.
"""

import numpy as np
from scipy.stats import norm
from tqdm import tqdm

import tokensel_nb as ts

from .recording import rounded

SEEDS, DRAWS, SIZES, SHARED = range(20261125, 20261130), 80, 2 ** np.arange(8, 17), 2 ** np.arange(8, 13)
LENGTH, RELEVANT, VALUE, GRID = 16, 4, 0.5, np.geomspace(0.5, 1.6, 14)
CALM, CALM_SCORES = np.arange(4, 41), np.geomspace(30, 200, 8)  # where the controls' d are looked for
MANY = 100_000  # draws behind a foreseen median


def of_values(size) -> float:
    """Return the foreseen d for values."""
    return float((2 / VALUE * norm.isf(-np.expm1(np.log(0.5) / size) / 2)) ** 2)


def of_scores(size, relevant=RELEVANT) -> float:
    """Return the foreseen d for scores."""
    random = np.random.default_rng(0)
    largest = lambda number: norm.isf(-np.expm1(np.log(random.uniform(size=MANY)) / number))
    rows, own = np.sqrt(2 * relevant), np.sqrt(2 * relevant + VALUE**-2)
    others, tilt = rows * largest(size - 2 * relevant), 2 * VALUE * rows * random.standard_normal(MANY)
    sides = [own * largest(relevant) + sign * tilt for sign in (1, -1)]
    return float(np.median((others + np.maximum(*sides)) ** 2)) * (1 - 2 * relevant / size) ** 2


class Setting:
    """A corpus and its first step."""

    def __init__(self, size, relevant, seed):
        self.relevant, self.step = relevant, 4 * relevant * LENGTH * VALUE
        self.corpus = ts.one_relevant_token(size // 4, size, LENGTH, relevant, seed)
        self.predicted, self.even = ts.predicted_values(self.corpus, self.step), np.zeros(size)

    def after_step(self, begun):
        """Return E¹v from E⁰v, on which alone it depends."""
        return begun - self.step * ts.score_gradients(self.even, begun, self.corpus)[1]

    def pull(self, values):
        """Return b, minus the derivatives of the loss in the scores at p = 0."""
        return -ts.score_gradients(self.even, values, self.corpus)[0]

    def errors(self, begun) -> dict:
        """Return the largest and the mean distance of values from the prediction, of VALUE."""
        apart = np.abs(self.after_step(begun) - self.predicted) / VALUE
        return {"worst": apart.max(), "mean": apart.mean()}

    def scores(self, draw, dims):
        """Return the scores after the first direction of p, a column for each d: rows are the first d columns over √d."""
        values = [self.after_step(draw[:, 0] / np.sqrt(dim)) for dim in dims]
        pulls = np.stack([self.pull(each) for each in values], axis=1)
        along = (np.arange(draw.shape[1])[:, None] < dims) * (draw.T @ pulls.astype(draw.dtype)) / dims
        along[0] = 0
        beside = draw @ along.astype(draw.dtype)
        return beside + np.stack([each * (each @ pull) for each, pull in zip(values, pulls.T)], axis=1)

    def leads(self, draw, dims) -> dict:
        """Return by how much the lowest relevant score exceeds the highest other one, and the 99th percentile of others."""
        relevant, others = np.split(self.scores(draw, dims), [2 * self.relevant])
        others = np.sort(others, axis=0)
        return {"worst": relevant.min(axis=0) - others[-1], "most": relevant.min(axis=0) - others[int(0.99 * len(others)) - 1]}


def smallest(dims, kept) -> float:
    """Return where half of the draws keep the error, from columns of draws."""
    share = np.maximum.accumulate(np.mean(kept, axis=0))
    if not share[0] < 0.5 <= share[-1]:
        raise ValueError(f"half of the draws keep the error at none of these dimensions: {share}")
    after = int(np.argmax(share >= 0.5))
    return float(np.interp(0.5, share[after - 1 : after + 1], dims[after - 1 : after + 1]))


def grid(foreseen):
    """Return the dimensions that are tried."""
    return np.unique(np.round(foreseen * GRID).astype(int))


def values(size, seed, draws=DRAWS) -> dict:
    """Return the smallest d for values, of the largest and of the mean error."""
    setting, random = Setting(size, RELEVANT, seed), np.random.default_rng([seed, size, 0])
    begun = random.standard_normal((draws, size))
    found = {}
    for name, dims in {"worst": grid(of_values(size)), "mean": CALM}.items():
        kept = [[setting.errors(each / np.sqrt(dim))[name] <= 0.5 for dim in dims] for each in begun]
        found[name] = smallest(dims, kept)
    return found


def scores(size, seed, relevant=RELEVANT, draws=DRAWS) -> dict:
    """Return the smallest d for scores, above all others and above most."""
    setting, random = Setting(size, relevant, seed), np.random.default_rng([seed, size, relevant])
    dims = np.unique(np.r_[grid(of_scores(size, relevant)), CALM_SCORES.astype(int)])
    leads = [setting.leads(random.standard_normal((size, dims[-1]), "float32"), dims) for _ in range(draws)]
    return {name: smallest(dims, [each[name] > 0 for each in leads]) for name in leads[0]}


def slope(places, dims) -> float:
    """Return the slope of the straight line through the smallest d."""
    return float(np.polyfit(places, dims, 1)[0])


def gathered(sizes, places, foreseen, of_size) -> dict:
    """Run all sizes and seeds: the smallest d, and each seed's slope over the foreseen one."""
    found = [[of_size(size, seed) for size in tqdm(sizes, desc=str(seed), unit="size")] for seed in SEEDS]
    wanted = [foreseen(size) for size in sizes]
    dims = {name: [[each[name] for each in of_seed] for of_seed in found] for name in found[0][0]}
    ratios = {name: [slope(places, row) / slope(places, wanted) for row in rows] for name, rows in dims.items()}
    smallest_d = {name: rounded(rows, 1) for name, rows in dims.items()}
    slopes = {name: rounded(row, 3) for name, row in ratios.items()}
    return {"sizes": sizes.tolist(), "foreseen": rounded(wanted, 1), "smallest d": smallest_d, "slopes": slopes}


def dimension() -> dict:
    """Run everything."""
    doublings = np.log2(SIZES)
    of_share = lambda size: of_scores(size, size // 64), lambda size, seed: scores(size, seed, size // 64)
    return {
        "values": gathered(SIZES, doublings, of_values, values),
        "scores": gathered(SIZES, doublings, of_scores, scores),
        "share": gathered(SHARED, SHARED, *of_share),
    }


RECORDS = {"dimension": dimension}
