"""One file with the whole state of a training run, and a description of the run."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import numpy as np

from ..corpus.sequences import Sequences
from ..scale.stored import StoredCorpus
from ..support.checks import shortened
from ..support.files import atomic, read_once, shown
from ..support.seals import characters, digest, sealed, unsealed

SECONDS = 10.0  # between two checkpoints; the last state is always written


class CheckpointError(ValueError):
    """A checkpoint is damaged, or belongs to another run; the message names the file and both sides."""


class Checkpoint:
    """A file that a run is written to now and then, and read from.

    It carries a digest of all its arrays and notes, so that a file that was damaged on its way, or put together of two, is
    refused. That does not stop a forger: whoever changes the file on purpose can write a new digest, too.
    """

    def __init__(self, path, identity: dict):
        self.path = Path(path)
        self.identity = {name: self._plain(name, value) for name, value in identity.items()}
        self.written = time.monotonic()

    def write(self, save, *, at_last: bool) -> None:
        """Write the arrays and notes that ``save()`` returns, unless the file is young; a full disk costs but a warning."""
        if not at_last and time.monotonic() - self.written < SECONDS:
            return
        arrays, notes = save()
        try:
            with atomic(self.path) as file:
                file.write(sealed(arrays, {"identity": self.identity} | notes))
        except OSError as error:
            reason = error.strerror or str(error)
            warnings.warn(
                f"{shown(self.path)}: not written ({reason}); the last checkpoint stays", RuntimeWarning, stacklevel=3
            )
        self.written = time.monotonic()

    def read(self, shapes: dict[str, tuple], steps: int) -> tuple[dict[str, np.ndarray], dict] | None:
        """Return the arrays and the notes of a run of these shapes and of at most so many steps; None without a file."""
        try:
            arrays, notes = unsealed(read_once(self.path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._error(f"it cannot be read ({error.strerror or error}); name another file") from error
        except ValueError as error:
            raise self._error(f"no whole checkpoint of this package ({error}); remove it, or name another file") from error
        stored = {name: (array.dtype.name, array.shape) for name, array in arrays.items()}
        self._compare(notes.get("identity"), stored, shapes)
        if reason := strange(arrays, notes):
            raise self._error(f"no state that training leaves ({reason}); remove it, or name another file")
        if notes["step"] > steps:
            raise self._error(f"it has taken {notes['step']} steps, more than steps={steps}; give more, or name another file")
        return arrays, notes

    def _compare(self, identity, stored, shapes):
        if not isinstance(identity, dict):
            raise self._error("it does not say what it was made of; remove it, or name another file")
        if missing := shapes.keys() - stored.keys():
            own = [name for name in missing if "." not in name]  # before those that follow from them
            raise self._error(f"it holds no {', '.join(sorted(own or missing))}; it is of another model")
        sides = [(name, stored[name], shape) for name, shape in shapes.items()]
        sides += [(name, identity.get(name), value) for name, value in self.identity.items()]
        for name, before, now in sides:
            if json.dumps(before, sort_keys=True) != json.dumps(now, sort_keys=True):  # for which 1 is not True, but NaN is NaN
                raise self._error(f"made with {name}={shortened(before)}, not {shortened(now)}; name another file")

    def _plain(self, name, value):
        try:
            return json.loads(json.dumps(value, default=lambda number: number.item()))
        except (TypeError, ValueError, AttributeError) as error:
            raise self._error(f"{name}={shortened(value)} cannot be written to it; give a number or a string") from error

    def _error(self, reason):
        return CheckpointError(f"{shown(self.path)}: {reason}")


def strange(arrays, notes) -> str | None:
    """Return why a stored state cannot be of a training run, None if it can."""
    history, stopped = arrays.get("history"), notes.get("stopped", "")
    if history is None or history.dtype != np.float64 or history.shape[1:] != (5,) or not len(history):
        return "its history is no table of five columns"
    for name in ("step", "best_row"):
        if type(notes.get(name)) is not int or notes[name] < 0:
            return f"its {name} is {shortened(notes.get(name))}"
    if stopped not in (None, "patience", "divergence"):
        return f"its stopped is {shortened(stopped)}"
    if notes["best_row"] >= len(history):
        return f"its best_row is {notes['best_row']}, but its history has {len(history)} rows"
    steps = history[:, 0]
    if steps[0] != 0 or not (np.diff(steps) >= 1).all() or (steps % 1 != 0).any():
        return "the steps of its history do not rise from 0"
    if steps[-1] != notes["step"]:
        return f"its history ends at step {steps[-1]:.0f}, but it has taken {notes['step']}"
    judged = history[:-1] if stopped == "divergence" else history  # the last row, and the last parameters, are what diverged
    learnt = [array for name, array in arrays.items() if name.startswith("best.") or stopped != "divergence"]
    columns = slice(None) if np.isfinite(judged[:, 3:]).any() else slice(3)
    if not np.isfinite(judged[:, columns]).all():
        return "its history holds numbers that are not finite"
    if not all(np.isfinite(array).all() for array in learnt if array is not history):
        return "its arrays hold numbers that are not finite"
    if any((array < 0).any() for name, array in arrays.items() if name.startswith("optimizer.mean_square.")):
        return "its mean squares are negative"
    return None


def identity_of(model, options, trained, start, corpus, held_out) -> dict:
    """Return all that a run that goes on from a checkpoint must agree with, as plain values."""
    settings = {"model": type(model).__name__} | {f"model.{name}": value for name, value in vars(model).items()}
    chosen = options.identity() | {"dim": None, "trained": list(trained)}
    texts = {"corpus": describe(corpus), "held_out": describe(held_out)}
    return settings | chosen | {"start": digest(*start.numpy().arrays().values())} | texts


def describe(corpus) -> str:
    """Return a corpus' description with a digest of all that it holds, and "none" for None."""
    if corpus is None:
        return "none"
    if isinstance(corpus, StoredCorpus):
        return corpus.description()
    counts, words = corpus.counts, characters(list(map(str, corpus.vocabulary)))
    order = [corpus.tokens] if isinstance(corpus, Sequences) else []
    whole = digest(counts.indptr, counts.indices, counts.data, corpus.labels, corpus.mean_weights, words, *order)
    return f"{corpus!r} (digest {whole})"
