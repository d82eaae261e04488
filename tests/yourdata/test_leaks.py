"""How likely a word is to be a leak: drawn words whose law is known, and texts with a planted mark."""

import numpy as np
from scipy.special import expit

from tokensel_nb import suspicion
from tokensel_nb.yourdata.leaks import BINS, bins_of


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
    effects = np.tile([-0.5, 0.0, 0.5, 1.0], 100)
    found, _ = drawn(2, np.full(400, 300), effects)
    # A standard error of 0.17 a word with 300 texts, a tenth of it for the mean of a hundred; a normal prior pulls inwards.
    for effect in np.unique(effects):
        assert abs(found[:-1][effects == effect].mean() - effect) < 0.15


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


def test_words_that_repeat_a_leak_do_not_pass_for_honest_ones():
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
    assert told[100] > 0.5 > not_told[100]
    assert (told[:100] > 0.5).sum() == 0
