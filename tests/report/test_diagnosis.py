"""What `diagnose` says, held against the textbook's model text by text, and against all permutations of a few labels."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
import torch
from helpers import corpora
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import softmax

import tokensel_nb as ts
import tokensel_report as tr
from tokensel_nb.matched import correlation_at_equal
from tokensel_report.diagnosis import SHOWN, beyond_chance


def drawn(corpus, dim, seed):
    """E, v and p with attention that is not uniform."""
    random = np.random.default_rng(seed)
    heads = 1 if corpus.num_classes == 2 else corpus.num_classes
    v = random.normal(size=(heads, dim))
    return random.normal(size=(corpus.vocab_size, dim)), v[0] if heads == 1 else v, random.normal(size=dim)


@pytest.fixture(scope="module")
def halves():
    return ts.independent_tokens(1600, 100, 12, 0.6, seed=0).split(0.5, seed=0)


@pytest.fixture(scope="module")
def trained(halves):
    return ts.train(ts.init_parameters(100, 32, seed=0), halves[0], steps=30).parameters


def diagnosed(parameters, corpus, **options):
    return tr.diagnose(parameters.embeddings, parameters.output_vector, parameters.cls_embedding, corpus, **options)


def plain(corpus, E, v, p):
    """Attention on every word and logits, one text after another."""
    attention, logits = [], []
    for counts in corpus.counts.toarray():
        tokens = np.repeat(np.arange(len(counts)), counts)
        q = softmax(E[tokens] @ p) if len(tokens) else np.zeros(0)
        attention.append(np.bincount(tokens, q, minlength=len(counts)))
        logits.append(q @ E[tokens] @ v.T)
    return np.array(attention), np.array(logits)


@settings(max_examples=25, deadline=None)
@given(corpora(min_texts=2), st.integers(1, 5), st.integers(0, 99))
def test_every_number_is_that_of_the_textbooks_model(corpus, dim, seed):
    E, v, p = drawn(corpus, dim, seed)
    held = np.flatnonzero((corpus.counts > 0).sum(axis=0))
    if not len(held):
        with pytest.raises(ValueError, match="no word occurs in least=1"):
            tr.diagnose(E, v, p, corpus, least=1)
        return
    found = tr.diagnose(E, v, p, corpus, shuffles=1, least=1)
    attention, logits = plain(corpus, E, v, p)
    table = found.table.set_index("word")
    order = corpus.vocabulary[held]
    # Sums of at most a few dozen numbers of order one.
    close = dict(rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(table.attention[order], corpus.mean_weights @ attention[:, held], **close)
    np.testing.assert_allclose(table.score[order], (E @ p)[held], **close)
    of = [corpus.class_names.index(name) for name in table["class"][order]] if corpus.num_classes > 2 else None
    values = (E @ v.T)[held]
    np.testing.assert_allclose(table.value[order], values if of is None else values[np.arange(len(held)), of], **close)
    chosen = (logits > 0) if corpus.num_classes == 2 else logits.argmax(axis=1)
    weights = np.ones(len(corpus)) if corpus.weights is None else corpus.weights
    assert found.accuracy == pytest.approx(np.average(chosen == corpus.labels, weights=weights))
    shares = [np.average(corpus.labels == k, weights=weights) for k in range(corpus.num_classes)]
    assert found.majority == pytest.approx(max(shares))


def test_without_attention_it_is_the_mean_that_judges(halves, trained):
    found, pooled = diagnosed(trained, halves[1]), tr.diagnose(trained.embeddings, trained.output_vector, None, halves[1])
    means = halves[1].shares @ trained.token_values
    assert found.accuracy_without_attention == pooled.accuracy
    assert pooled.accuracy == pytest.approx(np.mean((means > 0) == halves[1].labels))
    assert not pooled.table.score.any()
    assert pooled.attention.true == pytest.approx(1)  # the share of the tokens itself
    assert np.isnan(pooled.scores_follow.true)
    assert pooled.sentences[2].startswith("No attention")


@settings(max_examples=40, deadline=None)
@given(corpora(min_texts=2), st.integers(0, 99))
def test_z_is_that_of_all_permutations_of_the_labels(corpus, seed):
    corpus = corpus[:5]
    weights = np.ones(len(corpus)) if corpus.weights is None else corpus.weights
    weighted = corpus.counts.toarray() * weights[:, None]
    every = np.array(list(permutations(corpus.labels)))
    found = beyond_chance(corpus).reshape(corpus.vocab_size, -1)
    for column, k in enumerate([1] if corpus.num_classes == 2 else range(corpus.num_classes)):
        sums = (every == k).astype(float) @ weighted
        spread, moved = sums.std(axis=0), (corpus.labels == k) @ weighted - sums.mean(axis=0)
        sure = spread > 1e-9 * weighted.sum()
        # The variance is a difference of squares, so a millionth of its digits is left where it is small.
        np.testing.assert_allclose(found[sure, column], moved[sure] / spread[sure], rtol=1e-4, atol=1e-6)
        assert not found[~sure, column].any()


def test_correlations_are_of_the_words_that_stand_in_enough_texts(halves, trained):
    _, new = halves
    found = diagnosed(trained, new, least=95)
    enough = (new.counts > 0).sum(axis=0) >= 95
    assert 5 < enough.sum() < new.vocab_size
    assert set(found.table.word) == set(new.vocabulary[enough])
    skew = new.label_skew()[enough]
    expected = stats.spearmanr(skew, trained.token_values[enough]).statistic
    assert found.values_follow.true == pytest.approx(expected)
    assert np.isnan(found.scores_follow.true)
    assert not found.scores_follow.beyond
    assert "among words of equal frequency: too few words for a verdict" in found.sentences[2]


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_compared_with_leans_among_words_of_equal_frequency(classes):
    random = np.random.default_rng(0)
    labels = random.integers(0, classes, 900)
    rates = np.where(random.integers(0, classes + 1, 400) == labels[:, None], 0.6, 0.3) * random.uniform(0.2, 1, 400)
    counts = random.poisson(rates)
    names = ("no", "yes", "so so")[:classes]
    corpus = ts.Corpus(counts, labels if classes > 2 else 2 * labels - 1, [f"w{s}" for s in range(400)], names)
    E, p = random.standard_normal((400, 8)), random.standard_normal(8)
    found = tr.diagnose(E, np.ones((classes, 8)), p, corpus)
    shares = np.stack([counts[labels == k].sum(axis=0) for k in range(classes)]) / counts.sum(axis=0)
    lean = np.linalg.norm(shares - np.bincount(labels, counts.sum(axis=1))[:, None] / counts.sum(), axis=0)
    often = (counts > 0).sum(axis=0) >= 20
    assert 300 < often.sum() <= 400
    expected = correlation_at_equal(counts.sum(axis=0)[often], lean[often], (E @ p)[often])
    assert found.scores_follow.true == pytest.approx(expected, abs=1e-3)  # rounding may part ties


def leans(corpus, columns):
    """By how much every word's skew differs from that of all tokens of these words."""
    occurrences = corpus.counts.toarray()[:, columns]
    positive = occurrences[corpus.labels == 1].sum(axis=0) / occurrences.sum(axis=0)
    return abs(2 * positive - 2 * occurrences[corpus.labels == 1].sum() / occurrences.sum())


