"""Arrays with notes in a safetensors file, written whole or not at all, and what a run must agree with to go on from it."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .arrays import as_numpy, to_numpy
from .corpus import digest


def save_arrays(path, arrays, notes):
    """Write named arrays and notes, under a temporary name that then takes the place of the old file."""
    from safetensors.numpy import save_file

    plain = {name: np.asarray(to_numpy(array), order="C") for name, array in arrays.items()}
    with replacing(path) as temporary:
        save_file(plain, temporary, {"notes": json.dumps(notes)})


@contextmanager
def replacing(path):
    """Yield a temporary name beside a path; what is written there takes the path's place, or is removed after an error."""
    temporary = Path(f"{path}.{os.getpid()}")
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_arrays(path, identity=None):
    """Return the arrays and notes of a file; a ValueError names what its notes' identity differs in."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            notes = json.loads(file.metadata()["notes"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is no whole file of this package ({error}); remove it, or name another file") from error
    for name, wanted in (identity or {}).items():
        found = notes["identity"].get(name)
        if found != wanted:
            raise ValueError(f"{path} was made with {name}={found}, not {wanted}; name another file")
    return arrays, notes


def identity_of(parameters, corpus, held_out, settings) -> dict:
    """Return what a run must agree with to go on, as plain values."""
    chosen = {name: value for name, value in settings.items() if name != "state"}
    chosen["optimizer"] = getattr(chosen["optimizer"], "name", chosen["optimizer"])
    chosen["model"] = getattr(chosen["model"], "__name__", repr(chosen["model"]))
    chosen["trained"] = chosen["trained"] and sorted(chosen["trained"])
    chosen["shapes"] = [array.shape for array in parameters]
    chosen["start"] = digest(*as_numpy(parameters))
    chosen["corpus"] = f"{corpus!r}, digest {corpus.digest()}"
    chosen["held_out"] = held_out and f"{held_out!r}, digest {held_out.digest()}"
    return json.loads(json.dumps(chosen, default=float))
