"""Checks of exercises: an answer is right, missing, or wrong in a way that can be named.

A check is a function with the label of its exercise. It gets the student's answer and a random generator, and yields what is
wrong; the student sees the first complaint. It contains no answer: it draws a case, and tests a property or computes the case
in another way. `_plain` converts tensors, tables and lists, so that checks get numpy's numbers.
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


class Feedback(Exception):
    """Feedback on an answer before a check gets its numbers."""


def exercise(label, *parts, values=False) -> Callable:
    """Decorate a check of an exercise: a generator that takes answers and a random stream, and yields what is wrong.

    Answers are functions, or ``values``. If an answer has several parts, ``parts`` names them.
    """

    def register(function):
        if label in _CHECKS:
            raise ValueError(f"label={label!r} has a check already; choose another label")
        _CHECKS[label] = function, lambda answer: _plain(answer, words=True) if values else _wrapped(answer, parts)
        return function

    return register


def labels() -> list[str]:
    """Return the labels of all exercises that have a check, chapter by chapter."""
    for file in sorted(Path(__file__).parent.glob("_[0-9]*.py")):
        import_module(f".{file.stem}", __package__)
    return list(_CHECKS)


def verdict(label, answers, seed) -> str:
    """Return the feedback on the answers, values or functions, to an exercise; the seed draws the case."""
    if label not in _CHECKS:
        raise ValueError(f"label={label!r} has no check; choose from {', '.join(_CHECKS)}")
    check, prepare = _CHECKS[label]
    *names, _ = signature(check).parameters
    if len(answers) != len(names):
        return f"The check needs {len(names)} answers ({', '.join(names)}), not {len(answers)}."
    if any(map(_missing, answers)):
        return NOT_YET
    try:
        return next(check(*map(prepare, answers), np.random.default_rng([seed, *label.encode()])), RIGHT)
    except Feedback as feedback:
        return str(feedback)
    except Exception as error:  # the notebook keeps running, whatever a student's function returns
        return f"This could not be checked. Does it have the requested form? {type(error).__name__}: {error}"


class Checks:
    """The checks of a chapter, such as "01_model", or of a module elsewhere, by its full name.

    Called with an exercise's label and the answers, it prints the feedback. The seed draws the cases; ``right`` maps labels to
    1 or 0 for the last answers.
    """

    def __init__(self, chapter, seed=0) -> None:
        import_module(chapter if "." in chapter else f"._{chapter}", __package__)
        self.seed = seed
        self.right: dict[str, int] = {}

    def __call__(self, label, *answers) -> None:
        """Print the feedback on the answers to an exercise, and remember whether they were right."""
        feedback = verdict(label, answers, self.seed)
        self.right[label] = int(feedback == RIGHT)
        print(f"{label}: {feedback}")


def compare(answer, correct, mistakes=None, tolerance=1e-5) -> Iterator[str]:
    """Yield what is wrong with numbers: the name of a known mistake, or how they differ; six digits are enough."""
    answer, correct = _plain(answer), np.asarray(correct, dtype=float)
    if problem := next(shaped(answer, correct.shape), None):
        yield problem
    elif not close(answer, correct, tolerance):
        named = (name for name, value in (mistakes or {}).items() if close(answer, np.asarray(value, dtype=float), tolerance))
        yield next(named, None) or _difference(answer.astype(float), correct, tolerance)


def shaped(answer, correct, mistakes=None) -> Iterator[str]:
    """Yield what is wrong with a shape: the name of a known mistake, or how it differs; or that numbers are not finite."""
    answer = _plain(answer)
    shape = [*map(np.shape, answer)] if isinstance(answer, tuple) else np.shape(answer)
    if correct == () != shape:
        yield f"Give a single number, not an array of shape {shape}."
    elif shape != correct:
        named = (name for name, other in (mistakes or {}).items() if shape == other)
        problem = "The shapes are {}, but should be {}." if isinstance(correct, list) else "The shape is {}, but should be {}."
        yield next(named, problem.format(*(str(one).strip("[]") for one in (shape, correct))))
    elif not all(np.isfinite(part).all() for part in (answer if shape else [answer])):
        yield "It is not finite: a division by zero, or a root of a negative number?"


def close(answer, correct, tolerance=1e-5) -> bool:
    """Return whether two arrays agree, relative to the largest entry of either."""
    size = max(np.abs(answer).max(initial=0), np.abs(correct).max(initial=0), 1e-12)
    return np.shape(answer) == np.shape(correct) and bool(np.abs(answer - correct).max(initial=0) <= tolerance * size)


def slopes(function, at, step=1e-5) -> np.ndarray:
    """Return the gradient of a function by central differences, which a check compares with a formula."""
    nudges = step * np.eye(at.size).reshape(-1, *at.shape)
    return np.reshape([function(at + nudge) - function(at - nudge) for nudge in nudges], at.shape) / (2 * step)


def cross_entropy(logits, labels) -> float:
    """Return the mean loss of several classes, from logits of shape (n, K) and labels."""
    return float(np.mean(np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(labels)), labels]))


def texts(random, n=7, words=4):
    """Return the counts and the signs of a few texts of different lengths; the first two words lean to either side."""
    signs = np.where(np.arange(n) % 3, 1, -1)
    counts = random.integers(1, 5, size=(n, words))
    counts[:, 0] += 3 * (signs > 0)
    counts[:, 1] += 4 * (signs < 0)
    return counts, signs


def parameters(flat):
    """Return 18 numbers as parameters of four words in three dimensions."""
    return Parameters(flat[:12].reshape(4, 3), flat[12:15], flat[15:])


def flat(arrays):
    """Return the numbers of several arrays as one array."""
    return np.concatenate([np.ravel(array) for array in arrays])


def _difference(answer, correct, tolerance):
    """Return how numbers differ: by their sign, by a factor, or by how much."""
    factor = np.sum(answer * correct) / max(np.sum(correct**2), 1e-300)
    if close(answer, -correct, tolerance):
        return "It has the wrong sign."
    if abs(factor - 1) > 1e-2 and answer.size > 1 and factor and close(answer, factor * correct, tolerance):
        return f"It is {factor:.3g} times the right answer."
    rounded = " If it is rounded, give more digits: at least six." if close(answer, correct, 1e-2) else ""
    size = np.abs(correct).max()
    return f"It is off by {np.abs(answer - correct).max():.2g}; the right answer has the size {size:.2g}.{rounded}"


def _missing(answer):
    return answer is None or answer is ...


def _wrapped(function, parts):
    """Return a student's function that cannot change its arguments and returns numbers; returning nothing means not yet."""
    if not callable(function):
        raise Feedback(f"Give a function, not {type(function).__name__}.")

    @wraps(function)
    def wrapper(*args):
        try:
            answer = function(*deepcopy(args))
        except Exception as error:
            place = "".join(f" at {frame.line!r}" for frame in extract_tb(error.__traceback__)[1:2])
            problem = f"{error} ({type(error).__name__})"
            raise Feedback(f"With the exercise's {len(args)} arguments your function stops{place}: {problem}.") from error
        if _missing(answer):
            raise Feedback(NOT_YET)
        answer = _plain(answer)
        if parts and len(answer if isinstance(answer, tuple) else np.atleast_1d(answer)) != len(parts):
            raise Feedback(f"Return {len(parts)} things, in this order: {', '.join(parts)}.")
        return answer

    return wrapper


def _plain(answer, words=False):
    """Return numbers of any kind as numpy's, a single one without dimensions; parts of different shapes as a tuple."""
    if isinstance(answer, (tuple, list)):
        answer = tuple(_plain(part, words) for part in answer)
        if any(isinstance(part, tuple) or np.shape(part) != np.shape(answer[0]) for part in answer):
            return answer
    array = to_numpy(answer.toarray() if hasattr(answer, "toarray") else answer)
    try:
        array = array if array.dtype.kind in "biuf" else array.astype(float)
    except (TypeError, ValueError):
        if not words:
            raise Feedback(f"Give numbers, not {type(answer).__name__}.") from None
    return array.reshape(())[()] if array.size == 1 else array
