"""How likely a word is to be a leak: drawn words whose law is known, and texts with a planted mark."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, logsumexp

from tokensel_report import suspicion
from tokensel_report.leaks import (
    BINS,
    EFFECTS,
    FARTHEST,
    LEAKS,
    NARROWEST,
    WIDEST,
    bins_of,
    log_likelihoods,
    logistic_law,
    surplus,
)


def table(log_odds, of_class):
    found = np.zeros((2, len(BINS)))
    np.add.at(found, (of_class.astype(int), bins_of(log_odds)), 1)
    return found


def drawn(seed, sizes, effects, wrong=0, n=4000):
    """Texts with calibrated log-odds of their class; words of so many texts each, with own effects; the last a leak."""
    random = np.random.default_rng(seed)
    log_odds = random.normal(0, 2, n)
    label = random.random(n) < expit(log_odds)
    base = np.stack([table(-log_odds, ~label), table(log_odds, label)])
    rests, hits = [], []
    for size, effect in zip(sizes, effects):
        # A word with an own effect: texts of the class are exp(effect) times as likely to hold it.
        weights = np.where(label, np.exp(effect), 1.0)
        rows = random.choice(n, size, replace=False, p=weights / weights.sum())
        rests.append(table(log_odds[rows], label[rows]).sum(axis=0))
        hits.append(label[rows].sum())
    rows = np.append(random.choice(np.flatnonzero(label), 60, replace=False), np.flatnonzero(~label)[:wrong])
    rests.append(table(log_odds[rows], label[rows]).sum(axis=0))
    return suspicion(np.array(rests), np.array([*hits, label[rows].sum()]), np.ones(len(rests), int), base)


def test_a_leak_is_found_among_a_thousand_honest_words_and_nothing_else():
    random = np.random.default_rng(0)
    sizes, effects = random.integers(10, 400, 1000), random.normal(0, 0.5, 1000)
    for seed in range(3):
        _, suspicions = drawn(seed, sizes, effects)
        assert suspicions[-1] > 0.5
        assert (suspicions[:-1] > 0.5).sum() == 0


def test_three_counter_examples_leave_it_the_first():
    random = np.random.default_rng(1)
    sizes, effects = random.integers(10, 400, 1000), random.normal(0, 0.4, 1000)
    _, suspicions = drawn(1, sizes, effects, wrong=3)
    assert suspicions.argmax() == 1000


def test_own_effects_are_those_that_words_were_drawn_with():
    """Their texts are of the class as the law says: own effect, half of the rest's log-odds, half of the class's share."""
    random = np.random.default_rng(2)
    log_odds = random.normal(0, 2, 4000)
    label = random.random(4000) < expit(log_odds)
    base = np.stack([table(-log_odds, ~label), table(log_odds, label)])
    effects = np.tile([-0.5, 0.0, 0.5, 1.0], 100)
    rows = random.integers(4000, size=(400, 300))
    hits = random.random(rows.shape) < expit(
        effects[:, None] + log_odds[rows] / 2 + np.log(label.mean() / (1 - label.mean())) / 2
    )
    rests = np.array([table(log_odds[each], label[each]).sum(axis=0) for each in rows])
    found, _ = suspicion(rests, hits.sum(axis=1), np.ones(400, int), base)
    # A standard error of 0.13 a word with 300 texts, a tenth of it for the mean of a hundred; the honest law pulls inwards.
    for effect in np.unique(effects):
        assert abs(found[effects == effect].mean() - effect) < 0.1


def test_a_word_of_one_class_is_less_of_a_leak_where_the_rest_says_the_same():
    random = np.random.default_rng(3)
    log_odds = random.normal(0, 2, 4000)
    label = random.random(4000) < expit(log_odds)
    base = np.stack([table(-log_odds, ~label), table(log_odds, label)])
    company = [np.exp(tilt * expit(log_odds)) for tilt in random.normal(0, 3, 500)]  # words do keep company
    rows = np.array([random.choice(4000, 40, replace=False, p=weights / weights.sum()) for weights in company])
    rests = np.array([table(log_odds[each], label[each]).sum(axis=0) for each in rows])
    hits = label[rows].sum(axis=1)
    loud = np.argsort(-log_odds)[:200]  # texts that all other words place in the class
    loud = loud[label[loud]][:25]
    stray = random.choice(np.flatnonzero(label), 25, replace=False)
    added = np.array([table(log_odds[each], label[each]).sum(axis=0) for each in (loud, stray)])
    _, suspicions = suspicion(np.vstack([rests, added]), np.append(hits, [25, 25]), np.ones(502, int), base)
    assert suspicions[500] < 0.01 * suspicions[501]


def test_words_that_repeat_a_leak_do_not_hide_it():
    """A hundred honest words, and a leak of 30 texts; twenty rows more of which it hides a part, as words of a template do."""
    random = np.random.default_rng(0)
    log_odds, label = random.normal(0, 2, 4000), random.random(4000)
    label = label < expit(log_odds)
    base = np.stack([table(-log_odds, ~label), table(log_odds, label)])
    leak = random.choice(np.flatnonzero(label), 30, replace=False)
    chosen = [random.choice(4000, 60, replace=False) for _ in range(100)] + [leak] * 21
    hidden = [0] * 101 + [2] * 20
    rests = np.array([table(log_odds[rows] + by, label[rows]).sum(axis=0) for rows, by in zip(chosen, hidden)])
    counts = rests, np.array([label[rows].sum() for rows in chosen]), np.ones(121, int), base
    told, not_told = suspicion(*counts, np.arange(121) >= 101)[1], suspicion(*counts)[1]
    assert told[100] > not_told[100] > 0.5
    assert (told[:100] > 0.5).sum() == 0


def log_evidence(rests, hits, law):
    """The likelihood of one word as a leak over that as an honest one, whose law is given."""
    (logs,) = log_likelihoods(rests[None], np.array([hits]), np.zeros(1, int), EXPECTED)
    return logsumexp(logs, b=LEAKS) - logsumexp(logs, b=law)


EXPECTED = BINS[None] / 2
LAWS = [logistic_law(centre, scale) for centre in (-FARTHEST, 0.4, FARTHEST) for scale in (NARROWEST, 0.2, WIDEST)]
counts = arrays(np.int64, len(BINS), elements=st.integers(0, 3))


@given(of_class=counts, others=counts, added=st.integers(0, len(BINS) - 1), law=st.sampled_from(LAWS))
def test_more_evidence_never_makes_a_mark_less_suspicious(of_class, others, added, law):
    """One more text of the class, wherever the rest of it stands, or one less of another class."""
    one = np.eye(len(BINS), dtype=int)[added]
    before = log_evidence(of_class + others, of_class.sum(), law)
    rounding = 1e-9  # of sums of logarithms, up to a thousand
    assert log_evidence(of_class + others + one, of_class.sum() + 1, law) >= before - rounding
    assert log_evidence(of_class + others + one, of_class.sum(), law) <= before + rounding


@pytest.mark.parametrize("law", LAWS[:6:2], ids=["narrow", "wide", "middle"])
def test_evidence_has_the_mean_one_for_honest_words_so_that_its_inverse_is_a_p_value(law):
    """All 2^8 labels of eight texts, each with its probability under the law of honest words: exact, but for the grid."""
    rests = np.eye(len(BINS), dtype=int)[[10, 25, 36, 40, 40, 44, 50, 70]]
    log_odds = EXPECTED[0][rests.argmax(axis=1)]
    labels = np.array(list(product([0, 1], repeat=8)))
    of_effect = expit(log_odds[:, None] + EFFECTS)  # texts, effects
    likely = np.array([np.prod(np.where(each[:, None], of_effect, 1 - of_effect), axis=0) @ law for each in labels])
    found = np.array([log_evidence(rests.sum(axis=0), each.sum(), law) for each in labels])
    assert likely.sum() == pytest.approx(1)
    assert likely @ np.exp(found) == pytest.approx(1)
    for bound in (2, 10, 100):
        assert likely[np.exp(found) >= bound].sum() <= 1 / bound


def test_the_rest_of_random_texts_says_no_more_than_usual_and_that_of_company_does():
    """The surplus z of two thousand marks in random texts is standard normal, with strays or without; company raises it."""
    random = np.random.default_rng(4)
    log_odds = random.normal(0, 2, 4000)
    label = random.random(4000) < expit(log_odds)
    base = np.stack([table(-log_odds, ~label), table(log_odds, label)])
    pools = np.flatnonzero(~label), np.flatnonzero(label)

    def z_of(pick):
        rows = [np.concatenate([pick(pool, size) for pool, size in zip(pools, sizes)]) for sizes in [(0, 30), (6, 40)] * 1000]
        rests = np.array([table(log_odds[each], label[each]).sum(axis=0) for each in rows])
        return surplus(rests, np.tile([30, 40], 1000), np.ones(2000, int), base, expit(BINS))

    found = z_of(lambda pool, size: random.choice(pool, size, replace=False))
    error = 1 / np.sqrt(2000)  # of the mean; of the standard deviation, 0.7 times as much
    assert abs(found.mean()) < 4 * error
    assert abs(found.std() - 1) < 4 * error
    weights = [np.exp(0.3 * log_odds[pool]) for pool in pools]
    loud = dict(zip(map(len, pools), (each / each.sum() for each in weights)))
    assert z_of(lambda pool, size: random.choice(pool, size, replace=False, p=loud[len(pool)])).mean() > 1


GIVEN = dict(rests=np.ones((30, 81)), hits=np.full(30, 40.0), classes=np.zeros(30, int), base=np.ones((2, 2, 81)))


@pytest.mark.parametrize("name", ["rests", "hits", "base"])
@pytest.mark.parametrize("number", [np.nan, -1.0])
def test_numbers_of_texts_are_such(name, number):
    assert np.isfinite(suspicion(**GIVEN)).all()
    wrong = GIVEN[name].copy()
    wrong.ravel()[0] = number
    for change in ({name: wrong}, dict(hits=np.full(30, 82.0))):  # more hits than texts
        with pytest.raises(ValueError, match="rests, hits and base count texts"):
            suspicion(**GIVEN | change)
