"""The exact level of errors below which every start selects, how sharp it is, and certificates in any dimension.

The protocol, committed before the official runs. Random corpora come of SEED, part and number; trials had seeds below 1,000.

starts     RUNS corpora with one relevant token a text, any counts, lengths and weights; up to 4 relevant tokens a label, values
           ±G, log G uniform between those of 0.1 and 5, all others 0. Products of two differences E_r - E_s miss those of
           orthonormal rows by at most 0.95 ϑ*(k, G): of all rows at random (drawn again unless the products belong to rows), or
           all by -0.95 ϑ* between relevant rows. Starts: normal scores of standard deviation 3 or 10, or one relevant token
           asked for by -10 to -60. A run succeeds if -log of the largest missed attention exceeds 12 log 10, and 1 - cos(p, p*)
           is at most 1e-3, after a path of length 1e4, or else 1e6, or else 1e8. Target: no failure.
sharp      The proof's example, N irrelevant tokens in every text, as a system of two or three leads in log(1 + t): the lone
           token begins at -DEEP, all others at HIGH. The border ϑ*(k, G) + 1/N of its matrix beside the one found by bisection,
           above which the lone token still sleeps at log(1 + t) = LATE. Target: at most 2% apart.
certified  Paths in fewer dimensions than |S| - 1, drawn until CERTIFIED of them are certified at one of their recorded points:
           random rows (d = |S|/2, rounded down), and in every 40th draw 86 tokens after one step, d = 32, 48 or 64; p(0) = 0 or
           random. A certified path fails unless its end is as in the first part. Target: no failure.
"""

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts

from .recording import rounded

SEED, RUNS, CERTIFIED = 20261124, 1_000, 1_000
PART, LENGTHS, NEAR, SELECTED = 0.95, (1e4, 1e6, 1e8), 1e-3, np.log(1e-12)
DEEP, HIGH, MANY, SEEN, LATE = 40.0, 20.0, 4_000, 4_000.0, 100_000.0
FASTEST = 10.0  # log of the pull over 1 + t: a token that wakes leaps within no time, here within a little log time


def corpus_of(counts, labels, weights=None) -> ts.Corpus:
    """Return a corpus whose words are called by their numbers."""
    return ts.Corpus(np.asarray(counts, int), labels, [f"word {s}" for s in range(np.shape(counts)[1])], weights=weights)


def with_one_relevant(random) -> ts.Corpus:
    """Draw a corpus with one relevant token a text; its last tokens are irrelevant, and need not be balanced."""
    relevant, irrelevant = int(random.integers(2, 7)), int(random.integers(1, 5))
    chosen = np.r_[np.arange(relevant), random.integers(0, relevant, random.integers(0, 4))]
    counts = np.zeros((len(chosen), relevant + irrelevant), int)
    counts[np.arange(len(chosen)), chosen] = random.integers(1, 3, len(chosen))
    counts[:, relevant:] = random.poisson(0.7, (len(chosen), irrelevant))
    counts[:2, relevant:] += 1  # in texts of either label
    counts[np.arange(len(chosen)), relevant + random.integers(0, irrelevant, len(chosen))] += 1
    return corpus_of(counts, np.where(chosen % 2, -1, 1), random.exponential(size=len(chosen)) + 0.1)


# ---------------------------------------------------------------------------------------- every start


def drawn_corpus(random) -> ts.Corpus:
    """Draw a corpus with one relevant token a text; relevant tokens come first."""
    labels = np.repeat([1, -1], random.integers(1, 5, 2))
    many, irrelevant = len(labels), int(random.integers(1, 6))
    chosen = np.r_[np.arange(many), random.integers(0, many, random.integers(0, 5))]
    counts = np.zeros((len(chosen), many + irrelevant), int)
    counts[np.arange(len(chosen)), chosen] = random.integers(1, 4, len(chosen))
    counts[:, many:] = random.poisson(0.7, (len(chosen), irrelevant))
    counts[[0, many - 1], many:] += 1  # in texts of either label
    counts[np.arange(len(chosen)), many + random.integers(0, irrelevant, len(chosen))] += 1
    return corpus_of(counts, labels[chosen], random.exponential(size=len(chosen)) + 0.1)


