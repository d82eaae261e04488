from dataclasses import replace

import numpy as np
import pytest
from helpers import after_one_step, corpora, small
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.distance import pdist

import tokensel_nb as ts
from tokensel_nb.selection import EPS

SELECTED = np.log(1e-12)


def corpus_of(texts, labels, **options):
    """A corpus whose words are called by their numbers."""
    return ts.Corpus(texts, labels, [f"word{s}" for s in range(np.shape(texts)[1])], **options)


def one_against(many, irrelevant):
    """One negative token against so many positive ones, each with the same irrelevant tokens beside it: the sharp example."""
    relevant = np.eye(many + 1, dtype=int)[[*range(many), *[many] * many]]
    texts = np.hstack([relevant, np.ones((2 * many, irrelevant), int)])
    return corpus_of(texts, [1] * many + [-1] * many)


def at_start(many, irrelevant, kappa, depth):
    """The sharp example's parameters, with κ of the strong token as given, and that token asked for by -depth."""
    strong = np.sqrt(kappa / (1 - 1 / many))
    start = ts.rows_with_values([strong / many] * many + [-strong] + [0] * irrelevant)
    query = np.zeros(many + irrelevant + 2)
    query[many] = -depth
    return start._replace(cls_embedding=query)


@st.composite
def assumed(draw):
    """Small corpora with one relevant token a text, of any counts, lengths and weights; values with κ ≤ 1; any start."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    relevant, irrelevant, texts = draw(st.integers(2, 5)), draw(st.integers(1, 5)), draw(st.integers(2, 6))
    chosen = np.r_[0, 1, random.integers(0, relevant, texts)]  # both labels occur
    counts = np.zeros((len(chosen), relevant + irrelevant), int)
    counts[np.arange(len(chosen)), chosen] = random.integers(1, 4, len(chosen))
    counts[:, relevant:] = random.poisson(1.0, (len(chosen), irrelevant))
    counts[:2, relevant:] += 1  # irrelevant: in texts of either label
    counts[:, -1] += 1
    labels = np.where(chosen % 2, 1, -1)
    corpus = corpus_of(counts, labels, weights=random.exponential(size=len(chosen)) + 0.05)
    values = np.zeros(relevant + irrelevant)
    values[:relevant] = np.where(np.arange(relevant) % 2, 1, -1) * random.exponential(size=relevant).clip(0.2, 5)
    largest = np.nanmax(ts.competition(values, corpus))
    values *= min(1, np.sqrt(1 / largest)) if largest else 1
    spread = draw(st.sampled_from([0.0, 3.0, 10.0]))
    query = spread * random.standard_normal(len(values) + 1)
    return corpus, ts.rows_with_values(values)._replace(cls_embedding=query)


@given(corpora(classes=(2,)), st.integers(0, 2**32 - 1), st.sampled_from([0.0, -0.7]))
def test_competition_is_the_sum_of_its_definition(corpus, seed, irrelevant):
    labels = ts.complete_tokens(corpus)
    sizes = np.random.default_rng(seed).exponential(size=len(labels)) + 0.1
    found = ts.competition(irrelevant + labels * sizes, corpus, irrelevant)
    for token, label in enumerate(labels):
        others = [s for s in range(len(labels)) if label and labels[s] == -label]
        wanted = sum(sizes[s] * max(sizes[token] - sizes[s], 0) for s in others)
        np.testing.assert_allclose(found[token], wanted if label else np.nan, rtol=1e-9, atol=1e-12)


def test_a_value_that_speaks_against_its_label_is_refused():
    for function in (ts.competition, ts.head_growth):
        for value in (0.5, np.nan):
            with pytest.raises(ValueError, match="'bad' speaks against"):
                function([1.0, value, 0.0], ts.Corpus([[1, 0, 1], [0, 1, 1]], [1, -1], ["good", "bad", "film"]))


@settings(max_examples=20)
@given(assumed())
def test_with_competition_up_to_one_every_start_selects(drawn):
    """The theorem: κ ≤ 1, any counts, lengths, weights and starts; the end of a long path is certified, and lies along p*."""
    corpus, start = drawn
    path = ts.gradient_flow(start, corpus, 1e5, records=2, tolerance=1e-6)
    assert path.stopped == "the end"
    assert ts.selection_certificate(start, corpus).room(path.cls_embedding) > 0
    assert path.log_missed[-1] < SELECTED
    assert path.distance_to(ts.max_margin(start.embeddings, corpus).direction)[-1] < 1e-5


@pytest.mark.parametrize(("many", "irrelevant"), [(2, 10), (2, 40), (3, 60)])
def test_the_bound_on_the_competition_is_sharp(many, irrelevant):
    """At κ = 1 the deepest start selects; five per cent above 1 + 2k/N it loses the strong token for ever."""
    border = 1 + 2 * many / irrelevant
    corpus = one_against(many, irrelevant)
    for kappa, selects in ((1.0, True), (1.05 * border, False)):
        start = at_start(many, irrelevant, kappa, depth=40.0)
        np.testing.assert_allclose(np.nanmax(ts.competition(start.token_values, corpus)), kappa)
        path = ts.gradient_flow(start, corpus, 1e4, records=2, tolerance=1e-6)
        assert (ts.selection_certificate(start, corpus).room(path.cls_embedding) > 0) == selects
        assert (path.log_missed[-1] < SELECTED) == selects


def product_error(products, corpus):
    """By how much the product of two D misses that of orthonormal rows."""
    r, s = ts.selected_pairs(corpus).T
    noise = products - np.eye(len(products))
    return max(np.abs(row[r] - row[s]).max() for row in noise[r] - noise[s])


def allowed_error(values, corpus):
    """The theorem's bound on it for values of any sizes: the largest ϑ with κ ≤ (1 - ϑm)/(1 + ϑm)."""
    labels, sizes = ts.complete_tokens(corpus), np.abs(values)
    smallest, bounds = sizes[labels != 0].min(), []
    for r in np.flatnonzero(labels):
        others = sizes[labels == -labels[r]]
        kappa = (others * np.maximum(sizes[r] - others, 0)).sum()
        load = (1 + ((sizes[r] + others) * (smallest + others)).sum()) / sizes[r] / smallest
        bounds.append((1 - kappa) / (1 + kappa) / load)
    return 0.999 * min(bounds)


