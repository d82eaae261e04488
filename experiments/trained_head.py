"""Query and head trained together: the five theorems on random corpora, what lies just outside, and gradient descent.

The protocol, committed before the official runs. All random corpora come of SEED, theorem and number; trials had seeds below
1,000. RUNS corpora of each theorem are drawn until they keep its hypotheses, and followed to log t = 1e30 (H1: 1e6). Target: no
failure. A run fails if one of its checks does, or no solver follows it. (Where attention goes is not known before, in H1 to H3:
a corpus on which no solver shows that is drawn again.) The checks:

H1  Attention moves by at most 0.003 between log t = 1e4 and 1e6, and the head of the last one exists, ‖v̂‖ ≤ 30: then v/log t
    lies within 0.02 ‖v̂‖ of v̂, all yf/log t within 0.02 ‖v̂‖ of f̂, and -log L ≥ 0.9 log t.
H2  Some κ̄(r) ≥ 1.2 with e_r·p* ≥ 0.2 ‖p*‖, and no γ̂ between 1 and 1.05, where attention may rest at 1/γ̂: never are all
    Q_r ≥ 0.99 (at log t = 1e6 and at the end) while 1 - cos(p, p*) is at most half of 1 - √(1 - (e_r·p*)²/‖p*‖²), which is the
    least that its limit can be if e_r·p is bounded. Starts: near zero, or near 6 p*; v(0) near the v of the limit rows.
H3  All κ̄ ≤ 0.8 (other rows: all constraints of the head tight, λ ≥ 0.02, y(E_r - E_s)·v̂ ≥ 0.05), all Q_r ≥ 0.5 at log t = 1e3:
    ‖p - 2 p* log τ‖ ≤ 0.1 · 2 log τ ‖p*‖ at the end, and v - τ v̂ moves by at most 0.05 (1 + ‖v - τ v̂‖) from log t = 1e15 on.
H4  Mirrored corpora, all |κ - ½| ≥ 0.1, in every second one some κ > ½. (a) 1 - Q_r ≤ 1e-3 where κ < ½; (b) where κ > ½, e_r·p
    moves by at most 1e-3 after log t = 1e15, Q_r lies strictly in (1/γ̂_r, 1) and moves by at most 1e-3, or tends to 1 (1 - Q_r
    falls by half at least after log t = 1e15) in the texts whose irrelevant tokens all also occur beside κ < ½; (c) p/(2 log τ)
    within 0.1 ‖p*_B‖ of p*_B; (d) 1 - cos(p, p*) ≤ 0.01 if all κ < ½, else at least half of 1 - cos(p*_B, p*).
H5  A token chosen in every text at random, under one label only, with a head whose λ ≥ 0.02, y(E_r - E_s)·v̂ ≥ 0.1 and a
    max-margin p*: from near (τ₀ v̂, 2 p* log τ₀), τ₀ = 1e4, and from v(0) as given, ‖p(0) - 60 p*‖ < 1 (the corollary):
    1 - Q_r ≤ 1e-3 in every text, and p within 0.1 of 2 p* log τ as in H3.

H6  Mirrored corpora whose largest κ is ½: (a) 1 - Q_r ≤ 1e-3 in every text, a theorem; (b) a conjecture: from log t = 1e15 to
    1e30, p moves by 2 log 1e15 times the shortest p with D·p ≥ 1 in texts of κ < ½ and D·p ≥ ½ in the others, up to a
    twentieth. It has a record of its own. In a trial of twelve corpora (b) was off by 1e-7 to 0.01.

After the official runs, which failed 11 times of 5,000: p* came of a solver that can stop at a wrong point where pairs are
dependent. It now comes of `ts.max_margin`, and the same corpora of H4 are judged again, in a record of their own.

Described without targets: the strong token of `strong_and_weak` along log t, κ across ½, and the corollary's example. Gradient
descent in steps of 0.5 at d = 2,048 has its targets in `tokensel_nb/data/targets.toml`.
"""

