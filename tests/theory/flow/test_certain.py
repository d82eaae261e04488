"""What is certain at once, from a low loss, and in a trap: a thousand corpora each, seeds fixed before, and one outside."""

from dataclasses import replace

import numpy as np
import pytest

import tokensel_nb as ts
from experiments.error_level import corpus_of, with_one_relevant
from experiments.from_zero import constant
from experiments.trained_head import any_texts, beside_ball, expect, until_seen

SEED = 20261130
draws = pytest.mark.parametrize("draws", [30, pytest.param(1_000, marks=pytest.mark.long)])


def drawn(part, number):
    return np.random.default_rng([SEED, part, number])


def room_at_zero(corpus, values):
    start = ts.rows_with_values(values)
    return ts.selection_certificate(start, corpus).room(start.cls_embedding)


@draws
def test_values_that_are_large_enough_are_certified_at_a_query_of_zero(draws):
    """In any limit rows, of any competition; four times smaller values are not always."""
    smaller = []
    for number in range(draws):
        random = drawn(1, number)
        corpus = replace(with_one_relevant(random), weights=None)
        least = corpus.lengths.max() * np.log(len(corpus) / np.log(2))
        values = ts.complete_tokens(corpus) * least * (1 + random.exponential(size=corpus.vocab_size) * (number % 2))
        assert room_at_zero(corpus, values) > 0
        smaller.append(room_at_zero(corpus, values / 4))
    assert min(smaller) < 0


def several(random):
    """A corpus with one to three relevant tokens a text, which speak for its label alone, and independent rows."""
    kinds, labels, others = random.integers(1, 4), np.repeat([1, -1], random.integers(1, 4, 2)), random.integers(1, 4)
    own, texts = random.integers(0, 2, (len(labels), kinds)), np.arange(len(labels))
    own[texts, random.integers(0, kinds, len(labels))] = 1
    beside = random.poisson(0.7, (len(labels), others))
    beside[texts, random.integers(0, others, len(labels))] += 1
    corpus = corpus_of(np.hstack([own * (labels > 0)[:, None], own * (labels < 0)[:, None], beside]), labels)
    sizes = np.repeat([1, -1], kinds) * (0.3 + random.exponential(size=2 * kinds))
    values = np.append(sizes, random.uniform(-0.25, 0.25, others))
    rows = random.standard_normal(2 * [len(values)]) / np.sqrt(len(values))
    query = random.choice([0.0, 2.0, 6.0]) * random.standard_normal(len(values) + 1)
    return corpus, 2 * kinds, ts.Parameters(np.column_stack([rows, values]), query, np.eye(len(values) + 1)[-1])


def losses_of(corpus, values, kept):
    """The loss of each text if it attends to the word among these that speaks most for its label."""
    speaks = np.where((corpus.counts.toarray() > 0) & kept, corpus.signs[:, None] * values, -np.inf)
    return np.logaddexp(0, -speaks.max(axis=1))


@draws
def test_a_low_loss_certifies_one_of_several_relevant_tokens(draws):
    fates, with_one = [], 0
    for number in range(draws):
        corpus, relevant, start = several(drawn(2, number))
        among = np.arange(corpus.vocab_size) < relevant
        best, other = (losses_of(corpus, start.token_values, kept) for kept in (among, ~among))
        threshold = best.mean() + (other - best).min() / len(corpus)
        if not (certificate := ts.selection_certificate(start, corpus)).fails:
            with_one += certificate.threshold == pytest.approx(threshold, rel=1e-12)
        path = ts.gradient_flow(start, corpus, 1e4, records=20, tolerance=1e-4)
        attended = ts.attention(start._replace(cls_embedding=path.cls_embedding), corpus).toarray()[:, among].sum(axis=1)
        fates.append((path.losses.min() < threshold - 1e-9, attended.min() > 1 - 1e-9))
        assert np.minimum(attended, 1 - attended).max() < 1e-3  # to 0 or to 1, whatever the loss
    assert (True, False) not in fates
    assert with_one > 0
    assert fates.count((True, True)) > draws / 4
    assert fates.count((False, False)) > 0


def trap(random):
    """Any texts and rows, a choice of tokens whose active pairs all speak for the labels, and a start near its ray."""
    corpus = any_texts(random)
    held, y = corpus.counts.toarray(), corpus.signs
    chosen = np.array([random.choice(np.flatnonzero(text)) for text in held])
    values = random.standard_normal(corpus.vocab_size)
    rows = np.column_stack([np.eye(len(values)) + 0.3 * random.standard_normal(2 * [len(values)]), values])
    found = ts.max_margin(rows, corpus, chosen)
    r, s = found.pairs.T
    active = (rows[r] - rows[s]) @ found.direction < 1 + 1e-7
    expect(((rows[r] - rows[s]) @ found.direction)[~active].min(initial=2) > 1.05 and found.multipliers[active].min() > 0.01)
    speaks = (chosen == r[:, None]) * held[:, s].T * y * (values[r] - values[s])[:, None]
    expect(speaks[active].min() >= 0)
    pulls = corpus.mean_weights / (1 + np.exp(y * values[chosen])) / held[np.arange(len(held)), chosen]
    ring = constant(found.direction, (rows[r] - rows[s])[active], (speaks @ pulls)[active])
    query = 200 * found.direction + ring + 0.5 * beside_ball(random, len(ring))
    best = np.where(held > 0, y[:, None] * values, -np.inf).argmax(axis=1)
    return (best == chosen).all(), corpus, chosen, found.direction, ts.Parameters(rows, query, np.eye(len(ring))[-1])


@draws
def test_a_trap_keeps_what_starts_in_it(draws):
    """Also where the choice is not what speaks most; but not if an active pair speaks against it, however little."""
    wrong = 0
    for number in range(draws):
        _, (right, corpus, chosen, direction, start) = until_seen(trap, drawn(3, number))
        path, wrong = ts.gradient_flow(start, corpus, 1e5, records=2, tolerance=1e-4), wrong + (not right)
        attended = ts.attention(start._replace(cls_embedding=path.cls_embedding), corpus).toarray()
        assert attended[np.arange(len(chosen)), chosen].min() == 1
        assert path.distance_to(direction)[-1] < 1e-6
    assert wrong > draws / 4

    corpus = corpus_of(np.hstack([np.eye(2, dtype=int), np.ones((2, 21), int)]), [1, -1])
    for value, kept in ((-1e-4, True), (1e-4, False)):
        rows = ts.rows_with_values([0.4, -0.4, value] + [0] * 20)
        aim = ts.max_margin(rows.embeddings, corpus, np.array([0, 2])).direction
        begin = rows._replace(cls_embedding=100 * aim)
        end = ts.gradient_flow(begin, corpus, 1e5, records=2).cls_embedding
        assert (ts.attention(begin._replace(cls_embedding=end), corpus).toarray()[1, 2] > 0.99) == kept
