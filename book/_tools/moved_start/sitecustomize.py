"""With this folder on PYTHONPATH, every initial parameter lies one unit in its last place beside where it was drawn.

Python imports this file when it starts: in a notebook's kernel, and in the processes that the kernel starts. What a notebook
prints must not hang on so little, for another processor rounds differently from the first step on. Zeros stay: they are
exact everywhere, and theory asks for p = 0.
"""

import sys
from functools import wraps
from importlib.machinery import PathFinder

DRAWN = {  # what draws parameters
    "tokensel_nb.parameters": ["init_parameters"],
    "tokensel_nb.deeper": ["TwoLayers.start", "WithMLP.start"],
    "tokensel_nb.transformer": ["Transformer.start"],
}
drawing = []  # a model's start asks `init_parameters`: whoever began moves, once


def one_unit_beside(array):
    """Return an array whose numbers, but for zeros, are the next ones above or below: the same ones for the same shape."""
    import numpy as np

    directions = np.random.default_rng(2025).choice(np.array([-np.inf, np.inf], array.dtype), array.shape)
    return np.where(array == 0, array, np.nextafter(array, directions))


def moved(draw):
    """Return a function that draws as this one does, and moves what was drawn."""

    @wraps(draw)
    def draw_and_move(*args, **kwargs):
        if drawing:
            return draw(*args, **kwargs)
        drawing.append(draw)
        try:
            drawn = draw(*args, **kwargs)
            return type(drawn)(*map(one_unit_beside, drawn))
        finally:
            drawing.clear()

    return draw_and_move


class Finder:
    """Finds the modules that draw, as Python would, and puts `moved` around what draws there."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return the module's spec; None for any other module, which Python then finds itself."""
        if name not in DRAWN:
            return None
        spec = PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def execute_and_wrap(module):
            execute(module)
            for dotted in DRAWN[name]:
                *owners, function = dotted.split(".")
                owner = getattr(module, owners[0]) if owners else module
                setattr(owner, function, moved(getattr(owner, function)))

        spec.loader.exec_module = execute_and_wrap
        return spec


sys.meta_path.insert(0, Finder)