from contextlib import suppress
from itertools import count

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts
from tokensel_nb.margin import least_norm

from .error_level import corpus_of, with_one_relevant
from .head_flow import Undecided, Unfollowed, follow, followed, head_of
from .recording import rounded

SEED, RUNS = 20261124, 1_000
SEEN, LATE, END = 1e6, 1e15, 1e30  # log t
NEAR, FAR = 1e4, 60.0  # τ₀, and ρ of p(0) = ρ p*
STEP, STEPS = 0.5, 300_000
ADOPTING_STEPS = 100_000
DIM, SEEDS, ADOPTING_SEEDS = 2048, (0, 1, 2), (0, 1)
STALLING, KAPPAS = 0.95, (0.3, 0.45, 0.55, 0.6, 0.8, 0.95)
LONE = (1, 2, 3, 4, 5, 6, 8)


def expect(hypothesis):
    """Go on only if a hypothesis holds."""
    if not hypothesis:
        raise Undecided


def until_seen(draw, *given) -> tuple:
    """Draw until the hypotheses hold; return how often was drawn, and what came of the last time."""
    for drawn in count(1):
        with suppress(Undecided, ts.NotSeparableError):
            return drawn, draw(*given)


# ---------------------------------------------------------------------------------------- corpora and starts


def mirrored(random) -> ts.Corpus:
    """Draw a corpus that exchanging tokens 2i and 2i + 1 maps to itself with labels flipped; its last tokens are irrelevant."""
    kinds, irrelevant = int(random.integers(2, 5)), int(random.integers(1, 5))
    chosen = np.r_[np.arange(kinds), random.integers(0, kinds, random.integers(0, 4))]
    beside = random.poisson(0.5, (len(chosen), irrelevant))
    beside[np.arange(len(chosen)), random.integers(0, irrelevant, len(chosen))] += 1
    both = [np.hstack([np.eye(2 * kinds, dtype=int)[2 * chosen + label], beside]) for label in (0, 1)]
    weights = random.exponential(size=len(chosen)) + 0.1
    return corpus_of(np.vstack(both), np.repeat([1, -1], len(chosen)), np.tile(weights, 2))


def any_texts(random) -> ts.Corpus:
    """Draw a corpus of two to five texts of any tokens, two at least in each."""
    texts, words = int(random.integers(2, 6)), int(random.integers(4, 9))
    counts = random.poisson(0.6, (texts, words))
    for text in counts:
        text[random.choice(words, 2, replace=False)] += 1
    labels = np.r_[1, -1, random.choice([-1, 1], texts - 2)]
    return corpus_of(counts, labels, random.exponential(size=texts) + 0.1)


def drawn_values(corpus, random, largest, alike=1, **options) -> np.ndarray:
    """Draw values that speak for the labels, so many neighbours alike, whose largest competition, if any, is as given."""
    values = ts.complete_tokens(corpus) * np.repeat(random.uniform(0.1, 1, corpus.vocab_size), alike)[: corpus.vocab_size]
    found = np.nanmax(ts.competition(values, corpus, **options))
    return values * np.sqrt(largest / found) if found > 0 else values


def either(random, limit, largest, wide) -> tuple[ts.Corpus, ts.Parameters]:
    """Draw a corpus of one relevant token a text with limit rows, or any texts with normal parameters of so many times |S|."""
    if limit:
        corpus = with_one_relevant(random)
        return corpus, ts.rows_with_values(drawn_values(corpus, random, random.uniform(0, largest)))
    corpus = any_texts(random)
    size, dim = corpus.vocab_size, wide * corpus.vocab_size
    return corpus, ts.Parameters(*(random.standard_normal(shape) / np.sqrt(dim) for shape in [(size, dim), dim, dim]))


def beside_ball(random, dim) -> np.ndarray:
    """Draw a vector shorter than one."""
    direction = random.standard_normal(dim)
    return direction * random.uniform() / np.linalg.norm(direction)


