"""How many threads work is worth: small work runs on one, whatever the machine has.

NumPy's BLAS and torch cut a product of a few thousand numbers into parts, one a core. If another program has one of the cores,
the parts that are done wait for the one that has none until the scheduler comes round: some 8 ms, product after product,
where one core takes microseconds for the whole. So the number of threads is chosen by the size of the work, within the call,
and is the user's own again behind it.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache, singledispatch
from threading import Lock, local

import numpy as np

from .arrays import is_torch

LARGE = 2**23  # numbers; one core goes through so many in two milliseconds or more, and so hardly waits longer than it computes


@singledispatch
def numbers_in(thing) -> int:
    """Return how many numbers an argument brings to compute with; the classes that bring some register themselves.

    Parameters
    ----------
    thing : object

    Returns
    -------
    int
        Zero for what is no array.

    Examples
    --------
    >>> import tokensel_nb as ts
    >>> numbers_in(np.zeros((3, 2))), numbers_in(ts.init_parameters(5, 4, seed=0)), numbers_in("a text")
    (6, 20, 0)
    """
    return math.prod(thing.shape) if isinstance(thing, np.ndarray) or is_torch(thing) else 0


class threads_for:
    """Compute on one thread if the work is small, and else on as many as the user has set; used as ``with threads_for(n):``.

    Of torch, whose number belongs to a Python thread, the innermost of several nested calls decides; of BLAS, whose number
    belongs to the process, one thread is used as long as any small work goes on.

    Parameters
    ----------
    numbers : int
        How many the largest array of the work holds.

    Examples
    --------
    >>> import torch
    >>> with threads_for(100):
    ...     torch.get_num_threads()
    1
    """

    lock, at_work, limited = Lock(), 0, ()  # of BLAS: how many calls compute on one thread, and what to set back
    here = local()  # .number: of torch's threads, outside of all calls of this Python thread

    def __init__(self, numbers):
        self.small = numbers < LARGE

    def __enter__(self):
        """Set the numbers of threads."""
        self.torch = sys.modules.get("torch")  # where it is not loaded, nobody computes with it
        if self.torch is not None:
            self.before, self.above = self.torch.get_num_threads(), getattr(self.here, "number", None)
            self.here.number = self.above or self.before
            self._set_torch(1 if self.small else self.here.number, self.before)
        if self.small:
            with self.lock:
                if not threads_for.at_work:
                    found = [(each, each.num_threads) for each in _libraries(len(sys.modules))]
                    threads_for.limited = [(library, number) for library, number in found if number != 1]
                    _set((library, 1) for library, _ in self.limited)
                threads_for.at_work += 1

    def __exit__(self, *_):
        """Set them back, whatever happened."""
        if self.small:
            with self.lock:
                threads_for.at_work -= 1
                if not threads_for.at_work:
                    _set(self.limited)
        if self.torch is not None:
            self._set_torch(self.before, self.torch.get_num_threads())
            self.here.number = self.above

    def _set_torch(self, number, now):
        if number != now:
            self.torch.set_num_threads(number)


def _set(numbers):
    for library, number in numbers:
        library.set_num_threads(number)
        if hasattr(library, "clear_controlling_thread"):  # or none but this Python thread could set it from now on
            library.clear_controlling_thread()


@lru_cache(maxsize=1)
def _libraries(modules):
    """Return the BLAS libraries that are loaded; looked for again when more modules are, as it takes a millisecond."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers
