"""What pairs are worth, words that are frequent, and skews behind "not", each on a few texts; and what is recorded of them."""

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import pairs as experiment
from tokensel_nb.chapters import pairs

TEXTS = ["a good film", "not good at all", "a bad film", "not bad at all"] * 30
LABELS = ["up", "down", "down", "up"] * 30


@pytest.fixture(scope="module")
def corpus():
    """Texts whose label "good" and "bad" tell, but for what "not" does."""
    return ts.corpus_from_texts(TEXTS, LABELS, tokenizer=pairs.words_and_pairs)


def test_every_text_is_held_out_once_and_not_learnt_from_then(corpus):
    parts = list(experiment.folds(corpus, seed=3))
    assert [seed for seed, *_ in parts] == [3, 4, 5, 6, 7]
    assert [len(learnt) + len(new) for _, learnt, new in parts] == [len(corpus)] * 5
    assert sum(new.counts.sum() for _, _, new in parts) == corpus.counts.sum()
    assert all(learnt.counts.sum() + new.counts.sum() == corpus.counts.sum() for _, learnt, new in parts)


def test_pairs_help_where_they_tell_the_label_and_those_of_other_texts_do_not(corpus):
    found = experiment.worth_of(corpus, seed=3, dim=16, learning_rate=0.05)
    alone, paired, others = np.mean(found["right"], axis=0)
    assert found["pairs"] == 2  # "not good" and "not bad"
    assert found["holding"] == 0.5
    assert paired == 1 > max(alone, others) + 0.2
    gains, margins = found["gains"]["pairs"]
    assert gains[-1] == pytest.approx(paired - alone, abs=1e-4)
    assert margins[-1] < min(margin for margin in margins[:-1] if margin)
