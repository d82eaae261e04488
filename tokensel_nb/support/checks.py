"""Arguments, checked where they come in: one sentence names the argument, its value, shortened, and what is allowed."""

from __future__ import annotations

import inspect
import reprlib
from dataclasses import replace
from functools import partial, wraps
from numbers import Integral, Real

import numpy as np

from .arrays import dtype_name, is_torch, namespace, to_numpy
from .threads import numbers_in, threads_for

LARGEST = 2**53  # up to here float64 knows every whole number

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def checked(**wanted):
    """Return a decorator: the arguments named are checked, in this order, before the function runs.

    It runs on as many threads as the largest of its arguments is worth: see `threads_for`.

    Parameters
    ----------
    **wanted : type, or callable
        A type stands for `instance`; a callable is given the argument's name and value, and returns what the function gets.
        What is the parameter's default is not checked.

    Returns
    -------
    callable

    Examples
    --------
    >>> @checked(steps=whole_number)
    ... def walk(steps=None):
    ...     return steps
    >>> walk(), walk(np.int8(3))
    (None, 3)
    >>> walk(steps=0)
    Traceback (most recent call last):
    ValueError: steps=0; give a whole number of at least 1
    """
    checks = {name: partial(instance, kind=check) if isinstance(check, type) else check for name, check in wanted.items()}

    def decorate(function):
        signature = inspect.signature(function)
        defaults = {name: signature.parameters[name].default for name in checks}

        @wraps(function)
        def at_the_door(*args, **kwargs):
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError:  # an argument is missing, or too much: the call itself says which
                return function(*args, **kwargs)
            with threads_for(max(map(numbers_in, given.arguments.values()), default=0)):
                for name, check in checks.items():
                    if name in given.arguments and given.arguments[name] is not defaults[name]:
                        given.arguments[name] = check(name, given.arguments[name])
                return function(*given.args, **given.kwargs)

        return at_the_door

    return decorate


def changed(options, changes):
    """Return options with some of them changed.

    Parameters
    ----------
    options : dataclass
    changes : dict

    Returns
    -------
    dataclass

    Raises
    ------
    TypeError
        If there is no such option.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> changed(ts.Options(), dict(step=3))
    Traceback (most recent call last):
    TypeError: no option is called 'step'; there are dim, steps, learning_rate, ...
    """
    if unknown := changes.keys() - vars(options).keys():
        raise TypeError(f"no option is called {', '.join(map(repr, sorted(unknown)))}; there are {', '.join(vars(options))}")
    return replace(options, **changes)


def shortened(value, most=80) -> str:
    """Return how a value is written, on one line, cut to so many characters.

    Parameters
    ----------
    value : object
    most : int

    Returns
    -------
    str

    Examples
    --------
    >>> shortened(np.float64(0.5)), shortened("no " * 100, most=20)
    ('0.5', "'no no no no no n...")
    """
    value = value.item() if isinstance(value, np.generic) else value
    try:
        text = " ".join(_REPR.repr(value).split())
    except Exception:  # whatever goes wrong in the repr of a stranger, or of a number too long to be written
        text = f"a {type(value).__name__}"
    return cut(text, most)


def cut(text, most=80) -> str:
    """Return a text of at most so many characters.

    Parameters
    ----------
    text : str
    most : int

    Returns
    -------
    str

    Examples
    --------
    >>> cut("good, bad and ugly", most=12)
    'good, bad...'
    """
    return text if len(text) <= most else f"{text[: most - 3]}..."