def relevant_attention(corpus) -> np.ndarray:
    """Return attention that is all on the one relevant token of each text."""
    return (ts.relevant_tokens(corpus).toarray() != 0).astype(float)


def missed(point, wanted) -> np.ndarray:
    """Return the attention on all but the selected token of every text, exact however small."""
    return (point.attention * (1 - wanted)).sum(axis=1)


def cosine_gap(query, direction) -> float:
    """Return 1 - cos of the angle between two vectors."""
    apart = query / np.linalg.norm(query) - direction / np.linalg.norm(direction)
    return float(apart @ apart / 2)


def follows(point, direction) -> bool:
    """Return whether p is within a tenth of 2 log τ p*."""
    scaled = point.query / (2 * np.log(point.log_time))
    return np.linalg.norm(scaled - direction) <= 0.1 * np.linalg.norm(direction)


def margin_of(rows, corpus, wanted) -> np.ndarray:
    """Return the max-margin query p* of a choice of one token a text."""
    return ts.max_margin(rows, corpus, wanted.argmax(axis=1)).direction


def binding(corpus, rows, wanted, multiplier, lead):
    """Return the head of a choice; expect all its constraints tight with such multipliers, others less by such a lead."""
    found = head_of(rows, corpus.signs, wanted)
    expect(found is not None)
    shares = np.array([found.multipliers[(wanted == text).all(axis=1)].sum() for text in wanted])
    others = np.where((corpus.counts.toarray() > 0) & (wanted == 0), corpus.signs[:, None] * (rows @ found.vector), -np.inf)
    expect(np.all(found.margins == 1) and shares.min() >= multiplier and others.max() <= 1 - lead)
    return found


# ---------------------------------------------------------------------------------------- the five theorems


def head(random, number) -> dict:
    """H1: any corpus, any rows and start, where attention converges to one that has a head."""
    corpus, start = either(random, number % 2, 3, 2)
    query = random.choice([0.0, 1.0, 3.0]) * random.standard_normal(len(start.output_vector))
    early, end = follow(corpus, start._replace(cls_embedding=query), [1e4, SEEN])
    expect(np.abs(end.attention - early.attention).max() <= 0.003)
    found = head_of(start.embeddings, corpus.signs, end.attention)
    expect(found is not None and np.linalg.norm(found.vector) <= 30)
    length, reached = np.linalg.norm(found.vector), 1 + end.margins / end.log_time
    # All losses are below exp(-yf), so L is below the largest.
    return {
        "v / log t": np.linalg.norm(end.output / end.log_time - found.vector) <= 0.02 * length,
        "yf / log t": np.abs(reached - found.margins).max() <= 0.02 * length,
        "loss": reached.min() >= 0.9,
    }


def stalls(random, number) -> dict:
    """H2: limit rows with a token that the head learns too fast, and that p* needs."""
    corpus = with_one_relevant(random)
    values = drawn_values(corpus, random, random.uniform(1.2, 4), both_labels=True)
    start, wanted = ts.rows_with_values(values), relevant_attention(corpus)
    margin = margin_of(start.embeddings, corpus, wanted)
    fast = np.nan_to_num(ts.competition(values, corpus, both_labels=True)) >= 1.2
    needed = np.where(fast, margin[:-1], 0).max() / np.linalg.norm(margin)
    growth = np.nan_to_num(ts.head_growth(values, corpus))
    expect(needed >= 0.2 and not ((growth > 1) & (growth < 1.05)).any())
    query = 6 * (number % 2) * margin + 0.1 * random.standard_normal(len(margin))
    output = start.output_vector + 0.1 * random.standard_normal(len(margin))
    start = ts.Parameters(start.embeddings, query, output)
    (end,) = follow(corpus, start, [SEEN])
    if missed(end, wanted).max() <= 0.01:
        (end,) = followed(corpus, start, wanted, [END])
    turned = cosine_gap(end.query, margin) <= 0.5 * (1 - np.sqrt(1 - needed**2))
    return {"selected, not turned": missed(end, wanted).max() > 0.01 or not turned}


