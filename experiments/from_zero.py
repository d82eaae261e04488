"""From p = 0 at finite d: the threshold in time, the sufficient dimension by exact draws, and the rate of the direction.

The protocol, committed before the official run. All settings come of SEED, theorem and number; trials had seeds below 1,000.
Target: no failure of F3, at most 10 failures in F4, no relative error above 0.01 in F5.

F3  (from p = 0.) RUNS settings: up to five relevant tokens a label, up to five others, texts of up to five tokens, one relevant
    type in each; x·xᵀ = I + Δ and the values are drawn within their bounds, with random signs, uniformly, or (every third
    setting) against one token, whose texts weigh little. Settings that do not meet the hypotheses are drawn again, and
    counted. The flow is followed in log(1 + ct) by an explicit Runge-Kutta method (order 5, tolerance 1e-8) up to t₁, or, where
    that is later, to log(1 + ct) = 25, beyond which float64 does not hold it in scores. A setting fails if a lead a_r - a_s
    falls below -log B, or the threshold is not passed by t₁, or `ts.gradient_flow`, after a length of 1e5, leaves a text with
    less than 0.999 of its attention on its relevant token, or p with 1 - cos(p, p*) above 1e-4.
F4  (sufficient dimension.) For k = 1, 2 and T = 2 to 5 a corpus of `ts.one_relevant_token`, G as large as allowed, d as the
    corollary asks for probability 0.99, DRAWS draws each of E⁰: products of the parts orthogonal to v by Bartlett's
    decomposition, values from the normal distribution, one step on E at p = 0. A draw fails if the certificate's threshold is
    not passed by log t = 25, or selection or direction fails as in F3.
F5  (rate.) RUNS corpora with rows e_s + γ_s v, every third with these rows disturbed, in which p* = Σ λ_i D_i has λ_i ≥ 0.01 on
    all active pairs, whose D span those of all pairs, and the other pairs' constraints are slack by 0.05; half start at p = 0,
    half elsewhere in the span of all D. Those that are not selected (by 1 - 1e-3, after a length of 100) are drawn again, and
    counted. w_⊥ comes of Newton's method. Compared after a length of 3,000: ‖p‖²(1 - cos) and ½‖w_⊥‖², their difference as a
    part of the latter (of ½·1e-6 where ‖w_⊥‖ < 1e-3); and the part of p orthogonal to p* with w_⊥ itself, likewise.

Described without targets: corpora with values too large for F3 (k G² = 8, T = 16), with noise in them and without, and the
example of the rate with a zero multiplier.
"""

import time
from dataclasses import dataclass

import numpy as np
from scipy import integrate, special
from tqdm import tqdm

import tokensel_nb as ts

from .recording import rounded
from .trained_head import corpus_of, drawn_values, margin_of, relevant_attention, with_one_relevant

SEED, RUNS, DRAWS, OUTSIDE, SHOWN = 20261124, 1_000, 125, 40, 200
FAR, MISSED, GAP = 1e5, np.log(1e-3), 1e-4
LONG, TINY, FINE = 3e3, 1e-3, 1e-8
DRAWN_CORPORA = [(k, length) for k in (1, 2) for length in (2, 3, 4, 5)]
UNLIKELY, SHARP = 0.01, 25.0  # the probability of failure; log t up to which scores of float64 know the flow


# ---------------------------------------------------------------------------------------- the flow in time


@dataclass(frozen=True)
class Setting:
    """A corpus with the relevant token of every text, E_s·v, and the products of the rows' parts orthogonal to v."""

    corpus: ts.Corpus
    chosen: np.ndarray
    values: np.ndarray
    gram: np.ndarray

    @property
    def parameters(self) -> ts.Parameters:
        """Return rows with these products and values, and p = 0."""
        rows = np.column_stack([np.linalg.cholesky(self.gram), self.values])
        return ts.Parameters(rows, np.zeros(len(rows) + 1), np.eye(len(rows) + 1)[-1])