def product_error(noise, corpus) -> float:
    """Return by how much products of two differences E_r - E_s miss those of orthonormal rows, for errors of all products."""
    r, s = ts.selected_pairs(corpus).T
    return float(max(np.abs(row[r] - row[s]).max() for row in noise[r] - noise[s]))


def rows_with_errors(corpus, values, error, random, same) -> np.ndarray:
    """Draw rows whose products miss those of limit rows by at most so much, all by as much or at random."""
    relevant = values != 0
    while True:
        noise = np.triu(random.uniform(-1, 1, 2 * [len(values)]))
        noise = -np.outer(relevant, relevant).astype(float) if same else noise + np.triu(noise, 1).T
        sizes, basis = np.linalg.eigh(np.eye(len(values)) + error / product_error(noise, corpus) * noise)
        if sizes.min() > 1e-3:
            return np.column_stack([basis * np.sqrt(sizes), values])


def drawn_start(number, seed=SEED):
    """Draw a corpus, rows, values and a start of the first part."""
    random = np.random.default_rng([seed, 1, number])
    corpus = drawn_corpus(random)
    labels = ts.complete_tokens(corpus)
    size = np.exp(random.uniform(np.log(0.1), np.log(5)))
    error = PART * ts.allowed_error(max((labels == 1).sum(), (labels == -1).sum()), size)
    rows = rows_with_errors(corpus, size * labels, error, random, number % 2)
    scores = (3.0, 10.0, 1.0)[number // 2 % 3] * random.standard_normal(len(labels))
    if number // 2 % 3 == 2:
        scores[random.integers(0, np.count_nonzero(labels))] -= random.uniform(10, 60)
    query = np.r_[np.linalg.lstsq(rows[:, :-1], scores, rcond=None)[0], 0]
    return corpus, ts.Parameters(rows, query, np.eye(len(query))[-1])


def ends_well(corpus, start, lengths=LENGTHS) -> bool:
    """Return whether one of the paths, from the shortest on, ends where all is selected, and points along p*."""
    direction = ts.max_margin(start.embeddings, corpus).direction
    paths = (ts.gradient_flow(start, corpus, length, records=2, tolerance=1e-6) for length in lengths)
    return any(path.log_missed[-1] < SELECTED and path.distance_to(direction)[-1] <= NEAR for path in paths)


def every_start(runs=RUNS, seed=SEED) -> dict:
    """Run the first part: how many paths failed."""
    numbers = tqdm(range(runs), desc="Starts", unit="corpus")
    return {"runs": runs, "failures": sum(not ends_well(*drawn_start(number, seed)) for number in numbers)}


# ---------------------------------------------------------------------------------------- just above the level


class Lone:
    """The example of the proof in three leads over irrelevant tokens: the lone token's, its k opponents', its own label's."""

    def __init__(self, many, size, irrelevant, error):
        self.many, self.size, self.irrelevant = many, size, irrelevant
        signs, self.number = np.array([-1, 1, -1]), np.array([1, many, many - 1])
        products = size**2 * np.outer(signs, signs) - error + 1 / irrelevant
        self.moves = products * self.number + np.eye(3)
        self.moves[0, 0] += 2 * error * (many == 1)  # its row is longer then, or there were none

    def velocity(self, log_time, leads):
        """Return the derivative of the leads in log(1 + t)."""
        missed, others = np.logaddexp(0, leads - np.log(self.irrelevant)), np.logaddexp(0, np.log(self.irrelevant) - leads)
        log_pulls = -np.logaddexp(0, self.size * np.exp(-others)) - missed - others
        return self.moves @ (self.size / (2 * self.many) * np.exp(np.minimum(log_time + log_pulls, FASTEST)))

    def leads(self, log_time, begin=(-DEEP, HIGH, HIGH)) -> np.ndarray:
        """Return the leads at log(1 + t)."""
        from scipy import integrate

        path = integrate.solve_ivp(self.velocity, (0, log_time), begin, "BDF", rtol=1e-7, atol=1e-7)
        if not path.success:
            raise RuntimeError(path.message)
        return path.y[:, -1]


def found_border(many, size, irrelevant=MANY, log_time=LATE, digits=1e-4) -> float:
    """Return above which error the lone token still sleeps at a late time, by bisection."""
    low, high = np.array([0.8, 1.2]) * ts.allowed_error(many, size)
    while high / low > 1 + digits:
        middle = (low + high) / 2
        low, high = (low, middle) if Lone(many, size, irrelevant, middle).leads(log_time)[0] < 0 else (middle, high)
    return float((low + high) / 2)


def sharp(many, size) -> dict:
    """Return the borders of one example, and the leads of the lone token and an opponent about the border."""
    border = ts.allowed_error(many, size) + 1 / MANY
    leads = {str(factor): rounded(Lone(many, size, MANY, factor * border).leads(SEEN)[:2], 1) for factor in (0.95, 1.05)}
    return {"k": many, "G": size, "at N": border, "found": found_border(many, size), "leads": leads}


def sharp_everywhere(many=(1, 2, 3, 4), sizes=(0.5, 1.0, 3.0)) -> dict:
    """Run the second part."""
    examples = [sharp(k, size) for k in many for size in sizes]
    apart = max(abs(each["found"] / each["at N"] - 1) for each in examples)
    return {"examples": examples, "farthest": float(f"{apart:.3g}")}


# ---------------------------------------------------------------------------------------- certified paths


def drawn_path(number, seed=SEED):
    """Draw a corpus with more tokens than d + 1, rows, values and a start of the third part."""
    random = np.random.default_rng([seed, 2, number])
    if number % 40 == 39:
        corpus = ts.one_relevant_token(120, 86, 8, 4, int(random.integers(2**31)))
        dim = (32, 48, 64)[number // 40 % 3]
        start = ts.init_parameters(corpus.vocab_size, dim, int(random.integers(2**31)), dtype="float64")
        start = ts.embedding_step(start, corpus, random.uniform(100, 300))
    else:
        while (corpus := with_one_relevant(random)).vocab_size < 4:
            pass  # d = 2 has room for three independent rows
        dim, labels = corpus.vocab_size // 2, ts.complete_tokens(corpus)
        values = np.where(labels, labels * random.uniform(0.3, 2, len(labels)), 0.1 * random.standard_normal(len(labels)))
        rows = np.column_stack([random.standard_normal((len(labels), dim - 1)) / np.sqrt(dim), values])
        start = ts.Parameters(rows, np.zeros(dim), np.eye(dim)[-1])
    query = (0.0, 1.0, 5.0)[number % 3] * random.standard_normal(dim)
    return corpus, ts.Parameters(start.embeddings, query, start.output_vector)


def certified_paths(wanted=CERTIFIED, seed=SEED) -> dict:
    """Run the third part: how many paths were tried and certified, and how many of these failed."""
    found = dict.fromkeys(("tried", "certified", "of 86 tokens", "not certified and lost", "failures"), 0)
    progress = tqdm(total=wanted, desc="Certified", unit="path")
    while found["certified"] < wanted:
        corpus, start = drawn_path(found["tried"], seed)
        found["tried"] += 1
        certificate = ts.selection_certificate(start, corpus)
        if certificate.fails:
            continue
        path = ts.gradient_flow(start, corpus, LENGTHS[0], records=30, tolerance=1e-6)
        if certificate.certain_from(path) == np.inf:
            found["not certified and lost"] += int(path.log_missed[-1] > SELECTED)
            continue
        found["certified"] += 1
        found["of 86 tokens"] += int(corpus.vocab_size == 86)
        found["failures"] += not ends_well(corpus, start)
        progress.update()
    return found


RECORDS = {"error_level": lambda: {"starts": every_start(), "sharp": sharp_everywhere(), "certified": certified_paths()}}