def turns(random, number) -> dict:
    """H3: all tokens bind the head, and attention selects them."""
    corpus = with_one_relevant(random)
    start = ts.rows_with_values(drawn_values(corpus, random, random.uniform(0, 0.8), both_labels=True))
    wanted, rows = relevant_attention(corpus), start.embeddings
    if number % 2:
        rows = rows + 0.1 * random.standard_normal(rows.shape)
    query = random.choice([0.0, 1.0]) * random.standard_normal(len(start.output_vector))
    start = ts.Parameters(rows, query, start.output_vector)
    binding(corpus, rows, wanted, multiplier=0.02, lead=0.05)
    (early,) = follow(corpus, start, [1e3])
    expect(missed(early, wanted).max() <= 0.5)
    late, end = followed(corpus, start, wanted, [LATE, END])
    still = np.linalg.norm(end.ring - late.ring) <= 0.05 * (1 + np.linalg.norm(late.ring))
    return {"p / 2 log τ": follows(end, margin_of(rows, corpus, wanted)), "v - τ v̂": still}


def symmetric(random, number) -> dict:
    """H4: mirrored corpora from p = 0, no κ near ½, and in every second one some above it."""
    corpus = mirrored(random)
    values = drawn_values(corpus, random, random.uniform(0.6, 3) if number % 2 else random.uniform(0.05, 0.4), alike=2)
    kappa = ts.competition(values, corpus)
    expect(np.nanmin(np.abs(kappa - 0.5)) >= 0.1)
    start = ts.rows_with_values(values)
    return checks_of_symmetric(corpus, start, kappa, *followed(corpus, start, relevant_attention(corpus), [LATE, END]))


def checks_of_symmetric(corpus, start, kappa, late, end) -> dict:
    """Return the checks of the four parts of H4."""
    wanted, rows = relevant_attention(corpus), start.embeddings
    chosen = wanted.argmax(axis=1)
    slow = kappa[chosen] < 0.5
    direction, of_all = margin_of(rows, corpus[slow], wanted[slow]), margin_of(rows, corpus, wanted)
    gap, before, after = cosine_gap(end.query, of_all), missed(late, wanted), missed(end, wanted)
    checks = {"a": after[slow].max() <= 1e-3, "c": follows(end, direction)}
    if slow.all():
        return checks | {"d": gap <= 0.01}
    # Texts that stall, and those that others take on: all their irrelevant tokens also occur beside κ < ½.
    held = corpus.counts.toarray() > 0
    stuck = ~slow & (held & (wanted == 0) & ~held[slow].any(axis=0)).any(axis=1)
    rising, growth = ~slow & ~stuck, ts.head_growth(start.token_values, corpus)[chosen]
    return checks | {
        "d": gap >= 0.5 * cosine_gap(direction, of_all),
        "b: pull": np.abs(end.query - late.query)[chosen[~slow]].max() <= 1e-3,
        "b: stall": (after <= 1 - 1 / growth)[stuck].all(),
        "b: still": (np.abs(after - before)[stuck] <= 1e-3).all(),
        "b: rise": (after <= 0.5 * before)[rising].all(),
    }


def adopts(random, number) -> dict:
    """H5 and its corollary: any choice whose head and margin exist."""
    corpus, start = either(random, number % 4 < 2, 2, 4)
    wanted = np.zeros(corpus.counts.shape)
    for text, held in zip(wanted, corpus.counts.toarray()):
        text[random.choice(np.flatnonzero(held))] = 1
    found, dim = binding(corpus, start.embeddings, wanted, multiplier=0.02, lead=0.1), len(start.output_vector)
    direction, noise = margin_of(start.embeddings, corpus, wanted), beside_ball(random, dim)
    if number % 2:
        begin, start = 0.0, start._replace(cls_embedding=FAR * direction + noise)
    else:
        begin, output = NEAR, NEAR * found.vector + beside_ball(random, dim)
        start = ts.Parameters(start.embeddings, 2 * np.log(NEAR) * direction + noise, output)
    (end,) = followed(corpus, start, wanted, [END], begin)
    return {"chosen": missed(end, wanted).max() <= 1e-3, "p / 2 log τ": follows(end, direction)}


