"""The formula's parts against arrays and arithmetic; processes in small."""

import numpy as np
import pytest

import tokensel_nb as ts
from tokensel_nb.chapters import scale
from tokensel_nb.chapters.scale import Machine, Size, fitted, on_paper, predicted, size_of

RATES = [4e-9, 1e-8, 7e-8, 6e-4]


@pytest.fixture(scope="module")
def corpus():
    return ts.independent_tokens(400, 60, 12, 0.5, seed=0)


def random_sizes(number, seed):
    random = np.random.default_rng(seed)
    limits = (1e3, 1e5), (1e5, 1e7), (1e5, 1e7), (1e2, 1e4), (16, 2048), (2, 10)
    return [Size(*(int(10 ** random.uniform(*np.log10(each))) for each in limits)) for _ in range(number)]


def test_a_size_is_counted(corpus):
    size = size_of(corpus, 5)
    dense = corpus.counts.toarray()
    assert (size.texts, size.tokens, size.entries, size.words) == (400, dense.sum(), (dense > 0).sum(), dense.shape[1])
    assert (size.dim, size.classes, size.columns) == (5, 2, 2)
    assert size._replace(classes=5).columns == 6


def test_the_bytes_are_those_of_the_arrays(corpus):
    """Against arrays as they lie in memory: counts and columns twice; E, Adam's two means, and E once more; three written."""
    parameters = ts.init_parameters(corpus.vocab_size, 8, seed=0)
    counts = corpus.counts.indices.astype(np.int32).nbytes + corpus.counts.data.astype(np.float32).nbytes
    assert size_of(corpus, 8).bytes == 2 * counts + 7 * parameters.embeddings.nbytes


def test_the_operations_are_those_of_the_products(corpus):
    """Two an entry and column of a sparse product, forth and back, whatever the columns are."""
    for classes, columns in ((2, 2), (3, 4), (10, 11)):
        size = size_of(corpus, 8)._replace(classes=classes)
        products = 2 * 2 * corpus.counts.nnz * columns + 3 * 2 * corpus.vocab_size * 8 * columns
        assert size.operations == products + 12 * corpus.vocab_size * 8


def test_the_rates_of_an_exact_sum_are_found_and_foretell():
    sizes, others = random_sizes(30, 0), random_sizes(10, 1)
    rates = fitted(sizes, predicted(sizes, RATES))
    np.testing.assert_allclose(rates, RATES, rtol=1e-6)
    np.testing.assert_allclose(predicted(others, rates), predicted(others, RATES), rtol=1e-6)
    for features in (scale.RIVALS["texts alone"], scale.RIVALS["tokens alone"]):
        ratio = predicted(others, fitted(sizes, predicted(sizes, RATES), features), features) / predicted(others, RATES)
        assert np.maximum(ratio, 1 / ratio).max() > 2, "what depends on words and dimensions is not predicted by texts alone"


def test_a_resized_corpus_has_the_most_frequent_words_and_all_classes(corpus):
    found = scale.resized(corpus, 1000, 20, 4)
    assert (len(found), found.vocab_size, found.num_classes) == (1000, 20, 4)
    assert np.bincount(found.labels).tolist() == [250] * 4
    occurrences = corpus.counts.sum(axis=0)
    assert found[:400].counts.sum() == np.sort(occurrences)[-20:].sum()
    assert (found[400:800].counts != found[:400].counts).nnz == 0
    assert np.array_equal(scale.resized(corpus, 400, 60).labels, corpus.labels)


SIZE = Size(texts=10**6, tokens=2 * 10**8, entries=10**8, words=10**4, dim=64)
MACHINE = Machine(units=4, bandwidth=1e10, memory=1e9, feed=1e9, link=1e10)
PARTS = ("disk", "preparing", "counts", "embeddings", "network")


def test_a_step_on_paper_is_the_sum_of_its_parts():
    found = on_paper(SIZE, MACHINE, share=0.5)
    assert found["disk"] == found["preparing"] == 0
    assert 4 * found["counts"] + found["embeddings"] == pytest.approx(SIZE.bytes / (0.5 * 1e10))
    assert found["network"] == pytest.approx(2 * 3 / 4 * SIZE.exchanged / 1e10)
    assert on_paper(SIZE, MACHINE._replace(units=1), 0.5)["network"] == 0
    fed = on_paper(SIZE, MACHINE._replace(memory=1e8), 0.5, preparing=2e-8)
    assert (fed["disk"], fed["preparing"]) == pytest.approx((0.808, 0.5))
    for each in (found, fed):
        assert each["step"] == pytest.approx(sum(each[name] for name in PARTS))


def test_memory_on_paper_is_that_of_the_arrays_as_they_are_stored(corpus):
    counts, lengths = corpus.counts, np.zeros(len(corpus) + 1, np.int64)
    arrays = counts.indices.astype(np.int32), counts.data.astype(np.float32), lengths[1:]
    start = ts.init_parameters(corpus.vocab_size, 8, seed=0)
    found = on_paper(size_of(corpus, 8), MACHINE._replace(units=1), 0.5)
    assert found["memory"] == sum(array.nbytes for array in arrays) + 4 * start.embeddings.nbytes


@pytest.mark.parametrize("entry", [8, 12, 24])
def test_so_many_units_hold_the_counts_and_one_fewer_does_not(entry):
    enough = on_paper(SIZE, MACHINE._replace(memory=1e8), 0.5, entry)["enough"]
    for units in (enough - 1, enough):
        found = on_paper(SIZE, MACHINE._replace(memory=1e8, units=units), 0.5, entry)
        assert (found["memory"] <= 1e8) == (found["disk"] == 0) == (units == enough)
    assert on_paper(SIZE._replace(dim=4096), MACHINE._replace(memory=1e8), 0.5)["enough"] == np.inf, "E alone is too large"


@pytest.mark.long  # tests/training/test_distributed.py starts two processes, too
def test_two_processes_end_as_one_and_their_bytes_are_counted(corpus, tmp_path):
    ts.write_shards(tmp_path / "reviews.arrow", [corpus[:100], corpus[100:]])
    found = scale.torchrun(2, "train", tmp_path)
    start = ts.init_parameters(corpus.vocab_size, 16, seed=0, dtype="float64")
    alone = ts.train(start, corpus, scale.SAME_STEPS, evaluate_every=scale.SAME_STEPS).parameters
    assert scale.largest_difference(map(np.array, found["parameters"]), alone) < 1e-10
    assert sorted(found["sent"]) == [16] * 2 + [2 * size_of(corpus, 16).exchanged] * scale.SAME_STEPS
