from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers import (
    corpora,
    each_dtype,
    each_kind,
    flat,
    kind_of,
    of_kind,
    random_parameters,
    relative_error,
)
from hypothesis import given
from hypothesis import strategies as st
from tokensel_nb.models.textbook import textbook_gradients, textbook_logits, tokens_of
from tokensel_nb.support.arrays import to_numpy

from tokensel_nb import (
    Corpus,
    OneLayer,
    Parameters,
    accuracy,
    attention,
    descend_,
    gradients,
    init_parameters,
    load_movie_reviews,
    logits,
    loss,
    score_gradients,
)


# Two orders of summing a few hundred float64 numbers differ by some 1e-14; 1e-10 leaves room for cancellation.
@each_kind
@given(corpus=corpora(), dim=st.integers(5, 8), spread=st.sampled_from([0.1, 5.0, 599.0, 10_000.0]), seed=st.integers(0, 99))
def test_gradients_equal_autograd_on_ragged_corpora(kind, corpus, dim, spread, seed):
    if not corpus.lengths.any():
        return  # no text holds a word: every gradient is exactly zero, checked below
    parameters = of_kind(random_parameters(corpus, dim, seed, spread), kind)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@each_kind
@given(corpus=corpora(), dim=st.integers(5, 8), spread=st.sampled_from([0.1, 5.0, 59.0, 500.0]), seed=st.integers(0, 99))
def test_float32_gradients_follow_float64_on_ragged_corpora(kind, corpus, dim, spread, seed):
    """The error of a score of size 59 is 4e-6, and so is that of its exponential, relative; sums may cancel to a hundredth."""
    exact = random_parameters(corpus, dim, seed, spread).map(lambda array: array.astype("float32").astype("float64"))
    found, wanted = gradients(of_kind(exact.map(lambda a: a.astype("float32")), kind), corpus), gradients(exact, corpus)
    scale = np.abs(flat(wanted)).max()
    np.testing.assert_allclose(flat(found), flat(wanted), atol=1e-6 * max(spread, 1) * max(scale, 1), rtol=1e-5)


@each_kind
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_a_weight_of_three_is_three_texts(kind, corpus, seed):
    weights = np.random.default_rng(seed).integers(0, 4, len(corpus))
    if not weights.any():
        return
    weighted = replace(corpus, weights=weights)
    repeated = replace(corpus, weights=None)[np.repeat(np.arange(len(corpus)), weights)]
    parameters = of_kind(random_parameters(corpus, 5, seed), kind)
    assert loss(parameters, weighted) == pytest.approx(loss(parameters, repeated), rel=1e-12)
    assert accuracy(parameters, weighted) == pytest.approx(accuracy(parameters, repeated), rel=1e-12)
    np.testing.assert_allclose(flat(gradients(parameters, weighted)), flat(gradients(parameters, repeated)), atol=1e-14)
    np.testing.assert_allclose(weighted.signed_frequency(), repeated.signed_frequency(), atol=1e-14)
    np.testing.assert_allclose(weighted.label_skew(), repeated.label_skew(), atol=1e-14)


@each_kind
@pytest.mark.parametrize("spread", [1.0, 10_000.0])
def test_gradients_equal_autograd_on_imdb(imdb, kind, spread):
    corpus = imdb[::125]
    parameters = of_kind(random_parameters(corpus, 64, 0, spread), kind)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@pytest.fixture(scope="module")
def four_classes():
    return load_movie_reviews()[::200]


@each_kind
def test_gradients_equal_autograd_with_four_classes(four_classes, kind):
    corpus = four_classes
    parameters = of_kind(random_parameters(corpus, 32, 0), kind)
    assert relative_error(gradients(parameters, corpus), textbook_gradients(parameters, corpus)) <= 1e-10


@given(corpus=corpora(min_texts=2), seed=st.integers(0, 99))
def test_gradients_equal_finite_differences(corpus, seed):
    parameters = random_parameters(corpus, 6, seed, 2.0)
    random = np.random.default_rng(seed)
    direction = parameters.map(lambda array: random.standard_normal(array.shape))

    def along(step):
        pairs = zip(parameters.arrays().values(), direction.arrays().values())
        return loss(Parameters(*(start + step * way for start, way in pairs)), corpus)

    slope = flat(gradients(parameters, corpus)) @ flat(direction)
    # The central difference of step h errs by h² f'''/6 and by 1e-16/h: both below 1e-8 for h = 1e-5.
    assert abs((along(1e-5) - along(-1e-5)) / 2e-5 - slope) <= 1e-8 * max(1, np.abs(flat(direction)).max() ** 3)


