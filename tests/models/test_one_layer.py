import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from strategies import corpora

from tokensel_nb import (
    Corpus,
    Parameters,
    attention,
    descend_,
    gradients,
    init_parameters,
    load_movie_reviews,
    logits,
    loss,
    score_gradients,
)
from tokensel_nb.textbook import textbook_gradients, textbook_logits, tokens_of

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def random_parameters(corpus, dim, seed, spread=1.0, dtype="float64"):
    """Parameters with p not zero: the scores spread over about ±``spread``."""
    start = init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype=dtype)
    cls_embedding = np.random.default_rng(seed + 1).standard_normal(dim).astype(dtype)
    largest = np.abs(start.embeddings @ cls_embedding).max()
    return replace(start, cls_embedding=cls_embedding * np.asarray(spread / largest, dtype))


def flat(parameters):
    return np.concatenate([np.asarray(torch.as_tensor(value).cpu()).ravel() for value in vars(parameters).values()])


def relative_error(found, wanted):
    """Error of the whole gradient, in the norm: ‖found - wanted‖ / ‖wanted‖."""
    return np.linalg.norm(flat(found) - flat(wanted)) / np.linalg.norm(flat(wanted))


# Two orders of summing a few hundred float64 numbers differ by some 1e-14; 1e-10 leaves room for cancellation.
@pytest.mark.parametrize("device", DEVICES)
@given(corpus=corpora(), dim=st.integers(5, 8), spread=st.sampled_from([0.1, 5.0, 599.0, 10_000.0]), seed=st.integers(0, 99))
def test_gradients_equal_autograd_on_ragged_corpora(device, corpus, dim, spread, seed):
    if not corpus.lengths.any():
        return  # no text holds a word: every gradient is exactly zero, checked below
    parameters = random_parameters(corpus, dim, seed, spread).to(device)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@given(corpus=corpora(), seed=st.integers(0, 99))
def test_a_weight_of_three_is_three_texts(corpus, seed):
    weights = np.random.default_rng(seed).integers(0, 4, len(corpus))
    if not weights.any():
        return
    weighted = replace(corpus, weights=weights)
    repeated = replace(corpus, weights=None)[np.repeat(np.arange(len(corpus)), weights)]
    parameters = random_parameters(corpus, 5, seed)
    assert loss(parameters, weighted) == pytest.approx(loss(parameters, repeated), rel=1e-12)
    np.testing.assert_allclose(flat(gradients(parameters, weighted)), flat(gradients(parameters, repeated)), atol=1e-14)
    np.testing.assert_allclose(weighted.signed_frequency(), repeated.signed_frequency(), atol=1e-14)
    np.testing.assert_allclose(weighted.label_skew(), repeated.label_skew(), atol=1e-14)


@pytest.mark.parametrize("weights", [[1, -1, 1], [0, 0, 0], [1, 1], [1, np.inf, 1]])
def test_weights_that_are_none(tiny, weights):
    with pytest.raises(ValueError, match="weights must be 3 finite numbers"):
        replace(tiny, weights=weights)


@pytest.mark.parametrize("spread", [1.0, 10_000.0])
def test_gradients_equal_autograd_on_imdb(imdb, spread):
    corpus = imdb[::125]
    parameters = random_parameters(corpus, 64, 0, spread)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


def test_gradients_equal_autograd_with_four_classes():
    corpus = load_movie_reviews()[::200]
    parameters = random_parameters(corpus, 32, 0)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@given(corpus=corpora(min_texts=2), seed=st.integers(0, 99))
