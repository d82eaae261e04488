"""What people call of the package, found in it and not listed: a new function, method or option is missed by a test."""

from __future__ import annotations

import inspect

import tokensel_nb as ts
from tokensel_nb.yourdata import command

# Made by a function, whose result they are: nobody calls them with arguments of their own. The functions have twins, and so
# have their methods. That the function returns the class is tested.
MADE_BY = {
    "Bins": "binned",
    "ControlledBins": "with_control",
    "Diagnosis": "diagnose",
    "Explanation": "explain",
    "FirstStep": "first_step",
    "Flow": "gradient_flow",
    "HeadPreferences": "head_preferences",
    "Live": "live",
    "MaxMargin": "max_margin",
    "Report": "report",
    "SelectionCertificate": "selection_certificate",
    "Training": "train",
    "History": "Training",  # its field
}
# Abstract: who calls them gets Python's TypeError, and what subclasses of them are given comes through the twins of models.
ABSTRACT = {"AutogradModel", "Model", "NamedArrays"}
# Methods of models: the functions of these names are given the model, and check what they pass on to it.
BY_FUNCTIONS = {"accuracy", "attention", "gradients", "logits", "loss"}
# Called by the package alone, with what it has checked: by `train`, by `logits` and `attention`, and for numbers of threads.
BY_THE_PACKAGE = {"evaluate", "forward", "forward_attention", "step_gradients", "widest"}


def public_calls():
    """Return what people call under names such as "report" and "Report.refit", each with the names of its arguments."""
    found = {}
    for name in ts.__all__:
        value = getattr(ts, name)
        if not inspect.isclass(value):
            found[name] = arguments_of(value)
        elif not issubclass(value, Exception):
            if name not in ABSTRACT | MADE_BY.keys():
                found[name] = arguments_of(value)
            found |= methods_of(value)
    return {name: arguments for name, arguments in found.items() if arguments}


def methods_of(kind):
    """Return the methods that a class defines for people, and that take arguments."""
    found = {}
    for name, value in vars(kind).items():
        function = inspect.unwrap(getattr(value, "__func__", value))
        ours = inspect.isfunction(function) and function.__module__.startswith("tokensel_nb")
        if not ours or (name.startswith("_") and name != "__getitem__"):
            continue
        if issubclass(kind, ts.Model) and (name in BY_FUNCTIONS | BY_THE_PACKAGE or kind is ts.Model):
            continue
        found[f"{kind.__name__}.{name}"] = arguments_of(function)
    return found


def arguments_of(function):
    """Return the names of a callable's arguments, less `self`; of ``**options`` that name."""
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def options_of_the_command():
    """Return the actions of each verb of `tokensel`, by verb and name."""
    (verbs,) = (action for action in command._parser()._actions if action.dest == "==SUPPRESS==" or action.choices)
    found = {}
    for verb, parser in verbs.choices.items():
        found |= {(verb, action.dest): action for action in parser._actions if action.dest != "help"}
    return found