def first_few(names, most=3) -> str:
    """Return names as a message lists them: the first few, and how many more there are.

    Parameters
    ----------
    names : iterable of str
    most : int

    Returns
    -------
    str

    Examples
    --------
    >>> first_few(["good", "bad", "film"]), first_few(["good", "bad", "film"], most=2)
    ('good, bad, film', 'good, bad and 1 more')
    """
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def whole_number(name, value, least=1, most=LARGEST) -> int:
    """Return a whole number within bounds; numpy's are as good as Python's, truth values are none.

    Parameters
    ----------
    name : str
        Of the argument.
    value : int
    least, most : int

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is none, or lies beyond a bound.

    Examples
    --------
    >>> whole_number("dim", np.int64(3))
    3
    >>> whole_number("dim", True)
    Traceback (most recent call last):
    ValueError: dim=True; give a whole number of at least 1
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or not least <= value <= most:
        allowed = "a whole number, zero or more" if least == 0 else f"a whole number of at least {least}"
        bound = "" if not isinstance(value, Integral) or value <= most else f" and at most {most}"
        raise ValueError(f"{name}={shortened(value)}; give {allowed}{bound}")
    return int(value)


def number(name, value, least, most, *, open_below=False, open_above=False, allowed=None) -> float:
    """Return a finite number between two bounds.

    Parameters
    ----------
    name : str
        Of the argument.
    value : float
    least, most : float
        Infinite where there is no bound.
    open_below, open_above : bool
        Whether the bound itself is excluded.
    allowed : str, optional
        How the message says what may be given.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is none, not finite, or lies beyond a bound.

    Examples
    --------
    >>> number("share", np.float32(0.5), 0, 1)
    0.5
    >>> number("share", 1, 0, 1, open_above=True)
    Traceback (most recent call last):
    ValueError: share=1; give a number from 0 to below 1
    """
    found = _as_float(value)
    inside = (found > least if open_below else found >= least) and (found < most if open_above else found <= most)
    if not inside or not np.isfinite(found):
        between = f"a number from {'above ' * open_below}{least:g} to {'below ' * open_above}{most:g}"
        raise ValueError(f"{name}={shortened(value)}; give {allowed or between}")
    return found


def positive(name, value) -> float:
    """Return a number above zero, and finite.

    Parameters
    ----------
    name : str
        Of the argument.
    value : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> positive("arc_length", 0.0)
    Traceback (most recent call last):
    ValueError: arc_length=0.0; give a positive number
    """
    return number(name, value, 0, np.inf, open_below=True, allowed="a positive number")


def finite_number(name, value) -> float:
    """Return a number that is finite, of either sign.

    Parameters
    ----------
    name : str
        Of the argument.
    value : float

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> finite_number("residual", float("nan"))
    Traceback (most recent call last):
    ValueError: residual=nan; give a finite number
    """
    return number(name, value, -np.inf, np.inf, allowed="a finite number")


def one_of(name, value, allowed):
    """Return a value that is one of those allowed.

    Parameters
    ----------
    name : str
        Of the argument.
    value : str
    allowed : collection of str

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is none of them.

    Examples
    --------
    >>> one_of("split", "tset", ["train", "test"])
    Traceback (most recent call last):
    ValueError: split='tset'; choose one of 'train', 'test'
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={shortened(value)}; choose one of {', '.join(map(repr, allowed))}")
    return str(value)


def truth(name, value) -> bool:
    """Return True or False.

    Parameters
    ----------
    name : str
        Of the argument.
    value : bool

    Returns
    -------
    bool

    Raises
    ------
    TypeError
        If it is neither.

    Examples
    --------
    >>> truth("verbose", "no")
    Traceback (most recent call last):
    TypeError: verbose='no'; give True or False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}={shortened(value)}; give True or False")
    return bool(value)


def instance(name, value, kind):
    """Return a value that is of a type.

    Parameters
    ----------
    name : str
        Of the argument.
    value : object
    kind : type, or tuple of types

    Returns
    -------
    object

    Raises
    ------
    TypeError
        If it is of another.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> instance("corpus", None, ts.Corpus)
    Traceback (most recent call last):
    TypeError: corpus=None; give a Corpus
    """
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise TypeError(f"{name}={shortened(value)}; give a {' or '.join(each.__name__ for each in kinds)}")
    return value


def able(name, value, methods, kind):
    """Return what can be asked as one of a kind can: a value with certain methods.

    Parameters
    ----------
    name : str
        Of the argument.
    value : object
    methods : sequence of str
    kind : str
        What the message asks for.

    Returns
    -------
    object

    Raises
    ------
    TypeError
        If it lacks one.

    Examples
    --------
    >>> able("model", None, ["predict"], "TextClassifier")
    Traceback (most recent call last):
    TypeError: model=None; give a TextClassifier
    """
    if isinstance(value, type) or not all(hasattr(value, method) for method in methods):
        raise TypeError(f"{name}={shortened(value)}; give a {kind}")
    return value


def listed(name, values, of="str") -> list:
    """Return the members of a sequence in their order; a string is none, nor is a set, which has no order, nor a table.

    Parameters
    ----------
    name : str
        Of the argument.
    values : sequence
    of : str
        How the message calls what it should hold.

    Returns
    -------
    list

    Raises
    ------
    TypeError
        If it is no sequence.

    Examples
    --------
    >>> listed("class_names", {"up", "down"})
    Traceback (most recent call last):
    TypeError: class_names is a set; give a list of str, in their order
    """
    try:
        if isinstance(values, (str, bytes, set, frozenset, dict)) or getattr(values, "ndim", 1) != 1:  # a table has columns
            raise TypeError
        return values.tolist() if isinstance(values, np.ndarray) else list(values)
    except TypeError:
        raise TypeError(f"{name} is a {type(values).__name__}; give a list of {of}, in their order") from None


def list_of_str(name, values) -> list:
    """Return the strings of a sequence in their order; see `listed`.

    Parameters
    ----------
    name : str
        Of the argument.
    values : sequence of str

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If it is no sequence, or holds something else.

    Examples
    --------
    >>> list_of_str("vocabulary", ["good", 3])
    Traceback (most recent call last):
    TypeError: vocabulary holds 3, which is no string; give a list of str, in their order
    """
    values = listed(name, values)
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{name} holds {shortened(value)}, which is no string; give a list of str, in their order")
    return values


def generator(name, seed) -> np.random.Generator:
    """Return what draws random numbers: a generator as it was given, or one that a whole number begins.

    Parameters
    ----------
    name : str
        Of the argument.
    seed : int or numpy.random.Generator

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> generator("seed", -1)
    Traceback (most recent call last):
    ValueError: seed=-1; give a whole number, zero or more, or a numpy.random.Generator
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise ValueError(f"{name}={shortened(seed)}; give a whole number, zero or more, or a numpy.random.Generator")
    return np.random.default_rng(int(seed))