class FromZero:
    """The flow of a setting in its |S| scores, da/dt = -E Eᵀ ∂L/∂a, while attention is not sharp."""

    def __init__(self, setting: Setting):
        corpus, values = setting.corpus, setting.values
        self.counts, self.signs, self.weights = corpus.counts.toarray(), corpus.signs, corpus.mean_weights
        self.values, self.products = values, setting.gram + np.outer(values, values)
        wanted = np.eye(len(values), dtype=bool)[setting.chosen]
        self.texts, others = np.nonzero((self.counts > 0) & ~wanted)
        self.pairs = np.stack([setting.chosen[self.texts], others])
        speaks = self.signs * values[setting.chosen]
        against = np.where((self.counts > 0) & ~wanted, self.signs[:, None] * values, -np.inf).max(axis=1)
        losses = np.logaddexp(0, -speaks)
        self.threshold = self.weights @ losses + (self.weights * (np.logaddexp(0, -against) - losses)).min()

    def attention(self, scores) -> np.ndarray:
        """Return attention, of shape (n, |S|)."""
        shares = self.counts * np.exp(scores - scores.max())
        return shares / shares.sum(axis=1, keepdims=True)

    def room(self, scores) -> float:
        """Return by how much the loss lies below the certificate's threshold."""
        return self.threshold - self.weights @ np.logaddexp(0, -self.signs * (self.attention(scores) @ self.values))

    def velocity(self, scores) -> np.ndarray:
        """Return da/dt."""
        attention = self.attention(scores)
        logits = attention @ self.values
        pulls = self.weights * self.signs * special.expit(-self.signs * logits)
        return self.products @ (self.values * (pulls @ attention) - (pulls * logits) @ attention)

    def least_lead(self, scores) -> float:
        """Return the smallest a_r - a_s of any text."""
        return float((scores[self.pairs[0]] - scores[self.pairs[1]]).min())

    def follow(self, rate: float, last: float) -> tuple[float, float]:
        """Follow the flow in log(1 + ct); return where it passes the threshold, infinity if nowhere, and the least lead."""
        start = np.zeros(len(self.values))
        solved = integrate.solve_ivp(
            lambda place, scores: np.exp(place) / rate * self.velocity(scores),
            (0, last),
            start,
            rtol=1e-8,
            atol=1e-9,
            max_step=0.5,
            events=lambda _, scores: self.room(scores),
        )
        if not solved.success:
            return np.inf, -np.inf
        passed = 0.0 if self.room(start) > 0 else next(iter(solved.t_events[0]), np.inf)
        return float(passed), min(self.least_lead(scores) for scores in solved.y.T)


def at_the_end(setting: Setting) -> dict:
    """Return how far selection and direction lie within what is asked of the end of the path, from p = 0."""
    start = setting.parameters
    path = ts.gradient_flow(start, setting.corpus, FAR, selection=setting.chosen, records=2, tolerance=1e-6)
    wanted = np.eye(len(setting.values))[setting.chosen]
    direction = margin_of(start.embeddings, setting.corpus, wanted)
    gap = np.inf if direction is None else path.distance_to(direction)[-1]
    return {"selected": MISSED - path.log_missed[-1], "direction": GAP - gap}


# ---------------------------------------------------------------------------------------- F3: the threshold by t₁


@dataclass(frozen=True)
class Bounds:
    """γ, Γ, ε and δ: of relevant values from below and above, of others, and of the entries of Δ."""

    least: float
    largest: float
    other: float
    error: float


@dataclass(frozen=True)
class Promise:
    """What the theorem promises: J, c, log Y, log B, and t₁ as log(1 + c t₁)."""

    competition: float
    rate: float
    log_range: float
    log_barrier: float
    end: float