def predictive_words(found, corpus):
    """Which words `diagnose` takes to be predictive, told from its table."""
    columns = np.array([corpus.column(word) for word in found.table.word])
    chosen = columns[(abs(found.table.z) >= 2) & (leans(corpus, columns) >= 0.2)]
    return np.isin(np.arange(corpus.vocab_size), chosen)


def test_attention_is_weighed_by_what_words_lean(halves, trained):
    _, new = halves
    found = diagnosed(trained, new, least=1)
    held = np.flatnonzero(new.counts.sum(axis=0))
    attention, tokens = ts.attention(trained, new).mean(axis=0)[held], new.shares.mean(axis=0)[held]
    ratio = attention @ leans(new, held) / (tokens @ leans(new, held))
    assert found.attention.true == pytest.approx(ratio, rel=1e-5)  # ts.attention is float32 here
    rows = predictive_words(found, new)[held]
    assert 0 < rows.sum() < len(rows)
    assert found.shares == pytest.approx((attention[rows].sum(), tokens[rows].sum()), rel=1e-5)


def test_what_was_trained_follows_selects_and_is_not_small(halves, trained):
    found = diagnosed(trained, halves[1])
    assert found.values_follow.beyond
    assert found.attention.beyond
    assert not found.small
    assert found.accuracy > found.majority + 0.1
    assert [line.split(":")[0] for line in found.sentences[1:3]] == ["Values follow the skew", "Attention selects"]


def test_what_learnt_shuffled_labels_follows_nothing_and_is_not_small(halves):
    nothing = ts.train(ts.init_parameters(100, 32, seed=0), ts.shuffle_labels(halves[0], 0), steps=30).parameters
    found = diagnosed(nothing, halves[1])
    assert not found.values_follow.beyond
    assert not found.small
    assert "do not follow the skew beyond chance" in found.sentences[1]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_untrained_products_are_small_at_any_scale(halves, scale):
    start = ts.Parameters(*(scale * array for array in ts.init_parameters(100, 200, seed=1)))
    random = np.random.default_rng(0).standard_normal(200)
    found = tr.diagnose(start.embeddings, start.output_vector, random, halves[1])
    assert found.small
    assert "a sign of a poor model" in found.sentences[3]


def test_in_few_dimensions_nothing_is_called_small(halves):
    start = ts.init_parameters(100, 4, seed=1)
    assert not tr.diagnose(start.embeddings, start.output_vector, None, halves[1]).small


