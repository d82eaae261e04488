"""Claims of chapter 3, gradient flow."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from scipy import integrate
from tqdm import tqdm

from ..alignment import embedding_step
from ..flow import conserved, gradient_flow, joint_flow, key_query_at, key_query_flow, limit_parameters, output_flow
from ..max_margin import max_margin
from ..model import gradients
from ..synthetic import one_relevant_token, several_relevant_tokens
from .shared import relative, start_of
from .table import Target, claim

CHAPTER = "book/03_flow"
ARC_LENGTH = 1e6  # how far p travels: 1 - cos falls like its inverse square


@cache
def _one_relevant(seed):
    """The corpus of chapter 3, |S| = 200 and n = 400, with its parameters at d = 2,048 after one step of size 80."""
    corpus = one_relevant_token(400, 200, 10, 10, seed)
    return corpus, embedding_step(start_of(corpus, 2048, seed, "float64"), corpus, 80.0)


@cache
def _limit_of(seed):
    """The missed attention at the end of the flow, and 1 - cos to the max-margin direction."""
    corpus, start = _one_relevant(seed)
    end = gradient_flow(start, corpus, ARC_LENGTH, records=2, tolerance=1e-6)
    return np.exp(end.log_missed[-1]), end.distance_to(max_margin(start.embeddings, corpus).direction)[-1]


@cache
def _tiny():
    """A corpus small enough for hundreds of paths: 24 texts, 16 tokens."""
    return one_relevant_token(24, 16, 5, 2, 0)


def _unless_missed(missed, gap):
    return gap if missed <= 1e-12 else np.inf


@claim(
    "kkt",
    CHAPTER,
    "book",
    Target(high=1e-9),
    r"The max-margin direction for $|S| = 200$, $n = 400$, $d = 2048$ is certified: largest relative KKT residual.",
)
def kkt():
    corpus, start = _one_relevant(0)
    return max_margin(start.embeddings, corpus).residual


@claim(
    "assumption-selection",
    CHAPTER,
    "paper",
    Target(high=1e-12),
    "Under Assumption 1 attention closes on the relevant token of every text: largest attention that a text pays to others.",
)
def assumption_selection():
    return _limit_of(0)[0]


@claim(
    "flow-direction",
    CHAPTER,
    "paper",
    Target(high=1e-8),
    r"There $p$ turns to the max-margin direction: $1 - \cos$ of the angle between them at $\|p\| = 10^6$.",
)
def flow_direction():
    return _limit_of(0)[1]


@claim(
    "data-seeds",
    CHAPTER,
    "paper",
    Target(high=1e-8),
    r"So it is for 20 corpora with embeddings of their own: largest $1 - \cos$ (infinite if attention misses a text).",
)
def data_seeds():
    return max(_unless_missed(*_limit_of(seed)) for seed in range(20))


@claim(
    "random-starts",
    CHAPTER,
    "paper",
    Target(high=1e-8),
    r"200 random starts of $p$ have the same limit (24 texts, 16 tokens, $d \to \infty$): largest $1 - \cos$ to it.",
)
def random_starts():
    start = limit_parameters(_tiny(), 20.0)
    wanted = max_margin(start.embeddings, _tiny()).direction
    gaps = []
    for seed in tqdm(range(200), desc="Following random starts", unit="path", delay=2):
        first = replace(start, cls_embedding=3 * np.random.default_rng(seed).standard_normal(17))
        end = gradient_flow(first, _tiny(), ARC_LENGTH, records=2, tolerance=1e-5)
        gaps.append(_unless_missed(np.exp(end.log_missed[-1]), end.distance_to(wanted)[-1]))
    return max(gaps)


@claim(
    "output-trained",
    CHAPTER,
    "paper",
    Target(high=1e-4),
    r"With $v$ trained along, $p$ has the same limit (24 texts, 16 tokens, $d = 2048$): $1 - \cos$ after a path of length 100.",
)
def output_trained():
    start = embedding_step(start_of(_tiny(), 2048, 0, "float64"), _tiny(), 10.0)
    end, _ = output_flow(start, _tiny(), 100.0, records=2)
    return end.distance_to(max_margin(start.embeddings, _tiny()).direction)[-1]


@claim(
    "key-query-map",
    CHAPTER,
    "paper",
    Target(high=1e-8),
    "A key-query matrix follows its query: relative error of the mapped path against a solver that trains the matrix itself.",
)
def key_query_map():
    start = embedding_step(start_of(_tiny(), 12, 0, "float64"), _tiny(), 40.0)
    random = np.random.default_rng(0)
    query, matrix = random.standard_normal(12), 0.1 * random.standard_normal((12, 12))

    def velocity(_, flat):
        slope = gradients(replace(start, cls_embedding=flat.reshape(12, 12) @ query), _tiny()).cls_embedding
        slope = np.outer(slope, query)
        return -slope.ravel() / np.linalg.norm(slope)

    found = key_query_flow(replace(start, cls_embedding=query), matrix, _tiny(), 15.0, records=8, tolerance=1e-11)
    # W moves slower than W p by the factor ‖p‖; the records end at 15 but for rounding.
    times = np.minimum(found.arc_lengths, 15.0) / np.linalg.norm(query)
    solved = integrate.solve_ivp(velocity, (0, times[-1]), matrix.ravel(), "DOP853", t_eval=times, rtol=1e-12, atol=1e-12)
    mapped = [key_query_at(point, matrix, query).ravel() for point in found.cls_embeddings]
    return max(relative(one, other) for one, other in zip(mapped, solved.y.T))


@claim(
    "several-relevant",
    CHAPTER,
    "paper",
    Target(high=1e-12),
    "With three relevant tokens in every text at least one is selected: largest attention that a text pays to all others.",
)
def several_relevant():
    corpus = several_relevant_tokens(120, 60, 8, 5, 3, 0)
    start = embedding_step(start_of(corpus, 512, 0, "float64"), corpus, 40.0)
    return np.exp(gradient_flow(start, corpus, 1e5, records=2).log_missed[-1])


@claim(
    "conservation",
    CHAPTER,
    "book",
    Target(high=1e-8),
    r"The flow of all parameters conserves $E^\top E - vv^\top - pp^\top$: largest drift of an entry up to time 100.",
)
def conservation():
    start = start_of(_tiny(), 12, 0, "float64")
    points = joint_flow(start, _tiny(), [0.0, 1.0, 10.0, 100.0])
    return max(np.abs(conserved(point) - conserved(start)).max() for point in points)