def at_half(random, number) -> dict:
    """H6: mirrored corpora on the border itself."""
    corpus = mirrored(random)
    values = drawn_values(corpus, random, 0.5, alike=2)
    kappa, start, wanted = ts.competition(values, corpus), ts.rows_with_values(values), relevant_attention(corpus)
    expect(np.nanmax(kappa) > 0)
    late, end = followed(corpus, start, wanted, [LATE, END])
    demands = np.where(np.isclose(kappa, 0.5), 2, 1)[:, None]  # D·p ≥ ½ is 2D·p ≥ 1
    r, s = ts.selected_pairs(corpus).T
    aim, _ = least_norm(demands[r] * (start.embeddings[r] - start.embeddings[s]))
    missing = (end.query - late.query) / (2 * np.log(END / LATE)) - aim
    return {"a": missed(end, wanted).max() <= 1e-3, "b": np.linalg.norm(missing) <= 0.05 * np.linalg.norm(aim)}


THEOREMS = {"H1": head, "H2": stalls, "H3": turns, "H4": symmetric, "H5": adopts, "H6": at_half}


def tried(name, number, seed=SEED) -> tuple:
    """Return how many corpora were drawn for one run, and its checks, or why there are none."""
    random = np.random.default_rng([seed, int(name[1:]), number])
    try:
        return until_seen(THEOREMS[name], random, number)
    except Unfollowed as error:
        return 0, {str(error): False}


def official(name, runs=RUNS, seed=SEED) -> dict:
    """Run one theorem on random corpora: how many were drawn, and which failed for what."""
    found = [tried(name, number, seed) for number in tqdm(range(runs), desc=name, unit="corpus")]
    lost = [", ".join(check for check, kept in checks.items() if not kept) for _, checks in found]
    failed = [[number, reason] for number, reason in enumerate(lost) if reason]
    return {"runs": runs, "drawn": sum(drawn for drawn, _ in found), "failures": len(failed), "failed": failed}


# ---------------------------------------------------------------------------------------- just outside


def strong_and_weak(weak=5) -> ts.Corpus:
    """Return a strong token (weight 10) and weak ones (weight 1) of each label: tokens 0 and 1, then the weak ones by label."""
    # Two irrelevant tokens stand beside the strong ones, two others beside the weak ones.
    strong = np.arange(2 + 2 * weak) < 2
    counts = np.hstack([np.eye(len(strong), dtype=int), np.where(strong[:, None], [1, 1, 0, 0], [0, 0, 1, 1])])
    return corpus_of(counts, np.repeat([1, -1, 1, -1], [1, 1, weak, weak]), np.where(strong, 10.0, 1.0))


def with_strength(corpus, kappa) -> float:
    """Return η₀ of the step that gives the strong token, number 0, this κ in the limit."""
    return float(np.sqrt(kappa / ts.competition(ts.limit_parameters(corpus, 1.0).token_values, corpus)[0]))


def along_time(kappa, log_times) -> dict:
    """Return the strong token's attention along log t, and how fast the head learns it."""
    corpus = strong_and_weak()
    start = ts.limit_parameters(corpus, with_strength(corpus, kappa))
    strong = [point.attention[0, 0] for point in followed(corpus, start, relevant_attention(corpus), log_times)]
    growth = ts.head_growth(start.token_values, corpus)[0]
    return {"kappa": kappa, "growth": rounded(growth), "strong": rounded(strong, 5)}


def lone(many, beside) -> ts.Corpus:
    """Return the corollary's corpus: tokens 0 to k - 1 in positive texts, token k in the negative one, s and others in all."""
    counts = np.hstack([np.eye(many + 1, dtype=int), np.ones((many + 1, beside), int)])
    return corpus_of(counts, np.repeat([1, -1], [many, 1]), np.r_[np.full(many, 0.5 / many), 0.5])