@each_kind
@given(corpus=corpora(), spread=st.sampled_from([1.0, 599.0, 601.0, 10_000.0]), seed=st.integers(0, 99))
def test_logits_equal_the_textbook(kind, corpus, spread, seed):
    parameters = random_parameters(corpus, 6, seed, spread)
    wanted = textbook_logits(*parameters.to("cpu").arrays().values(), tokens_of(corpus)).numpy()
    np.testing.assert_allclose(to_numpy(logits(of_kind(parameters, kind), corpus)), wanted, atol=1e-11)


@each_kind
@given(corpus=corpora(), spread=st.sampled_from([1.0, 10_000.0]), seed=st.integers(0, 99))
def test_attention_is_a_distribution_that_gives_the_logits(kind, corpus, spread, seed):
    parameters = of_kind(random_parameters(corpus, 6, seed, spread), kind)
    weights = attention(parameters, corpus)
    np.testing.assert_allclose(weights.sum(axis=1), corpus.lengths > 0, atol=1e-12)
    np.testing.assert_allclose(weights @ to_numpy(parameters.token_values), to_numpy(logits(parameters, corpus)), atol=1e-12)
    assert (weights.data >= 0).all()


@each_kind
@each_dtype
def test_the_two_ways_of_shifting_agree_at_the_border(imdb, kind, dtype):
    """Just below the border one shift serves all rows, just above every row has its own: the results must meet."""
    corpus = imdb[:50]
    border = 60 if dtype == "float32" else 600
    unit = random_parameters(corpus, 16, 0, dtype=dtype)
    near = []
    for factor in (0.9999, 1.0001):
        cls_embedding = unit.cls_embedding * np.asarray(border * factor / np.ptp(unit.token_scores), dtype)
        near.append(gradients(of_kind(replace(unit, cls_embedding=cls_embedding), kind), corpus))
    assert np.isfinite(flat(near[0])).all()
    # The scores themselves differ by 2e-4 of 60 or 600, so the weights by as much as that.
    assert relative_error(near[1], near[0]) <= 2e-4 * border


@each_kind
def test_float32_is_as_close_to_float64_as_its_rounding_allows(imdb, kind):
    corpus = imdb[:2000]
    exact = random_parameters(corpus, 64, 0, 20.0)
    single = of_kind(exact.map(lambda value: value.astype(np.float32)), kind)
    assert gradients(single, corpus).numpy().embeddings.dtype == np.float32
    # 60 roundings of 6e-8 each in a score of 20, then in its exponential.
    assert relative_error(gradients(single, corpus), gradients(exact, corpus)) <= 1e-4


@each_kind
@each_dtype
@pytest.mark.parametrize("num_classes", [2, 3])
def test_results_are_of_the_kind_and_dtype_that_was_given(kind, dtype, num_classes):
    corpus = Corpus(np.eye(3, dtype=int), [0, 1, num_classes - 1], list("abc"), tuple("xyz"[:num_classes]))
    parameters = of_kind(random_parameters(corpus, 4, 0, dtype=dtype), kind)
    found = gradients(parameters, corpus)
    by_score, by_value = score_gradients(parameters.token_scores, parameters.token_values, corpus)
    for array in (logits(parameters, corpus), *found.arrays().values(), by_score, by_value):
        assert kind_of(array) == kind
        assert to_numpy(array).dtype == dtype
    assert type(found) is Parameters
    assert attention(parameters, corpus).dtype == dtype
    assert type(loss(parameters, corpus)) is type(accuracy(parameters, corpus)) is float
    rounding = 100 * np.finfo(dtype).eps
    E = to_numpy(parameters.embeddings)
    np.testing.assert_allclose(E.T @ to_numpy(by_score), to_numpy(found.cls_embedding), atol=rounding)
    np.testing.assert_allclose((E.T @ to_numpy(by_value)).T, to_numpy(found.output_vector), atol=rounding)


@each_kind
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_descend_is_one_step_against_the_gradient(kind, corpus, seed):
    before = random_parameters(corpus, 6, seed)
    step = gradients(before, corpus)
    after = of_kind(before.map(np.copy), kind)
    assert descend_(after, corpus, 0.3) is None
    np.testing.assert_allclose(flat(after), flat(before) - 0.3 * flat(step), atol=1e-13)


@each_kind
def test_descend_over_many_blocks_of_rows(imdb, kind):
    """More rows than one block, and a number of them that the block does not divide."""
    corpus = imdb[:300]
    before = random_parameters(corpus, 8, 0)
    after = of_kind(before.map(np.copy), kind)
    descend_(after, corpus, 0.5)
    np.testing.assert_allclose(flat(after), flat(before) - 0.5 * flat(gradients(before, corpus)), atol=1e-13)
    assert corpus.vocab_size % 64


@pytest.mark.parametrize("reason", ["broadcast", "read only"])
def test_descend_says_why_an_array_cannot_be_changed(tiny, reason):
    fixed = np.broadcast_to(1.0, 4) if reason == "broadcast" else np.ones(4)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match=f"output_vector is {reason} and cannot be changed in place"):
        descend_(replace(random_parameters(tiny, 4, 0), output_vector=fixed), tiny, 0.3)


