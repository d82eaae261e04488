import numpy as np
import pytest
from scipy import sparse

from tokensel_nb import Corpus, score_gradients
from tokensel_nb.model import classes_of_logits
from tokensel_report.objective import Attended, Objective, idf_scores


def corpus_of(num_classes, texts=60, words=8, seed=0):
    """Texts that each hold the word of their class twice among others, and <cls> once."""
    random = np.random.default_rng(seed)
    labels = np.arange(texts) % num_classes
    counts = random.poisson(0.7, (texts, words)).astype(float)
    counts[np.arange(texts), labels] += 2
    names = [*map(str, range(num_classes))]
    weights = random.uniform(0.5, 1.5, texts)
    return Corpus(np.column_stack([counts, np.ones(texts)]), labels, [*map(str, range(words)), "<cls>"], names, weights)


@pytest.mark.parametrize("num_classes", [2, 3])
def test_the_gradient_is_the_models(num_classes):
    corpus = corpus_of(num_classes)
    random = np.random.default_rng(1)
    size = corpus.vocab_size
    scores, values = random.normal(size=size), random.normal(size=(size, 1 if num_classes == 2 else num_classes))
    objective = Objective(corpus, idf_scores(corpus), attend=True)
    loss, by_score, by_value = objective._loss(scores.astype("float32"), values.astype("float32"))
    shaped = values[:, 0] if num_classes == 2 else values
    wanted = score_gradients(scores, shaped, corpus)
    # Sums of sixty terms in single precision.
    np.testing.assert_allclose(by_score, wanted[0], atol=1e-6)
    np.testing.assert_allclose(by_value.reshape(shaped.shape), wanted[1], atol=1e-6)
    assert loss == pytest.approx(Attended(scores, shaped).loss(corpus), abs=1e-6)


@pytest.mark.parametrize("num_classes", [2, 3])
def test_the_penalised_loss_gets_small(num_classes):
    corpus = corpus_of(num_classes)
    objective = Objective(corpus, idf_scores(corpus), attend=True)
    found = objective.minimise(objective.begin(), 0.1, 20)
    assert found.accuracy(corpus) > 0.9
    assert found.loss(corpus) < 0.5 * objective.begin().loss(corpus)
    stronger = objective.minimise(objective.begin(), 10.0, 20)
    assert np.abs(stronger.values[:-1]).max() < 0.5 * np.abs(found.values[:-1]).max()


def test_without_attention_scores_stay():
    corpus = corpus_of(2)
    start = np.zeros(corpus.vocab_size)
    objective = Objective(corpus, start, attend=False)
    found = objective.minimise(objective.begin(), 0.1, 10)
    np.testing.assert_array_equal(found.scores, start)
    assert found.loss(corpus) < objective.begin().loss(corpus)


@pytest.mark.parametrize("num_classes", [2, 3])
def test_at_the_start_every_text_has_the_shares_of_the_classes(num_classes):
    """In an empty text, where <cls> is alone."""
    corpus = corpus_of(num_classes)
    start = Objective(corpus, idf_scores(corpus), attend=True).begin()
    empty = Corpus(np.eye(corpus.vocab_size)[-1:], [0], corpus.vocabulary, corpus.class_names)
    logits = start.logits(empty)[0]
    shares = np.bincount(corpus.labels, corpus.mean_weights)
    logits = np.array([0, logits]) if num_classes == 2 else logits
    np.testing.assert_allclose(np.exp(logits) / np.exp(logits).sum(), shares, rtol=1e-6)  # they are kept in single precision


def test_idf_scores_make_attention_tf_idf():
    corpus = corpus_of(2)
    n = len(corpus)
    idf = 1 + np.log((1 + n) / (1 + (corpus.counts[:, :-1] > 0).sum(axis=0)))
    wanted = corpus.counts[:, :-1].toarray() * idf
    shares = Attended(idf_scores(corpus), np.zeros(corpus.vocab_size)).attention(corpus)[:, :-1].toarray()
    np.testing.assert_allclose(
        shares / shares.sum(axis=1, keepdims=True), wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_rows_of_attention_sum_to_one_however_far_apart_the_scores():
    corpus = corpus_of(2)
    scores = np.linspace(-2000, 2000, corpus.vocab_size)
    shares = Attended(scores, scores).attention(corpus)
    assert sparse.issparse(shares)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)


def test_the_likeliest_class():
    assert classes_of_logits(np.array([-1.0, 0.0, 2.0])).tolist() == [0, 0, 1]
    assert classes_of_logits(np.array([[0.0, 1.0, 0.5]])).tolist() == [1]
