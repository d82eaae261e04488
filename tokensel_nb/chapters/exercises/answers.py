"""An answer to an exercise is right, not there yet, or wrong in a way that can be named.

A check is a function with the label of its exercise. It is given what a student gives, and a generator of random numbers, and
yields what is wrong; the first complaint is told. It holds no answer: it draws a case, and asks for a property or computes the
case in another way. Whatever a student returns, tensors, tables or lists, passes one door (`_plain`), so checks get numpy's
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from traceback import extract_tb

import numpy as np

from ...arrays import to_numpy
from ...parameters import Parameters

RIGHT, NOT_YET = "right", "not yet"
_CHECKS: dict[str, tuple[Callable, Callable]] = {}


class Told(Exception):
    """What is to be said of an answer, before a check looks at its numbers."""


def exercise(label, *parts, values=False) -> Callable:
    """Decorate a check of an exercise: a generator that takes answers and a random stream, and yields what is wrong.

    Answers are functions, or ``values``. Where one holds several things, ``parts`` names them.
    """

    def register(function):
        if label in _CHECKS:
            raise ValueError(f"label={label!r}; this exercise has a check")
        _CHECKS[label] = function, lambda answer: _plain(answer, words=True) if values else _asked(answer, parts)
        return function

    return register


def labels() -> list[str]:
    """Return the labels of all exercises that have a check, chapter by chapter."""
    for file in sorted(Path(__file__).parent.glob("_[0-9]*.py")):
        import_module(f".{file.stem}", __package__)
    return list(_CHECKS)


def verdict(label, answers, seed) -> str:
    """Return what is to be said of the answers, values or functions, to an exercise; the seed draws the case."""
    if label not in _CHECKS:
        raise ValueError(f"label={label!r}; no exercise of this label has a check")
    check, door = _CHECKS[label]
    *names, _ = signature(check).parameters
    if len(answers) != len(names):
        return f"The check takes {len(names)} of your names ({', '.join(names)}), not {len(answers)}."
    if any(map(_missing, answers)):
        return NOT_YET
    try:
        return next(check(*map(door, answers), np.random.default_rng([seed, *label.encode()])), RIGHT)
    except Told as told:
        return str(told)
    except Exception as error:  # whatever a student's function returns, the notebook runs on
        return f"This could not be checked. Has it the form that is asked for? {type(error).__name__}: {error}"


class Checks:
    """Checks answers: called with an exercise's label and the answers, it prints what is to be said of them.

    It knows the exercises of a chapter, such as "01_model", or those of a module elsewhere, by its full name. The seed draws
    the cases; ``right`` holds 1 or 0 for the last answer to each exercise, by its label.
    """

    def __init__(self, chapter, seed=0) -> None:
        import_module(chapter if "." in chapter else f"._{chapter}", __package__)
        self.seed = seed
        self.right: dict[str, int] = {}

    def __call__(self, label, *answers) -> None:
        """Print what is to be said of the answers to an exercise, and remember whether they were right."""
        said = verdict(label, answers, self.seed)
        self.right[label] = int(said == RIGHT)
        print(f"{label}: {said}")


def compare(found, wanted, mistakes=None, tolerance=1e-5) -> Iterator[str]:
    """Yield what is wrong with numbers: a mistake by its name if it is known, otherwise how they differ; six digits pass."""
    found, wanted = _plain(found), np.asarray(wanted, dtype=float)
    if told := next(shaped(found, wanted.shape), None):
        yield told
    elif not close(found, wanted, tolerance):
        named = (said for said, value in (mistakes or {}).items() if close(found, np.asarray(value, dtype=float), tolerance))
        yield next(named, None) or _difference(found.astype(float), wanted, tolerance)


def shaped(found, wanted, mistakes=None) -> Iterator[str]:
    """Yield what is wrong with a shape, a mistake by its name if it is known; or that numbers are not finite."""
    found = _plain(found)
    shape = [*map(np.shape, found)] if isinstance(found, tuple) else np.shape(found)
    if wanted == () != shape:
        yield f"A single number is wanted, not an array of shape {shape}."
    elif shape != wanted:
        named = (said for said, other in (mistakes or {}).items() if shape == other)
        said = "The shapes are {}; {} are wanted." if isinstance(wanted, list) else "The shape is {}; {} is wanted."
        yield next(named, said.format(*(str(each).strip("[]") for each in (shape, wanted))))
    elif not all(np.isfinite(part).all() for part in (found if shape else [found])):
        yield "It is not finite: a division by zero, or a root of a negative number?"


def close(found, wanted, tolerance=1e-5) -> bool:
    """Return whether two arrays agree, relative to the largest entry of either."""
    size = max(np.abs(found).max(initial=0), np.abs(wanted).max(initial=0), 1e-12)
    return np.shape(found) == np.shape(wanted) and bool(np.abs(found - wanted).max(initial=0) <= tolerance * size)


def slopes(function, at, step=1e-5) -> np.ndarray:
    """Return the gradient of a function as small steps to either side find it: what a check lays beside a formula."""
    nudges = step * np.eye(at.size).reshape(-1, *at.shape)
    return np.reshape([function(at + nudge) - function(at - nudge) for nudge in nudges], at.shape) / (2 * step)


def cross_entropy(logits, labels) -> float:
    """Return the mean loss of several classes, from logits of shape (n, K) and labels."""
    return float(np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(labels)), labels]))


def texts(random, n=7, words=4):
    """Return the counts and the labels of a few texts of unequal length; the first two words lean to either side."""
    signs = np.where(np.arange(n) % 3, 1, -1)
    counts = random.integers(1, 5, size=(n, words))
    counts[:, 0] += 3 * (signs > 0)
    counts[:, 1] += 4 * (signs < 0)
    return counts, signs


def parameters(flat):
    """Return parameters of four words in three dimensions, made of 18 numbers."""
    return Parameters(flat[:12].reshape(4, 3), flat[12:15], flat[15:])


def flat(arrays):
    """Return the numbers of several arrays as one array."""
    return np.concatenate([np.ravel(array) for array in arrays])


def _difference(found, wanted, tolerance):
    """Return how numbers differ: by their sign, by a factor, or by how much."""
    factor = np.sum(found * wanted) / max(np.sum(wanted**2), 1e-300)
    if close(found, -wanted, tolerance):
        return "It has the wrong sign."
    if abs(factor - 1) > 1e-2 and found.size > 1 and factor and close(found, factor * wanted, tolerance):
        return f"It is {factor:.3g} times what is wanted."
    rounded = " If it is rounded, give more digits: at least six." if close(found, wanted, 1e-2) else ""
    size = np.abs(wanted).max()
    return f"It is off by {np.abs(found - wanted).max():.2g}, where {size:.2g} is the size of what is wanted.{rounded}"


def _missing(answer):
    return answer is None or answer is ...


def _asked(answer, parts):
    """Return a function that cannot change what it is given and returns numbers; to return nothing is to be not there yet."""
    if not callable(answer):
        raise Told(f"A function is wanted, not {type(answer).__name__}.")

    @wraps(answer)
    def ask(*args):
        try:
            found = answer(*deepcopy(args))
        except Exception as error:
            place = "".join(f" at {frame.line!r}" for frame in extract_tb(error.__traceback__)[1:2])
            said = (
                f"With the {len(args)} arguments of the exercise your function stops{place}: {error} ({type(error).__name__})."
            )
            raise Told(said) from error
        if _missing(found):
            raise Told(NOT_YET)
        found = _plain(found)
        if parts and len(found if isinstance(found, tuple) else np.atleast_1d(found)) != len(parts):
            raise Told(f"Return {len(parts)} things, in this order: {', '.join(parts)}.")
        return found

    return ask


def _plain(found, words=False):
    """Return numbers of any kind as numpy's, one alone without dimension; parts of several shapes are a tuple."""
    if isinstance(found, (tuple, list)):
        found = tuple(_plain(part, words) for part in found)
        if any(isinstance(part, tuple) or np.shape(part) != np.shape(found[0]) for part in found):
            return found
    array = to_numpy(found.toarray() if hasattr(found, "toarray") else found)
    try:
        array = array if array.dtype.kind in "biuf" else array.astype(float)
    except (TypeError, ValueError):
        if not words:
            raise Told(f"Numbers are wanted, not {type(found).__name__}.") from None
    return array.reshape(())[()] if array.size == 1 else array
