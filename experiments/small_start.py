"""One layer that learns from a small start: when it leaves zero, for how long it tilts, and when its horns begin.

The protocol, committed before the official run; trials had seed 1.

texts     Half of a corpus trains, the other half tells the skew; both halves have each word in 20 texts. A number is the seed
          of the split and the start.
flow      E, p and v start at `std` times standard normal numbers, float64, and move by gradient descent with steps of `STEP`
          units of time, which stands for gradient flow.
measured  s and u: the rank correlations of scores E·p with the held-out skew and with its size, among 100 neighbours in
          frequency. p⊥: the part of p orthogonal to w = v₀ + E₀ᵀβ̂.
escape    The time when the loss first falls below .6. Theory: it grows by 1/‖β‖ for each unit of log(1/std).
horns     The time when ‖p⊥‖ first reaches `ARRIVED`. Theory: what is orthogonal to w obeys a linear equation, W' = M(x)W, x the
          flow on w alone, which a second run solves from the same start.
targets   Escape: slope within 3% of 1/‖β‖ between std .001 and .00001, on each corpus and split. Horns: within 5% of what the
          linear equation says, each corpus and split, at std .001. With 2 and 64 dimensions the largest |s| along the way is
          above .5, and at the end smaller than half of it; with one dimension it ends at more than half (there scores are a
          multiple of values, a theorem). u ends below .1 with one dimension and above it with 64. Shuffled labels: |s| by the
          true held-out skew stays below .2.

`second_direction` has splits of its own; trials had seed 1. It follows the birth solution Θ and one solution x of x' = B(Θ)x
that begins in the kernel of B(0), on the clock ∫‖B‖, which is 0 near the escape. Target: from 5 to 10 on that clock, the
logarithm of what x has beside Θ grows at 0.9 or more, on each corpus and split. The theorem's limit is 1.
"""

from functools import partial
from itertools import islice

import numpy as np
from scipy import integrate
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.matched import compared, correlation_at_equal

from .recording import CORPORA, rounded

SPLITS = range(20261211, 20261214)
ENDS = {"imdb": 7500, "tomatoes": 4000, "tweets": 3000}
STD, DIM, STEP = 1e-3, 64, 1.0
FASTER = (1e-3, 1e-4, 1e-5)  # standard deviations whose escapes are compared
LATER_SPLITS, CLOCK = range(20261221, 20261224), (-5.0, 5.0, 10.0)
BELOW, ARRIVED, LOOKS = 0.6, 1.0, 40


def halves(name, seed):
    """Return what trains and what tells the skew, with the words that both have often enough."""
    both = CORPORA[name](seed).split(0.5, seed=seed)
    words = np.flatnonzero(compared(both[0]) & compared(both[1]))
    return [ts.Corpus(half.counts[:, words], half.labels, half.vocabulary[words], half.class_names) for half in both]


def start(corpus, dim, std, seed):
    """Draw E, p and v."""
    random = np.random.default_rng(seed)
    return ts.Parameters(*(std * random.standard_normal(shape) for shape in ((corpus.vocab_size, dim), dim, dim)))


def pull(corpus):
    """Return β, half of the signed shares: what pulls values at zero."""
    return np.asarray(corpus.signed_share()) / 2


def axis(parameters, corpus):
    """Return the direction of w = v + Eᵀβ̂, along which everything leaves zero."""
    beta = pull(corpus)
    w = parameters.output_vector + parameters.embeddings.T @ (beta / np.linalg.norm(beta))
    return w / np.linalg.norm(w)


def beside(vector, direction):
    """Return the length of what a vector has orthogonal to a unit vector."""
    return np.linalg.norm(vector - (vector @ direction) * direction)


def flow(parameters, corpus):
    """Yield step, parameters and state of gradient descent, which stands for gradient flow."""
    return ts.descent(parameters, corpus, learning_rate=STEP, optimizer="gradient descent")


def escape(corpus, dim, std, seed):
    """Return the time when the loss falls below `BELOW`."""
    for step, parameters, _ in flow(start(corpus, dim, std, seed), corpus):
        if ts.loss(parameters, corpus) <= BELOW:
            return step * STEP


def followed(corpus, skew, dim, std, seed, end) -> dict:
    """Follow one run; return s and u at some times, and when the horns came."""
    first = start(corpus, dim, std, seed)
    direction, frequency = axis(first, corpus), np.asarray(corpus.counts.sum(axis=0)).ravel()
    looks, arrived, rows = set(np.linspace(0, end / STEP, LOOKS + 1, dtype=int)), None, []
    for step, parameters, _ in islice(flow(first, corpus), int(end / STEP) + 1):
        if arrived is None and beside(parameters.cls_embedding, direction) >= ARRIVED:
            arrived = step * STEP
        if step in looks:
            rows.append([correlation_at_equal(frequency, of, parameters.token_scores) for of in (skew, np.abs(skew))])
    return {"arrived": arrived} | dict(zip("su", rounded(np.transpose(rows))))


