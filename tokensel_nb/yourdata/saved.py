"""A fitted classifier of texts as arrays and plain values, and back."""

from __future__ import annotations

import json

import numpy as np

from ..corpus.phrases import Phrases
from ..support.checks import shortened
from .counted import check_settings

FORMAT = 3


def written(model):
    """Return the arrays and the notes that hold a fitted classifier."""
    phrases, tokenizer = model.phrases_, model.tokenizer
    words = np.frombuffer(json.dumps(phrases.words.tolist()).encode(), np.uint8)
    name = None if tokenizer is None else getattr(tokenizer, "__qualname__", type(tokenizer).__name__)
    notes = dict(format=FORMAT, settings=_settings(model), tokenizer=name, l2=model.l2_, held_out=model.held_out_)
    notes |= dict(classes=[_plain_label(label) for label in model.classes_.tolist()], kind=model.classes_.dtype.str)
    return dict(scores=model.scores_, values=model.values_, starts=phrases.starts, lasts=phrases.lasts, words=words), notes


def restored(kind, arrays, notes, tokenizer):
    """Return the classifier that `written` was given."""
    if notes["format"] != FORMAT:
        raise ValueError(f"its format is {shortened(notes['format'])}, not {FORMAT}; save it again")
    settings, words = notes["settings"], json.loads(arrays["words"].tobytes())
    if settings["class_weight"] is not None and not isinstance(settings["class_weight"], str):
        settings["class_weight"] = {label: weight for label, weight in settings["class_weight"]}
    model = kind(**settings | {"without": tuple(settings["without"]), "tokenizer": tokenizer})
    check_settings(model)
    model.classes_ = np.array(notes["classes"], dtype=notes["kind"])
    model.l2_, model.held_out_ = notes["l2"], dict(notes["held_out"])
    _check_outcomes(model)
    _check_arrays(arrays, words, len(model.classes_))
    model.phrases_ = Phrases(np.array(words, dtype=object), arrays["starts"], arrays["lasts"], tokenizer)
    model.vocabulary_, model.scores_, model.values_ = model.phrases_.names, arrays["scores"], arrays["values"]
    return model


def _settings(model):
    """Return the settings as plain values, less the tokenizer, which is code."""
    settings = {name: _plain(value) for name, value in model.get_params(deep=False).items() if name != "tokenizer"}
    weight, seed = settings["class_weight"], settings["random_state"]
    if isinstance(weight, dict):
        settings["class_weight"] = [[_plain(label), float(share)] for label, share in weight.items()]
    settings["without"] = list(map(str, model.without))
    settings["random_state"] = seed if isinstance(seed, int) else None
    return settings


def _check_outcomes(model):
    """Refuse by a ValueError classes and outcomes that no fit leaves."""
    classes, outcomes = model.classes_, (model.l2_, *model.held_out_.values())
    if classes.ndim != 1 or classes.dtype.kind not in "biufOUS" or len(set(classes.tolist())) < max(2, len(classes)):
        raise ValueError("its classes are not at least two different ones")
    if not all(type(number) in (int, float) for number in outcomes):
        raise ValueError("its results on the held-out part are not all numbers")


def _check_arrays(arrays, words, classes):
    """Refuse by a ValueError words and numbers that no fit leaves, though they are well-formed."""
    if not isinstance(words, list) or not set(map(type, words)) <= {str} or len(set(words)) < len(words):
        raise ValueError("its words are not all words, or one is listed twice")
    grams = arrays["starts"].size
    rows = len(words) + grams + 1
    wanted = dict(starts=("int64", (grams,)), lasts=("int64", (grams,)), scores=("float64", (rows,)))
    wanted["values"] = ("float64", (rows,) if classes == 2 else (rows, classes))
    for name, kind in wanted.items():
        if (stored := (arrays[name].dtype.name, arrays[name].shape)) != kind:
            raise ValueError(f"its {name} are {stored[0]} of shape {stored[1]}, not {kind[0]} of shape {kind[1]}")
    before = len(words) + np.arange(grams)
    for name, end in dict(starts=before, lasts=len(words)).items():
        if ((arrays[name] < 0) | (arrays[name] >= end)).any():
            raise ValueError(f"its {name} name a phrase that does not exist")
    for name in ("scores", "values"):
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"its {name} are not all finite")


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _plain_label(label):
    label = _plain(label)
    if not isinstance(label, (bool, int, float, str)):
        wanted = "a number, truth value or string"
        raise ValueError(f"the label {label!r} is not {wanted}, so it cannot be saved; rename the classes")
    return label
