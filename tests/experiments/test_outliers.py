import numpy as np
import pytest

from experiments import outliers
from tokensel_nb import independent_tokens


@pytest.fixture(scope="module")
def corpus():
    return independent_tokens(60, 12, 9, 0.5, seed=0)


def test_features_are_those_of_plain_loops(corpus):
    skew, counts = np.nan_to_num(corpus.label_skew()), corpus.counts.toarray()
    found = outliers.features(corpus, np.arange(12))
    for word in range(12):
        shares = counts[:, word] / corpus.lengths
        inside = counts[:, word] > 0
        others = (counts @ skew - counts[:, word] * skew[word]) / corpus.lengths
        assert found["texts"][word] == pytest.approx(np.log(inside.sum()))
        assert found["per text"][word] == pytest.approx(np.log(counts[inside, word].mean()))
        assert found["variance"][word] == pytest.approx(np.log(counts[:, word].var() / counts[:, word].mean()))
        assert found["share"][word] == pytest.approx(shares @ corpus.signs / shares.sum() - skew[word])
        assert found["company"][word] == pytest.approx(shares @ others / shares.sum())


def test_what_makes_words_stray_is_foreseen_and_permuted_features_foresee_nothing():
    random = np.random.default_rng(0)
    skew, found = random.uniform(-1, 1, 400), {}
    found |= {name: random.normal(size=400) for group in outliers.GROUPS.values() for name in group}
    strays = found["share"] - 0.5 * found["company"]
    of = outliers.foreseen(found, skew, strays, np.random.default_rng(1))
    assert of["all"] > 0.99 > of["alone"]["share"] > 0.6 > of["without"]["share"]
    assert of["coefficients"]["company"] < 0 < of["coefficients"]["share"]
    mixed = outliers.permuted(found, random.uniform(size=400), random)
    assert outliers.foreseen(mixed, skew, strays, np.random.default_rng(1))["all"] < 0.1
    assert sorted(mixed["share"]) == sorted(found["share"])