def test_gradients_equal_finite_differences(corpus, seed):
    parameters = random_parameters(corpus, 6, seed, 2.0)
    direction = Parameters(*(np.random.default_rng(seed).standard_normal(value.shape) for value in vars(parameters).values()))

    def along(step):
        return loss(Parameters(*(a + step * b for a, b in zip(vars(parameters).values(), vars(direction).values()))), corpus)

    slope = flat(gradients(parameters, corpus)) @ flat(direction)
    # The central difference of step h errs by h² f'''/6 and by 1e-16/h: both below 1e-8 for h = 1e-5.
    assert abs((along(1e-5) - along(-1e-5)) / 2e-5 - slope) <= 1e-8 * max(1, np.abs(flat(direction)).max() ** 3)


@given(corpus=corpora(), spread=st.sampled_from([1.0, 599.0, 601.0, 10_000.0]), seed=st.integers(0, 99))
def test_logits_equal_the_textbook(corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    wanted = textbook_logits(*vars(parameters.to("cpu")).values(), tokens_of(corpus)).numpy()
    np.testing.assert_allclose(logits(parameters, corpus), wanted, atol=1e-11)


@given(corpus=corpora(), spread=st.sampled_from([1.0, 10_000.0]), seed=st.integers(0, 99))
def test_attention_is_a_distribution_that_gives_the_logits(corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    weights = attention(parameters, corpus)
    np.testing.assert_allclose(weights.sum(axis=1), corpus.lengths > 0, atol=1e-12)
    np.testing.assert_allclose(weights @ parameters.values, logits(parameters, corpus), atol=1e-12)
    assert (weights.data >= 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_two_ways_of_shifting_agree_at_the_border(imdb, dtype):
    """Just below the border one shift serves all rows, just above every row has its own: the results must meet."""
    corpus = imdb[:50]
    border = 60 if dtype == "float32" else 600
    unit = random_parameters(corpus, 16, 0, dtype=dtype)
    near = []
    for factor in (0.9999, 1.0001):
        cls_embedding = unit.cls_embedding * np.asarray(border * factor / np.ptp(unit.scores), dtype)
        near.append(gradients(replace(unit, cls_embedding=cls_embedding), corpus))
    assert np.isfinite(flat(near[0])).all()
    # The scores themselves differ by 2e-4 of 60 or 600, so the weights by as much as that.
    assert relative_error(near[1], near[0]) <= 2e-4 * border


def test_float32_is_as_close_to_float64_as_its_rounding_allows(imdb):
    corpus = imdb[:2000]
    exact = random_parameters(corpus, 64, 0, 20.0)
    single = Parameters(*(value.astype(np.float32) for value in vars(exact).values()))
    assert gradients(single, corpus).embeddings.dtype == np.float32
    # 60 roundings of 6e-8 each in a score of 20, then in its exponential.
    assert relative_error(gradients(single, corpus), gradients(exact, corpus)) <= 1e-4


def test_numpy_in_numpy_out_and_tensors_in_tensors_out(tiny):
    parameters = random_parameters(tiny, 4, 0)
    assert isinstance(logits(parameters, tiny), np.ndarray)
    assert isinstance(gradients(parameters, tiny).embeddings, np.ndarray)
    assert isinstance(logits(parameters.to("cpu"), tiny), torch.Tensor)
    assert isinstance(gradients(parameters.to("cpu"), tiny).embeddings, torch.Tensor)
    by_score, by_value = score_gradients(parameters.scores, parameters.values, tiny)
    assert isinstance(by_score, np.ndarray)
    np.testing.assert_allclose(parameters.embeddings.T @ by_score, gradients(parameters, tiny).cls_embedding, atol=1e-15)
    np.testing.assert_allclose(parameters.embeddings.T @ by_value, gradients(parameters, tiny).output_vector, atol=1e-15)


@given(corpus=corpora(), seed=st.integers(0, 99))
def test_descend_is_one_step_against_the_gradient(corpus, seed):
    before = random_parameters(corpus, 6, seed)
    step = gradients(before, corpus)
    after = before.to("cpu")
    after = Parameters(*(value.clone() for value in vars(after).values()))
    descend_(after, corpus, 0.3)
    np.testing.assert_allclose(flat(after), flat(before) - 0.3 * flat(step), atol=1e-13)


def test_descend_over_many_blocks_of_rows(imdb):
    """More rows than one block, and a number of them that the block does not divide."""
    corpus = imdb[:300]
    before = random_parameters(corpus, 8, 0)
    after = Parameters(*(value.clone() for value in vars(before.to("cpu")).values()))
    descend_(after, corpus, 0.5)
    np.testing.assert_allclose(flat(after), flat(before) - 0.5 * flat(gradients(before, corpus)), atol=1e-13)
    assert corpus.vocab_size % 64


def test_functions_leave_their_arguments_alone(tiny):
    parameters = random_parameters(tiny, 4, 0)
    before = flat(parameters).copy()
    gradients(parameters, tiny)
    logits(parameters, tiny)
    attention(parameters, tiny)
    assert (flat(parameters) == before).all()


def test_a_text_without_a_known_word_has_logit_zero_and_no_pull():
    corpus = Corpus(np.array([[0, 0], [1, 2]]), [1, -1], ["a", "b"])
    parameters = random_parameters(corpus, 4, 0)
    assert logits(parameters, corpus)[0] == 0
    alone = gradients(parameters, corpus[1:])
    np.testing.assert_allclose(flat(gradients(parameters, corpus)), flat(alone) / 2, atol=1e-15)
    nothing = gradients(parameters, corpus[:1])
    assert not flat(nothing).any()


def test_init_is_what_theory_starts_from():
    start = init_parameters(2000, 300, seed=5)
    assert start.embeddings.dtype == np.float32
    assert not start.cls_embedding.any()
    assert np.linalg.norm(start.output_vector) == pytest.approx(1, abs=1e-6)
    # 600,000 draws: their variance is 1/d within 6 standard errors, 6·sqrt(2/600000) = 1.1%.
    assert start.embeddings.var() * 300 == pytest.approx(1, rel=0.011)
    heads = init_parameters(20, 300, seed=5, num_classes=4, dtype="float64").output_vector
    np.testing.assert_allclose(heads @ heads.T, np.eye(4), atol=1e-14)
    assert (init_parameters(9, 4, seed=1).embeddings == init_parameters(9, 4, seed=1).embeddings).all()
    assert (init_parameters(9, 4, seed=1).embeddings != init_parameters(9, 4, seed=2).embeddings).any()


def test_a_corpus_that_goes_away_takes_its_tensors_along(tiny):
    corpus = tiny[:2]
    logits(random_parameters(corpus, 4, 0), corpus)
    watch = weakref.ref(corpus)
    del corpus
    gc.collect()
    assert watch() is None


def test_bad_input_gets_one_sentence(tiny):
    parameters = random_parameters(tiny, 4, 0)
    with pytest.raises(ValueError, match="embeddings has 2 rows, but the corpus has 3 words"):
        logits(replace(parameters, embeddings=parameters.embeddings[:2]), tiny)
    with pytest.raises(ValueError, match=r"cls_embedding has shape \(5,\)"):
        logits(replace(parameters, cls_embedding=np.zeros(5)), tiny)
    with pytest.raises(ValueError, match=r"output_vector has shape \(2, 4\)"):
        logits(replace(parameters, output_vector=np.zeros((2, 4))), tiny)
    with pytest.raises(ValueError, match="give float32 or float64"):
        logits(Parameters(*(torch.as_tensor(value).half() for value in vars(parameters).values())), tiny)
    with pytest.raises(ValueError, match="must be at least 1"):
        init_parameters(0, 4, 0)
    with pytest.raises(ValueError, match="above dim=2"):
        init_parameters(4, 2, 0, num_classes=3)


def test_repr_names_shapes(tiny):
    text = repr(random_parameters(tiny, 4, 0))
    assert text == "Parameters(E (3, 4), p (4,), v (4,); float64, numpy)"
