"""Arguments, checked where they come in: one sentence names the argument, its value, shortened, and what is allowed."""

from __future__ import annotations

import inspect
import reprlib
from dataclasses import field, fields, replace
from functools import partial, wraps
from numbers import Integral, Real
from os import PathLike, fsencode
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import dtype_name, is_torch, namespace, to_numpy
from .threads import numbers_in, threads_for

LARGEST = 2**53  # up to here float64 knows every whole number

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def checked(**wanted):
    """Return a decorator that checks the named arguments, by a type or a function of name and value, unless they are defaults.

    A function returns what is passed on. All runs on as many threads as the largest argument is worth: see `threads_for`.
    """
    checks = {name: partial(instance, kind=check) if isinstance(check, type) else check for name, check in wanted.items()}

    def decorate(function):
        signature = inspect.signature(function)
        defaults = {name: signature.parameters[name].default for name in checks}

        @wraps(function)
        def at_the_door(*args, **kwargs):
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:  # an argument is missing, or too much: the call itself says which
                return function(*args, **kwargs)
            arguments = bound.arguments
            with threads_for(max(map(numbers_in, arguments.values()), default=0)):
                for name, check in checks.items():
                    if name in arguments and arguments[name] is not defaults[name]:
                        arguments[name] = check(name, arguments[name])
                return function(*bound.args, **bound.kwargs)

        return at_the_door

    return decorate


def changed(options, changes):
    """Return options, a dataclass, with some of them changed; TypeError where there is no such option."""
    if unknown := changes.keys() - vars(options).keys():
        raise TypeError(f"no option is called {', '.join(map(repr, sorted(unknown)))}; there are {', '.join(vars(options))}")
    return replace(options, **changes)


def option(default, check, **how) -> Any:
    """Return a field of a `CheckedOptions` with its default, and a check as `checked` has them."""
    check = partial(instance, kind=check) if isinstance(check, type) else check
    return field(default=default, metadata={"check": check}, **how)


class CheckedOptions:
    """A frozen dataclass that checks what is given for each `option`, unless it is the default, and keeps what is returned."""

    def __post_init__(self):
        for each in fields(self):
            value, check = getattr(self, each.name), each.metadata.get("check")
            if check is not None and value is not each.default:
                object.__setattr__(self, each.name, check(each.name, value))


def shortened(value, most=80) -> str:
    """Return how a value is written, on one line, cut to so many characters."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        text = " ".join(_REPR.repr(value).split())
    except Exception:  # a stranger's repr may raise anything, and some numbers are too long to be written
        text = f"a {type(value).__name__}"
    return cut(text, most)


def cut(text, most=80) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def first_few(names, most=3) -> str:
    """Return names as a message lists them: the first few, and how many more there are."""
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def whole_number(name, value, least=1, most=LARGEST) -> int:
    """Return a whole number within bounds; numpy's are as good as Python's, truth values are none."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        allowed = "a whole number, zero or more" if least == 0 else f"a whole number of at least {least}"
        bound = f" and at most {most}" if whole and value > most else ""
        raise ValueError(f"{name}={shortened(value)}; give {allowed}{bound}")
    return int(value)


def number(name, value, least, most, *, open_below=False, open_above=False, allowed=None) -> float:
    """Return a finite number between two bounds, each of which may be infinite, or excluded; ``allowed`` words the message."""
    real_number = _as_float(value)
    excluded = (open_below and real_number == least) or (open_above and real_number == most)
    if excluded or not least <= real_number <= most or not np.isfinite(real_number):
        between = f"a number from {'above ' if open_below else ''}{least:g} to {'below ' if open_above else ''}{most:g}"
        raise ValueError(f"{name}={shortened(value)}; give {allowed or between}")
    return real_number


def or_none(name, value, check):
    """Return None, or what a check returns."""
    return None if value is None else check(name, value)


positive = partial(number, least=0, most=np.inf, open_below=True, allowed="a positive number")
finite_number = partial(number, least=-np.inf, most=np.inf, allowed="a finite number")


def _as_float(value):
    """Return a real number as a float, NaN for anything else, and infinity for what is too large."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf


def one_of(name, value, allowed):
    """Return a string that is one of those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={shortened(value)}; choose one of {', '.join(map(repr, allowed))}")
    return str(value)


def truth(name, value) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={shortened(value)}; give True or False")
    return bool(value)


def instance(name, value, kind):
    """Return a value that is of a type, or of one of several."""
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise TypeError(f"{name}={shortened(value)}; give a {' or '.join(allowed.__name__ for allowed in kinds)}")
    return value


def a_path(name, value) -> Path:
    """Return a path that was given as a string or as a path; an empty one would be the working directory."""
    path = Path(instance(name, value, (str, PathLike)))
    try:
        fine = str(value) and max(len(fsencode(part)) for part in path.parts or ".") < 256 and "\0" not in str(path)
    except UnicodeEncodeError:
        fine = False
    if not fine:
        raise ValueError(f"{name}={shortened(value)}; give the path of a file or a folder")
    return path