def promise(corpus: ts.Corpus, chosen, bounds: Bounds) -> Promise | None:
    """Return what the theorem promises, None if its hypotheses do not hold."""
    weights, signs, lengths = corpus.mean_weights, corpus.signs, corpus.lengths
    sides = [len(np.unique(chosen[signs == sign])) for sign in (1, -1)]
    length, relevant = max(int(lengths.max()), 2), sum(sides)
    wide = bounds.largest + bounds.other
    competition = max(sides) * (wide * (wide + bounds.other) + 8 * bounds.error)
    if competition >= 1 / 3 or bounds.other >= bounds.least:
        return None
    rate = wide * np.bincount(chosen, weights).max() * (length - 1) / 2
    room = weights.min() * (np.logaddexp(0, -bounds.other) - np.logaddexp(0, -bounds.least))
    strength = (1 - 2 * relevant * bounds.error) ** 2 / (1 + relevant * bounds.error)
    log_range = np.log1p(rate * relevant * length**2 / (strength * room))
    log_barrier = competition / (1 - 3 * competition) * log_range
    if bounds.other and np.log(2 * length * bounds.other) + log_barrier > np.log(bounds.least + bounds.other):
        return None
    end = (1 - competition) / (1 - 3 * competition) * log_range
    return Promise(competition, rate, log_range, log_barrier, end)


def texts_with_one(random) -> tuple[ts.Corpus, np.ndarray]:
    """Draw texts of up to five tokens with one relevant type each; return which."""
    sides, others, length = random.integers(1, 6, 2), int(random.integers(1, 6)), int(random.integers(2, 6))
    relevant = sides.sum()
    chosen = np.r_[np.arange(relevant), random.integers(0, relevant, random.integers(0, 4))]
    counts = np.zeros((len(chosen), relevant + others), int)
    for text, token in zip(counts, chosen):
        own = random.integers(1, length)
        text[token] = own
        np.add.at(text, relevant + random.integers(0, others, random.integers(1, length - own + 1)), 1)
    weights = random.exponential(size=len(chosen)) ** random.choice([0, 1, 3]) + 1e-3
    return corpus_of(counts, np.where(chosen < sides[0], 1, -1), weights), chosen


def bounds_of(random, corpus, chosen, strength) -> Bounds:
    """Draw bounds for which J comes out as given."""
    largest_side = max(len(np.unique(chosen[corpus.signs == sign])) for sign in (1, -1))
    of_gram = random.choice([0, random.uniform(), random.uniform(0.9, 1)])
    error = of_gram * strength / (8 * largest_side)
    spread, other = random.choice([1, random.uniform(0.2, 1)]), random.choice([0, np.exp(random.uniform(-14, -1))])
    largest = np.sqrt((1 - of_gram) * strength / largest_side / ((1 + other * spread) * (1 + 2 * other * spread)))
    return Bounds(spread * largest, largest, other * spread * largest, error)


def setting_within(random, corpus, chosen, bounds, against: bool) -> Setting:
    """Draw products and values within the bounds; or as they are worst for the first token."""
    size, sign = corpus.vocab_size, corpus.signs[0]
    label = np.zeros(size)
    label[chosen] = corpus.signs
    relevant, mates = label != 0, (corpus.counts[[0]].toarray()[0] > 0) & (label == 0)
    if against:
        # p gains along relevant tokens, and loses along others: the first token's score is to fall, those of its mates to rise.
        values = label * np.where(np.arange(size) == chosen[0], bounds.least, bounds.largest)
        values[~relevant] = np.where(mates, sign, -sign)[~relevant] * bounds.other
        side = np.where(relevant, 1.0, -1.0)
        errors = np.zeros((size, size))
        errors[chosen[0]] = errors[:, chosen[0]] = -side
        errors[mates] = side
        errors[:, mates] = side[:, None]
        errors[chosen[0], mates] = errors[mates, chosen[0]] = 0
        errors[chosen[0], chosen[0]] = -1
    else:
        values = label * random.uniform(bounds.least, bounds.largest, size)
        values[~relevant] = bounds.other * random.uniform(-1, 1, (~relevant).sum())
        errors = random.choice([-1.0, 1.0], (size, size)) if random.integers(2) else random.uniform(-1, 1, (size, size))
    errors = np.tril(errors) + np.tril(errors, -1).T
    return Setting(corpus, chosen, values, np.eye(size) + bounds.error * errors)


