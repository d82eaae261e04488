"""An answer to an exercise is right, not there yet, or wrong in a way that can be named.

A check is a function with the label of its exercise. It is given what a student gives, and a generator of random numbers, and
yields what is wrong; the first complaint is told. It holds no answer: it draws a case, and asks for a property or computes the
case in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import wraps

import numpy as np

from ...support.checks import checked, whole_number

RIGHT, NOT_YET = "right", "not yet"
_CHECKS: dict[str, Callable] = {}


class NotYet(Exception):
    """A function of a student's returned nothing."""


def exercise(label) -> Callable:
    """Decorate a check of an exercise: a generator that takes answers and a random stream, and yields what is wrong."""

    def register(function):
        if label in _CHECKS:
            raise ValueError(f"label={label!r}; this exercise has a check")
        _CHECKS[label] = function
        return function

    return register


def labels() -> list[str]:
    """Return the labels of all exercises that have a check."""
    return list(_CHECKS)


def verdict(label, answers, seed) -> str:
    """Return what is to be said of the answers, values or functions, to an exercise; the seed draws the case."""
    if label not in _CHECKS:
        raise ValueError(f"label={label!r}; no exercise of this label has a check")
    if any(map(_missing, answers)):
        return NOT_YET
    random = np.random.default_rng([seed, *label.encode()])
    try:
        return next(_CHECKS[label](*map(_asked, answers), random), RIGHT)
    except NotYet:
        return NOT_YET
    except Exception as error:  # whatever a student's function raises, the notebook runs on
        if "is not callable" in str(error) and not any(map(callable, answers)):
            return f"A function is wanted, not {type(answers[0]).__name__}."
        return f"This could not be checked: {type(error).__name__}: {error}"


class Checks:
    """Checks answers: called with an exercise's label and the answers, it prints what is to be said of them.

    The seed draws the cases; ``right`` holds 1 or 0 for the last answer to each exercise, by its label.
    """

    @checked(seed=lambda name, value: whole_number(name, value, least=0))
    def __init__(self, seed=0) -> None:
        self.seed = seed
        self.right: dict[str, int] = {}

    def __call__(self, label, *answers) -> None:
        """Print what is to be said of the answers to an exercise, and remember whether they were right."""
        said = verdict(label, answers, self.seed)
        self.right[label] = int(said == RIGHT)
        print(f"{label}: {said}")


def compare(found, wanted, mistakes=None, tolerance=1e-6) -> Iterator[str]:
    """Yield what is wrong with numbers: a mistake by its name if it is known, otherwise how they differ."""
    try:
        found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    except (TypeError, ValueError):
        yield f"Numbers are wanted, not {type(found).__name__}."
        return
    if found.shape and not wanted.shape:
        yield f"A single number is wanted, not an array of shape {found.shape}."
    elif found.shape != wanted.shape:
        yield f"The shape is {found.shape}; {wanted.shape} is wanted."
    elif not np.isfinite(found).all():
        yield "It is not finite."
    elif not close(found, wanted, tolerance):
        named = (said for said, value in (mistakes or {}).items() if close(found, np.asarray(value, dtype=float), tolerance))
        yield next(named, None) or _difference(found, wanted, tolerance)


def close(found, wanted, tolerance=1e-6) -> bool:
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


def _difference(found, wanted, tolerance):
    """Return how numbers differ: by their sign, by a factor, or by how much."""
    factor = np.sum(found * wanted) / max(np.sum(wanted**2), 1e-300)
    if close(found, -wanted, tolerance):
        return "It has the wrong sign."
    if found.size > 1 and factor and close(found, factor * wanted, tolerance):
        return f"It is {factor:.3g} times what is wanted."
    return f"It is off by {np.abs(found - wanted).max():.2g}, where {np.abs(wanted).max():.2g} is the size of what is wanted."


def _missing(answer):
    return answer is None or answer is ...


def _asked(answer):
    """Return an answer; a function cannot change what it is given, and to return nothing is to be not there yet."""
    if not callable(answer):
        return answer

    @wraps(answer)
    def ask(*args):
        found = answer(*deepcopy(args))
        if _missing(found):
            raise NotYet
        return found

    return ask
