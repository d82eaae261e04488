from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokensel_nb.support import checks

NO_NUMBERS = [None, "3", True, np.bool_(True), 1j, np.nan, np.inf, -np.inf, [3], np.array(3), np.array([3.0]), object()]


class Mute:
    """What refuses to be written down."""

    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize("value", [*NO_NUMBERS, 2.0, 0, -1, 10**30, 10**5000, Mute()], ids=lambda _: "value")
def test_no_whole_number(value):
    with pytest.raises(
        ValueError, match=r"^dim=.*; give a whole number of at least 1( and at most 9007199254740992)?$"
    ) as caught:
        checks.whole_number("dim", value)
    assert len(str(caught.value)) <= 200


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_numbers_are_plain(value):
    assert checks.whole_number("dim", value) == 3
    assert type(checks.whole_number("dim", value)) is int


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0, -0.0, -1, 10**400, Mute()], ids=lambda _: "value")
def test_no_positive_number(value):
    with pytest.raises(ValueError, match=r"^rate=.*; give a positive number$") as caught:
        checks.positive("rate", value)
    assert len(str(caught.value)) <= 200


@pytest.mark.parametrize("value", [1, 0.5, np.float16(0.5), np.int64(1), Fraction(1, 2), 1e-300])
def test_positive_numbers_are_plain(value):
    assert checks.positive("rate", value) == value
    assert type(checks.positive("rate", value)) is float


def test_bounds_belong_to_an_interval_unless_it_is_open():
    assert [checks.number("x", value, 0, 1) for value in (0, 1)] == [0, 1]
    for value, open_end in ((0, "open_below"), (1, "open_above")):
        with pytest.raises(ValueError, match=f"^x={value}; give a number from "):
            checks.number("x", value, 0, 1, **{open_end: True})


@given(st.text() | st.integers() | st.lists(st.text()) | st.binary() | st.floats())
def test_whatever_is_shown_is_short_and_on_one_line(value):
    text = checks.shortened(value)
    assert 0 < len(text) <= 80
    assert len(text.splitlines()) == 1


def test_values_that_cannot_be_shown():
    assert checks.shortened(Mute()).startswith("<Mute instance at")
    assert len(checks.shortened("x" * 10**6)) <= 80
    assert checks.shortened(np.zeros((1000, 1000))).startswith("array([[0., 0.,")


@pytest.mark.parametrize("seed", [None, -1, 0.5, "0", True, [1, 2], np.nan, object()])
def test_no_seed(seed):
    with pytest.raises(ValueError, match=r"^seed=.*; give a whole number, zero or more, or a numpy.random.Generator$"):
        checks.generator("seed", seed)


def test_seeds_and_generators():
    wanted = np.random.default_rng(3).random()
    assert checks.generator("seed", 3).random() == checks.generator("seed", np.uint8(3)).random() == wanted
    generator = np.random.default_rng(3)
    assert checks.generator("seed", generator) is generator
    assert checks.generator("seed", 10**30).random() == np.random.default_rng(10**30).random()


@pytest.mark.parametrize(
    "values",
    [
        *(None, "ab", ["a"], [[1.0], [2.0, 3.0]], [1j], [True], object(), sparse.eye_array(2), {1: 2}),
        *(torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.bool), torch.eye(2).to_sparse()),
        np.ma.array([1.0, 2.0], mask=[True, False]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_array_of_numbers(values):
    with pytest.raises(ValueError, match=r"^direction=.*; give an array of real numbers$"):
        checks.numbers("direction", values)


@pytest.mark.parametrize("values", [[1, 2], (1.0, 2.0), np.arange(2, dtype="uint8"), np.zeros(2, "float16"), torch.ones(2)])
def test_arrays_of_numbers(values):
    found = checks.numbers("direction", values, (2,))
    assert isinstance(found, torch.Tensor if isinstance(values, torch.Tensor) else np.ndarray)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.array, torch.tensor])
def test_a_number_that_is_not_finite_is_shown_with_its_place(kind, value):
    array = kind([[0.0, 1.0], [value, 2.0]])
    with pytest.raises(ValueError, match=rf"^E holds a value that is not finite, {value} at \[1, 0\]; replace it$"):
        checks.finite("E", array)


@pytest.mark.parametrize("shape", [(3,), (2, 2), (), (2, None)])
def test_shapes(shape):
    assert checks.shaped("E", np.zeros(2), (None,)).shape == (2,)
    with pytest.raises(ValueError, match=r"^E has shape \(2,\); give shape \("):
        checks.shaped("E", np.zeros(2), shape)


@pytest.mark.parametrize("values", ["ab", b"ab", {"a"}, {"a": 1}, None, 3, np.array("a")])
def test_no_list(values):
    with pytest.raises(TypeError, match=f"^class_names is a {type(values).__name__}; give a list of str, in their order$"):
        checks.listed("class_names", values)


def test_lists():
    for values in (["a", "b"], ("a", "b"), np.array(["a", "b"]), np.array(["a", "b"], object), (each for each in "ab")):
        assert checks.listed("class_names", values) == ["a", "b"]