def foretold(corpus, std, seed, end):
    """Return when the linear equation says that the horns come; None if not before the end."""
    whole = start(corpus, DIM, std, seed)
    direction = axis(whole, corpus)
    line = ts.Parameters(*((array @ direction)[..., None] for array in whole))
    rest = ts.Parameters(*(array - (array @ direction)[..., None] * direction for array in whole))
    embeddings, queries = rest.embeddings, np.stack([rest.cls_embedding, rest.output_vector])
    for step, on_line, _ in islice(flow(line, corpus), int(end / STEP) + 1):
        if np.linalg.norm(queries[0]) >= ARRIVED:
            return step * STEP
        pulls = -np.column_stack(ts.score_gradients(on_line.token_scores, on_line.token_values, corpus))  # b and h
        moved = STEP * (pulls.T @ embeddings)
        embeddings += STEP * (pulls @ queries)
        queries += moved
    return None


def second_direction(corpus, seed) -> dict:
    """Follow Θ and a solution beside it; return how fast both grow per unit of the clock, and what B and the loss come to."""
    beta = pull(corpus) / np.linalg.norm(pull(corpus))
    beside_it = np.random.default_rng(seed).standard_normal(len(beta))
    beside_it = np.append(beside_it - beside_it @ beta * beta, [1, 0])
    start = np.column_stack([np.exp(CLOCK[0]) * np.append(beta, [0, 1]), beside_it / np.linalg.norm(beside_it)])

    y, counts, by_word = corpus.signs, corpus.counts.tocsr().astype(float), corpus.counts.T.tocsr().astype(float)

    def pulls(line):  # b and β, as of `ts.score_gradients`, several times faster
        scores, values = line[-2] * line[:-2], line[-1] * line[:-2]
        weights = np.exp(scores - scores.max())
        totals, sums = (counts @ np.column_stack([weights, weights * values])).T
        f = sums / np.maximum(totals, 1e-300)  # a text may have no word
        wrong = y / (1 + np.exp(np.minimum(y * f, 700))) / len(y) / np.maximum(totals, 1e-300)
        by_value, by_mean = weights * (by_word @ np.column_stack([wrong, wrong * f])).T
        return np.column_stack([values * by_value - by_mean, by_value])

    def velocity(_, flat):
        both = flat.reshape(start.shape)
        parts = pulls(both[:, 0])
        return np.vstack([parts @ both[-2:], parts.T @ both[:-2]]).ravel() / np.linalg.norm(parts, 2)

    solved = integrate.solve_ivp(velocity, CLOCK[::2], start.ravel(), t_eval=CLOCK[1:], rtol=1e-4, atol=1e-6)
    lengths, tops = [], []
    for line, other in (flat.reshape(start.shape).T for flat in solved.y.T):
        lengths.append([np.linalg.norm(line), np.linalg.norm(other - other @ line / (line @ line) * line)])
        left, sizes, right = np.linalg.svd(pulls(line), full_matrices=False)
        tops.append(np.append(left[:, 0], right[0]) / np.sqrt(2))
    grown = np.diff(np.log(lengths), axis=0)[0] / np.diff(CLOCK[1:])
    loss = ts.loss(ts.Parameters(line[:-2, None], line[-2:-1], line[-1:]), corpus)
    ends = dict(zip(("line", "second", "turned", "next"), [*grown, abs(np.dot(*tops)), sizes[1] / sizes[0]]))
    return rounded(ends | {"tilt": line[-2] / line[-1], "loss": loss})


def of_split(name, seed) -> dict:
    """Measure all that the protocol asks for on one split."""
    (train, others), end = halves(name, seed), ENDS[name]
    skew = others.label_skew()
    follow = lambda dim, corpus=train: followed(corpus, skew, dim, STD, seed, end)
    return {
        "slowness": rounded(1 / np.linalg.norm(pull(train)), 2),
        "escapes": [escape(train, DIM, std, seed) for std in FASTER],
        "foretold": foretold(train, STD, seed, end),
        "dimensions": {str(dim): follow(dim) for dim in (1, 2, DIM)},
        "shuffled": {"s": follow(DIM, ts.shuffle_labels(train, seed))["s"]},
    }


def of_corpus(name) -> dict:
    """Measure a corpus, split by split."""
    return {"splits": [of_split(name, seed) for seed in tqdm(SPLITS, desc=name, unit="split")]}


def all_second_directions() -> dict:
    """Measure the second direction on every corpus and split."""
    return {name: [second_direction(halves(name, seed)[0], seed) for seed in tqdm(LATER_SPLITS, desc=name)] for name in ENDS}


RECORDS = {f"small_start_{name}": partial(of_corpus, name) for name in ENDS} | {"second_direction": all_second_directions}
