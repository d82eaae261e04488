"""A training run in a safetensors file, written whole or not at all, and what it must agree with to go on."""

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
    """Write a run to a safetensors file, under a temporary name that then takes the place of the old one.

    Parameters
    ----------
    path : path
    run : Training
        Snapshots are left out; of the model and of an optimizer of your own, the name is kept.
    identity : dict, optional
        What a run must agree with to go on from the file; `train` gives its settings, start and texts.

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
        Of what type the parameters are, and with arrays of what kind; by default `Parameters` of numpy arrays.
    identity : dict, optional
        What the run must agree with.

    Returns
    -------
    Training

    Raises
    ------
    ValueError
        If it does not agree, or holds other arrays; the message names what differs.

    Examples
    --------
    A run that was saved knows its settings, but only the names of other models than `one_layer`: give yours when you go on.

    >>> import tempfile
    >>> import tokensel_nb as ts
    >>> corpus, model = ts.corpus_from_texts(["good film", "bad film"], ["up", "down"]), ts.WithMLP()
    >>> start = model.start(corpus.vocab_size, dim=4, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ts.save(f"{folder}/run.safetensors", ts.train(start, corpus, steps=20, model=model))
    ...     ts.train(ts.load(f"{folder}/run.safetensors", start), corpus, steps=40, model=model).state.step
    40
    """
    from .descent import State  # here, since whoever stores other arrays trains nothing
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
    chosen = _plain(settings)
    chosen["shapes"] = [list(array.shape) for array in parameters]
    chosen["start"] = digest(*as_numpy(parameters))
    chosen["corpus"] = f"{corpus!r}, digest {corpus.digest()}"
    chosen["held_out"] = held_out and f"{held_out!r}, digest {held_out.digest()}"
    return chosen


def _plain(settings):
    """Return all settings of `descent`, those by default as well, as plain values: optimizer and model by their names."""
    from .descent import descent

    chosen = descent.__kwdefaults__ | settings
    del chosen["state"]
    chosen["optimizer"] = getattr(chosen["optimizer"], "name", chosen["optimizer"])
    chosen["model"] = getattr(chosen["model"], "__name__", str(chosen["model"]))
    chosen["trained"] = chosen["trained"] and sorted(chosen["trained"])
    return json.loads(json.dumps(chosen, default=lambda number: number.item()))