@settings(max_examples=20)
@given(assumed(), st.integers(0, 2**32 - 1))
def test_rows_whose_products_err_a_little_select_from_every_start(drawn, seed):
    corpus, start = drawn
    values = np.sqrt(0.7) * start.token_values
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 2 * [len(values)])
    noise = np.triu(signs) + np.triu(signs, 1).T
    error = allowed_error(values, corpus)
    noise *= error / 4  # four products make one of two D
    rows = np.linalg.cholesky(np.eye(len(values)) + noise)
    assert product_error(rows @ rows.T, corpus) < error * (1 + 1e-9)
    start = start._replace(embeddings=np.column_stack([rows, values]))
    path = ts.gradient_flow(start, corpus, 1e5, records=2, tolerance=1e-6)
    assert path.stopped == "the end"
    assert ts.selection_certificate(start, corpus).room(path.cls_embedding) > 0
    assert path.log_missed[-1] < SELECTED
    assert path.distance_to(ts.max_margin(start.embeddings, corpus).direction)[-1] < 1e-5


def test_rows_need_not_be_independent():
    """A word beside every irrelevant one, with the same row and counts: the certificate is that of texts without it."""
    corpus, start = small()
    copied = np.r_[:16, np.flatnonzero(ts.complete_tokens(corpus) == 0)]
    twice = corpus_of(corpus.counts.toarray()[:, copied], corpus.labels)
    wide = start._replace(embeddings=start.embeddings[copied])
    found, certificate = ts.selection_certificate(start, corpus), ts.selection_certificate(wide, twice)
    assert not found.fails
    assert not certificate.fails
    np.testing.assert_allclose([certificate.threshold, certificate.lead], [found.threshold, found.lead], rtol=1e-12)


