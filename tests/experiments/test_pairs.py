"""What pairs are worth, words that are frequent, and skews behind "not", each on a few texts; and what is recorded of them."""

import numpy as np
import pytest

import tokensel_nb as ts
from experiments import pairs as experiment
from tokensel_nb.chapters import pairs
from tokensel_nb.chapters.recorded import recorded

TEXTS = ["a good film", "not good at all", "a bad film", "not bad at all"] * 30
LABELS = ["up", "down", "down", "up"] * 30


@pytest.fixture(scope="module")
def corpus():
    """Texts whose label "good" and "bad" tell, but for what "not" does."""
    return ts.corpus_from_texts(TEXTS, LABELS, tokenizer=pairs.words_and_pairs)


def test_two_layers_are_recorded_for_every_task_and_seed():
    found = recorded("two_layers_pairs")
    assert found.pop("machine")["date"]
    assert list(found) == list(pairs.TASKS)
    for shares in found.values():
        assert np.shape(shares) == (2, len(pairs.SEEDS))  # of the texts learnt from, of new ones
        assert 0.5 <= np.min(shares) <= np.max(shares) <= 1


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


def test_pairs_of_other_texts_are_as_many(corpus):
    is_pair = np.array(["_" in word for word in corpus.vocabulary])
    mixed = experiment.pairs_of_others(corpus, is_pair, seed=0)
    assert mixed.vocabulary.tolist() == [*corpus.vocabulary[~is_pair], *corpus.vocabulary[is_pair]]
    assert mixed.counts.sum() == corpus.counts.sum()
    assert (mixed.labels == corpus.labels).all()
    assert (mixed.counts[:, : (~is_pair).sum()] != corpus.counts[:, ~is_pair]).nnz == 0


def test_attention_is_counted_of_all_but_the_top(monkeypatch):
    monkeypatch.setattr(experiment, "TOP", 1)
    found = experiment.attention_of(ts.corpus_from_texts(TEXTS, LABELS), seed=3)
    assert np.shape(found["uniform"]) == (5,)
    assert np.shape(found["true"]) == np.shape(found["shuffled"]) == (2, 5)
    assert 0 < np.min(found["true"][0]) <= np.max(found["true"][0]) < 1


def test_the_record_has_all_folds_of_three_corpora():
    worth, attention, behind = (recorded(name) for name in ("pairs_worth", "frequent", "not_pairs"))
    for found in (worth, attention, behind):
        assert found.pop("machine")["date"]
    assert list(worth) == list(attention) == list(experiment.LOADS)
    assert all(np.shape(of["right"]) == (5, 3) for of in worth.values())
    assert all(np.shape(of["gains"]["pairs"]) == (2, 6) for of in worth.values())
    assert {name: len(draws) for name, draws in behind.items()} == {"Rotten Tomatoes": 1, "tweets": 5}
