"""Checkpoints: training runs in safetensors files, written atomically, with the settings that a continued run must match."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .arrays import as_numpy, like, to_numpy
from .corpus import digest
from .parameters import Parameters


def save(path, run, identity=None):
    """Write a run to a safetensors file, under a temporary name that then replaces the old file.

    Parameters
    ----------
    path : path
    run : Training
        Snapshots are left out; of the model and of your own optimizer, only the names are kept.
    identity : dict, optional
        What a run must match to continue from the file; `train` gives its settings, start and texts.

    Examples
    --------
    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"])
    >>> run = ts.train(ts.init_parameters(corpus.vocab_size, dim=4, seed=0), corpus, steps=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.save(f"{folder}/run.safetensors", run)
    ...     ts.load(f"{folder}/run.safetensors")
    Training(20 steps, loss 0.008; all steps)
    """
    arrays = {**run.last._asdict(), **{f"best.{name}": array for name, array in run.best[1]._asdict().items()}}
    moments = {f"{name}.{place}": moment for name, of in run.state.moments.items() for place, moment in enumerate(of)}
    kept = {name: len(of) for name, of in run.state.moments.items()}
    notes = {"step": run.state.step, "best": run.best[0], "stopped": run.stopped, "patient": run.patient, "rows": run.rows}
    notes |= {"settings": _plain(run.settings), "moments": kept, "identity": identity or {}}
    save_arrays(path, arrays | moments, notes)


def load(path, start=None, identity=None):
    """Read a run from a safetensors file.

    Parameters
    ----------
    path : path
    start : NamedTuple of arrays, optional
        Parameters of the type and the kind of arrays to return; by default `Parameters` of numpy arrays.
    identity : dict, optional
        What the run must match.

    Returns
    -------
    Training

    Raises
    ------
    ValueError
        If it doesn't match, or has other arrays; the message names the difference.

    Examples
    --------
    A saved run knows its settings, but only the names of models other than `one_layer`: give yours when you continue.

    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus, model = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"]), ts.WithMLP()
    >>> start = model.start(corpus.vocab_size, dim=4, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.save(f"{folder}/run.safetensors", ts.train(start, corpus, steps=20, model=model))
    ...     ts.train(ts.load(f"{folder}/run.safetensors", start), corpus, steps=40, model=model).state.step
    40
    """
    from .descent import State  # imported here: other users of this module train nothing
    from .model import one_layer
    from .training import Training

    arrays, notes = load_arrays(path, identity)
    kind = Parameters if start is None else type(start)
    if kept := {name for name in arrays if "." not in name} ^ set(kind._fields):
        raise ValueError(f"{path} and {kind.__name__} differ in {', '.join(sorted(kept))}; give start=, parameters of its type")
    arrays = {name: array if start is None else like(array, start[0]) for name, array in arrays.items()}
    last, best = (kind(*(arrays[prefix + name] for name in kind._fields)) for prefix in ("", "best."))
    moments = {name: tuple(arrays[f"{name}.{place}"] for place in range(size)) for name, size in notes["moments"].items()}
    rows, best = [tuple(row) for row in notes["rows"]], (notes["best"], best)
    settings = {name: value for name, value in notes["settings"].items() if value != one_layer.__name__}
    return Training(last, State(notes["step"], moments), rows, {}, best, notes["stopped"], notes["patient"], settings)


def save_arrays(path, arrays, notes):
    """Write named arrays and notes, under a temporary name that then replaces the old file."""
    from safetensors.numpy import save_file

    plain = {name: np.asarray(to_numpy(array), order="C") for name, array in arrays.items()}
    with replacing(path) as temporary:
        save_file(plain, temporary, {"notes": json.dumps(notes)})


@contextmanager
def replacing(path):
    """Yield a temporary name next to a path; the file there then replaces the path, or is removed after an error."""
    temporary = Path(f"{path}.{os.getpid()}")
    temporary.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def load_arrays(path, identity=None):
    """Return the arrays and notes of a file; a ValueError names the difference between the notes and an identity."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            notes = json.loads(file.metadata()["notes"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, TypeError, KeyError) as error:
        raise ValueError(f"{path} is not a complete file of this package ({error}); remove it, or choose another") from error
    for name, value in (identity or {}).items():
        if (stored := notes["identity"].get(name)) != value:
            raise ValueError(f"{path} was made with {name}={stored}, not {value}; choose another file")
    return arrays, notes


def identity_of(parameters, corpus, held_out, settings) -> dict:
    """Return what a run must match to continue, as plain values."""
    chosen = _plain(settings)
    chosen["shapes"] = [list(array.shape) for array in parameters]
    chosen["start"] = digest(*as_numpy(parameters))
    chosen["corpus"] = f"{corpus!r}, digest {corpus.digest()}"
    chosen["held_out"] = held_out and f"{held_out!r}, digest {held_out.digest()}"
    return chosen


def _plain(settings):
    """Return all settings of `descent`, including defaults, as plain values: optimizer and model by their names."""
    from .descent import descent

    chosen = descent.__kwdefaults__ | settings
    del chosen["state"]
    chosen["optimizer"] = getattr(chosen["optimizer"], "name", chosen["optimizer"])
    chosen["model"] = getattr(chosen["model"], "__name__", str(chosen["model"]))
    chosen["trained"] = chosen["trained"] and sorted(chosen["trained"])
    return json.loads(json.dumps(chosen, default=lambda number: number.item()))
