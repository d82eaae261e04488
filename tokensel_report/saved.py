"""Saving a fitted classifier of texts in a safetensors file, and loading it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tokensel_nb.checkpoint import load_arrays, save_arrays

from .phrases import Phrases

FILE, FORMAT = "model.safetensors", 5


def write(model, folder):
    """Write a fitted classifier as a file in a folder."""
    phrases, tokenizer = model.phrases_, model.tokenizer
    words = np.frombuffer(json.dumps(phrases.words.tolist()).encode(), np.uint8)
    name = None if tokenizer is None else getattr(tokenizer, "__qualname__", type(tokenizer).__name__)
    notes = dict(format=FORMAT, settings=_settings(model), tokenizer=name, l2=model.l2_, balance=model.balance_)
    notes |= dict(held_out=model.held_out_, classes=model.classes_.tolist(), kind=model.classes_.dtype.str)
    arrays = dict(scores=model.scores_, values=model.values_, starts=phrases.starts, lasts=phrases.lasts, words=words)
    save_arrays(Path(folder, FILE), arrays, notes)


def restored(kind, folder, tokenizer):
    """Return the classifier that `write` saved."""
    try:
        arrays, notes = load_arrays(Path(folder, FILE))
        stored, name = notes["format"], notes["tokenizer"]
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{folder} does not contain a complete model of this package ({error}); save it again") from error
    if stored != FORMAT:
        raise ValueError(f"{folder}: the model has format {stored}, not {FORMAT}; save it again with this version")
    if name and tokenizer is None:
        raise ValueError(f"{folder}: the model was trained with the tokenizer {name}; give it as tokenizer=")
    settings, words = notes["settings"], json.loads(arrays["words"].tobytes())
    model = kind(**settings | {"without": tuple(settings["without"]), "tokenizer": tokenizer})
    model.classes_ = np.array(notes["classes"], dtype=notes["kind"])
    model.l2_, model.balance_, model.held_out_ = notes["l2"], notes["balance"], notes["held_out"]
    model.phrases_ = Phrases(np.array(words, dtype=object), arrays["starts"], arrays["lasts"], tokenizer)
    model.vocabulary_, model.scores_, model.values_ = model.phrases_.names, arrays["scores"], arrays["values"]
    return model


def _settings(model):
    """Return the settings as plain values, without the tokenizer, which is code."""
    settings = {name: _plain(value) for name, value in model.get_params(deep=False).items() if name != "tokenizer"}
    settings["without"] = list(map(str, model.without))
    settings["random_state"] = model.random_state if isinstance(model.random_state, int) else None
    return settings


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
