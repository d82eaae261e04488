"""What people hand over by mistake, argument by argument: bad values, and harmless other forms of good ones.

What has to come of a value follows from how it was made of a valid one:

- ERROR: one sentence of the package's own that names the argument;
- SAME: what the valid value gives;
- EITHER: one of both, or a result that is finite as the valid one's (what is huge may or may not overflow).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import torch
from scipy import sparse

import tokensel_nb as ts

ERROR, SAME, EITHER = "error", "same", "either"
# Why a value may be answered or refused, by labels, which are regular expressions: it depends on what is computed of it, and a
# test here cannot know. An answer has to be finite in any case, and a refusal one sentence.
WHY_EITHER = {
    r"(numpy )?huge|10\^30|10\^400|(all )?1e\+(30|200|308)( inside)?|all huge(, float32)?": "some formulas overflow",
    "tiny|(numpy )?zero|all zero": "it is the end of what is allowed, or beyond it, or all is divided by it",
    "huge (counts|weights)|tiny (counts|weights)": "their squares are needed by some functions only",
    "float16|bfloat16|long double|of objects|whole numbers": "a dtype that some functions convert, and others name",
    "an array": "torch takes numpy's arrays in some places",
    "three classes|texts of one class|one text|without a (word|text)|all alike|no texts": "some figures are defined for these",
    "zeros and ones": "they name the classes 0 and 1, which are those of -1 and 1 but have other names",
    "nan inside": "no skew, where a word does not occur; arrays of numbers may be NaN until somebody computes with them",
    "negative": "a weight of a residual, or of a word's value, has either sign",
    "a surrogate( inside)?": "half a character is replaced where texts are judged, and refused where they are counted",
    "a huge seed": "numpy takes it, scikit-learn does not",
    "a pair of iterators": "they can be read once, which is often enough",
    "|utf-16|idna|punycode": "encodings that Python has, in which a plain file may or may not be readable",
}
HUGE = 10**13  # of anything no machine has room for so much


@dataclass(frozen=True)
class Bad:
    """A value in the place of a valid one: how it is made, what has to come of it, and which names an error may use."""

    label: str
    outcome: str
    make: Callable
    names: tuple[str, ...] = ()
    rounding: float = 1e-9  # relative, for SAME


class Mute:
    """What refuses to be written down."""

    def __repr__(self):
        raise RuntimeError("no")


def constant(label, outcome, value):
    return Bad(label, outcome, lambda: value)


def strangers(random, *, none=True):
    """Yield what is never a number, an array, a corpus or a model."""
    word = "".join(map(chr, random.integers(32, 0x2FFF, random.integers(0, 300))))
    values = dict(
        string="3", text=word, bytes=b"3", object=object(), mute=Mute(), type=int, function=len, set={1}, dict={"a": 1}
    )
    for label, value in values.items():
        yield constant(f"a {label}", ERROR, value)
    if none:
        yield constant("None", ERROR, None)


def no_numbers(random, *, none=True):
    """Yield what is no real number."""
    yield from strangers(random, none=none)
    values = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf, "numpy nan": np.float32("nan"), "complex": 1j, "a list": [1]}
    values |= {
        "True": True,
        "numpy True": np.True_,
        "an array": np.array([1.0, 2.0]),
        "a tensor": torch.ones(2),
        "10^400": 10**400,
    }
    for label, value in values.items():
        yield constant(label, ERROR, value)


def whole(value, random, *, least=1, huge=ERROR, most=None, none=True):
    """Yield values for a whole number of at least ``least``; None where it may be left out."""
    for bad in no_numbers(random, none=none):
        yield replace(bad, outcome=EITHER) if bad.label == "10^400" and huge in (SAME, EITHER) else bad
    yield constant("a fraction", ERROR, value + float(random.uniform(0.1, 0.9)))
    yield constant("one too few", ERROR, least - 1)
    yield constant("negative", ERROR, -int(random.integers(1, 10**9)))
    yield constant("numpy negative", ERROR, np.int8(-3))
    if most is not None:
        yield constant("one too many", ERROR, most + 1)
    if huge is not None:
        yield constant("huge", huge, HUGE)
        yield constant("numpy huge", huge, np.int64(HUGE))
        yield constant("10^30", EITHER if huge is SAME else huge, 10**30)
    for kind in (np.int64, np.uint8, np.int16):
        yield constant(kind.__name__, SAME, kind(value))


def positive(value, random, *, zero=ERROR, most=np.inf):
    """Yield values for a number above zero."""
    yield from no_numbers(random)
    yield constant("zero", zero, 0)
    yield constant("numpy zero", zero, np.float32(0))
    yield constant("negative", ERROR, -float(random.exponential()))
    yield constant("numpy negative", ERROR, np.float64(-1.0))
    for size in (1e30, 1e200, 1e308):
        yield constant(f"{size:g}", EITHER if most == np.inf else ERROR, size)
    yield constant("tiny", EITHER, 1e-300)
    yield constant("float64", SAME, np.float64(value))
    yield constant("a fraction", SAME, Fraction(value))


def share(value, random, *, below=1.0, open_above=True, open_below=False):
    """Yield values for a number from zero to ``below``."""
    yield from no_numbers(random)
    yield constant("negative", ERROR, -float(random.uniform(1e-9, 1)))
    yield constant("above", ERROR, below + float(random.uniform(1e-9, 1)))
    yield constant("huge", ERROR, 1e30)
    if open_above:
        yield constant("the upper end", ERROR, below)
    if open_below:
        yield constant("the lower end", ERROR, 0.0)
    yield constant("float64", SAME, np.float64(value))
    yield constant("a fraction", SAME, Fraction(value))


def seed(value, random):
    """Yield values for what begins random numbers."""
    yield from (bad for bad in no_numbers(random) if bad.label != "10^400")  # as good a seed as any
    yield constant("negative", ERROR, -1)
    yield constant("a half", ERROR, 0.5)
    yield constant("uint8", SAME, np.uint8(value))
    yield constant("a huge seed", EITHER, 10**30)


def whole_seed(value, random):
    """Yield values for a seed that is a number and no generator."""
    yield from seed(value, random)
    yield constant("a generator", ERROR, np.random.default_rng(0))


def generator_or_seed(value, random):
    """Yield values for a seed that may be a generator."""
    yield from seed(value, random)
    yield Bad("a generator", SAME, lambda: np.random.default_rng(value))


def choice(value, random):
    """Yield values for one of a few strings."""
    yield from strangers(random)
    yield constant("empty", ERROR, "")
    yield constant("misspelt", ERROR, value + "x")
    yield constant("a number", ERROR, 3)
    yield constant("a list", ERROR, [value])
    yield constant("numpy string", SAME, np.str_(value))


def flag(value, random):
    """Yield values for True or False."""
    for label, bad in dict(string="no", none=None, object=object(), number=2, nan=np.nan, list=[]).items():
        yield constant(label, ERROR, bad)
    yield constant("numpy", SAME, np.bool_(value))


def memmap(array, mode="r"):
    """Return an array read from a file."""
    with tempfile.NamedTemporaryFile(suffix=".npy", delete=False) as file:
        np.save(file, array)
    return np.load(file.name, mmap_mode=mode)


def spread_out(array):
    """Return an equal array that is not contiguous."""
    wide = np.zeros([2 * size + 1 for size in array.shape], array.dtype)
    inner = wide[tuple(slice(1, 1 + 2 * size, 2) for size in array.shape)]
    inner[...] = array
    return inner


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def with_one(array, random, value):
    """Return an array in which one number, wherever, is replaced."""
    array = np.array(array, dtype=np.result_type(array, np.float64) if not isinstance(value, str | None) else object)
    array[tuple(random.integers(size) for size in array.shape)] = value
    return array


def harmless(array):
    """Yield other forms of an array of the same numbers."""
    yield Bad("a list", SAME, array.tolist)
    yield Bad("read only", SAME, lambda: read_only(array))
    yield Bad("memory-mapped", SAME, lambda: memmap(array))
    yield Bad("not contiguous", SAME, lambda: spread_out(array))
    yield Bad("in Fortran's order", SAME, lambda: np.asfortranarray(array))
    yield Bad("backwards", SAME, lambda: array[::-1].copy()[::-1])
    yield Bad("big-endian", SAME, lambda: array.astype(array.dtype.newbyteorder(">")))


def numbers(value, random, *, lists=True, nan=ERROR, free=(), huge=True, none=True, torch_too=True, as_float32=True):
    """Yield values for an array of numbers; ``free`` are the axes of any length."""
    array = np.asarray(value)
    yield from strangers(random, none=none)
    places = array.shape
    yield Bad("nan inside", nan, lambda: with_one(array, random, np.nan))
    for bad in (np.inf, -np.inf):
        yield Bad(f"{bad} inside", ERROR, lambda bad=bad: with_one(array, random, bad))
    yield Bad("a word inside", ERROR, lambda: with_one(array, random, "x"))
    yield Bad("None inside", ERROR, lambda: with_one(array, random, None))
    yield Bad("complex", ERROR, lambda: array + 1j)
    yield Bad("strings", ERROR, lambda: array.astype(str))
    yield Bad("dates", ERROR, lambda: array.astype("int64").astype("datetime64[D]"))
    yield Bad("an axis more", ERROR, lambda: array[..., None, None])
    yield Bad("no axis", ERROR, lambda: array.ravel()[0])
    yield Bad("masked", ERROR, lambda: np.ma.masked_array(array, np.ones(places, bool)))
    if array.ndim == 2:
        yield Bad("sparse", ERROR, lambda: sparse.csr_array(array))
        yield Bad("ragged", ERROR, lambda: [*array[:-1].tolist(), array[-1, :-1].tolist()])
        if places[0] != places[1]:
            yield Bad("transposed", ERROR, lambda: array.T)
    for axis in set(range(array.ndim)) - set(free):
        yield Bad(f"one too many along {axis}", ERROR, lambda axis=axis: np.concatenate([array, array.take([0], axis)], axis))
        yield Bad(f"one too few along {axis}", ERROR, lambda axis=axis: array.take(range(1, places[axis]), axis))
        yield Bad(f"empty along {axis}", ERROR, lambda axis=axis: array.take([], axis))
    yield Bad("of objects", EITHER, lambda: array.astype(object))
    yield Bad("float16", EITHER, lambda: array.astype("float16"))
    if huge:
        for size in (1e30, 1e200, 1e308):
            yield Bad(f"{size:g} inside", EITHER, lambda size=size: with_one(array, random, size))
            yield Bad(f"all {size:g}", EITHER, lambda size=size: np.full(places, size))
    if torch_too and array.dtype.kind == "f":
        yield Bad("a tensor", SAME, lambda: torch.tensor(array))
        yield Bad("a tensor with history", SAME, lambda: torch.tensor(array, requires_grad=True) * 1)
    if as_float32 and array.dtype.kind == "f":
        yield Bad("float32", SAME, lambda: array.astype("float32"), rounding=1e-3)
        yield Bad("long double", EITHER, lambda: array.astype("longdouble"))
    yield from (bad for bad in harmless(array) if lists or bad.label != "a list")


def member(value, random, *, kind):
    """Yield what stands in the place of a value of a type."""
    yield from strangers(random)
    yield constant("a number", ERROR, 3)
    yield constant("the type itself", ERROR, kind)
    yield constant("an array", ERROR, np.eye(3))


def labels(value, random):
    """Yield labels, for -1 and +1."""
    array = np.asarray(value)
    yield from strangers(random)
    for label, bad in {
        "nan": np.nan,
        "inf": np.inf,
        "fraction": 0.5,
        "huge": 10**9,
        "10^30": 10**30,
        "None": None,
        "2": 2,
    }.items():
        yield Bad(f"{label} inside", ERROR, lambda bad=bad: [bad, *array.tolist()[1:]])
    yield Bad("a word inside", ERROR, lambda: ["up", *array.tolist()[1:]])
    yield Bad("complex", ERROR, lambda: array + 1j)
    yield Bad("dates", ERROR, lambda: array.astype("datetime64[D]"))
    yield Bad("two columns", ERROR, lambda: np.stack([array, array], axis=1))
    yield Bad("a row", ERROR, lambda: array[None])
    yield Bad("no axis", ERROR, lambda: 1)
    yield Bad("all alike", EITHER, lambda: np.ones(len(array), int))
    yield Bad("lists inside", ERROR, lambda: [[label] for label in array.tolist()])
    yield Bad("sparse", ERROR, lambda: sparse.csr_array(array[None]))
    for label, rows in {"too many": [*range(len(array)), 0], "too few": range(1, len(array)), "none": []}.items():
        yield Bad(label, ERROR, lambda rows=rows: array[list(rows)])
    for kind in ("int8", "float32", "float64"):
        yield Bad(kind, SAME, lambda kind=kind: array.astype(kind))
    yield Bad("zeros and ones", EITHER, lambda: (array + 1) // 2)
    yield Bad("a series", SAME, lambda: pd.Series(array, index=random.permutation(len(array))))
    yield Bad("a tuple", SAME, lambda: tuple(array.tolist()))
    yield Bad("a tensor", SAME, lambda: torch.tensor(array))
    yield from harmless(array)


def counts(value, random):
    """Yield counts of words."""
    array = value.toarray()
    rows, columns = array.shape
    dense = partial(numbers, array, random, as_float32=False, torch_too=False)
    yield from (bad for bad in dense() if bad.label not in ("sparse", "of objects"))
    yield Bad("negative inside", ERROR, lambda: with_one(array, random, -1))
    yield Bad("sums overflow", ERROR, lambda: with_one(with_one(array, random, 1e308), random, 1.7e308))

    def broken(name, change, form=sparse.csr_array):
        made = form(array.astype(float))
        part = getattr(made, name).copy()
        change(part)
        setattr(made, name, part)
        return made

    def set_at(place, number):
        return lambda part: part.__setitem__(place, number)

    some = int(random.integers(value.nnz))
    for form in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        kind = form.__name__
        for label, number in {"beyond": 10**6, "one beyond": max(rows, columns), "negative": -1, "far below": -(10**6)}.items():
            yield Bad(f"{kind}, an index {label}", ERROR, partial(broken, "indices", set_at(some, number), form))
        yield Bad(f"{kind}, rows that end before they begin", ERROR, partial(broken, "indptr", set_at(1, -3), form))
        yield Bad(f"{kind}, rows beyond the end", ERROR, partial(broken, "indptr", set_at(-1, 10**6), form))
        yield Bad(f"{kind}, rows that do not begin", ERROR, partial(broken, "indptr", set_at(0, 2), form))
        yield Bad(f"{kind}, short data", ERROR, lambda form=form: _short(form(array.astype(float))))
        for bad in (np.nan, np.inf, -1.0):
            yield Bad(f"{kind}, {bad} stored", ERROR, partial(broken, "data", set_at(some, bad), form))
        yield Bad(f"{kind}, complex", ERROR, lambda form=form: form(array + 0j))
    for label, number in {"beyond": 10**6, "negative": -1}.items():
        yield Bad(f"coo, a row {label}", ERROR, partial(broken, "row", set_at(some, number), sparse.coo_matrix))
        yield Bad(f"coo, a column {label}", ERROR, partial(broken, "col", set_at(some, number), sparse.coo_matrix))
    for form in ("csr_array", "csc_array", "coo_array", "dok_array", "lil_array", "bsr_array", "dia_array", "csr_matrix"):
        yield Bad(form, SAME, lambda form=form: getattr(sparse, form)(array))
    yield Bad("one text more", ERROR, lambda: sparse.vstack([value, value[[0]]]))
    yield Bad("one word more", ERROR, lambda: sparse.hstack([value, value[:, [0]]]))
    yield Bad("transposed and sparse", ERROR, lambda: value.T)
    yield Bad("stored zeros", SAME, lambda: _explicit(array, float))
    yield Bad("stored zeros, float32", SAME, lambda: _explicit(array, np.float32))
    yield Bad("unsorted", SAME, lambda: _unsorted(value, random))
    yield Bad("duplicates", SAME, lambda: _halves(array, np.float64))
    yield Bad("duplicates of int8", SAME, lambda: _ones(array, np.int8))
    for dtype in ("int8", "uint8", "int64", "uint64", "float32", "float64", "bool"):
        if dtype != "bool" or array.max() == 1:
            yield Bad(f"sparse {dtype}", SAME, lambda dtype=dtype: sparse.csr_array(array.astype(dtype)))
    yield Bad("a data frame", SAME, lambda: pd.DataFrame(array))
    yield Bad("a tensor", SAME, lambda: torch.tensor(array))
    yield Bad("read-only parts", SAME, lambda: _sealed(value))


def _short(made):
    made.data = made.data[:-2]
    return made


def _explicit(array, dtype):
    """Return a sparse matrix that stores its zeros."""
    rows, columns = array.shape
    return sparse.csr_array(
        (array.ravel().astype(dtype), np.tile(np.arange(columns), rows), np.arange(0, array.size + 1, columns)), array.shape
    )


def _unsorted(value, random):
    """Return a matrix with the entries of every row in another order."""
    value = value.copy()
    for start, end in zip(value.indptr, value.indptr[1:]):
        order = start + random.permutation(end - start)
        value.indices[start:end], value.data[start:end] = value.indices[order], value.data[order]
    value.has_sorted_indices = False
    return value


def _halves(array, dtype):
    """Return a matrix that stores every entry twice, as two halves."""
    half = sparse.csr_array((array / 2).astype(dtype))
    indptr = 2 * half.indptr
    return sparse.csr_array((np.repeat(half.data, 2), np.repeat(half.indices, 2), indptr), half.shape)


def _ones(array, dtype):
    """Return a matrix that stores ones, as often as they count."""
    rows, columns = np.nonzero(array)
    times = array[rows, columns]
    rows, columns = np.repeat(rows, times), np.repeat(columns, times)
    ends = np.searchsorted(rows, np.arange(len(array) + 1))
    return sparse.csr_array((np.ones(len(rows), dtype), columns, ends), array.shape)


def _sealed(value):
    value = value.copy()
    for part in (value.data, value.indices, value.indptr):
        part.flags.writeable = False
    return value


def words(value, random, *, numbers_too=True):
    """Yield vocabularies."""
    listed = list(value)
    yield from strangers(random)
    yield Bad("one string of the right length", ERROR, lambda: "abcdefgh"[: len(listed)])
    yield Bad("a set of words", ERROR, lambda: set(listed))
    yield Bad("a number", ERROR, lambda: 3)
    yield Bad("one too many", ERROR, lambda: [*listed, "more"])
    yield Bad("one too few", ERROR, lambda: listed[1:])
    yield Bad("none", ERROR, lambda: [])
    yield Bad("a word twice", ERROR, lambda: [listed[1], *listed[1:]])
    yield Bad("lists inside", ERROR, lambda: [[word] for word in listed])
    yield Bad("a table", ERROR, lambda: np.array([listed, listed]))
    for label, form in dict(tuple=tuple, array=np.array, objects=partial(np.array, dtype=object), series=pd.Series).items():
        yield Bad(label, SAME, lambda form=form: form(listed))


def class_names(value, random):
    """Yield names of classes, for two."""
    yield from strangers(random)
    yield Bad("a string of two letters", ERROR, lambda: "ab")
    yield Bad("a set of names", ERROR, lambda: set(value))
    yield Bad("one name", ERROR, lambda: value[:1])
    yield Bad("a name twice", ERROR, lambda: [value[0]] * 2)
    yield Bad("names twice as strings", ERROR, lambda: [1, "1"])
    yield Bad("a list", SAME, lambda: list(value))
    yield Bad("an array", SAME, lambda: np.array(value))


def weights(value, random):
    """Yield weights of texts."""
    array = np.asarray(value)
    bad = (each for each in numbers(array, random, none=False, as_float32=False, huge=False))
    yield from bad
    yield Bad("one negative", ERROR, lambda: with_one(array, random, -1.0))
    yield Bad("all zero", ERROR, lambda: np.zeros(len(array)))
    yield Bad("a sum that overflows", ERROR, lambda: np.full(len(array), 1e308))
    yield Bad("twice as much", SAME, lambda: 2 * array)


def parameters(value, random, *, arrays=None, nan=ERROR):
    """Yield parameters: of other types, and with one array in which something is wrong, or only otherwise."""
    for bad in _whole_parameters(value, random):
        yield replace(bad, names=_COMPANIONS)
    for name in arrays or value.arrays():
        for bad in numbers(getattr(value, name), random, huge=True, torch_too=False, nan=nan, as_float32=False):
            made = partial(_with_array, value, name, bad.make)
            yield replace(bad, label=f"{name}: {bad.label}", make=made, names=(name, *_COMPANIONS))
        mixed = partial(_with_array, value, name, lambda name=name: torch.tensor(getattr(value, name)))
        yield Bad(f"{name}: a tensor among arrays", ERROR, mixed, names=(name, *_COMPANIONS))
        other = partial(_with_array, value, name, lambda name=name: getattr(value, name).astype("float32"))
        yield Bad(f"{name}: float32 among float64", ERROR, other, names=(name, *_COMPANIONS))


def _whole_parameters(value, random):
    """Yield parameters that are all of another form."""
    yield from member(value, random, kind=ts.Parameters)
    yield Bad("their arrays", ERROR, lambda: tuple(value.arrays().values()))
    yield Bad("a dict of them", ERROR, value.arrays)
    yield Bad("another type's", ERROR, lambda: ts.Options())
    yield Bad("tensors", SAME, lambda: value.to("cpu"))
    yield Bad("tensors that learn", SAME, lambda: value.to("cpu").map(lambda array: array.clone().requires_grad_()))
    yield Bad("float32", SAME, lambda: value.map(lambda array: array.astype("float32")), rounding=1e-3)
    yield Bad("float16", EITHER, lambda: value.map(lambda array: array.astype("float16")))
    yield Bad("bfloat16", EITHER, lambda: value.to("cpu").map(lambda array: array.to(torch.bfloat16)))
    yield Bad("whole numbers", EITHER, lambda: value.map(lambda array: array.astype(int)))
    yield Bad("all huge", EITHER, lambda: value.map(lambda array: np.full_like(array, 1e200)))
    yield Bad("all huge, float32", EITHER, lambda: value.map(lambda array: np.full(array.shape, 1e30, "float32")))
    yield Bad("all zero", EITHER, lambda: value.map(np.zeros_like))
    yield Bad("read only", SAME, lambda: value.map(read_only))
    yield Bad("memory-mapped", SAME, lambda: value.map(memmap))
    yield Bad("not contiguous", SAME, lambda: value.map(spread_out))


# An array that is at odds with another may be told by the other's name, or by their owner's.
_COMPANIONS = (
    "embeddings",
    "cls_embedding",
    "output_vector",
    "key_query_1",
    "key_query_2",
    "mlp_weights",
    "mlp_bias",
    "parameters",
)


def _with_array(parameters, name, make):
    return replace(parameters, **{name: make()})


def corpus(value, random, *, three=EITHER):
    """Yield corpora: of other types, of other sizes, of three classes."""
    yield from member(value, random, kind=ts.Corpus)
    yield Bad("its counts", ERROR, lambda: value.counts)
    yield Bad("a pair", ERROR, lambda: (value.counts, value.labels))
    yield Bad("three classes", three, lambda: replace(value, labels=np.arange(len(value)) % 3, class_names=("a", "b", "c")))
    yield Bad("without a word", EITHER, lambda: replace(value, counts=0 * value.counts))
    yield Bad("without a text", EITHER, lambda: value[:0])
    yield Bad("one text", EITHER, lambda: value[:1])
    yield Bad("texts of one class", EITHER, lambda: value[value.labels == 1])
    yield Bad("counts as floats", SAME, lambda: replace(value, counts=value.counts.astype(float)))
    yield Bad("huge counts", EITHER, lambda: replace(value, counts=value.counts * 1e14), ("counts",))
    yield Bad("tiny counts", EITHER, lambda: replace(value, counts=value.counts * 1e-300), ("counts",))
    yield Bad("equal weights", SAME, lambda: replace(value, weights=np.full(len(value), 3.0)))
    yield Bad("huge weights", EITHER, lambda: replace(value, weights=np.full(len(value), 1e300)), ("weights",))
    yield Bad("tiny weights", EITHER, lambda: replace(value, weights=np.full(len(value), 1e-320)), ("weights",))


def fitting_corpus(value, random, *, three=ERROR):
    """Yield corpora for a function of a corpus and of what belongs to its words."""
    yield from corpus(value, random, three=three)
    fewer = lambda: ts.Corpus(value.counts[:, 1:], value.labels, value.vocabulary[1:], value.class_names)
    more = lambda: ts.Corpus(
        sparse.hstack([value.counts, value.counts[:, [0]]]), value.labels, [*value.vocabulary, "more"], value.class_names
    )
    names = (*_COMPANIONS, "corpus", "token_values", "selection", "scores", "values", "held_out")
    yield Bad("a word fewer", ERROR, fewer, names)
    yield Bad("a word more", ERROR, more, names)


def selection(value, random):
    """Yield the selected token of every text."""
    array = np.asarray(value)
    drop = ("nan inside", "float16", "of objects")
    yield from (bad for bad in numbers(array, random, none=False, huge=False, torch_too=False) if bad.label not in drop)
    yield Bad("a nan", ERROR, lambda: np.where(np.arange(len(array)) == 0, np.nan, array))
    for label, token in {"negative": -1, "beyond": 10**6, "huge": 2**40}.items():
        yield Bad(f"{label} inside", ERROR, lambda token=token: np.where(np.arange(len(array)) == 0, token, array))
    yield Bad("int8", SAME, lambda: array.astype("int8"))
    yield Bad("a tensor of whole numbers", SAME, lambda: torch.tensor(array))


def function(value, random):
    """Yield what cannot be called."""
    yield from (bad for bad in strangers(random) if bad.label not in ("a type", "a function"))
    yield constant("a number", ERROR, 3)


def strangers_alone(value, random):
    """Yield what is never anything the package has made."""
    yield from strangers(random)


__all__ = [name for name in dir() if not name.startswith("_")]
