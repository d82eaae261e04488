import numpy as np
import pytest

from experiments.two_heads import HeadParameters, Heads, compare
from tokensel_nb import Parameters, logits


def test_heads_add_up_to_one_layer_each(imdb):
    few, random = imdb[::500], np.random.default_rng(0)
    start = HeadParameters(*(random.standard_normal(array.shape) for array in Heads().start(few.vocab_size, 4, 0)))
    each = [logits(Parameters(start.embeddings, *one), few) for one in zip(start.queries, start.output_vectors)]
    np.testing.assert_allclose(logits(start, few, Heads()), sum(each), atol=1e-12)


def test_a_head_that_listens_to_one_side_is_told(imdb):
    half, other = imdb.split(0.5, seed=0)
    scores = np.nan_to_num(np.stack([other.label_skew(), -other.label_skew()]))
    found = compare(scores, scores, half, other)
    assert found["scores"] == pytest.approx(-1)
    assert found["side"] == pytest.approx([1, -1])
