from itertools import islice

import numpy as np
import pytest
from helpers import corpora, each_dtype, each_kind, equal, kind_of, of_kind
from hypothesis import given
from hypothesis import strategies as st

import tokensel_nb as ts
from tokensel_nb.arrays import dtype_name, to_numpy
from tokensel_nb.textbook import textbook_gradients


def start_for(corpus, dim, seed, dtype="float64"):
    return ts.init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype=dtype)


def largest_relative(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max()


# The identity is exact; what is left is the rounding of sums of n terms, below 1e-13 of the largest value.
@given(
    corpus=corpora(), rate=st.sampled_from([1e-3, 1.0, 1e4]), scale=st.sampled_from([0.5, 1.0, 3.0]), seed=st.integers(0, 99)
)
def test_identity_on_ragged_corpora(corpus, rate, scale, seed):
    start = start_for(corpus, 7, seed)
    # The identity needs neither ‖v‖ = 1 nor orthogonal v_k.
    heads = np.random.default_rng(seed).standard_normal(start.output_vector.shape)
    start = start._replace(output_vector=scale * heads)
    stepped = ts.embedding_step(start, corpus, rate)
    assert largest_relative(stepped.token_values, ts.exact_values(start, corpus, rate)) <= 1e-12


def test_identity_on_all_of_imdb(imdb):
    start = start_for(imdb, 256, seed=0)
    assert largest_relative(ts.embedding_step(start, imdb, 2e4).token_values, ts.exact_values(start, imdb, 2e4)) <= 1e-12


def test_identity_with_four_classes():
    corpus = ts.load_movie_reviews()
    start = start_for(corpus, 128, seed=0)
    assert largest_relative(ts.embedding_step(start, corpus, 2e4).token_values, ts.exact_values(start, corpus, 2e4)) <= 1e-12


def test_the_prediction_is_what_remains_for_large_d(tiny):
    """On three texts d can be large enough that nothing but the signed share is left."""
    start = start_for(tiny, 400_000, seed=1)
    gap = np.abs(ts.embedding_step(start, tiny, 4.0).token_values - ts.predicted_values(tiny, 4.0)).max()
    # Each of three errors is a normal number of standard deviation below 1/sqrt(d) (1 + η₀/4): five of them are 0.016.
    assert gap <= 5 * 2 / np.sqrt(400_000)


def test_prediction_for_classes_by_hand():
    corpus = ts.Corpus(np.array([[1, 1], [0, 2], [3, 1]]), [0, 1, 2], ["a", "b"])
    wanted = np.zeros((2, 3))
    for counts, label in zip([[1, 1], [0, 2], [3, 1]], [0, 1, 2]):
        for k in range(3):
            for s in range(2):
                weight = 2 / 3 if k == label else -1 / 3  # (K-1)/K and -1/K, as the paper writes it
                wanted[s, k] += 5.0 * weight * counts[s] / sum(counts) / 3
    np.testing.assert_allclose(ts.predicted_values(corpus, 5.0), wanted, atol=1e-14)


def test_predicted_scores_by_the_limit_written_out(tiny):
    """Orthonormal rows, orthogonal to v, make the limit exact at finite d, up to E⁰_s·v = 0."""
    start = start_for(tiny, 4, seed=0)
    start = start._replace(embeddings=np.eye(4)[:3], output_vector=np.eye(4)[3])
    stepped = ts.cls_step(ts.embedding_step(start, tiny, 3.0), tiny, 2.0)
    np.testing.assert_allclose(stepped.token_values, ts.predicted_values(tiny, 3.0), atol=1e-14)
    np.testing.assert_allclose(stepped.token_scores, ts.predicted_scores(tiny, 3.0, 2.0), atol=1e-14)


@given(corpus=corpora(), seed=st.integers(0, 99))
def test_steps_from_anywhere_follow_the_gradient(corpus, seed):
    """From p ≠ 0 every part of the gradient matters: attention that is not uniform, and the term (∂L/∂a) pᵀ."""
    start = start_for(corpus, 7, seed)
    start = start._replace(cls_embedding=np.random.default_rng(seed).standard_normal(7))
    wanted = textbook_gradients(start, corpus)
    for step, name in ((ts.embedding_step, "embeddings"), (ts.cls_step, "cls_embedding")):
        found = step(start, corpus, 2.0)
        moved = getattr(start, name) - 2 * getattr(wanted, name)
        np.testing.assert_allclose(getattr(found, name), moved, atol=1e-13)
        assert equal(found._replace(**{name: getattr(start, name)}), start)  # nothing else moves


@each_kind
@each_dtype
@given(corpus=corpora(), seed=st.integers(0, 99))
def test_everything_keeps_kind_and_dtype_and_leaves_its_input(kind, dtype, corpus, seed):
    start = start_for(corpus, 7, seed, dtype)
    given_ = of_kind(ts.Parameters(*map(np.copy, start)), kind)
    away = given_._replace(cls_embedding=given_.cls_embedding + 0.1)
    exact = ts.Parameters(*(array.astype("float64") for array in start))
    from_ = exact._replace(cls_embedding=exact.cls_embedding + np.asarray(0.1, dtype))
    found, wanted = (
        {
            "embeddings": ts.embedding_step(moved, corpus, 2.0).embeddings,
            "cls_embedding": ts.cls_step(moved, corpus, 2.0).cls_embedding,
            "values": ts.exact_values(at_zero, corpus, 2.0),
            "by Adam": ts.adam_values(at_zero, corpus, 2.0, epsilon=1e-3),
        }
        for at_zero, moved in ((given_, away), (exact, from_))
    )
    for name, array in found.items():
        formula = name in ("values", "by Adam")  # in float64, by numpy
        assert kind_of(array) == ("numpy" if formula else kind)
        assert dtype_name(array) == ("float64" if formula else dtype)
        rounding = {"float32": 1e-5, "float64": 1e-11}[dtype]  # sums of a few numbers of order ten at most
        np.testing.assert_allclose(to_numpy(array), wanted[name], atol=rounding)
    assert equal(given_, start)


def test_the_formulas_refuse_a_start_where_they_do_not_hold(tiny):
    start = start_for(tiny, 4, 0)._replace(cls_embedding=np.ones(4))
    for formula in (ts.exact_values, ts.adam_values):
        for given_ in (start, ts.to_device(start, "cpu")):
            with pytest.raises(ValueError, match="give p = 0"):
                formula(given_, tiny, 1.0)


@given(corpus=corpora(min_texts=2), dim=st.integers(5, 9), seed=st.integers(0, 99))
def test_adams_first_step_is_that_of_the_optimizer(corpus, dim, seed):
    start = ts.init_parameters(corpus.vocab_size, dim, seed, num_classes=corpus.num_classes, dtype="float64")
    _, (_, stepped, _) = islice(ts.descent(start, corpus, trained=["embeddings"], learning_rate=0.3), 2)
    # Where G is near ε its own rounding, 1e-17 or so, matters: 1e-9 of a step.
    np.testing.assert_allclose(stepped.token_values, ts.adam_values(start, corpus, 0.3), atol=1e-8)


@given(corpora())
def test_profiles_have_length_one_and_sum_zero(corpus):
    profile, share = ts.class_profile(corpus), corpus.signed_share()
    if corpus.num_classes == 2:
        assert np.array_equal(profile, np.sign(share))
        return
    leaning = np.linalg.norm(share, axis=1) > 0
    np.testing.assert_allclose(np.linalg.norm(profile[leaning], axis=1), 1)
    np.testing.assert_allclose(profile.sum(axis=1), 0, atol=1e-6)  # rounding of a share over a share that may be tiny
    assert not profile[~leaning].any()
    np.testing.assert_allclose(profile * np.linalg.norm(share, axis=1, keepdims=True), share, atol=1e-15)


def test_adams_first_step_reads_the_profile_up_to_an_error_of_order_one():
    """The mean square of the rest in `prop-adam-classes`, over random orthonormal heads, for sizes where d is not large."""
    random = np.random.default_rng(0)
    for dim, classes in ((8, 3), (64, 4)):
        pulls = random.standard_normal(classes)
        pulls /= np.linalg.norm(pulls)
        errors = []
        for _ in range(4000):
            heads = np.linalg.qr(random.standard_normal((dim, classes)))[0].T
            errors.append(heads @ np.sign(pulls @ heads) - np.sqrt(2 * dim / np.pi) * pulls)
        mean_square = np.mean(np.square(errors), axis=0)
        # 4,000 draws of a number of order one: three standard errors are below 0.03.
        assert (mean_square <= 1 - 2 / np.pi + 0.03).all()
        assert mean_square.max() >= 0.2, "an error far below the bound would mean that the test looks at nothing"


def test_the_null_spreads_as_predicted():
    corpus = ts.independent_tokens(400, 40, 12, 0.5, seed=0)
    null = ts.measure_one_step(corpus, dim=512, learning_rate=300.0, shuffles=400).null
    assert null.std() == pytest.approx(ts.null_spread(corpus, 512, 300.0), rel=0.1)


def test_a_null_that_is_not_around_zero_is_refused():
    """With many more positive texts, shuffled labels move common words as true ones do."""
    corpus = ts.independent_tokens(400, 40, 12, 0.5, seed=0)
    lopsided = corpus[(corpus.labels == 1) | (np.arange(400) % 4 == 0)]
    assert ts.measure_one_step(lopsided, dim=512, learning_rate=300.0, shuffles=10).null.min() > 0.3
    slightly = corpus[np.setdiff1d(np.arange(400), np.flatnonzero(corpus.labels == 0)[:40])]
    assert ts.measure_one_step(slightly, dim=512, learning_rate=300.0, shuffles=200).null.mean() > 0.05
    for off in (lopsided, slightly):
        with pytest.raises(ValueError, match="classes of unequal size"):
            ts.null_spread(off, 512, 300.0)
        assert ts.null_spread(off.balanced(seed=0), 512, 300.0) > 0.1
