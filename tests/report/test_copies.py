"""Texts that nearly repeat others: they are found, a group is a mark, and no model judges texts of which it has seen copies."""

from itertools import pairwise

import numpy as np

import tokensel_nb as ts
import tokensel_report as tr
from tokensel_report.copies import copies_of
from tokensel_report.evaluation import evaluate
from tokensel_report.fit import keep_together, parts_of


def words(random, number=40, of=5000):
    return [f"word{code}" for code in random.integers(of, size=number)]


def changed(random, text, share):
    """Return the words with a share of them exchanged for others."""
    return [new if random.random() < share else word for word, new in zip(text, words(random, len(text)))]


def shared(one, other):
    """Return the share of pairs of words that two texts have in common."""
    one, other = (set(pairwise(text)) for text in (one, other))
    return len(one & other) / len(one | other)


def test_what_shares_most_pairs_of_words_is_a_copy_and_what_shares_few_is_none():
    random = np.random.default_rng(0)
    first = [words(random) for _ in range(300)]
    again = [changed(random, text, random.random() / 2) for text in first]
    copies = copies_of([" ".join(text) for text in first + again])
    alike = np.array([shared(*both) for both in zip(first, again)])
    found = copies[300:] == np.arange(300)
    assert (copies[:300] == np.arange(300)).all()
    assert found[alike >= 0.8].all()
    assert not found[alike < 0.5].any()
    assert (copies[300:][~found] == np.arange(300, 600)[~found]).all()
    assert min((alike >= 0.8).sum(), (alike < 0.5).sum()) >= 20


def test_many_copies_are_one_group_in_any_order():
    random = np.random.default_rng(1)
    text = words(random)
    texts = [" ".join(changed(random, text, 0.03)) for _ in range(200)] + [" ".join(words(random)) for _ in range(50)]
    order = random.permutation(250)
    copies = copies_of([texts[row] for row in order])
    group = order < 200
    assert set(copies[group]) == {np.flatnonzero(group)[0]}
    assert (copies[~group] == np.flatnonzero(~group)).all()


def test_groups_that_a_later_text_links_become_one():
    random = np.random.default_rng(2)
    linked = 0
    for _ in range(20):
        core = words(random, 28)
        one, other, middle = words(random, 15) + core, core + words(random, 15), core
        assert shared(one, other) < 0.5 < shared(one, middle)
        texts = [" ".join(text) for text in (random.permutation([f"word{code}" for code in range(5000)]), one, other, middle)]
        assert copies_of(texts[:3]).tolist() == [0, 1, 2]
        linked += copies_of(texts).tolist() == [0, 1, 1, 1]
    assert linked >= 6  # where both links are found, as three of four are


def test_short_texts_are_no_copies_and_scripts_without_spaces_are_read():
    assert copies_of(["a good film"] * 5).tolist() == [0, 1, 2, 3, 4]
    assert copies_of(["这部电影真的很好看我喜欢", "无聊", "这部电影真的很好看我爱"]).tolist() == [0, 1, 0]
    assert copies_of(["a-b-c-d-e-f-g", "x", "a-b-c-d-e-f-g"], lambda text: text.split("-")).tolist() == [0, 1, 0]


def test_copies_stay_in_one_part_unless_a_class_would_be_in_one_alone():
    labels, copies = np.repeat(["a", "b"], 50), np.arange(100)
    copies[[7, 20, 30]] = 5
    apart, parts = (parts_of(labels, 4, 0, each) for each in (np.arange(100), copies))
    assert len(set(apart[[5, 7, 20, 30]])) > 1
    assert len(set(parts[[5, 7, 20, 30]])) == 1
    assert (np.delete(parts, [5, 7, 20, 30]) == np.delete(apart, [5, 7, 20, 30])).all()
    copies[:50] = 0
    assert (keep_together(apart, labels, copies) == apart).all()


def test_a_text_is_judged_by_models_that_have_seen_none_of_its_copies():
    """Labels are drawn text by text, and copies take that of the first: who knows one copy knows the others."""
    random = np.random.default_rng(3)
    texts = [words(random, of=300) for _ in range(300)]
    texts += [changed(random, text, 0.03) for text in texts for _ in range(2)]
    labels = np.resize(random.permutation(["up", "down"] * 150), 300)
    labels = np.append(labels, np.repeat(labels, 2))
    found = tr.report(tr.TextClassifier(), [" ".join(text) for text in texts], labels, quotes=0)
    assert 300 <= len(set(found.copies)) < 330
    assert abs(found.accuracy - 0.5) < 0.12  # four standard errors of 300 texts
    held_out = evaluate(found).held_out
    assert (held_out == held_out[found.copies]).all()
    assert 0 < held_out.sum() < 900
    alone = tr.TextClassifier().fit([" ".join(text) for text in texts[:300]], labels[:300])
    assert alone.score([" ".join(text) for text in texts[300:]], labels[300:]) > 0.9


def test_copies_in_one_class_are_named_and_in_both_are_not():
    random = np.random.default_rng(4)
    reviews = ts.read_rotten_tomatoes()
    some = random.permutation(len(reviews.texts))[:3000]
    given, labels = [reviews.texts[row] for row in some], np.asarray(reviews.labels)[some]
    source = next(row for row in range(3000) if labels[row] == 1 and len(given[row].split()) >= 20)
    for in_both in (False, True):
        texts, rows = list(given), np.arange(3000) if in_both else np.flatnonzero(labels == 1)
        for row in random.choice(rows, 40, replace=False):
            texts[row] = " ".join(changed(random, given[source].split(), 0.05))
        found = tr.report(tr.TextClassifier(), texts, labels, quotes=0)
        named = [name for name in found.suspicious if name.startswith("copies of text ")]
        (first,) = (row for row, number in zip(*np.unique(found.copies, return_counts=True)) if number >= 30)
        assert named == ([] if in_both else [f"copies of text {first + 1:,}"])
        assert f"copies of text {first + 1:,}" in set(found.marks.word)