def drawn(random, number, strengths=(0.02, 1 / 3)) -> tuple[Setting, Bounds]:
    """Draw a setting, whether or not it meets the hypotheses."""
    corpus, chosen = texts_with_one(random)
    against = number % 3 == 2
    if against:
        weights = np.where(chosen == chosen[0], 10 ** random.uniform(-3, 0), 1) * (corpus.mean_weights + 0.01)
        corpus = corpus_of(corpus.counts.toarray(), corpus.labels * 2 - 1, weights)
    bounds = bounds_of(random, corpus, chosen, random.uniform(*strengths))
    return setting_within(random, corpus, chosen, bounds, against), bounds


def promised(random, number) -> tuple[Setting, Promise, int]:
    """Draw until the hypotheses hold; return what they promise, and how many settings were drawn."""
    count = 0
    while True:
        count += 1
        setting, bounds = drawn(random, number)
        found = promise(setting.corpus, setting.chosen, bounds)
        if found is not None:
            return setting, found, count


def log_time(place: float) -> float:
    """Return log(eˣ - 1), however large."""
    return place + np.log(-np.expm1(-place))


def from_zero(number: int, seed=SEED) -> dict:
    """F3: run one setting; return its slacks, its numbers, and how many settings were drawn."""
    setting, found, count = promised(np.random.default_rng([seed, 3, number]), number)
    where, lead = FromZero(setting).follow(found.rate, min(found.end, SHARP))
    # t over t₁ in logarithms, of numbers that may be too large for floats.
    early = log_time(where) - log_time(found.end) if 0 < where < np.inf else -np.inf
    slacks = {"lead": lead + found.log_barrier, "threshold": found.end - where} | at_the_end(setting)
    return {
        "slacks": slacks,
        "drawn": count,
        "J": found.competition,
        "log B": found.log_barrier,
        "log t/t1": max(early, -99.0),
        "least lead": lead,
    }


def outside(number: int, seed=SEED, strength=8.0, noise=0.1) -> bool:
    """Return whether a corpus with k G² far above J < 1/3, and noise in its values, ends in selection."""
    random = np.random.default_rng([seed, 4, number])
    corpus = ts.one_relevant_token(64, 32, 16, 4, seed=int(random.integers(2**31)))
    values = np.sqrt(strength / 4) * (ts.complete_tokens(corpus) + noise * random.standard_normal(corpus.vocab_size))
    chosen = relevant_attention(corpus).argmax(axis=1)
    return min(at_the_end(Setting(corpus, chosen, values, np.eye(len(values)))).values()) >= 0


def failures(slacks) -> list:
    """Return the numbers of runs with a negative slack, each with the names of these slacks."""
    lost = [[number, *(name for name, slack in each.items() if not slack >= 0)] for number, each in enumerate(slacks)]
    return [each for each in lost if len(each) > 1]


def summary(slacks) -> dict:
    """Return how many runs failed, which, and the least slack of each name."""
    failed = failures(slacks)
    least = {name: float(f"{min(each[name] for each in slacks):.3g}") for name in slacks[0]}
    return {"runs": len(slacks), "failures": len(failed), "failed": failed[:20], "least slacks": least}