def finite(name, array):
    """Return an array in which all numbers are finite.

    Parameters
    ----------
    name : str
        Of the argument.
    array : array
        Numpy or torch.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If one is not; the first is named.

    Examples
    --------
    >>> finite("values", np.array([[0.0, np.nan]]))
    Traceback (most recent call last):
    ValueError: values holds a value that is not finite, nan at [0, 1]; replace it
    """
    fine = namespace(array).isfinite(array)
    if not fine.all():
        place = tuple(np.argwhere(~to_numpy(fine))[0].tolist())
        raise ValueError(f"{name} holds a value that is not finite, {array[place].item()} at {list(place)}; replace it")
    return array


def numbers(name, values, shape=None):
    """Return an array of real numbers, all finite: torch as it was given, everything else as numpy.

    Parameters
    ----------
    name : str
        Of the argument.
    values : array, or what numpy makes one of
    shape : tuple of (int or None), optional
        What is wanted; None for any length.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If it is no array of real numbers, has another shape, or holds a number that is not finite.

    Examples
    --------
    >>> numbers("direction", [1, 2], (2,))
    array([1, 2])
    >>> numbers("direction", [[1.0, 2.0]], (None,))
    Traceback (most recent call last):
    ValueError: direction has shape (1, 2); give shape (any,)
    """
    array = real(name, values)
    if shape is not None:
        shaped(name, array, shape)
    return finite(name, array)


def real(name, values, *, truths=False):
    """Return an array of real numbers, whatever their size and number; see `numbers`.

    Parameters
    ----------
    name : str
        Of the argument.
    values : array, or what numpy makes one of
    truths : bool
        Whether truth values are numbers too, 0 and 1.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> real("scores", ["a"])
    Traceback (most recent call last):
    ValueError: scores=['a']; give an array of real numbers
    """
    try:
        array = values if is_torch(values) else _in_native_order(np.asarray(values))
        fine = dtype_name(array).rstrip("0123456789") in ("float", "bfloat", "int", "uint", *["bool"] * truths)
        fine &= str(array.layout) == "torch.strided" if is_torch(array) else not np.ma.is_masked(values)
    except (TypeError, ValueError):  # ragged lists, and objects that refuse to become an array
        fine = False
    if not fine:
        raise ValueError(f"{name}={shortened(values)}; give an array of real numbers")
    return array


def whole_matrix(name, matrix):
    """Return a sparse matrix whose indices are in their ranges: products look up what they say, in anybody's memory.

    Parameters
    ----------
    name : str
        Of the argument.
    matrix : sparse array or matrix

    Returns
    -------
    sparse array or matrix
        It shares the memory of ``matrix``.

    Raises
    ------
    ValueError
        If it is broken.

    Examples
    --------
    >>> from scipy import sparse
    >>> broken = sparse.csr_array(np.eye(2))
    >>> broken.indices[0] = 7
    >>> whole_matrix("counts", broken)
    Traceback (most recent call last):
    ValueError: counts is no whole sparse matrix, indices must be < 2; make it anew
    """
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix = type(matrix)((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
            matrix.check_format(full_check=True)
            return matrix
        found = matrix.tocoo()
        return type(found)((found.data, (found.row, found.col)), shape=matrix.shape)
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{name} is no whole sparse matrix, {cut(str(error))}; make it anew") from error


def _in_native_order(array):
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def shaped(name, array, shape):
    """Return an array that has a shape.

    Parameters
    ----------
    name : str
        Of the argument.
    array : array
    shape : tuple of (int or None)
        None for any length.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If it has another.

    Examples
    --------
    >>> shaped("cls_embedding", np.zeros(3), (4,))
    Traceback (most recent call last):
    ValueError: cls_embedding has shape (3,); give shape (4,)
    """
    found = tuple(array.shape)
    if len(found) != len(shape) or any(want not in (None, have) for have, want in zip(found, shape)):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(f"{name} has shape {found}; give shape ({wanted}{',' * (len(shape) == 1)})")
    return array


def _as_float(value):
    """Return a real number as a float, and NaN in the place of all else; what is too large is infinite."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.inf
