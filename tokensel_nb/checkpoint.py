"""One file with the whole state of a training run, and with what the run was of."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from pathlib import Path

import numpy as np

from .files import atomic

SECONDS = 10.0  # between two checkpoints; the last state is always written


class CheckpointError(ValueError):
    """A checkpoint that is damaged, or of another run; the message names the file and both sides.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> issubclass(ts.CheckpointError, ValueError)
    True
    """


class Checkpoint:
    """A file that a run is written to now and then, and read from.

    Parameters
    ----------
    path : path
        A ``.safetensors`` file, written whole or not at all.
    identity : dict
        Plain values: all that a run that goes on from the file must agree with.
    """

    def __init__(self, path, identity: dict):
        self.path, self.identity = Path(path), json.loads(json.dumps(identity))
        self.written = time.monotonic()

    def write(self, arrays, notes, *, at_last: bool) -> None:
        """Write the file anew, unless it is too young; a disk that is full costs a warning, not the run.

        Parameters
        ----------
        arrays : callable
            Without arguments; returns the state as a dict of str to numpy array.
        notes : dict
            Plain values.
        at_last : bool
            Whether to write, however young the file.

        Warns
        -----
        RuntimeWarning
            If the file cannot be written; the last one stays.
        """
        from safetensors.numpy import save

        if not at_last and time.monotonic() - self.written < SECONDS:
            return
        stored = {name: np.ascontiguousarray(array) for name, array in arrays().items()}
        try:
            with atomic(self.path) as file:
                file.write(save(stored, {"tokensel_nb": json.dumps({"identity": self.identity} | notes)}))
        except OSError as error:
            reason = error.strerror or str(error)
            warnings.warn(f"{self.path}: not written ({reason}); the last checkpoint stays", RuntimeWarning, stacklevel=3)
        self.written = time.monotonic()

    def read(self, shapes: dict[str, tuple]) -> tuple[dict[str, np.ndarray], dict] | None:
        """Return the state in the file and its notes; None if there is no file.

        Parameters
        ----------
        shapes : dict of str to (str, tuple of int)
            The dtype and the shape that some of the arrays must have.

        Returns
        -------
        (dict of str to ndarray, dict) or None

        Raises
        ------
        CheckpointError
            If the file is damaged, or of another run.
        """
        import safetensors

        if not self.path.exists():
            return None
        try:
            with safetensors.safe_open(self.path, "np") as file:
                notes = json.loads((file.metadata() or {})["tokensel_nb"])
                identity = notes["identity"]
                arrays = {name: file.get_tensor(name) for name in file.keys()}
        except (safetensors.SafetensorError, KeyError, TypeError, ValueError, OSError) as error:
            raise CheckpointError(
                f"{self.path}: no whole checkpoint of this package ({error}); remove it, or name another file"
            ) from error
        self._compare(identity, {name: (array.dtype.name, array.shape) for name, array in arrays.items()}, shapes)
        return arrays, notes

    def _compare(self, identity, found, wanted):
        if missing := wanted.keys() - found.keys():
            raise CheckpointError(f"{self.path}: it holds no {', '.join(sorted(missing))}; it is of another model")
        sides = [(name, found[name], wanted[name]) for name in wanted]
        sides += [(name, identity.get(name), value) for name, value in self.identity.items()]
        for name, before, now in sides:
            if before != now:
                raise CheckpointError(f"{self.path}: made with {name}={before!r}, not {now!r}; name another file")


def digest(*arrays) -> str:
    """Return a short digest of arrays: of their dtypes, shapes and contents.

    Parameters
    ----------
    *arrays : ndarray

    Returns
    -------
    str

    Examples
    --------
    >>> digest(np.zeros(2)) == digest(np.zeros(2)) != digest(np.zeros(3))
    True
    """
    found = hashlib.blake2b(digest_size=8)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def describe(corpus) -> str:
    """Return a corpus' description with a digest of all that it holds.

    Parameters
    ----------
    corpus : Corpus or None

    Returns
    -------
    str

    Examples
    --------
    >>> describe(None)
    'none'
    """
    if corpus is None:
        return "none"
    counts, words = corpus.counts, np.frombuffer("\n".join(map(str, corpus.vocabulary)).encode(), np.uint8)
    whole = digest(counts.indptr, counts.indices, counts.data, corpus.labels, corpus.mean_weights, words)
    return f"{corpus!r} (digest {whole})"