def able(name, value, methods, kind):
    """Return a value that has certain methods; the message asks for a ``kind``."""
    if isinstance(value, type) or not all(hasattr(value, method) for method in methods):
        raise TypeError(f"{name}={shortened(value)}; give a {kind}")
    return value


def listed(name, values, of="str") -> list:
    """Return the members of a sequence in their order; a string is none, nor is a set, which has no order, nor a table."""
    try:
        if isinstance(values, (str, bytes, set, frozenset, dict)) or getattr(values, "ndim", 1) != 1:  # a table has columns
            raise TypeError
        return unmasked(name, values).tolist() if isinstance(values, np.ndarray) else list(values)
    except TypeError:
        raise TypeError(f"{name} is a {type(values).__name__}; give a list of {of}, in their order") from None


def list_of_str(name, values) -> list:
    """Return the strings of a sequence in their order; see `listed`."""
    values = listed(name, values)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{name} holds {shortened(value)}, which is not a string; give a list of str, in their order")
    return values


def collected(name, values) -> list:
    """Return the strings of a collection, those of a set in the alphabet's order; see `listed`."""
    return list_of_str(name, sorted(values, key=str) if isinstance(values, (set, frozenset)) else values)


def different(name, words) -> set:
    """Return the different words among some, which are strings or numbers."""
    try:
        return set(words)
    except TypeError as error:  # lists, say, cannot be looked up
        raise TypeError(f"{name} holds something other than words ({cut(str(error))}); give strings or numbers") from error


def unmasked(name, values):
    """Return values of which none is masked: numpy would compute with what stands behind a mask."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; leave these out, or fill them in")
    return values


def row_of(name, values, of="label") -> np.ndarray:
    """Return one value a text, as an array."""
    unmasked(name, values)
    try:
        array = to_numpy(values)
    except (TypeError, ValueError):  # lists of different lengths, say
        array = np.empty(())
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; give one {of} per text")
    return array


def mask(name, values, length) -> np.ndarray:
    """Return an array of so many truth values."""
    array = shaped(name, row_of(name, values, "truth value"), (length,))
    if array.dtype != bool:
        raise ValueError(f"{name} holds {array.dtype}; give True or False")
    return array


def seed_of_sklearn(name, seed):
    """Return what scikit-learn takes for a seed: None, its generator, or a whole number."""
    if seed is None or seed is np.random or isinstance(seed, np.random.RandomState):
        return seed
    return whole_number(name, seed, 0, 2**32 - 1)


def generator(name, seed) -> np.random.Generator:
    """Return a random number generator: the one that is given, or a new one with a whole number as its seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"{name}={shortened(seed)}; give a whole number, zero or more, or a numpy.random.Generator")
    return np.random.default_rng(int(seed))


def finite(name, array):
    """Return an array in which all numbers are finite; the message names the first that is not."""
    mask = namespace(array).isfinite(array)
    if not mask.all():
        place = tuple(np.argwhere(~to_numpy(mask))[0].tolist())
        raise ValueError(f"{name} holds a value that is not finite, {array[place].item()} at {list(place)}; replace it")
    return array


def numbers(name, values, shape=None, *, truths=False):
    """Return an array of finite real numbers, of a shape (None for any length): torch as it was given, all else as numpy."""
    array = real(name, values, truths=truths)
    if shape is not None:
        shaped(name, array, shape)
    return finite(name, array)


def real(name, values, *, truths=False):
    """Return an array of real numbers, finite or not; ``truths`` lets truth values count as 0 and 1."""
    unmasked(name, values)
    try:
        array = values if is_torch(values) else np.asarray(given := np.asarray(values), given.dtype.newbyteorder("="))
        plain = not is_torch(array) or (str(array.layout) == "torch.strided" and not array.is_meta)
        kinds = ("float", "bfloat", "int", "uint", *(["bool"] if truths else []))
        fine = plain and dtype_name(array).rstrip("0123456789") in kinds
    except (TypeError, ValueError):  # ragged lists, and objects that refuse to become an array
        fine = False
    if not fine:
        raise ValueError(f"{name}={shortened(values)}; give an array of real numbers")
    return array


def weights_of(name, values, texts) -> np.ndarray:
    """Return how much each text counts, as float64 that nobody else holds."""
    weights = np.array(to_numpy(numbers(name, values, (texts,), truths=True)), np.float64)
    if (weights < 0).any():
        raise ValueError(f"{name} holds a number below zero, {weights.min():.3g}; give how much each text counts")
    return weights


def shaped(name, array, shape):
    """Return an array that has a shape, in which None stands for any length."""
    actual = tuple(array.shape)
    if len(actual) != len(shape) or any(want not in (None, have) for have, want in zip(actual, shape)):
        sizes = ["any" if want is None else str(want) for want in shape]
        raise ValueError(f"{name} has shape {actual}; give shape ({', '.join(sizes)}{',' if len(sizes) == 1 else ''})")
    return array


def whole_matrix(name, matrix):
    """Return a sparse matrix, its memory shared, whose indices are in range: products trust them, and read anybody's memory."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix = type(matrix)((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
            matrix.check_format(full_check=True)
            return matrix
        matrix = matrix.tocoo()
        return type(matrix)((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{name} is not a valid sparse matrix, {cut(str(error))}; build it again") from error