def test_sizes_are_root_mean_square_cosines(halves, trained):
    found = diagnosed(trained, halves[1], least=1)
    rows = predictive_words(found, halves[1])
    E = trained.embeddings / np.linalg.norm(trained.embeddings, axis=1, keepdims=True)
    for vector, sizes in ((trained.output_vector, found.value_sizes), (trained.cls_embedding, found.score_sizes)):
        cosines = E @ vector / np.linalg.norm(vector)
        expected = [np.sqrt(32 * np.mean(cosines[of] ** 2)) for of in (rows, ~rows)]
        np.testing.assert_allclose(sizes, expected, rtol=1e-5)  # computed here in float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_modules_and_tensors_are_taken_as_they_are(halves, dtype):
    torch.manual_seed(0)
    embedding, head = torch.nn.Embedding(100, 20, dtype=dtype), torch.nn.Linear(20, 2, dtype=dtype)
    query = torch.nn.Parameter(torch.randn(20, dtype=dtype))
    found = tr.diagnose(embedding, head, query, halves[1])
    rows = embedding.weight.detach().double().numpy()
    v, b = (each.detach().double().numpy() for each in (head.weight, head.bias))
    values = rows @ (v[1] - v[0]) + b[1] - b[0]
    by_word = dict(zip(halves[1].vocabulary, values))
    np.testing.assert_allclose(found.table.value, [by_word[word] for word in found.table.word], rtol=1e-12, atol=1e-12)
    assert tr.diagnose(embedding, torch.nn.Linear(20, 1, dtype=dtype), None, halves[1]).dim == 20


def test_several_classes_have_a_class_for_every_word():
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 600)
    rates = np.where(np.arange(60) % 4 == labels[:, None], 1.0, 0.3)  # every fourth word leans nowhere
    every = ts.Corpus(random.poisson(rates), labels, [f"word{s}" for s in range(60)], ("no", "so so", "yes"))
    learnt, new = every.split(0.5, seed=0)
    trained = ts.train(ts.init_parameters(60, 32, seed=0, num_classes=3), learnt, steps=20).parameters
    found = diagnosed(trained, new, shuffles=5)
    assert found.values_follow.beyond
    first = found.table.iloc[0]
    column = every.class_names.index(first["class"])
    assert first.value == pytest.approx(trained.token_values[every.column(first.word), column], rel=1e-4)  # float32
    assert first["skew"] == new.label_skew()[every.column(first.word), column]
    neutral = found.table[found.table.word.isin(every.vocabulary[3::4])]
    assert abs(neutral.z).mean() < abs(found.table.z).mean()


def test_a_class_without_a_text_is_left_out_of_the_mean():
    corpus = ts.Corpus([[2, 0, 1], [1, 0, 2], [0, 3, 1]], [0, 0, 1], list("abc"), ("no", "yes", "none"))
    heads = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 0.0]])
    assert tr.diagnose(np.eye(3), heads, None, corpus, least=1).values_follow.true == pytest.approx(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(E=np.zeros((59, 8))), r"have shapes \(59, 8\) and \(1, 8\), but the corpus has 100 words and 2 classes"),
        (dict(E=np.full((100, 8), np.nan)), "embeddings contains a number that is not finite"),
        (dict(v=np.ones((3, 8))), r"have shapes \(100, 8\) and \(3, 8\), but the corpus has 100 words and 2 classes"),
        (dict(least=10_000), "no word occurs in least=10000 of the 800 texts; lower least"),
    ],
)
def test_what_does_not_fit_is_named(halves, change, message):
    given = dict(E=np.ones((100, 8)), v=np.ones(8), p=np.ones(8)) | change
    with pytest.raises(ValueError, match=message):
        tr.diagnose(given["E"], given["v"], given["p"], halves[1], least=given.get("least", 5))


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 1e9])
def test_z_does_not_depend_on_the_unit_of_counts(halves, unit):
    whole, scaled = (beyond_chance(replace(halves[1], counts=halves[1].counts * unit)) for unit in (1, unit))
    assert np.abs(whole).max() > 3
    np.testing.assert_allclose(scaled, whole, rtol=1e-9)


def test_words_of_equal_z_keep_their_order():
    counts = np.tile([[1, 1], [0, 0], [1, 0], [0, 0]], 50)
    corpus = ts.Corpus(counts, [1, -1, 1, -1], list(range(100)))
    found = diagnosed(ts.init_parameters(100, 8, seed=0), corpus, least=1)
    assert found.table["word"].tolist() == [*range(0, 100, 2), *range(1, 100, 2)]


def test_words_are_escaped_where_they_are_shown():
    corpus = ts.corpus_from_texts(["<b>x</b> fine", "<b>x</b> fine", "dull", "dull"], [1, 1, -1, -1], tokenizer=str.split)
    shown = tr.diagnose(np.eye(3), np.arange(3.0), None, corpus, least=1)._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "<b>" not in shown


def test_it_tells_the_same_in_every_form(halves, trained):
    found = diagnosed(trained, halves[1])
    assert repr(found) == f"Diagnosis(800 texts, {len(found.table)} words, accuracy {found.accuracy:.3f})"
    assert str(found).splitlines()[:4] == found.sentences
    assert len(str(found).splitlines()) == 4 + 1 + 1 + SHOWN
    assert f"rank correlation {found.values_follow}" in str(found)