def all_from_zero(runs=RUNS, seed=SEED, others=OUTSIDE) -> dict:
    """F3: run all settings, and those outside."""
    found = [from_zero(number, seed) for number in tqdm(range(runs), desc="F3", unit="setting")]
    columns = {name: rounded([each[name] for each in found], 3) for name in ("J", "log B", "log t/t1", "least lead")}
    lost = {noise: sum(not outside(number, seed, noise=noise) for number in range(others)) for noise in (0.1, 0.0)}
    return (
        summary([each["slacks"] for each in found])
        | {
            "drawn": sum(each["drawn"] for each in found),
            "negative leads": sum(each["least lead"] < -1e-9 for each in found),
            "least lead over log B": min(float(f"{each['least lead'] / each['log B']:.3g}") for each in found),
            "outside": {"runs": others, "lost": lost[0.1], "lost without noise": lost[0.0]},
        }
        | columns
    )


# ---------------------------------------------------------------------------------------- F4: a sufficient dimension


@dataclass(frozen=True)
class Standard:
    """A corpus that keeps Assumption 1, its relevant tokens, the largest G allowed, the step η₀ that gives it, and d."""

    corpus: ts.Corpus
    chosen: np.ndarray
    size: float
    rate: float
    dim: int


def standard(k: int, length: int, seed: int) -> Standard:
    """Return a small corpus with G and d as the corollary has them."""
    corpus = ts.one_relevant_token(4 * k, 2 * k + min(length, 3), length, k, seed)
    chosen = relevant_attention(corpus).argmax(axis=1)
    weights, shares = corpus.mean_weights, corpus.signed_share()
    signed = np.abs(shares[chosen])
    assert ts.check_assumption_1(corpus)
    assert np.ptp(signed) < 1e-12
    ratio = np.bincount(chosen, weights).max() / weights.min()
    spread = np.log(8 + 11 * ratio * 2 * k * length**3)
    size = np.sqrt(1 / (2 * k * spread))
    common = (weights @ (corpus.counts.toarray() / length)).max() / signed[0]
    events = np.log(corpus.vocab_size * (corpus.vocab_size + 2) / UNLIKELY)
    needed = events * max(140 * k * spread, (1 + size * common / 2) * max(57, 6 * length) / size) ** 2
    return Standard(corpus, chosen, size, 2 * size / signed[0], int(np.ceil(needed)))


def after_one_step(case: Standard, random) -> Setting:
    """Draw E⁰ of variance 1/d, as far as products and values go, and take the step on E at p = 0, exactly."""
    corpus, dim = case.corpus, case.dim
    words = corpus.vocab_size
    # Bartlett: the Cholesky factor of a Wishart matrix of d - 1 degrees of freedom.
    factor = np.tril(random.standard_normal((words, words)), -1)
    np.fill_diagonal(factor, np.sqrt(random.chisquare(dim - 1 - np.arange(words))))
    values = random.standard_normal(words) / np.sqrt(dim)
    shares = corpus.counts.toarray() / corpus.lengths[:, None]
    pulls = corpus.mean_weights * corpus.signs * special.expit(-corpus.signs * (shares @ values))
    return Setting(corpus, case.chosen, values + case.rate * pulls @ shares, factor @ factor.T / dim)


def one_draw(case: Standard, random) -> dict:
    """F4: return the slacks of one draw."""
    setting = after_one_step(case, random)
    where, _ = FromZero(setting).follow(1.0, SHARP)
    return {"threshold": SHARP - where} | at_the_end(setting)


def dimension(draws=DRAWS, seed=SEED, corpora=tuple(DRAWN_CORPORA)) -> dict:
    """F4: draw E⁰ for every corpus."""
    rows = []
    for k, length in tqdm(corpora, desc="F4", unit="corpus"):
        case, random = standard(k, length, seed), np.random.default_rng([seed, 5, k, length])
        found = summary([one_draw(case, random) for _ in range(draws)])
        rows.append({"k": k, "T": length, "d": case.dim, "G": round(float(case.size), 4)} | found)
    totals = {name: sum(row[name] for row in rows) for name in ("runs", "failures")}
    return totals | {"allowed": UNLIKELY, "corpora": rows}


# ---------------------------------------------------------------------------------------- F5: the rate


