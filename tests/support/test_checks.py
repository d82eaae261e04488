from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tokensel_nb.support import checks

import tokensel_nb as ts

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
    with pytest.raises(ValueError, match=r"^direction(=.*; give an array of real numbers| has masked values; .*)$"):
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


@checks.checked(steps=checks.whole_number, verbose=bool)
def walk(steps=None, verbose=False):
    return steps


def test_arguments_are_checked_by_name_unless_they_are_the_defaults():
    assert (walk(), walk(None), walk(np.int8(3)), walk(verbose=True, steps=3)) == (None, None, 3, 3)
    with pytest.raises(ValueError, match=r"^steps=0; give a whole number of at least 1$"):
        walk(steps=0)
    with pytest.raises(TypeError, match=r"^verbose='no'; give a bool$"):
        walk(3, "no")
    with pytest.raises(TypeError, match=r"walk\(\) got an unexpected keyword argument 'step'"):
        walk(step=3)


def test_an_option_that_does_not_exist_is_named_with_those_that_do():
    assert checks.changed(ts.Options(), dict(steps=3)).steps == 3
    with pytest.raises(TypeError, match=r"^no option is called 'step', 'wide'; there are dim, steps, learning_rate, "):
        checks.changed(ts.Options(), dict(wide=1, step=3))


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (lambda *given: checks.one_of(*given, ["train", "test"]), "tset", "x='tset'; choose one of 'train', 'test'"),
        (lambda *given: checks.one_of(*given, ["train", "test"]), ["train"], r"x=\['train'\]; choose one of"),
        (checks.truth, "no", "x='no'; give True or False"),
        (checks.truth, 1, "x=1; give True or False"),
        (lambda *given: checks.instance(*given, ts.Corpus), None, "x=None; give a Corpus"),
        (lambda *given: checks.instance(*given, (int, str)), 0.5, "x=0.5; give a int or str"),
        (lambda *given: checks.able(*given, ["predict"], "TextClassifier"), None, "x=None; give a TextClassifier"),
        (lambda *given: checks.able(*given, ["upper"], "word"), str, "x=<class 'str'>; give a word"),
        (checks.list_of_str, ["good", 3], "x holds 3, which is not a string; give a list of str, in their order"),
        (checks.finite_number, np.nan, "x=nan; give a finite number"),
        (checks.real, ["a"], r"x=\['a'\]; give an array of real numbers"),
    ],
)
def test_one_sentence_names_the_argument_and_what_is_allowed(check, value, message):
    with pytest.raises((TypeError, ValueError), match=f"^{message}"):
        check("x", value)


def test_what_is_allowed_comes_back():
    assert checks.one_of("x", np.str_("test"), ["train", "test"]) == "test"
    assert checks.truth("x", np.True_) is True
    assert checks.able("x", "good", ["upper"], "word") == "good"
    assert checks.list_of_str("x", ("good", "bad")) == ["good", "bad"]
    assert checks.finite_number("x", -3) == -3.0


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.coo_array])
def test_a_sparse_matrix_is_whole(kind):
    whole = kind(np.eye(2))
    assert checks.whole_matrix("counts", whole).toarray().tolist() == [[1, 0], [0, 1]]
    indices = whole.indices if kind is sparse.csr_array else whole.col
    indices[0] = 7
    with pytest.raises(ValueError, match=r"^counts is not a valid sparse matrix, .*; build it again$"):
        checks.whole_matrix("counts", whole)


def test_texts_and_lists_are_cut():
    assert checks.cut("good, bad and ugly", most=12) == "good, bad..."
    assert checks.shortened("no " * 100, most=20) == "'no no no no no n..."
    assert checks.first_few(["good", "bad", "film"]) == "good, bad, film"
    assert checks.first_few(["good", "bad", "film"], most=2) == "good, bad and 1 more"


@pytest.mark.parametrize("values", ["ab", b"ab", {"a", "b"}, frozenset("ab"), {"a": 1}, 3, None, np.eye(2)])
def test_a_list_is_no_string_set_dict_or_table(values):
    with pytest.raises(TypeError, match=r"^words is a \w+; give a list of str, in their order$"):
        checks.listed("words", values)


@pytest.mark.parametrize("check", [checks.listed, checks.row_of, checks.real, checks.numbers, checks.collected])
def test_nothing_is_masked(check):
    with pytest.raises(ValueError, match=r"^words has masked values; leave these out, or fill them in$"):
        check("words", np.ma.array([1.0, 2.0], mask=[True, False]))
    assert list(checks.listed("words", np.ma.array([1.0, 2.0]))) == [1, 2]


def test_the_order_of_a_collection_does_not_matter():
    for words in ({"b", "a"}, frozenset("ab"), ("a", "b"), np.array(["a", "b"])):
        assert checks.collected("words", words) == ["a", "b"]
    for words in ("ab", {"a": 1}, 5, None):
        with pytest.raises(TypeError, match=r"^words is a "):
            checks.collected("words", words)
    with pytest.raises(TypeError, match=r"^words holds 1, which is not a string"):
        checks.collected("words", {1, "a"})


def test_weights_of_texts_are_finite_and_not_negative():
    assert checks.weights_of("weights", [True, False], 2).tolist() == [1, 0]
    for weights in (2, [1], [1, -1], [1, np.nan], [1, 1j], "ab", None, [[1, 1]], np.ma.array([1, 1], mask=[1, 0])):
        with pytest.raises(ValueError, match=r"^weights"):
            checks.weights_of("weights", weights, 2)


def test_no_numbers_are_on_no_device():
    with pytest.raises(ValueError, match="give an array of real numbers"):
        checks.numbers("x", torch.ones(2, device="meta"))
