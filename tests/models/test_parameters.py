from dataclasses import dataclass

import numpy as np
import pytest
import torch
from helpers import each_dtype, each_kind, equal, flat, kind_of, random_parameters

from tokensel_nb import KeyQueryParameters, MLPParameters, NamedArrays, Parameters, init_parameters


@dataclass(frozen=True, eq=False, repr=False)
class Pair(NamedArrays):
    one: np.ndarray
    other: np.ndarray


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


def test_sizes_out_of_range():
    with pytest.raises(ValueError, match="give a whole number of at least 1"):
        init_parameters(0, 4, 0)
    with pytest.raises(ValueError, match="dim=0; give a whole number of at least 1"):
        init_parameters(4, 0, 0)
    with pytest.raises(ValueError, match="num_classes=3 is above dim=2; orthonormal rows of v need more dimensions"):
        init_parameters(4, 2, 0, num_classes=3)


def test_repr_names_shapes(tiny):
    parameters = random_parameters(tiny, 4, 0)
    named = "Parameters(embeddings (3, 4), cls_embedding (4,), output_vector (4,); float64, "
    assert repr(parameters) == f"{named}numpy)"
    assert repr(parameters.to("cpu")) == f"{named}cpu)"


@each_kind
@each_dtype
def test_there_and_back(tiny, kind, dtype):
    parameters = random_parameters(tiny, 4, 0, dtype=dtype)
    moved = parameters if kind == "numpy" else parameters.to(kind)
    assert {kind_of(array) for array in moved.arrays().values()} == {kind}
    back = moved.numpy()
    assert type(moved) is type(back) is Parameters
    assert {array.dtype.name for array in back.arrays().values()} == {dtype}
    assert equal(back, parameters)
    np.testing.assert_array_equal(flat(moved.map(lambda array: 2 * array)), 2 * flat(parameters))


def test_on_the_cpu_tensors_share_the_memory_unless_it_is_read_only():
    pair = Pair(np.zeros(2), np.zeros(2))
    pair.other.flags.writeable = False
    tensors = pair.to("cpu")
    for tensor in tensors.arrays().values():
        tensor += 1
    assert pair.one.tolist() == [1, 1]
    assert pair.other.tolist() == [0, 0]
    assert Pair(np.arange(2.0)[::-1], np.zeros(2)).to("cpu").one.tolist() == [1, 0]
    assert tensors.to("cpu").one is tensors.one


@pytest.mark.parametrize(
    ("other", "place"),
    [
        (np.zeros(2), "float64, numpy"),
        (torch.zeros(2), "float32, cpu"),
        (torch.zeros(2, dtype=torch.float64), "float64, cpu"),
        (np.zeros(2, int), "int64, numpy"),
    ],
)
def test_arrays_that_cannot_be_computed_with_together_are_refused(other, place):
    with pytest.raises(ValueError, match=f"^other is {place}, but one is float32, numpy; give all arrays alike$"):
        Pair(np.zeros(2, "float32"), other)


@each_kind
def test_scores_and_values_of_tokens(tiny, kind):
    parameters = random_parameters(tiny, 4, 0)
    E, p, v = parameters.arrays().values()
    placed = parameters if kind == "numpy" else parameters.to(kind)
    assert kind_of(placed.token_scores) == kind_of(placed.token_values) == kind
    np.testing.assert_allclose(placed.numpy().token_scores, E @ p, rtol=1e-14)
    np.testing.assert_allclose(placed.numpy().token_values, E @ v, rtol=1e-14)
    heads = np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(Parameters(E, p, heads).token_values, np.stack([E @ row for row in heads], axis=1), rtol=1e-14)
    twice = KeyQueryParameters(E, p, v, np.eye(4), 2 * np.eye(4))
    np.testing.assert_allclose(twice.token_scores, 2 * E @ p, rtol=1e-14)
    hidden = MLPParameters(E, p, v, np.zeros((4, 4)), np.zeros(4))
    np.testing.assert_allclose(hidden.token_scores, E @ p, rtol=1e-14)
    assert list(hidden.arrays()) == ["embeddings", "cls_embedding", "output_vector", "mlp_weights", "mlp_bias"]