@dataclass(frozen=True)
class Rate:
    """A start whose p* has positive multipliers on all active pairs, with p*, these D and C."""

    corpus: ts.Corpus
    start: ts.Parameters
    direction: np.ndarray
    active: np.ndarray
    sizes: np.ndarray


def limit_start(random, number) -> tuple[ts.Corpus, ts.Parameters]:
    """Draw a corpus with rows e_s + γ_s v, every third time disturbed, and p somewhere in the span of all E_r - E_s."""
    corpus = with_one_relevant(random)
    start = ts.rows_with_values(drawn_values(corpus, random, random.uniform(0.1, 1)))
    rows = start.embeddings + (number % 3 == 2) * 0.1 * random.standard_normal(start.embeddings.shape)
    pairs = ts.selected_pairs(corpus)
    query = (number % 2) * random.standard_normal(len(pairs)) @ (rows[pairs[:, 0]] - rows[pairs[:, 1]])
    return corpus, ts.Parameters(rows, query, start.output_vector)


def strengths(corpus, start, pairs) -> np.ndarray:
    """Return C of every pair: Σ_X μ_X g_∞ y(γ_r - γ_s) c_s/c_r."""
    counts, values, chosen = corpus.counts.toarray(), start.token_values, relevant_attention(corpus).argmax(axis=1)
    pulls = corpus.mean_weights * special.expit(-corpus.signs * values[chosen]) * corpus.signs
    of_texts = [(chosen == r) * pulls * (values[r] - values[s]) * counts[:, s] / np.maximum(counts[:, r], 1) for r, s in pairs]
    return np.sum(of_texts, axis=1)


def strictly_active(corpus, start) -> Rate | None:
    """Return what the theorem needs, None if an active pair has hardly a multiplier, or the active D do not span all."""
    try:
        found = ts.max_margin(start.embeddings, corpus)
    except ts.NotSeparableError:
        return None
    every = start.embeddings[found.pairs[:, 0]] - start.embeddings[found.pairs[:, 1]]
    slack, sizes = every @ found.direction - 1, strengths(corpus, start, found.pairs)
    active = slack < 1e-7
    clear = np.all(found.multipliers[active] >= 0.01) and np.all(slack[~active] >= 0.05) and found.residual < 1e-9
    if not clear or sizes.min() <= 0 or np.linalg.matrix_rank(every) > np.linalg.matrix_rank(every[active]):
        return None
    return Rate(corpus, start, found.direction, every[active], sizes[active])


def across(case: Rate) -> np.ndarray:
    """Return w_⊥: Newton's method for log Σ C e^{-D·w}, w in the span of the D and orthogonal to p*."""
    unit = case.direction / np.linalg.norm(case.direction)
    beside = case.active - np.outer(case.active @ unit, unit)
    _, scales, basis = np.linalg.svd(beside, full_matrices=False)
    basis = basis[scales > 1e-9 * np.linalg.norm(case.active)]
    moves, point = beside @ basis.T, np.zeros(len(basis))

    def height(point):
        return special.logsumexp(np.log(case.sizes) - moves @ point)

    for _ in range(200):
        shares = special.softmax(np.log(case.sizes) - moves @ point)
        slope, mean = -moves.T @ shares, moves.T @ shares
        if np.abs(slope).max(initial=0) < 1e-13:
            break
        step = -np.linalg.solve(moves.T @ (shares[:, None] * moves) - np.outer(mean, mean), slope)
        scale = 1.0
        while height(point + scale * step) > height(point) + 1e-4 * scale * slope @ step + 1e-14 and scale > 1e-6:
            scale /= 2
        point = point + scale * step
    return point @ basis