@each_kind
def test_functions_leave_their_arguments_alone(tiny, kind):
    parameters = of_kind(random_parameters(tiny, 4, 0), kind)
    before = flat(parameters).copy()
    gradients(parameters, tiny)
    logits(parameters, tiny)
    attention(parameters, tiny)
    loss(parameters, tiny)
    assert (flat(parameters) == before).all()


@each_kind
def test_a_text_without_a_known_word_has_logit_zero_and_no_pull(kind):
    corpus = Corpus(np.array([[0, 0], [1, 2]]), [1, -1], ["a", "b"])
    parameters = of_kind(random_parameters(corpus, 4, 0), kind)
    assert logits(parameters, corpus)[0] == 0
    assert attention(parameters, corpus).sum(axis=1).round(12).tolist() == [0, 1]
    alone = gradients(parameters, corpus[1:])
    np.testing.assert_allclose(flat(gradients(parameters, corpus)), flat(alone) / 2, atol=1e-15)
    nothing = gradients(parameters, corpus[:1])
    assert not flat(nothing).any()


@each_kind
@each_dtype
@pytest.mark.parametrize("num_classes", [2, 3])
def test_a_logit_of_zero_predicts_the_first_class(kind, dtype, num_classes):
    """Of texts without a known word, and of words that pull nowhere: the answer must not depend on the kind of array."""
    counts, labels = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 0]], [0, 0, 1, num_classes - 1, 1]
    corpus = Corpus(counts, labels, ["a", "b"], tuple("xyz"[:num_classes]), weights=[1, 2, 4, 8, 16])
    nowhere = of_kind(init_parameters(2, 4, 0, num_classes=num_classes, dtype=dtype).map(np.zeros_like), kind)
    assert not to_numpy(logits(nowhere, corpus)).any()
    assert accuracy(nowhere, corpus) == pytest.approx(3 / 31, abs=1e-15)
    assert loss(nowhere, corpus) == pytest.approx(np.log(num_classes), rel=1e-6)
    turned = replace(corpus, labels=[1, 1, 0, 0, 0])
    assert accuracy(nowhere, turned) == pytest.approx(28 / 31, abs=1e-15)


@each_kind
def test_loss_and_accuracy_by_hand(tiny, kind):
    parameters = of_kind(random_parameters(tiny, 4, 0), kind)
    found, signs = to_numpy(logits(parameters, tiny)), np.array([1, -1, 1])
    assert loss(parameters, tiny) == pytest.approx(np.mean(np.log1p(np.exp(-signs * found))), rel=1e-14)
    assert accuracy(parameters, tiny) == pytest.approx(np.mean((found > 0) == (signs > 0)), rel=1e-14)
    assert OneLayer().loss(parameters, tiny) == loss(parameters, tiny)


@each_kind
def test_a_logit_far_out_loses_what_it_is_worth(kind):
    """log(1 + exp(1000)) is 1000, and log(1 + exp(-1000)) no less than zero."""
    corpus = Corpus(np.eye(2), [1, -1], ["a", "b"])
    E, v = np.array([[-1000.0], [-1000.0]]), np.ones(1)
    assert loss(of_kind(Parameters(E, np.zeros(1), v), kind), corpus) == 500
    three = Corpus(np.eye(3), [0, 1, 2], list("abc"))
    far = of_kind(Parameters(1000 * np.eye(3), np.zeros(3), -np.eye(3)), kind)
    assert loss(far, three) == pytest.approx(1000 + np.log(2), rel=1e-12)


def test_bad_input_gets_one_sentence(tiny):
    parameters = random_parameters(tiny, 4, 0)
    with pytest.raises(ValueError, match="embeddings has 2 rows, but the corpus has 3 words"):
        logits(replace(parameters, embeddings=parameters.embeddings[:2]), tiny)
    with pytest.raises(ValueError, match=r"cls_embedding has shape \(5,\)"):
        logits(replace(parameters, cls_embedding=np.zeros(5)), tiny)
    with pytest.raises(ValueError, match=r"output_vector has shape \(2, 4\)"):
        logits(replace(parameters, output_vector=np.zeros((2, 4))), tiny)
    with pytest.raises(ValueError, match="give float32 or float64"):
        logits(parameters.map(lambda value: torch.as_tensor(value).half()), tiny)
    with pytest.raises(
        ValueError, match="cls_embedding is float64, numpy, but embeddings is float32, numpy; give all arrays alike"
    ):
        replace(parameters, embeddings=parameters.embeddings.astype("float32"))
    for verb in (gradients, attention, loss, accuracy, lambda *both: descend_(*both, 0.1)):
        with pytest.raises(ValueError, match="embeddings has 3 rows, but the corpus has 2 words"):
            verb(parameters, Corpus(tiny.counts[:, :2], tiny.labels, ["a", "b"]))