def lone_in_the_limit(many, size=0.5) -> dict:
    """Return the attention on the positive texts' own token in the limit: from p = 0 and from far, p and v trained; p alone."""
    corpus, choice = lone(many, 1), np.eye(many + 2)[[many + 1] * many + [many]]
    start = ts.rows_with_values(np.r_[np.full(many, size / many), -size, 0.0])
    far = start._replace(cls_embedding=FAR * margin_of(start.embeddings, corpus, choice))
    ends = *follow(corpus, start, [SEEN]), *followed(corpus, far, choice, [END])
    own = [point.attention.diagonal()[:many].max() for point in ends]
    alone = [ts.gradient_flow(begin, corpus, 1e4, records=2, tolerance=1e-6).smallest_attention[-1] for begin in (start, far)]
    return {"k": many} | dict(zip(["zero", "far", "zero alone", "far alone"], rounded([*own, *alone], 6)))


# ---------------------------------------------------------------------------------------- gradient descent


def descend(start, corpus, trained, stops):
    """Yield attention after given numbers of steps on p, and on v if trained: one score and one value a token are enough."""
    gram, scores, values = start.embeddings @ start.embeddings.T, start.token_scores, start.token_values
    for step in range(stops[-1] + 1):
        if step in stops:
            yield ts.attention(ts.Parameters(np.eye(len(gram)), scores, values), corpus).toarray()
        by_score, by_value = ts.score_gradients(scores, values, corpus)
        scores, values = scores - STEP * gram @ by_score, values - STEP * trained * gram @ by_value


def descents(corpus, rate, seeds, steps, texts) -> tuple:
    """Return numbers of steps, and by seed and whether v is trained the attention on the relevant tokens of some texts.

    Where v is trained, it is the largest, else the smallest.
    """
    stops = np.unique(np.round(np.geomspace(1, steps, 60)).astype(int)).tolist()
    found = {}
    for seed, trained in tqdm([(seed, trained) for seed in seeds for trained in (False, True)], desc="Descent", unit="run"):
        start = ts.embedding_step(ts.init_parameters(corpus.vocab_size, DIM, seed, dtype="float64"), corpus, rate)
        own = [attention.diagonal()[:texts] for attention in descend(start, corpus, trained, stops)]
        found[seed, trained] = rounded(np.max(own, axis=1) if trained else np.min(own, axis=1), 5)
    return stops, found


def stalling_descent() -> dict:
    """Follow descent on the two strong tokens."""
    corpus = strong_and_weak()
    steps, found = descents(corpus, with_strength(corpus, STALLING), SEEDS, STEPS, 2)
    runs = [{"kappa": STALLING, "seed": seed, "head": head, "strong": strong} for (seed, head), strong in found.items()]
    return {"steps": steps, "runs": runs}


def adopting_descent(many=6, beside=5, size=0.5) -> dict:
    """Follow descent on the positive texts' own tokens."""
    corpus = lone(many, beside)
    rate = size / np.abs(ts.limit_parameters(corpus, 1.0).token_values[many])
    steps, found = descents(corpus, rate, ADOPTING_SEEDS, ADOPTING_STEPS, many)
    return {"steps": steps, "runs": [{"seed": seed, "head": head, "own": own} for (seed, head), own in found.items()]}


def trained_head() -> dict:
    """Run everything."""
    log_times = np.geomspace(1, 1e8, 60)
    runs = [along_time(each, log_times) for each in KAPPAS]
    return {
        "theorems": {name: official(name) for name in THEOREMS if name != "H6"},
        "strong": {"log_times": [float(f"{each:.4g}") for each in log_times], "runs": runs},
        "lone": [lone_in_the_limit(many) for many in LONE],
        "descent": stalling_descent(),
        "adopting": adopting_descent(),
    }


RECORDS = {
    "trained_head": trained_head,
    "trained_head_again": lambda: {"H4": official("H4")},
    "half_margin": lambda: official("H6"),
}