def compare(case: Rate) -> dict | None:
    """F5: return both sides of the rate and the relative errors, None if the flow does not select."""
    path = ts.gradient_flow(case.start, case.corpus, LONG, records=60, tolerance=FINE)
    near = np.searchsorted(path.arc_lengths, 100.0)
    if not path.log_missed[near] < MISSED:
        return None
    unit, wanted, query = case.direction / np.linalg.norm(case.direction), across(case), path.cls_embedding
    beside = query - (query @ unit) * unit
    # |p|²(1 - cos) = |p_⊥|²/(1 + cos), which does not cancel.
    found = beside @ beside / (1 + query @ unit / np.linalg.norm(query))
    half, length = wanted @ wanted / 2, np.linalg.norm(wanted)
    return {
        "found": found,
        "half": half,
        "error": abs(found - half) / (half if length >= TINY else TINY**2 / 2),
        "of w": np.linalg.norm(beside - wanted) / max(length, TINY),
        "tiny": length < TINY,
        "stopped": path.stopped,
    }


def one_rate(number: int, seed=SEED) -> dict:
    """F5: draw until the hypotheses hold; return the comparison, and how many corpora were drawn, and not selected."""
    random, count, lost = np.random.default_rng([seed, 6, number]), 0, 0
    while True:
        count += 1
        case = strictly_active(*limit_start(random, number))
        found = None if case is None else compare(case)
        if found is not None:
            return found | {"drawn": count, "lost": lost}
        lost += case is not None


def log_log(records=4000, shown=40, length=1e6) -> dict:
    """Return log t and the part of p orthogonal to p* = (1, 0) for D = (1, 0), (1, 1), the second without a multiplier."""
    corpus = ts.Corpus([[1, 1, 1]], [1], ["r", "s", "s'"], ("-", "+"))
    start = ts.Parameters(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, -1.0]]), np.zeros(2), np.array([1.0, 0.0]))
    path = ts.gradient_flow(start, corpus, length, records=records, tolerance=1e-11)
    falls = np.diff(-path.log_gradient_norms)
    # ∫ ds/‖∇L‖, log ‖∇L‖ taken as linear between two records.
    pieces = np.log(np.diff(path.arc_lengths)) - path.log_gradient_norms[:-1] + log_mean_growth(falls)
    log_times = np.logaddexp.accumulate(pieces)
    at = np.searchsorted(log_times, np.geomspace(2, log_times[-1], shown)).clip(max=len(log_times) - 1)
    return {
        "log t": [float(f"{each:.5g}") for each in log_times[at]],
        "orthogonal": rounded(path.cls_embeddings[1:][at, 1], 4),
    }


def log_mean_growth(rises) -> np.ndarray:
    """Return log((eˣ - 1)/x), without overflow."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(np.abs(rises) < 1e-9, 0, rises)
        far = np.abs(sizes)
        return np.where(far == 0, 0, np.maximum(sizes, 0) + np.log(-np.expm1(-far) / far))


def rate(runs=RUNS, seed=SEED, shown=SHOWN) -> dict:
    """F5: compare on all corpora; record both sides of the first, and the example with a zero multiplier."""
    found = [one_rate(number, seed) for number in tqdm(range(runs), desc="F5", unit="corpus")]
    return {
        "runs": runs,
        "drawn": sum(each["drawn"] for each in found),
        "not selected": sum(each["lost"] for each in found),
        "tiny": sum(bool(each["tiny"]) for each in found),
        "ended": sum(each["stopped"] == "the end" for each in found),
        "largest error": max(float(f"{each['error']:.3g}") for each in found),
        "largest error of w": max(float(f"{each['of w']:.3g}") for each in found),
        "found": [float(f"{each['found']:.5g}") for each in found[:shown]],
        "half": [float(f"{each['half']:.5g}") for each in found[:shown]],
        "log log": log_log(),
    }


def all_three() -> dict:
    """Run everything."""
    parts = {}
    for name, part in {"from zero": all_from_zero, "dimension": dimension, "rate": rate}.items():
        began = time.perf_counter()
        parts[name] = part() | {"seconds": 0.0}
        parts[name]["seconds"] = round(time.perf_counter() - began, 1)
    return {"seed": SEED} | parts


RECORDS = {"from_zero": all_three}
