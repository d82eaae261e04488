import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from experiments import review_controls
from tokensel_nb import (
    binned,
    independent_tokens,
    matched_correlation,
    shuffle_labels,
)
from tokensel_nb.chapters.reviews import run

SMALL = dict(dim=8, steps=10, learning_rate=0.3, evaluate_every=10)


@pytest.fixture(scope="module")
def corpus():
    """What is learnt from, and the fifth that says when to stop."""
    return independent_tokens(1200, 320, 60, 0.5, seed=0).split(0.2, seed=0)


@pytest.fixture(scope="module")
def control(corpus):
    return json.loads(json.dumps(review_controls.control_summary(*corpus, seeds=range(2), options=SMALL)))


def test_a_control_learns_from_one_half_and_is_binned_by_either(corpus, control):
    half, other = corpus[0].split(0.5, seed=review_controls.HALVES)
    learnt = run(half, 1, **SMALL).parameters
    for by, part in (("own", half), ("held out", other)):
        found = control["values"][by]["rank"]["true"]
        assert found[1] == pytest.approx(binned(part.label_skew(), learnt.token_values).rank_correlation(), abs=1e-3)
        expected = matched_correlation(learnt.token_scores, half, part)
        assert control["scores"][by]["matched"]["true"][1] == pytest.approx(expected, abs=1e-3)
    random = np.random.default_rng(1)
    one, another = shuffle_labels(half, random), shuffle_labels(other, random)
    learnt = run(one, 1, **SMALL).parameters
    expected = binned(another.label_skew(), learnt.token_values).rank_correlation()
    first = review_controls.SHUFFLES
    assert control["values"]["held out"]["rank"]["shuffled"][first] == pytest.approx(expected, abs=1e-3)


def test_scores_are_read_where_true_labels_have_the_lowest_loss_on_the_fifth(corpus, control):
    half, other = corpus[0].split(0.5, seed=review_controls.HALVES)
    runs = [run(half, 0, corpus[1], **SMALL | {"steps": steps}) for steps in range(1, SMALL["steps"] + 1)]
    losses = [each.history.held_out_losses[-1] for each in runs]
    stop = control["stops"][0]
    assert stop == 1 + np.argmin(losses) < SMALL["steps"]
    random = np.random.default_rng(0)
    mixed = [shuffle_labels(part, random) for part in (half, other)]
    for labels, (learnt_from, judged_by) in {"true": (half, other), "shuffled": mixed}.items():
        scores = run(learnt_from, 0, **SMALL | {"steps": stop}).parameters.token_scores
        for least, found in ((20, control["stopped"]["held out"]["matched"]), (1, control["one text"]["stopped"]["held out"])):
            expected = matched_correlation(scores, half, judged_by, min_texts=least)
            assert found[labels][0] == pytest.approx(expected, abs=1e-3)


def test_the_ceiling_compares_the_skews_of_two_parts_of_the_other_half(corpus, control):
    half, other = corpus[0].split(0.5, seed=review_controls.HALVES)
    one, another = other.split(0.5, seed=0)
    often = (other.counts.toarray() > 0).sum(axis=0) >= 20
    assert often.sum() == control["compared"]["20"] == control["compared"]["1"]
    assert not np.isnan([part.label_skew()[often] for part in (one, another)]).any()
    expected = matched_correlation(np.abs(another.label_skew()), half, one, min_texts=1)
    assert control["ceiling"][0] == pytest.approx(expected, abs=1e-3)
    assert len(control["ceiling"]) == len(review_controls.CUTS)


def test_every_split_has_a_fifth_and_halves_of_its_own(corpus):
    texts = independent_tokens(600, 320, 60, 0.5, seed=1)
    texts = replace(texts, counts=csr_array((texts.counts.data, *map(np.int32, (texts.counts.indices, texts.counts.indptr)))))
    found = review_controls.splits_summary(lambda seed: texts, range(3, 5), SMALL, SMALL)
    for place, seed in enumerate((3, 4)):
        most, fifth = texts.split(0.2, seed=seed)
        half, other = most.split(0.5, seed=seed)
        assert found["halves"][2 * place : 2 * place + 2] == [repr(half), repr(other)]
        learnt = run(half, seed, **SMALL).parameters
        expected = matched_correlation(learnt.token_scores, half, other)
        assert found["scores"]["held out"]["matched"]["true"][place] == pytest.approx(expected, abs=1e-3)
        whole = run(most, seed, **SMALL).parameters
        attention = fifth.counts.toarray() * np.exp(whole.token_scores)
        tops = attention.argmax(axis=1)
        right = np.sign(whole.token_values[tops]) == fifth.signs
        assert found["whole"]["top word"]["true"][place] == pytest.approx(right.mean(), abs=1e-3)
    assert len(found["stopped"]["held out"]["matched"]["shuffled"]) == 2 * review_controls.SHUFFLES
