"""Texts with two or three relevant tokens: which are selected together, and to which max-margin direction p then turns.

The protocol, committed before the official run; trials had seeds below 1,000. RUNS corpora of each kind, with limit rows
E_s = e_s + γ_s v, irrelevant values 0 and p(0) normal, are followed over a path of LENGTH. Selected is what gets more attention
than SELECTED at its end. The kinds:

alone     one text for each relevant token in which it is the only one, beside texts with two or three; values ±G
together  two or three relevant tokens in every text; values ±G
unequal   as the first; sizes of values independent, so that no two agree

Right is the shortest p with (E_r - E_s)·p ≥ 1 for all selected r of a text and s of lower y γ_s in it. (Relevant tokens of one
value that are not selected are set aside: attention on one or the other is all the same to the loss. `max_margin` is asked
without them.) Jointly selected tokens need no equality of their scores: the solution has it, as told by "ties". Wrong, if all
are selected: all but one, which is drawn from those selected beside another one and has to stay behind in its text. Where not
all are, and values agree: tokens set aside have to stay behind, too. Where values differ: all relevant tokens. A wrong one that
no direction satisfies counts as infinitely far (None).

Targets, where all relevant tokens of all texts are selected, and again where not: 1 - cos(p, right) at most 1e-6 at the end of
the path. The reason: it falls like C/‖p‖² = C · 1e-10, where multipliers vanish like C (log ‖p‖/‖p‖)² = 130 C · 1e-10; C of
some 100 is seldom passed. Where all are selected: in no corpus is a wrong direction less than a thousand times as far. Where
values differ: no text has two selected tokens, as the chapter proves for independent rows.
"""

from dataclasses import replace

import numpy as np
from tqdm import tqdm

import tokensel_nb as ts

from .error_level import corpus_of

SEED, RUNS, KINDS = 20261125, 400, ("alone", "together", "unequal")
LENGTH, SELECTED = 1e5, 1e-6


def relevant_sets(sides, kind, random) -> list:
    """Draw the relevant tokens of every text."""
    texts = []
    for side in (1, -1):
        own = np.flatnonzero(sides == side)
        several = [
            random.choice(own, min(len(own), random.integers(2, 4)), replace=False) for _ in range(random.integers(2, 5))
        ]
        left = np.setdiff1d(own, np.concatenate(several))
        texts += several + ([[r, own[own != r][0]] for r in left] if kind == "together" else [[r] for r in own])
    return texts


def drawn(kind, number, seed=SEED):
    """Draw a corpus, whose relevant tokens come first, and a start."""
    random = np.random.default_rng([seed, KINDS.index(kind), number])
    sides = np.repeat([1, -1], random.integers(2, 4, 2))
    texts, many, irrelevant = relevant_sets(sides, kind, random), len(sides), int(random.integers(1, 5))
    counts = np.zeros((len(texts), many + irrelevant), int)
    for row, chosen in zip(counts, texts):
        row[chosen] = random.integers(1, 4, len(chosen))
        row[many:] = random.poisson(0.7, irrelevant) + (len(chosen) == 1) * (number % 2)
        row[many + random.integers(irrelevant)] += 1
    corpus = corpus_of(counts, [sides[chosen[0]] for chosen in texts], random.exponential(size=len(texts)) + 0.1)
    sizes = random.uniform(0.2, 1, many) if kind == "unequal" else random.uniform(0.2, 1)
    start = ts.rows_with_values(np.r_[sides * sizes, np.zeros(irrelevant)])
    return corpus, start._replace(cls_embedding=np.r_[random.standard_normal(corpus.vocab_size), 0])


def right_direction(start, corpus, selected):
    """Return the max-margin direction of what is selected, without tokens of the same value that are not."""
    present, values = corpus.counts.toarray() > 0, start.token_values
    same = (np.abs(values[None] - (selected * values).sum(axis=1, keepdims=True) / selected.sum(axis=1, keepdims=True))) < 1e-12
    kept = np.where(present & same & ~selected, 0, corpus.counts.toarray())
    return ts.max_margin(start.embeddings, replace(corpus, counts=kept), selected).direction


def wrong_direction(start, corpus, selected, relevant, random):
    """Return the max-margin direction of another selection; None if no direction makes it."""
    other = selected.copy()
    if (selected == relevant).all():
        text, token = np.nonzero(selected & (selected.sum(axis=1, keepdims=True) > 1))
        drop = random.integers(len(text))
        other[text[drop], token[drop]] = False
    elif len(np.unique(np.abs(start.token_values))) > 2:
        other = relevant
    try:
        return ts.max_margin(start.embeddings, corpus, other).direction
    except ts.NotSeparableError:
        return None


def outcome(kind, number, seed=SEED) -> dict:
    """Follow one path: what is selected, and 1 - cos to the right and to a wrong direction along it."""
    corpus, start = drawn(kind, number, seed)
    relevant = (corpus.counts.toarray() > 0) & (start.token_values != 0)
    path = ts.gradient_flow(start, corpus, LENGTH, records=2, tolerance=1e-6, selection=relevant)
    selected = ts.attention(start._replace(cls_embedding=path.cls_embedding), corpus).toarray() > SELECTED
    right = right_direction(start, corpus, selected)
    wrong = wrong_direction(start, corpus, selected, relevant, np.random.default_rng([seed, number]))
    scores = np.where(selected, start.embeddings @ right, np.nan)
    return {
        "all": bool((selected == relevant).all()),
        "joint": int((selected.sum(axis=1) > 1).sum()),
        "of": int((relevant.sum(axis=1) > 1).sum()),
        "tie": float(np.max(np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1))),
        "right": path.distance_to(right)[-1],
        "wrong": np.inf if wrong is None else path.distance_to(wrong)[-1],
    }


def gathered(outcomes) -> dict:
    """Summarise outcomes: counts, and the smallest, middle and largest distances at the ends of the paths."""
    return {
        "corpora": len(outcomes),
        "several relevant": sum(each["of"] for each in outcomes),
        "several selected": sum(each["joint"] for each in outcomes),
        "ties": float(f"{max(each['tie'] for each in outcomes):.1e}"),
        "right": levels([each["right"] for each in outcomes]),
        "wrong": levels([each["wrong"] for each in outcomes]),
    }


def levels(distances) -> list:
    """Return the smallest, middle and largest; None for one that is infinite."""
    found = np.quantile(distances, (0, 0.5, 1), method="nearest")
    return [[float(f"{each:.3g}") if np.isfinite(each) else None] for each in found]


def several(runs=RUNS, seed=SEED) -> dict:
    """Run everything."""
    found = {}
    for kind in KINDS:
        outcomes = [outcome(kind, number, seed) for number in tqdm(range(runs), desc=kind, unit="corpus")]
        parts = {"all": [each for each in outcomes if each["all"]], "not all": [each for each in outcomes if not each["all"]]}
        found[kind] = {name: gathered(part) for name, part in parts.items() if part}
    return {"runs": runs} | found


RECORDS = {"several": several}
