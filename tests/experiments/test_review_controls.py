import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from experiments import review_controls
from experiments.subwords import in_pieces, wordpiece
from tokensel_nb import (
    binned,
    corpus_from_texts,
    independent_tokens,
    load_imdb,
    matched_correlation,
    shuffle_labels,
    word_correlation,
)
from tokensel_nb.chapters.recorded import recorded
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


def test_what_is_followed_along_the_way_ends_where_training_does(corpus):
    half, other = corpus[0].split(0.5, seed=0)
    found = review_controls.along(half, other, SMALL)
    learnt = run(half, review_controls.DESCENT_SEED, **SMALL).parameters
    assert found["steps"] == [0, 10]
    expected = matched_correlation(learnt.token_scores, half, other)
    assert found["matched, held out"][-1] == pytest.approx(expected, abs=1e-3)
    expected = binned(half.label_skew(), learnt.token_values).rank_correlation()
    assert found["rank, own"][-1] == pytest.approx(expected, abs=1e-3)


def test_the_vocabularies_differ_and_the_sample_is_not_among_the_rest():
    texts = ["good good good film", "bad film", "a truly very good one", "worse than bad"] * 4
    read = lambda **options: corpus_from_texts(texts, [1, -1] * 8, **options)
    made = review_controls.vocabularies(read, words=3, sample=5)
    assert set(made["most occurrences"][0].vocabulary) == {"good", "film", "bad"}
    assert "trul" in read(tokenizer=review_controls.beginnings).vocabulary
    sample, rest = made["all of a sample"]
    assert (len(sample), len(rest)) == (5, 11)
    assert sample.counts.sum(axis=0).min() >= 1
    assert sample.vocabulary.tolist() == rest.vocabulary.tolist()


def test_documents_count_each_text_once():
    texts = ["loud loud loud loud", "calm", "calm sea", "sea calm", "sea", "sea"]
    read = lambda **options: corpus_from_texts(texts, [1, -1] * 3, **options)
    made = review_controls.vocabularies(read, words=2, sample=3)
    assert made["most reviews"][0].vocabulary.tolist() == ["calm", "sea"]
    assert "loud" in made["most occurrences"][0].vocabulary


@pytest.fixture(scope="module")
def affixed():
    random = np.random.default_rng(0)
    words = [root + affix for root in ("care", "hope", "use", "help", "power") for affix in ("", "ful", "less", "ing")]
    return corpus_from_texts([" ".join(random.choice(words, 6)) for _ in range(60)], [1, -1] * 30)


@pytest.fixture(scope="module")
def pieces(affixed):
    return review_controls.subword_halves(affixed, size=45)


def test_the_pieces_are_those_of_the_half_learnt_from(affixed, pieces):
    half, other = affixed.split(0.5, seed=review_controls.HALVES)
    known = wordpiece(half, 45)
    assert set(pieces[0].vocabulary) <= set(known.get_vocab())
    assert pieces[0].counts.sum(axis=0).min() >= 1
    for cut, whole in zip(pieces, (half, other)):
        expected = in_pieces(whole, known)
        columns = [expected.column(name) for name in cut.vocabulary]
        assert (cut.counts != expected.counts[:, columns]).nnz == 0
        assert cut.labels.tolist() == whole.labels.tolist()


def test_pieces_are_measured_like_any_vocabulary_and_by_kind(pieces, monkeypatch):
    monkeypatch.setattr(review_controls, "FREQUENT", 5)
    half, other = pieces
    often = half.counts.sum(axis=0) >= (enough := int(np.median(half.counts.sum(axis=0))))
    monkeypatch.setattr(review_controls, "OFTEN", enough)
    found = review_controls.subword_summary(half, other, SMALL)
    alone = review_controls.vocabulary_summary({"pieces": pieces}, SMALL)["pieces"]
    assert json.dumps(found["subwords"]) == json.dumps(alone)  # as text, in which NaN is like NaN
    kinds = [found["beginnings"], found["continuations"]]
    assert sum(each["pieces"] for each in kinds) == half.vocab_size
    assert sum(each["share"] for each in kinds) == pytest.approx(1, abs=1e-4)  # rounded to four digits
    learnt = run(half, review_controls.SEEDS[0], **SMALL).parameters
    continued = np.array([name.startswith("##") for name in half.vocabulary])
    expected = word_correlation(other.label_skew()[continued], learnt.token_values[continued])
    assert kinds[1]["values"]["held out"]["word_skew"]["true"] == [pytest.approx(expected, abs=1e-3)]
    assert found["frequent subwords"]["pieces"] == often.sum() < half.vocab_size
    expected = word_correlation(other.label_skew()[often], learnt.token_values[often])
    assert found["frequent subwords"]["values"]["held out"]["word_skew"]["true"] == [pytest.approx(expected, abs=1e-3)]
    values = learnt.token_values[continued & (half.counts.sum(axis=0) >= 5)]
    named = found["pieces"]
    assert {"##ful", "##less"} & set(named)
    assert min(each["value"] for each in named.values()) <= round(values.min(), 3) + 1e-3
    for name, each in named.items():
        column = half.column(name)
        assert each["occurrences"] == half.counts[:, [column]].sum()
        assert each["value"] == pytest.approx(learnt.token_values[column], abs=1e-3)
        assert each["score"] == pytest.approx(learnt.token_scores[column], abs=1e-3)


def test_what_is_recorded_of_pieces_holds_what_the_chapter_says():
    found = recorded("subwords")
    assert f"{sum(found[kind]['pieces'] for kind in ('beginnings', 'continuations')):,} words" in found["subwords"]["corpus"]
    assert set(review_controls.AFFIXES) <= set(found["pieces"])
    rises = {name: found[name]["values"]["held out"]["word_skew"] for name in ("subwords", "beginnings", "continuations")}
    assert all(rise["true"][0] > 0.25 > abs(rise["shuffled"][0]) for rise in rises.values())
    assert rises["continuations"]["true"][0] < 0.6 * rises["beginnings"]["true"][0]
    for name, sign in (("##ful", 1), ("##less", -1), ("dis", -1), ("mis", -1), ("non", -1)):
        assert all(sign * found["pieces"][name][what] > 0 for what in ("own", "held out", "value"))


@pytest.mark.long
def test_the_recorded_pieces_are_found_again():
    half, other = review_controls.subword_halves(load_imdb(min_count=1))
    found = recorded("subwords")
    assert repr(half) == found["subwords"]["corpus"]
    skews = [part.label_skew() for part in (half, other)]
    for name, of in found["pieces"].items():
        column = half.column(name)
        assert of["occurrences"] == half.counts[:, [column]].sum()
        assert [of["own"], of["held out"]] == pytest.approx([skew[column] for skew in skews], abs=1e-4)  # four digits