@pytest.mark.skipif(np.finfo(np.longdouble).eps >= EPS, reason="no floats more precise than float64")
@pytest.mark.parametrize("norm", [0.0, 3.0, 300.0])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-300])
def test_rounding_stays_within_its_bound(norm, scale):
    """Against the same sums in extended precision, for weights, repeated tokens counts of any size; nor is the bound idle."""
    random = np.random.default_rng(0)
    drawn = ts.one_relevant_token(24, 16, 5, 2, seed=0)
    start = after_one_step(drawn, 40, 40.0)
    corpus = replace(
        drawn, counts=drawn.counts * random.integers(1, 9, drawn.counts.shape) * scale, weights=random.exponential(size=24)
    )
    query = random.standard_normal(40)
    query *= norm / np.linalg.norm(query)
    rows, head = start.embeddings.astype(np.longdouble), start.output_vector.astype(np.longdouble)
    scores, values = rows @ query.astype(np.longdouble), rows @ head
    losses, weights = [], corpus.mean_weights.astype(np.longdouble)
    for text, label in zip(corpus.counts.toarray().astype(np.longdouble), corpus.signs):
        shares = text / text.max() * np.exp(scores - scores[text > 0].max())
        losses.append(np.log1p(np.exp(-label * (shares @ values) / shares.sum())))
    certificate = ts.selection_certificate(start, corpus)
    exact = certificate.threshold - weights @ np.array(losses)
    bound = certificate._rounding(norm)
    assert 0 < exact - certificate.room(query) < 2 * bound
    assert 0 < bound < 1e-8 * (1 + norm)


def test_a_text_that_is_lost_is_never_certified_however_small_its_counts():
    """Lost is the text that costs least, so that the loss tends to the threshold itself: only rounding can take it below."""
    both = np.hstack([np.eye(2, dtype=int), np.ones((2, 21), int)])
    values = np.r_[0.4, -0.4, -0.01, np.zeros(20)]
    start, kept = ts.rows_with_values(values), corpus_of(both * (np.arange(23) != 1), [1, -1])
    trap = ts.max_margin(start.embeddings, kept, np.array([0, 2])).direction
    for scale in (1.0, 1e-300):
        corpus, begin = corpus_of(both * scale, [1, -1]), start._replace(cls_embedding=40 * trap)
        path = ts.gradient_flow(begin, corpus, 1e4, records=20)
        assert path.log_missed[-1] > -1e-6
        assert ts.selection_certificate(start, corpus).certain_from(path) == np.inf


def test_gradient_descent_is_certified_as_well():
    """With steps below 2/β the loss falls; once it is certified, ts.attention goes on to close."""
    corpus = ts.one_relevant_token(12, 10, 4, 2, seed=0)
    start = after_one_step(corpus, 30, 20.0)
    held = [np.flatnonzero(text) for text in corpus.counts.toarray()]
    spans = np.array([np.ptp(start.token_values[words]) for words in held])
    apart = np.array([pdist(start.embeddings[words]).max() for words in held])
    assert 2.0 < 2 / (apart**2 * (spans / 4 + spans**2 / 64)).mean()
    certificate, points = ts.selection_certificate(start, corpus), [start]
    for _ in range(1500):
        query = points[-1].cls_embedding - 2.0 * ts.gradients(points[-1], corpus).cls_embedding
        points.append(start._replace(cls_embedding=query))
    rooms = np.array([certificate.room(point.cls_embedding) for point in points[::50]])
    held = [ts.attention(points[k], corpus).toarray()[:, ts.complete_tokens(corpus) != 0] for k in (0, -1)]
    assert (np.diff(rooms) > 0).all()
    assert rooms[0] < 0 < rooms[-1]
    assert held[0].sum(axis=1).min() < 0.5 < held[1].sum(axis=1).min()


def test_a_certificate_says_which_condition_fails():
    corpus = corpus_of([[1, 0, 1], [0, 1, 1]], [1, -1])
    rows, head = np.eye(3), np.array([1.0, -1.0, 0.0])
    assert not ts.selection_certificate(ts.Parameters(rows, np.zeros(3), head), corpus).fails
    in_plane = ts.Parameters(np.array([[1.0, 0.0], [-1.5, 1.0], [0.0, 0.0]]), np.zeros(2), np.array([1.0, 0.0]))
    assert not ts.selection_certificate(in_plane, corpus).fails
    several = ts.several_relevant_tokens(12, 10, 4, 2, per_text=2, seed=0)
    start = after_one_step(several, 30, 10.0)
    assert "exactly one relevant" in ts.selection_certificate(start, several).fails
    for width in (0.0, 1e-15):  # good - film and bad - film are opposite, or as good as that
        on_a_line = ts.Parameters(np.array([[1.0, width], [-1.0, width], [0.0, 0.0]]), np.zeros(2), np.array([1.0, 0.0]))
        assert "no query seems to select" in ts.selection_certificate(on_a_line, corpus).fails
    flat = ts.Parameters(np.ones((3, 2)), np.zeros(2), np.ones(2))
    assert "speaks as much" in ts.selection_certificate(flat, corpus).fails
    against = ts.selection_certificate(ts.Parameters(rows, np.zeros(3), np.array([1.0, -1.0, 1.0])), corpus)
    assert "speaks as much" in against.fails
    assert against.room(np.zeros(3)) == -np.inf
    alone = ts.Parameters(np.eye(2), np.zeros(2), np.array([1.0, -1.0]))
    assert "no text has a second" in ts.selection_certificate(alone, corpus_of([[1, 0], [0, 1]], [1, -1])).fails


@st.composite
def valued(draw):
    """A corpus with relevant tokens, and values that speak for their labels."""
    corpus = draw(corpora(classes=(2,)).filter(lambda corpus: ts.complete_tokens(corpus).any()))
    seed = draw(st.integers(0, 2**32 - 1))
    sizes = draw(st.sampled_from([0.1, 1.0, 10.0])) * np.random.default_rng(seed).exponential(size=corpus.vocab_size) + 1e-3
    return corpus, ts.complete_tokens(corpus) * sizes


@given(valued())
def test_competition_of_both_labels_is_the_sum_of_its_definition(drawn):
    corpus, values = drawn
    relevant = np.flatnonzero(values)
    wanted = [sum(abs(values[s]) * max(abs(values[r]) - abs(values[s]), 0) for s in relevant) for r in relevant]
    found = ts.competition(values, corpus, both_labels=True)
    np.testing.assert_allclose(found[relevant], wanted, rtol=1e-9, atol=1e-12)
    assert np.isnan(np.delete(found, relevant)).all()


@given(valued())
def test_how_fast_the_head_learns_is_what_the_shortest_head_gives(drawn):
    """The problem as it stands, min ‖v‖ with y E_r·v ≥ 1, by nonnegative least squares in Lawson and Hanson's form."""
    corpus, values = drawn
    relevant = np.flatnonzero(values)
    rows = np.sign(values[relevant, None]) * ts.rows_with_values(values).embeddings[relevant]
    columns, wanted = np.vstack([rows.T, np.ones(len(rows))]), np.eye(rows.shape[1] + 1)[-1]
    missed = wanted - columns @ nnls(columns, wanted)[0]
    found = ts.head_growth(values, corpus)
    np.testing.assert_allclose(found[relevant], rows @ missed[:-1] / -missed[-1], rtol=1e-6)  # nnls: 1e-10, over 1 / (1 + ‖v‖²)
    assert np.isnan(np.delete(found, relevant)).all()
    strengths = ts.competition(values, corpus, both_labels=True)[relevant]
    clear = np.abs(strengths - 1) > 1e-9
    assert ((found[relevant] > 1) == (strengths > 1))[clear].all()
